"""`build --dry-run`: documents, chunks, tokens and cost, before anything is spent or written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgsite.decide import Decision
from kgsite.errors import KgsiteError
from kgsite.extract.extractor import ExtractJob, Extractor
from kgsite.extraction import make_job, read_document
from kgsite.project import Project, wants_model
from kgsite.report import Report, plural

if TYPE_CHECKING:
    from kgsite.build import BuildOptions


def describe_work(
    project: Project, decisions: list[Decision], extractor: Extractor, options: BuildOptions, report: Report
) -> None:
    """Say what a build would do. Reads documents; fetches and writes nothing."""
    jobs: list[ExtractJob] = []
    for decision in decisions:
        source = decision.source
        if decision.status != "unchanged" and not options.explain:
            report.say(f"{decision.status:>9}  {source.path}: {decision.reason}")
        if not decision.needs_work or source.kind == "graph":
            continue
        try:
            jobs.append(make_job(project, read_document(project, source, None, report)))
        except KgsiteError as error:
            if error.code == "frozen":
                report.say(f"           {source.path} is on the web and not fetched yet")
            else:
                report.lose(error, file=source.path)
    chunks = [chunk for job in jobs for chunk in job.chunks]
    work = sum(decision.needs_work for decision in decisions)
    report.say(f"{plural(work, 'document')} of {len(decisions):,} would be extracted with {extractor.name}")
    report.say(f"{plural(len(chunks), 'chunk')}, {plural(sum(chunk.n_tokens for chunk in chunks), 'token')} of text")
    report.extra["plan"] = {"documents": work, "chunks": len(chunks), "tokens": sum(chunk.n_tokens for chunk in chunks)}
    if wants_model(project.settings):
        _money(project, jobs, report, read_replies=not options.no_cache)
    else:
        report.say("no requests, no cost: the embedded extractor works offline")


def _money(project: Project, jobs: list[ExtractJob], report: Report, *, read_replies: bool) -> None:
    from kgsite.extract.llm import plan_cost
    from kgsite.replystore import ReplyStore

    plan = plan_cost(jobs, project.settings, ReplyStore(project.store.replies, read=read_replies))
    for line in plan.lines():
        report.say(line)
    report.extra["plan"] |= plan.as_json()
