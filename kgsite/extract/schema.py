"""Which types a graph may use: one-line notation, TOML or a dict → Schema → JSON Schema 2020-12.

The mapping to JSON Schema is FORMATS.md section 5 (agrag). Reading is in `schema_reading`,
enforcement on extracted rows in `schema_rules`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

PropertyKind = Literal["string", "integer", "float", "boolean", "date"]
_JSON_TYPES = {"string": "string", "integer": "integer", "float": "number", "boolean": "boolean", "date": "string"}
DATEDRAFT = "https://json-schema.org/draft/2020-12/schema"
DATE_PATTERN = r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
ANY = "*"
"""Stands for every entity type at an end of a pattern."""


@dataclass(frozen=True, slots=True)
class Property:
    """One property of an entity type."""

    name: str
    kind: PropertyKind = "string"
    required: bool = False
    enum: tuple[str | int | float | bool, ...] = ()  # values of the property's type; dates as YYYY-MM-DD
    description: str = ""


@dataclass(frozen=True, slots=True)
class EntityType:
    """A type that entities may have."""

    label: str
    description: str = ""
    parents: tuple[str, ...] = ()
    properties: tuple[Property, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationType:
    """A predicate; without patterns any two entities may stand in it."""

    label: str
    patterns: tuple[tuple[str, str], ...] = ()  # (source label, target label)
    description: str = ""
    symmetric: bool = False
    max_per_source: int | None = None
    max_per_target: int | None = None


@dataclass(frozen=True, slots=True)
class Schema:
    """Entity and relation types in the order in which they were declared."""

    entity_types: tuple[EntityType, ...] = ()
    relation_types: tuple[RelationType, ...] = ()
    name: str = ""
    version: str = ""
    reasoning: str = ""
    at: str = field(default="schema", compare=False)  # the file it came from, for messages

    def __bool__(self) -> bool:
        return bool(self.entity_types or self.relation_types)

    def children(self, label: str) -> tuple[str, ...]:
        """`label` and every type below it, in declaration order."""
        found = {label}
        grown = True
        while grown:
            below = {kind.label for kind in self.entity_types if found.intersection(kind.parents)} - found
            grown = bool(below)
            found |= below
        return tuple(kind.label for kind in self.entity_types if kind.label in found) or (label,)


def load_schema(source: Sequence[str] | Mapping[str, Any] | str | Path, *, at: str = "") -> Schema:
    """A schema from the one-line notation (a list of strings), a dict, TOML text, or a TOML or JSON file.

    Raises ConfigError that names the place and what is allowed there.
    """
    from kgsite.extract import schema_reading

    if isinstance(source, Path):
        return schema_reading.from_file(source)
    if isinstance(source, str):
        return schema_reading.from_toml(source, at or "schema")
    if isinstance(source, Mapping):
        return schema_reading.from_dict(source, at or "schema")
    return schema_reading.from_notation(list(source), at or "schema")


# ── JSON Schema ───────────────────────────────────────────────────────────────────────────────────
def to_json_schema(schema: Schema) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a plain document under this schema, exactly as FORMATS.md section 5 maps it.

    `{"entities": [{"label", "text", "properties"}], "relations": [{"type", "source", "target", "source_label",
    "target_label"}]}`
    """
    defs: dict[str, Any] = {f"entity-{kind.label}": _entity_schema(kind) for kind in schema.entity_types}
    defs |= {f"relation-{relation.label}": _relation_schema(relation, schema) for relation in schema.relation_types}
    result: dict[str, Any] = {"$schema": DRAFT}
    if schema.name:
        result["title"] = schema.name
    if schema.name and schema.version:
        result["$id"] = f"urn:agrag:schema:{_urn(schema.name)}:{_urn(schema.version)}"
    result |= {
        "type": "object",
        "properties": {
            "entities": {"type": "array", "items": _one_of("entity", [kind.label for kind in schema.entity_types])},
            "relations": {
                "type": "array",
                "items": _one_of("relation", [kind.label for kind in schema.relation_types]),
            },
        },
        "required": ["entities", "relations"],
        "additionalProperties": False,
        "$defs": defs,
    }
    return result


def _urn(part: str) -> str:
    return quote(part, safe="-._~!$&'()*+,;=:@")


def _one_of(kind: str, labels: Sequence[str]) -> Any:
    """A choice of definitions; when no type is declared, no row of that kind is valid."""
    return {"anyOf": [{"$ref": f"#/$defs/{pointer(f'{kind}-{label}')}"} for label in labels]} if labels else False


def pointer(key: str) -> str:
    """A $defs key as the fragment of a $ref: JSON Pointer escapes, then percent-encoding (RFC 6901 section 6)."""
    return quote(key.replace("~", "~0").replace("/", "~1"), safe="-._~!$&'()*+,;=:@")


def _entity_schema(kind: EntityType) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "type": "object",
        "properties": {entry.name: _property_schema(entry) for entry in kind.properties},
        "additionalProperties": False,
    }
    if required := [entry.name for entry in kind.properties if entry.required]:
        properties["required"] = required
    found: dict[str, Any] = {"type": "object"}
    if kind.description:
        found["description"] = kind.description
    found |= {
        "properties": {
            "label": {"const": kind.label},
            "text": {"type": "string", "minLength": 1},
            "properties": properties,
        },
        "required": ["label", "text", "properties"],
        "additionalProperties": False,
    }
    if kind.parents:
        found["x-agrag-parents"] = list(kind.parents)
    return found


def _property_schema(entry: Property) -> dict[str, Any]:
    found: dict[str, Any] = {"type": _JSON_TYPES[entry.kind]}
    if entry.kind == "date":
        found |= {"format": "date", "pattern": DATE_PATTERN}
    if entry.enum:
        found["enum"] = list(entry.enum)
    if entry.description:
        found["description"] = entry.description
    return found


def accepted_ends(relation: RelationType, schema: Schema) -> dict[str, tuple[str, ...]]:
    """Source label → target labels that a relation may have: children of parents and symmetric pairs included."""
    everything = tuple(kind.label for kind in schema.entity_types)
    pairs: dict[str, dict[str, None]] = {}
    for source, target in relation.patterns:
        sources = everything if source == ANY else schema.children(source)
        targets = everything if target == ANY else schema.children(target)
        directions = [(sources, targets), (targets, sources)] if relation.symmetric else [(sources, targets)]
        for left, right in directions:
            for label in left:
                pairs.setdefault(label, {}).update(dict.fromkeys(right))
    return {
        label: tuple(other for other in everything if other in pairs[label]) for label in everything if label in pairs
    }


def _relation_schema(relation: RelationType, schema: Schema) -> dict[str, Any]:
    label = {"type": "string", "minLength": 1}
    found: dict[str, Any] = {"type": "object"}
    if relation.description:
        found["description"] = relation.description
    found |= {
        "properties": {
            "type": {"const": relation.label},
            "source": {"type": "string", "minLength": 1},
            "target": {"type": "string", "minLength": 1},
            "source_label": label,
            "target_label": label,
        },
        "required": ["type", "source", "target", "source_label", "target_label"],
        "additionalProperties": False,
    }
    if relation.patterns:
        found["anyOf"] = [
            {"properties": {"source_label": {"const": source}, "target_label": {"enum": list(targets)}}}
            for source, targets in accepted_ends(relation, schema).items()
        ]
    if relation.symmetric:
        found["x-agrag-symmetric"] = True
    if relation.max_per_source is not None:
        found["x-agrag-max-per-source"] = relation.max_per_source
    if relation.max_per_target is not None:
        found["x-agrag-max-per-target"] = relation.max_per_target
    return found
