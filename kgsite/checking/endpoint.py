"""The model endpoint: what `check_endpoint` finds."""

from __future__ import annotations

from collections.abc import Iterator

from kgsite.checking.findings import Finding, Level
from kgsite.project import Project, wants_model

_LEVELS: dict[str, Level] = {"ok": "ok", "warning": "warning", "error": "error"}


def check(project: Project) -> Iterator[Finding]:
    """One request for the list of models and one or two small ones."""
    if not wants_model(project.settings):
        yield Finding("endpoint", "error", "no model is chosen", "site.toml", 'name one: [llm] model = "…"')
        return
    from kgsite.extract.llm import check_endpoint

    for finding in check_endpoint(project.settings, environ=project.world.environ).findings:
        yield Finding("endpoint", _LEVELS.get(finding.level, "warning"), finding.message, hint=finding.hint)
