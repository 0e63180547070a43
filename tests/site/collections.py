"""Hand-made collections: small graphs whose every page and count a test can name."""

from __future__ import annotations

import re
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kgsite.collection.slugs import slugify
from kgsite.model import (
    NAMESPACE,
    Block,
    Chunk,
    Collection,
    CollectionCommunity,
    CollectionEntity,
    Community,
    DocumentGraph,
    Entity,
    Evidence,
    Fact,
    FactEvidence,
    FrontMatter,
    GraphChunk,
    GraphSchema,
    Layout,
    Mark,
    Provenance,
    Relation,
    Slug,
    SourcePath,
)

Triple = tuple[str, str, str]


@dataclass(frozen=True)
class Text:
    """A document to be made: blocks come from Markdown-like lines, triples are found in the text where they can be."""

    path: str
    title: str
    text: str
    triples: tuple[Triple, ...]
    summary: str = ""
    language: str = "en"
    meta: FrontMatter = field(default_factory=FrontMatter)
    changed: str = "2026-03-01"
    rephrase: str = ""


def blocks_of(text: str) -> tuple[Block, ...]:
    """Paragraphs at blank lines; `# `, `- ` and `> ` as in Markdown, the sign left in the text before the block."""
    blocks: list[Block] = []
    for match in re.finditer(r"[^\n]+(?:\n[^\n]+)*", text):
        start, end = match.span()
        kinds = {"# ": ("heading", 1), "## ": ("heading", 2), "- ": ("list", 1), "> ": ("quote", 0)}
        for sign, (kind, level) in kinds.items():
            if text.startswith(sign, start):
                blocks.append(Block(start + len(sign), end, kind, level))  # type: ignore[arg-type]
                break
        else:
            blocks.append(Block(start, end, "paragraph"))
    return tuple(blocks)


def collection_of(
    texts: Sequence[Text],
    types: Mapping[str, str] | None = None,
    *,
    redirects: Mapping[str, str] | None = None,
    community_size: int = 6,
) -> Collection:
    """Merge by exact name: enough to test pages, and nothing is left to chance."""
    types = types or {}
    graphs = [_graph(text, types) for text in sorted(texts, key=lambda t: t.path)]
    names = sorted({name for text in texts for s, _, o in text.triples for name in (s, o)})
    slugs = _slugs(names)
    neighbours: dict[str, set[str]] = defaultdict(set)
    documents_of: dict[str, list[str]] = defaultdict(list)
    facts: dict[Triple, Fact] = {}
    for graph in graphs:
        for relation in graph.relations:
            key = (relation.source, relation.target, relation.type)
            evidence = tuple(FactEvidence(graph.id, item) for item in relation.evidence)
            old = facts.get(key)
            if old is not None:
                facts[key] = replace(old, documents=(*old.documents, graph.id), evidence=old.evidence + evidence)
            else:
                facts[key] = Fact(
                    relation.source,
                    relation.target,
                    relation.type,
                    (graph.id,),
                    relation.strength,
                    evidence=evidence,
                    inferred=relation.inferred,
                    methods=(relation.method,) if relation.method else (),
                )
            if relation.source != relation.target:
                neighbours[relation.source].add(relation.target)
                neighbours[relation.target].add(relation.source)
        for entity in graph.entities:
            documents_of[entity.name].append(graph.id)
    order = sorted(names, key=lambda name: (-len(neighbours[name]), name))
    groups = [order[start : start + community_size] for start in range(0, len(order), community_size)]
    community_at = {name: number for number, group in enumerate(groups) for name in group}
    entities = tuple(
        CollectionEntity(
            key=name,
            slug=slugs[name],
            name=name,
            type=types.get(name, "concept"),
            descriptions=tuple(
                (e.description, g.id) for g in graphs for e in g.entities if e.name == name and e.description
            ),
            documents=tuple(documents_of[name]),
            degree=len(neighbours[name]),
            pagerank=len(neighbours[name]) / 100,
            community=community_at[name],
        )
        for name in sorted(names, key=lambda n: slugs[n])
    )
    communities = tuple(
        CollectionCommunity(number, Slug(f"group-{number + 1}"), group[0], (group[0],), "", tuple(group))
        for number, group in enumerate(groups)
    )
    return Collection(
        documents=tuple(graphs),
        document_slugs={graph.id: _slug_of(graph) for graph in graphs},
        entities=entities,
        facts=tuple(facts[key] for key in sorted(facts)),
        communities=communities,
        entity_of={entity.id: entity.name for graph in graphs for entity in graph.entities},
        layouts=_layouts(graphs, order, communities),
        redirects=redirects or {},
    )


def _slug_of(graph: DocumentGraph) -> Slug:
    return Slug(graph.meta.slug or slugify(graph.provenance.source.rsplit("/", 1)[-1].rsplit(".", 1)[0]))


def _slugs(names: Iterable[str]) -> dict[str, Slug]:
    slugs: dict[str, Slug] = {}
    taken: set[str] = set()
    for name in names:
        slug = str(slugify(name))
        if slug.casefold() in taken:
            slug = f"{slug}-{uuid.uuid5(NAMESPACE, name).hex[:6]}"
        taken.add(slug.casefold())
        slugs[name] = Slug(slug)
    return slugs


def _graph(text: Text, types: Mapping[str, str]) -> DocumentGraph:
    identity = str(uuid.uuid5(NAMESPACE, text.path))
    blocks = blocks_of(text.text)
    chunk = Chunk(f"{identity}-0", 0, text.text, 0, len(text.text), len(text.text.split()))
    relations = tuple(_relation(text, triple, types, chunk.id) for triple in sorted(set(text.triples)))
    names = sorted({name for s, _, o in text.triples for name in (s, o)})
    entities = tuple(
        Entity(
            name,
            types.get(name, "concept"),
            id=str(uuid.uuid5(NAMESPACE, f"{identity}:{name}")),
            chunk_ids=(chunk.id,),
            community_id=0,
        )
        for name in names
    )
    members = tuple(f"{entity.name}::{entity.type}" for entity in entities)
    return DocumentGraph(
        id=identity,
        title=text.title,
        summary=text.summary,
        language=text.language,
        url=text.meta.url,
        schema=GraphSchema(),
        entities=entities,
        relations=relations,
        communities=(Community(0, (names[0],), "", members),) if names else (),
        chunks=(GraphChunk(chunk, entities, relations, rephrase=text.rephrase),) if text.text else (),
        provenance=Provenance(SourcePath(text.path), "0" * 64, "1" * 64, "offline", "", text.changed, text.changed),
        text=text.text,
        blocks=blocks,
        marks=_marks(text.text),
        meta=text.meta,
    )


def _marks(text: str) -> tuple[Mark, ...]:
    return tuple(Mark(*match.span(), kind="link", href=match[0]) for match in re.finditer(r"https?://[^\s]+", text))


def _relation(text: Text, triple: Triple, types: Mapping[str, str], chunk: str) -> Relation:
    source, predicate, target = triple
    inferred = predicate.startswith("~")
    evidence: tuple[Evidence, ...] = ()
    if not inferred:
        for match in re.finditer(r"[^.\n]+[.\n]?", text.text):
            if source in match[0] and target in match[0]:
                evidence = (Evidence(match[0].strip(), chunk, *match.span(), verified=True),)
                break
        else:
            evidence = (Evidence(f"{source} {predicate} {target}.", chunk),)
    return Relation(
        source,
        types.get(source, "concept"),
        target,
        types.get(target, "concept"),
        predicate.removeprefix("~"),
        id=str(uuid.uuid5(NAMESPACE, f"{text.path}{triple}")),
        chunk_ids=(chunk,),
        evidence=evidence,
        inferred=inferred,
        method="transitive" if inferred else "",
    )


def _layouts(
    graphs: Sequence[DocumentGraph], order: Sequence[str], communities: Sequence[CollectionCommunity]
) -> dict[str, Layout]:
    def circle(keys: Sequence[str]) -> Layout:
        import math

        around = [2 * math.pi * i / max(1, len(keys)) for i in range(len(keys))]
        return Layout(
            tuple(keys),
            tuple(round(20_000 * math.cos(a)) for a in around),
            tuple(round(20_000 * math.sin(a)) for a in around),
        )

    found = {"collection": circle(order)}
    for graph in graphs:
        found[graph.id] = circle([entity.name for entity in graph.entities])
    for community in communities:
        found[f"community/{community.slug}"] = circle(community.members)
    return found


# ── a small site that several tests share ─────────────────────────────────────────────────────────
CURIE = Text(
    "curie.md",
    "Marie Curie",
    "# Marie Curie\n\nMarie Curie was born in Warsaw. She met Pierre Curie in Paris.\n\n"
    "Marie Curie discovered polonium. Marie Curie discovered radium with Pierre Curie.\n\n## Later\n\n"
    "Marie Curie died in Passy. See https://example.org/curie for more.",
    (
        ("Marie Curie", "born in", "Warsaw"),
        ("Marie Curie", "discovered", "polonium"),
        ("Marie Curie", "discovered", "radium"),
        ("Marie Curie", "died in", "Passy"),
        ("Pierre Curie", "married", "Marie Curie"),
    ),
    summary="A physicist and chemist who discovered two elements.",
    meta=FrontMatter(date="2024-05-01", authors=("A. Writer",), url="https://example.org/curie", license="CC-BY-4.0"),
)
WARSAW = Text(
    "cities/warsaw.txt",
    "Warsaw",
    "Warsaw lies on the Vistula.\n\nWarsaw is the capital of Poland.\n\nMarie Curie was born in Warsaw.",
    (
        ("Warsaw", "lies on", "Vistula"),
        ("Warsaw", "capital of", "Poland"),
        ("Marie Curie", "born in", "Warsaw"),
        ("Vistula", "~flows through", "Poland"),
    ),
    summary="The capital of Poland.",
    changed="2026-02-01",
)
TYPES = {
    "Marie Curie": "person",
    "Pierre Curie": "person",
    "Warsaw": "place",
    "Paris": "place",
    "Passy": "place",
    "Poland": "place",
    "Vistula": "place",
    "polonium": "substance",
    "radium": "substance",
}


def small() -> Collection:
    """Two documents, eight entities, eight facts (one of them in both documents, one inferred), two communities."""
    return collection_of([CURIE, WARSAW], TYPES)
