"""The extractor for every language: no model, no network, some ten thousand words a second.

What to expect. In languages written with capital letters: names (runs of capitalised words), dates, titles in
quotation marks, and in some languages the lower-case nouns that a verb or preposition connects to a name; Russian
names are given in the nominative. In Chinese, Japanese, Korean, Arabic and Hindi: quoted titles, names with a
telling ending or word for their kind, personal names by surname, given name, title or chain, known places, and what
the document repeats; a name without a visible border is left out (see uncased/). In other scripts without capitals:
names in Latin letters, quoted titles and years. A relation is labelled only where a verb, preposition or particle
says how two names are connected; other names of a sentence "appear with" its first one, at low strength and few of
them. Headings, code and tables are not read.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from kgsite.errors import KgsiteError
from kgsite.extract.extractor import ExtractJob
from kgsite.extract.offline import describing, gaps, relating, terms, uncased
from kgsite.extract.offline.lexicon import Lexicon, lexicon
from kgsite.extract.offline.mentions import Mention, mentions, survey
from kgsite.extract.offline.naming import Naming, settle
from kgsite.extract.sentences import sentences
from kgsite.model import Chunk, ChunkExtraction, Document, DocumentGraph, Entity, Evidence, Extraction, Relation

CORE_VERSION = "4"
TYPES = ("person", "organization", "place", "event", "technology", "product", "work", "date", "concept")
_PROSE = ("paragraph", "list", "quote", "footnote")
_LONGEST_SENTENCE = 1000  # characters
_MOST_TOGETHER = 6  # "appears with" relations of one entity in a document


@dataclass(frozen=True, slots=True)
class _Sentence:
    start: int  # in Document.text
    end: int
    text: str
    chunk: int  # index in ExtractJob.chunks
    mentions: list[Mention]


class CoreExtractor:
    """Names and relations by rules, in every language."""

    @property
    def name(self) -> str:
        return "offline"

    @property
    def model(self) -> str:
        return ""

    def settings(self, language: str) -> Mapping[str, object]:  # noqa: ARG002 - one set of rules for all
        """What must re-extract a document when it changes."""
        return {"extractor": "core", "version": CORE_VERSION}

    def extract(self, jobs: Iterable[ExtractJob]) -> Iterator[tuple[ExtractJob, Extraction | KgsiteError]]:
        """One outcome for each job, in order."""
        for job in jobs:
            yield job, _extract(job)

    def enrich(self, job: ExtractJob, graph: DocumentGraph) -> DocumentGraph:  # noqa: ARG002
        """Nothing to add."""
        return graph


def _extract(job: ExtractJob) -> Extraction:
    words = lexicon(job.language)
    spans = list(_prose(job))
    if uncased.is_uncased(job.language):
        found = uncased.mentions([text for _, _, text, _ in spans], words)
    else:
        seen = survey((text for _, _, text, _ in spans), words)
        found = [mentions(text, words, seen) for _, _, text, _ in spans]
        if job.language == "ru":
            from kgsite.extract.offline import declension

            found = declension.settled(found, words)
        found = [terms.added(text, row, words) for (_, _, text, _), row in zip(spans, found, strict=True)]
    read = [
        _Sentence(start, end, text, chunk, row) for (start, end, text, chunk), row in zip(spans, found, strict=True)
    ]
    naming = settle(((sentence.text, sentence.mentions) for sentence in read), words)
    return Extraction(chunks=_Writer(job, words, naming).write(read))


def _prose(job: ExtractJob) -> Iterator[tuple[int, int, str, int]]:
    """(start, end, text, chunk index) of each sentence of prose; it belongs to the chunk whose own text holds it."""
    if not job.chunks:
        return
    starts = [chunk.own_start for chunk in job.chunks]
    text = job.document.text
    for start, end in _passages(job.document):
        for first, last in sentences(text[start:end], job.language):
            for begin, stop in _readable(text, start + first, start + last):
                yield begin, stop, text[begin:stop], max(bisect_right(starts, begin) - 1, 0)


def _readable(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentence, or pieces of one that is too long to be any: names far apart in it have nothing in common."""
    while end - start > _LONGEST_SENTENCE:
        cut = text.rfind(" ", start + 1, start + _LONGEST_SENTENCE)
        cut = cut if cut > start else start + _LONGEST_SENTENCE
        yield start, cut
        start = cut + (cut < end and text[cut] == " ")
    if start < end:
        yield start, end


def _passages(document: Document) -> list[tuple[int, int]]:
    if not document.blocks:
        return [(0, len(document.text))]
    return [(block.start, block.end) for block in document.blocks if block.kind in _PROSE]


class _Writer:
    """Turns the mentions of all sentences into the entities and relations of each chunk."""

    def __init__(self, job: ExtractJob, words: Lexicon, naming: Naming) -> None:
        self.job = job
        self.words = words
        self.naming = naming
        self.subject = naming.main_person  # whom a pronoun means
        self.together: Counter[str] = Counter()
        self.related: set[frozenset[str]] = set()

    def write(self, read: list[_Sentence]) -> tuple[ChunkExtraction, ...]:
        entities: dict[int, dict[tuple[str, str], Entity]] = defaultdict(dict)
        relations: dict[int, list[Relation]] = defaultdict(list)
        for sentence in read:
            row = self._resolved(sentence)
            for link in self._links(sentence, row):
                made = self._relation(link, sentence)
                if made:
                    relations[sentence.chunk].append(made)
                    for mention in (link.source, link.target):
                        self._add(entities[sentence.chunk], mention, sentence)
            for mention in row:
                if mention.kind in ("name", "date"):
                    self._add(entities[sentence.chunk], mention, sentence)
        return tuple(
            ChunkExtraction(
                chunk.id,
                tuple(entities[index].values()),
                tuple(relations[index]),
                status="ok" if entities[index] else "empty",
            )
            for index, chunk in enumerate(self.job.chunks)
        )

    def _resolved(self, sentence: _Sentence) -> list[Mention]:
        """Mentions under their canonical names; a pronoun, or a verb that begins the sentence, under its person."""
        row = []
        for mention in sentence.mentions:
            if mention.kind == "pronoun":
                if self.subject:
                    row.append(replace(mention, name=self.subject, type="person"))
                continue
            name, kind = (mention.name, "date") if mention.kind == "date" else self.naming.of(mention.name)
            row.append(replace(mention, name=name, type=kind))
        if self.subject and gaps.after_verb(sentence.text, self.words):
            row.insert(0, Mention(0, 0, self.subject, "person", "pronoun"))
        first = next((mention for mention in row if mention.kind != "date"), None)
        if first is not None and first.type == "person":
            self.subject = first.name
        return row

    def _links(self, sentence: _Sentence, row: list[Mention]) -> list[relating.Link]:
        if uncased.is_uncased(self.job.language):
            return uncased.links(sentence.text, row, self.words)
        return relating.links(sentence.text, row, self.words)

    def _relation(self, link: relating.Link, sentence: _Sentence) -> Relation | None:
        source, target = link.source, link.target
        pair = frozenset((source.name, target.name))
        if len(pair) < 2:
            return None
        if link.predicate == relating.TOGETHER:
            if pair in self.related or max(self.together[source.name], self.together[target.name]) >= _MOST_TOGETHER:
                return None
            self.together.update(pair)
        self.related.add(pair)
        chunk = self.job.chunks[sentence.chunk]
        return Relation(
            source=source.name,
            source_type=source.type,
            target=target.name,
            target_type=target.type,
            type=link.predicate,
            strength=link.strength,
            chunk_ids=(chunk.id,),
            evidence=(self._evidence(sentence, chunk),),
        )

    def _evidence(self, sentence: _Sentence, chunk: Chunk) -> Evidence:
        exact = self.job.document.text[sentence.start : sentence.end] == sentence.text
        return Evidence(
            sentence.text, chunk.id, sentence.start, sentence.end, verified=exact, page=self._page(sentence, chunk)
        )

    def _page(self, sentence: _Sentence, chunk: Chunk) -> int | None:
        blocks = self.job.document.blocks
        at = bisect_right(blocks, sentence.start, key=lambda block: block.start) - 1
        return blocks[at].page if at >= 0 else chunk.page_number

    def _add(self, found: dict[tuple[str, str], Entity], mention: Mention, sentence: _Sentence) -> None:
        key = (mention.name, mention.type)
        old = found.get(key)
        if old is not None and (old.description or mention.kind != "name"):
            return
        text = describing.description(sentence.text, mention, self.words) if mention.kind == "name" else ""
        if old is None or text:
            found[key] = Entity(mention.name, mention.type, text, aliases=self.naming.aliases.get(mention.name, ()))
