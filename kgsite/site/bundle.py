"""ES modules → one classic script, because module scripts do not load from `file://`.

This is no general bundler. It relies on the conventions of the theme's scripts, and says where one is broken:

- imports are whole lines at the top: `import {name, other as alias} from "./module.js";`
- exports start a line: `export function|async function|class|const name`
- no default exports, no `export {…}`, no dynamic import, no `import.meta`, no cycles

Each module becomes a function of its own, run once, so private names never meet.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kgsite.errors import Place, ThemeError

_IMPORT = re.compile(r'import \{([^{}]*)\} from "(\./[^"\\]+\.js)";\s*(?://.*)?')
_EXPORT = re.compile(r"export ((?:async )?function\*?|class|const) ([A-Za-z_$][\w$]*)")
_BINDING = re.compile(r"([A-Za-z_$][\w$]*)(?: as ([A-Za-z_$][\w$]*))?")
_FORBIDDEN = re.compile(r"(?<![\w$.\"'`])import\s*(\(|\.\s*meta)")
_FORMS = "only `export function`, `export class` and `export const` at the start of a line are allowed"


@dataclass(frozen=True, slots=True)
class _Import:
    name: str  # of the module, as a path from the scripts' root
    bindings: tuple[tuple[str, str], ...]  # (exported name, local name)
    line: int


@dataclass(frozen=True, slots=True)
class _Module:
    name: str
    imports: tuple[_Import, ...]
    exports: tuple[str, ...]
    body: str


def bundle(entry: str, modules: Mapping[str, str]) -> str:
    """The module `entry` with all that it imports, as one immediately run function in strict mode.

    `modules` maps names (paths below the scripts' folder, with `/`) to source text. A theme that replaces one module
    of the theme it extends only puts another text under the same name.
    Raises ThemeError with file and line when a module is missing or a convention is broken.
    """
    parsed: dict[str, _Module] = {}
    _gather(entry, modules, parsed)
    _check_bindings(parsed)
    numbers = {name: f"m{index}" for index, name in enumerate(parsed)}
    parts = ['(function () {\n"use strict";\n']
    parts += [_wrap(module, numbers) for module in parsed.values()]
    parts.append("})();\n")
    return "".join(parts)


def _gather(entry: str, texts: Mapping[str, str], modules: dict[str, _Module]) -> None:
    """Fill `modules` in dependency order: an explicit stack, so that depth is no problem."""
    read: dict[str, _Module] = {}
    chain: list[tuple[_Module, int]] = []

    def enter(name: str, at: Place) -> None:
        if name in (module.name for module, _ in chain):
            loop = " → ".join([*(module.name for module, _ in chain), name])
            raise ThemeError(f"modules import each other in a circle: {loop}", at=at)
        if name not in read:
            read[name] = _parse(name, _source(name, texts, at))
            chain.append((read[name], 0))

    enter(entry, Place(entry))
    while chain:
        module, position = chain.pop()
        if position == len(module.imports):
            modules[module.name] = module
            continue
        chain.append((module, position + 1))
        wanted = module.imports[position]
        enter(wanted.name, Place(module.name, wanted.line))


def _source(name: str, texts: Mapping[str, str], at: Place) -> str:
    if name not in texts:
        raise ThemeError(f"there is no script {name}", at=at, hint="paths are relative to the importing file")
    return texts[name]


def _parse(name: str, text: str) -> _Module:
    imports: list[_Import] = []
    exports: list[str] = []
    body: list[str] = []
    started = in_comment = False
    for number, line in enumerate(text.splitlines(), start=1):
        place = Place(name, number, text=line)
        code = not in_comment
        in_comment = _comment_continues(line, in_comment)
        if code and line.startswith("import"):
            if started:
                raise ThemeError("imports come first, before any other code", at=place)
            imports.append(_parse_import(name, line, place))
            body.append("")
        elif code and line.startswith("export"):
            match = _EXPORT.match(line)
            if match is None:
                raise ThemeError(f"this export can't be bundled: {_FORMS}", at=place)
            exports.append(match[2])
            body.append(line.removeprefix("export "))
            started = True
        else:
            if code and _FORBIDDEN.search(line.split("//")[0]):
                raise ThemeError("dynamic imports and import.meta can't be bundled", at=place)
            started = started or (code and line.strip() not in ("", '"use strict";') and line[:2] not in ("//", "/*"))
            body.append(line)
    return _Module(name, tuple(imports), tuple(exports), "\n".join(body).strip("\n"))


def _comment_continues(line: str, inside: bool) -> bool:
    """Whether a block comment is open after `line`; block comments start a line in the theme's scripts."""
    if inside or line.lstrip().startswith("/*"):
        return "*/" not in line
    return False


def _parse_import(name: str, line: str, place: Place) -> _Import:
    match = _IMPORT.fullmatch(line)
    if match is None:
        hint = 'write it on one line: import {name, other as alias} from "./module.js";'
        raise ThemeError("this import can't be bundled", at=place, hint=hint)
    bindings: list[tuple[str, str]] = []
    for part in filter(None, (part.strip() for part in match[1].split(","))):
        binding = _BINDING.fullmatch(part)
        if binding is None:
            raise ThemeError(f"“{part}” is not a name that can be imported", at=place)
        bindings.append((binding[1], binding[2] or binding[1]))
    return _Import(_resolve(name, match[2], place), tuple(bindings), place.line or 1)


def _resolve(importer: str, path: str, place: Place) -> str:
    parts = [*importer.split("/")[:-1], *path.removeprefix("./").split("/")]
    if any(part in ("", ".", "..") for part in parts):
        raise ThemeError("an import stays inside the theme's script folder", at=place)
    return "/".join(parts)


def _check_bindings(modules: Mapping[str, _Module]) -> None:
    for module in modules.values():
        for wanted in module.imports:
            for exported, _ in wanted.bindings:
                if exported not in modules[wanted.name].exports:
                    raise ThemeError(f"{wanted.name} exports no “{exported}”", at=Place(module.name, wanted.line))


def _wrap(module: _Module, numbers: Mapping[str, str]) -> str:
    lines = []
    for wanted in module.imports:
        names = ", ".join(name if name == local else f"{name}: {local}" for name, local in wanted.bindings)
        lines.append(f"const {{{names}}} = {numbers[wanted.name]};\n")
    exports = ", ".join(module.exports)
    return (
        f"// {module.name}\nconst {numbers[module.name]} = (function () {{\n"
        f"{''.join(lines)}{module.body}\nreturn {{{exports}}};\n}})();\n"
    )
