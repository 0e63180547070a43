"""`build --batch`: send the chunk requests through the Batch API, wait, collect, and go on with the ordinary build."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from kgsite.decide import Decision
from kgsite.errors import KgsiteError, UsageError
from kgsite.extraction import make_job, read_document
from kgsite.project import Project, wants_model
from kgsite.report import Report, plural

if TYPE_CHECKING:
    from kgsite.extract.extractor import ExtractJob

POLL = 60.0
"""Seconds between two looks at a batch that is under way."""


def run_batch(
    project: Project, decisions: list[Decision], report: Report, *, sleep: Callable[[float], None] = time.sleep
) -> None:
    """Bring every chunk's reply into the reply store. Interrupted, it goes on where it was at the next call.

    Raises UsageError when no model is named, and what the endpoint says.
    """
    if not wants_model(project.settings):
        message = "--batch needs a model"
        raise UsageError(message, hint='name one in site.toml: [llm] model = "…"')
    from kgsite.extract.llm import advance_batch
    from kgsite.replystore import ReplyStore

    jobs = _jobs(project, decisions, report)
    while True:
        store = ReplyStore(project.store.replies)
        progress = advance_batch(jobs, project.settings, store, environ=project.world.environ)
        for message in progress.messages:
            report.say(message)
        if progress.step == "nothing":
            return
        report.say(
            f"batch {progress.step}: {plural(progress.submitted, 'request')} under way,"
            f" {progress.collected:,} collected, {progress.missing:,} missing"
        )
        if progress.step in {"submitted", "waiting"}:
            sleep(POLL)


def _jobs(project: Project, decisions: list[Decision], report: Report) -> list[ExtractJob]:
    jobs: list[ExtractJob] = []
    for decision in decisions:
        if decision.needs_work and decision.source.kind != "graph":
            fetcher = project.world.fetcher() if decision.source.kind == "web" else None
            try:
                jobs.append(make_job(project, read_document(project, decision.source, fetcher, report)))
            except KgsiteError as error:
                report.lose(error, file=decision.source.path)
    return jobs
