"""kgsite from Python: what the commands do, they do through these functions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from kgsite.config import load
from kgsite.errors import ImportGraphError, KgsiteError, Place, ReadError, UsageError
from kgsite.extract.extractor import Extractor
from kgsite.extract.schema import Schema, load_schema, to_json_schema
from kgsite.extraction import make_job, read_document
from kgsite.model import Document, DocumentGraph, Provenance, Source, SourcePath
from kgsite.project import Project, World, wants_model
from kgsite.report import Report
from kgsite.store import Store
from kgsite.textunits import TextUnit

if TYPE_CHECKING:
    from kgsite.build import BuildOptions, BuildResult
    from kgsite.config.settings import Settings
    from kgsite.model import Collection

__all__ = [
    "TextUnit",
    "build",
    "discover_schema",
    "export_site",
    "extract_file",
    "load_collection",
    "load_graph",
    "load_schema",
    "site_schema",
    "to_json_schema",
]

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
    native = load_native(path)
    if native is not None:
        return native
    if path.is_dir():
        source = Source(SourcePath(path.resolve().name), "graph", path)
    else:
        source = _source(path, {})
        if source.kind != "graph":
            raise ImportGraphError("this is no graph file", at=Place(path.name), hint="use extract_file for documents")
    return import_graph(source, provenance=Provenance(source.path, source.sha256), settings=Settings(root=path.parent))


# ── a whole project ───────────────────────────────────────────────────────────────────────────────
def build(site: Path | str = ".", *, options: BuildOptions | None = None, env: str = "") -> BuildResult:
    """Build the site of the project at `site`, quietly; `exit_code` of the result is 0 whole, 1 failed, 3 partial.

    Raises KgsiteError when nothing can be published.
    """
    from kgsite.build import BuildOptions as Options
    from kgsite.build import build as run

    return run(_project(site, env), options or Options(), Report())


def load_collection(site: Path | str = ".", *, env: str = "") -> Collection:
    """The stored graphs of a project, merged and laid out, as its last build left them. Raises UsageError for none."""
    return _collection(_project(site, env))


def export_site(
    site: Path | str,
    format: str,  # noqa: A002 - the name that the command and the settings use
    *,
    document: str | None = None,
    extracted_only: bool = False,
    env: str = "",
) -> dict[str, bytes]:
    """The collection of a project, or one document (content path or slug), as file name → bytes of a format.

    The collection's names are those that its pages show and its downloads hold; a document's are its source's.
    Raises UsageError for an unknown format or document, ExportError when the format can't be written.
    """
    from kgsite.exporters import export
    from kgsite.exporters import extracted_only as without_inferred
    from kgsite.exporters.table import Directory

    project = _project(site, env)
    collection = _shown(_collection(project), project.settings)
    subject = collection if document is None else _document(collection, document, project)
    if extracted_only:
        subject = without_inferred(subject)
    directory = Directory(collection) if document is not None else None
    return export(subject, format, settings=project.settings, directory=directory)


def site_schema(site: Path | str = ".", *, in_use: bool = False, env: str = "") -> Schema:
    """The schema in force in a project; where there is none (or with `in_use`) the types that its graphs use."""
    from kgsite.extract.schema_use import published_schema, schema_in_use

    project = _project(site, env)
    graphs = _graphs(project)
    if in_use:
        return schema_in_use(graphs, name=project.settings.site.title)
    return published_schema(graphs, project.settings)


def discover_schema(site: Path | str = ".", *, env: str = "", warn: Warn | None = None) -> Schema:
    """A proposal: the model's for samples of the documents; without a model, the types that the stored graphs use."""
    from kgsite.extract.schema_use import schema_in_use

    project = _project(site, env)
    if not wants_model(project.settings):
        (warn or (lambda _line: None))("no model is chosen ([llm] model): these are the types that the graphs use")
        return schema_in_use(_graphs(project), name=project.settings.site.title)
    from kgsite.extract.llm.propose import propose_schema
    from kgsite.replystore import ReplyStore

    documents = _first_documents(project, 3)
    return propose_schema(
        project.settings, documents, store=ReplyStore(project.store.replies), environ=project.world.environ
    )


def _project(site: Path | str, env: str) -> Project:
    from kgsite.project import open_project

    return open_project(Path(site), env=env)


def _graphs(project: Project) -> list[DocumentGraph]:
    from kgsite.graphfile import load as load_native

    name = project.store.root
    return [
        load_native(path.read_bytes(), name=path.relative_to(name).as_posix()) for path in project.store.stored_graphs()
    ]


def _collection(project: Project) -> Collection:
    from kgsite.build import load_collection as merged

    paths = sorted(graph.provenance.source for graph in _graphs(project))
    if not paths:
        message = "there are no stored graphs"
        raise UsageError(message, hint="kgsite build makes them")
    return merged(project, paths, Report())[0]


def _shown(collection: Collection, settings: Settings) -> Collection:
    from kgsite.site.naming import shown
    from kgsite.site.theme import load_theme

    return shown(collection, settings.visualization, load_theme(settings).words)


def _document(collection: Collection, wanted: str, project: Project) -> DocumentGraph:
    plain = wanted.removeprefix("./").removeprefix(f"{project.settings.build.content.rstrip('/')}/")
    for document in collection.documents:
        if plain in (document.provenance.source, collection.document_slugs.get(document.id), document.id):
            return document
    from kgsite.config.check import did_you_mean

    known = [str(document.provenance.source) for document in collection.documents]
    raise UsageError(f"there is no document {wanted!r}", hint=did_you_mean(plain, known))


def _first_documents(project: Project, most: int) -> list[Document]:
    from kgsite.discover import discover

    found = discover(project.content, drafts=project.settings.build.drafts, encodings=project.settings.encodings)
    documents: list[Document] = []
    for source in found.sources:
        if len(documents) < most and source.kind not in ("graph", "web"):
            documents.append(read_document(project, source, None, Report()))
    if not documents:
        message = "there is no document to discover a schema from"
        raise UsageError(message, hint="put one into content/")
    return documents
