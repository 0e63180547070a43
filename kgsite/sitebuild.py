"""Stored graphs → the published site: everything right of "extract" in the pipeline.

All of it is a function of committed state, content pages, settings and theme. When none of these changed since the
last publish and the output is as it was left, nothing is merged, rendered or written.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgsite import __version__
from kgsite.errors import KgsiteError
from kgsite.model import Collection, Document, SourcePath
from kgsite.project import Project
from kgsite.report import Report, refuse_doubts
from kgsite.site.manifest import load_manifest
from kgsite.site.publishing import staging_folder
from kgsite.store import IndexEntry, Store

if TYPE_CHECKING:
    from kgsite.ask.records import Answer
    from kgsite.ask.static import StaticAnswers
    from kgsite.build import BuildOptions
    from kgsite.discover import Discovery
    from kgsite.site.records import Rendered, SitePlan
    from kgsite.site.theme import Theme


@dataclass(frozen=True, slots=True)
class SiteTotals:
    """What the site holds and what this build did to it."""

    nothing_to_do: bool
    documents: int
    entities: int
    facts: int
    communities: int
    pages: int
    rendered: int
    unchanged: int
    written: int
    pruned: int
    files: int
    bytes: int
    bytes_by_kind: Mapping[str, int] = field(default_factory=dict)
    largest: tuple[tuple[str, int], ...] = ()


def publish_site(
    project: Project,
    found: Discovery,
    paths: list[SourcePath],
    entries: Mapping[SourcePath, IndexEntry],
    options: BuildOptions,
    report: Report,
) -> SiteTotals:
    """Merge, lay out, plan, render and publish; or find that there is nothing to do. Raises KgsiteError."""
    store = project.store
    state_file = store.cache / "build.json"
    if options.clean:
        state_file.unlink(missing_ok=True)
        store.manifest_file.unlink(missing_ok=True)
    pages, themes = _pages_state(found), _themes_state(project)
    sources = _sources(project, paths, entries)
    last = store.load_checked(state_file)
    filling = project.world.memory is not None and project.world.memory.filling
    if not filling and last.get("inputs") == _inputs(project, sources, pages, themes) and _intact(project):
        totals = _unchanged(last, report)
        if options.strict:
            refuse_doubts(report)
        return totals

    with report.stage("merge"):
        collection, sources = _merge(project, paths, entries, sources, report)
    answers = _answer(project, collection, options, report)
    with report.stage("render"):
        landing, sections = _pages_of_content(project, found, report)
        theme = _theme(project, themes)
        plan = _plan(project, collection, landing, sections, theme, answers.answers, report)
        rendered = _render(project, plan, theme, report)
    with report.stage("publish"):
        _last_doubts(project, rendered, options, report)
        totals = _put_in_place(project, rendered, collection, report)
    _keep_theme(project, theme, themes)
    _forget_gone(project, found, rendered)
    kept = {
        name: value
        for name, value in asdict(totals).items()
        if name not in {"nothing_to_do", "rendered", "written", "pruned"}
    }
    if not answers.whole:
        state_file.unlink(missing_ok=True)  # the next build asks again, also when nothing else has changed
        return totals
    said = [notice.message for notice in report.warnings if notice.code in _OF_THE_SITE]
    # Addresses, communities, layouts and answers are as this build left them. Pages of content and themes are as they
    # were when it began: what was saved in the meantime is not in the site yet, and the next build must see that.
    inputs = _inputs(project, sources, pages, themes)
    store.save_checked(state_file, {"inputs": inputs, "totals": kept, "warnings": said})
    return totals


def _merge(
    project: Project, paths: list[SourcePath], entries: Mapping[SourcePath, IndexEntry], sources: str, report: Report
) -> tuple[Collection, str]:
    """The collection, and the state of what it is made of after this build has written its own part of that."""
    memory = project.world.memory
    if memory is not None and memory.collection is not None and memory.merged_from == sources:
        return _noted(memory.collection, report), sources
    from kgsite.build import load_collection

    collection, permalinks, communities = load_collection(project, paths, report)
    project.store.save_permalinks(permalinks)
    project.store.save_communities(communities)
    project.store.save_layouts(collection.layouts)
    sources = _sources(project, paths, entries)
    if memory is not None:
        memory.collection, memory.merged_from = collection, sources
    return _noted(collection, report), sources


def _noted(collection: Collection, report: Report) -> Collection:
    for note in collection.notes:
        report.warn(note, code="merge") if note.startswith("warning") else report.count("merge_notes")
    report.extra["merge_notes"] = list(collection.notes)
    return collection


def _pages_of_content(
    project: Project, found: Discovery, report: Report
) -> tuple[Document | None, dict[str, Document]]:
    from kgsite.build import read_pages

    return read_pages(project, found, report)


def _answer(project: Project, collection: Collection, options: BuildOptions, report: Report) -> StaticAnswers:
    from kgsite.ask.static import answer_questions

    if not project.settings.questions:
        return answer_questions(project, collection, report)
    with report.stage("questions"):
        return answer_questions(project, collection, report, frozen=options.frozen, no_cache=options.no_cache)


def _theme(project: Project, state: str) -> Theme:
    """The theme; that of the last build of this process, compiled templates included, when no theme file changed."""
    from kgsite.site import load_theme

    memory = project.world.memory
    if memory is None:
        return load_theme(project.settings)
    kept, memory.theme = memory.theme, None  # until this build has ended well
    return kept if kept is not None and memory.theme_key == (state, project.settings) else load_theme(project.settings)


def _keep_theme(project: Project, theme: Theme, state: str) -> None:
    """Keep the theme for the next build. One that was saved while this build read it is neither the old nor the new."""
    memory = project.world.memory
    if memory is not None and _themes_state(project) == state:
        memory.theme, memory.theme_key = theme, (state, project.settings)


def _forget_gone(project: Project, found: Discovery, rendered: Rendered) -> None:
    memory = project.world.memory
    if memory is not None:
        texts = [*found.sources, *found.sections.values(), *([found.landing] if found.landing else [])]
        memory.forget_gone({*(text.path for text in texts), *found.drafts}, {page.path for page in rendered.outputs})


def _plan(
    project: Project,
    collection: Collection,
    landing: Document | None,
    sections: dict[str, Document],
    theme: Theme,
    answers: tuple[Answer, ...],
    report: Report,
) -> SitePlan:
    from kgsite.site import build_info, plan

    made = plan(
        collection,
        project.settings,
        landing=landing,
        sections=sections,
        theme=theme,
        build_info=build_info(collection),
        answers=answers,
        memory=project.world.memory,
    )
    for note in made.notes:
        report.warn(note, code="site")
    return made


def _render(project: Project, plan: SitePlan, theme: Theme, report: Report) -> Rendered:
    from kgsite.site import render

    jobs = project.settings.build.jobs
    return render(
        plan,
        theme,
        load_manifest(project.store.manifest_file),
        output=project.output,
        jobs=jobs if isinstance(jobs, int) else min(2, os.cpu_count() or 1),
        progress=lambda done, total: report.progress(done, total, "pages"),
        memory=project.world.memory,
    )


_OF_THE_SITE = {"merge", "site", "publish"}  # codes of warnings that are no document's; told again when nothing changed


def _last_doubts(project: Project, rendered: Rendered, options: BuildOptions, report: Report) -> None:
    """What keeps a rendered site from being published. Raises PublishError or StrictError; the old site stays."""
    try:
        _scan(project, rendered)
        if options.strict:
            refuse_doubts(report)
    except KgsiteError:
        shutil.rmtree(rendered.staging, ignore_errors=True)
        raise


def _scan(project: Project, rendered: Rendered) -> None:
    """No key, home path or project path is published: looked for in every file that changed."""
    from kgsite.site.scan import refuse, scan, secrets_of

    secrets = secrets_of(project.world.environ, project.root, Path.home())
    staged = Path(rendered.staging) / "files"
    texts = ((output.path, (staged / output.path).read_bytes()) for output in rendered.outputs if output.staged)
    refuse(list(scan(texts, secrets)))


def _put_in_place(project: Project, rendered: Rendered, collection: Collection, report: Report) -> SiteTotals:
    from kgsite.site import publish

    done = publish(
        rendered,
        settings=project.settings,
        output=project.output,
        manifest_file=project.store.manifest_file,
        progress=lambda number, total: report.progress(number, total, "files"),
    )
    for note in done.notes:
        report.warn(note, code="publish")
    return SiteTotals(
        nothing_to_do=done.rendered == done.written == done.pruned == 0,
        documents=len(collection.documents),
        entities=len(collection.entities),
        facts=len(collection.facts),
        communities=len(collection.communities),
        pages=done.pages,
        rendered=done.rendered,
        unchanged=done.unchanged_pages,
        written=done.written,
        pruned=done.pruned,
        files=done.files,
        bytes=done.total_bytes,
        bytes_by_kind=done.bytes_by_kind,
        largest=done.largest,
    )


def _unchanged(last: Mapping[str, object], report: Report) -> SiteTotals:
    kept = last["totals"]
    assert isinstance(kept, dict)
    report.count("site_unchanged")
    totals = SiteTotals(
        **{**kept, "nothing_to_do": True, "rendered": 0, "written": 0, "pruned": 0, "unchanged": kept["pages"]}
    )
    said = last.get("warnings")
    for message in said if isinstance(said, list) else ():
        report.warn(str(message), code="site")
    return totals


def _intact(project: Project) -> bool:
    """Whether every published file is there with its size and time, and no staging folder beside them."""
    manifest = load_manifest(project.store.manifest_file)
    if not manifest.entries or staging_folder(project.output).exists():
        return False
    for path, entry in manifest.entries.items():
        try:
            stat = os.lstat(f"{project.output}/{path}")
        except OSError:
            return False
        if (stat.st_size, stat.st_mtime_ns) != (entry.size, entry.mtime_ns):
            return False
    return True


def _inputs(project: Project, sources: str, pages: str, themes: str) -> str:
    """One hash over all that the site is made of."""
    digest = hashlib.sha256(f"{sources}\0{pages}\0{themes}\0".encode())
    answers = project.store.folder / "answers.json"
    _add_files(digest, project.store, [answers] if answers.is_file() else [])
    return digest.hexdigest()


def _pages_state(found: Discovery) -> str:
    """One hash over the texts that are pages and no documents."""
    pages = [found.landing] if found.landing else []
    pages += [found.sections[name] for name in sorted(found.sections)]
    listed = "".join(f"{source.path}\0{source.sha256}\0" for source in pages)
    return hashlib.sha256(listed.encode("utf-8", "surrogatepass")).hexdigest()


def _themes_state(project: Project) -> str:
    """One hash over all theme files."""
    from kgsite.site.theme import packaged_themes

    digest = hashlib.sha256()
    _add_files(digest, project.store, _below(project.root / "themes", packaged_themes()))
    return digest.hexdigest()


def _sources(project: Project, paths: list[SourcePath], entries: Mapping[SourcePath, IndexEntry]) -> str:
    """One hash over all that the collection is made of: settings, graphs, committed state, and kgsite's own modules."""
    settings = asdict(project.settings)
    settings.pop("root")
    digest = hashlib.sha256()
    for part in (__version__, _code(), repr(sorted(settings.items()))):
        digest.update(part.encode() + b"\0")
    for path in paths:
        digest.update(f"{path}\0{entries[path].graph_hash}\0".encode("utf-8", "surrogatepass"))
    store = project.store
    state = [file for file in (store.permalinks, store.communities) if file.is_file()]
    _add_files(digest, store, [*state, *_below(store.layouts)])
    return digest.hexdigest()


@cache
def _code() -> str:
    """Hash of kgsite's own modules, read once: a process runs the code that it began with."""
    digest = hashlib.sha256()
    for file in _below(Path(__file__).parent):
        digest.update(f"{file.name}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _add_files(digest: Any, store: Store, files: Iterable[Path]) -> None:
    for file in files:
        digest.update(f"{file.name}\0{store.digest(file)}\0".encode("utf-8", "surrogatepass"))


def _below(*folders: Path) -> Iterator[Path]:
    for folder in folders:
        for current, below, names in os.walk(folder):
            below.sort()
            for name in sorted(names):
                path = Path(current, name)
                if not name.endswith(".pyc") and path.is_file():
                    yield path
