"""Rows of a PDF in reading order → paragraphs, headings, list items and footnotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from kgsite.readers.characters import clean
from kgsite.readers.hyphens import Vocabulary, join_lines
from kgsite.readers.pdf_lines import Line, Row, body_size, reading_order, without_furniture

_LIGATURES = str.maketrans(
    {
        "\ufb00": "ff",
        "\ufb01": "fi",
        "\ufb02": "fl",
        "\ufb03": "ffi",
        "\ufb04": "ffl",
        "\ufb05": "st",
        "\ufb06": "st",
        "\u00a0": " ",
    }
)
_BULLET = re.compile(r"^([•‣▪■●◦·–—*-]|\uf0b7|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+(?=\S)")
_ORDERED = re.compile(r"^\(?(\d|[a-z])")
_LEADERS = re.compile(r"(?:\s?[.·_]){5,}\s*")
_SENTENCE_END = tuple(".!?:;。！？")
_CLOSERS = "\"'”’)]»"
_NOTE_START = re.compile(r"^(\d{1,3}|[*†‡§])\s?\S")
_LONGEST_HEADING = 250
_LONGEST_BOLD_HEADING = 120


@dataclass(slots=True)
class _Paragraph:
    rows: list[Row]
    kind: str = "paragraph"
    level: int = 0
    marker: str = ""
    last: Row = field(init=False)

    def __post_init__(self) -> None:
        self.last = self.rows[0]

    def add(self, row: Row) -> None:
        self.rows.append(row)
        self.last = row

    @property
    def size(self) -> float:
        return self.rows[0].size

    @property
    def text(self) -> str:
        return " ".join(row.text for row in self.rows)


def compose(pages: Sequence[Sequence[Line]], heights: Sequence[float]) -> list[dict[str, Any]]:
    """`{"kind", "text", "level", "page", "ordered"}` of each block, in reading order."""
    body = body_size(pages)
    rows: list[Row] = []
    for lines in without_furniture(pages, heights, body):
        rows.extend(reading_order(lines, rows[-1].column + 1 if rows else 0))
    rows = [row for row in (_cleaned(row) for row in rows) if row.text.strip()]
    paragraphs = _paragraphs(rows, body)
    _name_headings(paragraphs, body)
    _name_notes(paragraphs, body, heights)
    known = Vocabulary([row.text for row in rows])
    return [_piece(paragraph, known) for paragraph in paragraphs]


def _cleaned(row: Row) -> Row:
    text = _LEADERS.sub(" … ", clean(row.text.translate(_LIGATURES))).replace("\n", " ").rstrip()
    if text == row.text:
        return row
    return Row(
        text, row.x0, row.y0, row.x1, row.y1, row.size, row.bold, row.page, row.tabular, row.column, row.left, row.right
    )


def _piece(paragraph: _Paragraph, known: Vocabulary) -> dict[str, Any]:
    lines = [row.text for row in paragraph.rows]
    tabular = paragraph.rows[0].tabular
    text = "\n".join(line.strip() for line in lines) if tabular else join_lines(lines, known)
    ordered = bool(paragraph.marker) and bool(_ORDERED.match(paragraph.marker))
    if paragraph.kind == "list":
        text = text[len(paragraph.marker) :].lstrip()
    if not tabular:
        text = " ".join(text.split())
    return {
        "kind": paragraph.kind,
        "text": text,
        "level": paragraph.level,
        "page": paragraph.rows[0].page,
        "ordered": ordered,
    }


# ── paragraphs ────────────────────────────────────────────────────────────────────────────────────
def _paragraphs(rows: Sequence[Row], body: float) -> list[_Paragraph]:
    leading = _leading(rows)
    paragraphs: list[_Paragraph] = []
    for row in rows:
        bullet = None if row.tabular else _BULLET.match(row.text)
        target = _continued(paragraphs, row, leading, body) if not bullet else None
        if target is not None:
            target.add(row)
        elif bullet:
            paragraphs.append(_Paragraph([row], "list", 1, bullet[1]))
        else:
            paragraphs.append(_Paragraph([row]))
    return paragraphs


def _leading(rows: Sequence[Row]) -> float:
    """Distance from one line to the next in a paragraph, in font sizes: the median over the document."""
    steps = sorted(
        (b.y0 - a.y0) / a.size
        for a, b in pairwise(rows)
        if a.column == b.column and a.size == b.size and 0 < b.y0 - a.y0 < 3 * a.size
    )
    return steps[len(steps) // 2] if steps else 1.3


def _continued(paragraphs: list[_Paragraph], row: Row, leading: float, body: float) -> _Paragraph | None:
    """The paragraph that this row goes on with, if any."""
    if not paragraphs:
        return None
    current = paragraphs[-1]
    if row.column == current.last.column:
        return current if _runs_on(current, row, leading) else None
    for candidate in reversed(paragraphs[-6:]):  # past the footnotes at the foot of the page before
        if abs(candidate.size - row.size) <= 0.6:
            return candidate if _runs_over(candidate, row) else None
        if candidate.size > body - 0.6 or candidate.last.page < row.page - 1:
            return None
    return None


def _runs_on(current: _Paragraph, row: Row, leading: float) -> bool:
    """Whether a row in the same column belongs to the paragraph above it."""
    last = current.last
    if abs(last.size - row.size) > 0.6 or last.tabular != row.tabular or last.page != row.page:
        return False
    if row.y0 - last.y0 > 1.3 * leading * row.size:
        return False
    if row.tabular or _is_cut(last.text):
        return True
    if last.bold != row.bold and (last.bold or not row.text[:1].islower()):
        return False
    indent = row.x0 - last.x0
    if current.kind == "list":
        if indent < -0.5 * row.size and len(current.rows) > 1:
            return False
    elif indent > 0.8 * row.size and last.x0 <= last.left + 0.5 * row.size:
        return row.text[:1].islower() and not _ends_sentence(last.text)
    return not _had_room(last, row)


def _had_room(last: Row, row: Row) -> bool:
    """Whether the next word would have fitted on the line above: then its author ended that line."""
    width = last.right - last.left
    per_character = (row.x1 - row.x0) / max(len(row.text), 1)
    word = len(row.text.split(" ", 1)[0]) + 1
    room = last.right - last.x1 - word * per_character
    if room <= 0.08 * width:
        return False
    return _ends_sentence(last.text) or not row.text[:1].islower()


def _runs_over(candidate: _Paragraph, row: Row) -> bool:
    """Whether a paragraph goes on at the top of the next column or page."""
    last = candidate.last
    if row.tabular or last.tabular or last.bold != row.bold:
        return False
    if _is_cut(last.text):
        return True
    if _ends_sentence(last.text):
        return False
    return row.text[:1].islower() or last.x1 > last.right - 0.1 * (last.right - last.left)


def _is_cut(text: str) -> bool:
    return len(text) > 2 and text[-1] in "-\u2010\u00ad" and text[-2].isalpha()


def _ends_sentence(text: str) -> bool:
    return text.rstrip(_CLOSERS).endswith(_SENTENCE_END)


# ── kinds ─────────────────────────────────────────────────────────────────────────────────────────
def _name_headings(paragraphs: Sequence[_Paragraph], body: float) -> None:
    """Headings by font size, the largest first; bold lines of the body's size come below those."""
    large = [
        p for p in paragraphs if p.size >= body + 1 and p.size >= body * 1.1 and _could_be_heading(p, _LONGEST_HEADING)
    ]
    sizes = sorted({p.size for p in large}, reverse=True)
    for paragraph in large:
        paragraph.kind, paragraph.level = "heading", min(sizes.index(paragraph.size) + 1, 6)
    if sum(len(p.text) for p in paragraphs if all(row.bold for row in p.rows)) > 0.4 * sum(
        len(p.text) for p in paragraphs
    ):
        return
    for paragraph in paragraphs:
        bold = all(row.bold for row in paragraph.rows) and len(paragraph.rows) <= 2 and paragraph.size >= body - 0.6
        if (
            paragraph.kind != "heading"
            and bold
            and _could_be_heading(paragraph, _LONGEST_BOLD_HEADING)
            and not _ends_sentence(paragraph.text)
        ):
            paragraph.kind, paragraph.level = "heading", min(len(sizes) + 1, 6)


def _could_be_heading(paragraph: _Paragraph, longest: int) -> bool:
    text = paragraph.text
    return (
        len(text) <= longest
        and len(paragraph.rows) <= 4
        and not paragraph.rows[0].tabular
        and sum(c.isalpha() for c in text) >= 2
    )


def _name_notes(paragraphs: Sequence[_Paragraph], body: float, heights: Sequence[float]) -> None:
    """Small print in the lower half of a page that starts with a number or sign is a footnote."""
    for paragraph in paragraphs:
        first = paragraph.rows[0]
        small = first.size <= body - 0.9 and first.y0 > heights[first.page - 1] / 2
        if paragraph.kind == "paragraph" and small and not first.tabular and _NOTE_START.match(first.text):
            paragraph.kind = "footnote"
