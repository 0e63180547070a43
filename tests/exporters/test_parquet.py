"""GraphRAG tables: its columns and types, links both ways, and the way back."""

from __future__ import annotations

import io
import json
from dataclasses import asdict, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kgsite.api import load_graph
from kgsite.exporters import export
from kgsite.exporters.table import clean
from kgsite.model import DocumentGraph, Entity, Relation
from tests.exporters.graphs import FIRST, SECOND, collection, document, settings

SAMPLES = Path(__file__).parent.parent / "importers" / "data"
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


def readable() -> DocumentGraph:
    """The document with the names that any reader of kgsite leaves: no control characters."""
    graph = document()

    def fix(row: Entity | Relation) -> Entity | Relation:
        texts = {name: clean(value) for name, value in asdict(row).items() if isinstance(value, str)}
        return replace(row, **texts)

    return replace(graph, entities=tuple(map(fix, graph.entities)), relations=tuple(map(fix, graph.relations)))


def written(graph: DocumentGraph, root: Path) -> Path:
    folder = root / "tables"
    folder.mkdir()
    for name, data in export(graph, "parquet", settings=settings(root)).items():
        (folder / name).write_bytes(data)
    return folder


def test_the_importer_gives_the_same_graph_back(tmp_path: Path) -> None:
    assert load_graph(written(readable(), tmp_path)) == readable()


@pytest.mark.parametrize(
    "sample", ["knwler/nist-ai-rmf.v0.1.json", "knwler/lumen.v1.1.json", "triples/marie-curie.json", "graphrag-dulce"]
)
def test_real_graphs_come_back_the_same(sample: str, tmp_path: Path) -> None:
    graph = load_graph(SAMPLES / sample)
    assert graph.entities
    assert load_graph(written(graph, tmp_path)) == graph


def test_in_content_they_are_a_document_with_the_same_graph(tmp_path: Path) -> None:
    from kgsite.importers import import_graph
    from kgsite.model import FrontMatter, Provenance, Source, SourcePath

    source = Source(SourcePath("lamps"), "graph", written(readable(), tmp_path), meta=FrontMatter(title="Mine"))
    graph = import_graph(source, provenance=Provenance(source.path), settings=settings(tmp_path))
    wanted = readable()
    assert (graph.title, graph.meta.license, graph.provenance.source) == ("Mine", "CC-BY-4.0", "lamps")
    assert graph.id != wanted.id
    assert [facts(one) for one in graph.relations] == [facts(one) for one in wanted.relations]
    assert (graph.text, graph.communities, graph.schema) == (wanted.text, wanted.communities, wanted.schema)


def facts(relation: Relation) -> tuple[object, ...]:
    """A relation without ids, which follow the document's."""
    quotes = tuple(replace(quote, chunk_id="") for quote in relation.evidence)
    return tuple(asdict(replace(relation, id="", chunk_ids=(), evidence=quotes)).items())


def test_tables_that_were_changed_are_read_like_any_others(tmp_path: Path) -> None:
    folder = written(readable(), tmp_path)
    table = pq.read_table(folder / "entities.parquet")
    pq.write_table(table.slice(1), folder / "entities.parquet")  # one entity is gone, its relations stay
    graph = load_graph(folder)
    found = {entity.name: entity for entity in graph.entities}
    assert graph.provenance.extractor == "import:graphrag"
    assert len(found) == 15
    assert found["Ada Northgate"].attributes == {"described": "no"}
    assert found["Lumen Works"].attributes == {"founded": "1890"}
    assert {relation.via for relation in graph.relations if relation.inferred} == {"Lumen Works"}
    quote = next(r for r in graph.relations if r.type == "founded").evidence[0]
    assert (quote.start, quote.end, quote.verified) == (0, 51, True)
    assert [(part.chunk.start, part.chunk.end) for part in graph.chunks] == [FIRST, SECOND]
    assert [entity.name for entity in graph.chunks[0].entities] == ["Ada Northgate", "Lumen Works"]


def test_tables_of_a_collection_are_one_document_with_the_exact_names(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    merged = collection(tmp_path)
    for name, data in export(merged, "parquet", settings=settings(tmp_path)).items():
        (folder / name).write_bytes(data)
    graph = load_graph(folder)
    assert (len(graph.entities), len(graph.relations)) == (len(merged.entities), len(merged.facts))
    assert {"Ada Northgate", "Lumen Works", "Port Meridian"} <= {entity.name for entity in graph.entities}
    assert {relation.type for relation in graph.relations} == {fact.predicate for fact in merged.facts}


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
