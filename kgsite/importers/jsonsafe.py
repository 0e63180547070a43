"""JSON of unknown origin → Python values, or an ImportGraphError that says where and why.

Python's reader accepts NaN, keeps the last of duplicate keys without a word, and raises ValueError on integers of
5,000 digits and RecursionError on depth: all of that is caught, repaired where plain, and counted.
"""

from __future__ import annotations

import json
import math
from typing import Any

from kgsite.errors import ImportGraphError, Place
from kgsite.importers import wording
from kgsite.importers.found import Tally

_LONGEST_NUMBER = 300  # digits; a double holds 309
_MOST_LINES_TRIED = 5_000_000


class Lines(list[Any]):
    """The values of a JSON Lines file."""


def load_json(data: bytes, name: str, tally: Tally) -> Any:
    """The value in `data`, or `Lines` when it holds one value on each line.

    UTF-8, UTF-16 and UTF-32 with or without a byte order mark. Numbers that can't be held become None. Raises
    ImportGraphError at line and column for what is no JSON, and for nesting that is too deep.
    """
    text = _decoded(data, tally)
    decoder = _decoder(tally)
    try:
        return decoder.decode(text)
    except RecursionError:
        raise ImportGraphError("the JSON is nested too deeply", at=Place(name)) from None
    except json.JSONDecodeError as error:
        lines = _lines(text, decoder) if error.msg == "Extra data" else None
        if lines is not None:
            return lines
        raise ImportGraphError(f"this is not JSON: {error.msg}", at=Place(name, error.lineno, error.colno)) from None
    except ValueError as error:
        raise ImportGraphError(f"this JSON can't be read: {error}", at=Place(name)) from None


def _decoded(data: bytes, tally: Tally) -> str:
    encoding = json.detect_encoding(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        from kgsite.readers.encoding import decode

        decoded = decode(data)
        text = decoded.text
        tally.add(wording.ENCODING, example="; ".join(decoded.warnings)[:300])
    else:
        if not encoding.startswith("utf-8"):
            tally.add(wording.ENCODING, example=encoding.upper())
    return text.removeprefix("\ufeff")


def _decoder(tally: Tally) -> json.JSONDecoder:
    def whole(digits: str) -> int | None:
        if len(digits) <= _LONGEST_NUMBER:
            return int(digits)
        tally.add(wording.NUMBERS)
        return None

    def broken(digits: str) -> float | None:
        number = float(digits)
        if math.isfinite(number):
            return number
        tally.add(wording.NUMBERS)
        return None

    def constant(_word: str) -> None:
        tally.add(wording.NUMBERS)

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        tree = dict(found)
        if len(tree) < len(found):
            tree = {}
            for key, value in found:
                if key in tree:
                    tally.add(wording.KEYS, example=key[:40])
                if isinstance(tree.get(key), list) and isinstance(value, list):
                    tree[key].extend(value)
                else:
                    tree[key] = value
        return tree

    return json.JSONDecoder(
        parse_int=whole, parse_float=broken, parse_constant=constant, object_pairs_hook=pairs, strict=False
    )


def _lines(text: str, decoder: json.JSONDecoder) -> Lines | None:
    """One value on each line that is not blank, or None when some line is no value."""
    values = Lines()
    for line in text.split("\n"):
        if line.strip():
            try:
                values.append(decoder.decode(line))
            except (ValueError, RecursionError):
                return None
            if len(values) > _MOST_LINES_TRIED:
                return None
    return values
