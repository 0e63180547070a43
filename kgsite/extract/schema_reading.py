"""Reading a schema: the one-line notation, dicts, TOML and JSON, each mistake named with its place."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
import tomllib
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from kgsite.errors import ConfigError, Place
from kgsite.extract.schema import ANY, DATE_PATTERN, EntityType, Property, PropertyKind, RelationType, Schema

_KINDS: dict[str, PropertyKind] = {
    "string": "string",
    "str": "string",
    "text": "string",
    "integer": "integer",
    "int": "integer",
    "float": "float",
    "number": "float",
    "double": "float",
    "boolean": "boolean",
    "bool": "boolean",
    "date": "date",
}


def from_file(path: Path) -> Schema:
    """A .toml or .json file as a schema."""
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("the schema file can't be read", at=Place(path.name)) from error
    if path.suffix.lower() == ".json":
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"the schema file is not JSON: {error}", at=Place(path.name)) from error
        if isinstance(value, list):
            return from_notation(value, path.name)
    else:
        value = _toml(text, path.name)
    if not isinstance(value, dict):
        raise ConfigError("a schema is a table or a list of types", at=Place(path.name))
    return from_dict(value, path.name)


def _toml(text: str, at: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"the schema is not TOML: {error}", at=Place(at)) from error


def from_toml(text: str, at: str) -> Schema:
    """TOML text as a schema."""
    return from_dict(_toml(text, at), at)


def from_notation(lines: list[Any], at: str) -> Schema:
    """`["Person", "Company", "Person-WORKS_FOR->Company"]` as a schema."""
    return _finish(lines, [], [], {}, at)


def from_dict(value: Mapping[str, Any], at: str) -> Schema:
    """A dict, as TOML or JSON gives it, as a schema."""
    if isinstance(value.get("schema"), Mapping):
        value = value["schema"]
    known = {
        "name",
        "version",
        "reasoning",
        "entity_types",
        "relation_types",
        "entities",
        "relations",
        "types",
        "description",
    }
    ignored = {"path", "synonyms", "discover", "strict", "revision", "checksum", "format"}
    for key in value:
        if key not in known | ignored:
            raise _wrong(at, f"{key}: not a key of a schema", "known: " + ", ".join(sorted(known)))
    entities = _entries(value.get("entity_types", value.get("entities")), at, "entity_types")
    relations = _entries(value.get("relation_types", value.get("relations")), at, "relation_types")
    shorthand = value.get("types", [])
    if not isinstance(shorthand, list):
        raise _wrong(at, "types: expected a list")
    return _finish(shorthand, entities, relations, value, at)


def _wrong(at: str, message: str, hint: str = "") -> ConfigError:
    return ConfigError(message, at=Place(at), hint=hint)


def _entries(value: Any, at: str, key: str) -> list[Any]:
    """`[...]` of strings or tables, or a table of label → table, as a list."""
    if value is None:
        return []
    if isinstance(value, Mapping):
        entries = []
        for label, entry in value.items():
            table = {"description": entry} if isinstance(entry, str) else entry
            if not isinstance(table, Mapping):
                raise _wrong(at, f"{key}.{label}: expected a table")
            entries.append({"label": label, **table})
        return entries
    if isinstance(value, (list, tuple)):
        return list(value)
    raise _wrong(at, f"{key}: expected a list or a table")


def _finish(
    shorthand: Iterable[Any], entities: list[Any], relations: list[Any], head: Mapping[str, Any], at: str
) -> Schema:
    types: dict[str, EntityType] = {}
    predicates: dict[str, RelationType] = {}
    declared = {
        entry if isinstance(entry, str) else entry.get("label")
        for entry in (*entities, *shorthand)
        if isinstance(entry, (str, dict))
    }
    for entry in (*entities, *shorthand):
        if isinstance(entry, str) and (pattern := split_pattern(entry, declared)):
            _add_relation(predicates, RelationType(pattern[1], ((pattern[0], pattern[2]),)))
            continue
        kind = EntityType(_label(entry, at)) if isinstance(entry, str) else _entity_type(entry, at)
        if kind.label in types:
            raise _wrong(at, f"entity type {kind.label!r} is declared twice")
        types[kind.label] = kind
    for entry in relations:
        if isinstance(entry, str):
            pattern = split_pattern(entry, declared)
            ends = ((pattern[0], pattern[2]),) if pattern else ()
            _add_relation(predicates, RelationType(pattern[1] if pattern else _label(entry, at), ends))
        else:
            _add_relation(predicates, _relation_type(entry, at))
    schema = Schema(
        tuple(types.values()),
        tuple(predicates.values()),
        _string(head, "name", at),
        _string(head, "version", at),
        _string(head, "reasoning", at),
        at,
    )
    return _checked(schema, at)


def split_pattern(text: str, declared: Container[Any] = ()) -> tuple[str, str, str] | None:
    """`Person-WORKS_FOR->Company` as (source, predicate, target), or None.

    Both names and predicates may hold hyphens: a cut after a declared type wins, else the first one.
    """
    before, arrow, target = text.partition("->")
    if not arrow or not target.strip() or "->" in target:
        return None
    cuts = [(before[:at].strip(), before[at + 1 :].strip()) for at, sign in enumerate(before) if sign == "-"]
    cuts = [cut for cut in cuts if all(cut)]
    if not cuts:
        return None
    source, label = next((cut for cut in cuts if cut[0] in declared), cuts[0])
    return source, label, target.strip()


def _add_relation(found: dict[str, RelationType], new: RelationType) -> None:
    """Several lines about one predicate add up."""
    old = found.get(new.label)
    if old is None:
        found[new.label] = new
        return
    found[new.label] = RelationType(
        new.label,
        tuple(dict.fromkeys((*old.patterns, *new.patterns))),
        new.description or old.description,
        new.symmetric or old.symmetric,
        new.max_per_source if new.max_per_source is not None else old.max_per_source,
        new.max_per_target if new.max_per_target is not None else old.max_per_target,
    )


def _label(value: Any, at: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _wrong(at, f"a type needs a name, not {value!r}", 'for example "Person" or "Person-WORKS_FOR->Company"')
    if "->" in value:
        raise _wrong(at, f"{value!r} is no pattern", 'a pattern is "Person-WORKS_FOR->Company"')
    return value.strip()


def _string(value: Mapping[str, Any], key: str, at: str) -> str:
    found = value.get(key, "")
    if not isinstance(found, (str, int, float)) or isinstance(found, bool):
        raise _wrong(at, f"{key}: expected text")
    return str(found)


def _strings(value: Mapping[str, Any], key: str, at: str) -> tuple[str, ...]:
    found = value.get(key, ())
    found = [found] if isinstance(found, str) else found
    if not isinstance(found, (list, tuple)) or not all(isinstance(item, str) and item.strip() for item in found):
        raise _wrong(at, f"{key}: expected a list of names")
    return tuple(dict.fromkeys(item.strip() for item in found))


def _refuse_unknown(value: Mapping[str, Any], known: set[str], what: str, at: str) -> None:
    for key in value:
        if key not in known:
            raise _wrong(at, f"{what}: unknown key {key!r}", "known: " + ", ".join(sorted(known)))


def _entity_type(value: Any, at: str) -> EntityType:
    if not isinstance(value, Mapping):
        raise _wrong(at, f"an entity type is a name or a table, not {value!r}")
    label = _label(value.get("label", value.get("name")), at)
    _refuse_unknown(value, {"label", "name", "description", "parents", "properties"}, label, at)
    properties = tuple(
        _property(entry, label, at) for entry in _entries(value.get("properties"), at, f"{label}.properties")
    )
    if len({entry.name for entry in properties}) != len(properties):
        raise _wrong(at, f"{label}: a property is declared twice")
    return EntityType(label, _string(value, "description", at), _strings(value, "parents", at), properties)


def _property(value: Any, owner: str, at: str) -> Property:
    if isinstance(value, str):
        return Property(_label(value, at))
    if not isinstance(value, Mapping):
        raise _wrong(at, f"{owner}: a property is a name or a table")
    # In a table of properties, `founded = "date"` arrives as a description; a type name there is the type.
    value = dict(value)
    if "type" not in value and value.get("description") in _KINDS and set(value) == {"label", "description"}:
        value["type"] = value.pop("description")
    name = _label(value.get("label", value.get("name")), at)
    _refuse_unknown(value, {"label", "name", "type", "required", "enum", "description"}, f"{owner}.{name}", at)
    kind = _KINDS.get(str(value.get("type", "string")).lower())
    if kind is None:
        raise _wrong(at, f"{owner}.{name}: unknown type {value['type']!r}", "string, integer, float, boolean or date")
    if not isinstance(value.get("required", False), bool):
        raise _wrong(at, f"{owner}.{name}: required is true or false")
    enum = value.get("enum", ())
    if not isinstance(enum, (list, tuple)):
        raise _wrong(at, f"{owner}.{name}: enum is a list")
    converted = _distinct(converted_value(item, kind, f"{owner}.{name}", at) for item in enum)
    return Property(name, kind, value.get("required", False), converted, _string(value, "description", at))


def _distinct(values: Iterable[str | int | float | bool]) -> tuple[str | int | float | bool, ...]:
    """Each value once; 1 and True are different values although Python calls them equal."""
    found: dict[tuple[bool, Any], str | int | float | bool] = {}
    for value in values:
        found.setdefault((isinstance(value, bool), value), value)
    return tuple(found.values())


def converted_value(value: Any, kind: PropertyKind, what: str, at: str = "schema") -> str | int | float | bool:
    """A value or a text form of it as a value of the property's type. Raises ConfigError."""
    try:
        return _converted(value, kind)
    except (ValueError, OverflowError) as error:
        raise _wrong(at, f"{what}: {value!r} is no {kind}") from error


def _converted(value: Any, kind: PropertyKind) -> str | int | float | bool:
    if kind == "boolean":
        text = str(value).strip().lower()
        return text == "true" if text in ("true", "false") else _refuse(value)
    if isinstance(value, (bool, dict, list)):
        _refuse(value)
    text = value.isoformat()[:10] if isinstance(value, dt.date) else str(value).strip()
    if kind == "string":
        return str(value)
    if kind == "date":
        return dt.date.fromisoformat(text).isoformat() if re.match(DATE_PATTERN, text) else _refuse(value)
    number = float(text)
    if not math.isfinite(number):
        _refuse(value)
    if kind == "float":
        return number
    return int(number) if number == int(number) and abs(number) < 2**53 else int(text)


def _refuse(value: object) -> NoReturn:
    raise ValueError(value)


def _relation_type(value: Any, at: str) -> RelationType:
    if not isinstance(value, Mapping):
        raise _wrong(at, f"a relation type is a name, a pattern or a table, not {value!r}")
    label = _label(value.get("label", value.get("name")), at)
    keys = {"label", "name", "patterns", "description", "symmetric", "max_per_source", "max_per_target"}
    _refuse_unknown(value, keys, label, at)
    patterns = value.get("patterns", ())
    if not isinstance(patterns, (list, tuple)):
        raise _wrong(at, f"{label}: patterns is a list")
    if not isinstance(value.get("symmetric", False), bool):
        raise _wrong(at, f"{label}: symmetric is true or false")
    limits = [value.get(key) for key in ("max_per_source", "max_per_target")]
    if any(
        limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1) for limit in limits
    ):
        raise _wrong(at, f"{label}: max_per_source and max_per_target are whole numbers from 1")
    ends = tuple(dict.fromkeys(_ends(pattern, label, at) for pattern in patterns))
    return RelationType(
        label, ends, _string(value, "description", at), value.get("symmetric", False), limits[0], limits[1]
    )


def _ends(pattern: Any, label: str, at: str) -> tuple[str, str]:
    middle = f"-{label}->"
    if isinstance(pattern, str) and middle in pattern and all(end.strip() for end in pattern.split(middle, 1)):
        source, target = pattern.split(middle, 1)
        return source.strip(), target.strip()
    if isinstance(pattern, str) and (plain := re.match(r"^\s*([^<>]+?)\s*->\s*([^<>]+?)\s*$", pattern)):
        return plain[1], plain[2]
    if (
        isinstance(pattern, (list, tuple))
        and len(pattern) == 2
        and all(isinstance(end, str) and end.strip() for end in pattern)
    ):
        return pattern[0].strip(), pattern[1].strip()
    if isinstance(pattern, Mapping) and all(isinstance(pattern.get(end), str) for end in ("source", "target")):
        return pattern["source"].strip(), pattern["target"].strip()
    raise _wrong(
        at,
        f"{label}: {pattern!r} is no pattern",
        f'"Person-{label}->Company", "Person->Company" or ["Person", "Company"]',
    )


def _checked(schema: Schema, at: str) -> Schema:
    """References must exist and parents must not go in circles. Types that only patterns name are declared by them."""
    labels = [kind.label for kind in schema.entity_types]
    named = [end for relation in schema.relation_types for ends in relation.patterns for end in ends if end != ANY]
    extra = tuple(EntityType(label) for label in dict.fromkeys(named) if label not in labels)
    known = {*labels, *(kind.label for kind in extra)}
    for kind in schema.entity_types:
        for parent in kind.parents:
            if parent not in known:
                raise _wrong(
                    at, f"{kind.label}: parent {parent!r} is no entity type", "declared: " + ", ".join(sorted(known))
                )
    _refuse_circles(schema, at)
    return Schema(
        (*schema.entity_types, *extra), schema.relation_types, schema.name, schema.version, schema.reasoning, at
    )


def _refuse_circles(schema: Schema, at: str) -> None:
    waiting = {kind.label: set(kind.parents) for kind in schema.entity_types}
    while waiting:
        free = [label for label, parents in waiting.items() if not parents.intersection(waiting)]
        if not free:
            raise _wrong(at, "parents go in a circle: " + ", ".join(sorted(waiting)))
        for label in free:
            del waiting[label]
