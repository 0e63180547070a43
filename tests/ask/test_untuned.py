"""Questions that retrieval was not made for: other words than the graph's, other languages, what the graph does not hold."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from kgsite.ask.asker import Asker
from kgsite.ask.index import GraphIndex
from kgsite.ask.opening import stored_collection
from kgsite.ask.records import Retrieved, Seed, Turn
from kgsite.ask.retrieve import retrieve
from kgsite.ask.words import languages_of
from kgsite.collection.identity import plain
from kgsite.config.settings import QuerySettings, Settings
from kgsite.project import open_project
from kgsite.replystore import ReplyStore
from kgsite.report import Report
from tests.ask.conftest import Made
from tests.ask.samples import DATA, collected, document, samples
from tests.ask.scripted_model import answering
from tests.llm.scripted import one_after_another

ROWS = json.loads((DATA / "untuned-questions.json").read_text("utf-8"))
REPOSITORY = Path(__file__).parents[2]


@lru_cache(maxsize=2)
def index_of(name: str) -> GraphIndex:
    """The samples, or the demonstration collection as the repository has it: ten documents in three languages."""
    return GraphIndex(samples() if name == "samples" else stored_collection(open_project(REPOSITORY), Report()))


def history(index: GraphIndex, row: dict[str, Any]) -> tuple[Turn, ...]:
    meant = [e for e in index.entities.values() if plain(e.name) == plain(row.get("after", ""))]
    return tuple(Turn("Who?", "", (Seed(e.key, e.name, e.type, "exact"),)) for e in meant)


def ends(index: GraphIndex, facts: Any) -> set[tuple[str, str, str]]:
    return {(plain(index.entities[f.source].name), f.predicate, plain(index.entities[f.target].name)) for f in facts}


def test_the_context_holds_nine_of_ten_facts_that_a_person_would_cite() -> None:
    hit, missed = 0, []
    for row in ROWS:
        index = index_of(row["of"])
        known = ends(index, index.facts)
        found = retrieve(index, row["question"], QuerySettings(), history=history(index, row))
        got = ends(index, (item.fact for item in found.facts))
        for subject, predicate, target in row["facts"]:
            fact = (plain(subject), predicate, plain(target))
            if fact in known:
                hit += fact in got
                missed += [] if fact in got else [f"{row['question']} → {' · '.join(fact)}"]
    assert hit + len(missed) >= 70
    assert hit / (hit + len(missed)) >= 0.9, missed


@pytest.mark.parametrize("row", [row for row in ROWS if not row["facts"]], ids=lambda row: row["question"])
def test_without_a_model_it_is_said_that_the_graph_does_not_hold_it(row: dict[str, Any], tmp_path: Path) -> None:
    asker = Asker(index_of(row["of"]).collection, Settings(tmp_path), store=ReplyStore(tmp_path), environ={})
    assert asker.answer(row["question"]).mode == "unanswered"


# ── languages ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("question", "collected_in", "asked_in"),
    [
        ("How did Marie Curie die in the war?", ("de", "en"), ("en",)),
        ("¿Con quién se casó Marie Curie?", ("en",), ("es",)),
        ("Wer erfand das Radio?", ("en",), ("de",)),
        ("Où est-elle née ?", ("en",), ("fr",)),
        ("Lübeck", ("de", "en"), ("de", "en")),
        ("居里夫人在哪里出生？", ("en", "zh"), ("zh",)),
    ],
)
def test_a_question_shows_its_language(question: str, collected_in: tuple[str, ...], asked_in: tuple[str, ...]) -> None:
    assert languages_of(question, collected_in) == asked_in


GERMAN = collected(
    document(
        "krieg.md",
        "König Waldemar eroberte Visby. Die Stadt fiel.",
        [
            {"subject": "Waldemar", "predicate": "erobern", "object": "Visby", "source": "König Waldemar eroberte Visby."},
            {"subject": "Die Stadt", "predicate": "fallen", "object": "Ende", "source": "Die Stadt fiel."},
        ],
        language="de",
    )
)  # fmt: skip


def test_other_forms_of_a_word_are_found_and_an_article_is_no_death() -> None:
    index = GraphIndex(GERMAN)
    assert set(index.forms("eroberung")) == {"erobern", "erobert"}
    assert retrieve(index, "Wie war die Eroberung?", QuerySettings()).facts[0].fact.predicate == "erobern"
    found = retrieve(index, "Who died?", QuerySettings())
    assert found.facts == ()


def test_a_question_about_the_whole_does_not_go_on_with_the_one_before() -> None:
    index = index_of("samples")
    marie = history(index, {"after": "Marie Curie"})
    for question in (
        "What is this collection about?",
        "Worum geht es in dieser Sammlung?",
        "¿De qué trata esto en general?",
    ):
        assert retrieve(index, question, QuerySettings(), history=marie).broad, question
    found = retrieve(index, "What is she known for in general?", QuerySettings(), history=marie)
    assert found.seeds[0].name == "Marie Curie"


def test_what_other_things_have_is_no_answer(tmp_path: Path) -> None:
    """Somebody is married and somebody has sisters, but not who was asked about."""
    asker = Asker(samples(), Settings(tmp_path), store=ReplyStore(tmp_path), environ={})
    for question in ("What was the name of Borman's wife?", "Did Frank Borman have sisters?"):
        assert asker.answer(question).mode == "unanswered", question


def test_facts_of_the_one_named_come_before_those_of_others_beside() -> None:
    colin, otto = "Colin designed the Fram.", "Otto was captain of the Fram."
    rows = [
        {"subject": "Colin", "subject_type": "person", "predicate": "design", "object": "Fram", "source": colin, "strength": 9.0},
        {"subject": "Otto", "subject_type": "person", "predicate": "captain", "object": "Fram", "source": otto},
    ]  # fmt: skip
    index = GraphIndex(collected(document("fram.md", f"{colin} {otto}", rows)))
    facts = retrieve(index, "Who was Otto?", QuerySettings()).facts
    assert [index.entities[item.fact.source].name for item in facts] == ["Otto", "Colin"]


def test_words_are_named_as_they_were_asked(tmp_path: Path) -> None:
    asker = Asker(samples(), Settings(tmp_path), store=ReplyStore(tmp_path), environ={})
    assert "“Brasilien”" in asker.answer("Wer ist der Präsident von Brasilien?").reason


# ── names ─────────────────────────────────────────────────────────────────────────────────────────
PEOPLE = collected(
    document(
        "people.md",
        "",
        [
            {"subject": "Marie Curie", "subject_type": "person", "predicate": "met", "object": "Ada"},
            {"subject": "Curie", "predicate": "unit of", "object": "Radioactivity"},
            {"subject": "First Empire", "predicate": "preceded", "object": "Second Empire"},
            {"subject": "Apollo 11", "predicate": "preceded", "object": "Apollo 12"},
        ],
    )
)


@pytest.mark.parametrize(
    ("question", "seeds"),
    [
        ("Whom did Curie meet?", {"curie", "marie curie"}),
        ("Compare the First and the Second Empire", {"first empire", "second empire"}),
        ("What of Apollo 11 and 12?", {"apollo 11", "apollo 12"}),
        ("Apollo 11 Marie?", {"apollo 11"}),
    ],
)
def test_shared_parts_of_names_and_surnames(question: str, seeds: set[str]) -> None:
    found = retrieve(GraphIndex(PEOPLE), question, QuerySettings())
    assert seeds <= {plain(seed.name) for seed in found.seeds}


# ── passages ──────────────────────────────────────────────────────────────────────────────────────
FIRE = "Apollo 1 burned on the pad. "
HATCH = "An investigation led to a redesigned hatch. "
FAR = "Elsewhere a choir sang in Oslo. "


def test_what_stands_beside_the_best_facts_comes_along() -> None:
    text = FIRE + HATCH + "x" * 900 + FAR
    graph = document(
        "fire.md",
        text,
        [
            {"subject": "Apollo 1", "predicate": "burned on", "object": "Pad", "source": FIRE},
            {"subject": "Investigation", "predicate": "led to", "object": "Hatch", "source": HATCH},
            {"subject": "Choir", "predicate": "sang in", "object": "Oslo", "source": FAR},
        ],
    )
    index = GraphIndex(collected(graph))

    def predicates(found: Retrieved) -> list[str]:
        return [item.fact.predicate for item in found.facts]

    assert predicates(retrieve(index, "What changed after Apollo 1?", QuerySettings())) == ["burned on", "led to"]
    assert predicates(retrieve(index, "What changed after Apollo 1?", QuerySettings(hops=0))) == []


# ── what is said ──────────────────────────────────────────────────────────────────────────────────
def test_a_word_that_no_shown_fact_speaks_of_is_named(tmp_path: Path) -> None:
    asker = Asker(samples(), Settings(tmp_path), store=ReplyStore(tmp_path), environ={})
    answer = asker.answer("Was Marie Curie a professor at the Sorbonne or a zookeeper?")
    assert answer.mode == "facts"
    assert answer.reason.endswith("None of them speaks of “zookeeper”.")


def test_the_model_is_asked_what_is_meant_when_only_words_were_found(asking: Any) -> None:
    asker, server = asking(
        one_after_another(answering("Grumman"), answering(lambda asked: f"Yes [{asked.number('grumman', 'built')}]."))
    )
    made: Made = (asker, server)
    answer = made[0].answer("Which firm assembled that Metal spider?")
    assert ("Grumman", "model") in [(seed.name, seed.how) for seed in answer.seeds]
    assert len(server.chats()) == 2
