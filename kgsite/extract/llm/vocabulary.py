"""A schema as the extraction request sees it: sentences in the prompt and the response schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kgsite.config.settings import Settings
from kgsite.extract.llm.context import TEXT, Vocabulary
from kgsite.extract.schema import ANY, Schema, to_json_schema
from kgsite.extract.schema_rules import SchemaRules

_COMMON = "person, organization, place, event, technology, product, work, date or concept"


def vocabulary(schema: Schema, settings: Settings) -> Vocabulary:
    """What the requests of a document offer."""
    rules = SchemaRules(schema, settings.schema.synonyms, strict=settings.schema.strict)
    response = response_schema(schema, strict=settings.schema.strict, rephrase=settings.extract.rephrase)
    return Vocabulary(
        rules, response, _types(schema, settings.schema.strict), _predicates(schema, settings.schema.strict)
    )


def _types(schema: Schema, strict: bool) -> str:
    if not schema.entity_types:
        return f"Use {_COMMON}, or a better fitting singular noun."
    lines = "; ".join(
        f"{kind.label} ({kind.description})" if kind.description else kind.label for kind in schema.entity_types
    )
    properties = [
        f"{kind.label}: "
        + ", ".join(
            entry.name + (" (" + " | ".join(map(str, entry.enum)) + ")" if entry.enum else "")
            for entry in kind.properties
        )
        for kind in schema.entity_types
        if kind.properties
    ]
    other = "Things of other kinds are left out." if strict else "Where none fits, use another singular noun."
    extra = (
        f" Facts about a thing that belong there go into `properties`: {'; '.join(properties)}." if properties else ""
    )
    return f"One of: {lines}. {other}{extra}"


def _predicates(schema: Schema, strict: bool) -> str:
    if not schema.relation_types:
        return ""
    lines = []
    for relation in schema.relation_types:
        ends = ", ".join(f"{'any' if s == ANY else s} → {'any' if t == ANY else t}" for s, t in relation.patterns)
        about = "; ".join(part for part in (relation.description, ends) if part)
        lines.append(f"{relation.label} ({about})" if about else relation.label)
    other = "Other statements are left out." if strict else "Where none fits, use another one."
    return f"One of: {'; '.join(lines)}. {other}"


def response_schema(schema: Schema, *, strict: bool, rephrase: bool) -> dict[str, Any]:
    """The plain document's JSON Schema with what an extraction adds to its rows: description, evidence, strength, gist.

    Grammar compilers of local servers ignore `properties` beside `anyOf`, so each pattern becomes an object of its own.
    """
    defs: dict[str, Any] = {}
    entities: list[Any] = []
    relations: list[Any] = []
    for name, definition in to_json_schema(schema)["$defs"].items():
        if name.startswith("entity-"):
            defs[name] = _entity(definition)
            entities.append({"$ref": f"#/$defs/{_fragment(name)}"})
        else:
            defs[name] = _relation(definition)
            relations.append({"$ref": f"#/$defs/{_fragment(name)}"})
    if not (strict and entities):
        entities.append(_row({"text": TEXT, "label": TEXT, "description": TEXT}))
    if not (strict and relations):
        relations.append(_row(_statement(TEXT)))
    properties: dict[str, Any] = {
        "entities": {"type": "array", "items": _choice(entities)},
        "relations": {"type": "array", "items": _choice(relations)},
        "gist": TEXT,
    }
    if rephrase:
        properties["rephrase"] = TEXT
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        **({"$defs": defs} if defs else {}),
    }


def _fragment(name: str) -> str:
    from kgsite.extract.schema import pointer

    return pointer(name)


def _choice(options: list[Any]) -> Any:
    return options[0] if len(options) == 1 else {"anyOf": options}


def _row(properties: Mapping[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required or properties),
        "additionalProperties": False,
    }


def _entity(definition: Mapping[str, Any]) -> dict[str, Any]:
    own = definition["properties"]
    properties = {"text": TEXT, "label": own["label"], "description": TEXT}
    if own["properties"]["properties"]:
        properties["properties"] = own["properties"]
    return _row(properties)


def _statement(kind: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "source": TEXT,
        "source_label": TEXT,
        "type": kind,
        "target": TEXT,
        "target_label": TEXT,
        "evidence": TEXT,
        "description": TEXT,
        "strength": {"type": "integer", "minimum": 1, "maximum": 10},
    }


def _relation(definition: Mapping[str, Any]) -> Any:
    statement = _statement(definition["properties"]["type"])
    patterns = definition.get("anyOf")
    if not patterns:
        return _row(statement)
    return _choice([_row({**statement, **pattern["properties"]}) for pattern in patterns])
