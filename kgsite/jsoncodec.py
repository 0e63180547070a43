"""Records as JSON values and back: one table of fields for each record serves both directions.

A value that does not fit raises `Misfit`, which knows the path to it; the caller makes an error for people of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_BIGGEST = 2**53  # integers above it are no longer exact in JavaScript
_NAMES = {
    "NoneType": "nothing",
    "str": "text",
    "int": "a number",
    "float": "a number",
    "bool": "true or false",
    "list": "a list",
    "dict": "an object",
}
_SURROGATE = re.compile("[\ud800-\udfff]")


class Misfit(Exception):  # noqa: N818 - not shown to anybody: becomes an ImportGraphError with a place
    """A value that is not what the format says; `path` grows while it travels outwards."""

    def __init__(self, expected: str, found: object, path: str = "") -> None:
        super().__init__(expected)
        self.expected = expected
        self.found = _NAMES.get(type(found).__name__, type(found).__name__)
        self.path = path

    def below(self, step: str) -> Misfit:
        self.path = step + self.path
        return self


# ── one value ─────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Codec:
    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


def clean_text(text: str) -> str:
    """`text` with each lone surrogate replaced by U+FFFD, one for one, so that offsets stay right."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _expect(kind: type, what: str) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if type(value) is not kind:
            raise Misfit(what, value)
        return value

    return check


def whole(value: int) -> int:
    if type(value) is not int or not -_BIGGEST <= value <= _BIGGEST:
        raise Misfit("a whole number", value)
    return value


def _finite(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise Misfit("a number", value)
    return float(value)


def _strength(value: float) -> float:
    return float(value) if math.isfinite(value) else 5.0


def optional(codec: Codec) -> Codec:
    return Codec(
        lambda value: None if value is None else codec.encode(value),
        lambda value: None if value is None else codec.decode(value),
    )


def many(codec: Codec) -> Codec:
    def decode(values: Any) -> tuple[Any, ...]:
        if type(values) is not list:
            raise Misfit("a list", values)
        done = []
        try:
            for value in values:
                done.append(codec.decode(value))  # noqa: PERF401 - len(done) is the place of a misfit
        except Misfit as misfit:
            raise misfit.below(f"[{len(done)}]") from None
        return tuple(done)

    return Codec(lambda values: [codec.encode(value) for value in values], decode)


def mapping(codec: Codec) -> Codec:
    def decode(values: Any) -> dict[str, Any]:
        if type(values) is not dict:
            raise Misfit("an object", values)
        return {key: codec.decode(value) for key, value in values.items()}

    return Codec(lambda values: {clean_text(str(key)): codec.encode(value) for key, value in values.items()}, decode)


TEXT = Codec(lambda value: clean_text(str(value)), _expect(str, "text"))
FLAG = Codec(bool, _expect(bool, "true or false"))
INT = Codec(whole, whole)
NUMBER = Codec(_strength, _finite)
TEXTS = many(TEXT)
MAYBE_TEXT = optional(TEXT)
MAYBE_INT = optional(INT)


# ── one record ────────────────────────────────────────────────────────────────────────────────────
_ALWAYS = object()


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record: its name in both worlds, and the value at which it is left out of the file."""

    name: str
    codec: Codec
    left_out: object = _ALWAYS


def decode_fields(fields: tuple[Field, ...], value: Any) -> dict[str, Any]:
    if type(value) is not dict:
        raise Misfit("an object", value)
    known: dict[str, Any] = {}
    for field in fields:
        if field.name in value:
            try:
                known[field.name] = field.codec.decode(value[field.name])
            except Misfit as misfit:
                raise misfit.below(f".{field.name}") from None
        elif field.left_out is _ALWAYS:
            raise Misfit("a value", None, f".{field.name}")
    return known


def encode_fields(fields: tuple[Field, ...], record: object) -> dict[str, Any]:
    return {
        field.name: field.codec.encode(value)
        for field in fields
        if (value := getattr(record, field.name)) != field.left_out
    }


def record(kind: Callable[..., Any], *fields: Field) -> Codec:
    return Codec(lambda record: encode_fields(fields, record), lambda value: kind(**decode_fields(fields, value)))
