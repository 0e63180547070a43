"""The pipeline: `build` names its stages in order and reads like a list.

discover → decide → read → extract → (store) → merge → lay out → plan → render → publish
"""

from __future__ import annotations

import dataclasses
import posixpath
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgsite.decide import Decision, decide, fingerprinter, kind_counts, load_index
from kgsite.errors import FrozenError, KgsiteError, StoreError, UsageError
from kgsite.extraction import Extracted, extract_documents
from kgsite.model import Document, DocumentGraph, SourcePath
from kgsite.project import Project, wants_model
from kgsite.renames import find_renames, present_paths, take_over, unread_paths
from kgsite.report import Report, plural, refuse_doubts

if TYPE_CHECKING:
    from kgsite.collection import CommunityMemory, Permalinks
    from kgsite.discover import Discovery
    from kgsite.extract.extractor import Extractor
    from kgsite.model import Collection


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """Flags of `kgsite build` that are no settings."""

    frozen: bool = False
    dry_run: bool = False
    explain: bool = False
    only: tuple[str, ...] = ()
    clean: bool = False
    strict: bool = False
    keep_going: bool = False
    no_cache: bool = False
    refetch: bool = False
    batch: bool = False


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What came of a build; `exit_code` is 0 whole, 1 failed, 3 partial."""

    exit_code: int = 0
    nothing_to_do: bool = False
    failed: tuple[str, ...] = ()
    totals: Mapping[str, Any] = field(default_factory=dict)


def build(project: Project, options: BuildOptions, report: Report) -> BuildResult:
    """Turn content/ into a site. Raises KgsiteError when nothing can be published; losses are in the report."""
    with nullcontext() if options.dry_run else project.store.lock():  # a dry run writes nothing, not even a lock
        if not options.dry_run:
            project.store.sweep()
            _check_output(project)
        for warning in project.loaded.warnings:
            report.warn(warning.message, file=str(warning.at or ""), code=warning.code, hint=warning.hint)
        with report.stage("discover"):
            found = _discover(project, report)
            orphans = project.store.orphans(present_paths(found), unread_paths(found))
            extractor = project.world.extractor(
                project.settings, project.store, report, project.world.environ, use_replies=not options.no_cache
            )
            decisions = _decide(project, found, orphans, extractor, options, report)
        if options.dry_run:
            return _dry_run(project, decisions, extractor, options, report)
        if options.frozen:
            _refuse_work(decisions)
        take_over(project, [decision.rename for decision in decisions if decision.rename], report)
        if options.batch:
            from kgsite.batching import run_batch

            with report.stage("batch"):
                run_batch(project, decisions, report)
        extracted = extract_documents(project, decisions, extractor, options, report)
        removed = _prune_state(project, orphans, decisions, report)
        _count(decisions, extracted, removed, found, report)
        if options.strict:
            refuse_doubts(report)
        return _publish(project, found, decisions, extracted, options, report)


def _publish(
    project: Project,
    found: Discovery,
    decisions: list[Decision],
    extracted: Extracted,
    options: BuildOptions,
    report: Report,
) -> BuildResult:
    from kgsite.sitebuild import publish_site

    entries = extracted.entries
    totals = publish_site(
        project, found, [d.source.path for d in decisions if d.source.path in entries], entries, options, report
    )
    return BuildResult(
        3 if report.losses else 0,
        totals.nothing_to_do and not extracted.done,
        extracted.failed,
        dataclasses.asdict(totals),
    )


def _check_output(project: Project) -> None:
    """Refuse a folder that may be the user's own before anything is paid for or written beside it."""
    from kgsite.site.publishing import check_output, finish_half_done

    finish_half_done(project.output)
    check_output(project.settings, project.output, project.store.manifest_file)


def _discover(project: Project, report: Report) -> Discovery:
    from kgsite.discover import discover

    settings = project.settings
    found = discover(
        project.content, drafts=settings.build.drafts, encodings=settings.encodings, memory=project.world.memory
    )
    for skipped in found.skipped:
        report.document(skipped.path, status="skipped", reason=skipped.reason)
        if skipped.code in _NOT_MEANT:
            report.skip(skipped.reason, file=skipped.path, code=skipped.code)
        elif skipped.code in _NOT_FOLLOWED:
            report.warn(skipped.reason, file=skipped.path, code=skipped.code)
        else:
            report.lose(_skip_error(skipped.code, skipped.reason), file=skipped.path)
    report.extra["kinds"] = kind_counts(found.sources)
    report.extra["extractor"] = "openai" if wants_model(settings) else "offline"
    return found


_NOT_MEANT = {"unsupported"}  # a picture beside a text is no loss
_NOT_FOLLOWED = {"link", "special"}


def _skip_error(code: str, reason: str) -> KgsiteError:
    error = KgsiteError(reason)
    error.code = code  # type: ignore[misc]
    return error


def _decide(
    project: Project,
    found: Discovery,
    orphans: list[Path],
    extractor: Extractor,
    options: BuildOptions,
    report: Report,
) -> list[Decision]:
    paths = [source.path for source in found.sources]
    only = _only(options.only, paths, project)
    index = load_index(project.store, paths, lambda path, message: report.warn(message, file=path, code="store"))
    renames = find_renames(project.store, found, index, orphans)
    fingerprint = fingerprinter(project.settings, extractor)
    decisions = decide(
        found.sources,
        index,
        fingerprint,
        force=options.no_cache,
        refetch=options.refetch,
        only=only,
        renames=renames,
    )
    for decision in decisions:
        report.document(decision.source.path, status=decision.status, reason=decision.reason)
        entry = decision.rename.entry if decision.rename else index.get(decision.source.path)
        for note in entry.notes if entry and not decision.needs_work else ():
            report.warn(note, file=decision.source.path, code="read")
        if options.explain:
            report.say(f"{decision.status:>9}  {decision.source.path}: {decision.reason}")
    return decisions


def _only(wanted: tuple[str, ...], paths: list[SourcePath], project: Project) -> frozenset[SourcePath]:
    """--only names a document or a folder, below content/ or from where the command was called."""
    chosen: set[SourcePath] = set()
    for name in wanted:
        prefix = f"{project.settings.build.content.rstrip('/')}/"
        plain = posixpath.normpath(name.replace("\\", "/")).removeprefix(prefix)
        everything = plain in {".", prefix.rstrip("/")}
        hits = {path for path in paths if everything or path == plain or path.startswith(plain + "/")}
        if not hits:
            from kgsite.config.check import did_you_mean

            message = f"--only {name}: no such document in {project.settings.build.content}/"
            raise UsageError(message, hint=did_you_mean(plain, paths) if paths else "")
        chosen |= hits
    return frozenset(chosen)


def _refuse_work(decisions: list[Decision]) -> None:
    waiting = [decision for decision in decisions if decision.needs_work and decision.source.kind != "graph"]
    if waiting:
        lines = "\n".join(f"    {decision.source.path}: {decision.reason}" for decision in waiting)
        message = f"--frozen: {plural(len(waiting), 'document')} would need an extraction\n{lines}"
        raise FrozenError(message, hint="run kgsite build where that may happen, and commit .kgsite/graphs")


def _prune_state(project: Project, orphans: list[Path], decisions: list[Decision], report: Report) -> int:
    """Graphs of deleted sources go; those of drafts and of files that can't be read just now stay."""
    store = project.store
    renamed = {decision.rename.file for decision in decisions if decision.rename}
    pruned = store.prune_graphs(orphans, [decision.source.path for decision in decisions])
    gone = [path for path in pruned if path not in renamed and path.parent != store.spares]
    for path in gone:
        name = path.relative_to(store.graphs).as_posix().removesuffix(".json")
        report.document(name, status="removed", reason="its source is gone")
    return len(gone)


def _count(decisions: list[Decision], extracted: Extracted, removed: int, found: Discovery, report: Report) -> None:
    failed = set(extracted.failed)
    for status in ("new", "changed", "renamed", "unchanged", "retry"):
        report.counts[f"documents_{status}"] = sum(
            decision.status == status and decision.source.path not in failed for decision in decisions
        )
    report.counts["documents"] = len(decisions)
    report.counts["documents_failed"] = len(failed)
    report.counts["documents_removed"] = removed
    report.counts["documents_skipped"] = len(found.skipped)
    report.counts["documents_extracted"] = extracted.done


def _dry_run(
    project: Project, decisions: list[Decision], extractor: Extractor, options: BuildOptions, report: Report
) -> BuildResult:
    from kgsite.dryrun import describe_work

    describe_work(project, decisions, extractor, options, report, questions=True)
    return BuildResult(3 if report.losses else 0)


def load_graphs(project: Project, paths: list[SourcePath], report: Report) -> list[DocumentGraph]:
    """The stored graphs of these documents, in order; damaged ones are told and left out."""
    graphs: list[DocumentGraph] = []
    for path in paths:
        graph = project.store.load_graph(path, lambda message, path=path: report.warn(message, file=path, code="store"))  # type: ignore[misc]
        if graph is not None:
            graphs.append(graph)
    return graphs


def read_pages(project: Project, found: Discovery, report: Report) -> tuple[Document | None, dict[str, Document]]:
    """The landing text (content/index.md) and the section pages (_index.md)."""
    from kgsite.readers import read

    def one(source: Any) -> Document | None:
        try:
            page = read(source, fetcher=None, snapshots=project.store.snapshots)
        except KgsiteError as error:
            report.lose(error, file=source.path)
            return None
        for warning in page.warnings:
            report.warn(f"{source.path}: {warning}", code="site")  # told again by builds that do not read the page
        return page

    landing = one(found.landing) if found.landing else None
    sections = {folder: page for folder, source in sorted(found.sections.items()) if (page := one(source))}
    return landing, sections


def load_collection(
    project: Project, paths: list[SourcePath], report: Report
) -> tuple[Collection, Permalinks, CommunityMemory]:
    """Merge the stored graphs and lay them out from their stored positions; writes nothing.

    Addresses and communities start from the remembered ones; both are returned as they are now.
    """
    from kgsite.collection import merge
    from kgsite.collection.layout import layouts

    graphs = load_graphs(project, paths, report)
    permalinks, memory = load_permalinks(project, report), load_communities(project, report)
    collection = merge(graphs, settings=project.settings, permalinks=permalinks, memory=memory)
    names = ["collection", *(graph.id for graph in graphs), *(f"community/{c.slug}" for c in collection.communities)]
    previous = project.store.load_layouts(names, lambda message: report.warn(message, code="store"))
    return dataclasses.replace(collection, layouts=layouts(collection, previous)), permalinks, memory


def load_permalinks(project: Project, report: Report) -> Permalinks:
    """`.kgsite/permalinks.json`; a damaged one is set aside with a warning (addresses may move)."""
    from kgsite.collection import Permalinks

    data = _remembered(project, project.store.permalinks)
    try:
        return Permalinks.load(data) if data is not None else Permalinks()
    except KgsiteError as error:
        project.store.set_aside(project.store.permalinks)
        report.warn(f"permalinks.json was damaged and is made anew; addresses may have moved ({error})", code="store")
        return Permalinks()


def load_communities(project: Project, report: Report) -> CommunityMemory:
    """`.kgsite/communities.json`; a damaged one is set aside with a warning (communities may be divided anew)."""
    from kgsite.collection import CommunityMemory

    data = _remembered(project, project.store.communities)
    try:
        return CommunityMemory.load(data) if data is not None else CommunityMemory()
    except KgsiteError as error:
        project.store.set_aside(project.store.communities)
        report.warn(f"communities.json was damaged and is made anew ({error})", code="store")
        return CommunityMemory()


def _remembered(project: Project, path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        message = f"{path.relative_to(project.root)} can't be read: {error.strerror}"
        raise StoreError(message) from error


def closing_hint(project: Project) -> str:
    """How to use a model, said when one is at hand but not chosen."""
    if not wants_model(project.settings) and project.settings.extract.extractor == "auto":
        key = next(
            (
                name
                for name in ("OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY")
                if project.world.environ.get(name)
            ),
            "",
        )
        if key:
            return f'{key} is set but not used: name a model in site.toml to extract with it ([llm] model = "…")'
    return ""
