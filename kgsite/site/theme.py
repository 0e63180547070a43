"""Themes: where templates, static files and words come from, and which options a theme has.

A theme is a folder with `theme.toml`, `templates/`, `static/` and `i18n/`. Its layers are the folder itself,
what it `extends`, and at the end the packaged default; the first layer that has a file wins, for templates and
static files alike. Inside a template, `parent:page.html` means the next layer down that has `page.html`.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgsite.config.settings import Settings
from kgsite.config.toml import parse
from kgsite.errors import ConfigError, Place, ThemeError
from kgsite.site.words import LANGUAGES, Words

if TYPE_CHECKING:
    from jinja2 import Environment

DEFAULT = "default"
PARENT = "parent:"
_TYPES: Mapping[str, type] = {"string": str, "boolean": bool, "integer": int}


@dataclass(frozen=True, slots=True)
class Option:
    """A theme option as `theme.toml` declares it under `[options.<name>]`."""

    name: str
    type: str  # string, boolean, integer
    default: Any
    help: str
    choices: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Layer:
    """One theme folder of the chain."""

    name: str
    folder: Path
    shown: str  # how messages call the folder: relative to the project, or "the packaged theme 'default'"
    options: tuple[Option, ...]
    scripts: tuple[str, ...]  # entries among static/js that become one classic script each
    extends: str
    defaults: Mapping[str, Any] = field(default_factory=dict)  # `[defaults.theme]`: options that it sets


class Theme:
    """The chain of layers with checked options and loaded words; templates are compiled on first use."""

    def __init__(
        self,
        name: str,
        layers: tuple[Layer, ...],
        options: Mapping[str, Any],
        words: Words,
        cache: Path | None = None,
    ) -> None:
        self.name = name
        self.cache = cache  # folder for compiled templates
        self.layers = layers
        self.options = options
        self.words = words
        self._environment: Environment | None = None
        self._closures: dict[str, str] = {}

    @property
    def environment(self) -> Environment:
        if self._environment is None:
            from kgsite.site.templates import make_environment

            self._environment = make_environment(self)
        return self._environment

    @property
    def scripts(self) -> tuple[str, ...]:
        """Entry scripts of all layers, each once, by name."""
        return tuple(sorted({script for layer in self.layers for script in layer.scripts}))

    def which(self, kind: str, name: str, after: int = -1) -> tuple[int, Path]:
        """Layer number and file of a template or static file: `which("templates", "page.html")`.

        Looks only at layers behind number `after`. Raises ThemeError when no layer has it.
        """
        for number in range(after + 1, len(self.layers)):
            file = self.layers[number].folder / kind / name
            if file.is_file():
                return number, file
        known = sorted(self.files(kind))
        near = difflib.get_close_matches(name, known, 1)
        place = f" below {self.layers[after].name!r}" if after >= 0 else ""
        raise ThemeError(
            f"no theme in {' → '.join(layer.name for layer in self.layers)} has {kind}/{name}{place}",
            hint=f"did you mean {near[0]!r}?" if near else "",
        )

    def files(self, kind: str) -> dict[str, Path]:
        """All files of `templates`, `static` or `i18n`, by name; first match wins."""
        found: dict[str, Path] = {}
        for layer in self.layers:
            folder = layer.folder / kind
            if not folder.is_dir():
                continue
            for file in folder.rglob("*"):
                name = file.relative_to(folder).as_posix()
                if file.is_file() and not any(part.startswith(".") for part in name.split("/")):
                    found.setdefault(name, file)
        return dict(sorted(found.items()))

    def closure_hash(self, template: str) -> str:
        """Hash of a template and of everything that it extends, includes or imports, directly or not."""
        if template not in self._closures:
            from kgsite.site.templates import closure

            digest = hashlib.sha256()
            for name, source in closure(self, template):
                digest.update(f"{name}\0{len(source)}\0".encode())
                digest.update(source.encode("utf-8", "surrogatepass"))
            self._closures[template] = digest.hexdigest()
        return self._closures[template]


def packaged_themes() -> Path:
    """The folder of the themes that come with kgsite: inside the wheel, or the checkout's `themes/`."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "themes", package.parent / "themes"):
        if (folder / DEFAULT / "theme.toml").is_file():
            return folder
    raise ThemeError("kgsite's own theme is missing", hint="install kgsite again")


def load_theme(settings: Settings) -> Theme:
    """The theme of `[site] theme`, with its chain, its options from `[theme]` checked, and its words.

    Raises ThemeError for a broken theme, ConfigError (all problems in one message) for wrong options.
    """
    name = settings.site.theme
    layers = _chain(settings.root, name)
    declared: dict[str, Option] = {}
    for layer in layers:
        for option in layer.options:
            declared.setdefault(option.name, option)
    given: dict[str, Any] = {}
    for layer in reversed(layers):
        if problems := _option_problems(declared, layer.defaults, layer.name, "defaults.theme"):
            raise ThemeError("\n".join(problems), at=Place(f"{layer.shown}/theme.toml"))
        given.update(layer.defaults)
    options = _check_options(declared, {**given, **settings.theme}, name)
    cache = settings.root / ".kgsite" / "cache" / "templates"
    return Theme(name, layers, options, _words(layers, settings.site.language), cache)


def _chain(root: Path, name: str) -> tuple[Layer, ...]:
    layers: list[Layer] = []
    wanted: str = name
    while wanted:
        layer = _read_layer(root, wanted, seen=tuple(layer.folder for layer in layers))
        if layer is None:
            break
        layers.append(layer)
        wanted = layer.extends or DEFAULT
        if layer.folder == packaged_themes() / DEFAULT:
            break
    return tuple(layers)


def _read_layer(root: Path, name: str, seen: tuple[Path, ...]) -> Layer | None:
    """The next layer called `name`; a project's own `themes/default` lies over the packaged default."""
    if not name or "/" in name or "\\" in name or name.startswith("."):
        raise ThemeError(f"{name!r} can't be a theme's name", hint="a theme is a folder under themes/")
    packaged = packaged_themes() / name
    own = root / "themes" / name
    candidates = [folder for folder in (own, packaged) if folder.is_dir()]
    if len(candidates) == 2 and own.resolve() == packaged.resolve():
        candidates = [packaged]
    free = [folder for folder in candidates if folder not in seen]
    if not candidates:
        raise _unknown_theme(root, name)
    if not free:
        if name == DEFAULT:
            return None
        raise ThemeError(f"theme {name!r} extends itself", hint="check `extends` in the theme.toml files")
    return _parse_layer(name, free[0], f"themes/{name}" if free[0] == own else f"the packaged theme {name!r}")


def _unknown_theme(root: Path, name: str) -> ThemeError:
    known = {entry.name for base in (root / "themes", packaged_themes()) if base.is_dir() for entry in base.iterdir()}
    near = difflib.get_close_matches(name, sorted(known), 1)
    there = ", ".join(sorted(known))
    return ThemeError(
        f"there is no theme {name!r}", hint=f"did you mean {near[0]!r}?" if near else f"there are: {there}"
    )


_KEYS = ("name", "description", "extends", "scripts", "options", "defaults")


def _parse_layer(name: str, folder: Path, shown: str) -> Layer:
    data = _read_toml(folder / "theme.toml", f"{shown}/theme.toml") if (folder / "theme.toml").is_file() else {}
    for key in data:
        if key not in _KEYS:
            near = difflib.get_close_matches(key, _KEYS, 1)
            raise ThemeError(
                f"unknown key {key!r}",
                at=Place(f"{shown}/theme.toml"),
                hint=f"did you mean {near[0]!r}?" if near else f"allowed: {', '.join(_KEYS)}",
            )
    extends = data.get("extends", "")
    scripts = data.get("scripts", [])
    if not isinstance(extends, str) or not isinstance(scripts, list) or not all(isinstance(s, str) for s in scripts):
        raise ThemeError("`extends` is a name, `scripts` a list of file names", at=Place(f"{shown}/theme.toml"))
    raw = data.get("options", {})
    options = tuple(_parse_option(key, raw[key], f"{shown}/theme.toml") for key in raw) if isinstance(raw, dict) else ()
    return Layer(name, folder, shown, options, tuple(scripts), extends, _default_options(data, f"{shown}/theme.toml"))


def _default_options(data: Mapping[str, Any], file: str) -> Mapping[str, Any]:
    """`[defaults.theme]`. The other tables of `[defaults]` are settings: kgsite.config.load reads and checks them."""
    defaults = data.get("defaults", {})
    options = defaults.get("theme", {}) if isinstance(defaults, dict) else None
    if not isinstance(options, dict):
        hint = "write [defaults.theme], [defaults.site] … on a line of its own"
        raise ThemeError("[defaults] is a table of tables", at=Place(file), hint=hint)
    return options


def _parse_option(name: str, raw: object, file: str) -> Option:
    if not isinstance(raw, dict) or raw.get("type") not in _TYPES or "default" not in raw:
        raise ThemeError(
            f"option {name!r} needs `type` ({', '.join(_TYPES)}) and `default`",
            at=Place(file),
            hint=f'[options.{name}]\ntype = "string"\ndefault = ""\nhelp = "what it does"',
        )
    option = Option(name, raw["type"], raw["default"], str(raw.get("help", "")), tuple(raw.get("choices", ())))
    problem = _problem(option, option.default)
    if problem:
        raise ThemeError(f"the default of option {name!r} {problem}", at=Place(file))
    return option


def _problem(option: Option, value: object) -> str:
    """What is wrong with a value, as the end of a sentence; `""` when nothing is."""
    if type(value) is not _TYPES[option.type]:
        return f"must be a {option.type}, not {value!r}"
    if option.choices and value not in option.choices:
        near = difflib.get_close_matches(str(value), [str(choice) for choice in option.choices], 1)
        allowed = ", ".join(str(choice) for choice in option.choices)
        return f"must be one of {allowed}, not {value!r}" + (f" (did you mean {near[0]!r}?)" if near else "")
    return ""


def _check_options(declared: Mapping[str, Option], given: Mapping[str, Any], theme: str) -> dict[str, Any]:
    if problems := _option_problems(declared, given, theme, "theme"):
        raise ConfigError("\n".join(problems), at=Place("site.toml"))
    return {name: given.get(name, option.default) for name, option in sorted(declared.items())}


def _option_problems(declared: Mapping[str, Option], given: Mapping[str, Any], theme: str, table: str) -> list[str]:
    """What is wrong with the options that `[table]` sets, a sentence each."""
    problems: list[str] = []
    for key, value in given.items():
        if key not in declared:
            near = difflib.get_close_matches(key, declared, 1)
            end = f"did you mean {near[0]!r}?" if near else f"it has: {', '.join(sorted(declared)) or 'none'}"
            problems.append(f"[{table}] {key}: theme {theme!r} has no such option; {end}")
        elif problem := _problem(declared[key], value):
            problems.append(f"[{table}] {key} {problem}")
    return problems


def packaged_words(language: str) -> Words:
    """The packaged theme's words. Raises ConfigError for a language that it does not have."""
    return _words((Layer(DEFAULT, packaged_themes() / DEFAULT, "the packaged theme 'default'", (), (), ""),), language)


def _words(layers: tuple[Layer, ...], language: str) -> Words:
    if language not in LANGUAGES:
        raise ConfigError(f"[site] language: {language!r} is not one of {', '.join(LANGUAGES)}", at=Place("site.toml"))
    return Words(language, _texts(layers, language), _texts(layers, "en"))


def _texts(layers: tuple[Layer, ...], language: str) -> dict[str, Any]:
    texts: dict[str, Any] = {}
    for layer in reversed(layers):
        file = layer.folder / "i18n" / f"{language}.toml"
        if file.is_file():
            texts.update(_flatten(_read_toml(file, f"{layer.shown}/i18n/{language}.toml")))
    return texts


def _flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested tables to dotted keys; a table with `other` is a plural and stays one value."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict) and "other" not in value:
            flat.update(_flatten(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat


def _read_toml(file: Path, shown: str) -> dict[str, Any]:
    try:
        read = parse(file.read_text(encoding="utf-8-sig"), shown)
    except (UnicodeDecodeError, OSError) as error:
        raise ThemeError(str(error), at=Place(shown)) from error
    if read.errors:
        first = read.errors[0]
        raise ThemeError(first.message, at=first.at, hint=first.hint)
    return dict(read.values)
