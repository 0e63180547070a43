"""The passages of an import as chunks of its text, and what the file calls each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from kgsite.config.settings import ChunkingSettings
from kgsite.importers.found import Passage
from kgsite.importers.texts import LaidText, Placed
from kgsite.model import Chunk, Document


class Chunks:
    """Chunks with the passages they were made of, by the keys that the file has for them."""

    def __init__(self, chunks: tuple[Chunk, ...], passages: tuple[Passage, ...]) -> None:
        self.chunks = chunks
        self.passages = passages
        self._order = {chunk.id: chunk.chunk_idx for chunk in chunks}
        self._by_key: dict[str, str] = {}
        for chunk, passage in zip(chunks, passages, strict=True):
            for key in passage.keys:
                self._by_key.setdefault(key, chunk.id)

    def id_of(self, key: str) -> str:
        """Id of the chunk that the file calls `key`; "" when there is none."""
        return self._by_key.get(key, "")

    def ids(self, keys: Iterable[str]) -> tuple[str, ...]:
        """Ids of the chunks that the file calls so, in order; unknown ones are left out."""
        return self.ordered({self._by_key[key] for key in keys if key in self._by_key})

    def ordered(self, ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(ids, key=lambda one: self._order[one]))

    def unknown(self, keys: Iterable[str]) -> int:
        """How many of `keys` are no passage of the file; 0 where it holds none that could be meant."""
        return sum(key not in self._by_key for key in keys) if self._by_key else 0


def cut(laid: LaidText, document: Document, language: str, settings: ChunkingSettings) -> Chunks:
    """The file's own passages; a text without any is cut as other documents are."""
    if laid.placed or not laid.text:
        chunks = _own(laid, document)
        return Chunks(chunks, tuple(part.passage for part in laid.placed))
    from dataclasses import replace

    from kgsite.extract.chunk import chunk

    made = chunk(
        replace(document, language=language), max_tokens=settings.max_tokens, overlap_tokens=settings.overlap_tokens
    )
    return Chunks(made, tuple(Passage((), text=one.text) for one in made))


def _own(laid: LaidText, document: Document) -> tuple[Chunk, ...]:
    """Chunks of the placed passages; ids are made as the chunker makes them."""
    from kgsite.extract.chunk import chunk_id
    from kgsite.extract.tokens import count

    seen: Counter[str] = Counter()
    made: list[Chunk] = []
    reached = 0
    at = 0
    for index, part in enumerate(laid.placed):
        own_start = _own_start(part, reached)
        own = laid.text[own_start : part.end]
        number = seen[own]
        seen[own] += 1
        while at + 1 < len(laid.blocks) and laid.blocks[at + 1].start <= own_start:
            at += 1
        block = laid.blocks[at] if laid.blocks and laid.blocks[at].start <= own_start else None
        text = laid.text[part.start : part.end]
        made.append(
            Chunk(
                id=chunk_id(document.id, own, number),
                chunk_idx=index,
                text=text,
                start=part.start,
                end=part.end,
                n_tokens=count(text),
                page_number=part.passage.page or (block.page if block else None),
                section=part.passage.section or (block.section if block else ""),
                own_start=own_start,
            )
        )
        reached = max(reached, part.end)
    return tuple(made)


def _own_start(part: Placed, reached: int) -> int:
    return reached if part.start < reached < part.end else part.start
