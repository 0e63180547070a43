"""Text without sentence ends: some of it is parsed (transcripts are written so), megabytes of it are not."""

from __future__ import annotations

from kgsite.extract.offline.english.passages import MAX_PIECE, MAX_UNENDED, passages
from kgsite.model import Block, Document, Source, SourcePath

LAST = "Ada Northgate founded Lumen Works in Ghent."


def paragraph(text: str) -> Document:
    return Document("a", Source(SourcePath("a.txt"), "text", None), text, (Block(0, len(text), "paragraph"),))


def test_a_monster_line_is_cut_short_but_its_end_is_read() -> None:
    left_out: list[int] = []
    text = "harbour quay signal " * 30_000 + LAST
    read = list(passages(paragraph(text), left_out))
    assert sum(len(one.text) for one in read) <= MAX_UNENDED + MAX_PIECE
    assert sum(len(one.text) for one in read) + sum(left_out) == len(text)
    assert read[-1].text.endswith(LAST)
    start, end = read[-1].span(len(read[-1].text) - len(LAST), len(read[-1].text))
    assert text[start:end] == LAST


def test_a_transcript_is_read_whole() -> None:
    left_out: list[int] = []
    text = "so then marie went to paris and met pierre there " * 1_000 + "and left"
    assert sum(len(one.text) for one in passages(paragraph(text), left_out)) == len(text)
    assert left_out == []


def test_long_prose_is_never_left_out() -> None:
    left_out: list[int] = []
    text = "Marie Curie went to Paris. " * 5_000 + LAST
    assert sum(len(one.text) for one in passages(paragraph(text), left_out)) == len(text)
    assert left_out == []
