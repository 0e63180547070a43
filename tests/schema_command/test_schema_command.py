"""`kgsite schema`, and the schema's way through an offline build to data/schema.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import kgsite
from kgsite.cli import main
from kgsite.extract.schema_check import check_graph, check_plain
from kgsite.extract.schema_use import schema_in_use
from kgsite.extract.schema_writing import to_toml
from kgsite.model import Entity, Relation

RICH = """
name = "lamps"
version = "2"
[[entity_types]]
label = "Agent"
[[entity_types]]
label = "Person"
parents = ["Agent"]
[[entity_types.properties]]
name = "born"
type = "date"
required = true
[[entity_types.properties]]
name = "role"
enum = ["maker", "seller"]
[[entity_types.properties]]
name = "age"
type = "integer"
[[entity_types.properties]]
name = "height"
type = "float"
[[entity_types.properties]]
name = "alive"
type = "boolean"
[[entity_types]]
label = "Company"
description = "A \\"firm\\"."
[[relation_types]]
label = "WORKS_FOR"
patterns = [["Agent", "Company"]]
max_per_source = 1
[[relation_types]]
label = "MARRIED"
patterns = [["Person", "Person"]]
symmetric = true
max_per_target = 1
"""
SITE = '[site]\ntitle = "Lamps"\n[extract]\nextractor = "offline"\n'
DOCUMENT = "# Lumen Works\n\nAda Northgate founded Lumen Works in Port Meridian in 1890. Lumen Works built a lamp.\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "content").mkdir()
    (tmp_path / "site.toml").write_text(SITE, encoding="utf-8")
    (tmp_path / "content" / "lamps.md").write_text(DOCUMENT, encoding="utf-8")
    return tmp_path


def run(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["-C", str(root), "schema", *arguments])


def declare(root: Path, *, more: str = "") -> None:
    (root / "schema.toml").write_text(RICH, encoding="utf-8")
    (root / "site.toml").write_text(SITE + f'[schema]\npath = "schema.toml"\n{more}', encoding="utf-8")


# ── the commands ──────────────────────────────────────────────────────────────────────────────────
def test_show_gives_a_file_that_reads_back_equal(project: Path) -> None:
    declare(project)
    result = run(project, "show")
    assert result.exit_code == 0
    assert kgsite.load_schema(result.stdout) == kgsite.load_schema(RICH)


def test_write_gives_json_schema(project: Path) -> None:
    declare(project)
    result = run(project, "write", "--out", str(project / "out.json"))
    assert result.exit_code == 0
    written = json.loads((project / "out.json").read_text(encoding="utf-8"))
    assert written == kgsite.to_json_schema(kgsite.load_schema(RICH))
    assert written["$id"] == "urn:agrag:schema:lamps:2"
    Draft202012Validator.check_schema(written)


def test_without_a_schema_the_types_in_use(project: Path) -> None:
    assert kgsite.build(project).exit_code == 0
    shown = kgsite.load_schema(run(project, "show").stdout)
    graph = kgsite.load_collection(project).documents[0]
    assert {kind.label for kind in shown.entity_types} == {entity.type for entity in graph.entities}
    assert {one.label for one in shown.relation_types} == {relation.type for relation in graph.relations}
    assert kgsite.load_schema(run(project, "discover").stdout) == shown
    published = json.loads((project / "_site" / "data" / "schema.json").read_text(encoding="utf-8"))
    assert published == kgsite.to_json_schema(shown)
    Draft202012Validator.check_schema(published)
    assert check_graph(schema_in_use([graph]), graph.entities, graph.relations) == []


def test_the_schema_steers_the_offline_extraction(project: Path) -> None:
    more = 'strict = true\n[schema.synonyms]\norganization = "Company"\n'
    declare(project, more=more)
    assert kgsite.build(project).exit_code == 0
    graph = kgsite.load_collection(project).documents[0]
    assert {entity.type for entity in graph.entities} <= {"Agent", "Person", "Company"}
    assert graph.schema.entity_types == ("Agent", "Person", "Company")
    assert any("schema does not name" in reason for reason in graph.dropped)
    published = json.loads((project / "_site" / "data" / "schema.json").read_text(encoding="utf-8"))
    assert published["title"] == "lamps"


def test_without_strict_everything_is_kept_and_counted(project: Path) -> None:
    assert kgsite.build(project).exit_code == 0
    before = kgsite.load_collection(project).documents[0]
    declare(project, more='[schema.synonyms]\norganization = "Company"\nfounded = "WORKS_FOR"\nfound = "WORKS_FOR"\n')
    assert kgsite.build(project).exit_code == 0
    after = kgsite.load_collection(project).documents[0]
    assert {entity.name for entity in after.entities} == {entity.name for entity in before.entities}
    assert "Company" in {entity.type for entity in after.entities}
    assert any(reason.endswith("(kept)") for reason in after.dropped)


# ── plain documents: our checker and jsonschema agree ─────────────────────────────────────────────
VALUES: Any = st.sampled_from(
    ["", "x", "maker", "1890-01-31", "1890-02-30", "1890-1-1", "Person", "Company", "Agent", "WORKS_FOR", "MARRIED"]
) | st.sampled_from([None, True, False, 0, 1, 1.0, 1.5, [], {}])
ENTITIES: Any = st.fixed_dictionaries(
    {},
    optional={
        "label": st.sampled_from(["Person", "Company", "Agent", "Ship", 3]),
        "text": VALUES,
        "properties": st.dictionaries(
            st.sampled_from(["born", "role", "age", "height", "alive", "other"]), VALUES, max_size=5
        )
        | VALUES,
        "more": VALUES,
    },
)
LABELS = st.sampled_from(["Person", "Company", "Agent", "", "Ship"])
RELATIONS: Any = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["WORKS_FOR", "MARRIED", "SAILED", 1]),
        "source": VALUES,
        "target": VALUES,
        "source_label": LABELS,
        "target_label": LABELS,
    },
)
GOOD_ENTITY = st.builds(
    lambda born, more: {"label": "Person", "text": "Ada", "properties": {"born": born, **more}},
    st.sampled_from(["1890-01-31", "1890-13-01", "2000-02-29", "2001-02-29"]),
    st.dictionaries(st.sampled_from(["role", "age", "height", "alive"]), VALUES, max_size=2),
)
GOOD_RELATION = st.builds(
    lambda kind, source, target: {
        "type": kind,
        "source": "a",
        "target": "b",
        "source_label": source,
        "target_label": target,
    },
    st.sampled_from(["WORKS_FOR", "MARRIED"]),
    LABELS,
    LABELS,
)
DOCUMENTS: Any = (
    st.fixed_dictionaries(
        {
            "entities": st.lists(ENTITIES | GOOD_ENTITY, max_size=2),
            "relations": st.lists(RELATIONS | GOOD_RELATION, max_size=2),
        }
    )
    | st.dictionaries(st.sampled_from(["entities", "relations", "more"]), VALUES, max_size=3)
    | VALUES
)


@given(DOCUMENTS)
def test_our_checker_says_what_jsonschema_says(document: Any) -> None:
    schema = kgsite.load_schema(RICH)
    validator = Draft202012Validator(kgsite.to_json_schema(schema), format_checker=Draft202012Validator.FORMAT_CHECKER)
    assert (check_plain(document, schema) == []) == validator.is_valid(document), check_plain(document, schema)


# ── a whole graph ─────────────────────────────────────────────────────────────────────────────────
ADA = Entity("Ada", "Person", attributes={"born": "1890-01-31", "role": "maker"})
BEN = Entity("Ben", "Person", attributes={"born": "1891-01-31"})
CAT = Entity("Cat", "Person", attributes={"born": "1892-01-31"})
LUMEN, OTHER = Entity("Lumen", "Company"), Entity("Other", "Company")


def relation(source: Entity, kind: str, target: Entity) -> Relation:
    return Relation(source.name, source.type, target.name, target.type, kind)


@pytest.mark.parametrize(
    ("entities", "relations", "said"),
    [
        ([ADA, LUMEN], [(ADA, "WORKS_FOR", LUMEN)], []),  # a child of the pattern's parent
        ([ADA, BEN], [(ADA, "MARRIED", BEN)], []),
        ([ADA, BEN], [(ADA, "MARRIED", BEN), (BEN, "MARRIED", ADA)], []),  # both ways is once
        ([ADA, BEN, CAT], [(ADA, "MARRIED", BEN), (BEN, "MARRIED", CAT)], ["Ben: 2 × MARRIED as target, at most 1 allowed"]),
        (
            [ADA, LUMEN, OTHER],
            [(ADA, "WORKS_FOR", LUMEN), (ADA, "WORKS_FOR", OTHER)],
            ["Ada: 2 × WORKS_FOR as source, at most 1 allowed"],
        ),
        ([ADA, LUMEN], [(LUMEN, "WORKS_FOR", ADA)], ["Lumen –WORKS_FOR→ Ada: Company → Person is no pattern of WORKS_FOR"]),
        ([Entity("Ship", "Boat")], [], ["Ship: entity type 'Boat' is not in the schema"]),
        ([Entity("Dan", "Person")], [], ["Dan: born is required for Person"]),
        (
            [Entity("Eve", "Person", attributes={"born": "soon", "role": "king", "age": "1.5", "alive": "true"})],
            [],
            ["Eve: age: '1.5' is no integer", "Eve: born: 'soon' is no date", "Eve: role: 'king' is none of maker, seller"],
        ),
    ],
)  # fmt: skip
def test_a_whole_graph(entities: list[Entity], relations: list[tuple[Entity, str, Entity]], said: list[str]) -> None:
    found = check_graph(kgsite.load_schema(RICH), entities, [relation(*row) for row in relations])
    assert found == said


def test_toml_and_back() -> None:
    schema = kgsite.load_schema(RICH)
    assert kgsite.load_schema(to_toml(schema, comment="a\nb")) == schema
