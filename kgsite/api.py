"""kgsite from Python: what the commands do, they do through these functions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from kgsite.config import load
from kgsite.errors import ImportGraphError, KgsiteError, Place, ReadError
from kgsite.extract.extractor import Extractor
from kgsite.extraction import make_job, read_document
from kgsite.model import Document, DocumentGraph, Provenance, Source, SourcePath
from kgsite.project import Project, World
from kgsite.report import Report
from kgsite.store import Store

Warn = Callable[[str], None]


def extract_file(
    path: Path | str, *, root: Path | str = ".", env: str = "", warn: Warn | None = None, world: World | None = None
) -> DocumentGraph:
    """The graph of one document, with the settings of the project at `root` (or the defaults).

    A ready-made graph is imported. Raises ReadError, ImportGraphError or ExtractError; nothing is written but the
    reply store of a project that uses a model.
    """
    path, root, world = Path(path), Path(root).resolve(), world or World(environ=dict(os.environ))
    project = Project(root, load(root, env=env, environ=world.environ), Store(root), world)
    report = Report()
    source = _source(path, project.settings.encodings)
    extractor = world.extractor(project.settings, project.store, report, world.environ, use_replies=True)
    provenance = Provenance(source.path, source.sha256, extractor=extractor.name, model=extractor.model)
    if source.kind == "graph":
        from kgsite.importers import import_graph

        return import_graph(source, provenance=provenance, settings=project.settings)
    fetcher = world.fetcher() if source.kind == "web" else None
    document = read_document(project, source, fetcher, report)
    graph = _extract(project, document, extractor, provenance)
    for notice in report.notices:
        (warn or (lambda _line: None))(f"warning: {notice.line()}")
    return graph


def _source(path: Path, encodings: Mapping[str, str]) -> Source:
    from kgsite.discover import discover_file

    found = discover_file(path, encodings=encodings)
    if found.sources:
        return found.sources[0]
    skipped = found.skipped[0] if found.skipped else None
    reason = skipped.reason if skipped else "there is nothing to read in it"
    raise (ImportGraphError if skipped and skipped.code == "import" else ReadError)(reason, at=Place(path.name))


def _extract(project: Project, document: Document, extractor: Extractor, provenance: Provenance) -> DocumentGraph:
    from kgsite.extract.assemble import assemble

    job = make_job(project, document)
    for done, outcome in extractor.extract([job]):
        if isinstance(outcome, KgsiteError):
            raise outcome
        graph = assemble(done, outcome, settings=project.settings, provenance=provenance)
        return extractor.enrich(done, graph)
    message = "the extractor gave no answer"
    raise ReadError(message)


def load_graph(path: Path | str) -> DocumentGraph:
    """Read a graph file or folder: kgsite's own, or any format that `content/` may hold. Raises ImportGraphError."""
    from kgsite.config import Settings
    from kgsite.importers import import_graph
    from kgsite.importers.importing import load_native

    path = Path(path)
    if path.is_dir():
        source = Source(SourcePath(path.resolve().name), "graph", path)
    else:
        native = load_native(path)
        if native is not None:
            return native
        source = _source(path, {})
        if source.kind != "graph":
            raise ImportGraphError("this is no graph file", at=Place(path.name), hint="use extract_file for documents")
    return import_graph(source, provenance=Provenance(source.path, source.sha256), settings=Settings(root=path.parent))
