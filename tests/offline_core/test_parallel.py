"""Documents extracted side by side: the same outcomes in the same order, and no document takes others with it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from multiprocessing import active_children

import pytest

from kgsite.errors import ExtractError
from kgsite.extract.chunk import chunk
from kgsite.extract.extractor import ExtractJob
from kgsite.extract.offline import offline_extractor, parallel
from kgsite.extract.offline.parallel import ParallelExtractor, side_by_side, workers_for
from kgsite.model import Block, Document, Extraction, Source, SourcePath


def job(number: int) -> ExtractJob:
    text = f"Emmy Noether lehrte in Göttingen. Emmy Noether traf David Hilbert und Person {number * 'A'}berg."
    document = Document(
        f"{number}", Source(SourcePath(f"{number}.txt"), "text", None), text, (Block(0, len(text), "paragraph"),)
    )
    return ExtractJob(document, chunk(document, max_tokens=400, overlap_tokens=50), "de")


def killing(one: ExtractJob) -> Extraction | ExtractError:
    """A worker that is killed by its third document, as by the kernel when memory runs out."""
    if one.document.id == "3":
        os.kill(os.getpid(), signal.SIGKILL)
    ((_, outcome),) = offline_extractor().extract([one])
    assert isinstance(outcome, Extraction)
    return outcome


def test_the_same_outcomes_in_the_same_order() -> None:
    jobs = [job(number) for number in range(1, 12)]
    alone = list(offline_extractor().extract(jobs))
    assert list(ParallelExtractor(offline_extractor(), 3).extract(iter(jobs))) == alone
    assert not active_children()


def test_jobs_are_made_only_when_their_turn_comes() -> None:
    made: list[int] = []

    def jobs() -> Iterator[ExtractJob]:
        for number in range(1, 30):
            made.append(number)
            yield job(number)

    outcomes = ParallelExtractor(offline_extractor(), 2).extract(jobs())
    next(outcomes)
    assert len(made) <= 5
    outcomes.close()  # type: ignore[attr-defined]
    assert not active_children()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the patch reaches forked workers only")
def test_a_killed_worker_costs_one_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_extract", killing)
    jobs = [job(number) for number in range(1, 7)]
    outcomes = list(ParallelExtractor(offline_extractor(), 2).extract(jobs))
    assert [one.document.id for one, _ in outcomes] == ["1", "2", "3", "4", "5", "6"]
    assert [one.document.id for one, outcome in outcomes if isinstance(outcome, ExtractError)] == ["3"]


def test_how_many_workers() -> None:
    assert [workers_for("auto", 3), workers_for(6, 3), workers_for(6, 100), workers_for(1, 100)] == [1, 1, 6, 1]
    assert 1 <= workers_for("auto", 100) <= 4
    extractor = offline_extractor()
    assert side_by_side(extractor, 4, 2) is extractor
    assert isinstance(side_by_side(extractor, 4, 200), ParallelExtractor)
