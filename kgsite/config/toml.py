"""TOML with places: tomllib reads the values, a small scanner says where each key stands.

tomllib (PEP 680) keeps no positions. The scanner follows only what decides positions: comments, strings of
the four kinds, brackets, table headers and keys; values are never interpreted here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kgsite.errors import ConfigError, Place

KeyPath = tuple[str, ...]

_AT = re.compile(r"\(at line (\d+), column (\d+)\)|\(at end of document\)")
_BARE_OR_QUOTED = re.compile(r'\s*(?:([A-Za-z0-9_-]+)|"((?:[^"\\]|\\.)*)"|\'([^\']*)\')\s*')
_WHOLE_LINE = re.compile(r"\s*(\[\[?[^\]]*|[\w.\"'-]+\s*=?.*)$")
_OPEN_HEADER = re.compile(r"\s*\[\s*([A-Za-z0-9_.-]+)[^\]]*$")
_MOST_SYNTAX_ERRORS = 20


@dataclass(frozen=True, slots=True)
class TomlFile:
    """A parsed file: its values, where each key stands (line and column from 1), its lines, its syntax errors."""

    name: str
    values: Mapping[str, Any]
    places: Mapping[KeyPath, tuple[int, int]] = field(default_factory=dict)
    lines: tuple[str, ...] = ()
    errors: tuple[ConfigError, ...] = ()

    def place(self, path: KeyPath) -> Place:
        """The place of a key, or of the nearest table that holds it."""
        while path and path not in self.places:
            path = path[:-1]
        if not path:
            return Place(self.name)
        line, column = self.places[path]
        return Place(self.name, line, column, self.lines[line - 1])


def parse(text: str, name: str) -> TomlFile:
    """Read TOML; syntax errors are returned, not raised, with what could be read of the rest."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    lines = text.split("\n")
    errors: list[ConfigError] = []
    values: dict[str, Any] = {}
    readable = list(lines)
    while True:
        try:
            values = tomllib.loads("\n".join(readable))
            break
        except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
            line, column = _position(str(error), readable)
            reason = _AT.sub("", str(error)).strip() or "the file can't be read"
            place = Place(name, line, column, lines[line - 1] if line <= len(lines) else "")
            if all(told.at is None or told.at.line != line for told in errors):
                errors.append(ConfigError(f"not valid TOML: {reason}", at=place, hint=_syntax_hint(place.text)))
            # Only a line that stands for itself can be left out without inventing errors further down.
            alone = line <= len(lines) and _WHOLE_LINE.match(lines[line - 1])
            if len(errors) >= _MOST_SYNTAX_ERRORS or not alone or not readable[line - 1].strip():
                break
            readable[line - 1] = _mended_header(readable[line - 1])
    return TomlFile(name, values, _places(readable), tuple(lines), tuple(errors))


def _mended_header(line: str) -> str:
    """`[build]` for `[build`, so that the keys below are not taken for those of the table above; "" for other lines."""
    found = _OPEN_HEADER.match(line)
    return f"[{found.group(1)}]" if found else ""


def _position(message: str, lines: list[str]) -> tuple[int, int]:
    found = _AT.search(message)
    if found is None or found.group(1) is None:
        last = max((number for number, line in enumerate(lines, 1) if line.strip()), default=1)
        return last, len(lines[last - 1]) + 1
    line, column = int(found.group(1)), int(found.group(2))
    # tomllib reports an unclosed value at the start of the next line.
    if line > 1 and column == 1 and (line > len(lines) or not lines[line - 1].strip()):
        return line - 1, len(lines[line - 2]) + 1
    return line, column


def _syntax_hint(line: str) -> str:
    value = line.partition("=")[2].strip()
    if (
        "=" in line
        and value[:1] not in {'"', "'"}
        and re.match(r"[A-Za-z~/.]", value)
        and value not in {"true", "false"}
    ):
        return f'text needs quotes: {line.partition("=")[0].strip()} = "{value}"'
    if "=" not in line and ":" in line:
        return "TOML writes key = value, not key: value"
    if line.lstrip().startswith("[") and "]" not in line:
        return "a table header ends with ]"
    return ""


def _places(lines: list[str]) -> dict[KeyPath, tuple[int, int]]:
    places: dict[KeyPath, tuple[int, int]] = {}
    table: KeyPath = ()
    number = 0
    while number < len(lines):
        line = lines[number]
        stripped = line.strip()
        if stripped.startswith("["):
            header = stripped.lstrip("[")
            table = _keys(header)[0]
            places.setdefault(table, (number + 1, len(line) - len(line.lstrip()) + 1))
        elif stripped and not stripped.startswith("#"):
            keys, rest = _keys(line)
            column = len(line) - len(line.lstrip()) + 1
            for depth in range(1, len(keys) + 1):
                places.setdefault(table + keys[:depth], (number + 1, column))
            _inline_places(rest, table + keys, number + 1, len(line) - len(rest) + 1, places)
            number += _value_lines(rest, lines, number)
        number += 1
    return places


def _keys(text: str) -> tuple[KeyPath, str]:
    """The dotted key at the start of `text`, and what follows it."""
    keys: list[str] = []
    at = 0
    while found := _BARE_OR_QUOTED.match(text, at):
        keys.append(next(group for group in found.groups() if group is not None))
        at = found.end()
        if text[at : at + 1] != ".":
            break
        at += 1
    return tuple(keys), text[at:]


_INLINE_KEY = re.compile(r'[{,]\s*([A-Za-z0-9_-]+|"[^"]*")\s*=')


def _inline_places(rest: str, path: KeyPath, line: int, column: int, places: dict[KeyPath, tuple[int, int]]) -> None:
    """Keys of an inline table on one line; deeper nesting keeps the place of its parent."""
    if not rest.lstrip("= ").startswith("{"):
        return
    for found in _INLINE_KEY.finditer(rest):
        places.setdefault((*path, found.group(1).strip('"')), (line, column + found.start(1)))


def _value_lines(rest: str, lines: list[str], number: int) -> int:
    """How many further lines the value that starts in `rest` takes."""
    extra, depth, quote, text, at = 0, 0, "", rest, 0
    while True:
        while at < len(text):
            at, depth, quote = _step(text, at, depth, quote)
        if (depth <= 0 and len(quote) != 3) or number + extra + 1 >= len(lines):
            return extra
        extra += 1
        quote = quote if len(quote) == 3 else ""
        text, at = lines[number + extra], 0


def _step(text: str, at: int, depth: int, quote: str) -> tuple[int, int, str]:
    if quote:
        if text[at] == "\\" and quote[0] == '"':
            return at + 2, depth, quote
        if text.startswith(quote, at):
            return at + len(quote), depth, ""
        return at + 1, depth, quote
    for opening in ('"""', "'''", '"', "'"):
        if text.startswith(opening, at):
            return at + len(opening), depth, opening
    if text[at] == "#":
        return len(text), depth, quote
    return at + 1, depth + (text[at] in "[{") - (text[at] in "]}"), quote
