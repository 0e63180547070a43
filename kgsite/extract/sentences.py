"""Sentence borders in every script, as offsets.

sentencex knows the terminators and abbreviations of some 300 languages; here its work is done in windows,
because it takes quadratic time on long texts with characters beyond ASCII, and three things are put right:
a border after a single initial ("M. Dupont", "J. Smith") is none, terminators that it leaves in the middle of
a sentence divide it, and a piece without a letter or digit belongs to its neighbour.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_WINDOW = 1500  # characters given to sentencex at once
_TERMINATOR = re.compile(r"[。！？｡؟۔।॥።။។‼⁇⁈⁉]+[”’」』）》\"')\]]*")
_TERMINATOR_OR_NUMERAL = re.compile(
    _TERMINATOR.pattern + r"|(?<=[^\W\d]{3}\s)[IVX]{1,5}\.(?=\s[^\W\d_a-z])"
)  # "… Alfonso X. Miguel …"
_INITIAL_END = re.compile(
    r"(?:^|[\s.(«„“\"'-])(?:(?<!\w\w\w\s)[IVX]|[^\W\d_a-zß-ÿIVX]|Mme|Mmes|Mlle|MM|Dr|Prof|St|Mt|vs|Hrn|Sr|Sra|Dra|Sig|dott|bzw|ca|geb|gest|ggf|art|núm|pág|vol|ed)\.\s*$"
)
_ABBREVIATION_BEFORE = re.compile(r"(?:U\.S\.|U\.K\.|z\.\s?B\.|d\.\s?h\.|u\.\s?a\.|p\.\s?ej\.|c\.-à-d\.)\s*$")
_WORDY = re.compile(r"\w")


def sentences(text: str, language: str) -> list[tuple[int, int]]:
    """(start, end) of each sentence of `text`, in order, without the white space around them.

    `language` is ISO 639-1; an unknown or empty one is read with the rules that most languages share.
    Everything in `text` but white space lies in exactly one of the spans.
    """
    spans: list[tuple[int, int]] = []
    torn: set[int] = set()  # starts of spans that a window border has cut off from the span before
    for start, end, clean in _windows(text):
        found = list(_segment(text, start, end, language or "en"))
        if found and not clean:
            torn.add(found[0][0])
        spans.extend(found)
    return _tidy(text, spans, torn)


def _windows(text: str) -> Iterator[tuple[int, int, bool]]:
    """Cut `text` at line ends, else after a likely sentence end, else at white space, else anywhere.

    The third value says whether a sentence may begin where the window does.
    """
    start, clean = 0, True
    while len(text) - start > _WINDOW:
        part = text[start : start + _WINDOW]
        cut = part.rfind("\n\n") + 2
        if cut < _WINDOW // 3:
            cut = max(part.rfind(mark) + len(mark) for mark in (". ", "! ", "? ", "。", "！", "？", "।", "۔", "؟"))
        whole = cut >= _WINDOW // 3
        if not whole:
            cut = max(part.rfind(" "), part.rfind("\n")) + 1
        if cut < _WINDOW // 3:
            cut = _WINDOW
        yield start, start + cut, clean
        start, clean = start + cut, whole
    if start < len(text):
        yield start, len(text), clean


def _segment(text: str, start: int, end: int, language: str) -> Iterator[tuple[int, int]]:
    import sentencex

    part = text[start:end]
    for found in sentencex.get_sentence_boundaries(language, part):
        first, last = int(found["start_index"]), int(found["end_index"])
        pattern = _TERMINATOR if language == "de" else _TERMINATOR_OR_NUMERAL
        for inner in pattern.finditer(part, first, last):
            yield start + first, start + inner.end()
            first = inner.end()
        if first < last:
            yield start + first, start + last


def _tidy(text: str, spans: list[tuple[int, int]], torn: set[int]) -> list[tuple[int, int]]:
    tidy: list[tuple[int, int]] = []
    for first, last in spans:
        part = text[first:last]
        start = first + len(part) - len(part.lstrip())
        end = first + len(part.rstrip())
        if start >= end:
            continue
        if (tidy and first in torn) or (
            tidy and "\n\n" not in text[tidy[-1][1] : start] and _joined(text, tidy[-1], (start, end))
        ):
            tidy[-1] = (tidy[-1][0], end)
        else:
            tidy.append((start, end))
    return tidy


def _joined(text: str, before: tuple[int, int], after: tuple[int, int]) -> bool:
    tail = text[max(before[0], before[1] - 12) : before[1]]
    if not tail.endswith("."):
        return not _WORDY.search(text, *after) and after[1] - after[0] < 8
    if not _WORDY.search(text, *after):
        return after[1] - after[0] < 8
    following = text[after[0]]
    return bool(_INITIAL_END.search(tail) or (following.islower() and _ABBREVIATION_BEFORE.search(tail)))
