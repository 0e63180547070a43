"""content/: what discovery leaves out, and which documents have no graph or an old one."""

from __future__ import annotations

from collections.abc import Iterator

from kgsite.checking.findings import Finding
from kgsite.errors import KgsiteError
from kgsite.model import SourcePath
from kgsite.project import Project


def check(project: Project) -> Iterator[Finding]:
    """Skipped files, doubts about front matter, missing and outdated graphs. Opens files only to hash them."""
    from kgsite.discover import discover

    settings = project.settings
    try:
        found = discover(project.content, drafts=settings.build.drafts, encodings=settings.encodings)
    except KgsiteError as error:
        yield Finding("content", "error", error.message, str(error.at or ""), error.hint)
        return
    for skipped in found.skipped:
        yield Finding("content", "warning", f"left out: {skipped.reason}", str(skipped.path))
    if not found.sources:
        yield Finding("content", "warning", "there are no documents", settings.build.content)
    fresh = 0
    for source in found.sources:
        for warning in source.warnings:
            yield Finding("content", "warning", warning, source.path)
        made_from = _source_hash(project, source.path)
        if made_from is None:
            hint = "kgsite build extracts it"
            yield Finding("content", "warning", "it has no stored graph", source.path, hint)
        elif made_from != source.sha256:
            hint = "kgsite build brings its graph up to date"
            yield Finding("content", "warning", "it changed after its graph was made", source.path, hint)
        else:
            fresh += 1
    yield Finding("content", "ok", f"{fresh:,} of {len(found.sources):,} documents have an up-to-date graph")


def _source_hash(project: Project, path: SourcePath) -> str | None:
    """Hash of the source that a stored graph was made from; None without a graph that can be read."""
    from kgsite.graphfile import load

    data = project.store.graph_bytes(path)
    if data is None:
        return None
    try:
        return load(data).provenance.source_hash
    except KgsiteError:
        return None  # told with the graphs
