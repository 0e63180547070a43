"""`kgsite check`: everything that can be wrong with a project, looked for without changing anything.

Front door: `check_project`. Each area is a module with one function that yields findings.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kgsite.checking.findings import Finding, Level, totals

if TYPE_CHECKING:
    from kgsite.project import Project

__all__ = ["Finding", "Level", "check_project", "totals"]


def check_project(
    project: Project, *, files: tuple[Path, ...] = (), external: bool = False, model: bool = False
) -> Iterator[Finding]:
    """Findings area by area, as they are found.

    With `files`, only these plain documents are checked against the schema. `external` follows links to other sites
    (slowly; they only warn), `model` tests the endpoint. Raises ConfigError for a schema that can't be read.
    """
    from kgsite.checking import content, endpoint, graphs, output, settings

    if files:
        yield from graphs.check_files(files, project.settings)
        return
    yield from settings.check(project)
    yield from content.check(project)
    yield from graphs.check(project)
    yield from output.check(project)
    if external:
        from kgsite.checking import outside

        yield from outside.check(project)
    if model:
        yield from endpoint.check(project)
