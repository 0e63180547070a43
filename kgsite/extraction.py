"""Documents that need it are read, cut, extracted, assembled and stored, one by one, as each is done."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgsite.decide import Decision, Fingerprint, fingerprinter
from kgsite.errors import ExtractError, KgsiteError, Place
from kgsite.extract.extractor import ExtractJob, Extractor, MeteredExtractor
from kgsite.model import Document, DocumentGraph, Extraction, Provenance, Source, SourcePath
from kgsite.report import Report
from kgsite.store import IndexEntry, entry_of, sha256

if TYPE_CHECKING:
    from kgsite.build import BuildOptions
    from kgsite.project import Project
    from kgsite.readers.web import Fetcher


@dataclass
class Extracted:
    """Which documents have a stored graph now, and which could not be extracted."""

    entries: dict[SourcePath, IndexEntry] = field(default_factory=dict)
    failed: tuple[str, ...] = ()
    done: int = 0


def extract_documents(
    project: Project, decisions: list[Decision], extractor: Extractor, options: BuildOptions, report: Report
) -> Extracted:
    """Bring the stored graphs up to date.

    Every graph is on disk before the next one is begun. A document that fails keeps its last good graph. Raises
    only when nothing more can be done and `keep_going` is off.
    """
    from kgsite.decide import load_index

    fingerprint = fingerprinter(project.settings, extractor)
    paths = [decision.source.path for decision in decisions]
    index = load_index(project.store, paths, lambda path, message: report.warn(message, file=path, code="store"))
    work = _Work(project, extractor, fingerprint, options, report, dict(index))
    todo = [decision.source for decision in decisions if decision.needs_work]
    try:
        if todo:
            with report.stage("extract"):
                work.run(todo)
    finally:
        project.store.save_index(work.entries)
        if todo:
            settle(extractor, project, report)
    _forget_failures_of_unread(work, report)
    return Extracted(work.entries, tuple(sorted(work.failed)), work.done)


def settle(extractor: Extractor, project: Project, report: Report) -> None:
    """Close an extractor that costs something, and tell what it spent, by pass and in money."""
    if not isinstance(extractor, MeteredExtractor):
        return
    from kgsite.extract.llm.cost import price

    for warning in extractor.warnings:
        report.warn(warning, code="extract")
    usage = extractor.usage
    total = usage.total()
    for name in ("requests", "prompt_tokens", "completion_tokens", "cached"):
        report.counts[name] = getattr(total, name)
    report.extra["usage"] = {
        name: {key: getattr(part, key) for key in part.__slots__} for name, part in sorted(usage.passes.items())
    }
    report.extra["cost"] = price(project.settings, extractor.model, total.prompt_tokens, total.completion_tokens)
    extractor.close()


def _forget_failures_of_unread(work: _Work, report: Report) -> None:
    for path in sorted(work.failed):
        kept = " (its last good graph stays on the site)" if path in work.entries else ""
        report.document(path, status="failed", reason=work.failed[path] + kept)


def read_document(
    project: Project, source: Source, fetcher: Fetcher | None, report: Report, *, refresh: bool = False
) -> Document:
    """Read a source; what its reader doubts becomes a warning. Raises ReadError."""
    from kgsite.readers import read

    document = read(source, fetcher=fetcher, snapshots=project.store.snapshots, refresh=refresh)
    for warning in document.warnings:
        report.warn(warning, file=source.path, code="read")
    return document


_SURE = 0.5  # confidence of local detection below which a model that is there anyway is asked


def make_job(project: Project, document: Document, ask: Callable[[str], str] | None = None) -> ExtractJob:
    """Settle the language (front matter, the source's own word, detection, `ask` if unsure) and cut the text."""
    from kgsite.extract.chunk import chunk
    from kgsite.extract.language import detect

    wanted = project.settings.extract.language
    language = document.language or document.meta.language or (wanted if wanted != "auto" else "")
    if not language:
        language, confidence = detect(document.text)
        if confidence < _SURE and document.text.strip() and ask is not None:
            language = ask(document.text) or language
        language = language or project.settings.site.language
    cut = project.settings.chunking
    chunks = chunk(document, max_tokens=cut.max_tokens, overlap_tokens=cut.overlap_tokens)
    return ExtractJob(document, chunks, language.split("-")[0].lower())


class _Work:
    """The running state of one extraction stage."""

    def __init__(
        self,
        project: Project,
        extractor: Extractor,
        fingerprint: Fingerprint,
        options: BuildOptions,
        report: Report,
        entries: dict[SourcePath, IndexEntry],
    ) -> None:
        self.project = project
        self.extractor = extractor
        self.ask = extractor.language_of if isinstance(extractor, MeteredExtractor) else None
        self.fingerprint = fingerprint
        self.options = options
        self.report = report
        self.entries = entries
        self.failed: dict[SourcePath, str] = {}
        self.done = 0
        self.total = 0
        self.today = project.world.today(project.world.environ)
        self._fetcher: Fetcher | None = None

    def run(self, sources: list[Source]) -> None:
        from kgsite.extract.offline.parallel import side_by_side

        self.total = len(sources)
        texts = [source for source in sources if source.kind != "graph"]
        for source in sources:
            if source.kind == "graph":
                self._guard(source, lambda source=source: self._import(source))
        try:
            began = time.perf_counter()
            extractor = side_by_side(self.extractor, self.project.settings.build.jobs, len(texts))
            for job, outcome in extractor.extract(self._jobs(texts)):
                source = job.document.source
                if isinstance(outcome, KgsiteError):
                    self._fail(source, outcome)
                else:
                    seconds = time.perf_counter() - began
                    self._guard(source, lambda: self._finish(job, outcome, seconds))  # noqa: B023
                began = time.perf_counter()
        except KgsiteError as error:
            if not self.options.keep_going:
                raise
            self.report.lose(error, file="")

    def _jobs(self, sources: list[Source]) -> Iterator[ExtractJob]:
        for source in sources:
            try:
                document = read_document(
                    self.project, source, self._web(source), self.report, refresh=self.options.refetch
                )
                job = make_job(self.project, document, self.ask)
            except KgsiteError as error:
                self._fail(source, error)
            except Exception as error:
                self._fail(source, unexpected(error))
            else:
                yield job

    def _web(self, source: Source) -> Fetcher | None:
        if source.kind != "web" or self.options.frozen:
            return None
        if self._fetcher is None:
            self._fetcher = self.project.world.fetcher()
        return self._fetcher

    def _finish(self, job: ExtractJob, extraction: Extraction, seconds: float) -> None:
        from kgsite.extract.assemble import assemble

        graph = assemble(
            job,
            extraction,
            settings=self.project.settings,
            provenance=self._provenance(job.document.source, job.language),
        )
        graph = self.extractor.enrich(job, graph)
        read = job.document.warnings  # shown on the document's page, also when a later build does not read it again
        graph = dataclasses.replace(graph, notes=tuple(dict.fromkeys((*read, *graph.notes))))
        for note in graph.notes:
            self.report.warn(note, file=job.document.source.path, code="read")
        for warning in extraction.warnings:
            self.report.warn(warning, file=job.document.source.path, code="extract")
        for name, number in extraction.usage.items():
            self.report.count(name, number)
        self._failed_chunks(job, extraction)
        self._save(job.document.source, graph)
        self.report.document(job.document.source.path, stats=stats(graph, extraction, seconds))

    def _failed_chunks(self, job: ExtractJob, extraction: Extraction) -> None:
        pages = {chunk.id: chunk for chunk in job.chunks}
        path = job.document.source.path
        for part in extraction.chunks:
            if part.status == "failed":
                chunk = pages[part.chunk_id]
                place = Place(f"{path} page", chunk.page_number) if chunk.page_number else None
                self.report.lose(ExtractError(f"chunk {chunk.chunk_idx} failed: {part.note}", at=place), file=path)

    def _import(self, source: Source) -> None:
        from kgsite.importers import import_graph

        graph = import_graph(source, provenance=self._provenance(source, ""), settings=self.project.settings)
        for note in graph.notes:
            self.report.warn(note, file=source.path, code="import")
        self._save(source, graph)
        self.report.document(source.path, imported=graph.provenance.extractor)

    def _provenance(self, source: Source, language: str) -> Provenance:
        before = self.project.store.load_graph(source.path, lambda _message: None)
        settings_hash = self.fingerprint(source, language)
        old = before.provenance if before else None
        same = old is not None and (old.source_hash, old.settings_hash) == (source.sha256, settings_hash)
        return Provenance(
            source=source.path,
            source_hash=source.sha256,
            settings_hash=settings_hash,
            extractor=self.extractor.name,
            model=self.extractor.model,
            added=old.added if old and old.added else self.today,
            changed=old.changed if old and same else self.today,
        )

    def _save(self, source: Source, graph: DocumentGraph) -> None:
        data = self.project.store.save_graph(graph)
        self.entries[source.path] = entry_of(graph, sha256(data))
        self.done += 1
        self.report.progress(self.done + len(self.failed), self.total, "documents", source.path)

    def _guard(self, source: Source, work: Any) -> None:
        """One bad file never stops the others, whatever it makes a stage do."""
        try:
            work()
        except KgsiteError as error:
            if error.code == "store":
                raise
            self._fail(source, error)
        except Exception as error:
            self._fail(source, unexpected(error))

    def _fail(self, source: Source, error: KgsiteError) -> None:
        self.failed[source.path] = error.message
        self.report.lose(error, file=source.path)
        self.report.progress(self.done + len(self.failed), self.total, "documents", source.path)


def unexpected(error: Exception) -> KgsiteError:
    """A bug, told with the place in kgsite where it happened."""
    import traceback

    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "kgsite" in frame.filename]
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    message = f"unexpected {type(error).__name__}: {str(error)[:200]}{where}"
    return ExtractError(message, hint="this is a fault of kgsite: please report it with the document")


def stats(graph: DocumentGraph, extraction: Extraction, seconds: float) -> dict[str, Any]:
    """The figures that the Knwler format lists under `stats` (FORMATS.md section 1), for report.json."""
    sizes = sorted(len(community.members) for community in graph.communities)
    tokens = [part.chunk.n_tokens for part in graph.chunks]
    times = [part.seconds for part in extraction.chunks]
    n = max(1, len(graph.chunks))
    return {
        "num_chunks": len(graph.chunks),
        "extraction_wall_time": round(seconds, 3),
        "total_time": round(seconds, 3),
        "total_cpu_time": round(sum(times), 3),
        "throughput_tps": round(sum(tokens) / seconds, 1) if seconds else 0.0,
        "time": _spread(times),
        "tokens": {**_spread(tokens, median=False), "total": sum(tokens)},
        "entities": {"total": len(graph.entities), "avg": round(len(graph.entities) / n, 2)},
        "relations": {"total": len(graph.relations), "avg": round(len(graph.relations) / n, 2)},
        "communities": {
            "count": len(sizes),
            "singletons": sum(size == 1 for size in sizes),
            "largest": sizes[-1] if sizes else 0,
            "size": _spread(sizes),
        },
        "dropped": dict(sorted(graph.dropped.items())),
        "evidence": {
            "quotes": sum(len(relation.evidence) for relation in graph.relations),
            "verified": sum(quote.verified for relation in graph.relations for quote in relation.evidence),
        },
    }


def _spread(numbers: list[Any], *, median: bool = True) -> dict[str, float]:
    if not numbers:
        return {"min": 0, "max": 0, "avg": 0, **({"median": 0} if median else {})}
    ordered = sorted(numbers)
    middle = len(ordered) // 2
    half = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    spread = {"min": round(ordered[0], 4), "max": round(ordered[-1], 4), "avg": round(sum(ordered) / len(ordered), 4)}
    return {**spread, "median": round(half, 4)} if median else spread
