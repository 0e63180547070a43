"""A schema as TOML that `load_schema` reads back as an equal one."""

from __future__ import annotations

import json
from collections.abc import Iterator

from kgsite.extract.schema import EntityType, RelationType, Schema


def to_toml(schema: Schema, *, comment: str = "") -> str:
    """`schema` as a file for `[schema] path`; `comment` becomes its first lines."""
    lines = [f"# {line}" for line in comment.splitlines()]
    head = {"name": schema.name, "version": schema.version, "reasoning": schema.reasoning}
    lines += [f"{key} = {_value(value)}" for key, value in head.items() if value]
    for kind in schema.entity_types:
        lines += ["", *_entity_type(kind)]
    for relation in schema.relation_types:
        lines += ["", *_relation_type(relation)]
    return "\n".join(lines).lstrip("\n") + "\n"


def _entity_type(kind: EntityType) -> Iterator[str]:
    yield "[[entity_types]]"
    yield f"label = {_value(kind.label)}"
    if kind.description:
        yield f"description = {_value(kind.description)}"
    if kind.parents:
        yield f"parents = {_value(list(kind.parents))}"
    for entry in kind.properties:
        yield "[[entity_types.properties]]"
        yield f"name = {_value(entry.name)}"
        yield f"type = {_value(entry.kind)}"
        if entry.required:
            yield "required = true"
        if entry.enum:
            yield f"enum = {_value(list(entry.enum))}"
        if entry.description:
            yield f"description = {_value(entry.description)}"


def _relation_type(relation: RelationType) -> Iterator[str]:
    yield "[[relation_types]]"
    yield f"label = {_value(relation.label)}"
    if relation.description:
        yield f"description = {_value(relation.description)}"
    if relation.patterns:
        yield f"patterns = {_value([list(ends) for ends in relation.patterns])}"
    if relation.symmetric:
        yield "symmetric = true"
    for key in ("max_per_source", "max_per_target"):
        if getattr(relation, key) is not None:
            yield f"{key} = {getattr(relation, key)}"


def _value(value: object) -> str:
    """A TOML value; JSON's strings are TOML's basic strings but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
