"""Make a synthetic knowledge graph of any size: seeded, with communities, types, hubs and inferred relations.

    python benchmarks/make_graph.py 2000 > content/synthetic.json

The file is a flat graph (`entities`, `relations`) that kgsite publishes as it is. `make()` gives the same graph as plain
data and `collection()` as the record that the layout, the drawings and the explorer data work on.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import dataclass

from kgsite.model import (
    Collection,
    CollectionCommunity,
    CollectionEntity,
    DocumentGraph,
    Evidence,
    Fact,
    FactEvidence,
    GraphSchema,
    Provenance,
    Slug,
    SourcePath,
)

TYPES = ("concept", "person", "organization", "place", "event", "work", "product", "date")
TYPE_WEIGHTS = (28, 22, 16, 12, 8, 6, 5, 3)
PREDICATES = (
    "part of",
    "works for",
    "located in",
    "founded",
    "discovered",
    "influenced",
    "member of",
    "published",
    "uses",
)
METHODS = ("transitive", "lexical", "taxonomy")
SYLLABLES = (
    "ba",
    "cor",
    "del",
    "fen",
    "gor",
    "hal",
    "il",
    "jun",
    "kar",
    "lo",
    "mir",
    "nov",
    "or",
    "pel",
    "qui",
    "ras",
    "sten",
    "tor",
    "ul",
    "vin",
    "wes",
    "zan",
)


@dataclass(frozen=True, slots=True)
class Node:
    """One entity: its name is unique, its community a number from 0 (0 is the largest)."""

    name: str
    type: str
    community: int


@dataclass(frozen=True, slots=True)
class Edge:
    """One relation between node numbers; `method` is empty when it counts as extracted."""

    source: int
    target: int
    predicate: str
    method: str


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes and edges; a few nodes have no edge, a few components stand alone."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def make(n: int, seed: int = 7) -> Graph:
    """A graph of `n` nodes and about 1.9·n edges, nine in ten of them inside a community.

    Community sizes fall like 1/rank; partners inside a community are drawn by preferential attachment, so that
    each has its hubs. About one relation in ten is inferred.
    """
    draw = random.Random(f"{seed}/{n}")
    communities = _communities(n, draw)
    nodes = _nodes(n, communities, draw)
    members: list[list[int]] = [[] for _ in range(max(communities, default=-1) + 1)]
    urns: list[list[int]] = [[] for _ in members]
    edges: list[Edge] = []
    for index, node in enumerate(nodes):
        urn = urns[node.community]
        if urn and draw.random() < 0.995:
            for _ in range(draw.choice((1, 1, 2, 2, 3))):
                target = urn[draw.randrange(len(urn))]
                if target != index:
                    edges.append(_edge(index, target, draw))
                    urn.append(target)
        if index and draw.random() < 0.17:
            edges.append(_edge(index, draw.randrange(index), draw))
        urn.append(index)
        members[node.community].append(index)
    return Graph(nodes, tuple(edges))


def _communities(n: int, draw: random.Random) -> list[int]:
    count = max(1, min(n, round(1.6 * n**0.45)))
    weights = [1 / (rank + 1.5) ** 0.9 for rank in range(count)]
    return sorted(draw.choices(range(count), weights, k=n)) if n else []


def _nodes(n: int, communities: list[int], draw: random.Random) -> tuple[Node, ...]:
    used: set[str] = set()
    nodes: list[Node] = []
    for index in range(n):
        words = ["".join(draw.choices(SYLLABLES, k=draw.randint(2, 3))).capitalize() for _ in range(draw.randint(1, 3))]
        name = " ".join(words)
        while name in used:
            name = f"{' '.join(words)} {len(nodes)}"
        used.add(name)
        nodes.append(Node(name, draw.choices(TYPES, TYPE_WEIGHTS)[0], communities[index]))
    return tuple(nodes)


def _edge(source: int, target: int, draw: random.Random) -> Edge:
    if draw.random() < 0.4:
        source, target = target, source
    return Edge(source, target, draw.choice(PREDICATES), draw.choice(METHODS) if draw.random() < 0.1 else "")


def flat(graph: Graph) -> dict[str, list[dict[str, object]]]:
    """The graph as a flat ready-made graph file."""
    return {
        "entities": [
            {
                "name": node.name,
                "type": node.type,
                "description": f"{node.name} is a synthetic {node.type}.",
                "community_id": node.community,
            }
            for node in graph.nodes
        ],
        "relations": [
            {
                "source": graph.nodes[edge.source].name,
                "source_type": graph.nodes[edge.source].type,
                "target": graph.nodes[edge.target].name,
                "target_type": graph.nodes[edge.target].type,
                "type": edge.predicate,
                "strength": 5,
                "inferred": bool(edge.method),
                "method": edge.method,
            }
            for edge in graph.edges
        ],
    }


def collection(graph: Graph) -> Collection:
    """The graph as a collection of one document, without text and without layouts."""
    slugs = [f"n{index:05d}" for index in range(len(graph.nodes))]
    neighbours: list[set[int]] = [set() for _ in graph.nodes]
    facts: dict[tuple[str, str, str], Fact] = {}
    for edge in graph.edges:
        neighbours[edge.source].add(edge.target)
        neighbours[edge.target].add(edge.source)
        fact = _fact(graph, edge, slugs)
        facts.setdefault((fact.source, fact.target, fact.predicate), fact)
    entities = tuple(
        CollectionEntity(slugs[i], Slug(slugs[i]), node.name, node.type, degree=len(neighbours[i]), documents=("doc",), community=node.community,
                         descriptions=((f"{node.name} is a synthetic {node.type}.", "doc"),))
        for i, node in enumerate(graph.nodes)
    )  # fmt: skip
    by_community: dict[int, list[CollectionEntity]] = {}
    for entity in entities:
        by_community.setdefault(entity.community or 0, []).append(entity)
    communities = []
    for number, members in sorted(by_community.items()):
        ranked = sorted(members, key=lambda entity: (-entity.degree, entity.key))
        communities.append(
            CollectionCommunity(
                number, Slug(f"c{number}"), ranked[0].name, (ranked[0].name,), "", tuple(e.key for e in ranked)
            )
        )
    document = DocumentGraph(
        "doc",
        "Synthetic graph",
        "",
        "en",
        None,
        GraphSchema(),
        (),
        (),
        (),
        (),
        Provenance(SourcePath("synthetic.json")),
    )
    ordered = tuple(facts[key] for key in sorted(facts))
    return Collection((document,), {"doc": Slug("synthetic")}, entities, ordered, tuple(communities), {})


def _fact(graph: Graph, edge: Edge, slugs: list[str]) -> Fact:
    text = f"{graph.nodes[edge.source].name} {edge.predicate} {graph.nodes[edge.target].name}."
    evidence = () if edge.method else (FactEvidence("doc", Evidence(text, verified=True)),)
    methods = (edge.method,) if edge.method else ()
    return Fact(
        slugs[edge.source],
        slugs[edge.target],
        edge.predicate,
        ("doc",),
        evidence=evidence,
        inferred=bool(edge.method),
        methods=methods,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nodes", type=int)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    json.dump(flat(make(arguments.nodes, arguments.seed)), sys.stdout, ensure_ascii=False, indent=1)


if __name__ == "__main__":
    main()
