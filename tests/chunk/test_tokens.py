"""Token counts: exact, offline, and never above the bound."""

from __future__ import annotations

import socket

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgsite.extract import tokens

SAMPLES = [
    "The quick brown fox jumps over 12,345 lazy dogs.",
    "Die Technische Universität München wurde 1868 gegründet.",
    "北京大学创建于1898年。蔡元培曾任校长。",
    "تأسست جامعة القاهرة عام 1908",
    "x₂ + y² = ½\n\n\tfoo_bar(); // ok",
    "👩‍👩‍👧‍👦🇩🇪 naïve café",
]


def test_known_counts() -> None:
    assert tokens.available()
    assert tokens.count("") == 0
    assert tokens.count("hello world") == 2
    assert tokens.count("<|endoftext|>") > 1, "special tokens are plain text"


def test_no_network_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    tokens._encoding.cache_clear()
    assert tokens.count("hello world") == 2


def test_an_altered_vocabulary_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "VOCABULARY_SHA256", "0" * 64)
    tokens._encoding.cache_clear()
    try:
        assert not tokens.available()
        assert tokens.count(SAMPLES[0]) == tokens.bound(SAMPLES[0])
    finally:
        monkeypatch.undo()
        tokens._encoding.cache_clear()


@pytest.mark.parametrize("text", SAMPLES)
def test_the_bound_is_close_above(text: str) -> None:
    assert tokens.count(text) <= tokens.bound(text) <= 1.7 * tokens.count(text)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(max_size=200))
def test_the_bound_holds_for_any_text(text: str) -> None:
    assert tokens.count(text) <= tokens.bound(text)


@pytest.mark.parametrize("text", ["a" * 500_000, " " * 500_000, "他在" * 250_000, "!?" * 250_000])
def test_long_runs_are_counted(text: str) -> None:
    assert 0 < tokens.count(text) <= tokens.bound(text)
