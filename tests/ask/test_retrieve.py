"""Which facts a question brings up."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from kgsite.ask.index import GraphIndex
from kgsite.ask.records import Retrieved, Turn
from kgsite.ask.retrieve import retrieve
from kgsite.collection.identity import plain
from kgsite.config.settings import QuerySettings
from tests.ask.samples import DATA, collected, document, samples

QUESTIONS = json.loads((DATA / "questions.json").read_text("utf-8"))
Triple = tuple[str, str, str]


@pytest.fixture(scope="module")
def index() -> GraphIndex:
    return GraphIndex(samples())


def triples(index: GraphIndex, found: Retrieved) -> list[Triple]:
    return [
        (plain(index.entities[f.fact.source].name), f.fact.predicate, plain(index.entities[f.fact.target].name))
        for f in found.facts
    ]


def names(found: Retrieved) -> list[str]:
    return [plain(seed.name) for seed in found.seeds]


# ── recall ────────────────────────────────────────────────────────────────────────────────────────
def recall(index: GraphIndex, most: int) -> tuple[float, list[str]]:
    hit = total = 0
    missed = []
    for row in QUESTIONS:
        got = triples(index, retrieve(index, row["question"], QuerySettings(max_triples=most)))
        for fact in row["facts"]:
            total += 1
            hit += tuple(fact) in got
            if tuple(fact) not in got:
                missed.append(f"{row['question']} → {' · '.join(fact)}")
    return hit / total, missed


def test_there_are_twenty_questions_and_their_facts_are_in_the_samples(index: GraphIndex) -> None:
    known = {
        (plain(index.entities[f.source].name), f.predicate, plain(index.entities[f.target].name)) for f in index.facts
    }
    assert len(QUESTIONS) == 20
    assert [fact for row in QUESTIONS for fact in row["facts"] if tuple(fact) not in known] == []


def test_the_context_holds_the_facts_that_a_person_would_cite(index: GraphIndex) -> None:
    share, missed = recall(index, QuerySettings().max_triples)
    assert share == 1.0, missed


@pytest.mark.parametrize(("most", "least"), [(40, 0.9), (15, 0.8)])
def test_ranking_puts_them_first(index: GraphIndex, most: int, least: float) -> None:
    share, missed = recall(index, most)
    assert share >= least, missed


def test_the_context_is_bounded(index: GraphIndex) -> None:
    for row in QUESTIONS:
        found = retrieve(index, row["question"], QuerySettings(max_triples=25, max_seed_entities=2))
        assert len(found.facts) <= 25
        assert len(found.seeds) <= 2


def test_the_order_of_documents_does_not_matter() -> None:
    one = GraphIndex(samples())
    shuffled = list(samples().facts)
    random.Random(5).shuffle(shuffled)
    other = GraphIndex(collected(*reversed(samples().documents)))
    for row in QUESTIONS:
        assert triples(one, retrieve(one, row["question"], QuerySettings())) == triples(
            other, retrieve(other, row["question"], QuerySettings())
        )


# ── seeds ─────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("question", "seed", "how"),
    [
        ("Who was Marie Curie?", "marie curie", "exact"),
        ("who was MARIE CURIE", "marie curie", "folded"),
        ("Marie Curie's husband?", "marie curie", "exact"),
        ("Who was Wladyslaw Sklodowski?", "władysław skłodowski", "folded"),
        ("What is the SATURN V?", "saturn v", "folded"),
        ("apollo soyuz test project, when?", "apollo-soyuz test project", "folded"),
        ("What did Einstein do?", "albert einstein", "words"),
        ("Who was Marie Currie?", "marie curie", "words"),
        ("Where is the Panteon?", "panthéon", "words"),
        ("What of Becquerell?", "henri becquerel", "words"),
        ("Tell me about Grumm", "grumman", "words"),
    ],
)
def test_entities_are_found_by_name_and_by_slips_of_it(index: GraphIndex, question: str, seed: str, how: str) -> None:
    found = retrieve(index, question, QuerySettings())
    assert names(found)[0] == seed
    assert found.seeds[0].how == how


SMALL = collected(
    document(
        "zh.md",
        "居里夫人出生于华沙。",
        [
            {"subject": "居里夫人", "predicate": "出生于", "object": "华沙", "source": "居里夫人出生于华沙。"},
            {"subject": "居里夫人", "predicate": "发现", "object": "镭", "source": "她发现了镭。"},
        ],
        language="zh",
    ),
    document(
        "who.md",
        "The WHO advised Norway.",
        [
            {"subject": "WHO", "predicate": "advised", "object": "Norway", "source": "The WHO advised Norway."},
            {"subject": "C++", "predicate": "created by", "object": "Bjarne Stroustrup"},
            {"subject": "C", "predicate": "created by", "object": "Dennis Ritchie"},
        ],
        aliases={"WHO": ("World Health Organization",)},
    ),
)


@pytest.mark.parametrize(
    ("question", "seeds"),
    [
        ("居里夫人在哪里出生？", ["居里夫人"]),
        ("谁发现了镭？", []),  # one character inside a longer run is no name; its fact is found by its words
        ("Whom did the WHO advise?", ["who"]),
        ("Who advised Norway?", ["norway"]),
        ("What did the World Health Organization do in Norway?", ["who", "norway"]),
        ("Who created C++?", ["c++"]),
        ("Who created C?", ["c"]),
    ],
)
def test_names_in_every_script_and_spelling(question: str, seeds: list[str]) -> None:
    found = retrieve(GraphIndex(SMALL), question, QuerySettings())
    assert [
        name for name, seed in zip(names(found), found.seeds, strict=True) if seed.how not in ("facts", "words")
    ] == seeds


def test_a_fact_is_found_by_its_words_alone() -> None:
    index = GraphIndex(SMALL)
    found = retrieve(index, "谁发现了镭？", QuerySettings())
    assert triples(index, found)[0] == ("居里夫人", "发现", "镭")


def test_nothing_is_found_for_what_the_graph_does_not_have(index: GraphIndex) -> None:
    found = retrieve(index, "Who won the 2022 World Cup?", QuerySettings())
    assert found.seeds == ()
    assert found.facts == ()


def test_an_empty_graph_and_an_empty_question_give_nothing() -> None:
    empty = GraphIndex(collected())
    assert retrieve(empty, "Who?", QuerySettings()).facts == ()
    assert retrieve(GraphIndex(SMALL), "", QuerySettings()).seeds == ()


# ── the subgraph ──────────────────────────────────────────────────────────────────────────────────
CHAIN = collected(
    document(
        "chain.md",
        "",
        [
            {"subject": "Ada", "predicate": "knows", "object": "Bo"},
            {"subject": "Bo", "predicate": "knows", "object": "Cy"},
            {"subject": "Cy", "predicate": "knows", "object": "Dee"},
            {"subject": "Ada", "predicate": "knows", "object": "Xi", "inferred": True, "method": "lexical"},
            {"subject": "Xi", "predicate": "knows", "object": "Cy", "inferred": True, "method": "lexical"},
        ],
    )
)


@pytest.mark.parametrize(("hops", "facts"), [(0, 0), (1, 2), (2, 4), (3, 5)])
def test_hops_say_how_far_the_subgraph_reaches(hops: int, facts: int) -> None:
    assert len(retrieve(GraphIndex(CHAIN), "Ada", QuerySettings(hops=hops)).facts) == facts


def test_paths_between_mentioned_entities_are_shortest_and_rather_stated() -> None:
    index = GraphIndex(CHAIN)
    found = retrieve(index, "How is Dee connected with Ada?", QuerySettings(max_triples=3))
    assert [path.keys for path in found.paths] == [("dee", "cy", "bo", "ada")]
    assert {(f.fact.source, f.fact.target) for f in found.facts} == {("ada", "bo"), ("bo", "cy"), ("cy", "dee")}


def test_a_question_about_the_whole_is_answered_from_communities(index: GraphIndex) -> None:
    for question in ("What is this about?", "Give me an overview of the main themes", "Summary please"):
        found = retrieve(index, question, QuerySettings())
        assert found.broad
        assert len(found.themes) == 8
        assert 8 <= len(found.facts) <= 150


def test_words_that_no_fact_speaks_of_are_told(index: GraphIndex) -> None:
    found = retrieve(index, "What was Marie Curie's favourite food?", QuerySettings())
    assert found.unspoken == ("favourite", "food")
    assert not any(item.spoken for item in found.facts)


# ── follow-ups ────────────────────────────────────────────────────────────────────────────────────
def conversation(index: GraphIndex, *questions: str) -> Retrieved:
    turns: list[Turn] = []
    for question in questions:
        found = retrieve(index, question, QuerySettings(), history=turns)
        turns.append(Turn(question, "", found.seeds))
    return found


@pytest.mark.parametrize(
    ("questions", "seeds"),
    [
        (("Who was Marie Curie?", "Where was she born?"), {"marie curie"}),
        (("Who was Marie Curie?", "And when did she meet Albert Einstein?"), {"marie curie", "albert einstein"}),
        (("What is the Saturn V?", "Who built it?"), {"saturn v"}),
        (("Did Pierre Curie discover polonium?", "Where did he die?"), {"pierre curie"}),
        (("Did Pierre Curie discover polonium?", "What is it named after?"), {"polonium"}),
        (("Who was Marie Curie?", "Who built the lunar module of Apollo in those years?"), {"lunar module"}),
        (("Who was Marie Curie?", "Where was she born?", "What did she discover?"), {"marie curie"}),
        (("Who was Marie Curie?", "Why that?"), {"marie curie"}),
    ],
)
def test_pronouns_go_on_with_what_was_asked_before(
    index: GraphIndex, questions: tuple[str, ...], seeds: set[str]
) -> None:
    found = conversation(index, *questions)
    sure = {plain(seed.name) for seed in found.seeds if seed.how != "words"}
    assert sure == seeds


def test_a_name_that_the_model_found_counts(index: GraphIndex) -> None:
    key = next(e.key for e in samples().entities if plain(e.name) == "marie curie")
    found = retrieve(index, "Quem foi a cientista polaca?", QuerySettings(), named=[key, "no such key"])
    assert ("model", key) in [(seed.how, seed.key) for seed in found.seeds]


def test_facts_of_a_removed_entity_do_no_harm() -> None:
    graph = replace(CHAIN, entities=CHAIN.entities[1:])
    assert retrieve(GraphIndex(graph), "Bo and Cy", QuerySettings()).seeds
