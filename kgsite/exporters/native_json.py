"""The native format: Knwler graph JSON (FORMATS.md section 1), which Knwler 1.x readers read."""

from __future__ import annotations

from kgsite.config.settings import Settings
from kgsite.exporters.table import Table
from kgsite.model import Collection


def write(table: Table, settings: Settings) -> dict[str, bytes]:
    """A document's graph file as it is stored; a collection as one graph without texts."""
    from kgsite.graphfile import dump

    subject = table.subject
    if isinstance(subject, Collection):
        from kgsite.site.graphs import as_graph

        subject = as_graph(subject, table.title, table.description, settings.site.language)
    return {"graph.json": dump(subject)}
