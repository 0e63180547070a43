"""Pieces of any format → the text of a document and the map of blocks and marks over it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kgsite.model import Block, BlockKind, Mark, MarkKind
from kgsite.readers.characters import clean, is_blank, one_line

SEPARATOR = "\n\n"
SECTION_JOIN = " › "
CELL_JOIN = " | "
_SECTION_LENGTH = 120  # characters of one heading that a section path repeats


@dataclass(frozen=True, slots=True)
class Span:
    """Inline formatting, in offsets of its piece."""

    start: int
    end: int
    kind: MarkKind
    href: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A block before it has a place in the text; offsets count from the start of `text`."""

    kind: BlockKind
    text: str
    level: int = 0
    page: int | None = None
    ordered: bool = False
    spans: tuple[Span, ...] = ()
    cells: tuple[tuple[tuple[int, int], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Laid:
    """The text of a document with its blocks and marks, as `Document` holds them."""

    text: str
    blocks: tuple[Block, ...]
    marks: tuple[Mark, ...]


def lay_out(pieces: Iterable[Piece]) -> Laid:
    """Join pieces with blank lines; pieces that show nothing are left out.

    Pieces with spans or cells must be clean already, because cleaning would move their offsets.
    """
    parts: list[str] = []
    blocks: list[Block] = []
    marks: list[Mark] = []
    headings: list[tuple[int, str]] = []
    position = 0
    for piece in map(_trimmed, pieces):
        if is_blank(piece.text):
            continue
        if parts:
            parts.append(SEPARATOR)
            position += len(SEPARATOR)
        if piece.kind == "heading":
            while headings and headings[-1][0] >= piece.level:
                headings.pop()
        section = SECTION_JOIN.join(text for _, text in headings)
        blocks.append(_placed(piece, position, section))
        marks.extend(Mark(position + s.start, position + s.end, s.kind, s.href) for s in piece.spans if s.end > s.start)
        if piece.kind == "heading":
            headings.append((piece.level, one_line(piece.text, _SECTION_LENGTH)))
        parts.append(piece.text)
        position += len(piece.text)
    return Laid("".join(parts), tuple(blocks), tuple(marks))


def _placed(piece: Piece, position: int, section: str) -> Block:
    return Block(
        start=position,
        end=position + len(piece.text),
        kind=piece.kind,
        level=piece.level,
        page=piece.page,
        section=section,
        ordered=piece.ordered,
        cells=tuple(tuple((position + start, position + end) for start, end in row) for row in piece.cells),
    )


def _trimmed(piece: Piece) -> Piece:
    """Without white space at the ends (code keeps its indentation) and without lines of nothing in prose."""
    if piece.spans or piece.cells:
        return piece
    text = clean(piece.text)
    if piece.kind == "code":
        text = text.strip("\n").rstrip()
    else:
        lines = (line.rstrip() for line in text.strip().split("\n"))
        text = "\n".join(line for line in lines if line)
    return Piece(piece.kind, text, piece.level, piece.page, piece.ordered)


def first_heading(laid: Laid) -> str:
    """The first heading of level 1, else the first heading, else ""."""
    headings = [block for block in laid.blocks if block.kind == "heading"]
    best = next((block for block in headings if block.level == 1), headings[0] if headings else None)
    return one_line(laid.text[best.start : best.end]) if best else ""
