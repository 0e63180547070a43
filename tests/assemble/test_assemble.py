"""Candidates of several chunks become one graph: united, standardised, cleaned, grouped, titled."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from kgsite.config.settings import ExtractSettings, Settings, StandardizationSettings
from kgsite.extract.assemble import UNVERIFIED
from kgsite.extract.consolidate import NOT_DESCRIBED
from kgsite.extract.noise import ALONE, NUMBER, STOP_WORD
from kgsite.extract.standardize import SELF_RELATION
from kgsite.graphfile import dump, load
from kgsite.model import DocumentGraph, FrontMatter

Build = Callable[..., DocumentGraph]
TEXT = "Ada met Bo in Rome.\n\nBo later left for Paris with the steam engine."


def names(graph: DocumentGraph) -> list[str]:
    return [entity.name for entity in graph.entities]


def facts(graph: DocumentGraph) -> list[str]:
    return [f"{one.source} > {one.type} > {one.target}" for one in graph.relations]


def test_chunks_are_united(build: Build) -> None:
    graph = build(
        TEXT,
        [
            (["Ada/person/A woman.", "Bo/person/A man."], ["Ada > meet > Bo | Ada met Bo"]),
            (["ADA/person/A woman.", "bo/person/He travels."], ["ada > Meet > BO", "Bo > leave for > Paris"]),
        ],
    )
    assert names(graph) == ["Ada", "Bo", "Paris"]
    ada, bo, paris = graph.entities
    assert ada.description == "A woman."
    assert sorted(bo.description.split(". ")) == ["A man.", "He travels"]
    assert ada.chunk_ids == ("c0", "c1")
    assert paris.type == "thing"
    assert facts(graph) == ["Ada > meet > Bo", "Bo > leave for > Paris"]
    assert graph.relations[0].chunk_ids == ("c0", "c1")
    assert graph.dropped[NOT_DESCRIBED] == 1


def test_strengths_are_averaged_and_nan_is_five(build: Build) -> None:
    from kgsite.extract.consolidate import consolidate
    from kgsite.extract.records import relations
    from kgsite.model import ChunkExtraction, Relation

    chunks = [
        ChunkExtraction("c", relations=(Relation("A1", "t", "B1", "t", "x", strength=strength),))
        for strength in (2.0, 9.0, float("nan"), 99.0)
    ]
    draft = consolidate(chunks, lambda evidence, _: evidence)
    assert [one.strength for one in relations(draft, "d", {})] == [6.5]


def test_several_types_keep_every_edge(build: Build) -> None:
    graph = build(
        TEXT,
        [
            (["IBM/company", "Bo/person"], ["Bo > work for > IBM"]),
            (["IBM/organization", "Rome/place"], ["IBM > sit in > Rome"]),
            (["IBM/organization"], []),
        ],
    )
    (ibm,) = [entity for entity in graph.entities if entity.name == "IBM"]
    assert ibm.type == "organization"
    assert ibm.attributes == {"other types": "company"}
    assert facts(graph) == ["Bo > work for > IBM", "IBM > sit in > Rome"]
    assert {one.target_type for one in graph.relations} == {"organization", "place"}


def test_articles_and_plurals_are_one_thing(build: Build) -> None:
    graph = build(
        TEXT,
        [
            (
                ["the steam engine/technology", "steam engines/technology", "Steam Engine/technology", "Watt/person"],
                ["Watt > improve > the steam engine", "Watt > build > steam engines", "Watt > sell > Steam Engine"],
            )
        ],
    )
    assert len(graph.entities) == 2
    assert [name.casefold() for name in names(graph)] == ["steam engine", "watt"]
    assert len(graph.relations) == 3
    assert "steam engines" in graph.entities[0].aliases


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("de", "die Dampfmaschine", "Dampfmaschinen"),
        ("fr", "l'usine", "usines"),
        ("es", "la máquina", "las máquinas"),
        ("nl", "de machine", "machines"),
        ("it", "la macchina", "macchine"),
        ("pt", "o motor", "motores"),
        ("en", "this method", "methods"),
        ("en", "University of Paris", "the University of Paris"),
    ],
)
def test_spellings_by_language(build: Build, language: str, one: str, other: str) -> None:
    lines = [f"Xenia > uses > {one}", f"Yann > uses > {other}"]
    graph = build(
        TEXT, [([f"{one}/concept", f"{other}/concept", "Xenia/person", "Yann/person"], lines)], language=language
    )
    assert len(graph.entities) == 3, names(graph)
    assert len(graph.relations) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [("C", "C++"), ("C", "C#"), ("Apollo 11", "Apollo 12"), ("World War I", "World War II"), ("Café", "Cafe")],
)
def test_different_things_stay_apart(build: Build, one: str, other: str) -> None:
    graph = build(
        TEXT,
        [([f"{one}/concept", f"{other}/concept", "Xenia/person"], [f"Xenia > see > {one}", f"Xenia > see > {other}"])],
    )
    assert len(graph.entities) == 3


def test_people_are_never_plurals(build: Build) -> None:
    graph = build(TEXT, [(["William/person", "Williams/person"], ["William > meet > Williams"])])
    assert names(graph) == ["William", "Williams"]


def test_a_stated_alias_unites_and_an_ambiguous_one_does_not(build: Build) -> None:
    graph = build(
        TEXT,
        [
            (["Marie Curie/person//Curie", "Curie/person", "Rome/place"], ["Curie > visit > Rome"]),
            (
                ["Pierre Lee/person//Lee", "Anna Lee/person//Lee", "Lee/person"],
                ["Lee > visit > Rome", "Pierre Lee > x > Anna Lee"],
            ),
        ],
    )
    assert names(graph) == ["Anna Lee", "Lee", "Marie Curie", "Pierre Lee", "Rome"]
    assert "Marie Curie > visit > Rome" in facts(graph)
    assert graph.entities[2].aliases == ("Curie",)


def test_standardisation_can_be_switched_off(build: Build, tmp_path: Path) -> None:
    off = Settings(tmp_path, standardization=StandardizationSettings(enabled=False))
    lines = ["the engine > is > engine", "Engine > is > Engine", "Engine > is > the engine"]
    graph = build(TEXT, [([], lines)], settings=off)
    assert names(graph) == ["engine", "the engine"]
    assert len(graph.relations) == 3


def test_word_subsets_only_on_request(build: Build, tmp_path: Path) -> None:
    chunks = [
        (
            ["Apollo/event", "Apollo program/event", "NASA/organization"],
            ["NASA > run > Apollo", "NASA > end > Apollo program"],
        )
    ]
    assert len(build(TEXT, chunks).entities) == 3
    settings = Settings(tmp_path, standardization=StandardizationSettings(merge_word_subsets=True))
    assert names(build(TEXT, chunks, settings=settings)) == ["Apollo program", "NASA"]


def test_noise_is_dropped_and_counted(build: Build, tmp_path: Path) -> None:
    chunks = [
        (
            ["Ada/person", "Bo/person", "the/concept", "42/concept", "1903/date", "WHO/organization", "Alone/place"],
            [
                "Ada > meet > Bo",
                "Ada > see > the",
                "Bo > count > 42",
                "Bo > born in > 1903",
                "Ada > join > WHO",
                "Bo > like > bo",
            ],
        )
    ]
    graph = build(TEXT, chunks)
    assert names(graph) == ["1903", "Ada", "Bo", "WHO"]
    assert graph.dropped == {
        STOP_WORD: 1, NUMBER: 1, ALONE: 1, SELF_RELATION: 1, "relations of dropped entities": 2,
    }  # fmt: skip
    off = Settings(tmp_path, extract=ExtractSettings(noise_filter=False))
    assert len(build(TEXT, chunks, settings=off).entities) == 7


def test_a_text_without_relations_keeps_its_entities(build: Build) -> None:
    assert names(build(TEXT, [(["Ada/person", "Bo/person"], [])])) == ["Ada", "Bo"]


def test_strict_evidence(build: Build, tmp_path: Path) -> None:
    chunks = [([], ["Ada > meet > Bo | Ada met Bo", "Ada > hate > Bo | Ada hated Bo", "Bo > own > Rome"])]
    loose = build(TEXT, chunks)
    assert [one.evidence[0].verified for one in loose.relations if one.evidence] == [False, True]
    strict = build(TEXT, chunks, settings=Settings(tmp_path, extract=ExtractSettings(strict_evidence=True)))
    assert facts(strict) == ["Ada > meet > Bo"]
    assert strict.dropped == {UNVERIFIED: 2, ALONE: 1, NOT_DESCRIBED: 3}


def test_communities_are_named_and_hold_every_entity(build: Build) -> None:
    left = [f"Ada > knows > Person {i}x" for i in "abcd"]
    right = [f"Rome > near > Town {i}x" for i in "abcd"]
    graph = build(TEXT, [([], [*left, *right])])
    assert [len(one.members) for one in graph.communities] == [5, 5]
    first = graph.communities[0]
    assert first.topics[0] == "Ada and Person ax"
    assert first.description == "5 entities around Ada, Person ax and Person bx"
    assert first.members[0] == "Ada::thing"
    assert all(entity.community_id in (0, 1) for entity in graph.entities)


def test_the_same_candidates_give_the_same_bytes_and_ids_survive_a_new_chunk(build: Build) -> None:
    chunks = [(["Ada/person", "Bo/person"], ["Ada > meet > Bo | Ada met Bo"])]
    first = build(TEXT, chunks)
    assert dump(first) == dump(build(TEXT, chunks))
    assert load(dump(first)) == first
    second = build(TEXT, [*chunks, (["Cy/person"], ["Cy > meet > Ada"])])
    ids = {entity.name: entity.id for entity in second.entities}
    assert all(ids[entity.name] == entity.id for entity in first.entities)


def test_title(build: Build) -> None:
    chunks = [([], ["Ada > meet > Bo"])]
    assert build(TEXT, chunks).title == "A small file"
    assert build(TEXT, chunks, title="Heading").title == "Heading"
    assert build(TEXT, chunks, title="Heading", meta=FrontMatter(title="Said")).title == "Said"
    assert build(TEXT, chunks, extraction={"title": "Model's"}).title == "Model's"


PROSE = (
    "# A heading that is no summary.\n\nCopyright 2024 by the authors, all rights reserved everywhere.\n\n"
    "Ada Lovelace wrote the first program for the Analytical Engine in 1843. It rained on that day in the country."
)


def test_summary_is_prose(build: Build) -> None:
    graph = build(PROSE, [([], ["Ada Lovelace > write for > Analytical Engine"])])
    assert graph.summary.startswith("Ada Lovelace wrote the first program")
    assert "heading" not in graph.summary
    assert "Copyright" not in graph.summary
    assert len(graph.summary) <= 400
    stated = build(PROSE, [([], [])], meta=FrontMatter(summary="As stated."))
    assert stated.summary == "As stated."


def test_summary_of_chinese(build: Build) -> None:
    graph = build(
        "玛丽·居里是一位物理学家和化学家。她发现了镭和钋两种元素。", [([], ["居里 > 发现 > 镭"])], language="zh"
    )
    assert graph.summary == "玛丽·居里是一位物理学家和化学家。她发现了镭和钋两种元素。"


def test_nothing_found_is_an_empty_graph(build: Build) -> None:
    graph = build("", [([], [])])
    assert (graph.entities, graph.relations, graph.communities, graph.summary) == ((), (), (), "")
    assert graph == load(dump(graph))


def test_hostile_names(build: Build) -> None:
    strange = ["constructor", "__proto__", "</script><script>1", "\ud800", "\u200b", "", "x" * 5000, "a\nb", "🚀"]
    lines = [f"Ada > see > {name}" for name in strange if ">" not in name]
    graph = build(TEXT, [([f"{name}/t" for name in strange if "/" not in name], lines)])
    assert "constructor" in names(graph)
    assert "a b" in names(graph)
    assert "🚀" in names(graph)
    load(dump(dataclasses.replace(graph, notes=())))
