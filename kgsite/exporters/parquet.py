"""GraphRAG tables (FORMATS.md section 4): columns and types of GraphRAG 2.x and 3.x, which its loaders read.

GraphRAG knows less than a document graph: names only in capitals, no types of relations, no quotes. What it lacks
stands in further columns, which its loaders pass over and kgsite's importer reads:

- entities: `name`, `community_id`, `aliases`, `attributes` (JSON)
- relationships: `type`, `source_name`, `source_type`, `target_name`, `target_type`, `inferred`, `method`, `via`,
  `evidence` (JSON); the strength is `weight`
- text_units: `attributes` (JSON: place in the text, page, section, status, rephrase, entities, relations)
- communities: `topics`, `description`, `members`
- documents: `raw_data` and `metadata` (both the same JSON: title, language, url, summary, schema, …), and `kgsite` (JSON:
  the `kgsite` object of the native file) when the tables hold one document graph, which the importer then gives back whole
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from kgsite.config.settings import Settings
from kgsite.errors import ExportError
from kgsite.exporters.parquet_columns import TABLES
from kgsite.exporters.table import Edge, Group, Node, Quote, Table, clean
from kgsite.model import Collection, Entity, GraphChunk, Relation

if TYPE_CHECKING:
    import pyarrow as pa

LEVEL = 0
ROOT = -1


def write(table: Table, settings: Settings) -> dict[str, bytes]:  # noqa: ARG001
    """The seven tables. Raises ExportError when pyarrow is not installed."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        message = "GraphRAG tables need pyarrow"
        raise ExportError(message, hint='install it with: pip install "kgsite[graphrag]"') from error
    rows = _Rows(table)
    made: dict[str, bytes] = {}
    for name, columns in TABLES.items():
        out = io.BytesIO()
        schema = pa.schema([pa.field(column, _type(pa, kind)) for column, kind in columns.items()])
        pq.write_table(pa.Table.from_pylist(getattr(rows, name)(), schema=schema), out, compression="snappy")
        made[f"{name}.parquet"] = out.getvalue()
    return made


def _type(pa: Any, kind: str) -> pa.DataType:
    if kind.startswith("list "):
        return pa.list_(_type(pa, kind.removeprefix("list ")))
    if kind == "finding":
        return pa.struct([("explanation", pa.string()), ("summary", pa.string())])
    return {"text": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}[kind]


def _json(value: object) -> str:
    from kgsite.site.escape import to_json

    return to_json(value).decode()


class _Rows:
    """The links between the tables, worked out once."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.merged = isinstance(table.subject, Collection)
        self.title = _titles(table.nodes)
        self.node = {node.id: node for node in table.nodes}
        self.group_names = {group.id: group.name for group in table.groups}
        self.chunks = [(text, part) for text in table.texts for part in text.graph.chunks]
        known = {part.chunk.id for _, part in self.chunks}
        self.units_of_edge = {edge.id: [one for one in edge.chunks if one in known] for edge in table.edges}
        self.units_of_node = self._of_nodes(known)
        self.nodes_of_unit = _turned(self.units_of_node)
        self.edges_of_unit = _turned(self.units_of_edge)
        self.period = max((text.graph.provenance.changed for text in table.texts), default="")

    def _of_nodes(self, known: set[str]) -> dict[str, list[str]]:
        """Node → chunks: those of its entities; of a thing that only facts name, those of the facts."""
        found: dict[str, dict[str, None]] = {node.id: {} for node in self.table.nodes}
        for number, chunk_ids in self._mentions():
            if number in found:
                found[number].update(dict.fromkeys(chunk_ids))
        return {number: [one for one in chunk_ids if one in known] for number, chunk_ids in found.items()}

    def _mentions(self) -> list[tuple[str, Sequence[str]]]:
        subject = self.table.subject
        if not isinstance(subject, Collection):
            return [
                (node.id, entity.chunk_ids) for node, entity in zip(self.table.nodes, subject.entities, strict=True)
            ]
        slugs = {entity.key: str(entity.slug) for entity in subject.entities}
        return [
            (slugs.get(subject.entity_of.get(entity.id, ""), ""), entity.chunk_ids)
            for document in subject.documents
            for entity in document.entities
        ]

    # ── tables ────────────────────────────────────────────────────────────────────────────────
    def entities(self) -> list[dict[str, Any]]:
        return [self._entity(number, node) for number, node in enumerate(self.table.nodes)]

    def _entity(self, number: int, node: Node) -> dict[str, Any]:
        units = self.units_of_node[node.id]
        return {
            "id": node.id,
            "human_readable_id": number,
            "title": self.title[node.id],
            "type": node.type,
            "description": node.description,
            "text_unit_ids": units,
            "frequency": len(units),
            "degree": node.degree,
            "name": node.name,
            "community_id": node.community,
            "aliases": list(node.aliases),
            "attributes": _json(dict(node.attributes)),
        }

    def relationships(self) -> list[dict[str, Any]]:
        return [self._relationship(number, edge) for number, edge in enumerate(self.table.edges)]

    def _relationship(self, number: int, edge: Edge) -> dict[str, Any]:
        source, target = self.node[edge.source], self.node[edge.target]
        return {
            "id": edge.id,
            "human_readable_id": number,
            "source": self.title[source.id],
            "target": self.title[target.id],
            "description": edge.description,
            "weight": float(edge.strength),
            "combined_degree": source.degree + target.degree,
            "text_unit_ids": self.units_of_edge[edge.id],
            "type": edge.predicate,
            "source_name": source.name,
            "source_type": source.type,
            "target_name": target.name,
            "target_type": target.type,
            "inferred": edge.inferred,
            "method": edge.method,
            "via": edge.via,
            "evidence": _json([_quote(quote) for quote in edge.quotes]),
        }

    def communities(self) -> list[dict[str, Any]]:
        return [self._community(number, group) for number, group in enumerate(self.table.groups)]

    def _community(self, number: int, group: Group) -> dict[str, Any]:
        members = set(group.members)
        edges = [edge for edge in self.table.edges if edge.source in members and edge.target in members]
        units = {one: None for member in group.members for one in self.units_of_node.get(member, ())}
        return {
            **_place(number, group),
            "title": group.name,
            "entity_ids": list(group.members),
            "relationship_ids": [edge.id for edge in edges],
            "text_unit_ids": list(units),
            "period": self.period,
            "size": len(group.members),
            "topics": list(group.topics),
            "description": group.description,
            "members": [f"{self.node[one].name}::{self.node[one].type}" for one in group.members],
        }

    def community_reports(self) -> list[dict[str, Any]]:
        """The rank is the share of all entities, 0 to 10."""
        everything = max(1, len(self.table.nodes))
        rows = []
        for number, group in enumerate(self.table.groups):
            content = f"# {group.name}\n\n{group.description}".rstrip()
            rows.append(
                {
                    **_place(number, group),
                    "title": group.name,
                    "summary": group.description,
                    "full_content": content,
                    "rank": round(10 * len(group.members) / everything, 2),
                    "rating_explanation": "Share of all entities, on a scale from 0 to 10.",
                    "findings": [],
                    "full_content_json": _json({"title": group.name, "summary": group.description, "findings": []}),
                    "period": self.period,
                    "size": len(group.members),
                }
            )
        return rows

    def text_units(self) -> list[dict[str, Any]]:
        return [
            {
                "id": part.chunk.id,
                "human_readable_id": number,
                "text": clean(part.chunk.text),
                "n_tokens": part.chunk.n_tokens,
                "document_id": text.id,
                "entity_ids": self.nodes_of_unit.get(part.chunk.id, []),
                "relationship_ids": self.edges_of_unit.get(part.chunk.id, []),
                "covariate_ids": [],
                "attributes": _json(_chunk(part)),
            }
            for number, (text, part) in enumerate(self.chunks)
        ]

    def documents(self) -> list[dict[str, Any]]:
        from kgsite.graphfile import own_part

        rows = []
        for number, text in enumerate(self.table.texts):
            graph = text.graph
            about = _json(
                {
                    "title": clean(graph.title),
                    "language": graph.language,
                    "url": graph.url,
                    "license": graph.meta.license,
                    "summary": graph.summary,
                    "schema": asdict(graph.schema),
                    "source": graph.provenance.source,
                    "extractor": graph.provenance.extractor,
                    "model": graph.provenance.model,
                }
            )
            rows.append(
                {
                    "id": text.id,
                    "human_readable_id": number,
                    "title": text.title,
                    "text": clean(graph.text),
                    "text_unit_ids": [part.chunk.id for part in graph.chunks],
                    "creation_date": graph.provenance.added,
                    "raw_data": about,
                    "metadata": about,
                    "kgsite": None if self.merged else _json(own_part(graph)),
                }
            )
        return rows

    def covariates(self) -> list[dict[str, Any]]:
        """None: kgsite extracts no claims."""
        return []


def _titles(nodes: Sequence[Node]) -> dict[str, str]:
    """Names in capitals, each once: GraphRAG's relationships name their ends by title."""
    often = Counter(node.name.upper() for node in nodes)
    made: dict[str, str] = {}
    taken: set[str] = set()
    for node in nodes:
        title = node.name.upper() if often[node.name.upper()] == 1 else f"{node.name} ({node.type})".upper()
        if title in taken:
            title = f"{title} [{node.id}]"
        taken.add(title)
        made[node.id] = title
    return made


def _turned(links: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    turned: dict[str, list[str]] = {}
    for one, others in links.items():
        for other in others:
            turned.setdefault(other, []).append(one)
    return turned


def _place(number: int, group: Group) -> dict[str, Any]:
    return {
        "id": f"community-{group.id}",
        "human_readable_id": number,
        "community": group.id,
        "level": LEVEL,
        "parent": ROOT,
        "children": [],
    }


def _quote(quote: Quote) -> dict[str, Any]:
    return {
        "text": quote.text,
        "chunk_id": quote.chunk,
        "start": quote.start,
        "end": quote.end,
        "verified": quote.verified,
        "page": quote.page,
        "document": quote.document,
    }


def _chunk(part: GraphChunk) -> dict[str, Any]:
    chunk = part.chunk
    return {
        "chunk_id": chunk.id,
        "chunk_idx": chunk.chunk_idx,
        "start": chunk.start,
        "end": chunk.end,
        "own_start": chunk.own_start,
        "page_number": chunk.page_number,
        "section": clean(chunk.section),
        "status": part.status,
        "rephrase": clean(part.rephrase),
        "entities": [_found(entity) for entity in part.entities],
        "relations": [_found(relation) for relation in part.relations],
    }


def _found(row: Entity | Relation) -> dict[str, Any]:
    """A candidate without its empty fields."""
    return {name: value for name, value in asdict(row).items() if value not in ("", (), None, {})}
