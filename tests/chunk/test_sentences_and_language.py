"""Sentence borders and languages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgsite.extract.language import KNOWN, detect
from kgsite.extract.sentences import sentences


def parts(text: str, language: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text, language)]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["Dr. Smith met J. R. R. Tolkien at 5 p.m.", "He left.", '"Really?" she asked.']),
        ("de", ["Am 3. Mai traf er Frau Müller.", "Ludwig II. war König."]),
        ("fr", ["M. Dupont vint.", "« Oui. » dit-il.", "Puis il partit."]),
        ("es", ["El Sr. López vino.", "¿Quién?", "Alfonso X.", "Miguel llegó."]),
        ("zh", ["他在北京大学工作。", "他说：“你好。”", "然后走了！"]),
        ("ar", ["ولد في القاهرة؟", "نعم."]),
        ("hi", ["यह एक है।", "वह दो है।"]),
        ("ru", ["А. С. Пушкин родился в Москве.", "Он умер."]),
    ],
)
def test_borders(language: str, expected: list[str]) -> None:
    joint = "" if language == "zh" else " "
    assert parts(joint.join(expected), language) == expected


def test_long_texts_are_read_in_windows() -> None:
    assert parts("他在北京大学工作。" * 3000, "zh") == ["他在北京大学工作。"] * 3000


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.text(alphabet=st.sampled_from("Ab c.!?。\n“”é1"), max_size=300))
def test_all_text_is_in_one_sentence(text: str) -> None:
    position = 0
    for start, end in sentences(text, "en"):
        assert not text[position:start].strip()
        assert position <= start < end
        position = end
    assert not text[position:].strip()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The city was founded by the Romans and it is the oldest in the country.", "en"),
        ("Die Stadt wurde von den Römern gegründet und ist die älteste des Landes.", "de"),
        ("La ciudad fue fundada por los romanos y es la más antigua del país.", "es"),
        ("La ville fut fondée par les Romains et c'est la plus ancienne du pays.", "fr"),
        ("La città fu fondata dai Romani ed è la più antica del paese.", "it"),
        ("De stad werd door de Romeinen gesticht en is de oudste van het land.", "nl"),
        ("A cidade foi fundada pelos romanos e não é a mais antiga do país.", "pt"),
        ("Город был основан римлянами и является старейшим в стране.", "ru"),
        ("Місто заснували римляни, і воно є найстарішим у країні.", "uk"),
        ("北京大学创建于1898年。", "zh"),
        ("東京大学は日本の国立大学である。", "ja"),
        ("서울은 대한민국의 수도이다.", "ko"),
        ("تأسست جامعة القاهرة في مصر عام 1908", "ar"),
        ("Η Αθήνα είναι η πρωτεύουσα της Ελλάδας.", "el"),
        ("กรุงเทพมหานครเป็นเมืองหลวง", "th"),
        ("עדה הקימה את החברה בשנת 1987", "he"),
    ],
)
def test_languages(text: str, language: str) -> None:
    code, confidence = detect(text)
    assert code == language
    assert 0.5 <= confidence <= 1
    assert detect(text) == (code, confidence)


def test_little_text_gives_little_confidence() -> None:
    assert detect("") == ("en", 0.0)
    assert detect("1987 — 42 %") == ("en", 0.0)
    code, confidence = detect("Ada")
    assert code in KNOWN
    assert confidence <= 0.5


def test_a_long_text_is_sampled() -> None:
    assert detect("Die Stadt wurde von den Römern gegründet. " * 50_000)[0] == "de"
