"""Plain documents and whole graphs against a schema.

A plain document is checked as its JSON Schema would (`to_json_schema`; a test compares the two), in sentences with
places. Over a whole graph come what JSON Schema cannot count: parents, symmetric, max_per_source and max_per_target.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kgsite.errors import ConfigError
from kgsite.extract.schema import DATE_PATTERN, EntityType, Property, Schema, accepted_ends
from kgsite.extract.schema_reading import converted_value
from kgsite.extract.schema_rules import broken_rules
from kgsite.model import Entity, Relation

_ENTITY_KEYS = ("label", "text", "properties")
_RELATION_KEYS = ("type", "source", "target", "source_label", "target_label")


# ── one plain document ────────────────────────────────────────────────────────────────────────────
def check_plain(document: Any, schema: Schema) -> list[str]:
    """What a plain document (`{"entities": […], "relations": […]}`) breaks, in the order of its rows."""
    if not isinstance(document, Mapping):
        return ["a plain document is an object with entities and relations"]
    found = [f"{key}: not a part of a plain document" for key in document if key not in ("entities", "relations")]
    missing = [
        f"{key}: a list is required" for key in ("entities", "relations") if not isinstance(document.get(key), list)
    ]
    found += missing
    if not missing:
        kinds = {kind.label: kind for kind in schema.entity_types}
        for number, row in enumerate(document["entities"]):
            found += [f"entities[{number}]: {line}" for line in _entity(row, kinds)]
        ends = {relation.label: accepted_ends(relation, schema) for relation in schema.relation_types}
        for number, row in enumerate(document["relations"]):
            found += [f"relations[{number}]: {line}" for line in _relation(row, ends, schema)]
    return found


def _row(row: Any, keys: Sequence[str]) -> Iterator[str]:
    if not isinstance(row, Mapping):
        yield "an object is required"
        return
    yield from (f"{key} is missing" for key in keys if key not in row)
    yield from (f"{key} is not declared" for key in row if key not in keys)


def _entity(row: Any, kinds: Mapping[str, EntityType]) -> Iterator[str]:
    problems = list(_row(row, _ENTITY_KEYS))
    if problems:
        yield from problems
        return
    if not isinstance(row["text"], str) or not row["text"]:
        yield "text: a name is required"
    kind = kinds.get(row["label"]) if isinstance(row["label"], str) else None
    if kind is None:
        yield f"label {row['label']!r} is not in the schema"
        return
    if not isinstance(row["properties"], Mapping):
        yield "properties: an object is required"
        return
    declared = {entry.name: entry for entry in kind.properties}
    yield from (
        f"properties.{name} is not declared for {kind.label}" for name in row["properties"] if name not in declared
    )
    for name, entry in declared.items():
        if name not in row["properties"]:
            if entry.required:
                yield f"properties.{name} is required for {kind.label}"
        elif problem := _property(row["properties"][name], entry):
            yield f"properties.{name}: {problem}"


def _property(value: Any, entry: Property) -> str:
    """What is wrong with a property's value; "" when nothing is."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    fits = {
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "float": number,
        "integer": number and value == int(value),
        "date": isinstance(value, str) and _is_date(value),
    }[entry.kind]
    if not fits:
        return f"{value!r} is no {entry.kind}"
    if entry.enum and not any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in entry.enum):
        return f"{value!r} is none of {', '.join(map(str, entry.enum))}"
    return ""


def _is_date(text: str) -> bool:
    if not re.search(DATE_PATTERN, text, re.ASCII) or len(text) != len("2026-01-31"):
        return False
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _relation(row: Any, ends: Mapping[str, Mapping[str, Sequence[str]]], schema: Schema) -> Iterator[str]:
    problems = list(_row(row, _RELATION_KEYS))
    if problems:
        yield from problems
        return
    for key in _RELATION_KEYS[1:]:
        if not isinstance(row[key], str) or not row[key]:
            yield f"{key}: text is required"
            return
    label = row["type"]
    relation = next((one for one in schema.relation_types if one.label == label), None)
    if relation is None:
        yield f"type {label!r} is not in the schema"
    elif relation.patterns and row["target_label"] not in ends[label].get(row["source_label"], ()):
        yield f"{row['source_label']} → {row['target_label']} is no pattern of {label}"


# ── a whole graph ─────────────────────────────────────────────────────────────────────────────────
def check_graph(schema: Schema, entities: Sequence[Entity], relations: Sequence[Relation]) -> list[str]:
    """What a whole graph breaks: types, patterns, properties, and what only the whole can show. Sentences, sorted."""
    kinds = {kind.label: kind for kind in schema.entity_types if kind.properties}
    found = set(broken_rules(schema, entities, relations))
    for entity in entities:
        if kind := kinds.get(entity.type):
            found.update(f"{entity.name}: {line}" for line in _attributes(entity, kind))
    return sorted(found)


def _attributes(entity: Entity, kind: EntityType) -> Iterator[str]:
    """Stored attributes are text: their text form must be one of the property's type."""
    for entry in kind.properties:
        value = entity.attributes.get(entry.name)
        if value is None:
            if entry.required:
                yield f"{entry.name} is required for {kind.label}"
            continue
        try:
            converted = converted_value(value, entry.kind, entry.name)
        except ConfigError:
            yield f"{entry.name}: {value!r} is no {entry.kind}"
            continue
        if entry.enum and converted not in entry.enum:
            yield f"{entry.name}: {value!r} is none of {', '.join(map(str, entry.enum))}"
