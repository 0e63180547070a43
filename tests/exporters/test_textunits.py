"""Text units: from rows and back, from chunks, and the published file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kgsite
from kgsite.errors import ImportGraphError
from kgsite.textunits import TextUnit, text_units, text_units_json
from tests.exporters.graphs import collection, document

IDS = st.lists(st.text(max_size=5), max_size=3).map(tuple)


@given(
    st.builds(
        TextUnit,
        id=st.text(min_size=1, max_size=8),
        short_id=st.none() | st.text(max_size=3),
        text=st.text(max_size=20),
        entity_ids=IDS,
        relationship_ids=IDS,
        covariate_ids=st.dictionaries(st.text(max_size=4), IDS, max_size=2),
        n_tokens=st.none() | st.integers(0, 10**6),
        document_id=st.none() | st.text(max_size=5),
        attributes=st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=3), max_size=3),
    )
)
def test_a_dict_and_back(unit: TextUnit) -> None:
    assert TextUnit.from_dict(unit.to_dict()) == unit
    assert TextUnit.from_dict(json.loads(json.dumps(unit.to_dict()))) == unit


def test_a_row_of_graphrags_table() -> None:
    row = {
        "id": "u1",
        "human_readable_id": 7,
        "text": "Ada",
        "n_tokens": 1,
        "document_ids": ["d1", "d2"],
        "entity_ids": ["e1"],
        "relationship_ids": None,
        "covariate_ids": ["c1"],
        "page_number": 3,
    }
    assert TextUnit.from_dict(row) == TextUnit(
        "u1", "7", "Ada", ("e1",), (), {"covariates": ("c1",)}, 1, "d1", {"page_number": 3}
    )


@pytest.mark.parametrize(
    "row",
    [{}, {"id": ""}, {"id": None}, {"id": []}, {"id": "u", "entity_ids": "e1"}, {"id": "u", "n_tokens": "many"},
     {"id": "u", "n_tokens": 1.5}, {"id": "u", "attributes": [1]}, {"id": "u", "covariate_ids": {"claim": "c"}}],
)  # fmt: skip
def test_rows_that_are_none(row: dict[str, Any]) -> None:
    with pytest.raises(ImportGraphError):
        TextUnit.from_dict(row)


def test_chunks_become_text_units_with_links() -> None:
    first, second = text_units(document())
    assert (first.id, first.short_id, first.n_tokens, first.document_id) == ("chunk-0", "0", 12, document().id)
    assert first.entity_ids == ("e-ada", "e-lumen", "e-port")
    assert len(second.entity_ids) == 13
    assert len(second.relationship_ids) == 12
    assert first.attributes["page_number"] == 1
    assert second.attributes["status"] == "empty"


def test_the_published_file_links_both_ways(tmp_path: Path) -> None:
    data = json.loads(text_units_json(collection(tmp_path)))
    units = {row["id"]: TextUnit.from_dict(row) for row in data["text_units"]}
    for key, field in (("entities", "entity_ids"), ("relationships", "relationship_ids")):
        there = {(row["id"], unit) for row in data[key] for unit in row["text_unit_ids"]}
        assert there == {(one, unit.id) for unit in units.values() for one in getattr(unit, field)}
    assert kgsite.TextUnit is TextUnit
