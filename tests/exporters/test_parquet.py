"""GraphRAG tables: its columns and types, links both ways, and the way back."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kgsite.exporters import export
from kgsite.model import Relation
from tests.exporters.graphs import collection, document, settings

TEXTS = pa.list_(pa.string())
HEAD = {"id": pa.string(), "human_readable_id": pa.int64()}
COMMUNITY = {
    **HEAD,
    "community": pa.int64(),
    "level": pa.int64(),
    "parent": pa.int64(),
    "children": pa.list_(pa.int64()),
    "title": pa.string(),
    "period": pa.string(),
    "size": pa.int64(),
}
COLUMNS = {
    "entities": {
        **HEAD,
        **dict.fromkeys(("title", "type", "description"), pa.string()),
        "text_unit_ids": TEXTS,
        "frequency": pa.int64(),
        "degree": pa.int64(),
    },
    "relationships": {
        **HEAD,
        **dict.fromkeys(("source", "target", "description"), pa.string()),
        "weight": pa.float64(),
        "combined_degree": pa.int64(),
        "text_unit_ids": TEXTS,
    },
    "communities": {**COMMUNITY, **dict.fromkeys(("entity_ids", "relationship_ids", "text_unit_ids"), TEXTS)},
    "community_reports": {
        **COMMUNITY,
        **dict.fromkeys(("summary", "full_content", "rating_explanation", "full_content_json"), pa.string()),
        "rank": pa.float64(),
        "findings": pa.list_(pa.struct([("explanation", pa.string()), ("summary", pa.string())])),
    },
    "text_units": {
        **HEAD,
        "text": pa.string(),
        "n_tokens": pa.int64(),
        "document_id": pa.string(),
        **dict.fromkeys(("entity_ids", "relationship_ids", "covariate_ids"), TEXTS),
    },
    "documents": {
        **HEAD,
        **dict.fromkeys(("title", "text", "creation_date", "raw_data", "metadata"), pa.string()),
        "text_unit_ids": TEXTS,
    },
    "covariates": {
        **HEAD,
        **dict.fromkeys(
            [
                "covariate_type",
                "type",
                "description",
                "subject_id",
                "object_id",
                "status",
                "start_date",
                "end_date",
                "source_text",
                "text_unit_id",
            ],
            pa.string(),
        ),
    },
}


def tables(root: Path, *, whole: bool = False) -> dict[str, pa.Table]:
    subject = collection(root) if whole else document()
    files = export(subject, "parquet", settings=settings(root))
    return {name.removesuffix(".parquet"): pq.read_table(io.BytesIO(data)) for name, data in files.items()}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_and_types(name: str, tmp_path: Path) -> None:
    schema = tables(tmp_path)[name].schema
    assert {column: schema.field(column).type for column in COLUMNS[name]} == COLUMNS[name]


@pytest.mark.parametrize("whole", [False, True])
def test_links_go_both_ways_and_nowhere_else(whole: bool, tmp_path: Path) -> None:
    read = {name: table.to_pylist() for name, table in tables(tmp_path, whole=whole).items()}
    units = {row["id"]: row for row in read["text_units"]}
    assert len(units) == 2
    assert len(read["entities"]) == 15
    for table, back in (("entities", "entity_ids"), ("relationships", "relationship_ids")):
        there = {(row["id"], unit) for row in read[table] for unit in row["text_unit_ids"]}
        assert there == {(one, unit["id"]) for unit in units.values() for one in unit[back]}
        assert there
    titles = [row["title"] for row in read["entities"]]
    assert len(set(titles)) == len(titles)
    assert all(title == title.upper() for title in titles)
    assert all({row["source"], row["target"]} <= set(titles) for row in read["relationships"])
    assert {unit["document_id"] for unit in units.values()} == {row["id"] for row in read["documents"]}
    members = {one for row in read["communities"] for one in row["entity_ids"]}
    assert members <= {row["id"] for row in read["entities"]}


def test_names_that_differ_in_case_have_titles_of_their_own(tmp_path: Path) -> None:
    graph = document()
    graph = replace(graph, entities=(*graph.entities, replace(graph.entities[0], name="ADA NORTHGATE", id="e-loud")))
    data = export(graph, "parquet", settings=settings(tmp_path))["entities.parquet"]
    titles = pq.read_table(io.BytesIO(data)).column("title").to_pylist()
    assert len(set(titles)) == 16
    assert "ADA NORTHGATE (PERSON)" in titles


def test_the_importer_gives_the_graph_back(tmp_path: Path) -> None:
    from kgsite.api import load_graph

    folder = tmp_path / "tables"
    folder.mkdir()
    for name, data in export(document(), "parquet", settings=settings(tmp_path)).items():
        (folder / name).write_bytes(data)
    back, graph = load_graph(folder), document()
    assert (back.title, back.summary, back.language, back.url) == (
        graph.title,
        graph.summary,
        graph.language,
        graph.url,
    )
    found = {fold(entity.name): entity for entity in back.entities}
    assert len(back.entities) == 15
    for entity in graph.entities[:3]:
        again = found[fold(entity.name)]
        assert (again.type, again.description) == (entity.type, entity.description)
        assert {*entity.aliases, entity.name} <= {*again.aliases, again.name}
    assert set(map(fact, graph.relations[:4])) <= set(map(fact, back.relations))
    assert len(back.relations) == 16
    assert [part.chunk.text for part in back.chunks] == [part.chunk.text for part in graph.chunks]
    assert sorted(c.topics for c in back.communities) == [("Makers", "Lamps"), ("Port",)]
    quotes = {(q.text, q.verified) for r in back.relations for q in r.evidence}
    assert (graph.relations[0].evidence[0].text, True) in quotes


def fold(name: str) -> str:
    """GraphRAG's titles are in capitals."""
    return name.casefold()


def fact(relation: Relation) -> tuple[object, ...]:
    ends = (fold(relation.source), relation.source_type, fold(relation.target), relation.target_type)
    return (*ends, relation.type, relation.strength, relation.inferred, relation.method, fold(relation.via))


def test_what_graphrag_lacks_stands_in_further_columns(tmp_path: Path) -> None:
    read = {name: table.to_pylist() for name, table in tables(tmp_path).items()}
    graph = document()
    names = [row["name"] for row in read["entities"]]
    assert names[:3] == ["Ada Northgate", "Lumen Works", "Port Meridian"]
    assert read["entities"][0]["aliases"] == ["A. Northgate"]
    assert json.loads(read["entities"][1]["attributes"]) == {"founded": "1890"}
    first, inferred = read["relationships"][0], read["relationships"][3]
    assert (first["type"], first["source_name"], first["target_type"]) == ("founded", "Ada Northgate", "organization")
    assert [(q["text"], q["start"], q["verified"]) for q in json.loads(first["evidence"])] == [
        (quote.text, quote.start, quote.verified) for quote in graph.relations[0].evidence
    ]
    assert (inferred["inferred"], inferred["method"], inferred["via"]) == (True, "transitive", "Lumen Works")
    unit = json.loads(read["text_units"][0]["attributes"])
    assert (unit["start"], unit["end"], unit["page_number"], unit["rephrase"]) == (0, 51, 1, "Ada made a firm.")
    assert [row["name"] for row in unit["entities"]] == ["Ada Northgate", "Lumen Works"]
    about = json.loads(read["documents"][0]["raw_data"])
    assert about["schema"]["reasoning"] == "as declared"
