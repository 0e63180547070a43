"""Cypher for Neo4j: run it twice and nothing is there twice.

Every node is an `:Entity` with the label of its type, every relation has its predicate as type. Names of labels and
types stand in backticks with backticks doubled, values in double quotes with the escapes of openCypher 9.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from kgsite.config.settings import Settings
from kgsite.exporters.table import Edge, Node, Table

BATCH = 200
"""Rows in one statement."""
CONSTRAINT = "CREATE CONSTRAINT kgsite_entity IF NOT EXISTS FOR (n:Entity) REQUIRE n.id IS UNIQUE"
"""The index without which MERGE is slow; Neo4j 4.4 and later."""
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SPECIAL = re.compile('["\\\\\\x00-\\x1f\\x7f\\x85\u2028\u2029]')
_NAME_BREAKS = re.compile(r"[\s\x00-\x1f\x7f]+")


def write(table: Table, settings: Settings) -> dict[str, bytes]:  # noqa: ARG001
    """One statement a line, each with its semicolon."""
    lines = [CONSTRAINT, *_nodes(table.nodes), *_edges(table.edges)]
    return {"graph.cypher": "".join(f"{line};\n" for line in lines).encode("utf-8")}


def literal(value: object) -> str:
    """A Cypher literal."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {literal(item)}" for key, item in value.items() if item is not None) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(literal(item) for item in value) + "]"
    return '"' + _SPECIAL.sub(lambda found: _ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04x}", str(value)) + '"'


def name(text: str, otherwise: str) -> str:
    """A label or relation type, quoted; `otherwise` for one that is empty.

    A backslash becomes a slash: Neo4j reads `\\u0060` inside backticks as a backtick.
    """
    plain = _NAME_BREAKS.sub(" ", text).strip().replace("\\", "/") or otherwise
    return "`" + plain.replace("`", "``") + "`"


def _batches(rows: Sequence[Mapping[str, object]]) -> Iterator[Sequence[Mapping[str, object]]]:
    for start in range(0, len(rows), BATCH):
        yield rows[start : start + BATCH]


def _nodes(nodes: Sequence[Node]) -> Iterator[str]:
    by_label: dict[str, list[Mapping[str, object]]] = {}
    for node in nodes:
        label = name(node.type, "unknown")
        by_label.setdefault(label, []).append({"id": node.id, "properties": _node_properties(node)})
    for label in sorted(by_label):
        for rows in _batches(by_label[label]):
            merge = f"MERGE (n:Entity {{id: row.id}}) SET n += row.properties SET n:{label}"
            yield f"UNWIND {literal(rows)} AS row {merge}"


def _node_properties(node: Node) -> dict[str, object]:
    return {
        "name": node.name,
        "type": node.type,
        "description": node.description or None,
        "community": node.community,
        "community_name": node.community_name or None,
        "degree": node.degree,
        "aliases": list(node.aliases) or None,
        "documents": list(node.documents) or None,
        "page": node.path or None,
    }


def _edges(edges: Sequence[Edge]) -> Iterator[str]:
    by_type: dict[str, list[Mapping[str, object]]] = {}
    for edge in edges:
        row = {"source": edge.source, "target": edge.target, "id": edge.id, "properties": _edge_properties(edge)}
        by_type.setdefault(name(edge.predicate, "RELATED_TO"), []).append(row)
    for kind in sorted(by_type):
        for rows in _batches(by_type[kind]):
            match = "MATCH (a:Entity {id: row.source}) MATCH (b:Entity {id: row.target})"
            merge = f"MERGE (a)-[r:{kind} {{id: row.id}}]->(b) SET r += row.properties"
            yield f"UNWIND {literal(rows)} AS row {match} {merge}"


def _edge_properties(edge: Edge) -> dict[str, object]:
    return {
        "predicate": edge.predicate,
        "description": edge.description or None,
        "strength": float(edge.strength),
        "inferred": edge.inferred,
        "method": edge.method or None,
        "via": edge.via or None,
        "evidence": [quote.text for quote in edge.quotes] or None,
        "documents": list(edge.documents) or None,
    }
