"""Plain text → pieces: paragraphs, headings that stand alone, and lines that were wrapped by a program."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise

from kgsite.readers.blocks import Piece
from kgsite.readers.hyphens import Vocabulary, join_lines

VERSION = "text-1"
_BLANK_LINE = re.compile(r"\n[ \t\u00a0\u3000]*\n+")
_UNDERLINE = re.compile(r"^(=+|-+|~+|\*+)$")
_BULLET = re.compile(r"^\s{0,8}([•‣▪–*·-]|\(?\d{1,3}[.)])\s+(?=\S)")
_NUMBERED = re.compile(
    r"^(\d{1,2}(\.\d{1,2}){0,4}\.?|[IVXLC]{1,6}\.|Appendix [A-Z]:?|Chapter \w+:?|CHAPTER \w+:?|Part \w+:?)\s+\S"
)
_SIGN = re.compile(r"^\s{0,8}[•‣▪●◦]\s+\S")  # surely a list item, also in the middle of a paragraph
_LONE_NUMBER = re.compile(r"^\s*(\d{1,2}(?:\.\d{1,2}){0,4}\.?)\s*$")
_PAGE_MARK = re.compile(r"^\s*[-–—]?\s*Page (\d{1,5})(?: of \d{1,5})?\s*[-–—]?\s*$", re.IGNORECASE)
_LEAST_PAGES = 4  # "Page n" lines in a row that make a printed text
_CAPTION = re.compile(r"^(Fig|Figure|Table|Box|Source)\b", re.IGNORECASE)
_SENTENCE_END = tuple(".!?;,:…。！？；，：")
_LONGEST_HEADING = 100
_NARROWEST = 50  # characters: shorter lines were hardly wrapped by a program
_FULL = 0.85  # of the width: a line this full before the next word was wrapped
_LONG_LINE = 400  # a line beyond this is a paragraph of its own


def read_text(text: str) -> list[Piece]:
    """Pieces of a plain text (cleaned, without front matter).

    Blank lines part paragraphs. Inside them line ends are kept as they are (verses, addresses, tables), but
    lines that were filled to one width are joined again, with the hyphens of cut words handled. Where "Page n"
    lines show that the text was taken from a printed one, they and the running heads beside them are left out
    and the blocks get their page.
    """
    cut = "-\n" in text or "- \n" in text
    known = Vocabulary([line.rstrip() for line in text.split("\n") if len(line) < _LONG_LINE] if cut else [])
    pieces: list[Piece] = []
    for page, lines in _printed_pages(text.split("\n")):
        start = len(pieces)
        for group in _BLANK_LINE.split("\n".join(lines)):
            if group.strip():
                pieces.extend(
                    _group([line.rstrip() for line in group.strip("\n").split("\n")], known, first=not pieces)
                )
        pieces[start:] = [replace(piece, page=page) for piece in pieces[start:]]
        if 0 < start < len(pieces) and _runs_over(pieces[start - 1], pieces[start]):
            before, after = pieces[start - 1], pieces.pop(start)
            pieces[start - 1] = replace(before, text=join_lines([before.text, after.text], known))
    if len(pieces) == 1 and pieces[0].kind == "heading":
        return [Piece("paragraph", pieces[0].text)]
    return pieces


def _printed_pages(lines: list[str]) -> list[tuple[int | None, list[str]]]:
    """Lines by printed page. Without a row of rising "Page n" lines all of them are one part without a page."""
    marks = [(position, int(found[1])) for position, line in enumerate(lines) if (found := _PAGE_MARK.match(line))]
    rising = sum(later[1] == earlier[1] + 1 for earlier, later in pairwise(marks))
    if rising < _LEAST_PAGES or rising < len(marks) * 0.8:
        return [(None, lines)]
    heads: Counter[str] = Counter()
    for position, _ in marks:
        heads.update({line.strip() for line in _next_lines(lines, position)})
    repeated = {line for line, count in heads.items() if count > len(marks) * 0.5}
    parts: list[tuple[int | None, list[str]]] = []
    start = 0
    for position, number in marks:
        parts.append((number, [line for line in lines[start:position] if line.strip() not in repeated]))
        start = position + 1
    parts.append((marks[-1][1] + 1, [line for line in lines[start:] if line.strip() not in repeated]))
    return parts


def _next_lines(lines: list[str], position: int) -> list[str]:
    return [line for line in lines[position + 1 : position + 8] if line.strip()][:3]


def _runs_over(before: Piece, after: Piece) -> bool:
    """Whether a sentence goes on over a page break."""
    prose = before.kind in {"paragraph", "list"} and after.kind == "paragraph"
    return prose and after.text[:1].islower() and not before.text.endswith(_SENTENCE_END)


def _group(lines: list[str], known: Vocabulary, *, first: bool) -> list[Piece]:
    """One stretch between blank lines."""
    if (
        len(lines) == 2
        and _UNDERLINE.match(lines[1].strip())
        and len(lines[1].strip()) >= 3
        and len(lines[0]) <= _LONGEST_HEADING
    ):
        return [Piece("heading", lines[0], 1 if lines[1].strip()[0] == "=" else 2)]
    if len(lines) == 1 and _is_heading(lines[0].strip(), first=first):
        return [Piece("heading", lines[0].strip(), _level(lines[0].strip(), first=first))]
    if all(_BULLET.match(line) or line.startswith(("  ", "\t")) for line in lines) and _BULLET.match(lines[0]):
        return _items(lines, known)
    return _unwrap(lines, known)


def _is_heading(line: str, *, first: bool) -> bool:
    if not line or len(line) > _LONGEST_HEADING or line.endswith(_SENTENCE_END) or not any(c.isalpha() for c in line):
        return False
    if _CAPTION.match(line):
        return False
    if first:
        return len(line.split()) <= 14
    letters = [c for c in line if c.isalpha()]
    shouted = len(letters) > 3 and all(c.isupper() for c in letters)
    return shouted or bool(_NUMBERED.match(line))


def _level(line: str, *, first: bool) -> int:
    if first:
        return 1
    number = re.match(r"^(\d{1,2}(?:\.\d{1,2})*)\.?\s", line)
    return min(2 + number[1].count("."), 6) if number else 2


def _items(lines: list[str], known: Vocabulary) -> list[Piece]:
    items: list[tuple[list[str], bool]] = []
    for line in lines:
        found = _BULLET.match(line)
        if found:
            items.append(([line[found.end() :]], found[1][-1] in ".)"))
        else:
            items[-1][0].append(line)
    return [Piece("list", join_lines(parts, known), 1, ordered=ordered) for parts, ordered in items]


def _unwrap(lines: list[str], known: Vocabulary) -> list[Piece]:
    """Join lines that were filled to one width; other lines keep their ends.

    A line was wrapped when it is nearly full or the next line's first word would not have fit. A short line
    ends a paragraph; short lines in a row stay together as lines of one block.
    """
    width = sorted(len(line) for line in lines)[(len(lines) * 9) // 10]
    if len(lines) < 2 or width < _NARROWEST or width > _LONG_LINE:
        texts = _paragraphs(lines) if width > _LONG_LINE else ["\n".join(lines)]
        return [Piece("paragraph", text) for text in texts]
    stretches: list[_Stretch] = []
    runs_on = False  # the line before goes on in this one
    for line, following in pairwise([*lines, ""]):
        word = following.split(" ", 1)[0]
        item = bool(_SIGN.match(line))
        full = bool(following) and not _SIGN.match(following) and len(line) + 1 + len(word) > width * _FULL
        if not item and (runs_on or (stretches and not full and not stretches[-1].wrapped and not stretches[-1].item)):
            stretches[-1].lines.append(line)
        else:
            stretches.append(_Stretch([line], full, item))
        runs_on = full
    pieces: list[Piece] = []
    for stretch, after in zip(stretches, [*stretches[1:], None], strict=True):
        pieces.extend(_pieces(stretch, known, before_prose=bool(after and after.wrapped)))
    return pieces


@dataclass(slots=True)
class _Stretch:
    """Lines that belong together: those of a paragraph or list item, or short ones in a row."""

    lines: list[str]
    wrapped: bool
    item: bool


def _pieces(stretch: _Stretch, known: Vocabulary, *, before_prose: bool) -> list[Piece]:
    if stretch.item:
        return _items(stretch.lines, known)
    if stretch.wrapped:
        return [Piece("paragraph", join_lines(stretch.lines, known))]
    lines = stretch.lines
    number = _LONE_NUMBER.match(lines[-2]) if len(lines) > 1 and before_prose else None
    if number and _is_heading(lines[-1].strip(), first=True):
        heading = Piece(
            "heading", f"{lines[-2].strip()} {lines[-1].strip()}", min(2 + number[1].rstrip(".").count("."), 6)
        )
        return [Piece("paragraph", "\n".join(lines[:-2])), heading]
    if len(lines) == 1 and before_prose and lines[0][:1].isupper() and _is_heading(lines[0].strip(), first=True):
        return [Piece("heading", lines[0], 3)]
    return [Piece("paragraph", "\n".join(lines))]


def _paragraphs(lines: list[str]) -> list[str]:
    """Text with one line for each paragraph: very long lines are paragraphs, short ones stay together."""
    paragraphs: list[str] = []
    run: list[str] = []
    for line in lines:
        if len(line) > _LONG_LINE // 2:
            if run:
                paragraphs.append("\n".join(run))
                run = []
            paragraphs.append(line)
        else:
            run.append(line)
    return [*paragraphs, "\n".join(run)] if run else paragraphs
