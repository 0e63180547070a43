"""The prose of a document, in pieces that a parser can take.

Only running text is parsed: headings, tables and code are not sentences, and neither are the page furniture and
contents lists that plain-text exports leave behind. Every piece knows where each of its characters stands in
`Document.text`.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from kgsite.extract.offline.english import lexicon
from kgsite.model import Document

PROSE = frozenset({"paragraph", "list", "quote", "footnote"})
MAX_PIECE = 3_000
"""Characters given to spaCy at once: its memory grows with the longest piece of a batch."""
MAX_UNENDED = 60_000
"""Characters of a document that are parsed although no sentence ends in 3,000 of them. Transcripts are written like
that; megabytes of it are no prose, and parsing takes 90 seconds a million characters."""

# One character for one, so that offsets hold. The model was trained on straight quotes and plain spaces.
_PLAIN = str.maketrans({
    "’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "\n": " ", "\t": " ", "\u00a0": " ",
    "\u2009": " ", "\u202f": " ", "_": " ", "*": " ",
})  # fmt: skip
_SENTENCE_END = re.compile(r"[.!?…][\"')\]]*\s+(?=[\"'(\[]?[^\W\d_a-z])")
_DIVIDED = re.compile(r"\b([^\W\d_]{2,})-\n([^\W\d_A-Z]\S*)")
_CITATION = re.compile(
    r"\[\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\]"
    r"|\((?:see (?:also )?|e\.g\.,? |cf\. )?[A-Z][^()]{0,80}?(?:et al\.?,?|,|and [A-Z]\w+,?|& [A-Z]\w+,?) (?:19|20)\d{2}[a-z]?(?:[;,][^()]{0,120})?\)"
)
_URL = re.compile(r"\bhttps?://\S+|\bwww\.\S+|\S+@\S+\.\w+")
_DATELINE = re.compile(
    r"^[A-Z][A-Z .'-]{2,30}(?:, [A-Z][\w. ]{1,20})?(?:, [A-Z][a-z]+\.? \d{1,2})?(?: \([A-Z][\w ]{1,20}\))? ?[—–-]{1,2} "
)
# What abstracts and minutes put before a sentence.
_LABEL = re.compile(
    r"(?:^|(?<=[.!?]\s))(?:Background|Objectives?|Methods?|Results?|Conclusions?|Findings|Interpretation|Purpose|Aims?|Design"
    r"|Setting|Actions?|Apologies|Present|Note|Summary|Introduction|Discussion|Significance|Funding):(?=\s+[A-Z0-9])"
)
_PAGE = re.compile(r"^(?:page\s+)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s+of\s+\d+)?$", re.IGNORECASE)
_NUMBERED = re.compile(r"^\d{1,2}(?:\.\d{1,2})*\.?\s+[A-Z][^.!?;]{2,70}$")
_TITLE_CASE = re.compile(r"^[A-Z][\w'-]*(?: (?:[A-Z][\w'-]*|of|and|for|the|in|to|with|on|from|a|an)){1,7}$")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of one block, with plain quotes, single spaces and whole words."""

    text: str
    block: int
    origins: array[int]  # position in Document.text of each character of `text`

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where `text[start:end]` (not empty) stands in Document.text."""
        return self.origins[start], self.origins[end - 1] + 1


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _joined(match: re.Match[str], text: str, words: frozenset[str]) -> str:
    """A word divided at the end of a line, in one piece, with the two characters made up for after it.

    "long-\\nterm" keeps its hyphen: the document writes it elsewhere, or it begins as such words do.
    """
    head, tail = match[1].casefold(), match[2].casefold().rstrip(".,;:!?)\"'")
    if f"{head}-{tail}" in text or (f"{head}{tail}" not in words and head in lexicon.HYPHEN_PREFIXES):
        return f"{match[1]}-{match[2]} "
    return f"{match[1]}{match[2]}  "


class _Cleaner:
    """Blanks out what stands in prose but is not: running heads, datelines, citations. Lengths stay."""

    def __init__(self, document: Document) -> None:
        text = document.text
        counts = Counter(line.strip() for line in text.split("\n"))
        self._furniture = frozenset(
            line
            for line, count in counts.items()
            if line and count > 3 and len(line) < 60 and not line.endswith((".", ",", ";"))
        )
        self._text = text.casefold()
        self._words = frozenset(_WORD.findall(self._text))

    def clean(self, text: str) -> str:
        if "\n" in text:
            text = "\n".join(self._lines(text.split("\n")))
            text = _DIVIDED.sub(lambda match: _joined(match, self._text, self._words), text)
        text = _CITATION.sub(_blank, text)
        text = _URL.sub(_blank, text)
        text = _LABEL.sub(_blank, text)
        return _DATELINE.sub(_blank, text).translate(_PLAIN)

    def _lines(self, lines: list[str]) -> Iterator[str]:
        before = "."
        for line in lines:
            bare = line.strip()
            heading = _NUMBERED.match(bare) or (
                _TITLE_CASE.match(bare) and before.endswith((".", ":", "")) and len(bare) < 50
            )
            if (
                bare in self._furniture
                or _PAGE.match(bare)
                or (heading and len(lines) > 2 and before.rstrip().endswith((".", "!", "?")))
            ):
                yield " " * len(line)
            else:
                yield line
                before = bare or before


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


def _single_spaced(text: str, start: int) -> tuple[str, array[int]]:
    """The text with runs of spaces as one, and the position of each character that is left."""
    kept = [k for k, char in enumerate(text) if char != " " or (k and text[k - 1] != " ")]
    return "".join(text[k] for k in kept), array("q", [start + k for k in kept])


def _cuts(text: str) -> Iterator[tuple[int, int, bool]]:
    """Spans of at most MAX_PIECE characters that cover the text, cut after sentences where there are any.

    The third value tells whether a sentence, or the text, ends in the span.
    """
    start = 0
    while len(text) - start > MAX_PIECE:
        window = text[start : start + MAX_PIECE]
        ends = [match.end() for match in _SENTENCE_END.finditer(window)]
        cut = ends[-1] if ends else window.rfind(" ") + 1
        cut = cut or MAX_PIECE
        yield start, start + cut, bool(ends)
        start += cut
    if start < len(text):
        yield start, len(text), True


def passages(document: Document, left_out: list[int] | None = None) -> Iterator[Passage]:
    """The prose of the document in reading order; `left_out` gets the length of each piece beyond MAX_UNENDED."""
    cleaner = _Cleaner(document)
    spare = MAX_UNENDED
    for index, block in enumerate(document.blocks):
        if block.kind not in PROSE:
            continue
        text = document.text[block.start : block.end]
        if not _is_prose(text):
            continue
        plain, origins = _single_spaced(cleaner.clean(text), block.start)
        for start, end, ended in _cuts(plain):
            if not ended:
                spare -= end - start
                if spare < 0:
                    if left_out is not None:
                        left_out.append(end - start)
                    continue
            yield Passage(plain[start:end], index, origins[start:end])
