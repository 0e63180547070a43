"""Front matter (YAML between `---`, TOML between `+++`) and `*.toml` sidecars → FrontMatter.

Nothing here raises: what is broken or of the wrong type becomes a sentence, and the document is built without it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from typing import Any

from kgsite.model import FrontMatter
from kgsite.readers.characters import clean, one_line

_LONGEST = 65_536  # characters of front matter
_KEY_LINE = re.compile(r"""^\s*(#.*|["']?[A-Za-z_][\w .-]{0,60}["']?\s*[:=].*)?$""")
_KEY = re.compile(r"""^["']?[A-Za-z_][\w .-]{0,60}["']?\s*:(\s|$)""")
_DATE = re.compile(r"^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$")
_LANGUAGE = re.compile(r"^([A-Za-z]{2})([-_][A-Za-z0-9-]+)?$")
_TEXT_KEYS = ("title", "license", "slug", "summary", "encoding")
_ISO_639_1 = (
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee "
    "el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is "
    "it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms "
    "mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si "
    "sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh "
    "yi yo za zh zu "
)
_LANGUAGES = frozenset(_ISO_639_1.split())
"""ISO 639-1, with `bh` and `sh`, which it had once and texts still state."""
_LIST_KEYS = ("authors", "tags")
_SYNONYMS = {"author": "authors", "lang": "language", "licence": "license"}
_MOST_ITEMS = 200
KEYS = tuple(f.name for f in fields(FrontMatter) if f.name != "extra")


@dataclass(frozen=True, slots=True)
class Split:
    """A text with its front matter taken off."""

    body: str
    stated: Mapping[str, Any] = field(default_factory=dict)  # keys as FrontMatter's fields, checked
    warnings: tuple[str, ...] = ()


def split(text: str) -> Split:
    """Take front matter off the start of a text; a byte order mark and blank lines before it are allowed."""
    start = text.lstrip("\ufeff \t\r\n")
    fence = start[:3]
    if fence not in {"---", "+++"}:
        return Split(text)
    head, _, rest = start.partition("\n")
    if head.strip() != fence:
        return Split(text)
    closing = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$" if fence == "---" else r"^\+\+\+[ \t]*\r?$", re.MULTILINE)
    end = closing.search(rest, 0, _LONGEST)
    if end is None:
        return _unclosed(text, rest, fence)
    raw = rest[: end.start()]
    if fence == "---" and not _looks_like_keys(raw):
        return Split(text)  # a rule, prose, and another rule
    values, warning = _parse(raw, fence)
    body = rest[end.end() :].lstrip("\r\n")
    if warning:
        return Split(body, {}, (warning,))
    stated, warnings = check(values)
    return Split(body, stated, warnings)


def _looks_like_keys(raw: str) -> bool:
    first = next((line for line in raw.split("\n") if line.strip() and not line.lstrip().startswith("#")), "")
    return not first or bool(_KEY.match(first.strip()))


def _unclosed(text: str, rest: str, fence: str) -> Split:
    """No closing fence: only the lines that look like keys, up to a blank line, are taken for front matter."""
    first = rest.split("\n", 1)[0]
    if not first.strip() or not _KEY_LINE.match(first):
        return Split(text)
    lines = rest.split("\n")
    count = 0
    while count < len(lines) and lines[count].strip() and (_KEY_LINE.match(lines[count]) or lines[count][:1] in " \t-"):
        count += 1
    warning = f"front matter is opened by {fence} but never closed; it was left out and the rest read as text"
    return Split("\n".join(lines[count:]).lstrip("\r\n"), {}, (warning,))


def _parse(raw: str, fence: str) -> tuple[Mapping[str, Any], str]:
    """The values, or a sentence that says what is wrong."""
    values, problem = _parse_yaml(raw) if fence == "---" else parse_toml(raw)
    if problem:
        return {}, f"front matter was left out: {problem}"
    return values, ""


def _parse_yaml(raw: str) -> tuple[Mapping[str, Any], str]:
    import yaml

    class Loader(yaml.SafeLoader):
        """Refuses aliases (a few lines of them expand to gigabytes) and leaves dates as text (a wrong one would raise)."""

        yaml_implicit_resolvers = {  # noqa: RUF012
            first: [resolver for resolver in resolvers if resolver[0] != "tag:yaml.org,2002:timestamp"]
            for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            if self.check_event(yaml.events.AliasEvent):
                event = self.peek_event()  # type: ignore[no-untyped-call]
                raise yaml.composer.ComposerError(None, None, "aliases (*name) are not allowed", event.start_mark)
            return super().compose_node(parent, index)

    try:
        values = yaml.load(clean(raw).replace("\t", "    "), Loader)  # noqa: S506 a subclass of SafeLoader
    except yaml.MarkedYAMLError as error:
        line = f" (line {error.problem_mark.line + 2})" if error.problem_mark else ""
        return {}, f"{error.problem or 'it is not valid YAML'}{line}"
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        return {}, f"it is not valid YAML ({type(error).__name__})"
    if values is None:
        return {}, ""
    return (values, "") if isinstance(values, dict) else ({}, "it is not a list of `key: value` lines")


def parse_toml(raw: str) -> tuple[Mapping[str, Any], str]:
    """Values of a TOML text, or {} and a sentence that says what is wrong."""
    import tomllib

    try:
        return tomllib.loads(raw.lstrip("\ufeff").replace("\r\n", "\n")), ""
    except (ValueError, RecursionError) as error:
        return {}, one_line(str(error), 200) or "it is not valid TOML"


def sidecar(data: bytes) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """What a `*.toml` sidecar states, checked, with sentences about what had to be left out."""
    try:
        raw = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return {}, (f"the sidecar was left out: it is not UTF-8 (byte offset {error.start:,})",)
    values, problem = parse_toml(raw)
    if problem:
        return {}, (f"the sidecar was left out: {problem}",)
    stated, warnings = check(values)
    return stated, tuple(f"sidecar: {warning}" for warning in warnings)


def check(values: Mapping[Any, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Known keys with values of the right type; unknown ones as text under "extra"; the rest as sentences."""
    stated: dict[str, Any] = {}
    extra: dict[str, str] = {}
    warnings: list[str] = []
    for raw_key, value in values.items():
        given = str(raw_key)
        key = given.strip().casefold()
        key = _SYNONYMS.get(key, key)
        if value is None:
            continue
        if key not in KEYS:
            extra[one_line(given, 60)] = _as_text(value)
            continue
        try:
            stated[key] = _value(key, value)
        except ValueError as error:
            warnings.append(f"{key} was left out: {error}")
    if extra:
        stated["extra"] = dict(sorted(extra.items()))
    return stated, tuple(warnings)


def _value(key: str, value: Any) -> Any:
    """The value as FrontMatter holds it; ValueError says what was expected."""
    if key in _LIST_KEYS:
        return _names(value, numbers=key == "tags")
    if key == "draft":
        return _flag(value)
    if key == "date":
        return _date(value)
    if key == "license" and not isinstance(value, str):
        raise ValueError(f"expected text such as CC-BY-4.0, found {_kind(value)}")
    if not isinstance(value, (str, int, float)) or isinstance(value, bool):
        raise ValueError(f"expected text, found {_kind(value)}")  # noqa: TRY004 check() collects ValueErrors
    text = one_line(str(value), 5_000 if key == "summary" else 500)
    if key == "language":
        found = _LANGUAGE.match(text)
        if not found or found[1].lower() not in _LANGUAGES:
            raise ValueError(f"expected an ISO 639-1 code such as en, found {one_line(text, 40)!r}")
        return found[1].lower()
    if key == "url":
        return _address(text)
    if not text:
        raise ValueError("it is empty")
    return text


def _names(value: Any, *, numbers: bool) -> tuple[str, ...]:
    """Texts, or one text; `numbers` (and dates) may stand for texts: years among the tags, say."""
    allowed = (str, int, float, date) if numbers else (str,)
    items = value if isinstance(value, list) else [value]
    names: list[str] = []
    for item in items[:_MOST_ITEMS]:
        name = item.get("name") if isinstance(item, dict) else item
        if isinstance(name, bool) or not isinstance(name, allowed):
            where = " in it" if isinstance(value, list) else ""
            raise ValueError(f"expected text or a list of texts, found {_kind(item)}{where}")  # noqa: TRY004
        text = one_line(str(name), 200)
        if text and text not in names:
            names.append(text)
    return tuple(names)


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().casefold() in {"true", "yes", "false", "no"}:
        return value.strip().casefold() in {"true", "yes"}
    raise ValueError(f"expected true or false, found {_kind(value)}")


def _date(value: Any) -> str:
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int) and not isinstance(value, bool) and 1000 <= value <= 9999:
        return str(value)
    text = str(value).strip()
    if isinstance(value, str) and _DATE.match(text[:10]) and (len(text) <= 10 or text[10] in "T "):
        if len(text) >= 10:
            date.fromisoformat(text[:10])  # ValueError for 31 February
        return text[:10]
    raise ValueError(f"expected YYYY, YYYY-MM or YYYY-MM-DD, found {one_line(text, 40)!r}")


def _address(text: str) -> str:
    from kgsite.readers.links import safe_href

    if not text.lower().startswith(("http://", "https://")) or not safe_href(text):
        raise ValueError(f"expected an http or https address, found {one_line(text, 60)!r}")
    return text


def _kind(value: Any) -> str:
    names = {bool: "true or false", dict: "a table", list: "a list", int: "a number", float: "a number", str: "text"}
    return names.get(type(value), f"a {type(value).__name__}")


def _as_text(value: Any) -> str:
    """An unknown value as one line of text; tables and lists flattened one level, the rest left out."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return one_line(
            ", ".join(_as_text(item) for item in value[:_MOST_ITEMS] if not isinstance(item, (list, dict))), 1000
        )
    if isinstance(value, dict):
        pairs = ((k, v) for k, v in list(value.items())[:_MOST_ITEMS] if not isinstance(v, (list, dict)))
        return one_line(", ".join(f"{key}: {_as_text(item)}" for key, item in pairs), 1000)
    return one_line(str(value), 1000)


def front_matter(*layers: Mapping[str, Any]) -> FrontMatter:
    """One record of several checked layers, the strongest first; "extra" is united key by key."""
    merged: dict[str, Any] = {}
    extra: dict[str, str] = {}
    for layer in reversed(layers):
        extra.update(layer.get("extra", {}))
        merged.update({key: value for key, value in layer.items() if key != "extra"})
    return FrontMatter(**merged, extra=dict(sorted(extra.items())))
