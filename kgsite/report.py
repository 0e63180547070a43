"""What a build says while it runs and what it leaves behind: progress, timings, counts, losses.

A `Report` gathers; a `Display` shows. Terminal, plain lines (CI), JSON lines and silence are four displays of the
same events, so that tests can count work without reading prose.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TextIO

from kgsite.errors import KgsiteError, StrictError

Clock = Callable[[], float]
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(32), 127, *range(0x80, 0xA0))}


def printable(text: str) -> str:
    """Text from outside, safe for a terminal and one line: control characters and lone surrogates escaped."""
    return text.translate(_CONTROL).encode("utf-8", "backslashreplace").decode("utf-8")


@dataclass(frozen=True, slots=True)
class Notice:
    """Something worth knowing about one document or the whole build."""

    level: str  # "loss" (missing from the site), "warning", or "skipped" (never meant to be read)
    code: str  # the error class's code, or "note"
    message: str
    file: str = ""
    page: int | None = None
    hint: str = ""

    def line(self) -> str:
        where = f"{printable(self.file)}: " if self.file else ""
        return where + printable(self.message) + (f" → {printable(self.hint)}" if self.hint else "")


class Display(Protocol):
    """Shows events as they come."""

    def event(self, name: str, data: Mapping[str, Any]) -> None: ...

    def close(self) -> None: ...


class Silent:
    """Shows nothing."""

    def event(self, name: str, data: Mapping[str, Any]) -> None:
        pass

    def close(self) -> None:
        pass


class JsonLines:
    """One event per line to stdout, for machines."""

    def __init__(self, out: TextIO) -> None:
        self.out = out

    def event(self, name: str, data: Mapping[str, Any]) -> None:
        self.out.write(json.dumps({"event": name, **data}, ensure_ascii=True, sort_keys=True) + "\n")
        self.out.flush()

    def close(self) -> None:
        self.out.flush()


class Lines:
    """Human lines to stderr: a moving progress line on a terminal, a line now and then elsewhere."""

    EVERY = 5.0  # seconds between progress lines where the line can't be rewritten

    def __init__(self, out: TextIO, *, terminal: bool, clock: Clock = time.monotonic) -> None:
        self.out = out
        self.terminal = terminal
        self.clock = clock
        self.shown = 0.0
        self.width = 0

    def event(self, name: str, data: Mapping[str, Any]) -> None:
        if name == "progress":
            self._progress(data)
        elif name == "notice":
            word = {"loss": "error"}.get(data["level"], data["level"])
            self._line(f"{word}: {Notice(**data).line()}")
        elif name == "say":
            self._line(str(data["text"]))

    def close(self) -> None:
        if self.width:
            self.out.write("\r" + " " * self.width + "\r")
            self.width = 0
        self.out.flush()

    def _progress(self, data: Mapping[str, Any]) -> None:
        now = self.clock()
        last = data["done"] >= data["total"]
        if now - self.shown < (0.1 if self.terminal else self.EVERY) and not (last and self.terminal):
            return
        self.shown = now
        left = f", about {human_seconds(data['left'])} left" if data.get("left") is not None and not last else ""
        text = f"{data['stage']} {data['done']}/{data['total']} {data['unit']}{left}"
        if data.get("label"):
            text += f"  {printable(data['label'])}"
        if self.terminal:
            text = text[:100]
            self.out.write("\r" + text.ljust(self.width))
            self.width = len(text)
            self.out.flush()
        else:
            self._line(text)

    def _line(self, text: str) -> None:
        self.close()
        try:
            self.out.write(text + "\n")
        except UnicodeEncodeError:  # a console that is not UTF-8
            self.out.write(text.encode("ascii", "replace").decode("ascii") + "\n")
        self.out.flush()


@dataclass
class Report:
    """The record of one build."""

    display: Display = field(default_factory=Silent)
    clock: Clock = time.monotonic
    counts: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    documents: dict[str, dict[str, Any]] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    reached: dict[str, tuple[int, int, str]] = field(default_factory=dict)  # stage → done, total, unit
    _stage: str = ""
    _began: float = 0.0

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage; its seconds add up when it is entered again."""
        outer, self._stage = self._stage, name
        began = self._began = self.clock()
        self.display.event("stage", {"stage": name})
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + self.clock() - began
            self._stage = outer

    def progress(self, done: int, total: int, unit: str, label: str = "") -> None:
        """Tell how far the present stage is."""
        self.reached[self._stage] = (done, total, unit)
        spent = self.clock() - self._began
        # The first few carry the start-up of a stage and would promise minutes that are none.
        left = spent / done * (total - done) if spent > 2 and done >= 0.04 * total else None
        self.display.event(
            "progress", {"stage": self._stage, "done": done, "total": total, "unit": unit, "label": label, "left": left}
        )

    def count(self, name: str, number: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + number

    def document(self, path: str, **facts: Any) -> None:
        """Add facts about one document: status, reason, entities, …"""
        self.documents.setdefault(path, {}).update(facts)

    def warn(
        self, message: str, *, file: str = "", code: str = "note", page: int | None = None, hint: str = ""
    ) -> None:
        self._notice(Notice("warning", code, message, file, page, hint))

    def lose(self, error: KgsiteError, *, file: str) -> None:
        """Something is missing from the site because of `error`."""
        page = error.at.line if error.at and error.at.file == f"{file} page" else None
        self._notice(Notice("loss", error.code, error.message, file, page, error.hint))

    def skip(self, message: str, *, file: str, code: str) -> None:
        """Something under content/ that kgsite does not read and nobody expects it to."""
        self._notice(Notice("skipped", code, message, file))

    def say(self, text: str = "") -> None:
        """A line for people."""
        self.display.event("say", {"text": text})

    def _notice(self, notice: Notice) -> None:
        if notice in self.notices:
            return
        self.notices.append(notice)
        self.display.event("notice", {name: getattr(notice, name) for name in Notice.__dataclass_fields__})

    @property
    def losses(self) -> list[Notice]:
        return [notice for notice in self.notices if notice.level == "loss"]

    @property
    def warnings(self) -> list[Notice]:
        return [notice for notice in self.notices if notice.level == "warning"]

    def as_json(self) -> dict[str, Any]:
        """report.json: counts, seconds by stage, every document and every notice."""
        return {
            "format": 1,
            "counts": dict(sorted(self.counts.items())),
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
            "documents": [{"path": path, **facts} for path, facts in sorted(self.documents.items())],
            "losses": [_plain(notice) for notice in self.losses],
            "warnings": [_plain(notice) for notice in self.warnings],
            "skipped": [_plain(notice) for notice in self.notices if notice.level == "skipped"],
            **self.extra,
        }


def _plain(notice: Notice) -> dict[str, Any]:
    return {name: value for name in Notice.__dataclass_fields__ if (value := getattr(notice, name)) not in ("", None)}


def refuse_doubts(report: Report) -> None:
    """`--strict`: raise StrictError when anything was lost or warned about; nothing is published then."""
    if report.losses or report.warnings:
        count = f"{plural(len(report.warnings), 'warning')} and {plural(len(report.losses), 'loss', 'losses')}"
        message = f"--strict: {count}, so nothing is published"
        raise StrictError(message, hint="they are listed above and in .kgsite/cache/report.json")


def display_for(*, json_lines: bool, quiet: bool = False) -> Display:
    """The display for this terminal."""
    if json_lines:
        return JsonLines(sys.stdout)
    if quiet:
        return Silent()
    return Lines(sys.stderr, terminal=sys.stderr.isatty())


def human_seconds(seconds: float) -> str:
    """3 s, 2 min, 1 h 5 min."""
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def human_bytes(size: int) -> str:
    """Bytes in the unit a person would use (1 kB = 1,000 bytes)."""
    for unit, factor in (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"


def plural(number: int, word: str, many: str = "") -> str:
    """1 document, 3 documents, 12,000 entities."""
    return f"{number:,} {word if number == 1 else many or word + 's'}"
