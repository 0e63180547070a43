"""Lines of a PDF page: what repeats on every page is taken off, the rest is put into reading order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

_EDGE = 0.12  # of the page's height: where running heads and feet stand
_SHORT = 60  # characters
_ROMAN = re.compile(r"^[ivxlc]+$")
_DIGITS = re.compile(r"\d+")
_NARROWEST_GUTTER = 6.0  # points
_MOST_CROSSING = 0.6  # share of a page's lines that may run across a gutter (headings, an abstract)
_LEAST_PROSE = 20.0  # mean characters of a column's lines; fewer is a table or a form
_WIDE_GAP = 1.5  # of the font size: between the cells of a table row


@dataclass(frozen=True, slots=True)
class Line:
    """A stretch of text on one base line, in points from the top left of its page."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float  # of most of its characters, to half a point
    bold: bool
    page: int  # from 1
    level: bool = True  # written from left to right, not turned


@dataclass(frozen=True, slots=True)
class Row:
    """Lines of one column that share a base line, joined."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool
    page: int
    tabular: bool = False  # has wide gaps; cells are parted by tabs
    column: int = 0  # counts the columns of the document
    left: float = 0.0  # the column's borders
    right: float = 0.0


def body_size(pages: Iterable[Sequence[Line]]) -> float:
    """The font size that most characters have."""
    sizes: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], -size)) if sizes else 10.0


def without_furniture(pages: Sequence[Sequence[Line]], heights: Sequence[float], body: float) -> list[list[Line]]:
    """Pages without running heads, feet and page numbers: lines at the edge that repeat, digits aside.

    Lines larger than the body are kept: "Chapter 1", "Chapter 2" are headings.
    """
    seen: Counter[tuple[bool, str]] = Counter()
    for lines, height in zip(pages, heights, strict=True):
        seen.update({key for line in lines if (key := _edge_key(line, height, body))})
    needed = 2 if len(pages) == 2 else max(3, len(pages) // 50)
    return [
        [line for line in lines if not ((key := _edge_key(line, height, body)) and seen[key] >= needed)]
        for lines, height in zip(pages, heights, strict=True)
    ]


def _edge_key(line: Line, height: float, body: float) -> tuple[bool, str] | None:
    middle = (line.y0 + line.y1) / 2
    if height * _EDGE < middle < height * (1 - _EDGE) or line.size > body * 1.15 or len(line.text) > 200:
        return None
    text = " ".join(line.text.casefold().split())
    if len(text) <= _SHORT:  # longer ones are the body's first or last line, and must repeat as they are
        text = _DIGITS.sub("#", text)
    bare = text.strip(" -–—|.[]()")
    return (middle < height / 2, "#" if _ROMAN.match(bare) else text)


def reading_order(lines: Sequence[Line], first_column: int) -> list[Row]:
    """Rows of one page, column by column; turned lines come last, as they were written."""
    level = [line for line in lines if line.level]
    rows: list[Row] = []
    number = first_column
    for column in _columns(level, depth=0):
        joined = _rows(column)
        edges = sorted(row.x1 for row in joined)
        left, right = min(row.x0 for row in joined), edges[(len(edges) * 9) // 10]
        rows.extend(_in_column(row, number, left, right) for row in joined)
        number += 1
    turned = (line for line in lines if not line.level)
    rows.extend(
        Row(line.text.strip(), 0, 0, 0, 0, line.size, line.bold, line.page, False, number, 0, 0) for line in turned
    )
    return rows


def _in_column(row: Row, column: int, left: float, right: float) -> Row:
    return Row(row.text, row.x0, row.y0, row.x1, row.y1, row.size, row.bold, row.page, row.tabular, column, left, right)


def _columns(lines: Sequence[Line], depth: int) -> list[list[Line]]:
    """Lines by column: a gutter parts them, lines across it part the columns above from those below."""
    if not lines:
        return []
    gutter = _gutter(lines) if depth < 3 else None
    if gutter is None:
        return [list(lines)]
    columns: list[list[Line]] = []
    band: list[Line] = []
    across: list[Line] = []

    def flush() -> None:
        if across:
            columns.append(list(across))
            across.clear()
        if band:
            columns.extend(_columns([line for line in band if line.x1 <= gutter + 1], depth + 1))
            columns.extend(_columns([line for line in band if line.x1 > gutter + 1], depth + 1))
            band.clear()

    for line in sorted(lines, key=lambda line: (line.y0, line.x0)):
        crossing = line.x0 < gutter - 1 and line.x1 > gutter + 1
        if crossing and band:
            flush()
        elif not crossing and across:
            columns.append(list(across))
            across.clear()
        (across if crossing else band).append(line)
    flush()
    return columns


def _gutter(lines: Sequence[Line]) -> float | None:
    """The x of an upright white stripe with prose on both sides, or None."""
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    width = int(right - left)
    if len(lines) < 6 or not 60 < width < 20_000:
        return None
    steps = [0] * (width + 2)
    for line in lines:
        steps[max(int(line.x0 - left), 0)] += 1
        steps[min(int(line.x1 - left) + 1, width + 1)] -= 1
    crossing: list[int] = []
    count = 0
    for step in steps[: width + 1]:
        count += step
        crossing.append(count)
    inner = range(int(width * 0.15), int(width * 0.85))
    lowest = min((crossing[x] for x in inner), default=len(lines))
    if lowest > len(lines) * _MOST_CROSSING:
        return None
    start, length = _longest_run([crossing[x] == lowest for x in inner])
    gutter = left + inner.start + start + length / 2
    return gutter if length >= _NARROWEST_GUTTER and _parts_prose(lines, gutter) else None


def _longest_run(flags: Sequence[bool]) -> tuple[int, int]:
    best = (0, 0)
    start = 0
    for position, flag in enumerate([*flags, False]):
        if flag:
            continue
        if position - start > best[1]:
            best = (start, position - start)
        start = position + 1
    return best


def _parts_prose(lines: Sequence[Line], gutter: float) -> bool:
    """Whether both sides hold running text side by side, not the cells of a table or the labels of a form."""
    sides = [line for line in lines if line.x1 <= gutter], [line for line in lines if line.x0 >= gutter]
    for side in sides:
        if len(side) < 3 or sum(len(line.text.strip()) for line in side) / len(side) < _LEAST_PROSE:
            return False
        widest = max(line.x1 for line in side) - min(line.x0 for line in side)
        filled = sum(line.x1 - line.x0 > widest * 0.6 for line in side)
        if filled < len(side) * 0.4:
            return False
    top = max(min(line.y0 for line in side) for side in sides)
    bottom = min(max(line.y1 for line in side) for side in sides)
    shortest = min(max(line.y1 for line in side) - min(line.y0 for line in side) for side in sides)
    return bottom - top > shortest * 0.3


def _rows(lines: Sequence[Line]) -> list[Row]:
    """Lines of one column joined where they share a base line, from top to bottom."""
    groups: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: ((line.y0 + line.y1) / 2, line.x0)):
        if groups and _same_row(groups[-1][0], line):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [_row(sorted(group, key=lambda line: line.x0)) for group in groups]


def _same_row(a: Line, b: Line) -> bool:
    overlap = min(a.y1, b.y1) - max(a.y0, b.y0)
    return overlap > 0.5 * min(a.y1 - a.y0, b.y1 - b.y0)


def _row(parts: Sequence[Line]) -> Row:
    text = parts[0].text.strip()
    tabular = False
    for before, part in pairwise(parts):
        gap = part.x0 - before.x1
        wide = gap > _WIDE_GAP * part.size and len(before.text.strip()) > 3
        tabular = tabular or wide
        text += (
            "\t" if wide else " " if gap > 0.12 * part.size or before.text.endswith(" ") else ""
        ) + part.text.strip()
    main = max(parts, key=lambda part: len(part.text))
    x0, y0 = min(p.x0 for p in parts), min(p.y0 for p in parts)
    x1, y1 = max(p.x1 for p in parts), max(p.y1 for p in parts)
    return Row(text, x0, y0, x1, y1, main.size, all(p.bold for p in parts), main.page, tabular)
