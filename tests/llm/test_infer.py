"""Inference by rule: what follows, what is capped, and in which order candidates are accepted."""

from __future__ import annotations

from pathlib import Path

from kgsite.config.settings import InferenceSettings
from kgsite.extract import infer
from kgsite.extract.llm.context import Questions
from kgsite.extract.llm.inference import inference_asks
from kgsite.model import DocumentGraph, Entity, GraphSchema, Provenance, Relation, SourcePath
from tests.llm.kit import settings


def graph(*facts: tuple[str, str, str], alone: tuple[str, ...] = ()) -> DocumentGraph:
    names = dict.fromkeys([name for source, _, target in facts for name in (source, target)] + list(alone))
    entities = tuple(Entity(name, "thing", id=name, community_id=0) for name in names)
    relations = tuple(Relation(source, "thing", target, "thing", predicate) for source, predicate, target in facts)
    return DocumentGraph(
        "d", "", "", "en", None, GraphSchema(), entities, relations, (), (), Provenance(SourcePath("a.md"))
    )


def pairs(relations: object) -> list[tuple[str, str]]:
    return [(relation.source, relation.target) for relation in relations]  # type: ignore[attr-defined]


CHAIN = (
    ("A", "part of", "B"),
    ("B", "located in", "C"),
    ("C", "part of", "D"),
    ("B", "knows", "X"),
    ("D", "part of", "A"),
)


def test_transitive_relations_name_their_middle() -> None:
    found = infer.transitive(graph(*CHAIN), InferenceSettings())
    assert [(one.source, one.type, one.target, one.via) for one in found] == [
        ("A", "located in", "C", "B"), ("B", "part of", "D", "C"), ("C", "part of", "A", "D"), ("D", "part of", "B", "A"),
    ]  # fmt: skip
    assert all(one.inferred and one.method == "transitive" for one in found)


def test_transitive_caps() -> None:
    wide = graph(*[("A", "part of", "M")], *[("M", "part of", f"T{n}") for n in range(9)])
    assert len(infer.transitive(wide, InferenceSettings())) == 5
    assert infer.transitive(wide, InferenceSettings(transitive_max_hub_degree=5)) == []
    assert infer.transitive(wide, InferenceSettings(transitive_predicate_groups=(("is a",),))) == []


def test_lexical_connects_names_with_a_rare_word() -> None:
    found = graph(
        ("Curie Institute", "near", "Rue X"),
        alone=("Curie Museum", "New York", "New Delhi", "Institute A", "Institute B", "Institute C"),
    )
    assert pairs(infer.lexical(found, InferenceSettings())) == [("Curie Institute", "Curie Museum")]
    assert pairs(infer.lexical(found, InferenceSettings(lexical_min_word_length=3)))[-1] == ("New Delhi", "New York")


def test_candidates_are_accepted_in_order_and_a_pair_is_linked_once() -> None:
    base = graph(("A", "knows", "B"), ("C", "knows", "D"), ("E", "knows", "F"), ("G", "knows", "H"))

    def one(source: str, target: str, method: str) -> Relation:
        return Relation(source, "thing", target, "thing", "p", inferred=True, method=method)

    candidates = {
        "lexical": [one("A", "H", "lexical")],
        "taxonomy": [one("D", "A", "taxonomy"), one("B", "A", "taxonomy"), one("E", "E", "taxonomy")],
        "llm_bridge": [one("A", "D", "llm_bridge")],
        "llm_hub": [one("A", "C", "llm_hub"), one("A", "E", "llm_hub")],
        "unknown": [one("B", "C", "unknown")],
    }
    found = infer.accepted(base, candidates, InferenceSettings(max_inferred_ratio=1.0, hub_max_new=1))
    assert [(relation.source, relation.target, relation.method) for relation in found] == [
        ("A", "D", "llm_bridge"),
        ("A", "C", "llm_hub"),
        ("A", "H", "lexical"),
    ]
    assert len(infer.accepted(base, candidates, InferenceSettings(max_inferred_ratio=0.5))) == 2
    assert infer.accepted(base, candidates, InferenceSettings(max_inferred_ratio=0)) == ()


def test_only_relations_between_known_names_are_proposed() -> None:
    names = infer.by_name((Entity("Ada", "p", aliases=("A. N.",)), Entity("Bo", "p")))
    rows = [
        {"source": "ADA", "type": "meet", "target": "bo"},
        {"source": "a. n.", "type": "meet", "target": "Ada"},
        {"source": "Ada", "target": "Bo"},
        "x",
        {"source": "Ada", "type": "t", "target": "Cy"},
    ]
    assert [(one.source, one.type, one.target) for one in infer.proposed(rows, names, "llm_hub")] == [
        ("Ada", "meet", "Bo")
    ]


def test_components_and_hubs() -> None:
    base = graph(("A", "p", "B"), ("A", "p", "C"), ("D", "p", "E"), alone=("F",))
    assert [[entity.name for entity in group] for group in infer.components(base)] == [
        ["A", "B", "C"],
        ["D", "E"],
        ["F"],
    ]
    assert [entity.name for entity in infer.hubs(base, 2)] == ["A", "B"]


def test_each_method_has_a_switch(tmp_path: Path) -> None:
    from dataclasses import replace

    base = graph(("A", "p", "B"), ("A", "p", "C"), ("D", "p", "E"), alone=("F",))
    chosen = settings(tmp_path, "http://localhost/v1")
    every = {"llm_bridge", "llm_hub", "llm_within", "taxonomy"}
    asked = {method for method, _ in inference_asks(Questions(chosen), base, "de")}
    assert asked == every
    for method in every:
        off = replace(chosen, inference=InferenceSettings(**{method: False}))  # type: ignore[arg-type]
        assert {name for name, _ in inference_asks(Questions(off), base, "de")} == every - {method}
    assert all("German (de)" in ask.messages[0][1] for _, ask in inference_asks(Questions(chosen), base, "de"))
