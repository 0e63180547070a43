"""Stored graphs: whole, consistent with themselves, and true to the schema; plain documents by name."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from kgsite.checking.findings import Finding, Level, at_most
from kgsite.config.settings import Settings
from kgsite.errors import KgsiteError
from kgsite.extract.schema_check import check_graph, check_plain
from kgsite.extract.schema_use import schema_in_force
from kgsite.model import DocumentGraph, Entity, Relation
from kgsite.project import Project

_MOST = 50
"""Schema findings that are listed one by one."""
_LARGEST = 64 << 20


def check(project: Project) -> Iterator[Finding]:
    """Every stored graph by itself, then all of them together against the schema."""
    from kgsite.graphfile import load

    graphs: list[DocumentGraph] = []
    for path in project.store.stored_graphs():
        name = path.relative_to(project.root).as_posix()
        try:
            graph = load(path.read_bytes(), name=name)
        except (KgsiteError, OSError) as error:
            message = error.message if isinstance(error, KgsiteError) else str(error.strerror)
            yield Finding("graphs", "error", message, name, "kgsite build makes it anew")
            continue
        yield from _consistent(graph)
        graphs.append(graph)
    entities, relations = (sum(len(getattr(one, part)) for one in graphs) for part in ("entities", "relations"))
    counts = f"{len(graphs):,} stored graphs with {entities:,} entities and {relations:,} relations can be read"
    yield Finding("graphs", "ok", counts)
    yield from _schema(graphs, project.settings)


# ── one graph ─────────────────────────────────────────────────────────────────────────────────────
def _consistent(graph: DocumentGraph) -> Iterator[Finding]:
    where = str(graph.provenance.source)
    names = {entity.name for entity in graph.entities}
    ends = [end for relation in graph.relations for end in (relation.source, relation.target)]
    if missing := sum(end not in names for end in ends):
        yield Finding("graphs", "error", f"{missing:,} relation ends name no entity", where)
    rows: list[Entity | Relation] = [*graph.entities, *graph.relations]
    ids = [row.id for row in rows if row.id]
    if twice := len(ids) - len(set(ids)):
        yield Finding("graphs", "error", f"{twice:,} ids come twice", where)
    chunks = {part.chunk.id for part in graph.chunks}
    if unknown := sum(one not in chunks for row in rows for one in row.chunk_ids):
        yield Finding("graphs", "error", f"{unknown:,} links lead to no chunk", where)
    if failed := sum(part.status == "failed" for part in graph.chunks):
        yield Finding(
            "graphs", "warning", f"{failed:,} of {len(chunks):,} chunks failed", where, "kgsite build tries again"
        )
    quotes = [quote for relation in graph.relations for quote in relation.evidence]
    if wrong := sum(quote.verified and not _stands(graph, quote.start, quote.end) for quote in quotes):
        yield Finding("graphs", "error", f"{wrong:,} verified quotes have no place in the text", where)


def _stands(graph: DocumentGraph, start: int | None, end: int | None) -> bool:
    return start is not None and end is not None and 0 <= start < end <= len(graph.text)


# ── the schema ────────────────────────────────────────────────────────────────────────────────────
def _schema(graphs: Sequence[DocumentGraph], settings: Settings) -> Iterator[Finding]:
    try:
        schema = schema_in_force(settings)
    except KgsiteError:
        return  # told with the settings
    if not schema:
        return
    entities: list[Entity] = [entity for graph in graphs for entity in graph.entities]
    relations: list[Relation] = [relation for graph in graphs for relation in graph.relations]
    level: Level = "error" if settings.schema.strict else "warning"
    lines = check_graph(schema, entities, relations)
    findings = (Finding("schema", level, line) for line in lines)
    yield from at_most(findings, _MOST, "schema", level, "breaches of the schema")
    if not lines:
        yield Finding("schema", "ok", f"the graph follows the schema ({schema.at})")


def check_files(files: Sequence[Path], settings: Settings) -> Iterator[Finding]:
    """Plain documents against the schema in force."""
    schema = schema_in_force(settings)
    if not schema:
        yield Finding("schema", "error", "there is no schema to check against", hint="declare one in [schema]")
        return
    for file in files:
        try:
            if file.stat().st_size > _LARGEST:
                yield Finding("schema", "error", "the file is larger than 64 MB", file.name)
                continue
            document = json.loads(file.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            yield Finding("schema", "error", f"this is no JSON: {type(error).__name__}", file.name)
            continue
        lines = check_plain(document, schema)
        yield from (Finding("schema", "error", line, file.name) for line in lines)
        if not lines:
            yield Finding("schema", "ok", "the document follows the schema", file.name)
