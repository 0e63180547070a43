"""Errors as the overlay shows them: what, where, the lines around it, what to do. Plain data; the page escapes it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from kgsite.errors import KgsiteError, Place

AROUND = 2  # lines before and after the one that is wrong
_LONGEST_LINE = 300  # characters
_LARGEST_SOURCE = 4 << 20  # bytes
_PACKAGED = re.compile(r"the packaged theme '([\w-]+)'/")
_MOST = 20


def faults_of(error: BaseException, root: Path) -> list[dict[str, Any]]:
    """One record for each problem of an error: title, message, place, line, column, hint, source."""
    problems = getattr(error, "problems", None) or [error]
    return [_fault(problem, root) for problem in problems[:_MOST]]


def _fault(error: BaseException, root: Path) -> dict[str, Any]:
    if not isinstance(error, KgsiteError):
        from kgsite.extraction import unexpected

        error = unexpected(error) if isinstance(error, Exception) else KgsiteError(type(error).__name__)
    place = error.at
    return {
        "code": error.code,
        "message": error.message,
        "place": str(place) if place else "",
        "file": place.file if place else "",
        "line": place.line if place else None,
        "column": place.column if place else None,
        "hint": error.hint,
        "source": source_lines(place, root) if place else [],
    }


def source_lines(place: Place, root: Path) -> list[dict[str, Any]]:
    """Five lines around a place: number, text, and whether it is the one. What the error itself quotes else."""
    if place.line is None:
        return []
    lines = _lines_of(place.file, root)
    if not 0 < place.line <= len(lines):
        return [{"number": place.line, "text": place.text[:_LONGEST_LINE], "hit": True}] if place.text else []
    first, last = max(1, place.line - AROUND), min(len(lines), place.line + AROUND)
    return [
        {"number": number, "text": lines[number - 1][:_LONGEST_LINE], "hit": number == place.line}
        for number in range(first, last + 1)
    ]


def _lines_of(name: str, root: Path) -> list[str]:
    """Lines of a file of the project or of the packaged theme; none for anything else."""
    packaged = _PACKAGED.match(name)
    if packaged:
        from kgsite.site.theme import packaged_themes

        base, file = packaged_themes(), packaged_themes() / packaged[1] / name[packaged.end() :]
    else:
        base, file = root, root / name
    try:
        if not file.resolve().is_relative_to(base.resolve()) or file.stat().st_size > _LARGEST_SOURCE:
            return []
        return file.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    except (OSError, ValueError):
        return []
