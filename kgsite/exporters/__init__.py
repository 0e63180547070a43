"""Collection or document graph → files for other programs (FORMATS.md section 7).

Light at import: each format is a module that is loaded when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from kgsite.errors import UsageError

if TYPE_CHECKING:
    from kgsite.config.settings import Settings
    from kgsite.exporters.table import Directory
    from kgsite.model import Collection, DocumentGraph

__all__ = ["FORMATS", "Format", "export", "extracted_only"]


@dataclass(frozen=True, slots=True)
class Format:
    """One export format."""

    name: str
    module: str  # below kgsite.exporters; has `write(table, settings) -> {file: bytes}`
    files: tuple[str, ...]  # one name: a single file; several: a folder
    words: str  # what it is, for lists of downloads

    @property
    def single(self) -> bool:
        return len(self.files) == 1


FORMATS: Mapping[str, Format] = {
    one.name: one
    for one in (
        Format("json", "native_json", ("graph.json",), "JSON"),
        Format("graphml", "graphml", ("graph.graphml",), "GraphML"),
        Format("gexf", "gexf", ("graph.gexf",), "GEXF"),
        Format("gml", "gml", ("graph.gml",), "GML"),
        Format("csv", "csv_tables", ("nodes.csv", "edges.csv", "triples.csv"), "CSV"),
        Format("cypher", "cypher", ("graph.cypher",), "Cypher"),
        Format("jsonld", "jsonld", ("graph.jsonld",), "JSON-LD"),
        Format(
            "parquet",
            "parquet",
            (
                "entities.parquet",
                "relationships.parquet",
                "communities.parquet",
                "community_reports.parquet",
                "text_units.parquet",
                "documents.parquet",
                "covariates.parquet",
            ),
            "GraphRAG",
        ),
        Format("html", "html", ("graph.html",), "HTML"),
    )
}


def export(
    subject: Collection | DocumentGraph,
    format: str,  # noqa: A002 - the name that the command and the settings use
    *,
    settings: Settings | None = None,
    directory: Directory | None = None,
) -> dict[str, bytes]:
    """`subject` in one of FORMATS, as file name → bytes; equal input gives equal bytes.

    `settings` gives the site's title, language and address. With `directory` (`table.Directory(collection)`), a
    document's entities have the addresses and places that the site gives them. Raises UsageError for an unknown format, ExportError when the
    graph can't be written in it (also when an extra is not installed).
    """
    from kgsite.config.settings import Settings as Defaults
    from kgsite.exporters.table import table_of

    if format not in FORMATS:
        raise UsageError(f"there is no export format {format!r}", hint="formats: " + ", ".join(FORMATS))
    if settings is None:
        from pathlib import Path

        settings = Defaults(root=Path())
    table = table_of(subject, settings, directory)
    files: dict[str, bytes] = import_module(f"kgsite.exporters.{FORMATS[format].module}").write(table, settings)
    return files


def extracted_only(subject: Collection | DocumentGraph) -> Collection | DocumentGraph:
    """Without inferred relations; entities and communities stay."""
    from dataclasses import replace

    from kgsite.model import Collection as Merged

    if isinstance(subject, Merged):
        documents = tuple(_without_inferred(document) for document in subject.documents)
        facts = tuple(fact for fact in subject.facts if not fact.inferred)
        return replace(subject, documents=documents, facts=facts)
    return _without_inferred(subject)


def _without_inferred(graph: DocumentGraph) -> DocumentGraph:
    from dataclasses import replace

    chunks = tuple(
        replace(part, relations=tuple(relation for relation in part.relations if not relation.inferred))
        for part in graph.chunks
    )
    return replace(graph, relations=tuple(r for r in graph.relations if not r.inferred), chunks=chunks)
