"""Jinja2 over the layers of a theme: strict, escaped, and blind to the file system."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from jinja2 import (
    BaseLoader,
    BytecodeCache,
    Environment,
    StrictUndefined,
    TemplateSyntaxError,
    meta,
    nodes,
    pass_context,
)
from jinja2.bccache import Bucket
from jinja2.runtime import Context
from markupsafe import Markup

from kgsite.errors import Place, ThemeError
from kgsite.model import RelUrl
from kgsite.site.escape import island_text
from kgsite.site.theme import PARENT, Theme

_MARK = "|"


class LayerLoader(BaseLoader):
    """Loads `3|page.html` from layer 3; `join_path` of the environment makes these names."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme

    def get_source(
        self,
        environment: Environment,  # noqa: ARG002 - Jinja's interface
        template: str,
    ) -> tuple[str, str, Callable[[], bool]]:
        number, name = split(self.theme, template)
        file = self.theme.layers[number].folder / "templates" / name
        try:
            source = file.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise ThemeError(
                f"can't read template {name}: {error}", at=Place(place_of(self.theme, template))
            ) from error
        return source, place_of(self.theme, template), lambda: True


class LayerEnvironment(Environment):
    """Resolves template names, `parent:` included, relative to the layer that names them."""

    theme: Theme

    def join_path(self, template: str, parent: str) -> str:
        return resolve(self.theme, template, parent)


def resolve(theme: Theme, template: str, parent: str | None = None) -> str:
    """The full name (`layer|name`) of a template as written in `parent`."""
    if _MARK in template:
        return template
    name = template.removeprefix(PARENT)
    if any(part in ("", ".", "..") for part in name.split("/")) or "\\" in name:
        raise ThemeError(f"{template!r} can't be a template's name")
    after = split(theme, parent)[0] if parent and template.startswith(PARENT) else -1
    return f"{theme.which('templates', name, after)[0]}{_MARK}{name}"


def split(theme: Theme, full: str) -> tuple[int, str]:
    """Layer number and name of a full template name."""
    if _MARK not in full:
        full = resolve(theme, full)
    number, _, name = full.partition(_MARK)
    return int(number), name


def place_of(theme: Theme, full: str) -> str:
    """How messages call a template file."""
    number, name = split(theme, full)
    return f"{theme.layers[number].shown}/templates/{name}"


@pass_context
def _asset(context: Context, name: str) -> RelUrl:
    """The link to a static file under its fingerprinted name."""
    assets = context["assets"]
    if name not in assets:
        raise ThemeError(f"there is no static file {name!r}", hint="static/ of the theme and its parents was searched")
    return RelUrl(context["page"].root + assets[name])


def make_environment(theme: Theme) -> Environment:
    """A strict environment with the theme's words; templates see only what `render` hands them."""
    environment = LayerEnvironment(
        loader=LayerLoader(theme),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
        bytecode_cache=TemplateCache(theme.cache),
    )
    environment.theme = theme
    words = theme.words
    environment.globals.update(t=words.t, n=words.n, asset=_asset, options=dict(theme.options), words=words)
    environment.globals.pop("lipsum", None)
    environment.filters.update(number=words.number, date=words.date, island=_island, size=words.size)
    return environment


def _island(value: object) -> Markup:
    return island_text(value)


def closure(theme: Theme, template: str) -> Iterator[tuple[str, str]]:
    """Name and source of a template and all it refers to, sorted; where a layer lies in the chain is no part of it.

    A template that computes a name (`{% include x %}`) is taken to refer to all templates.
    """
    environment = theme.environment
    todo = [resolve(theme, template)]
    seen: dict[str, str] = {}
    while todo:
        full = todo.pop()
        if full in seen:
            continue
        source = LayerLoader(theme).get_source(environment, full)[0]
        seen[full] = source
        try:
            names = _references(environment, source)
        except TemplateSyntaxError as error:
            raise syntax_error(theme, full, error) from error
        if None in names:
            todo.extend(resolve(theme, name) for name in theme.files("templates"))
        todo.extend(resolve(theme, name, full) for name in names if name is not None)
    for full in seen:  # only now: what a template extends has been parsed, each file under its own name
        _refuse_a_circle(theme, full)
    return iter(sorted((split(theme, full)[1], source) for full, source in seen.items()))


def _refuse_a_circle(theme: Theme, full: str) -> None:
    """Raise ThemeError when a template extends itself, directly or through others; rendering it would never end."""
    chain: list[tuple[str, int]] = []  # template, line of its `extends`
    here = full
    while True:
        written = _extended(theme.environment, _source_of(theme, here))
        if written is None:
            return
        name, line = written
        chain.append((here, line))
        here = resolve(theme, name, here)
        if here in (seen for seen, _ in chain):
            break
    if here != full:
        return  # the circle lies further down, and is told where it begins
    at = Place(place_of(theme, full), chain[0][1], None, _line(_source_of(theme, full), chain[0][1]))
    through = "".join(f" → {split(theme, name)[1]}" for name, _ in chain[1:])
    name = split(theme, full)[1]
    hint = f'to change a template of the theme below: {{% extends "{PARENT}{name}" %}}'
    raise ThemeError(f"{name} extends itself" + (f": {name}{through} → {name}" if through else ""), at=at, hint=hint)


def _source_of(theme: Theme, full: str) -> str:
    return LayerLoader(theme).get_source(theme.environment, full)[0]


def _line(source: str, number: int) -> str:
    lines = source.splitlines()
    return lines[number - 1] if 0 < number <= len(lines) else ""


_known_extensions: dict[str, tuple[str, int] | None] = {}


def _extended(environment: Environment, source: str) -> tuple[str, int] | None:
    """The name and line of the `extends` that always applies; None without one or for a computed name."""
    if source not in _known_extensions:
        found = (node for node in environment.parse(source).body if isinstance(node, nodes.Extends))
        node = next(found, None)
        constant = node.template if node is not None and isinstance(node.template, nodes.Const) else None
        _known_extensions[source] = (str(constant.value), constant.lineno) if constant is not None else None
    return _known_extensions[source]


def assets_of(theme: Theme, template: str) -> frozenset[str] | None:
    """Names of the static files that a template and all it refers to ask for; None when a name is computed."""
    found: set[str] = set()
    for _, source in closure(theme, template):
        for call in _asset_calls(theme.environment, source):
            if call is None:
                return None
            found.add(call)
    return frozenset(found)


_known_assets: dict[str, tuple[str | None, ...]] = {}


def _asset_calls(environment: Environment, source: str) -> tuple[str | None, ...]:
    if source not in _known_assets:
        calls = environment.parse(source).find_all(nodes.Call)
        asked = [call for call in calls if isinstance(call.node, nodes.Name) and call.node.name == "asset"]
        firsts = [call.args[0] if call.args else None for call in asked]
        _known_assets[source] = tuple(str(f.value) if isinstance(f, nodes.Const) else None for f in firsts)
    return _known_assets[source]


_known_references: dict[str, tuple[str | None, ...]] = {}


def _references(environment: Environment, source: str) -> tuple[str | None, ...]:
    """Names that a template refers to, None for computed ones; parsed once for each source in a process."""
    if source not in _known_references:
        _known_references[source] = tuple(meta.find_referenced_templates(environment.parse(source)))
    return _known_references[source]


class TemplateCache(BytecodeCache):
    """Compiled templates: in memory for builds of one process (serve), and in `.kgsite/cache/templates/`.

    A file begins with the hash of the rest: damaged ones are compiled again. Jinja compares the template's source
    and the Python version itself.
    """

    memory: ClassVar[dict[str, bytes]] = {}

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def load_bytecode(self, bucket: Bucket) -> None:
        data = self.memory.get(bucket.key)
        if data is None and self.folder is not None:
            with contextlib.suppress(OSError):
                checksum, _, body = (self.folder / bucket.key).read_bytes().partition(b"\n")
                if checksum == hashlib.sha256(body).hexdigest().encode():
                    data = body
        if data is not None:
            bucket.bytecode_from_string(data)

    def dump_bytecode(self, bucket: Bucket) -> None:
        data = self.memory[bucket.key] = bucket.bytecode_to_string()
        if self.folder is None:
            return
        file = self.folder / bucket.key
        part = file.with_name(f"{bucket.key}.{os.getpid()}.part")
        with contextlib.suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(hashlib.sha256(data).hexdigest().encode() + b"\n" + data)
            part.replace(file)


def syntax_error(theme: Theme, full: str, error: TemplateSyntaxError) -> ThemeError:
    """A Jinja syntax error with its place and line."""
    lines: list[Any] = (error.source or "").splitlines()
    text = lines[error.lineno - 1] if 0 < error.lineno <= len(lines) else ""
    return ThemeError(str(error.message), at=Place(error.filename or place_of(theme, full), error.lineno, None, text))
