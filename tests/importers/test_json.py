"""JSON that Python's reader accepts in silence or falls over."""

from __future__ import annotations

import codecs
import json

import pytest

from kgsite.errors import ImportGraphError


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encodings(encoding: str, imported) -> None:
    graph = imported('{"entities": [{"name": "Renée"}]}'.encode(encoding))
    assert graph.entities[0].name == "Renée"
    assert bool(graph.notes) == (not encoding.startswith("utf-8"))


def test_a_bad_byte_is_replaced_and_told(imported) -> None:
    graph = imported(b'{"entities": [{"name": "R\xc3\xa9n\xc3\xa9e \xff x"}]}')
    assert graph.entities[0].name.startswith("Rénée")
    assert graph.notes[0].startswith("The file is not plain UTF-8")


def test_numbers_that_are_none(imported) -> None:
    graph = imported('{"entities": [{"name": "A", "x": NaN, "y": 1e999, "z": -Infinity, "w": 1}]}')
    assert graph.entities[0].attributes == {"w": "1"}
    assert graph.notes[0].startswith("3 values are not numbers")


def test_duplicate_keys(imported) -> None:
    graph = imported('{"entities": [{"name": "A", "name": "B"}], "entities": [{"name": "C"}]}')
    assert [entity.name for entity in graph.entities] == ["B", "C"]
    assert graph.notes[0].startswith("2 keys stand twice in an object of the file")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 100_000 + "]" * 100_000])
def test_depth_is_refused(text: str, imported) -> None:
    with pytest.raises(ImportGraphError, match=r"nested too deeply|not JSON"):
        imported(text)


@pytest.mark.parametrize("text", ["", " ", "{", '{"entities": [}', "not json", '{"a": 1} x', codecs.BOM_UTF8.decode()])
def test_what_is_no_json_is_refused_with_its_place(text: str, imported) -> None:
    with pytest.raises(ImportGraphError, match="not JSON") as raised:
        imported(text)
    assert raised.value.at is not None
    assert raised.value.at.line is not None


def test_nesting_that_loads_is_no_trouble_later(imported) -> None:
    deep: object = "x"
    for _ in range(300):
        deep = [deep]
    graph = imported({"entities": [{"name": "A", "deep": deep}, deep], "relations": [deep], "extra": deep})
    assert [entity.name for entity in graph.entities] == ["A"]


def test_big_numbers_as_ids_and_offsets(imported) -> None:
    big = 10**290
    graph = imported(
        {
            "graph": {
                "entities": [{"name": "A", "id": big, "community_id": big, "chunk_ids": [big]}],
                "communities": [{"id": big, "topics": ["T"]}],
            },
            "chunks": [{"id": big, "text": "A is here.", "start": big, "end": -5, "page_number": 1e300}],
        }
    )
    assert graph.communities[0].id == 0
    assert graph.entities[0].community_id == 0
    assert json.loads(json.dumps(graph.chunks[0].chunk.start)) == 0
