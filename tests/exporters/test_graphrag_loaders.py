"""GraphRAG's own loaders read the tables. They come with the package graphrag, of which only these modules are needed:
`pip install pandas` and `pip install --no-deps graphrag graphrag-storage graphrag-common`."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from kgsite.exporters import export
from kgsite.model import Collection, DocumentGraph
from kgsite.textunits import TextUnit, text_units
from tests.exporters.graphs import collection, document, settings

WHY = "graphrag's loaders are not installed"
pandas = pytest.importorskip("pandas", reason=WHY, exc_type=ImportError)
loaders = pytest.importorskip("graphrag.query.input.loaders.dfs", reason=WHY, exc_type=ImportError)
TABLES = {
    "entities": "ENTITIES_FINAL_COLUMNS",
    "relationships": "RELATIONSHIPS_FINAL_COLUMNS",
    "communities": "COMMUNITIES_FINAL_COLUMNS",
    "community_reports": "COMMUNITY_REPORTS_FINAL_COLUMNS",
    "covariates": "COVARIATES_FINAL_COLUMNS",
    "text_units": "TEXT_UNITS_FINAL_COLUMNS",
    "documents": "DOCUMENTS_FINAL_COLUMNS",
}


@pytest.fixture(params=["document", "collection"])
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> DocumentGraph | Collection:
    return document() if request.param == "document" else collection(tmp_path)


@pytest.fixture
def frames(subject: DocumentGraph | Collection, tmp_path: Path) -> dict[str, Any]:
    files = export(subject, "parquet", settings=settings(tmp_path))
    return {name.removesuffix(".parquet"): pandas.read_parquet(io.BytesIO(data)) for name, data in files.items()}


def test_the_columns_are_those_of_graphrag_in_its_order(frames: dict[str, Any]) -> None:
    from graphrag.data_model import schemas

    for table, constant in TABLES.items():
        wanted = getattr(schemas, constant)
        assert [name for name in frames[table].columns if name in wanted] == wanted, table


def test_its_types_fit_every_table(frames: dict[str, Any]) -> None:
    """What GraphRAG's DataReader does to each table that it reads."""
    from graphrag.data_model import dfs

    for table in TABLES:
        typed = getattr(dfs, f"{table}_typed")(frames[table].copy())
        assert len(typed) == len(frames[table])


def test_its_models_hold_the_rows(frames: dict[str, Any]) -> None:
    entities = loaders.read_entities(frames["entities"])
    relations = loaders.read_relationships(frames["relationships"])
    communities = loaders.read_communities(
        frames["communities"], entities_col="entity_ids", relationships_col="relationship_ids", covariates_col=None
    )
    reports = loaders.read_community_reports(frames["community_reports"])
    units = loaders.read_text_units(frames["text_units"], covariates_col=None)
    assert (len(entities), len(relations), len(communities), len(units)) == (15, 16, len(reports), 2)
    titles = {entity.title for entity in entities}
    assert "ADA NORTHGATE" in titles
    assert all({relation.source, relation.target} <= titles for relation in relations)
    assert {relation.weight for relation in relations} >= {8.5, 3.0}
    ids = {entity.id for entity in entities}
    assert all(unit.entity_ids and set(unit.entity_ids) <= ids for unit in units)
    assert all(community.entity_ids and set(community.entity_ids) <= ids for community in communities)
    assert [report.community_id for report in reports] == [community.short_id for community in communities]


def test_its_query_engine_finds_the_community_of_an_entity(frames: dict[str, Any]) -> None:
    """What `read_indexer_entities` and `read_indexer_reports` join before a search."""
    nodes = frames["communities"].explode("entity_ids")[["community", "level", "entity_ids"]]
    joined = frames["entities"].merge(nodes, left_on="id", right_on="entity_ids", how="left")
    ada = joined[joined["name"] == "Ada Northgate"]
    titles = dict(zip(frames["communities"]["community"], frames["communities"]["title"], strict=True))
    assert ada["community"].notna().all()
    assert all(titles[int(number)] for number in ada["community"])
    both = frames["community_reports"].merge(frames["communities"], on="community", how="inner")
    assert len(both) == len(frames["communities"])


def test_its_text_units_and_ours_are_the_same(frames: dict[str, Any]) -> None:
    from graphrag.data_model.text_unit import TextUnit as Theirs

    for ours in text_units(document()):
        theirs = Theirs.from_dict(ours.to_dict(), short_id_key="short_id")
        for name in ("id", "short_id", "text", "n_tokens", "document_id", "attributes"):
            assert getattr(theirs, name) == getattr(ours, name)
        assert TextUnit.from_dict(vars(theirs)) == ours
