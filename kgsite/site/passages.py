"""The addressable paragraphs of a document: what `#p12` means, on the page and in every link to it."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Mapping

from kgsite.model import Block, DocumentGraph

_GAP = re.compile(r"\n[ \t]*\n\s*")


def passages(document: DocumentGraph) -> tuple[Block, ...]:
    """The blocks of the text in order; paragraphs at blank lines when the graph came without blocks.

    Passage n (from 1) has the anchor `p<n>`.
    """
    if document.blocks or not document.text:
        return document.blocks
    found: list[Block] = []
    start = 0
    text = document.text
    for gap in _GAP.finditer(text):
        if text[start : gap.start()].strip():
            found.append(Block(start, gap.start(), "paragraph"))
        start = gap.end()
    if text[start:].strip():
        found.append(Block(start, len(text), "paragraph"))
    return tuple(found)


class Anchors:
    """Where the passages of documents begin, worked out once: thousands of quotes ask for their passage."""

    def __init__(self, documents: Mapping[str, DocumentGraph]) -> None:
        self._documents = documents
        self._starts: dict[str, array[int]] = {}

    def number(self, document: str, offset: int | None) -> int:
        """The passage at a character offset, from 1; 0 when there is none."""
        if offset is None:
            return 0
        starts = self._starts.get(document)
        if starts is None:
            starts = array("q", (block.start for block in passages(self._documents[document])))
            self._starts[document] = starts
        return bisect_right(starts, offset)

    def anchor(self, document: str, offset: int | None) -> str:
        """`p12`, without `#`; `""` when there is none."""
        number = self.number(document, offset)
        return f"p{number}" if number else ""
