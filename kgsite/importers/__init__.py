"""Ready-made graphs: which files and folders are one, and the document graph that each becomes.

Light at import: discovery asks `recognise` about every data file; what reads a format is imported when it is needed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kgsite.config.settings import Settings
    from kgsite.model import DocumentGraph, Provenance, Source

__all__ = ["IMPORTER_VERSION", "import_graph", "recognise"]

IMPORTER_VERSION = 1
"""To be raised when the same file gives another graph."""


def recognise(path: Path) -> str | None:
    """The graph format of a file or folder by its content ("triples", "knwler-1.1", "graphrag", …).

    None for sidecars of triples (`*.meta.json`, `*.workspace.json`) and for folders without GraphRAG tables. Raises
    ImportGraphError for data that can't be read or is no graph: it names the keys found and the formats known.
    """
    from kgsite.importers.recognition import format_of_path

    return format_of_path(path)


def import_graph(source: Source, *, provenance: Provenance, settings: Settings) -> DocumentGraph:
    """The document graph of a ready-made graph: `source.file` is the file, or the folder of GraphRAG tables.

    What the file says is kept; what had to be repaired or left out is counted in `dropped` and told in `notes`.
    Raises ImportGraphError with the content path and a reason.
    """
    from kgsite.importers.importing import import_source

    return import_source(source, provenance=provenance, settings=settings)
