"""The last lines of a build: what was done, in numbers with their units. Also report.json and the log."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from kgsite.errors import KgsiteError
from kgsite.report import Report, human_bytes, human_seconds, plural
from kgsite.store import write_atomic

if TYPE_CHECKING:
    from kgsite.build import BuildResult
    from kgsite.project import Project

_STATUS = ("new", "changed", "renamed", "unchanged", "retry", "failed", "skipped", "removed")


def summary_lines(report: Report, result: BuildResult, *, output: str, hint: str) -> list[str]:
    """The closing summary for people."""
    counts, totals = report.counts, result.totals
    parts = [
        f"{counts[f'documents_{status}']:,} {_word(status)}" for status in _STATUS if counts.get(f"documents_{status}")
    ]
    documents = counts.get("documents", 0) + counts.get("documents_skipped", 0)
    lines = [f"{plural(documents, 'document')}: {', '.join(parts) or 'none'}"]
    if counts.get("requests") or counts.get("cached"):
        lines.append(_model_line(report))
    if totals:
        lines.append(
            f"{plural(totals['entities'], 'entity', 'entities')}, {plural(totals['facts'], 'relation')},"
            f" {plural(totals['communities'], 'community', 'communities')}"
        )
        lines.append(_pages_line(totals))
        lines.append(
            f"{output}/ holds {plural(totals['files'], 'file')}, {human_bytes(totals['bytes'])}: {_sizes(totals['bytes_by_kind'])}"
        )
    if result.nothing_to_do:
        lines.append("nothing changed: extracted nothing, rendered nothing, wrote nothing")
    if report.warnings or report.losses:
        lines.append(
            f"{plural(len(report.warnings), 'warning')}, {plural(len(report.losses), 'loss', 'losses')}: see .kgsite/cache/report.json"
        )
    stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in report.seconds.items() if seconds >= 0.05)
    total = sum(report.seconds.values())
    lines.append(f"{total:.1f} s" + (f" ({stages})" if stages else ""))
    if hint:
        lines.append(hint)
    return lines


def _word(status: str) -> str:
    return {"retry": "tried again"}.get(status, status)


def _model_line(report: Report) -> str:
    counts = report.counts
    tokens = counts.get("prompt_tokens", 0) + counts.get("completion_tokens", 0)
    cost = report.extra.get("cost")
    money = f", cost {cost:.4f}" if isinstance(cost, float) else ", cost unknown (no price in [prices])"
    return f"{plural(counts.get('requests', 0), 'request')}, {plural(tokens, 'token')}, {counts.get('cached', 0):,} from the reply store{money}"


_KINDS_SHOWN = 6


def _sizes(by_kind: Mapping[str, int]) -> str:
    """The largest kinds of files with their sizes; all of them are in report.json."""
    ordered = sorted(by_kind.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{kind} {human_bytes(size)}" for kind, size in ordered[:_KINDS_SHOWN]]
    rest = sum(size for _, size in ordered[_KINDS_SHOWN:])
    return ", ".join([*shown, *([f"others {human_bytes(rest)}"] if rest else [])])


def _pages_line(totals: Any) -> str:
    return (
        f"{plural(totals['rendered'], 'page')} rendered, {totals['unchanged']:,} unchanged;"
        f" {plural(totals['written'], 'file')} written, {totals['pruned']:,} removed"
    )


def interrupted_line(report: Report) -> str:
    """What Ctrl-C leaves, and what going on costs."""
    done, total, unit = report.reached.get("extract", (0, 0, "documents"))
    kept = f"{done:,} of {total:,} {unit} are extracted and kept" if total else "all that was there is kept"
    cost = "going on costs no request"
    if "openai" in str(report.extra.get("extractor", "")):
        cost = "every reply is kept too, so going on pays again only for requests that were under way"
    return f"interrupted: {kept}; {cost}. The site is as it was; build again to go on"


def write_failure(project: Project, report: Report, error: KgsiteError) -> None:
    """Leave report.json and the log of a build that failed; not when .kgsite itself was the trouble."""
    if error.code == "store":
        return
    from kgsite.build import BuildResult

    report.extra["error"] = {"code": error.code, "message": str(error)}
    with contextlib.suppress(KgsiteError):
        write_report(project, report, BuildResult(error.exit_code), [f"error: {error}"])


def write_report(project: Project, report: Report, result: BuildResult, lines: list[str]) -> None:
    """Write report.json and build.log below .kgsite/cache/."""
    data = {**report.as_json(), "exit_code": result.exit_code, "site": dict(result.totals)}
    write_atomic(
        project.store.report_file, orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS) + b"\n"
    )
    log = [*(f"{notice.level}: {notice.line()}" for notice in report.notices), "", *_document_lines(report), "", *lines]
    write_atomic(project.store.log_file, ("\n".join(log).strip() + "\n").encode("utf-8", "backslashreplace"))


def _document_lines(report: Report) -> list[str]:
    lines: list[str] = []
    for path, facts in sorted(report.documents.items()):
        lines.append(f"{facts.get('status', ''):>9}  {path}: {facts.get('reason', '')}")
        stats = facts.get("stats")
        if stats:
            lines.append(
                f"           {plural(stats['num_chunks'], 'chunk')}, {plural(stats['tokens']['total'], 'token')},"
                f" {plural(stats['entities']['total'], 'entity', 'entities')},"
                f" {plural(stats['relations']['total'], 'relation')}, {stats['evidence']['verified']} of"
                f" {plural(stats['evidence']['quotes'], 'quote')} verified,"
                f" {plural(stats['communities']['count'], 'community', 'communities')},"
                f" {human_seconds(stats['total_time'])}, {stats['throughput_tps']:.0f} tokens/s"
            )
    return lines
