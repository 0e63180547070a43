"""Plain text → pieces: paragraphs, headings that stand alone, and lines that were wrapped by a program."""

from __future__ import annotations

import re
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
_SENTENCE_END = tuple(".!?;,:…。！？；，：")
_LONGEST_HEADING = 100
_NARROWEST = 50  # characters: shorter lines were hardly wrapped by a program
_FULL = 0.85  # of the width: a line this full before the next word was wrapped
_LONG_LINE = 400  # a line beyond this is a paragraph of its own


def read_text(text: str) -> list[Piece]:
    """Pieces of a plain text (cleaned, without front matter).

    Blank lines part paragraphs. Inside them line ends are kept as they are (verses, addresses, tables), but
    lines that were filled to one width are joined again, with the hyphens of cut words handled.
    """
    groups = [group.strip("\n") for group in _BLANK_LINE.split(text)]
    lines = [line.rstrip() for group in groups for line in group.split("\n")]
    known = (
        Vocabulary([line for line in lines if len(line) < _LONG_LINE])
        if "-\n" in text or "- \n" in text
        else Vocabulary([])
    )
    pieces: list[Piece] = []
    for group in groups:
        if group.strip():
            pieces.extend(_group([line.rstrip() for line in group.split("\n")], known, first=not pieces))
    if pieces and pieces[-1].kind == "heading" and len(pieces) == 1:
        return [Piece("paragraph", pieces[0].text)]
    return pieces


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
    return [Piece("paragraph", paragraph) for paragraph in _unwrap(lines, known)]


def _is_heading(line: str, *, first: bool) -> bool:
    if not line or len(line) > _LONGEST_HEADING or line.endswith(_SENTENCE_END) or not any(c.isalpha() for c in line):
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


def _unwrap(lines: list[str], known: Vocabulary) -> list[str]:
    """Join lines that were filled to one width; other lines keep their ends.

    A line was wrapped when it is nearly full or the next line's first word would not have fit. A short line
    ends a paragraph; short lines in a row stay together as lines of one block.
    """
    width = sorted(len(line) for line in lines)[(len(lines) * 9) // 10]
    if len(lines) < 2 or width < _NARROWEST or width > _LONG_LINE:
        return _paragraphs(lines) if width > _LONG_LINE else ["\n".join(lines)]
    paragraphs: list[list[str]] = []
    wrapping = [False] * len(lines)  # whether a paragraph's lines are to be joined
    runs_on = False  # the line before goes on in this one
    for line, following in pairwise([*lines, ""]):
        word = following.split(" ", 1)[0]
        full = bool(following) and len(line) + 1 + len(word) > width * _FULL
        if runs_on or (paragraphs and not full and not wrapping[len(paragraphs) - 1]):
            paragraphs[-1].append(line)
        else:
            paragraphs.append([line])
            wrapping[len(paragraphs) - 1] = full
        runs_on = full
    return [
        join_lines(part, known) if wrapped else "\n".join(part)
        for part, wrapped in zip(paragraphs, wrapping, strict=False)
    ]


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
