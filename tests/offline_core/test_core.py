"""The core extractor on small texts in several languages: what must be found, and what must never be."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgsite.errors import KgsiteError
from kgsite.extract.chunk import chunk
from kgsite.extract.extractor import ExtractJob
from kgsite.extract.offline.core import TYPES, CoreExtractor
from kgsite.extract.offline.lexicon import LANGUAGES, lexicon
from kgsite.extract.offline.relating import TOGETHER
from kgsite.model import Block, Document, Entity, Extraction, Mark, Relation, Source, SourcePath

DATA = Path(__file__).parent / "data"


def document(parts: list[tuple[str, str]], marks: tuple[Mark, ...] = ()) -> Document:
    text, blocks = "", []
    for kind, part in parts:
        text += "\n\n" if text else ""
        blocks.append(Block(len(text), len(text) + len(part), kind))  # type: ignore[arg-type]
        text += part
    return Document("d", Source(SourcePath("a.md"), "markdown", None), text, tuple(blocks), marks)


def run(one: Document, language: str, max_tokens: int = 400) -> Extraction:
    job = ExtractJob(one, chunk(one, max_tokens=max_tokens, overlap_tokens=50), language)
    [(_, outcome)] = CoreExtractor().extract([job])
    assert not isinstance(outcome, KgsiteError)
    check(job, outcome)
    return outcome


def check(job: ExtractJob, outcome: Extraction) -> None:
    assert [one.chunk_id for one in outcome.chunks] == [one.id for one in job.chunks]
    for part, found in zip(job.chunks, outcome.chunks, strict=True):
        names = {(one.name, one.type) for one in found.entities}
        assert found.status == ("ok" if names else "empty")
        assert all(one.type in TYPES for one in found.entities)
        for one in found.relations:
            assert {(one.source, one.source_type), (one.target, one.target_type)} <= names
            assert one.source != one.target
            assert 1 <= len(one.type.split()) <= 3
            [quote] = one.evidence
            assert quote.verified
            assert quote.text == job.document.text[quote.start : quote.end]
            assert quote.chunk_id == part.id
            assert part.own_start <= (quote.start or 0) < part.end


def read(name: str) -> Document:
    return document([("paragraph", part) for part in (DATA / f"{name}.txt").read_text("utf-8").strip().split("\n\n")])


def relations(outcome: Extraction) -> list[Relation]:
    return [one for part in outcome.chunks for one in part.relations]


def facts(outcome: Extraction) -> set[tuple[str, str, str]]:
    return {(one.source, one.type, one.target) for one in relations(outcome)}


def entities(outcome: Extraction) -> dict[str, Entity]:
    return {one.name: one for part in outcome.chunks for one in part.entities}


EXPECTED = {
    "en": {
        ("Marie Curie", "tour", "United States"),
        ("Radium Institute", "in", "Warsaw"),
        ("Nobel Prize in Physics", "awarded to", "Pierre Curie"),
    },
    "de": {
        ("Carl Benz", "geboren in", "Mühlburg"),
        ("Carl Benz", "gründen", "Firma Benz & Cie"),
        ("Technische Universität München", "gegründet von", "Ludwig II"),
        ("Weimar", "liegen in", "Thüringen"),
    },
    "es": {
        ("Santiago Ramón y Cajal", "nacer en", "Petilla de Aragón"),
        ("Santiago Ramón y Cajal", "estudiar en", "Universidad de Zaragoza"),
        ("Universidad de Salamanca", "fundada por", "Alfonso IX de León"),
        ("Miguel de Unamuno", "rector de", "Universidad de Salamanca"),
        ("Diego Velázquez", "pintar en", "1656"),
    },
    "fr": {
        ("Gustave Eiffel", "né à", "Dijon"),
        ("Louis Pasteur", "fonder", "Institut Pasteur"),
        ("Victor Hugo", "écrire", "Les Misérables"),
        ("traité de Presbourg", "signé par", "Autriche"),
    },
    "it": {("Dante Alighieri", "nascere a", "Firenze"), ("Leonardo da Vinci", "lavorare per", "Ludovico Sforza")},
    "ru": {("Михаил Ломоносов", "основать", "Московский университет")},
    "zh": {("蔡元培", "出生于", "浙江省"), ("鲁迅", "发表", "狂人日记"), ("清华大学", "位于", "北京市")},
    "ja": {("夏目漱石", "卒業", "東京大学")},
    "ar": {("جامعة القاهرة", "تأسست في", "الجيزة"), ("أحمد زويل", "ولد في", "دمنهور")},
}
NONSENSE = {
    "en": {"However", "The", "Her", "In", "After", "Using", "Working", "She", "Their"},
    "de": {"Motor", "Motorwagen", "Werkstatt", "Entwicklung", "Eröffnung", "Dort", "Während", "Seine", "Im", "Jahr"},
    "es": {"Fue", "Estudió", "Sin", "La", "Los", "Sin embargo"},
    "fr": {"Cet", "Cependant", "Il", "La", "Les"},
    "it": {"Scrisse"},
    "ru": {"Однако"},
    "zh": {"大学"},
    "ja": {"大学", "国立大学"},
    "ar": set(),
}


@pytest.mark.parametrize("language", sorted(EXPECTED))
def test_what_texts_say(language: str) -> None:
    outcome = run(read(language), language)
    assert EXPECTED[language] <= facts(outcome)
    assert not NONSENSE[language] & set(entities(outcome))


def test_types_and_other_names() -> None:
    found = entities(run(read("es"), "es"))
    assert found["Universidad de Salamanca"].type == "organization"
    assert found["Cristóbal Colón"].type == "person"
    assert found["Petilla de Aragón"].type == "place"
    assert found["3 de agosto de 1492"].type == "date"
    assert found["Organización Mundial de la Salud"].aliases == ("OMS",)
    assert found["Francisco de Goya"].aliases == ("Goya",)


def test_a_pronoun_means_the_person_before() -> None:
    text = "Ada Lovelace lived in London. She met Charles Babbage in 1833."
    assert ("Ada Lovelace", "meet", "Charles Babbage") in facts(run(document([("paragraph", text)]), "en"))


def test_a_description_comes_from_the_sentence_that_says_what_it_is() -> None:
    text = "Ada Lovelace was an English mathematician. Charles Babbage, the inventor of engines, met Ada Lovelace."
    found = entities(run(document([("paragraph", text)]), "en"))
    assert found["Ada Lovelace"].description == "an English mathematician"
    assert found["Charles Babbage"].description == "the inventor of engines"


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("Ada Lovelace was the head of his laboratory. Ada Lovelace met Charles Babbage.", "en", "Ada Lovelace"),
        ("Ada Lovelace, her friend, met Charles Babbage.", "en", "Ada Lovelace"),
        ("Die Kontore lagen in London, die Deutsche Brücke in Bergen, und der Hof in Nowgorod.", "de", "London"),
        ("Marie Curie était la directrice de son laboratoire. Marie Curie vivait à Paris.", "fr", "Marie Curie"),
    ],
)
def test_a_phrase_that_needs_its_sentence_is_no_description(text: str, language: str, name: str) -> None:
    found = {e.name: e for chunk in run(document([("paragraph", text)]), language).chunks for e in chunk.entities}
    assert found[name].description == ""


def test_headings_code_and_tables_are_not_sentences() -> None:
    parts = [(kind, "Ada Lovelace met Charles Babbage.") for kind in ("heading", "code", "table")]
    outcome = run(document(parts), "en")
    assert not relations(outcome)
    assert {one.status for one in outcome.chunks} == {"empty"}


def test_overlap_is_read_once() -> None:
    parts = [
        ("paragraph", f"Ada Lovelace visited Charles Babbage in London. Town {n} is quiet. " * 3) for n in range(20)
    ]
    text = document(parts).text
    assert sum(one.type == "visit" for one in relations(run(document(parts), "en", 100))) == text.count("visited")


def test_names_of_one_sentence_do_not_become_a_hairball() -> None:
    names = [
        "Ada Lovelace",
        "Karl Marx",
        "Otto Hahn",
        "Emmy Noether",
        "Isaac Newton",
        "Paul Dirac",
        "Niels Bohr",
        "Max Born",
    ]
    text = "; ".join(names) + ". "
    together = [one for one in relations(run(document([("paragraph", text * 10)]), "en")) if one.type == TOGETHER]
    assert 0 < len(together) <= 4
    assert all(one.strength < 3 for one in together)


def test_a_line_in_capitals_gives_no_names() -> None:
    assert not entities(run(document([("paragraph", "ALL OF THESE WORDS ARE WRITTEN IN CAPITAL LETTERS HERE.")]), "en"))


def test_a_long_line_without_sentence_ends() -> None:
    text = "signal harbour meadow lumen " * 10_000 + "Ada Northgate founded Lumen Works in Ghent."
    outcome = run(document([("paragraph", text)]), "en")
    assert ("Ada Northgate", "Lumen Works") in {(one.source, one.target) for one in outcome.chunks[-1].relations}
    assert max(len(one.evidence[0].text) for one in relations(outcome)) <= 1000


def test_a_language_without_a_word_list() -> None:
    text = "Maria Skłodowska urodziła się w Warszawie. Warszawa leży nad Wisłą."
    assert "Maria Skłodowska" in entities(run(document([("paragraph", text)]), "pl"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_word_lists_load(language: str) -> None:
    words = lexicon(language)
    assert words.given
    assert words.places
    assert words.raw


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    text=st.lists(st.sampled_from(["Ada", "of", "the", "Ltd", "(ESA)", "1987", "京都大学", "《", "Москва", "d'", "L'", "«", "\u202e", "’s", ".", ",", "\n", "é\u0301", "🏳️‍🌈", "“A b”", "X.", "von", "was", "founded"]), max_size=60).map(" ".join),
    language=st.sampled_from(["en", "de", "es", "fr", "zh", "ja", "ar", "xx", ""]),
)  # fmt: skip
def test_any_text_is_read(text: str, language: str) -> None:
    run(document([("paragraph", text)]), language)
