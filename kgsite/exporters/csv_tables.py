"""CSV: nodes.csv and edges.csv with the headers of neo4j-admin, and flat triples.csv.

UTF-8 with a byte order mark (without it Excel reads another encoding), every cell quoted (so that no other separator
splits one), one line a row. A cell that a spreadsheet would take for a formula begins with an apostrophe.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from kgsite.config.settings import Settings
from kgsite.exporters.columns import SEPARATOR
from kgsite.exporters.table import Edge, Node, Table

_FORMULA = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""What begins a formula (OWASP, CSV injection), the full-width forms included."""
_BREAKS = re.compile("[\\r\\n\\t\\x0b\\x0c\\x85\u2028\u2029]+")

_NODES = ("id:ID", "name", ":LABEL", "description", "community:int", "community_name", "degree:int", "aliases")
_NODES_MORE = ("documents", "page")
_EDGES = (":START_ID", ":END_ID", ":TYPE", "description", "strength:float", "inferred:boolean", "method", "via")
_EDGES_MORE = ("evidence", "documents", "source_name", "target_name")
_TRIPLES = (
    "subject",
    "predicate",
    "object",
    "subject_type",
    "object_type",
    "inferred",
    "method",
    "via",
    "chunk",
    "document",
    "source",
)


def write(table: Table, settings: Settings) -> dict[str, bytes]:  # noqa: ARG001
    """The three tables."""
    nodes = {node.id: node for node in table.nodes}
    return {
        "nodes.csv": _csv((*_NODES, *_NODES_MORE), map(_node, table.nodes)),
        "edges.csv": _csv((*_EDGES, *_EDGES_MORE), (_edge(edge, nodes) for edge in table.edges)),
        "triples.csv": _csv(_TRIPLES, _triples(table, nodes)),
    }


def safe_cell(value: object) -> str:
    """A cell: on one line, and never a formula."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    text = _BREAKS.sub(" ", str(value))
    return f"'{text}" if _FORMULA.match(text.lstrip()) else text


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([safe_cell(value) for value in row] for row in rows)
    return out.getvalue().encode("utf-8-sig")


def _list(values: Iterable[str]) -> str:
    return SEPARATOR.join(values)


def _node(node: Node) -> tuple[object, ...]:
    return (
        node.id,
        node.name,
        node.type,
        node.description,
        node.community,
        node.community_name,
        node.degree,
        _list(node.aliases),
        _list(node.documents),
        node.path,
    )


def _edge(edge: Edge, nodes: dict[str, Node]) -> tuple[object, ...]:
    return (
        edge.source,
        edge.target,
        edge.predicate,
        edge.description,
        edge.strength,
        edge.inferred,
        edge.method,
        edge.via,
        _list(quote.text for quote in edge.quotes),
        _list(edge.documents),
        nodes[edge.source].name,
        nodes[edge.target].name,
    )


def _triples(table: Table, nodes: dict[str, Node]) -> Iterable[tuple[object, ...]]:
    """One row for each fact; chunk numbers count from 1, `source` is the content path."""
    numbers = {part.chunk.id: part.chunk.chunk_idx + 1 for text in table.texts for part in text.graph.chunks}
    sources = {text.id: str(text.graph.provenance.source) for text in table.texts}
    for edge in table.edges:
        subject, target = nodes[edge.source], nodes[edge.target]
        chunk = next((numbers[one] for one in edge.chunks if one in numbers), None)
        yield (
            subject.name,
            edge.predicate,
            target.name,
            subject.type,
            target.type,
            edge.inferred,
            edge.method,
            edge.via,
            chunk,
            edge.documents[0] if edge.documents else "",
            sources.get(edge.document_ids[0], "") if edge.document_ids else "",
        )
