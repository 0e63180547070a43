"""An asker over the stored graphs of a project. Nothing is extracted, laid out or written."""

from __future__ import annotations

from kgsite.ask.asker import Asker
from kgsite.errors import UsageError
from kgsite.model import Collection
from kgsite.project import Project
from kgsite.replystore import ReplyStore
from kgsite.report import Report


def stored_collection(project: Project, report: Report) -> Collection:
    """The collection as the last build stored it. Raises UsageError when there is none yet."""
    from kgsite.build import load_communities, load_graphs, load_permalinks
    from kgsite.collection import merge
    from kgsite.discover import discover

    settings = project.settings
    found = discover(project.content, drafts=settings.build.drafts, encodings=settings.encodings)
    paths = [source.path for source in found.sources if project.store.graph_file(source.path).exists()]
    graphs = load_graphs(project, paths, report)
    if not graphs:
        raise UsageError("there is no graph to ask yet", hint="run kgsite build first")
    return merge(
        graphs,
        settings=settings,
        permalinks=load_permalinks(project, report),
        memory=load_communities(project, report),
    )


def open_asker(project: Project, report: Report, *, use_model: bool = True, fresh: bool = False) -> Asker:
    """An asker for a project; `fresh` ignores stored replies. Raises UsageError or ConfigError."""
    collection = stored_collection(project, report)
    store = ReplyStore(project.store.replies, read=not fresh)
    return Asker(collection, project.settings, store=store, environ=project.world.environ, use_model=use_model)
