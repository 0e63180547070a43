"""Reading what a model answered: tolerant of form, never of content.

The order is the one that put no wrong fact in when replies were cut or damaged at random:

1. the whole text as JSON;
2. only if that failed, without think blocks, fences and special tokens;
3. `raw_decode` at each `{`, taking the object that has the expected keys;
4. a repair, only while brackets balance, and of its rows only those that stand in the reply letter by letter;
5. otherwise the complete list elements, marked as truncated.

Two different complete objects are ambiguous: nothing is taken and the model is asked again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

READER_VERSION = 1
"""To be raised when the same reply would be read differently."""

How = Literal["strict", "scanned", "repaired", "truncated", "ambiguous", "failed"]
Reason = Literal["", "empty", "reasoning", "refusal", "page", "schema", "deep", "cut", "ambiguous", "not_json"]

MAX_CHARS = 4_000_000
MAX_DEPTH = 64
DUPLICATE = "\0duplicate"
"""Stands in an object that says two things under one key; no row with it is ever taken."""

_WRAPPERS = ("arguments", "parameters", "result", "output", "data", "response", "graph", "json", "answer")
_REFUSAL = re.compile(
    r"^\W*(?:i'?m sorry|i am sorry|sorry,|i can(?:'|no)t|i am (?:not able|unable)|as an ai|es tut mir leid|je suis "
    r"désolé|lo siento|mi dispiace|het spijt me|sinto muito|desculpe|抱歉|很抱歉|对不起)",
    re.IGNORECASE,
)
_PAGE = re.compile(r"^\s*(?:<!doctype html|<html|<head|<\?xml)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Shape:
    """What a pass expects back: an object with some of `keys`; those in `lists` hold rows.

    `place` says to which list a row belongs ("" = it is no row); it sorts the rows of a bare list and protects
    the salvage of cut replies.
    """

    keys: tuple[str, ...]
    lists: tuple[str, ...]
    place: Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Reading:
    """A reply as understood. `value` holds expected keys only; lists hold rows without duplicate keys."""

    how: How
    value: Mapping[str, Any] = field(default_factory=dict)
    reason: Reason = ""
    lost: int = 0  # rows that were seen but could not be trusted

    @property
    def complete(self) -> bool:
        """Whether nothing of the reply is missing: only such a reply is a result that may be reused."""
        return self.how in ("strict", "scanned", "repaired") and self.lost == 0


def place_extraction(row: Any) -> str:
    """The list that a row of an extraction belongs to."""
    if isinstance(row, dict):
        if ("source" in row or "subject" in row) and ("target" in row or "object" in row):
            return "relations"
        return "entities" if "name" in row or ("text" in row and "label" in row) else ""
    if isinstance(row, str):
        return "entities"
    is_triple = isinstance(row, list) and len(row) >= 3 and all(isinstance(part, str) for part in row[:3])
    return "relations" if is_triple else ""


EXTRACTION = Shape(("entities", "relations", "gist", "rephrase"), ("entities", "relations"), place_extraction)


# ── decoding ──────────────────────────────────────────────────────────────────────────────────────
def _pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in items:
        if key in found and found[key] != value:
            found[DUPLICATE] = True
        found[key] = value
    return found


def _whole_number(digits: str) -> int | float | None:
    return int(digits) if len(digits) <= 18 else None


decoder = json.JSONDecoder(
    strict=False,  # raw line breaks inside strings
    object_pairs_hook=_pairs,
    parse_constant=lambda _: None,  # NaN, Infinity
    parse_int=_whole_number,
)


def decode(text: str) -> Any:
    """One JSON value, duplicates marked, NaN as None. Raises ValueError (also for too deep nesting)."""
    try:
        return decoder.decode(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def decode_at(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that begins at `start`, and where it ends. Raises ValueError."""
    try:
        return decoder.raw_decode(text, start)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


# ── the five steps ────────────────────────────────────────────────────────────────────────────────
def read_reply(text: str, shape: Shape = EXTRACTION, *, cut: bool = False) -> Reading:
    """Understand a reply; `cut` says that the server reported it as incomplete. Never raises for any text."""
    from kgsite.extract import repair

    text = text[:MAX_CHARS].lstrip("\ufeff").strip()
    if not text:
        return Reading("failed", reason="empty")
    if (whole := _whole(text, shape, "strict")) is not None:
        return whole
    cleaned = repair.without_wrapping(text)
    if not cleaned:
        return Reading("failed", reason="reasoning")
    if cleaned != text and (whole := _whole(cleaned, shape, "scanned")) is not None:
        return whole
    if (refused := _not_an_answer(cleaned)) is not None:
        return refused
    depth, balanced = repair.brackets(cleaned)
    if depth > MAX_DEPTH:
        return Reading("failed", reason="deep")
    if (scanned := _scan(cleaned, shape, cut=cut)) is not None:
        return scanned
    if balanced and not cut and (repaired := _repaired(cleaned, shape)) is not None:
        return repaired
    return _complete_rows(cleaned, shape)


def _not_an_answer(text: str) -> Reading | None:
    if _PAGE.match(text):
        return Reading("failed", reason="page")
    if "{" not in text and "[" not in text:
        return Reading("failed", reason="refusal" if _REFUSAL.match(text) else "not_json")
    return None


def _whole(text: str, shape: Shape, how: How) -> Reading | None:
    """The text as one JSON value; None when it is not JSON."""
    try:
        value = decode(text)
    except ValueError:
        return None
    found = unwrap(value, shape)
    if found is not None:
        return _taken(found, shape, how)
    if isinstance(value, dict) and "properties" in value:
        return Reading("failed", reason="schema")
    return Reading("failed", reason="not_json")


def unwrap(value: Any, shape: Shape, depth: int = 0) -> dict[str, Any] | None:
    """The object with the expected keys: itself, inside a tool call or a wrapper, or made of a bare list of rows."""
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return _sorted_rows(value, shape) or (
            unwrap(value[0], shape, depth + 1) if len(value) == 1 and depth < 4 else None
        )
    if isinstance(value, str) and depth and value.lstrip().startswith(("{", "[")):
        try:
            return unwrap(decode(value), shape, depth + 1) if depth < 4 else None
        except ValueError:
            return None
    if not isinstance(value, dict):
        return None
    if has_expected_keys(value, shape):
        return value
    if depth < 4:
        for key in (*_WRAPPERS, "function", "tool_calls"):
            if key in value and (found := unwrap(value[key], shape, depth + 1)) is not None:
                return found
    return None


def has_expected_keys(value: Mapping[str, Any], shape: Shape) -> bool:
    """Whether an object is an answer: an expected key is there, and lists are lists."""
    present = [key for key in shape.keys if key in value]
    return bool(present) and all(
        value[key] is None or isinstance(value[key], list) for key in present if key in shape.lists
    )


def _sorted_rows(rows: list[Any], shape: Shape) -> dict[str, Any] | None:
    found: dict[str, Any] = {}
    for row in rows:
        if not (key := shape.place(row)):
            return None
        found.setdefault(key, []).append(row)
    return found


def _taken(value: Mapping[str, Any], shape: Shape, how: How, lost: int = 0) -> Reading:
    if DUPLICATE in value:
        return Reading("ambiguous", reason="ambiguous")
    kept: dict[str, Any] = {}
    for key in shape.keys:
        if key not in value:
            continue
        if key not in shape.lists:
            kept[key] = value[key]
            continue
        rows = value[key] or []
        kept[key] = [row for row in rows if not duplicated(row)]
        lost += len(rows) - len(kept[key])
    return Reading(how, kept, "cut" if how == "truncated" else "", lost)


def duplicated(row: Any) -> bool:
    if isinstance(row, dict):
        return DUPLICATE in row or any(duplicated(value) for value in row.values())
    return isinstance(row, list) and any(duplicated(value) for value in row)


def _scan(text: str, shape: Shape, *, cut: bool) -> Reading | None:
    """Objects with the expected keys anywhere in the text; None when there is none."""
    found: list[tuple[dict[str, Any], int]] = []
    outside: list[str] = []
    schema = False
    position = after = 0
    effort = 20 * len(text) + 100_000
    while (start := text.find("{", position)) >= 0 and effort > 0:
        try:
            value, end = decode_at(text, start)
        except json.JSONDecodeError as error:
            effort -= max(error.pos - start, 50)
            position = start + 1
            continue
        except ValueError:
            effort -= 5_000
            position = start + 1
            continue
        position = end
        answer = unwrap(value, shape)
        if answer is None:
            schema = schema or (isinstance(value, dict) and "properties" in value)
            continue
        outside.append(text[after:start])
        after = end
        found.append((answer, start))
    outside.append(text[after:])
    if not found:
        return Reading("failed", reason="schema") if schema else None
    rivals = any(answer != found[0][0] for answer, _ in found)
    begun = re.compile("|".join(rf"[\"'“]{re.escape(key)}[\"'”]\s*:\s*\[" for key in shape.lists))
    if rivals or any(begun.search(part) for part in outside) or (cut and found[0][1] > 0):
        return Reading("ambiguous", reason="ambiguous")
    return _taken(found[0][0], shape, "scanned")


def _repaired(text: str, shape: Shape) -> Reading | None:
    from kgsite.extract import repair

    value = repair.repaired(text)
    found = unwrap(value, shape) if value is not None else None
    if found is None:
        return None
    kept, lost = repair.witnessed(text, found, shape)
    if not kept:
        return None
    if lost:  # the salvage may keep what the repair mangled
        rows = _complete_rows(text, shape)
        if sum(len(rows.value.get(key, ())) for key in shape.lists) > sum(
            len(kept.get(key, ())) for key in shape.lists
        ):
            return rows
    return _taken(kept, shape, "repaired", lost)


def _complete_rows(text: str, shape: Shape) -> Reading:
    from kgsite.extract import salvage

    rows, lost, ambiguous = salvage.complete_rows(text, shape)
    if ambiguous:
        return Reading("ambiguous", reason="ambiguous")
    if not any(rows.values()):
        return Reading("failed", reason="cut" if text.lstrip()[:1] in "{[" else "not_json", lost=lost)
    return Reading("truncated", rows, "cut", lost)
