"""The one way for data into a page: a JSON island that no parser can leave."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import orjson
from markupsafe import Markup

_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def island_text(value: object) -> Markup:
    """Strict JSON in which `<`, `>`, `&`, U+2028 and U+2029 are written as `\\uXXXX`.

    These characters can stand only inside strings of JSON, where the escape means the same; so the text is
    inert inside `<script type="application/json">` for every HTML parser. Lone surrogates become U+FFFD.
    """
    return island_bytes(to_json(value))


def island_bytes(data: bytes) -> Markup:
    """Like `island_text`, for JSON that is already written."""
    return Markup(data.decode("utf-8").translate(_ESCAPES))  # noqa: S704 - escaped in the line itself


def to_json(value: object, default: Callable[[Any], object] | None = None, *, indent: bool = False) -> bytes:
    """Strict JSON of plain data and records, keys in their own order; never fails on a lone surrogate.

    `default` turns what is neither into plain data.
    """
    option = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE if indent else 0
    try:
        return orjson.dumps(value, default, option=option | orjson.OPT_NON_STR_KEYS)
    except TypeError:
        return orjson.dumps(_without_surrogates(value, default), option=option | orjson.OPT_NON_STR_KEYS)


def _without_surrogates(value: object, default: Callable[[Any], object] | None) -> object:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {_without_surrogates(key, default): _without_surrogates(item, default) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_surrogates(item, default) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        fields = value.__dataclass_fields__
        return {name: _without_surrogates(getattr(value, name), default) for name in fields}
    return _without_surrogates(default(value), default) if default is not None else value
