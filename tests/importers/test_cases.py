"""Hostile graph files: each loads, and what was wrong with it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgsite.graphfile import dump

CASES = {
    # file: (entities, relations, the notes)
    "bignum": (1, 0, ["1 value is not a number"]),
    "case-clash": (14, 0, ["4 entities that differ from others only in case"]),
    "d3-index": (2, 1, ["1 relation points to a row that is not there and was left out (edge 2)."]),
    "dangling": (
        4,
        2,
        [
            "2 relations name an entity that the file does not describe.",
            "3 names that only relations use were added as entities (ghost, nobody, nowhere).",
            "2 relations without a source or a target were left out (row 3, row 4).",
        ],
    ),
    "dup-ids": (4, 1, ["2 entities have the id of another one", "1 relation goes from an entity to itself"]),
    "empty-object": (0, 0, ["The file holds no entities."]),
    "html-names": (18, 0, ["2 names and types held characters"]),
    "jsonl": (2, 0, []),
    "long-names": (5, 0, []),
    "multi-edge": (2, 3, ["2 relations repeat others and were united with them."]),
    "nested-arrays": (4, 2, ["4 rows stood in lists inside the list."]),
    "null-types": (6, 0, ["3 entities without a name were left out (row 6, row 7, row 8)."]),
    "proto-names": (16, 1, []),
    "secrets": (
        1,
        0,
        [
            "2 paths of somebody's machine were shortened",
            "2 parts of the file are not known as parts of a graph and are not published (config, source_file).",
        ],
    ),
    "surrogate": (2, 0, ["1 name or type held characters"]),
    "triples": (7, 4, ["2 triples have fewer than three parts", "1 triple has more than three parts"]),
    "utf16": (1, 0, ["The file is not plain UTF-8 (UTF-16)."]),
}


def test_every_case_is_here(data: Path) -> None:
    assert {path.stem for path in (data / "cases").iterdir()} == set(CASES)


@pytest.mark.parametrize("name", sorted(CASES))
def test_case(name: str, data: Path, load) -> None:
    entities, relations, notes = CASES[name]
    graph = load(data / "cases" / f"{name}.json")
    assert (len(graph.entities), len(graph.relations)) == (entities, relations)
    assert len(graph.notes) == len(graph.dropped) == len(notes)
    for said, expected in zip(graph.notes, notes, strict=True):
        assert said.startswith(expected)
    dump(graph)


def test_types_that_are_no_text(data: Path, load) -> None:
    graph = load(data / "cases/null-types.json")
    types = {entity.name: entity.type for entity in graph.entities}
    assert types == {"A": "unknown", "B": "unknown", "C": "person", "D": "x", "E": "unknown", "42": "7"}
    assert graph.entities[3].attributes == {"other types": "author"}


def test_names_are_as_written(data: Path, load) -> None:
    names = {entity.name for entity in load(data / "cases/html-names.json").entities}
    assert "</script><script>window.__x=1</script>" in names
    assert "&lt;b&gt;" in names
    assert "U+2028 U+2029" in names  # nothing of it could be seen


def test_unknown_parts_and_paths_are_not_republished(data: Path, load) -> None:
    stored = dump(load(data / "cases/secrets.json"))
    for secret in (b"sk-test", b"/home/", b"NAME", b"llm.example", b"private"):
        assert secret not in stored
    assert "see …/x.pdf and …/x".encode() in stored


def test_ids_that_several_entities_have(data: Path, load) -> None:
    graph = load(data / "cases/dup-ids.json")
    assert [entity.name for entity in graph.entities] == ["Bright Quay", "Ghent", "Lumen Works", "Port"]
    assert "1: Lumen Works and Bright Quay, 1: Lumen Works and Ghent" in graph.notes[0]
    assert {(relation.source, relation.target) for relation in graph.relations} == {("Lumen Works", "Lumen Works")}


def test_parallel_and_opposite_relations_stay_apart(data: Path, load) -> None:
    relations = load(data / "cases/multi-edge.json").relations
    assert [(one.source, one.type, one.target) for one in relations] == [
        ("A", "owns", "B"),
        ("A", "sold", "B"),
        ("B", "owns", "A"),
    ]


def test_short_and_long_triples(data: Path, load) -> None:
    relations = load(data / "cases/triples.json").relations
    assert ("1", "2", "3") in {(one.source, one.type, one.target) for one in relations}
    assert ("a", "b", "c") in {(one.source, one.type, one.target) for one in relations}
