"""Complete list elements of a reply that is cut or damaged."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgsite.extract.replies import Shape

_ARGUMENTS = re.compile(r'"(?:arguments|parameters)"\s*:\s*"')
_SPACE = re.compile(r"\s*")
_SPACE_OR_COMMA = re.compile(r"[\s,]*")
_EFFORT = 20


def complete_rows(text: str, shape: Shape) -> tuple[dict[str, list[Any]], int, bool]:
    """(rows by list, places where something was skipped, whether two lists of one name compete)."""
    text = _inside_tool_call(text)
    starts: dict[str, int] = {}
    for key in shape.lists:
        found = [match.end() for match in re.finditer(rf'(?<!\\)"{re.escape(key)}"\s*:\s*\[', text)]
        if len(found) > 1:
            return {}, 0, True
        if found:
            starts[key] = found[0]
    if not starts and text.startswith("["):
        return _bare_list(text, shape)
    rows: dict[str, list[Any]] = {}
    lost = 0
    for key, start in starts.items():
        end = min((other for other in starts.values() if other > start), default=len(text))
        rows[key], skipped = _elements(text, start, end, key, shape)
        lost += skipped
    return rows, lost, False


def _inside_tool_call(text: str) -> str:
    """The arguments of a tool call that was cut in the middle of its string."""
    match = _ARGUMENTS.search(text)
    if match is None:
        return text
    body = re.sub(r"\\(?:u[0-9a-fA-F]{0,3})?$", "", text[match.end() :])
    for candidate in (body, body + '"'):
        try:
            inner, _ = json.JSONDecoder(strict=False).raw_decode('"' + candidate)
        except ValueError:
            continue
        return str(inner)
    return text


def _bare_list(text: str, shape: Shape) -> tuple[dict[str, list[Any]], int, bool]:
    rows: dict[str, list[Any]] = {}
    lost = 0
    for key in shape.lists:
        rows[key], skipped = _elements(text, 1, len(text), key, shape)
        lost = max(lost, skipped)
    return rows, lost, False


def _elements(text: str, start: int, end: int, key: str, shape: Shape) -> tuple[list[Any], int]:
    """Rows decoded one by one; after a damaged one, from the next object that is plainly a row of this list."""
    from kgsite.extract.replies import decode_at

    rows: list[Any] = []
    skipped = 0
    effort = _EFFORT * len(text) + 100_000
    position = _over(text, start)
    damaged = False
    while position < end and effort > 0 and (damaged or text[position] != "]"):
        try:
            row, after = decode_at(text, position)
        except ValueError as error:
            effort -= max(getattr(error, "pos", position) - position, 50)
            row, after = None, position + 1
        if row is not None and _closed(text, row, after) and _trusted(row, key, shape, damaged=damaged):
            rows.append(row)
            damaged = False
            position = _over(text, after)
            continue
        foreign = row is not None and bool(shape.place(row))
        skipped += not damaged and not foreign
        damaged = damaged or not foreign
        position = _next_row(text, after if foreign else position + 1, end)
    return rows, skipped


def _over(text: str, position: int) -> int:
    found = _SPACE_OR_COMMA.match(text, position)
    return found.end() if found else position


def _closed(text: str, row: Any, after: int) -> bool:
    """Whether an element ends where elements end; a bare string at the very end of a reply may be cut."""
    following = _SPACE.match(text, after)
    rest = text[following.end() : following.end() + 1] if following else ""
    return rest in (",", "]") if isinstance(row, str) else rest in (",", "]", "}", "")


def _next_row(text: str, position: int, end: int) -> int:
    """Where the next object after a comma, closing brace or opening bracket begins; `end` when there is none."""
    while 0 <= (position := text.find("{", position)) < end:
        before = position - 1
        while before >= 0 and text[before].isspace():
            before -= 1
        if before >= 0 and text[before] in ",}[":
            return position
        position += 1
    return end


def _trusted(row: Any, key: str, shape: Shape, *, damaged: bool) -> bool:
    from kgsite.extract.replies import duplicated

    return shape.place(row) == key and not duplicated(row) and (not damaged or isinstance(row, dict))
