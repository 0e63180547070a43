"""A document as a row of units: the smallest spans that a chunk border never cuts.

Units follow the text in order and hold all of it but the white space between them. What kind of border lies
before a unit is its `rank`: the lower, the better the place to cut.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from kgsite.extract.sentences import sentences
from kgsite.extract.tokens import bound
from kgsite.model import Block, Document

PARAGRAPH, ITEM, ROW, SENTENCE, CLAUSE, WORD, GRAPHEME, GLUED = 7, 8, 9, 10, 11, 12, 13, 14  # headings: 1 to 6
_CLAUSE = re.compile(r"[,;:،؛、，；：·—–]+[\"'”’»)\]]*\s*")
_NO_SPACES = re.compile(r"\S+")
_KEY_WORDS = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Unit:
    """A heading, sentence, table row, line of code, or a piece of a sentence that is longer than a chunk."""

    start: int
    end: int  # without trailing white space
    size: int  # upper bound of its tokens, the space before the next unit included
    rank: int  # of the border before it
    key: tuple[int, int]  # hashes of its first words and of its beginning: local content decides borders
    block: int  # index in Document.blocks
    overlaps: bool  # a whole sentence of prose: may be repeated before the next chunk


def units(document: Document, *, longest: int, language: str) -> list[Unit]:
    """The units of `document`; none is larger than `longest` (a bound of its tokens)."""
    found: list[Unit] = []
    text = document.text
    after_heading = False
    for index, block in enumerate(document.blocks or _whole(text)):
        first = True
        for start, end, rank in _block_spans(text, block, longest, language):
            if first:
                rank = GLUED if after_heading else _border(block)  # noqa: PLW2901 - the border before the block
            whole = block.kind in ("paragraph", "list", "quote", "footnote") and rank <= SENTENCE
            size = bound(text[start:end]) + 1
            found.append(Unit(start, end, size, rank, _key(text, start, end), index, whole or rank == GLUED))
            first = False
        if not first:
            after_heading = block.kind == "heading"
    return found


def _whole(text: str) -> tuple[Block, ...]:
    return (Block(0, len(text), "paragraph"),) if text.strip() else ()


def _border(block: Block) -> int:
    if block.kind == "heading":
        return min(max(block.level, 1), 6)
    return ITEM if block.kind == "list" else PARAGRAPH


def _key(text: str, start: int, end: int) -> tuple[int, int]:
    beginning = text[start : min(end, start + 120)]
    words = _KEY_WORDS.findall(beginning)[:2]
    return zlib.crc32(" ".join(words).encode("utf-8", "replace")), zlib.crc32(beginning.encode("utf-8", "replace"))


def _block_spans(text: str, block: Block, longest: int, language: str) -> Iterator[tuple[int, int, int]]:
    for start, end, rank in _natural_spans(text, block, language):
        if end - start < longest or (end - start < 12 * longest and bound(text[start:end]) < longest):
            yield start, end, rank
        else:
            yield from _cut_long(text, start, end, rank, longest)


def _natural_spans(text: str, block: Block, language: str) -> Iterator[tuple[int, int, int]]:
    if block.kind == "table" and len(block.cells) > 1:
        yield from _rows(text, block)
    elif block.kind in ("code", "table"):
        yield from _lines(text, block)
    elif block.kind == "heading":
        yield from _stripped(text, block.start, block.end, PARAGRAPH)
    else:
        for start, end in sentences(text[block.start : block.end], language):
            yield block.start + start, block.start + end, SENTENCE


def _rows(text: str, block: Block) -> Iterator[tuple[int, int, int]]:
    """Rows of a table; the header stays with the first row below it."""
    starts = sorted({row[0][0] for row in block.cells if row and block.start <= row[0][0] < block.end})
    borders = [block.start, *starts[1:], block.end] if starts else [block.start, block.end]
    for index, (start, end) in enumerate(pairwise(borders)):
        yield from _stripped(text, start, end, GLUED if index == 1 else ROW)


def _lines(text: str, block: Block) -> Iterator[tuple[int, int, int]]:
    at = block.start
    for line in text[block.start : block.end].splitlines(keepends=True):
        yield from _stripped(text, at, at + len(line), ROW)
        at += len(line)


def _stripped(text: str, start: int, end: int, rank: int) -> Iterator[tuple[int, int, int]]:
    part = text[start:end]
    kept = part.strip()
    if kept:
        begin = start + len(part) - len(part.lstrip())
        yield begin, begin + len(kept), rank


def _cut_long(text: str, start: int, end: int, rank: int, longest: int) -> Iterator[tuple[int, int, int]]:
    """Pieces of a sentence longer than a chunk, cut at clauses, else between words, else between graphemes."""
    limit = max(longest // 6, 8)
    at = start
    for clause in [match.end() for match in _CLAUSE.finditer(text, start, end)] + [end]:
        if clause <= at:
            continue
        inner = rank if at == start else CLAUSE
        if bound(text[at:clause]) <= limit:
            yield from _stripped(text, at, clause, inner)
        else:
            yield from _cut_words(text, at, clause, inner, limit)
        at = clause


def _cut_words(text: str, start: int, end: int, rank: int, limit: int) -> Iterator[tuple[int, int, int]]:
    """Runs of words: a border where the hash of a word and the next says so, or where the run is full.

    About every fourth word may end a run, so borders find back to the same places soon after an edit.
    """
    at, size = start, 0
    before = 0
    for begin, stop in _words(text, start, end):
        cost, word = _measure(text[begin:stop])
        if size and (size + cost > limit or (size > limit // 3 and (before * 31 + word) % 4 == 0)):
            yield from _stripped(text, at, begin, rank if at == start else WORD)
            at, size = begin, 0
        if cost > limit:
            yield from _cut_graphemes(text, begin, stop, rank if at == start else WORD, limit)
            at = stop
        else:
            size += cost
        before = word
    yield from _stripped(text, at, end, rank if at == start else WORD)


@lru_cache(maxsize=32768)
def _measure(word: str) -> tuple[int, int]:
    return bound(word) + 1, zlib.crc32(word.encode("utf-8", "replace"))


def _words(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _NO_SPACES.finditer(text, start, end))


def _cut_graphemes(text: str, start: int, end: int, rank: int, limit: int) -> Iterator[tuple[int, int, int]]:
    """A run without spaces (Chinese, Thai, base64 …): borders by the hash of three characters, never inside a grapheme."""
    at = start
    most = max(limit // 4, 2)  # a character has up to four bytes, a byte is at most one token
    for here in range(start + 1, end):
        if here - at < most // 2 or (
            here - at < most and zlib.crc32(text[here - 2 : here + 1].encode("utf-8", "replace")) % 8
        ):
            continue
        if joins(text, here) and here - at < 4 * most:
            continue
        yield at, here, rank if at == start else GRAPHEME
        at = here
    yield at, end, rank if at == start else GRAPHEME


def joins(text: str, at: int) -> bool:
    """Whether a cut before `text[at]` would divide what readers see as one character (UAX 29, the common cases)."""
    if not 0 < at < len(text):
        return False
    here, before = text[at], text[at - 1]
    if here in "\u200d\u200c\ufe0e\ufe0f" or before == "\u200d" or unicodedata.category(here) in ("Mn", "Me", "Mc"):
        return True
    if "\U0001f3fb" <= here <= "\U0001f3ff" or "\U000e0020" <= here <= "\U000e007f":  # skin tones, tag sequences
        return True
    if "\u1160" <= here <= "\u11ff" and "\u1100" <= before <= "\u11ff":  # Hangul syllables in pieces
        return True
    flags = 0
    while flags < at and "\U0001f1e6" <= text[at - 1 - flags] <= "\U0001f1ff" and flags < 64:
        flags += 1
    return "\U0001f1e6" <= here <= "\U0001f1ff" and flags % 2 == 1
