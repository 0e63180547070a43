"""GraphRAG tables that kgsite itself wrote from one document graph → that document graph, nothing lost.

The further columns of `kgsite.exporters.parquet` hold what GraphRAG has no place for. The rows are put together to the
tree of the native file and read by its reader. Tables that somebody changed so that they no longer fit together are
left to the reader of all GraphRAG tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kgsite.errors import ImportGraphError
from kgsite.graphfile import from_tree
from kgsite.importers.graphrag import table_rows, unpacked
from kgsite.importers.values import whole_of
from kgsite.model import DocumentGraph

_CANDIDATE = dict.fromkeys(("name", "type", "description"), "")
_STATEMENT = dict.fromkeys(("source", "source_type", "target", "target_type", "type", "description"), "")
_SAME_ENTITY = ("id", "name", "type", "description", "aliases")
_SAME_RELATION = ("id", "type", "description", "source_type", "target_type", "inferred", "method", "via")


def read_own(folder: Path, name: str) -> DocumentGraph | None:
    """The document graph that the tables of `folder` were written from; None when they were not, or were changed.

    Raises ImportGraphError when pyarrow is not installed or a table is damaged.
    """
    documents = table_rows(folder, "documents", name)
    own = unpacked(documents[0].get("kgsite")) if len(documents) == 1 else None
    if not isinstance(own, dict):
        return None
    about = unpacked(documents[0].get("raw_data"))
    head = about if isinstance(about, dict) else {}
    tree = {
        "id": documents[0].get("id"),
        **{key: head.get(key) for key in ("title", "summary", "language", "url", "schema")},
        "graph": {
            "entities": [_entity(row) for row in table_rows(folder, "entities", name)],
            "relations": [_relation(row) for row in table_rows(folder, "relationships", name)],
            "communities": [_community(row) for row in table_rows(folder, "communities", name)],
        },
        "chunks": [_chunk(row) for row in table_rows(folder, "text_units", name)],
        "kgsite": own | {"text": documents[0].get("text")},
    }
    try:
        graph = from_tree(tree, name=name)
    except ImportGraphError:
        return None
    return graph if _fits(graph) else None


def _entity(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **{key: row.get(key) for key in _SAME_ENTITY},
        "chunk_ids": row.get("text_unit_ids"),
        "community_id": whole_of(row.get("community_id")),
        "attributes": unpacked(row.get("attributes")),
    }


def _relation(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **{key: row.get(key) for key in _SAME_RELATION},
        "source": row.get("source_name"),
        "target": row.get("target_name"),
        "strength": row.get("weight"),
        "chunk_ids": row.get("text_unit_ids"),
        "evidence": unpacked(row.get("evidence")),
    }


def _community(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": whole_of(row.get("community")), **{key: row.get(key) for key in ("topics", "description", "members")}}


def _chunk(row: Mapping[str, Any]) -> dict[str, Any]:
    about = unpacked(row.get("attributes"))
    about = about if isinstance(about, dict) else {}
    return {
        **about,
        "id": row.get("id"),
        "text": row.get("text"),
        "n_tokens": whole_of(row.get("n_tokens")),
        "entities": _filled(about.get("entities"), _CANDIDATE),
        "relations": _filled(about.get("relations"), _STATEMENT),
    }


def _filled(rows: Any, empty: Mapping[str, str]) -> Any:
    """Rows with the fields that were left out because they are empty."""
    return [{**empty, **row} if isinstance(row, dict) else row for row in rows] if isinstance(rows, list) else rows


def _fits(graph: DocumentGraph) -> bool:
    """Whether ends are entities, references are chunks, and chunks and quotes are places in the text."""
    known = {(entity.name, entity.type) for entity in graph.entities}
    chunks = {part.chunk.id for part in graph.chunks}
    ends = {(r.source, r.source_type) for r in graph.relations} | {(r.target, r.target_type) for r in graph.relations}
    named = {one for entity in graph.entities for one in entity.chunk_ids}
    named |= {one for relation in graph.relations for one in relation.chunk_ids}
    quotes = (quote for relation in graph.relations for quote in relation.evidence)
    return (
        ends <= known
        and named <= chunks
        and all(graph.text[part.chunk.start : part.chunk.end] == part.chunk.text for part in graph.chunks)
        and all(0 <= (quote.start or 0) <= (quote.end or 0) <= len(graph.text) for quote in quotes)
    )
