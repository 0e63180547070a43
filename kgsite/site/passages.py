"""The addressable paragraphs of a document: what `#p12` means, on the page and in every link to it."""

from __future__ import annotations

import re
from bisect import bisect_right

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


def anchor_of(blocks: tuple[Block, ...], offset: int | None) -> str:
    """The anchor (`p12`, without `#`) of the passage at a character offset; `""` when there is none."""
    if offset is None or not blocks:
        return ""
    index = bisect_right(blocks, offset, key=lambda block: block.start) - 1
    return f"p{index + 1}" if index >= 0 else ""
