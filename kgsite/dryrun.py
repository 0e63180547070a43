"""`build --dry-run`: documents, chunks, tokens and cost, before anything is spent or written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kgsite.decide import Decision
from kgsite.errors import KgsiteError
from kgsite.extract.extractor import ExtractJob, Extractor
from kgsite.extraction import make_job, read_document
from kgsite.project import Project, wants_model
from kgsite.report import Report, plural

if TYPE_CHECKING:
    from kgsite.build import BuildOptions
    from kgsite.extract.llm.cost import CostPlan


def describe_work(
    project: Project,
    decisions: list[Decision],
    extractor: Extractor,
    options: BuildOptions,
    report: Report,
    *,
    questions: bool = False,
) -> None:
    """Say what a build would do, with `questions` also for those of site.toml. Fetches and writes nothing."""
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
    from kgsite.extract.llm.cost import CostPlan

    plan = CostPlan()
    if wants_model(project.settings):
        plan = _extraction(project, jobs, read_replies=not options.no_cache)
    if questions:
        plan = _with_questions(project, plan, report, settled=not work, no_cache=options.no_cache)
    if wants_model(project.settings) or plan.passes:
        _money(plan, report)
    else:
        report.say("no requests, no cost: the embedded extractor works offline")


def _extraction(project: Project, jobs: list[ExtractJob], *, read_replies: bool) -> CostPlan:
    from kgsite.extract.llm import plan_cost
    from kgsite.replystore import ReplyStore

    return plan_cost(jobs, project.settings, ReplyStore(project.store.replies, read=read_replies))


def _with_questions(project: Project, plan: CostPlan, report: Report, *, settled: bool, no_cache: bool) -> CostPlan:
    """The plan with the requests that answer `[questions]`."""
    from kgsite.ask.static import questions_cost

    cost = questions_cost(project, report, settled=settled, no_cache=no_cache)
    if cost is None:
        return plan
    notes = (
        plan.notes if settled else (*plan.notes, "questions are asked again where their facts change: all are counted")
    )
    return replace(plan, passes={**plan.passes, "questions": cost}, notes=notes)


def _money(plan: CostPlan, report: Report) -> None:
    for line in plan.lines():
        report.say(line)
    report.extra["plan"] |= plan.as_json()
