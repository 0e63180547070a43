"""One value of site.toml against the type, limits and shape that settings.py declares for it."""

from __future__ import annotations

import difflib
import re
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import Field
from typing import Any, Literal, Union, get_args, get_origin

from kgsite.config import address

SITE_LANGUAGES = ("en", "de", "fr", "es", "nl", "it", "pt", "zh")
DOWNLOADS = ("json", "gml", "graphml", "gexf", "csv", "cypher", "jsonld", "parquet", "html")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$")


class InvalidValueError(ValueError):
    """A value is not allowed: what is wrong and what to do; `secret` when its line must not be shown."""

    def __init__(self, problem: str, hint: str, *, secret: bool = False) -> None:
        super().__init__(problem)
        self.secret = secret
        self.problem = problem
        self.hint = hint


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`did you mean …?` for the nearest known words, or the whole list when none is near and it is short."""
    known = sorted(known)
    near = difflib.get_close_matches(word.lower(), known, n=2, cutoff=0.6)
    if near:
        return "did you mean " + " or ".join(f"`{name}`" for name in near) + "?"
    return "known: " + ", ".join(known) if known else ""


def convert(value: Any, hint: Any, spec: Field[Any]) -> Any:
    """The value in the type of its field (lists become tuples). Raises `InvalidValueError`."""
    result = _typed(value, hint, spec.name)
    _limits(result, spec)
    shape = spec.metadata.get("shape", "")
    if shape in _ADDRESSES:
        return _address(result, shape)
    _shape(result, shape)
    return result


def from_text(text: str, hint: Any) -> Any:
    """A value written in an environment variable, in the shape TOML would give it."""
    kinds = _kinds(hint)
    lowered = text.strip().lower()
    if bool in kinds and lowered in {"true", "false", "1", "0", "yes", "no", "on", "off"}:
        return lowered in {"true", "1", "yes", "on"}
    if int in kinds and re.fullmatch(r"[+-]?\d+", text.strip()):
        return int(text)
    if float in kinds and re.fullmatch(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?", text.strip()):
        return float(text)
    if tuple in kinds:
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def _kinds(hint: Any) -> set[Any]:
    origin = get_origin(hint)
    if origin in {Union, types.UnionType}:
        return set().union(*(_kinds(part) for part in get_args(hint)))
    if origin is Literal:
        return {type(value) for value in get_args(hint)}
    return {origin or hint}


def _typed(value: Any, hint: Any, name: str) -> Any:
    origin = get_origin(hint)
    if origin in {Union, types.UnionType}:
        return _union(value, get_args(hint), name)
    if origin is Literal:
        return _literal(value, get_args(hint))
    if origin is tuple:
        return _tuple(value, get_args(hint)[0], name)
    if isinstance(hint, type) and hint in {str, bool, int, float}:
        return _scalar(value, hint)
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(value, get_args(hint)[1], name)
    return value


def _union(value: Any, hints: tuple[Any, ...], name: str) -> Any:
    problems: list[InvalidValueError] = []
    for hint in hints:
        try:
            return _typed(value, hint, name)
        except InvalidValueError as problem:
            problems.append(problem)
    first, *others = (problem.hint for problem in problems)
    hint = " or ".join([first, *(other.removeprefix("allowed: ") for other in others)])
    raise InvalidValueError(problems[0].problem, hint)


def _literal(value: Any, allowed: tuple[Any, ...]) -> Any:
    if any(value == choice and type(value) is type(choice) for choice in allowed):
        return value
    shown = ", ".join(_show(choice) for choice in allowed)
    near = difflib.get_close_matches(str(value).lower(), [str(choice) for choice in allowed if choice != ""], n=1)
    hint = f"allowed: {shown}" + (f"; did you mean {_show(near[0])}?" if near else "")
    raise InvalidValueError(f"{_show(value)} is not allowed", hint)


def _tuple(value: Any, inner: Any, name: str) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise InvalidValueError(f"expected a list, found {_kind(value)}", f"write {name} = [{_show(value)}]")
    return tuple(_typed(part, inner, name) for part in value)


def _mapping(value: Any, inner: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidValueError(f"expected a table, found {_kind(value)}", f"write {name} = {{ key = … }}")
    return {str(key): _typed(part, inner, str(key)) for key, part in value.items()}


def _scalar(value: Any, wanted: type) -> Any:
    names = {str: "text in quotes", bool: "true or false", int: "a whole number", float: "a number"}
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not wanted:
        unquoted = isinstance(value, str) and wanted is not str and type(from_text(value, wanted)) is wanted
        hint = "write it without quotes" if unquoted else f"allowed: {names[wanted]}"
        raise InvalidValueError(f"expected {names[wanted]}, found {_kind(value)} {_show(value)}", hint)
    return value


def _limits(value: Any, spec: Field[Any]) -> None:
    low, high = spec.metadata.get("low"), spec.metadata.get("high")
    if not isinstance(value, int | float) or isinstance(value, bool):
        return
    if (low is not None and value < low) or (high is not None and value > high) or value != value:
        span = f"at least {low:g}" if high is None else f"from {low:g} to {high:g}"
        raise InvalidValueError(f"{value:g} is out of range", f"allowed: {span}")


_ADDRESSES = {"url": address.endpoint, "page-url": address.public_page, "site-url": address.published_site}


def _address(value: str, shape: str) -> str:
    """An address as the program uses it; `""` stays."""
    try:
        return _ADDRESSES[shape](value) if value else value
    except address.AddressError as error:
        raise InvalidValueError(error.problem, error.hint, secret="@" in value) from None


def _shape(value: Any, shape: str) -> None:
    if shape == "language" and value not in SITE_LANGUAGES:
        raise InvalidValueError(f"no site words for {_show(value)}", "allowed: " + ", ".join(SITE_LANGUAGES))
    if shape == "language-or-auto" and value != "auto" and not _LANGUAGE.match(value):
        raise InvalidValueError(
            f"{_show(value)} is not a language code", 'allowed: "auto" or an ISO 639-1 code such as "de"'
        )
    if shape == "path" and value and ("\0" in value or value.startswith("~")):
        raise InvalidValueError(f"{_show(value)} is not a usable path", "write it relative to site.toml")
    if shape == "download":
        for name in value:
            if name not in DOWNLOADS:
                raise InvalidValueError(f"unknown format {_show(name)}", did_you_mean(name, DOWNLOADS))


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value if len(value) <= 60 else value[:59] + "…"}"'
    return str(value)[:60]


def _kind(value: Any) -> str:
    kinds = {
        bool: "true/false",
        int: "a whole number",
        float: "a number",
        str: "text",
        list: "a list",
        tuple: "a list",
        dict: "a table",
    }
    return kinds.get(type(value), type(value).__name__)


def field_hints(section: type) -> dict[str, Any]:
    """Field name → resolved type of a settings section."""
    return typing.get_type_hints(section)
