"""Cutting a document into chunks whose borders follow the text itself.

The document is a row of units (`pieces.py`). Between two units lies a border, better or worse by its kind
(heading, paragraph, list item, row, sentence, clause, word) and among equals by a hash of the words after it:
by local content, never by a running offset. A border that is the best within half a chunk to both sides
is a cut wherever it stands, so an edit moves only cuts beside it. What is still too long between two such cuts
is divided at its best border, and so on.

Sizes are `tokens.bound`, which does not depend on the tokenizer being there; it is never below the real count,
so no chunk exceeds `max_tokens`, and borders are the same with and without it. `Chunk.n_tokens` is the real
count. A heading stays with what follows, a table's header with its first row.

A chunk may begin with the last whole sentences of the chunk before (`overlap_tokens` at most). Its id depends
on the document and on its own text alone, with an occurrence number where that text repeats.
"""

from __future__ import annotations

import uuid
from collections import Counter, deque
from itertools import accumulate, pairwise

from kgsite.extract.language import detect
from kgsite.extract.pieces import GLUED, Unit, units
from kgsite.extract.tokens import count
from kgsite.model import NAMESPACE, Chunk, Document

CHUNKER_VERSION = "1"
_Rank = tuple[int, int, int]  # kind of border, hashes of what follows


def chunk(document: Document, *, max_tokens: int, overlap_tokens: int) -> tuple[Chunk, ...]:
    """The chunks of `document` in order; none for a document without text.

    Every block lies within the chunks' own spans. `overlap_tokens` counts as half of `max_tokens` at most.
    """
    overlap = max(0, min(overlap_tokens, max_tokens // 2))
    budget = max_tokens - overlap
    language = document.language or detect(document.text)[0]
    row = units(document, longest=budget, language=language)
    seen: Counter[str] = Counter()
    chunks: list[Chunk] = []
    before = 0  # first unit of the chunk before
    for first, last in _spans(row, budget):
        begin = _overlap(row, before, first, overlap) if first else first
        chunks.append(_chunk(document, row, (begin, first, last), len(chunks), seen))
        before = first
    return tuple(chunks)


def _spans(row: list[Unit], budget: int) -> list[tuple[int, int]]:
    """Half-open index spans of `row` that fit into `budget`, in order."""
    sums = [0, *accumulate(unit.size for unit in row)]
    ranks = [(unit.rank, *unit.key) for unit in row]
    cuts = [0, *_local_best(ranks, sums, budget // 2), len(row)]
    stack = [span for span in pairwise(cuts) if span[0] < span[1]][::-1]
    spans = []
    while stack:
        first, last = stack.pop()
        if last - first == 1 or sums[last] - sums[first] <= budget:
            spans.append((first, last))
            continue
        cut = _divide(ranks, sums, first, last, budget)
        stack += [(cut, last), (first, cut)]
    return spans


def _local_best(ranks: list[_Rank], sums: list[int], reach: int) -> list[int]:
    """Borders better than every other one within `reach` tokens before and after them, ends of the text included.

    One pass with a queue of candidates for each direction, so the time is linear in the number of units.
    """
    n = len(ranks)
    best = [ranks[i][0] < GLUED and sums[i] >= reach and sums[n] - sums[i] >= reach for i in range(n)]
    for step in (1, -1):
        queue: deque[int] = deque()  # indexes within reach, ranks rising
        for i in range(n) if step > 0 else range(n - 1, -1, -1):
            while queue and abs(sums[queue[0]] - sums[i]) > reach:
                queue.popleft()
            while queue and ranks[queue[-1]] > ranks[i]:
                queue.pop()
            # Of equals neither is a cut: repeated text is divided evenly instead.
            best[i] = best[i] and not queue
            queue.append(i)
    return [i for i in range(n) if best[i]]


def _divide(ranks: list[_Rank], sums: list[int], first: int, last: int, budget: int) -> int:
    """The unit before which a span that is too long is cut: at its best border, leaving no crumbs."""
    total = sums[last] - sums[first]
    low, high = (budget // 4, budget) if total <= 2 * budget else (budget // 2, total)
    best, best_rank = first + 1, None
    for index in range(first + 1, last):
        left = sums[index] - sums[first]
        right = total - left
        fits = low <= left <= high and low <= right <= high
        # Out of reach: only where nothing else can be cut, then as evenly as possible.
        rank = (ranks[index][0] == GLUED, 0 if fits else max(left, right), ranks[index], abs(left - right))
        if best_rank is None or rank < best_rank:
            best, best_rank = index, rank
    return best


def _overlap(row: list[Unit], before: int, first: int, overlap: int) -> int:
    """Index of the first unit that is repeated: whole sentences before `first`, not from before the last chunk."""
    at, size = first, 0
    while at > before and row[at - 1].overlaps and size + row[at - 1].size <= overlap:
        at -= 1
        size += row[at].size
    return at


def _chunk(document: Document, row: list[Unit], span: tuple[int, int, int], index: int, seen: Counter[str]) -> Chunk:
    begin, first, last = span
    start, own_start, end = row[begin].start, row[first].start, row[last - 1].end
    own = document.text[own_start:end]
    number = seen[own]
    seen[own] += 1
    block = document.blocks[row[first].block] if document.blocks else None
    text = document.text[start:end]
    return Chunk(
        id=chunk_id(document.id, own, number),
        chunk_idx=index,
        text=text,
        start=start,
        end=end,
        n_tokens=count(text),
        page_number=block.page if block else None,
        section=block.section if block else "",
        own_start=own_start,
    )


def chunk_id(document_id: str, own: str, number: int) -> str:
    """uuid5 of the document and the chunk's own text, of which it is the `number`th occurrence (from 0)."""
    return str(uuid.uuid5(NAMESPACE, f"chunk\n{document_id}\n{number}\n{own}"))
