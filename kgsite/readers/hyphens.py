"""Words that a line end has cut: which hyphens go and which stay."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from itertools import pairwise

_HYPHENS = "-\u2010"
_SOFT = "\u00ad"
_LONGEST_WORD = 60
_LAST = re.compile(r"([^\W\d_]+)[-\u2010]$")
_FIRST = re.compile(r"^([^\W\d_]+)")
_COMPOUND = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)+")
_WORD = re.compile(r"[^\W\d_]+")
# First parts that English writes with a hyphen of its own before another word.
_KEEPING = frozenset(
    [
        "self",
        "well",
        "non",
        "ex",
        "all",
        "half",
        "high",
        "low",
        "long",
        "short",
        "full",
        "part",
        "quasi",
        "vice",
        "much",
        "ever",
        "cross",
        "best",
        "better",
        "hard",
        "fast",
        "first",
        "second",
        "third",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "old",
        "new",
        "so",
        "one",
        "mid",
        "anti",
        "pro",
        "post",
        "pre",
        "semi",
        "multi",
        "inter",
        "intra",
        "e",
        "i",
    ]
)


class Vocabulary:
    """The words and hyphenated compounds that a document writes inside its lines."""

    def __init__(self, lines: list[str]) -> None:
        inner = [line[: line.rfind(" ") + 1] if line[-1:] in (*_HYPHENS, _SOFT) else line for line in lines]
        self.words: Container[str] = {w.casefold() for line in inner for w in _WORD.findall(line)}
        self.compounds: Container[str] = {
            c.casefold().replace("\u2010", "-")
            for line in inner
            if "-" in line or "\u2010" in line
            for c in _COMPOUND.findall(line)
        }


def join_lines(lines: Sequence[str], known: Vocabulary) -> str:
    """The lines of one paragraph as one line, with the hyphens of cut words handled."""
    bare = [line.strip(" \t") for line in lines]
    parts = [fitted(before, after, known) for before, after in pairwise(bare)]
    return "".join((*parts, *bare[-1:]))


def fitted(before: str, after: str, known: Vocabulary) -> str:
    """A line as it stands before the next one: with a space, or without its hyphen.

    A soft hyphen always goes. Another hyphen goes when the document writes the word without it elsewhere, and
    stays when it writes the compound; else it goes before a small letter, unless the first part is one that
    is usually hyphenated ("well-", "self-"). Before a capital or a digit it stays. No space follows it.
    """
    if before.endswith(_SOFT):
        return before[:-1]
    last = _LAST.search(before[-_LONGEST_WORD:])
    if not last:
        dash = before[-1:] in {"\u2014", "/"} and before[-2:-1].isalnum()
        return before if dash else before + " "
    first = _FIRST.match(after)
    if not first:
        return before if after[:1].isdigit() else before + " "
    whole, compound = (last[1] + first[1]).casefold(), f"{last[1]}-{first[1]}".casefold()
    if compound in known.compounds or not after[:1].islower():
        return before
    if whole in known.words:
        return before[:-1]
    chained = before[: -len(last[0])].endswith(tuple(_HYPHENS))
    return before if last[1].casefold() in _KEEPING or chained else before[:-1]
