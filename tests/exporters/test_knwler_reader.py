"""native → a Knwler 1.x reader, which keeps what FORMATS.md section 1 names and nothing of kgsite's → native."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kgsite.api import extract_file, load_graph
from kgsite.exporters import export
from kgsite.model import DocumentGraph, Entity, GraphChunk, Relation
from tests.exporters.graphs import settings

SAMPLES = Path(__file__).parent.parent / "importers" / "data"
ENTITY = {"id": str, "name": str, "type": str, "description": str, "chunk_ids": list, "community_id": (int, type(None))}
RELATION = {
    **dict.fromkeys(("id", "source", "source_type", "target", "target_type", "type", "description"), str),
    "strength": (int, float),
    "chunk_ids": list,
}
COMMUNITY = {"id": int, "topics": list, "description": str, "members": list}
CHUNK = {"id": str, "chunk_idx": int, "text": str, "rephrase": str, "entities": list, "relations": list}
HEAD = {
    **dict.fromkeys(("id", "title", "summary", "language"), str),
    "url": (str, type(None)),
    "schema": dict,
    "stats": list,
    "graph": dict,
    "chunks": list,
}
SCHEMA = {"entity_types": list, "relation_types": list, "reasoning": str}


def taken(row: Mapping[str, Any], fields: Mapping[str, Any], *without: str) -> dict[str, Any]:
    """The named fields of a row, each there and of its type."""
    named = {name: row[name] for name in fields if name not in without}
    for name, value in named.items():
        assert isinstance(value, fields[name]), (name, value)
    return named


def knwler(data: bytes) -> dict[str, Any]:
    """A small Knwler 1.x reader; in a chunk, `id` and `community_id` of entities and relations are not there."""
    tree = json.loads(data)
    head = taken(tree, HEAD)
    graph = tree["graph"]
    members = {f"{entity['name']}::{entity['type']}" for entity in graph["entities"]}
    chunks = [taken(chunk, CHUNK) for chunk in tree["chunks"]]
    for chunk in chunks:
        chunk["entities"] = [taken(row, ENTITY, "id", "community_id", "chunk_ids") for row in chunk["entities"]]
        chunk["relations"] = [taken(row, RELATION, "id", "chunk_ids") for row in chunk["relations"]]
    communities = [taken(row, COMMUNITY) for row in graph["communities"]]
    assert all(set(community["members"]) <= members for community in communities)
    return head | {
        "schema": taken(tree["schema"], SCHEMA),
        "graph": {
            "entities": [taken(row, ENTITY) for row in graph["entities"]],
            "relations": [taken(row, RELATION) for row in graph["relations"]],
            "communities": communities,
        },
        "chunks": chunks,
    }


def bare(row: Entity | Relation, chunks: dict[str, int]) -> Any:
    """A row without kgsite's additions and ids; its chunks by number, because ids are made anew."""
    if isinstance(row, Entity):
        row = replace(row, aliases=(), attributes={})
    else:
        row = replace(row, evidence=(), inferred=False, method="", via="")
    numbers = tuple(str(chunks[one]) for one in row.chunk_ids)
    return replace(row, id="", chunk_ids=numbers)


def section_1(graph: DocumentGraph) -> dict[str, Any]:
    """All of a document graph that FORMATS.md section 1 names without kgsite's additions."""
    numbers = {part.chunk.id: number for number, part in enumerate(graph.chunks)}

    def chunk(part: GraphChunk) -> tuple[Any, ...]:
        found = (replace(row, chunk_ids=()) for row in (*part.entities, *part.relations))
        return part.chunk.chunk_idx, part.chunk.text, part.rephrase, [bare(row, numbers) for row in found]

    return {
        "head": (graph.title, graph.summary, graph.url, graph.language, graph.schema),
        "text": graph.text,
        "entities": [bare(row, numbers) for row in graph.entities],
        "relations": [bare(row, numbers) for row in graph.relations],
        "communities": graph.communities,
        "chunks": [chunk(part) for part in graph.chunks],
    }


@pytest.mark.parametrize(
    "sample",
    ["knwler/nist-ai-rmf.v0.1.json", "knwler/lumen.v1.1.json", "triples/marie-curie.json", "graphrag-dulce", "text"],
)
def test_nothing_of_the_format_is_lost_on_the_way_through_a_knwler_reader(sample: str, tmp_path: Path) -> None:
    if sample == "text":
        text = "# Lamps\n\nAda Northgate founded Lumen Works in Port Meridian.\n\nLumen Works built the Blue Lamp.\n"
        (tmp_path / "lamps.md").write_text(text, encoding="utf-8")
        graph = extract_file(tmp_path / "lamps.md", root=tmp_path)
    else:
        graph = load_graph(SAMPLES / sample)
    (data,) = export(graph, "json", settings=settings(tmp_path)).values()
    (tmp_path / "through.json").write_text(json.dumps(knwler(data)), encoding="utf-8")
    back = load_graph(tmp_path / "through.json")
    assert graph.entities
    wanted, found = section_1(graph), section_1(back)
    if sample == "knwler/lumen.v1.1.json":
        del wanted["text"]  # its chunks repeat one sentence: without offsets nobody can tell how far they overlap
    for part, value in wanted.items():
        assert found[part] == value, part
