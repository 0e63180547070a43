"""Offline extraction of several documents side by side, in worker processes.

Each worker loads its own parser and takes one document after the other. Outcomes come back in the order of the jobs,
so the bytes of a build don't depend on the number of workers. A worker that dies costs its document, not the build.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing import active_children, get_context
from typing import TYPE_CHECKING

from kgsite.errors import ExtractError, KgsiteError

if TYPE_CHECKING:
    from kgsite.extract.extractor import ExtractJob, Extractor
    from kgsite.model import DocumentGraph, Extraction

    Outcome = Extraction | KgsiteError

PARALLEL_FROM = 8
"""Jobs; a worker with the English parser takes three seconds to start."""
MOST_WORKERS = 4
"""Unless --jobs says otherwise: each holds its own parser, about 200 MB."""
_AHEAD = 2  # jobs a worker that are read and cut before their turn


def workers_for(jobs: int | str, documents: int) -> int:
    """How many processes to use for so many documents; `jobs` is the setting, a number or "auto"."""
    if documents < PARALLEL_FROM:
        return 1
    wanted = jobs if isinstance(jobs, int) else min(MOST_WORKERS, os.cpu_count() or 1)
    return max(1, min(wanted, documents))


def side_by_side(extractor: Extractor, jobs: int | str, documents: int) -> Extractor:
    """`extractor` itself, or in worker processes when it is the offline one and has enough to do."""
    from kgsite.extract.offline import OfflineExtractor

    workers = workers_for(jobs, documents)
    return (
        ParallelExtractor(extractor, workers) if workers > 1 and isinstance(extractor, OfflineExtractor) else extractor
    )


class ParallelExtractor:
    """The offline extractor in `workers` processes; everything else about it is as it is."""

    def __init__(self, extractor: Extractor, workers: int) -> None:
        self.extractor = extractor
        self.workers = workers

    @property
    def name(self) -> str:
        return self.extractor.name

    @property
    def model(self) -> str:
        return self.extractor.model

    def settings(self, language: str) -> Mapping[str, object]:
        return self.extractor.settings(language)

    def enrich(self, job: ExtractJob, graph: DocumentGraph) -> DocumentGraph:
        return self.extractor.enrich(job, graph)

    def extract(self, jobs: Iterable[ExtractJob]) -> Iterator[tuple[ExtractJob, Outcome]]:
        """One outcome for each job, in order."""
        waiting: deque[tuple[ExtractJob, Future[Outcome]]] = deque()
        remaining = iter(jobs)
        with _pool(self.workers) as pool:
            for job in islice(remaining, self.workers * _AHEAD):
                waiting.append((job, pool.submit(_extract, job)))
            while waiting:
                job, future = waiting.popleft()
                try:
                    outcome = future.result()
                except BrokenProcessPool:
                    break
                following = next(remaining, None)
                if following is not None:
                    waiting.append((following, pool.submit(_extract, following)))
                yield job, outcome
            else:
                return
        yield from _alone(chain([job], (job for job, _ in waiting), remaining))


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """A pool that leaves nothing behind: on Ctrl-C and errors its workers end at once, whatever they are doing."""
    before = set(active_children())
    context = get_context("fork" if sys.platform == "linux" else "spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin)
    try:
        yield pool
    except BaseException:
        for child in set(active_children()) - before:
            child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _alone(jobs: Iterable[ExtractJob]) -> Iterator[tuple[ExtractJob, Outcome]]:
    """After a worker died (of memory, most often): one document at a time, each in a process of its own."""
    for job in jobs:
        with _pool(1) as pool:
            try:
                outcome = pool.submit(_extract, job).result()
            except BrokenProcessPool:
                message = f"{job.document.source.path}: its extraction ended without a word (out of memory?)"
                outcome = ExtractError(message, hint="divide the document, or use --jobs 1")
        yield job, outcome


def _begin() -> None:
    """In a worker: Ctrl-C ends it without a word; the main process says what there is to say."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _extract(job: ExtractJob) -> Outcome:
    """In a worker: one document. Errors are outcomes, and told without what can't be pickled."""
    from kgsite.extract.offline import offline_extractor

    try:
        ((_, outcome),) = offline_extractor().extract([job])
    except Exception as error:  # whatever a document makes the rules do, the others go on
        return ExtractError(f"unexpected {type(error).__name__}: {str(error)[:200]}")
    return outcome
