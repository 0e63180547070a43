"""The prose of a document, in pieces that a parser can take.

Only running text is parsed: headings, tables and code are not sentences, and neither are the page furniture and
contents lists that plain-text exports leave behind. Every piece keeps its length, so that a position in a piece
plus the piece's start is a position in `Document.text`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kgsite.model import Document

PROSE = frozenset({"paragraph", "list", "quote", "footnote"})
MAX_PIECE = 4_000
"""Characters given to spaCy at once: its memory grows with the longest piece of a batch."""

# One character for one, so that offsets hold. The model was trained on straight quotes and plain spaces.
_PLAIN = str.maketrans({
    "’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "\n": " ", "\t": " ", "\u00a0": " ",
    "\u2009": " ", "\u202f": " ", "_": " ", "*": " ",
})  # fmt: skip
_SENTENCE_END = re.compile(r"[.!?…][\"')\]]*\s+(?=[\"'(\[]?[^\W\d_a-z])")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of one block: `text` is `Document.text[start:start + len(text)]` with plain quotes and spaces."""

    start: int
    text: str
    block: int


def _is_prose(text: str) -> bool:
    """False for contents lists, running heads and the like: many short lines, or hardly any words."""
    words = _WORD.findall(text)
    if len(words) < 3 or sum(map(len, words)) < 0.45 * len(text.replace(" ", "")):
        return False
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) < 3:
        return True
    short = sum(1 for line in lines if len(line) < 45 and not line.endswith((".", "!", "?", ":", ";", ",", "-")))
    return short <= len(lines) / 2


def _cuts(text: str) -> Iterator[tuple[int, int]]:
    """Spans of at most MAX_PIECE characters that cover the text, cut after sentences where there are any."""
    start = 0
    while len(text) - start > MAX_PIECE:
        window = text[start : start + MAX_PIECE]
        ends = [match.end() for match in _SENTENCE_END.finditer(window)]
        cut = ends[-1] if ends else window.rfind(" ") + 1
        cut = cut or MAX_PIECE
        yield start, start + cut
        start += cut
    yield start, len(text)


def passages(document: Document) -> Iterator[Passage]:
    """The prose of the document in reading order."""
    for index, block in enumerate(document.blocks):
        if block.kind not in PROSE:
            continue
        text = document.text[block.start : block.end]
        if not _is_prose(text):
            continue
        plain = text.translate(_PLAIN)
        for start, end in _cuts(plain):
            yield Passage(block.start + start, plain[start:end], index)
