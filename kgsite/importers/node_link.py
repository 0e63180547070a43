"""Graphs of nodes and edges: networkx node-link, D3, Cytoscape, JSON Graph, and what the XML formats hold → `Found`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from kgsite.importers import wording
from kgsite.importers.found import Found, Group, Statement, Tally, Thing
from kgsite.importers.rows import evidence_of, first, statement_of
from kgsite.importers.values import (
    attributes_of,
    name_of,
    number_of,
    prose_of,
    ref_of,
    refs_of,
    rows_of,
    text_of,
    texts_of,
    types_of,
    whole_of,
)

_NAMES = ("label", "name", "title", "text", "caption")
_TYPES = ("type", "entity_type", "category", "kind", "class", "labels", "group")
_GROUPS = ("community", "community_id", "cluster", "cluster_id", "modularity_class", "Modularity Class", "group")
_DRAWING = frozenset(
    [
        "x",
        "y",
        "z",
        "vx",
        "vy",
        "fx",
        "fy",
        "px",
        "py",
        "index",
        "color",
        "size",
        "shape",
        "width",
        "height",
        "style",
        "font",
        "viz",
        "degree",
    ]
)
_NODE_KEYS = _DRAWING | frozenset((*_NAMES, *_TYPES, *_GROUPS, "id", "key", "description", "aliases", "chunk_ids"))
_EDGE_NAMES = ("predicate", "relation", "relationship", "relation_type", "type", "label", "name", "title")
_EDGE_KEYS = frozenset(["networkx_key", "id", "key", "source", "target", "description", "color", "width"]) | _DRAWING


def read_node_link(tree: Mapping[str, Any], form: str = "node-link") -> Found:
    """A graph of nodes and edges. Ends of edges are ids; where nodes have none, numbers are positions from 0."""
    inner = tree.get("graph")
    graph = inner if isinstance(inner, Mapping) and "nodes" in inner else tree
    found = Found(form, by_id=True)
    about = inner if isinstance(inner, Mapping) else {}
    found.title = name_of(first(tree, ("title", "label")) or first(about, ("title", "name", "label")), found.tally)
    found.summary = prose_of(first(tree, ("summary", "description")) or about.get("description"), found.tally)
    if graph is tree:
        known = {"nodes", "edges", "links", "graph", "directed", "multigraph", "title", "label", "summary"}
        for key in sorted(set(tree) - known - {"description", "language", "url", "license"}):
            found.tally.add(wording.BLOCKS, example=name_of(key, found.tally)[:40])
    found.language = name_of(first(tree, ("language",)) or about.get("language"), found.tally)
    found.url = name_of(first(tree, ("url",)) or about.get("url"), found.tally)
    found.license = name_of(first(tree, ("license",)) or about.get("license"), found.tally)
    nodes = graph.get("nodes")
    if isinstance(nodes, Mapping):
        nodes = [{"id": key, **row} if isinstance(row, Mapping) else {"id": key} for key, row in nodes.items()]
    edges = first(graph, ("edges", "links"))
    return read_nodes(found, nodes, edges)


def read_cytoscape(tree: Mapping[str, Any]) -> Found:
    """Cytoscape.js: `elements` is {nodes, edges} or one list; each element has its values under `data`."""
    elements = tree["elements"]
    found = Found("cytoscape", by_id=True)
    data = tree.get("data")
    if isinstance(data, Mapping):
        found.title = name_of(first(data, ("title", "name")), found.tally)
    if isinstance(elements, Mapping):
        return read_nodes(found, _data(elements.get("nodes")), _data(elements.get("edges")))
    rows = _data(elements)
    edges = [row for row in rows if isinstance(row, Mapping) and "source" in row and "target" in row]
    return read_nodes(found, [row for row in rows if not isinstance(row, Mapping) or "source" not in row], edges)


def _data(rows: Any) -> list[Any]:
    rows = rows if isinstance(rows, list) else []
    return [row.get("data", row) if isinstance(row, Mapping) else row for row in rows]


def read_nodes(found: Found, nodes: Any, edges: Any) -> Found:
    """Fill `found` with nodes and edges given as lists of objects."""
    tally = found.tally
    rows = list(rows_of(nodes, tally))
    positional = not any(isinstance(row, Mapping) and row.get("id") is not None for _, row in rows)
    for position, row in rows:
        thing = _node(row, tally)
        if thing is None:
            tally.add(wording.NAMELESS, example=f"node {position}")
            continue
        if positional:
            thing.refs = (*thing.refs, _position(position - 1))
        found.things.append(thing)
    for position, row in rows_of(edges, tally):
        statement = _edge(row, tally) if isinstance(row, Mapping) else None
        if statement is None:
            tally.add(wording.ENDLESS, example=f"edge {position}")
        elif positional and isinstance(row, Mapping) and not _in_range(row, len(rows), statement):
            tally.add(wording.OUT_OF_RANGE, example=f"edge {position}")
        else:
            found.statements.append(statement)
    found.groups = list(_groups(found.things))
    return found


def _position(index: int) -> str:
    return f"\x00{index}"  # a ref that no name can be


def _in_range(row: Mapping[str, Any], size: int, statement: Statement) -> bool:
    """Whether numeric ends are positions that exist; makes them refs."""
    for key in ("source", "target"):
        index = row.get(key)
        if isinstance(index, (int, float)) and not isinstance(index, bool):
            whole = whole_of(index)
            if whole is None or whole >= size:
                return False
            setattr(statement, key, _position(whole))
    return True


def _node(row: Any, tally: Tally) -> Thing | None:
    if isinstance(row, (str, int, float)) and not isinstance(row, bool):
        row = {"id": row}
    if not isinstance(row, Mapping):
        return None
    ref = ref_of(first(row, ("id", "key")))
    name = name_of(first(row, _NAMES), tally) or ref
    if not name:
        return None
    group = first(row, _GROUPS)
    # `group` is D3's word for both: a number is a community, a word is a type.
    numbered = number_of(group) is not None or not row.get("group") or group is not row.get("group")
    kind = next(
        (row[key] for key in _TYPES if row.get(key) not in (None, "") and (key != "group" or not numbered)), None
    )
    type_name, others = types_of(kind, tally)
    attributes = attributes_of(row, _NODE_KEYS, tally)
    if others:
        attributes["other types"] = ", ".join(others)
    return Thing(
        name=name,
        type=type_name,
        description=prose_of(row.get("description"), tally),
        refs=(ref,) if ref else (),
        passages=refs_of(row.get("chunk_ids") or []),
        group=ref_of(group) if numbered else "",
        aliases=_listed(row.get("aliases"), tally),
        attributes=attributes,
    )


def _listed(value: Any, tally: Tally) -> tuple[str, ...]:
    """A list, or a list that had to be written as text (GraphML, GEXF and GML have no lists)."""
    return texts_of(_unpacked(value) or [], tally)


def _unpacked(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in "[{":
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _edge(row: Mapping[str, Any], tally: Tally) -> Statement | None:
    usual = statement_of({**row, "evidence": None}, Tally())
    if usual is None:
        return None
    for key, value in row.items():
        if key not in _EDGE_KEYS | set(_EDGE_NAMES) | _SPOKEN and value not in (None, "", [], {}):
            tally.add(wording.VALUES, example=" ".join(text_of(key).split())[:40])
    predicate = name_of(first(row, _EDGE_NAMES), tally)
    return replace(
        usual,
        predicate=predicate,
        strength=number_of(first(row, ("strength", "weight", "value"))),
        evidence=tuple(evidence_of(_unpacked(row.get("evidence")))),
    )


_SPOKEN = frozenset(
    ["strength", "weight", "value", "evidence", "inferred", "method", "via", "source_type", "target_type", "chunk_ids"]
)


def _groups(things: list[Thing]) -> Iterator[Group]:
    """A community for each value of the nodes, in order of size."""
    members: dict[str, list[str]] = {}
    for thing in things:
        if thing.group:
            members.setdefault(thing.group, []).append(thing.name)
    for key in sorted(members, key=lambda key: (-len(members[key]), key)):
        yield Group(key)
