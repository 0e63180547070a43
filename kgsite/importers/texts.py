"""The text of a ready-made graph: put together from its passages or taken as given, laid out in blocks, and every
passage with its place in it.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, replace

from kgsite.importers.found import Found, Passage, Text
from kgsite.model import Block, Mark
from kgsite.readers.blocks import Laid, Piece, lay_out
from kgsite.readers.text import read_text

_BLANK = re.compile(r"\n[ \t]*\n\s*")
_MARKDOWN = re.compile(r"^#{1,6} \S", re.MULTILINE)
_WIDEST_OVERLAP = 4_000  # characters in which the overlap of two passages is looked for
_LEAST_OVERLAP = 8  # characters: less may be chance
_MOST_WEIGHED = 40  # overlaps between which a stated number of tokens decides
_LARGEST_GAP = 8  # characters between passages that are taken for white space
_WRAPPED = 0.2  # of the text in lines that a program filled: then they are joined again
_NARROWEST, _WIDEST = 50, 400


@dataclass(frozen=True, slots=True)
class Placed:
    """A passage with its span in the text; empty when the file gives no text for it."""

    passage: Passage
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class LaidText:
    text: str
    blocks: tuple[Block, ...]
    marks: tuple[Mark, ...]
    placed: tuple[Placed, ...]
    n_pages: int | None


def lay_text(found: Found) -> LaidText:
    """The text of all documents of a file, one after the other, and where each passage lies in it."""
    by_document: dict[str, list[Passage]] = {text.key: [] for text in found.texts}
    for passage in found.passages:
        by_document.setdefault(passage.document, []).append(passage)
    known = {text.key: text for text in found.texts}
    raw = ""
    pieces: list[Piece] = []
    spans: list[tuple[Passage, int, int]] = []
    for key, passages in by_document.items():
        text = known.get(key, Text(key))
        own, places = _raw(text.text, passages, found.overlap)
        head = text.title if len(by_document) > 1 and own else ""
        if head:
            raw += ("\n\n" if raw else "") + head
            pieces.append(Piece("heading", head, 1))
        raw += "\n\n" if raw and own else ""
        base = len(raw)
        raw += own
        pieces += _pieces(own)
        spans += [(passage, base + start, base + end) for passage, (start, end) in zip(passages, places, strict=True)]
    laid = lay_out(pieces)
    to = None if laid.text == raw else align(raw, laid.text)
    if to is not None and to[len(raw)] < len(laid.text.rstrip()):
        laid = lay_out(_paragraphs(raw, {}))  # the reader did more than to leave characters out
        to = align(raw, laid.text)
    return _with_pages(laid, tuple(_place(laid.text, to, *span) for span in spans))


def _place(text: str, to: array[int] | None, passage: Passage, start: int, end: int) -> Placed:
    if to is not None:
        start, end = to[start], to[end]
        end = max(start, len(text[start:end].rstrip()) + start)
    return Placed(passage, start, end)


def _with_pages(laid: Laid, placed: tuple[Placed, ...]) -> LaidText:
    """Blocks get the page of the passage that they begin in, where passages have pages."""
    blocks = laid.blocks
    pages = [(part.start, part.passage.page) for part in placed if part.passage.page]
    if pages:
        marked, at, page = [], 0, None
        for block in blocks:
            while at < len(pages) and pages[at][0] <= block.start:
                page = pages[at][1]
                at += 1
            marked.append(replace(block, page=block.page or page))
        blocks = tuple(marked)
    last = max((block.page for block in blocks if block.page), default=None)
    return LaidText(laid.text, blocks, laid.marks, placed, last)


# ── one document ──────────────────────────────────────────────────────────────────────────────────
def _raw(text: str, passages: list[Passage], overlap: int | None) -> tuple[str, list[tuple[int, int]]]:
    """The text as the file has it, and the span of each passage."""
    if text:
        return _found_in(text, passages)
    return _by_offsets(passages) or joined(passages, overlap)


def _found_in(text: str, passages: list[Passage]) -> tuple[str, list[tuple[int, int]]]:
    """Passages in the text that the file gives; one that is not there is added at the end."""
    spans: list[tuple[int, int]] = []
    before = 0
    for passage in passages:
        start, end = passage.start, passage.end
        stated = start is not None and end is not None and start <= end <= len(text)
        if stated and (not passage.text or text[start:end] == passage.text):
            spans.append((start or 0, end or 0))
        elif not passage.text:
            spans.append((before, before))
        else:
            at = text.find(passage.text, before)
            at = at if at >= 0 else text.find(passage.text)
            if at < 0:
                text += "\n\n"
                at = len(text)
                text += passage.text
            spans.append((at, at + len(passage.text)))
        before = spans[-1][0]
    return text, spans


def _by_offsets(passages: list[Passage]) -> tuple[str, list[tuple[int, int]]] | None:
    """Passages that say where they lie, when they agree with each other; gaps between them were blank lines."""
    text = ""
    spans = []
    for passage in passages:
        start, end = passage.start, passage.end
        if start is None or end is None or end - start != len(passage.text) or start > len(text) + _LARGEST_GAP:
            return None
        if start > len(text):
            text += "\n" * (start - len(text))
        shared = text[start:]
        if not passage.text.startswith(shared):
            return None
        text += passage.text[len(shared) :]
        spans.append((start, end))
    return (text, spans) if passages else None


def joined(passages: list[Passage], overlap: int | None) -> tuple[str, list[tuple[int, int]]]:
    """Passages one after the other, what neighbours share only once."""
    parts: list[str] = []
    spans = []
    length = 0
    before = ""
    for passage in passages:
        if not passage.text:
            spans.append((length, length))
            continue
        shared = _shared(before, passage.text, overlap)
        glue = "" if not parts or shared or overlap == 0 else "\n\n"
        parts += [glue, passage.text[shared:]]
        start = length + len(glue) - shared
        length = start + len(passage.text)
        spans.append((start, length))
        before = passage.text
    return "".join(parts), spans


def _shared(before: str, text: str, tokens: int | None) -> int:
    """Characters at the end of `before` that `text` begins with: the longest such stretch, or when the number of
    shared tokens is stated the one that comes nearest to it (in repetitive texts there are several)."""
    if tokens == 0 or not before:
        return 0
    tail = before[-_WIDEST_OVERLAP:]
    lengths = [length for length in _borders(text[:_WIDEST_OVERLAP], tail) if length < len(text)]
    lengths = [length for length in lengths if length >= _LEAST_OVERLAP]
    if not lengths or tokens is None:
        return lengths[0] if lengths else 0
    from kgsite.extract.tokens import count

    return min(lengths[:_MOST_WEIGHED], key=lambda length: (abs(count(text[:length]) - tokens), -length))


def _borders(head: str, tail: str) -> list[int]:
    """Lengths of all prefixes of `head` that `tail` ends with, longest first (Knuth, Morris and Pratt 1977)."""
    failure = [0] * len(head)
    length = 0
    for index in range(1, len(head)):
        while length and head[index] != head[length]:
            length = failure[length - 1]
        length += head[index] == head[length]
        failure[index] = length
    length = 0
    for char in tail:
        while length and (length == len(head) or head[length] != char):
            length = failure[length - 1]
        if head and head[length] == char:
            length += 1
    found = []
    while length:
        found.append(length)
        length = failure[length - 1]
    return found


# ── blocks ────────────────────────────────────────────────────────────────────────────────────────
def _pieces(raw: str) -> list[Piece]:
    """Blocks of a text: Markdown and wrapped lines are read as such, other texts are kept character for character."""
    if _MARKDOWN.search(raw):
        from kgsite.readers.markdown import read_markdown

        return list(read_markdown(raw, html=False))
    if _is_wrapped(raw):
        return read_text(raw)
    headings = {piece.text: piece.level for piece in read_text(raw) if piece.kind == "heading"}
    return _paragraphs(raw, headings)


def _paragraphs(raw: str, headings: dict[str, int]) -> list[Piece]:
    parts = _BLANK.split(raw.strip())
    return [Piece("heading" if part in headings else "paragraph", part, headings.get(part, 0)) for part in parts]


def _is_wrapped(raw: str) -> bool:
    filled = 0
    for part in _BLANK.split(raw):
        lines = part.split("\n")
        if len(lines) > 1:
            filled += sum(len(line) for line in lines if _NARROWEST <= len(line) <= _WIDEST)
    return filled > len(raw) * _WRAPPED


def align(raw: str, text: str) -> array[int]:
    """For each position of `raw` (and its end) the position in `text`, which is `raw` with some characters left out and
    other white space. The last value falls short of `text` when that is not so.
    """
    to = array("L")
    at, size = 0, len(text)
    for char in raw:
        while at < size and text[at].isspace():
            at += 1
        to.append(at)
        if at < size and text[at] == char:
            at += 1
    to.append(at)
    return to
