"""The quotes of imported relations, looked up in the text; a relation without one gets a sentence of its passage."""

from __future__ import annotations

import re
from dataclasses import replace

from kgsite.collection.identity import plain
from kgsite.extract.evidence import Quotes
from kgsite.importers import wording
from kgsite.importers.chunks import Chunks
from kgsite.importers.found import Tally
from kgsite.model import Chunk, Document, Evidence, Relation

_MOST_PASSAGES = 12
_LONGEST_SENTENCE = 600
_WORD = re.compile(r"\w{4,}")


class QuoteFinder:
    """Finds quotes in one document."""

    def __init__(self, document: Document, chunks: Chunks, language: str, tally: Tally) -> None:
        self._text = document.text
        self._language = language
        self._tally = tally
        self._names = chunks
        self._chunks = {chunk.id: chunk for chunk in chunks.chunks}
        filled = [chunk for chunk in chunks.chunks if chunk.end > chunk.start]
        self._quotes = Quotes(document.text, document.blocks, filled) if document.text else None
        self._sentences: dict[str, list[tuple[int, int, str]]] = {}

    def of(self, stated: list[Evidence], relation: Relation) -> tuple[Evidence, ...]:
        """The quotes that the file states, each once, verified where the text has them; else one that was found."""
        made: dict[tuple[int | None, int | None, str], Evidence] = {}
        for quote in stated:
            known = self._names.id_of(quote.chunk_id)
            found = self._checked(replace(quote, chunk_id=known))
            made.setdefault((found.start, found.end, "" if found.verified else plain(found.text)), found)
        if not made and not relation.inferred and self._quotes is not None:
            sentence = self._sentence(relation)
            if sentence is not None:
                self._tally.add(wording.LOCATED)
                return (sentence,)
        return tuple(sorted(made.values(), key=lambda one: (not one.verified, one.start or 0, one.end or 0, one.text)))

    def _checked(self, quote: Evidence) -> Evidence:
        if self._quotes is None:
            self._tally.add(wording.NO_TEXT)
            return replace(quote, start=None, end=None, verified=False)
        found = self._quotes.check(quote, quote.chunk_id)
        if not found.verified:
            self._tally.add(wording.NOT_VERIFIED)
        return found if found.page is not None else replace(found, page=quote.page)

    def _sentence(self, relation: Relation) -> Evidence | None:
        """The sentence of the relation's passages that names both ends and shares most words with its description."""
        ends = [_whole(plain(name)) for name in (relation.source, relation.target)]
        words = set(_WORD.findall(plain(f"{relation.type.replace('_', ' ')} {relation.description}")))
        best: tuple[int, int, int, str] | None = None
        for chunk_id in relation.chunk_ids[:_MOST_PASSAGES]:
            for start, end, folded in self._of_chunk(self._chunks[chunk_id]):
                if all(pattern.search(folded) for pattern in ends):
                    score = len(words & set(_WORD.findall(folded)))
                    if best is None or score > best[0]:
                        best = (score, start, end, chunk_id)
        if best is None or self._quotes is None:
            return None
        _, start, end, chunk_id = best
        return self._quotes.check(Evidence(self._text[start:end], chunk_id, start, end), chunk_id)

    def _of_chunk(self, chunk: Chunk) -> list[tuple[int, int, str]]:
        if chunk.id not in self._sentences:
            from kgsite.extract.sentences import sentences

            self._sentences[chunk.id] = [
                (chunk.start + start, chunk.start + end, plain(chunk.text[start:end]))
                for start, end in sentences(chunk.text, self._language)
                if end - start <= _LONGEST_SENTENCE
            ]
        return self._sentences[chunk.id]


def _whole(name: str) -> re.Pattern[str]:
    """`name` not inside a longer word."""
    before = r"(?<!\w)" if name[:1].isalnum() and name.isascii() else ""
    after = r"(?!\w)" if name[-1:].isalnum() and name.isascii() else ""
    return re.compile(f"{before}{re.escape(name)}{after}")
