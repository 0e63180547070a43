"""The layers: defaults < theme < site.toml < site.<env>.toml < KGSITE_* < flags.

Every layer is checked whole and all problems are told at once. Each value remembers which layer it came from.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from kgsite.config.check import InvalidValueError, convert, did_you_mean, field_hints, from_text
from kgsite.config.settings import Settings
from kgsite.config.toml import TomlFile, parse
from kgsite.errors import ConfigError, KgsiteError, Place

SECTION_OF = {"import": "imports"}  # a Python keyword can't be a field name
_FREE = {"theme", "prices", "questions", "encodings"}
_SECTIONS: dict[str, type] = {
    name: hint
    for name, hint in field_hints(Settings).items()
    if isinstance(hint, type) and dataclasses.is_dataclass(hint)
}


class ConfigProblemsError(ConfigError):
    """All that is wrong with a configuration, told at once."""

    def __init__(self, problems: list[ConfigError]) -> None:
        super().__init__(f"{len(problems)} {'problem' if len(problems) == 1 else 'problems'} in the configuration")
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join([*(str(problem) for problem in self.problems), self.message])


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings with their origins (`site.base_url` → "site.toml:3") and what is only worth a warning."""

    settings: Settings
    origins: Mapping[str, str]
    warnings: tuple[ConfigError, ...] = ()


@dataclass(frozen=True, slots=True)
class _Layer:
    name: str
    file: TomlFile


def load(
    root: Path,
    *,
    env: str = "",
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
    strict: bool = False,
) -> Loaded:
    """Read the configuration of the project at `root`.

    `flags` maps dotted names ("build.jobs") to values that were given on the command line. Unknown keys are
    warnings, or errors when `strict`. Raises ConfigProblemsError with every problem found.
    """
    environ = environ or {}
    env = env or environ.get("KGSITE_ENV", "")
    names = ["site.toml", *([f"site.{env}.toml"] if env else [])]
    files = [file for name in names if (file := _read(root / name, name, needed=name != "site.toml")) is not None]
    layers = [_Layer(file.name, file) for file in files]
    problems = [error for file in files for error in file.errors]
    reader = _Reader()
    layers = [*_theme_layers(root, layers, environ, problems), *layers]
    for layer in layers:
        reader.read_file(layer)
    reader.read_environment(environ)
    for dotted, value in (flags or {}).items():
        reader.read_flag(dotted, value)
    problems += reader.problems + (reader.unknown if strict else [])
    settings = reader.settings(root)
    problems += _together(settings, reader)
    if problems:
        everything = problems + ([] if strict else reader.unknown)
        raise ConfigProblemsError(sorted(everything, key=_place_order))
    return Loaded(settings, reader.origins, (*reader.unknown, *reader.warnings))


def _place_order(problem: ConfigError) -> tuple[str, int]:
    return (problem.at.file, problem.at.line or 0) if problem.at else ("", 0)


def _read(path: Path, name: str, *, needed: bool) -> TomlFile | None:
    try:
        return parse(path.read_bytes().decode("utf-8-sig"), name)
    except FileNotFoundError:
        if needed:
            message = f"there is no {name}"
            raise ConfigError(message, hint="it is named by --env or KGSITE_ENV") from None
        return None
    except UnicodeDecodeError as error:
        message = f"{name} is not UTF-8 (byte {error.start})"
        raise ConfigError(message, at=Place(name), hint="save it as UTF-8") from None
    except OSError as error:
        message = f"{name} can't be read: {error.strerror}"
        raise ConfigError(message, at=Place(name)) from None


def _theme_layers(
    root: Path, layers: list[_Layer], environ: Mapping[str, str], problems: list[ConfigError]
) -> list[_Layer]:
    """The `[defaults]` of theme.toml, farthest ancestor first."""
    name: Any = "default"
    for layer in layers:
        site = layer.file.values.get("site")
        name = site.get("theme", name) if isinstance(site, Mapping) else name
    name = environ.get("KGSITE_SITE_THEME", name)
    found: list[_Layer] = []
    seen: set[str] = set()
    while isinstance(name, str) and re.fullmatch(r"[^./\\\0][^/\\\0]*", name) and name not in seen:
        seen.add(name)
        shown = f"themes/{name}/theme.toml"
        file = _read(root / shown, shown, needed=False)
        if file is not None:
            problems += file.errors
            found.insert(0, _defaults(shown, file, problems))
        name = (file.values.get("extends") if file is not None else "") or "default"
    return found


def _defaults(shown: str, file: TomlFile, problems: list[ConfigError]) -> _Layer:
    """The `[defaults]` of one theme.toml as a layer of settings."""
    defaults = file.values.get("defaults", {})
    if not isinstance(defaults, Mapping):
        hint = "write [defaults.site], [defaults.visualization] … on a line of its own"
        problems.append(ConfigError("[defaults] is a table of tables", at=file.place(("defaults",)), hint=hint))
        defaults = {}
    site = defaults.get("site")
    if isinstance(site, Mapping) and "theme" in site:
        at = file.place(("defaults", "site", "theme"))
        hint = "name the theme in [site] of site.toml; a theme names the one below it with `extends`"
        problems.append(ConfigError("a theme can't choose the theme", at=at, hint=hint))
    places = {path[1:]: place for path, place in file.places.items() if path[:1] == ("defaults",)}
    return _Layer(shown, dataclasses.replace(file, values=defaults, places=places))


class _Reader:
    """Collects values, origins and problems over the layers, lowest first."""

    def __init__(self) -> None:
        self.values: dict[str, dict[str, Any]] = {name: {} for name in _SECTIONS}
        self.free: dict[str, Any] = {}
        self.origins: dict[str, str] = dict.fromkeys(known_keys(), "default")
        self.places: dict[str, Place] = {}
        self.problems: list[ConfigError] = []
        self.unknown: list[ConfigError] = []
        self.warnings: list[ConfigError] = []

    def read_file(self, layer: _Layer) -> None:
        for table, content in layer.file.values.items():
            place = layer.file.place((table,))
            section = SECTION_OF.get(table, table)
            if section in _FREE:
                self._free(section, content, place, layer)
            elif section not in _SECTIONS or table == "imports":
                self.unknown.append(self._unknown_table(table, place))
            elif not isinstance(content, Mapping):
                self.problems.append(
                    ConfigError(f"[{table}] is a table", at=place, hint=f"write [{table}] on a line of its own")
                )
            else:
                for key, value in content.items():
                    at = layer.file.place((table, key))
                    self._set(section, key, value, at, f"{layer.name}:{at.line}" if at.line else layer.name)

    def read_environment(self, environ: Mapping[str, str]) -> None:
        names = {f"KGSITE_{table_name(dotted)}".upper().replace(".", "_"): dotted for dotted in known_keys()}
        for variable in sorted(environ):
            if not variable.startswith("KGSITE_") or variable == "KGSITE_ENV":
                continue
            if variable not in names:
                hint = did_you_mean(variable, names).replace(variable.lower(), variable)
                hint = hint if hint.startswith("did") else _near_variable(variable, names)
                self.unknown.append(ConfigError("unknown setting", at=Place(variable), hint=hint))
                continue
            section, key = names[variable].split(".")
            hint_type = field_hints(_SECTIONS[section])[key]
            self._set(section, key, from_text(environ[variable], hint_type), Place(variable), f"environment {variable}")

    def read_flag(self, dotted: str, value: Any) -> None:
        section, key = dotted.split(".")
        flag = "--" + {"output": "out"}.get(key, key.replace("_", "-"))
        self._set(section, key, value, Place(flag), f"flag {flag}")

    def settings(self, root: Path) -> Settings:
        made = {name: factory(**self.values[name]) for name, factory in _SECTIONS.items()}
        return Settings(root=root, **made, **self.free)

    def _set(self, section: str, key: str, value: Any, place: Place, origin: str) -> None:
        specs = {spec.name: spec for spec in fields(_SECTIONS[section])}
        if key not in specs:
            where = next((table_name(d).split(".")[0] for d in known_keys() if d.split(".")[1] == key), "")
            hint = f"`{key}` belongs to [{where}]" if where else did_you_mean(key, specs)
            self.unknown.append(ConfigError(f"unknown key `{key}` in [{table_name(section)}]", at=place, hint=hint))
            return
        try:
            self.values[section][key] = convert(value, field_hints(_SECTIONS[section])[key], specs[key])
        except InvalidValueError as problem:
            at = Place(place.file, place.line, place.column) if problem.secret else place  # never the line
            self.problems.append(ConfigError(f"{key}: {problem.problem}", at=at, hint=problem.hint))
            return
        dotted = f"{section}.{key}"
        self.origins[dotted] = origin
        self.places[dotted] = place
        if specs[key].metadata["pending"]:
            self.warnings.append(ConfigError(f"`{key}` does nothing yet: this part of kgsite is not there", at=place))

    def _free(self, section: str, content: Any, place: Place, layer: _Layer) -> None:
        try:
            value = _FREE_READERS[section](content)
        except InvalidValueError as problem:
            self.problems.append(ConfigError(f"[{section}]: {problem.problem}", at=place, hint=problem.hint))
            return
        self.free[section] = {**self.free.get(section, {}), **value} if isinstance(value, dict) else value
        for key in content if isinstance(content, Mapping) else ():
            at = layer.file.place((section, key))
            self.origins[f"{section}.{key}"] = f"{layer.name}:{at.line}" if at.line else layer.name

    def _unknown_table(self, table: str, place: Place) -> ConfigError:
        tables = [table_name(name) for name in (*_SECTIONS, *_FREE)]
        inside = next((table_name(d).split(".")[0] for d in known_keys() if d.split(".")[1] == table), "")
        hint = f"`{table}` belongs below [{inside}]" if inside else did_you_mean(table, tables)
        return ConfigError(f"unknown table or key `{table}`", at=place, hint=hint)


def _near_variable(variable: str, names: Mapping[str, str]) -> str:
    import difflib

    near = difflib.get_close_matches(variable, names, n=1)
    return f"did you mean {near[0]}?" if near else "the form is KGSITE_<TABLE>_<KEY>"


def _table(content: Any) -> dict[str, Any]:
    if not isinstance(content, Mapping):
        raise InvalidValueError("expected a table", "write key = value lines below it")
    return dict(content)


def _prices(content: Any) -> dict[str, Any]:
    result: dict[str, dict[str, float]] = {}
    for model, price in _table(content).items():
        if not isinstance(price, Mapping) or not price or not set(price) <= {"input", "output", "cached"}:
            raise InvalidValueError(
                f"the price of {model} is not readable",
                f'write "{model}" = {{ input = 0.15, output = 0.60 }}, per million tokens',
            )
        if not all(isinstance(value, int | float) and value >= 0 for value in price.values()):
            raise InvalidValueError(f"the price of {model} must be numbers from 0", "money per million tokens")
        result[model] = {key: float(value) for key, value in price.items()}
    return result


def _questions(content: Any) -> tuple[str, ...]:
    asked = _table(content).get("ask", [])
    if not isinstance(asked, list) or not all(isinstance(question, str) for question in asked):
        raise InvalidValueError("`ask` is a list of questions", 'write ask = ["Who founded …?"]')
    if unknown := sorted(set(content) - {"ask"}):
        raise InvalidValueError(f"unknown key `{unknown[0]}`", "known: ask")
    return tuple(asked)


def _encodings(content: Any) -> dict[str, str]:
    import codecs

    for path, name in _table(content).items():
        try:
            codecs.lookup(name)
        except (LookupError, TypeError):
            raise InvalidValueError(
                f"unknown encoding {name!r} for {path}", 'write a name such as "gb18030" or "cp1252"'
            ) from None
    return dict(content)


_FREE_READERS: Mapping[str, Any] = {
    "theme": _table,
    "prices": _prices,
    "questions": _questions,
    "encodings": _encodings,
}


def _together(settings: Settings, reader: _Reader) -> list[ConfigError]:
    """What only several values together can get wrong, and keys that are secrets in the open."""
    problems: list[ConfigError] = []
    chunking = settings.chunking
    if chunking.overlap_tokens > chunking.max_tokens // 2:
        problems.append(
            ConfigError(
                f"overlap_tokens {chunking.overlap_tokens} is more than half of max_tokens {chunking.max_tokens}",
                at=reader.places.get("chunking.overlap_tokens") or reader.places.get("chunking.max_tokens"),
                hint=f"allowed: up to {chunking.max_tokens // 2}",
            )
        )
    key = settings.llm.api_key
    if key and not key.startswith("env:"):
        place = reader.places.get("llm.api_key")
        shown = Place(place.file, place.line, place.column) if place else None  # never the line: it holds the key
        reader.warnings.append(
            ConfigError(
                "a key is written in the configuration",
                at=shown,
                hint='name the variable instead: api_key = "env:OPENAI_API_KEY"',
            )
        )
    return problems


def known_keys() -> Iterator[str]:
    """Every `section.key` that site.toml may hold, in the order of settings.py (fields, not table names)."""
    for name, section in _SECTIONS.items():
        for spec in fields(section):
            yield f"{name}.{spec.name}"


def table_name(dotted: str) -> str:
    """A dotted field name as site.toml writes it: imports.recompute → import.recompute."""
    head, dot, rest = dotted.partition(".")
    return next((table for table, section in SECTION_OF.items() if section == head), head) + dot + rest


def describe(loaded: Loaded) -> Iterator[tuple[str, str, str]]:
    """(dotted key, value as TOML would write it, origin) of every setting; secrets are hidden."""
    for dotted in known_keys():
        section, key = dotted.split(".")
        spec = next(spec for spec in fields(_SECTIONS[section]) if spec.name == key)
        value = getattr(getattr(loaded.settings, section), key)
        hidden = spec.metadata["shape"] == "secret" and value and not str(value).startswith("env:")
        yield table_name(dotted), '"***"' if hidden else to_toml(value), loaded.origins[dotted]
    for section in sorted(_FREE):
        value = getattr(loaded.settings, section)
        items = value.items() if isinstance(value, Mapping) else ([("ask", value)] if value else [])
        for key, item in items:
            yield f"{section}.{key}", to_toml(item), loaded.origins.get(f"{section}.{key}", "default")


def to_toml(value: Any) -> str:
    """A value in TOML's notation, on one line."""
    import json

    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return (
            "{"
            + ", ".join(f"{json.dumps(str(key), ensure_ascii=False)} = {to_toml(part)}" for key, part in value.items())
            + "}"
        )
    if isinstance(value, list | tuple):
        return "[" + ", ".join(to_toml(part) for part in value) + "]"
    return str(value)


def all_problems(error: KgsiteError) -> list[KgsiteError]:
    """The single problems behind an error, for `--json`."""
    return list(error.problems) if isinstance(error, ConfigProblemsError) else [error]
