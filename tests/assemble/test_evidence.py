"""A quote is found in the text in spite of ligatures, line-end hyphens, kinds of quotes and white space, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgsite.extract.evidence import FoldedText, Quotes
from kgsite.model import Block, Chunk, Evidence

SOURCE = (
    "The ﬁnance “team” of North-\ngate moved.  A\u030angström is well-known since 1840-41.\n\n北岸的灯塔。C++ and C#."
)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ('finance "team" of Northgate', "ﬁnance “team” of North-\ngate"),
        ("Ångström is well-known", "A\u030angström is well-known"),
        ("wellknown since", "well-known since"),
        ('"...gate moved..."', "gate moved"),
        ("gate moved, ", "gate moved"),
        ("moved. Ångström", "moved.  A\u030angström"),
        ("北岸的灯塔", "北岸的灯塔"),
        ("C++ and C#", "C++ and C#"),
        ("finance team", None),
        ("184041", None),
        ("…", None),
        ("", None),
        ("not there", None),
    ],
)
def test_quotes(quote: str, found: str | None) -> None:
    span = FoldedText(SOURCE).find(quote)
    assert (SOURCE[slice(*span)] if span else None) == found


@given(st.text(max_size=80), st.integers(0, 80), st.integers(0, 80))
def test_every_piece_of_a_text_that_is_found_folds_to_the_quote(text: str, start: int, end: int) -> None:
    quote = text[start:end]
    folded = FoldedText(text)
    assert len(folded.folded) == len(folded._starts) == len(folded._ends)
    span = folded.find(quote)
    if span:
        assert 0 <= span[0] < span[1] <= len(text)


@given(
    st.lists(
        st.sampled_from(["Ada", "met", "Bo", "ﬁne", "x-\ny", "北岸", "e\u0301t", "—", "“q”"]), min_size=1, max_size=20
    )
)
def test_whole_words_are_always_found(words: list[str]) -> None:
    text = "  ".join(words)
    assert FoldedText(text).find(" ".join([*words, "Ada"])) is None or "Ada" in words
    if any(char.isalnum() for char in text):
        assert FoldedText(text).find(text) is not None


def quotes() -> tuple[str, Quotes]:
    text = "Ada met Bo.\n\nAda met Bo.\n\nCy left."
    blocks = (Block(0, 11, "paragraph", page=1), Block(13, 24, "paragraph", page=2), Block(26, 34, "paragraph", page=2))
    chunks = (Chunk("a", 0, text[:11], 0, 11, 3), Chunk("b", 1, text[13:], 13, 34, 5, own_start=13))
    return text, Quotes(text, blocks, chunks)


def test_the_occurrence_in_the_chunk_that_was_read_wins() -> None:
    _, check = quotes()
    assert check.check(Evidence("Ada met Bo."), "b") == Evidence("Ada met Bo.", "b", 13, 24, True, 2)
    assert check.check(Evidence("Ada met Bo."), "a") == Evidence("Ada met Bo.", "a", 0, 11, True, 1)


def test_a_quote_from_another_chunk_is_found_there() -> None:
    _, check = quotes()
    assert check.check(Evidence("Cy left"), "a") == Evidence("Cy left", "b", 26, 33, True, 2)


def test_stated_offsets_are_believed_only_when_right() -> None:
    _, check = quotes()
    assert check.check(Evidence("Ada met Bo.", "b", 13, 24), "b").start == 13
    assert check.check(Evidence("Ada met Bo.", "b", 0, 9), "b").start == 13
    assert check.check(Evidence("Ada met Bo.", "b", -5, 10**9), "b").start == 13


def test_a_made_up_quote_is_kept_but_not_verified() -> None:
    _, check = quotes()
    assert check.check(Evidence("Ada hit Bo.", "", 0, 11), "a") == Evidence("Ada hit Bo.", "a", None, None, False)
