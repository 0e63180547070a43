"""Single values of foreign rows → clean text, names, types, numbers and attributes. Nothing here raises."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kgsite.importers import wording
from kgsite.importers.found import Tally
from kgsite.readers.characters import clean

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_PATH = re.compile(
    r"(?<![\w/:.\\])(?:file://)?(?:/(?:home|Users|root|private|var/folders)/(?:[^\s/\"'<>|]+/)*"
    r"|[A-Za-z]:\\(?:[^\s\\\"'<>|]+\\)+)(?P<file>[^\s/\\\"'<>|]*)"
)
_SECRET = re.compile(
    r"(?:^|[_-])(?:api[_-]?key|token|secret|password|passwd|authorization|credentials?)$", re.IGNORECASE
)
_SPACES = " \t\r\n\u00a0\u3000"
_MOST_CODES = 8
_DEEPEST = 5
_LONGEST_VALUE = 2_000
_MOST_ATTRIBUTES = 40


# ── text ──────────────────────────────────────────────────────────────────────────────────────────
def text_of(value: Any) -> str:
    """A scalar as clean text with its line ends; "" for everything else."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return _number_text(value) if isinstance(value, (int, float)) else ""


def _number_text(value: float) -> str:
    if isinstance(value, int):
        return str(value) if abs(value) < 10**300 else ""
    return repr(value) if math.isfinite(value) else ""


def name_of(value: Any, tally: Tally) -> str:
    """A name on one line; a number is its digits, an object its name; "" for everything else.

    A name of characters that show nothing (but are no spaces) becomes the list of their code points.
    """
    if isinstance(value, Mapping):
        value = next((value[key] for key in ("name", "text", "label", "title", "id") if value.get(key)), None)
    if isinstance(value, str) and not value.isprintable() and _CONTROL.search(value):
        tally.add(wording.CONTROLS)
    name = " ".join(text_of(value).split())
    if not name and isinstance(value, str) and value.strip(_SPACES):
        tally.add(wording.CONTROLS)
        name = " ".join(f"U+{ord(char):04X}" for char in value[:_MOST_CODES])
    return name


def prose_of(value: Any, tally: Tally) -> str:
    """A description: clean, with paths of somebody's machine cut down to the file name; a list is joined."""
    if isinstance(value, list):
        value = " ".join(filter(None, (text_of(part).strip() for part in value)))
    return without_paths(text_of(value).strip(), tally)


def without_paths(text: str, tally: Tally) -> str:
    """`text` with each absolute path below a home folder replaced by "…/" and its file name."""
    if "/" not in text and "\\" not in text:
        return text
    shorter, n = _PATH.subn(lambda found: f"…/{found['file']}", text)
    tally.add(wording.PATHS, n)
    return shorter


def types_of(value: Any, tally: Tally) -> tuple[str, tuple[str, ...]]:
    """The type and further types: a list gives its first and the rest, an object its label; "" when none is said."""
    parts = value if isinstance(value, list) else [value]
    names = dict.fromkeys(filter(None, (name_of(part, tally) for part in parts[:20])))
    first, *others = [*names] or [""]
    return first, tuple(others)


def texts_of(value: Any, tally: Tally) -> tuple[str, ...]:
    """A list of names; a single one counts as a list."""
    parts = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(filter(None, (name_of(part, tally) for part in parts))))


def refs_of(value: Any) -> tuple[str, ...]:
    """A list of ids as text: 1 and "1" are the same id."""
    parts = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(filter(None, (ref_of(part) for part in parts))))


def ref_of(value: Any) -> str:
    """An id as text; whole floats (1.0, as tables write them) are whole numbers."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return " ".join(text_of(value).split())


# ── numbers ───────────────────────────────────────────────────────────────────────────────────────
def number_of(value: Any) -> float | None:
    """A finite number, also one written as text; None for everything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def whole_of(value: Any) -> int | None:
    """A small whole number that is not negative (an offset, a page, an index)."""
    number = number_of(value)
    return int(number) if number is not None and number.is_integer() and 0 <= number < 2**53 else None


# ── attributes ────────────────────────────────────────────────────────────────────────────────────
def attributes_of(row: Mapping[str, Any], skip: Sequence[str] | frozenset[str], tally: Tally) -> dict[str, str]:
    """The other scalars of a row as attributes, and lists of scalars joined; paths and secrets are left out."""
    found: dict[str, str] = {}
    for key, value in row.items():
        if key in skip or value is None or value in ("", [], {}):
            continue
        label = " ".join(clean(key).split())[:80]
        parts = value if isinstance(value, list) else [value]
        texts = [" ".join(text_of(part).split()) for part in parts]
        text = ", ".join(filter(None, texts))
        if _SECRET.search(key):
            tally.add(wording.SECRETS, example=label)
        elif not all(texts) or not label or len(found) >= _MOST_ATTRIBUTES:
            tally.add(wording.VALUES, example=label)
        elif "path" in key.lower() or key.lower() == "source_file" or _PATH.fullmatch(text):
            tally.add(wording.PATHS)
        else:
            found[label] = without_paths(text, tally)[:_LONGEST_VALUE]
    return found


# ── lists ─────────────────────────────────────────────────────────────────────────────────────────
def rows_of(value: Any, tally: Tally, *, triples: bool = False) -> Iterator[tuple[int, Any]]:
    """(position from 1, row) of a list; lists inside it are opened up to five deep, rows of objects by id are listed.

    With `triples`, an inner list of scalars is a row itself.
    """
    if isinstance(value, Mapping):
        value = [row if isinstance(row, Mapping) else {} for row in value.values()]
    if not isinstance(value, list):
        return
    stack: list[tuple[int, Iterator[tuple[int, Any]]]] = [(0, iter(enumerate(value, 1)))]
    while stack:
        depth, rows = stack[-1]
        entry = next(rows, None)
        if entry is None:
            stack.pop()
            continue
        position, row = entry
        if not isinstance(row, list) or (triples and not any(isinstance(part, (list, dict)) for part in row)):
            if depth:
                tally.add(wording.NESTED)
            yield position, row
        elif depth < _DEEPEST:
            stack.append((depth + 1, iter([(position, part) for part in row])))
        else:
            tally.add(wording.ODD_ROWS, example=f"row {position}")
