"""The notation, its mapping to JSON Schema row by row (checked with jsonschema), and a schema at work on rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from kgsite.config.settings import SchemaSettings, Settings
from kgsite.errors import ConfigError
from kgsite.extract.schema import load_schema, to_json_schema
from kgsite.extract.schema_reading import split_pattern
from kgsite.extract.schema_rules import SchemaRules, broken_rules, declared_schema, fold_type
from kgsite.model import Entity, Relation

RICH = """
name = "works"
version = "2.1"

[[entity_types]]
label = "Agent"
description = "Anyone who acts."

[[entity_types]]
label = "Person"
parents = ["Agent"]
[entity_types.properties]
born = { type = "date", required = true, description = "Day of birth." }
height = "float"
children = "integer"
living = { type = "boolean" }
title = { type = "string", enum = ["Dr", "Prof"] }
rank = { type = "integer", enum = ["1", 1, 2, "02"] }

[[entity_types]]
label = "Company"
parents = ["Agent"]

[[relation_types]]
label = "OWNS"
description = "Holds shares of."
patterns = ["Agent-OWNS->Company"]
max_per_target = 2

[[relation_types]]
label = "MARRIED_TO"
patterns = [["Person", "Person"]]
symmetric = true
max_per_source = 1

[[relation_types]]
label = "SUPPLIES"
patterns = ["Person->Company"]
symmetric = true

[[relation_types]]
label = "MENTIONS"
"""
PERSON = {"label": "Person", "text": "Ada", "properties": {"born": "1890-01-02"}}
COMPANY = {"label": "Company", "text": "Lumen", "properties": {}}


def relation(kind: str, source: str, target: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "source": "a", "target": "b", "source_label": source, "target_label": target, **more}


def person(**properties: Any) -> dict[str, Any]:
    return {**PERSON, "properties": {"born": "1890-01-02", **properties}}


ACCEPTED = [
    [], [PERSON], [COMPANY], [{"label": "Agent", "text": "x", "properties": {}}], [PERSON, COMPANY],
    [person(height=1.7)], [person(height=2)], [person(children=3)], [person(children=3.0)], [person(living=True)],
    [person(title="Dr")], [person(rank=1)], [person(rank=2)],
]  # fmt: skip
REFUSED = [
    [{"label": "Robot", "text": "x", "properties": {}}], [{"label": "Company", "text": "x"}], [{"text": "x", "properties": {}}],
    [{"label": "Company", "properties": {}}], [{**COMPANY, "properties": {"size": 3}}], [{**COMPANY, "extra": 1}], [{**COMPANY, "text": ""}],
    [{"label": "Person", "text": "Ada", "properties": {}}], [person(born="2 January 1890")], [person(born="1890-13-02")],
    [person(born="1890-02-30")], [person(born=18900102)], [person(height="tall")], [person(children=1.5)], [person(children="3")],
    [person(living="true")], [person(living=1)], [person(title="Sir")], [person(rank=3)], [person(rank="1")], [person(unknown=1)], ["Ada"],
]  # fmt: skip
ACCEPTED_RELATIONS = [
    relation("OWNS", "Agent", "Company"), relation("OWNS", "Person", "Company"), relation("OWNS", "Company", "Company"),
    relation("MARRIED_TO", "Person", "Person"), relation("SUPPLIES", "Person", "Company"), relation("SUPPLIES", "Company", "Person"),
    relation("MENTIONS", "Person", "Agent"), relation("MENTIONS", "Anything", "Else"),
]  # fmt: skip
REFUSED_RELATIONS = [
    relation("OWNS", "Company", "Person"), relation("OWNS", "Company", "Agent"), relation("MARRIED_TO", "Person", "Company"),
    relation("SUPPLIES", "Person", "Person"), relation("SUPPLIES", "Agent", "Company"), relation("SELLS", "Person", "Company"),
    relation("OWNS", "Person", "Company", weight=3), {"type": "OWNS", "source": "a", "target": "b"},
    relation("OWNS", "Robot", "Company"), {**relation("MENTIONS", "a", "b"), "source": ""},
]  # fmt: skip


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    schema = to_json_schema(load_schema(RICH))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema, format_checker=FormatChecker())


@pytest.mark.parametrize("entities", ACCEPTED, ids=range(len(ACCEPTED)))
def test_accepted_entities(validator: Draft202012Validator, entities: list[Any]) -> None:
    validator.validate({"entities": entities, "relations": []})


@pytest.mark.parametrize("entities", REFUSED, ids=range(len(REFUSED)))
def test_refused_entities(validator: Draft202012Validator, entities: list[Any]) -> None:
    assert not validator.is_valid({"entities": entities, "relations": []})


@pytest.mark.parametrize("row", ACCEPTED_RELATIONS, ids=range(len(ACCEPTED_RELATIONS)))
def test_accepted_relations(validator: Draft202012Validator, row: dict[str, Any]) -> None:
    validator.validate({"entities": [], "relations": [row]})


@pytest.mark.parametrize("row", REFUSED_RELATIONS, ids=range(len(REFUSED_RELATIONS)))
def test_refused_relations(validator: Draft202012Validator, row: dict[str, Any]) -> None:
    assert not validator.is_valid({"entities": [], "relations": [row]})


@pytest.mark.parametrize(
    "document",
    [{}, {"entities": []}, {"entities": [], "relations": [], "more": 1}, [], {"entities": {}, "relations": []}],
)
def test_refused_documents(validator: Draft202012Validator, document: Any) -> None:
    assert not validator.is_valid(document)


def test_the_mapping_itself() -> None:
    made = to_json_schema(load_schema(RICH))
    defs = made["$defs"]
    assert (made["$schema"], made["title"], made["$id"]) == (
        "https://json-schema.org/draft/2020-12/schema",
        "works",
        "urn:agrag:schema:works:2.1",
    )
    assert list(defs) == [
        "entity-Agent",
        "entity-Person",
        "entity-Company",
        "relation-OWNS",
        "relation-MARRIED_TO",
        "relation-SUPPLIES",
        "relation-MENTIONS",
    ]
    assert defs["entity-Agent"]["description"] == "Anyone who acts."
    properties = defs["entity-Person"]["properties"]["properties"]
    assert properties["required"] == ["born"]
    assert properties["properties"]["born"] == {
        "type": "string",
        "format": "date",
        "pattern": r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$",
        "description": "Day of birth.",
    }
    assert properties["properties"]["rank"] == {"type": "integer", "enum": [1, 2]}
    assert {key: properties["properties"][key]["type"] for key in ("height", "children", "living", "title")} == {
        "height": "number",
        "children": "integer",
        "living": "boolean",
        "title": "string",
    }
    assert defs["entity-Company"]["properties"]["properties"] == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }
    assert defs["entity-Person"]["x-agrag-parents"] == ["Agent"]
    assert defs["relation-OWNS"]["x-agrag-max-per-target"] == 2
    assert defs["relation-MARRIED_TO"]["x-agrag-max-per-source"] == 1
    assert defs["relation-MARRIED_TO"]["x-agrag-symmetric"] is True
    assert len(defs["relation-OWNS"]["anyOf"]) == 3  # one for each source label
    assert "anyOf" not in defs["relation-MENTIONS"]


def test_a_name_without_version_has_no_id() -> None:
    made = to_json_schema(load_schema({"name": "x", "entity_types": ["A"]}))
    assert "$id" not in made
    assert made["title"] == "x"


def test_one_line_notation() -> None:
    schema = load_schema(
        ["Person", "Company", "Person-WORKS_FOR->Company", "Person-WORKS_FOR->School", "Co-op-HIRES->Person", "Co-op"]
    )
    assert [kind.label for kind in schema.entity_types] == ["Person", "Company", "Co-op", "School"]
    assert [(kind.label, kind.patterns) for kind in schema.relation_types] == [
        ("WORKS_FOR", (("Person", "Company"), ("Person", "School"))),
        ("HIRES", (("Co-op", "Person"),)),
    ]
    assert split_pattern("A-B") is None
    assert split_pattern("A->B") is None
    assert split_pattern("A-x->B->C") is None


def test_labels_with_special_characters_keep_their_references() -> None:
    made = to_json_schema(load_schema({"entity_types": ["a/b ~c%", "Größe"]}))
    check = Draft202012Validator(made)
    check.validate(
        {
            "entities": [
                {"label": "a/b ~c%", "text": "x", "properties": {}},
                {"label": "Größe", "text": "x", "properties": {}},
            ],
            "relations": [],
        }
    )
    assert not check.is_valid({"entities": [{"label": "b", "text": "x", "properties": {}}], "relations": []})


def test_forms_of_one_schema_are_equal(tmp_path: Path) -> None:
    first = load_schema(RICH)
    (tmp_path / "s.toml").write_text(RICH, "utf-8")
    import tomllib

    value = tomllib.loads(RICH)
    (tmp_path / "s.json").write_text(json.dumps(value), "utf-8")
    assert (
        first
        == load_schema(tmp_path / "s.toml")
        == load_schema(tmp_path / "s.json")
        == load_schema(value)
        == load_schema({"schema": value})
    )


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"entity_type": []}, "entity_type"),
        ({"entity_types": [{"label": ""}]}, "needs a name"),
        ({"entity_types": ["A", "A"]}, "declared twice"),
        ({"entity_types": [{"label": "A", "parents": ["B"]}]}, "parent 'B'"),
        ({"entity_types": [{"label": "A", "parents": ["B"]}, {"label": "B", "parents": ["A"]}]}, "circle"),
        ({"entity_types": [{"label": "A", "properties": {"x": {"type": "money"}}}]}, "unknown type 'money'"),
        ({"entity_types": [{"label": "A", "properties": {"x": {"type": "date", "enum": ["soon"]}}}]}, "no date"),
        ({"entity_types": [{"label": "A", "properties": {"x": {"type": "integer", "enum": [1.5]}}}]}, "no integer"),
        ({"entity_types": [{"label": "A", "properties": {"x": {"required": "yes"}}}]}, "required"),
        ({"entity_types": [{"label": "A", "colour": "red"}]}, "colour"),
        ({"relation_types": [{"label": "R", "patterns": ["A to B"]}]}, "no pattern"),
        ({"relation_types": [{"label": "R", "max_per_source": 0}]}, "whole numbers"),
        ({"relation_types": [{"label": "R", "symmetric": 1}]}, "symmetric"),
        ({"relation_types": [3]}, "relation type"),
        ([5], "entity type"),
        ("= broken", "not TOML"),
    ],
)
def test_mistakes_are_named(source: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_schema(source)


def entity(name: str, kind: str) -> Entity:
    return Entity(name, kind)


def fact(source: tuple[str, str], predicate: str, target: tuple[str, str]) -> Relation:
    return Relation(source[0], source[1], target[0], target[1], predicate)


ADA, LUMEN, ROBOT = ("Ada", "Person"), ("Lumen", "Company"), ("R2", "Robot")


@pytest.mark.parametrize(("strict", "entities", "relations"), [(False, 3, 3), (True, 2, 1)])
def test_enforcement(strict: bool, entities: int, relations: int) -> None:
    rules = SchemaRules(load_schema(RICH), {"firm": "Company", "possess": "OWNS"}, strict=strict)
    done = rules.apply(
        [entity("Ada", "person"), entity("Lumen", "firm"), entity("R2", "Robot")],
        [fact(("Ada", "person"), "possess", ("Lumen", "firm")), fact(("Lumen", "firm"), "married to", ("Ada", "person")), fact(("R2", "Robot"), "MENTIONS", ("Ada", "person"))],
    )  # fmt: skip
    assert (len(done.entities), len(done.relations)) == (entities, relations)
    assert [kind.type for kind in done.entities][:2] == ["Person", "Company"]
    assert (done.relations[0].type, done.relations[0].source_type, done.relations[0].target_type) == (
        "OWNS",
        "Person",
        "Company",
    )
    assert done.broken["entity type 'Robot' is not in the schema"] == 1
    assert done.broken["MARRIED_TO: Company → Person is no pattern of the schema"] == 1


def test_a_relation_that_fits_in_reverse_is_turned_round() -> None:
    done = SchemaRules(load_schema(RICH)).apply([], [fact(LUMEN, "OWNS", ADA)])
    assert [(row.source, row.target) for row in done.relations] == [("Ada", "Lumen")]


def test_without_types_everything_is_allowed() -> None:
    done = SchemaRules(load_schema([])).apply([entity("Ada", "x")], [fact(ADA, "whatever", LUMEN)])
    assert (len(done.entities), len(done.relations), done.broken) == (1, 1, {})


def test_what_json_schema_cannot_count_is_checked_over_the_graph() -> None:
    found = broken_rules(
        load_schema(RICH),
        [entity(*ADA), entity(*LUMEN), entity(*ROBOT)],
        [
            fact(("Bo", "Person"), "MARRIED_TO", ADA), fact(("Cy", "Person"), "MARRIED_TO", ADA),
            *(fact((name, "Person"), "OWNS", LUMEN) for name in ("A", "B", "C")), fact(LUMEN, "OWNS", ADA), fact(ADA, "KNOWS", LUMEN),
        ],
    )  # fmt: skip
    assert found == [
        "Ada –KNOWS→ Lumen: relation type is not in the schema",
        "Ada: 2 × MARRIED_TO as source, at most 1 allowed",
        "Lumen –OWNS→ Ada: Company → Person is no pattern of OWNS",
        "Lumen: 3 × OWNS as target, at most 2 allowed",
        "R2: entity type 'Robot' is not in the schema",
    ]


@pytest.mark.parametrize("spelling", ["WORKS_FOR", "works for", "Works-For", "worksFor", " works  for "])
def test_spellings_of_a_type(spelling: str) -> None:
    assert fold_type(spelling) == "works for"


def test_types_in_place_are_added_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(RICH, "utf-8")
    declared = declared_schema(
        Settings(
            tmp_path,
            schema=SchemaSettings(path="s.toml", entity_types=("Robot",), relation_types=("Person-BUILT->Robot",)),
        )
    )
    assert {"Robot", "Person", "Agent"} <= {kind.label for kind in declared.entity_types}
    assert {"BUILT", "OWNS"} <= {kind.label for kind in declared.relation_types}
    with pytest.raises(ConfigError):
        declared_schema(Settings(tmp_path, schema=SchemaSettings(path="missing.toml")))
