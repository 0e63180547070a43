"""Renamed and moved files: a stored graph whose text lies under another path now goes along, and nothing is extracted.

A text is known again by its bytes. A file that is gone and a new one with the same bytes are one document that was
renamed: it takes its graph, its drawing and its address along. A path that is still there keeps its own address,
whatever lies under it now; only graphs go from one such path to another (two names that were swapped).
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from kgsite.errors import KgsiteError
from kgsite.model import NAMESPACE, DocumentGraph, Source, SourcePath
from kgsite.store import IndexEntry, Store, entry_of, write_atomic

if TYPE_CHECKING:
    from kgsite.collection import Permalinks
    from kgsite.discover import Discovery
    from kgsite.project import Project
    from kgsite.report import Report


@dataclass(frozen=True, slots=True)
class Rename:
    """A source whose bytes are those of a graph that is stored for another path."""

    source: Source
    origin: SourcePath  # the path that the graph was made for
    file: Path  # the stored graph
    entry: IndexEntry  # what is known of it
    gone: bool  # nothing lies at `origin` any more: its address goes along
    replaces: bool  # another text lay at the path until now; the address of the path stays
    stored: bool  # the source has a graph already (a build was stopped in between), only the address is missing


@dataclass(frozen=True, slots=True)
class _Spare:
    """A stored graph that its own path has no use for."""

    origin: SourcePath
    file: Path
    entry: IndexEntry
    gone: bool


def find_renames(
    store: Store, found: Discovery, index: Mapping[SourcePath, IndexEntry], orphans: list[Path]
) -> dict[SourcePath, Rename]:
    """Content path → rename, for every source whose graph is stored under another path.

    `index` knows the stored graphs of the sources; `orphans` are all others. Where several have the same bytes, files that are gone and new
    ones come first, and each group is paired in the order of paths.
    """
    changed = [source for source in found.sources if _hash(index, source.path) not in ("", source.sha256)]
    if not orphans and not changed:
        return {}
    spares = [*_orphaned(store, orphans, present_paths(found))]
    spares += [_Spare(one.path, store.graph_file(one.path), index[one.path], gone=False) for one in changed]
    return _paired(_by_hash(spares), found.sources, index, _addresses(store) if orphans else None)


def present_paths(found: Discovery) -> set[SourcePath]:
    """Paths whose graph is kept: sources, drafts, and files that can't be read just now."""
    return {source.path for source in found.sources} | {SourcePath(one.path) for one in found.skipped} | {*found.drafts}


def unread_paths(found: Discovery) -> list[str]:
    """Folders and listings that can't be read just now: below them may lie any source ("." is all of content/)."""
    return ["" if one.path == "." else one.path for one in found.skipped if one.code == "unreadable"]


def document_id(path: SourcePath) -> str:
    """uuid5 of the content path."""
    return str(uuid.uuid5(NAMESPACE, path))


def _hash(index: Mapping[SourcePath, IndexEntry], path: SourcePath) -> str:
    return index[path].source_hash if path in index else ""


def _orphaned(store: Store, files: list[Path], stay: set[SourcePath]) -> Iterator[_Spare]:
    """Graphs of other paths; those that the index knows are not parsed, damaged ones are left out."""
    indexed = {store.graph_file(path): (path, entry) for path, entry in store.load_index().items()} if files else {}
    for file in files:
        path, entry = indexed.get(file, (None, None))
        if path is None or entry is None or entry.graph_hash != store.digest(file):
            graph = store.load_graph_file(file)
            if graph is None:
                continue
            path, entry = graph.provenance.source, entry_of(graph, "")
        yield _Spare(path, file, entry, path not in stay)


def _addresses(store: Store) -> Permalinks | None:
    from kgsite.collection import Permalinks

    try:
        return Permalinks.load(store.permalinks.read_bytes())
    except (OSError, KgsiteError):  # told when it is used
        return None


def _by_hash(spares: Iterable[_Spare]) -> dict[str, list[_Spare]]:
    groups: dict[str, list[_Spare]] = {}
    for spare in sorted(spares, key=lambda spare: (not spare.gone, spare.origin, spare.file)):
        groups.setdefault(spare.entry.source_hash, []).append(spare)
    return groups


def _paired(
    spares: Mapping[str, list[_Spare]],
    sources: Iterable[Source],
    index: Mapping[SourcePath, IndexEntry],
    addresses: Permalinks | None,
) -> dict[SourcePath, Rename]:
    def stored(source: Source) -> bool:
        return _hash(index, source.path) == source.sha256

    def settled(source: Source) -> bool:
        return stored(source) and (
            addresses is None or addresses.slug("documents", document_id(source.path)) is not None
        )

    wanting = [source for source in sources if spares.get(source.sha256) and not settled(source)]
    replacing = {source.path for source in wanting if source.path in index and not stored(source)}
    wanting.sort(key=lambda source: (source.path in replacing, source.path))
    renames: dict[SourcePath, Rename] = {}
    for fits in (_is_its_own, _is_of_its_kind, _has_its_bytes):
        for source in wanting:
            group = spares[source.sha256]
            spare = next((one for one in group if fits(source, one.origin)), None)
            if spare is not None and source.path not in renames:
                group.remove(spare)
                renames[source.path] = Rename(
                    source,
                    spare.origin,
                    spare.file,
                    spare.entry,
                    gone=spare.gone,
                    replaces=source.path in replacing,
                    stored=stored(source),
                )
    return renames


def _is_its_own(source: Source, origin: SourcePath) -> bool:
    """The graph only lies in another file than it should."""
    return source.path == origin


def _is_of_its_kind(source: Source, origin: SourcePath) -> bool:
    from kgsite.discover import SUFFIXES

    return source.kind == SUFFIXES.get(PurePosixPath(origin).suffix.casefold())


def _has_its_bytes(source: Source, origin: SourcePath) -> bool:
    """Of another kind or unknown: its address goes along, even if it has to be read anew."""
    del source, origin
    return True


# ── taking over ───────────────────────────────────────────────────────────────────────────────────
def take_over(project: Project, renames: list[Rename], report: Report) -> None:
    """Write the graphs, drawings and addresses of renamed documents.

    The old graphs stay until `Store.prune_graphs`: a build that is stopped in between leaves all that the next one
    needs to find the same renames. The addresses come last, because they say that the rest is done.
    """
    store = project.store
    targets = {store.graph_file(one.source.path) for one in renames if not one.stored}
    kept = {one.file: store.spare_graph(one.file) for one in renames if one.file in targets}
    for one in renames:
        graph = None if one.stored else store.load_graph_file(kept.get(one.file, one.file))
        if graph is not None:
            store.save_graph(_moved(project, graph, one.source))
    for spare in kept.values():
        store.drop_spare(spare)
    moved = [one for one in renames if one.gone]
    for one in moved:
        _take_along(project, document_id(one.origin), document_id(one.source.path))
    if moved and store.permalinks.exists():
        from kgsite.build import load_permalinks

        permalinks = load_permalinks(project, report)
        for one in moved:
            old, new = document_id(one.origin), document_id(one.source.path)
            permalinks.move("documents", old, new, replaces=one.replaces)
        store.save_permalinks(permalinks)


def _moved(project: Project, graph: DocumentGraph, source: Source) -> DocumentGraph:
    from kgsite.extract.rehome import rehome

    title = _title(project, graph, source)
    provenance = replace(graph.provenance, source=source.path)
    return replace(rehome(graph, document_id(source.path)), title=title, provenance=provenance)


def _title(project: Project, graph: DocumentGraph, source: Source) -> str:
    """A title that was made of the file's name is made anew; the source is read to know whether it was."""
    from kgsite.extract.summary import readable, title_of
    from kgsite.readers import read

    if graph.meta.title or graph.title != readable(graph.provenance.source):
        return graph.title
    try:
        return title_of(read(source, fetcher=None, snapshots=project.store.snapshots), "")
    except KgsiteError:
        return readable(source.path)


def _take_along(project: Project, old: str, new: str) -> None:
    """The drawing of a document, and the types that a model found for it alone."""
    from kgsite.extract.llm.kept import schema_file

    store, settings = project.store, project.settings
    for file, target in (
        (store.layout_file(old), store.layout_file(new)),
        (schema_file(settings, old), schema_file(settings, new)),
    ):
        if file.is_file() and not target.exists():
            write_atomic(target, file.read_bytes())
