"""What a check says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. Errors fail the check, warnings do not, "ok" says what was looked at."""

    area: str  # settings, content, graphs, schema, links, size, publishing, outside, endpoint
    level: Level
    message: str
    where: str = ""  # file below the project, content/ or the output
    hint: str = ""

    def line(self) -> str:
        """For people."""
        place = f"{self.where}: " if self.where else ""
        text = f"{self.level:>7}  {self.area}: {place}{self.message}"
        return f"{text}\n         → {self.hint}" if self.hint else text


def totals(findings: Iterable[Finding]) -> dict[str, int]:
    """Findings by level."""
    counts = {"error": 0, "warning": 0, "ok": 0}
    for finding in findings:
        counts[finding.level] += 1
    return counts


def at_most(findings: Iterable[Finding], most: int, area: str, level: Level, what: str) -> Iterable[Finding]:
    """The first `most` findings, and how many more there are."""
    left = 0
    for number, finding in enumerate(findings):
        if number < most:
            yield finding
        else:
            left += 1
    if left:
        yield Finding(area, level, f"and {left:,} more {what}")
