"""site.toml: what its reader doubts, and what a published site should have."""

from __future__ import annotations

from collections.abc import Iterator

from kgsite.checking.findings import Finding
from kgsite.errors import KgsiteError
from kgsite.project import Project


def check(project: Project) -> Iterator[Finding]:
    """Warnings of the reader, the schema, the theme, and missing settings."""
    problems = list(_problems(project))
    yield from problems
    if not any(finding.level == "error" for finding in problems):
        yield Finding("settings", "ok", "site.toml, schema and theme can be read")


def _problems(project: Project) -> Iterator[Finding]:
    for warning in project.loaded.warnings:
        yield Finding("settings", "warning", warning.message, str(warning.at or ""), warning.hint)
    yield from _readable(project)
    site = project.settings.site
    if not site.base_url:
        hint = 'for example base_url = "https://name.github.io/project/"'
        yield Finding("publishing", "warning", "[site] base_url is not set: no sitemap, no canonical links", hint=hint)
    elif not site.base_url.startswith("https://"):
        yield Finding("publishing", "warning", "[site] base_url is not https", hint="hosts of static sites serve https")
    if not site.license:
        yield Finding("publishing", "warning", "[site] license is not set: readers can't know what they may do")


def _readable(project: Project) -> Iterator[Finding]:
    from kgsite.extract.schema_use import schema_in_force
    from kgsite.site import load_theme

    for area, load in (("schema", schema_in_force), ("theme", load_theme)):
        try:
            load(project.settings)
        except KgsiteError as error:
            yield Finding(area, "error", error.message, str(error.at or ""), error.hint)
