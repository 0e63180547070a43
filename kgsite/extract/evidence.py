"""Whether a quote occurs in a text, and where: compared after NFKC, ligatures, hyphens and white space are folded.

Models quote what they read with small liberties (a ligature spelt out, a line-end hyphen joined, curly quotes made
straight), and PDFs break lines where no space is. The text is folded once; each quote is then one search.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from kgsite.model import Block, Chunk, Evidence

_LETTER = r"[^\W\d_]"
_MARK = "\u0300-\u036f\u3099\u309a"
_STABLE = r"!#-&(-,./-~\u00c0-\u0131\u0134-\u013e\u0141-\u0148\u014a-\u017e\u0400-\u045f\u3041-\u3096\u4e00-\u9fff"
_TOKEN = re.compile(
    rf"(?P<same>(?:[{_STABLE}](?![{_MARK}])|[ ](?![\s{_MARK}]))+)"  # folding changes nothing: most of a text
    rf"|(?P<hyphen>(?<={_LETTER})[-\u2010\u2011\u00ad](?:[ \t]*\r?\n\s*)?(?={_LETTER}))"
    r"|(?P<space>[\s\u200b\ufeff]+)"
    rf"|(?P<char>[^\s{_MARK}][{_MARK}]{{0,20}}|[{_MARK}]{{1,20}})"
)
_SPELLINGS = str.maketrans(
    {
        "‘": "'", "’": "'", "‚": "'", "‛": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "−": "-",
        "\u00ad": "", "\u200c": "", "\u200d": "", "\u2060": "",
    }
)  # fmt: skip
_STOPS = " .,;:!?。、，；："
_EDGES = " \t\r\n\"'“”„«»‘’…"


class FoldedText:
    """A text in folded form, with the way back from each folded character to where it came from."""

    def __init__(self, text: str) -> None:
        self.text = text
        parts: list[str] = []
        self._starts = array("L")  # of the original character behind each folded one
        self._ends = array("L")
        for start, end, folded in _fold(text):
            parts.append(folded)
            if end - start == len(folded):
                self._starts.extend(range(start, end))
                self._ends.extend(range(start + 1, end + 1))
            else:
                self._starts.extend([start] * len(folded))
                self._ends.extend([end] * len(folded))
        self.folded = "".join(parts)

    def find(self, quote: str, start: int = 0, end: int | None = None) -> tuple[int, int] | None:
        """The first occurrence of `quote` in `text[start:end]`, as offsets into the text; None when there is none."""
        wanted = fold_quote(quote)
        low = bisect_right(self._ends, start)
        high = len(self.folded) if end is None else bisect_right(self._ends, end)
        for candidate in dict.fromkeys((wanted, wanted.rstrip(_STOPS))):
            if not any(char.isalnum() for char in candidate):
                return None
            at = self.folded.find(candidate, low, high)
            if at >= 0:
                return self._starts[at], self._ends[at + len(candidate) - 1]
        return None


def _fold(text: str) -> list[tuple[int, int, str]]:
    pieces: list[tuple[int, int, str]] = []
    for match in _TOKEN.finditer(text):
        which = match.lastgroup
        start, end = match.span()
        if which == "same":
            pieces.append((start, end, match.group()))
        elif which == "space":
            pieces.append((start, end, " "))
        elif which == "char" and (folded := unicodedata.normalize("NFKC", match.group()).translate(_SPELLINGS)):
            pieces.append((start, end, folded))
    return pieces


def fold_quote(quote: str) -> str:
    """`quote` as it is compared: folded like the text, without quotation marks and dots of omission at its ends."""
    bare = quote.strip(_EDGES)
    return "".join(folded for _, _, folded in _fold(bare.removesuffix("...").removeprefix("...").strip())).strip()


class Quotes:
    """Checks the quotes of one document: fills in offsets, page and chunk, and says whether they are verified."""

    def __init__(self, text: str, blocks: Sequence[Block], chunks: Sequence[Chunk]) -> None:
        self._folded = FoldedText(text)
        self._chunks = {chunk.id: chunk for chunk in chunks}
        self._blocks = blocks
        self._block_starts = [block.start for block in blocks]
        self._in_order = sorted(chunks, key=lambda chunk: chunk.own_start)
        self._own_starts = [chunk.own_start for chunk in self._in_order]
        self._elsewhere: dict[str, tuple[int, int] | None] = {}

    def check(self, evidence: Evidence, chunk_id: str = "") -> Evidence:
        """`evidence` with its place in the text; `chunk_id` is where it was read, if the evidence does not say.

        A verified quote becomes the very characters of the source. One that is not found stays as it was given.
        """
        chunk = self._chunks.get(evidence.chunk_id or chunk_id)
        span = self._stated(evidence)
        if span is None and chunk is not None:
            span = self._folded.find(evidence.text, chunk.start, chunk.end)
        if span is None:
            span = self._anywhere(evidence.text)
        if span is None:
            return replace(evidence, chunk_id=evidence.chunk_id or chunk_id, start=None, end=None, verified=False)
        start, end = span
        inside = chunk is not None and chunk.start <= start and end <= chunk.end
        return Evidence(
            text=self._folded.text[start:end],
            chunk_id=chunk.id if inside and chunk is not None else self._chunk_at(start) or chunk_id,
            start=start,
            end=end,
            verified=True,
            page=self._page_at(start),
        )

    def _stated(self, evidence: Evidence) -> tuple[int, int] | None:
        """The extractor's own offsets, when what stands there is the quote."""
        start, end = evidence.start, evidence.end
        if start is None or end is None or not 0 <= start < end <= len(self._folded.text):
            return None
        there = self._folded.text[start:end]
        same = there == evidence.text or fold_quote(there) == fold_quote(evidence.text)
        return (start, end) if same and any(char.isalnum() for char in there) else None

    def _anywhere(self, quote: str) -> tuple[int, int] | None:
        if quote not in self._elsewhere:
            self._elsewhere[quote] = self._folded.find(quote)
        return self._elsewhere[quote]

    def _chunk_at(self, position: int) -> str:
        index = bisect_right(self._own_starts, position) - 1
        return self._in_order[index].id if index >= 0 else ""

    def _page_at(self, position: int) -> int | None:
        index = bisect_right(self._block_starts, position) - 1
        return self._blocks[index].page if index >= 0 else None
