"""Chunks: covered blocks, limits, and how little an edit changes."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgsite.extract import tokens
from kgsite.extract.chunk import chunk
from kgsite.extract.pieces import joins
from kgsite.model import Block, Chunk, Document, Source, SourcePath

SYLLABLES = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]


VOCABULARY = ["".join(random.Random(seed).choices(SYLLABLES, k=1 + seed % 4)) for seed in range(1500)]


def document(parts: list[tuple[str, str]], language: str = "en") -> Document:
    text, blocks = "", []
    for kind, part in parts:
        text += "\n\n" if text else ""
        blocks.append(Block(len(text), len(text) + len(part), kind, level=2 if kind == "heading" else 0))  # type: ignore[arg-type]
        text += part
    source = Source(SourcePath("a.md"), "markdown", None)
    return Document("d", source, text, tuple(blocks), language=language)


def paragraph(r: random.Random) -> str:
    def sentence() -> str:
        return " ".join(r.choice(VOCABULARY) for _ in range(r.randint(4, 24))).capitalize() + r.choice(".....!?")

    return " ".join(sentence() for _ in range(r.randint(1, 7)))


def long_document(seed: int, blocks: int, headings: float) -> list[tuple[str, str]]:
    r = random.Random(seed)
    parts: list[tuple[str, str]] = []
    for _ in range(blocks):
        if r.random() < headings:
            parts.append(("heading", paragraph(r)[:30].strip()))
        parts.append(("paragraph", paragraph(r)))
    return parts


def cut(parts: list[tuple[str, str]]) -> tuple[Chunk, ...]:
    return chunk(document(parts), max_tokens=400, overlap_tokens=50)


def changed(before: tuple[Chunk, ...], after: tuple[Chunk, ...]) -> int:
    """How many requests would be sent again: chunks whose id or whose whole text is new."""
    known = {(one.id, one.text) for one in before}
    return sum((one.id, one.text) not in known for one in after)


def check(one: Document, chunks: tuple[Chunk, ...], max_tokens: int) -> None:
    assert len({part.id for part in chunks}) == len(chunks)
    position = 0
    for index, part in enumerate(chunks):
        assert part.chunk_idx == index
        assert part.text == one.text[part.start : part.end]
        assert part.start <= part.own_start < part.end
        assert not one.text[position : part.own_start].strip(), "nothing but white space lies between chunks"
        assert tokens.count(part.text) == part.n_tokens <= max_tokens
        position = part.end
    assert not one.text[position:].strip()


@pytest.mark.parametrize("headings", [0.0, 0.15])
def test_an_edit_of_a_500_chunk_document_changes_few_chunks(headings: float) -> None:
    parts = long_document(7, 1500, headings)
    before = cut(parts)
    assert len(before) >= 500
    check(document(parts), before, 400)
    r = random.Random(1)
    for _ in range(3):
        assert changed(before, cut([("paragraph", paragraph(r)), *parts])) <= 3
    for replacement in ["altered", "altered.", ""] * 2:
        index = r.choice([i for i, part in enumerate(parts) if part[0] == "paragraph"])
        words = parts[index][1].split(" ")
        words[r.randrange(len(words))] = replacement
        edited = [*parts[:index], ("paragraph", " ".join(filter(None, words)) or "x"), *parts[index + 1 :]]
        assert changed(before, cut(edited)) <= 2


def test_borders_are_the_same_without_the_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = long_document(3, 60, 0.1)
    before = [(one.id, one.start, one.end) for one in cut(parts)]
    monkeypatch.setattr(tokens, "_encoding", lambda: None)
    assert not tokens.available()
    assert [(one.id, one.start, one.end) for one in cut(parts)] == before


def test_a_heading_stays_with_what_follows() -> None:
    for part in cut(long_document(5, 200, 0.4)):
        assert "\n\n" in part.text or len(part.text) > 30


def test_overlap_is_whole_sentences_of_the_chunk_before() -> None:
    chunks = cut(long_document(2, 40, 0.0))
    shared = [one.text[: one.own_start - one.start].strip() for one in chunks]
    assert any(shared)
    for before, text in zip(chunks, shared[1:], strict=False):
        assert before.text.endswith(text)
        assert tokens.count(text) <= 50
        assert not text or text[-1] in ".!?"
    assert not any(
        one.start < one.own_start
        for one in chunk(document(long_document(2, 40, 0.0)), max_tokens=400, overlap_tokens=0)
    )


def test_repeated_text_has_ids_of_its_own() -> None:
    parts = [("paragraph", "The same words again and again, for ever. " * 20)] * 30
    check(document(parts), cut(parts), 400)


def test_a_table_is_cut_between_rows() -> None:
    rows = [f"Row {n} | Value number {n} of this long table | {n * 7}" for n in range(120)]
    text = "\n".join(rows)
    cells, at = [], 0
    for row in rows:
        cells.append(((at, at + 5), (at + 8, at + len(row))))
        at += len(row) + 1
    one = Document(
        "t",
        Source(SourcePath("t.md"), "markdown", None),
        text,
        (Block(0, len(text), "table", cells=tuple(cells)),),
        language="en",
    )
    chunks = chunk(one, max_tokens=200, overlap_tokens=20)
    check(one, chunks, 200)
    assert len(chunks) > 5
    assert all(part.text.startswith("Row") for part in chunks)
    assert "\n" in chunks[0].text


@pytest.mark.parametrize(
    "text",
    [
        "signal harbour meadow lumen " * 4000,
        "a" * 30_000,
        "北京大学的历史很长" * 2000,
        "จุฬาลงกรณ์มหาวิทยาลัยก่อตั้งขึ้น" * 500,
        "👩‍👩‍👧‍👦🇩🇪e\u0301" * 1500,
        "VGhpcyBpcyBiYXNlNjQ" * 1000,
        "!?" * 10_000,
    ],
)
def test_text_without_sentence_ends_is_cut_within_the_limit(text: str) -> None:
    one = document([("paragraph", text)], "zh" if "北" in text else "th" if "จ" in text else "en")
    chunks = chunk(one, max_tokens=100, overlap_tokens=10)
    check(one, chunks, 100)
    assert len(chunks) > 10
    assert not any(joins(text, part.own_start) for part in chunks)


def test_an_edit_inside_a_line_without_sentence_ends_stays_local() -> None:
    r = random.Random(4)
    words = ["".join(r.choice(SYLLABLES) for _ in range(r.randint(1, 4))) for _ in range(20_000)]
    before = cut([("paragraph", " ".join(words))])
    words.insert(50, "inserted")
    assert changed(before, cut([("paragraph", " ".join(words))])) <= 3


def test_nothing_comes_from_nothing() -> None:
    assert cut([]) == ()
    assert cut([("paragraph", " \u00a0\u3000 ")]) == ()


WORDS = st.sampled_from(
    [
        "Ada",
        "Ελλάδα",
        "Москва",
        "北京。",
        "مصر؟",
        "x" * 90,
        "é\u0301",
        "1,234",
        "🏳️‍🌈",
        "e.g.",
        "end.",
        "\n",
        "(a)",
        "ไทย",
    ]
)
BLOCKS = st.tuples(
    st.sampled_from(["heading", "paragraph", "list", "quote", "code", "footnote", "table"]),
    st.lists(WORDS, min_size=1, max_size=60).map(" ".join),
)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(parts=st.lists(BLOCKS, max_size=12), max_tokens=st.integers(50, 300), overlap=st.integers(0, 200))
def test_any_document_is_covered_within_the_limit(parts: list[tuple[str, str]], max_tokens: int, overlap: int) -> None:
    one = document(parts)
    check(one, chunk(one, max_tokens=max_tokens, overlap_tokens=overlap), max_tokens)
