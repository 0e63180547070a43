"""Everything that kgsite says when something is wrong: what, where, and what to do about it.

Exit codes: 1 the build or check failed, 2 wrong use or configuration, 3 partial, 130 interrupted.
Each class has a stable `code`; docs/errors.md explains every one of them (a test compares the lists).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is wrong: a file, and a line and column (both from 1) when known."""

    file: str  # relative to the project where possible, never an absolute path of the author's machine
    line: int | None = None
    column: int | None = None
    text: str = ""  # the line itself

    def __str__(self) -> str:
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)


class KgsiteError(Exception):
    """The base of all errors that are shown to people, once, at the edge."""

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, at: Place | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.at = at
        self.hint = hint

    def __str__(self) -> str:
        lines = [f"{self.at}: {self.message}" if self.at else self.message]
        if self.at and self.at.text:
            lines.append(f"    {self.at.text}")
            if self.at.column is not None:
                lines.append("    " + " " * (self.at.column - 1) + "^")
        if self.hint:
            lines.append(f"  → {self.hint}")
        return "\n".join(lines)


class UsageError(KgsiteError):
    """The command was called in a way that can't be done."""

    code = "usage"
    exit_code = 2


class ConfigError(KgsiteError):
    """site.toml, a theme's options or the environment says something that is not allowed."""

    code = "config"
    exit_code = 2


class ReadError(KgsiteError):
    """A source can't be read as text; the others go on."""

    code = "read"


class FetchError(ReadError):
    """A URL under content/ can't be fetched or may not be."""

    code = "fetch"


class ImportGraphError(ReadError):
    """A ready-made graph can't be understood."""

    code = "import"


class ExtractError(KgsiteError):
    """An extractor could not do its work on a document."""

    code = "extract"


class FrozenError(KgsiteError):
    """`--frozen` was asked for, but documents need an extraction or the network."""

    code = "frozen"


class StrictError(KgsiteError):
    """`--strict` was asked for, and something was lost or warned about."""

    code = "strict"


class BudgetError(KgsiteError):
    """`max_requests` or `max_tokens_total` would be passed."""

    code = "budget"


class StoreError(KgsiteError):
    """The .kgsite folder can't be used: locked, read-only or from a newer version."""

    code = "store"


class ThemeError(KgsiteError):
    """A theme, a template or a theme option is broken."""

    code = "theme"


class PublishError(KgsiteError):
    """The output folder can't be written, or must not be."""

    code = "publish"


class ExportError(KgsiteError):
    """A graph can't be written in the format asked for."""

    code = "export"
