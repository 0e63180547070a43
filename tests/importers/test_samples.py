"""Real files of other tools: counts are what the files hold, after the repairs that are told."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from kgsite.graphfile import dump
from kgsite.graphfile import load as load_native
from kgsite.importers import recognise
from kgsite.importers.knwler import read_knwler
from kgsite.importers.texts import joined

SAMPLES = {
    # file: (format, entities, relations, inferred, relations with a verified quote, communities, chunks)
    "knwler/lumen.v1.1.json": ("knwler-1.1", 4, 2, 0, 1, 2, 3),
    "knwler/nist-ai-rmf.v0.1.json": ("knwler-0.1", 267, 310, 0, 118, 32, 66),
    "triples/apollo-program.json": ("triples", 173, 280, 60, 216, 15, 2),
    "triples/industrial-revolution.json": ("triples", 236, 355, 82, 272, 15, 3),
    "triples/marie-curie.json": ("triples", 138, 263, 45, 218, 10, 2),
    "graphrag-dulce": ("graphrag", 41, 107, 0, 19, 10, 5),
}


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_counts(name: str, data: Path, load) -> None:
    graph = load(data / name)
    verified = sum(any(quote.verified for quote in relation.evidence) for relation in graph.relations)
    found = (
        graph.provenance.extractor.removeprefix("import:"),
        len(graph.entities),
        len(graph.relations),
        sum(relation.inferred for relation in graph.relations),
        verified,
        len(graph.communities),
        len(graph.chunks),
    )
    assert found == SAMPLES[name]
    assert recognise(data / name) == SAMPLES[name][0]


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_every_place_is_in_the_text(name: str, data: Path, load) -> None:
    graph = load(data / name)
    ids = {part.chunk.id for part in graph.chunks}
    assert len(ids) == len(graph.chunks)
    for part in graph.chunks:
        chunk = part.chunk
        assert chunk.text == graph.text[chunk.start : chunk.end]
        assert chunk.start <= chunk.own_start < chunk.end
    reached = 0
    for block in graph.blocks:
        assert reached <= block.start < block.end <= len(graph.text)
        assert not graph.text[reached : block.start].strip()
        reached = block.end
    for relation in graph.relations:
        assert set(relation.chunk_ids) <= ids
        for quote in relation.evidence:
            assert not quote.verified or graph.text[quote.start : quote.end] == quote.text
            assert not quote.verified or quote.chunk_id in ids


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_ends_and_members_are_entities(name: str, data: Path, load) -> None:
    graph = load(data / name)
    known = {(entity.name, entity.type) for entity in graph.entities}
    assert len(known) == len(graph.entities) == len({entity.id for entity in graph.entities})
    assert len({relation.id for relation in graph.relations}) == len(graph.relations)
    for relation in graph.relations:
        assert (relation.source, relation.source_type) in known
        assert (relation.target, relation.target_type) in known
    for community in graph.communities:
        assert {tuple(member.rsplit("::", 1)) for member in community.members} <= known


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_the_same_file_gives_the_same_bytes_and_they_load(name: str, data: Path, load) -> None:
    stored = dump(load(data / name))
    assert stored == dump(load(data / name))
    assert dump(load_native(stored)) == stored
    assert b"/private" not in stored
    assert b"source_file" not in stored


def test_chunks_of_knwler_become_the_text_they_were_cut_from(data: Path, load) -> None:
    tree = json.loads((data / "knwler/nist-ai-rmf.v0.1.json").read_text(encoding="utf-8"))
    found = read_knwler(tree, "knwler-0.1")
    text, spans = joined(found.passages, found.overlap)
    assert text == (data / "knwler/nist-ai-rmf.txt").read_text(encoding="utf-8")
    assert all(text[start:end] == one.text for one, (start, end) in zip(found.passages, spans, strict=True))


def test_pages_and_lines_of_the_text_are_read(data: Path, load) -> None:
    graph = load(data / "knwler/nist-ai-rmf.v0.1.json")
    assert graph.n_pages is not None
    assert graph.n_pages > 30
    assert "recommendation or endorsement by" in graph.text  # was cut at the end of a line
    assert sum(block.kind == "heading" for block in graph.blocks) > 10


def test_communities_of_knwler_are_kept(data: Path, load) -> None:
    tree = json.loads((data / "knwler/nist-ai-rmf.v0.1.json").read_text(encoding="utf-8"))
    graph = load(data / "knwler/nist-ai-rmf.v0.1.json")
    assert [(one.id, list(one.topics), one.description) for one in graph.communities] == [
        (one["id"], one["topics"], one["description"]) for one in tree["communities"]
    ]
    stated = {(row["name"], row["type"]): row.get("community_id") for row in tree["consolidated"]["entities"]}
    kept = {(entity.name, entity.type): entity.community_id for entity in graph.entities}
    assert all(kept[key] == number for key, number in stated.items() if number is not None)


def test_strengths_descriptions_and_model_are_kept(data: Path, load) -> None:
    tree = json.loads((data / "knwler/nist-ai-rmf.v0.1.json").read_text(encoding="utf-8"))
    graph = load(data / "knwler/nist-ai-rmf.v0.1.json")
    assert sum(relation.strength for relation in graph.relations) == sum(
        row["strength"] for row in tree["consolidated"]["relations"]
    )
    assert {row["description"] for row in tree["consolidated"]["relations"]} == {
        relation.description for relation in graph.relations
    }
    assert graph.provenance.model == "gpt-4o-mini"
    assert graph.title == tree["title"]
    assert graph.summary == " ".join(tree["summary"].split())
    assert graph.url == tree["url"]


def test_triples_name_things_as_their_sentences_do(data: Path, load) -> None:
    graph = load(data / "triples/marie-curie.json")
    names = {entity.name for entity in graph.entities}
    assert {"Marie Curie", "Maria Skłodowska", "Irène Joliot-Curie", "mathematics"} <= names
    assert "marie curie" not in names
    assert graph.title == "Marie Curie"
    assert graph.provenance.model.startswith("deepseek")


def test_named_communities_of_triples_hold_their_top_members(data: Path, load) -> None:
    meta = json.loads((data / "triples/apollo-program.meta.json").read_text(encoding="utf-8"))
    graph = load(data / "triples/apollo-program.json")
    for stated, kept in zip(meta["communities"], graph.communities, strict=True):
        assert kept.id == stated["id"]
        assert kept.topics[0] == stated["name"]
        members = {member.rsplit("::", 1)[0].lower() for member in kept.members}
        assert set(stated["top"]) <= members
    assert sum(len(community.members) for community in graph.communities) >= 0.9 * len(graph.entities)


def test_inferred_triples_keep_their_method(data: Path, load) -> None:
    graph = load(data / "triples/apollo-program.json")
    methods = Counter(relation.method for relation in graph.relations if relation.inferred)
    assert methods == {"llm_hub": 23, "llm_bridge": 17, "llm_within": 13, "taxonomy": 7}
    assert not any(relation.method for relation in graph.relations if not relation.inferred)


def test_recompute_makes_communities_anew(data: Path, load) -> None:
    kept = load(data / "triples/apollo-program.json")
    anew = load(data / "triples/apollo-program.json", recompute=True)
    assert {c.topics[0] for c in kept.communities}.isdisjoint(c.topics[0] for c in anew.communities)
    assert sum(len(c.members) for c in anew.communities) == len(anew.entities)


def test_graphrag_reports_claims_and_units(data: Path, load) -> None:
    graph = load(data / "graphrag-dulce")
    assert graph.title == "Operation: Dulce"
    assert {relation.type for relation in graph.relations} == {"related to"}
    assert [block.level for block in graph.blocks if block.kind == "heading"][:2] == [1, 2]
    top = next(community for community in graph.communities if community.id == 0)
    assert top.topics[0] != "Community 0"
    assert len(top.description) > 500
    taylor = next(entity for entity in graph.entities if entity.name == "TAYLOR CRUZ")
    assert taylor.aliases == ("Taylor Cruz",)
    assert any(key.startswith("claim: ") for key in taylor.attributes)
    described = [entity for entity in graph.entities if entity.description]
    assert len(described) == 39
    # Level 0 covers every described entity once; finer levels are kept beside it.
    coarse = {community.id for community in graph.communities if community.id <= 6}
    assert {entity.community_id for entity in described} <= coarse


def test_graphrag_without_pyarrow_says_what_to_install(data: Path, load, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from kgsite.errors import ImportGraphError

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportGraphError, match="pyarrow") as raised:
        load(data / "graphrag-dulce")
    assert "kgsite[graphrag]" in raised.value.hint


def test_a_damaged_table_is_refused(data: Path, load, tmp_path: Path) -> None:
    from kgsite.errors import ImportGraphError

    (tmp_path / "entities.parquet").write_bytes(b"PAR1 is not enough PAR1")
    with pytest.raises(ImportGraphError, match=r"entities\.parquet can't be read"):
        load(tmp_path)
