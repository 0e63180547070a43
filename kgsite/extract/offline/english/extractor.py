"""The English extractor: from sentences to candidates by chunk."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from kgsite.errors import ExtractError, KgsiteError
from kgsite.extract.extractor import ExtractJob
from kgsite.extract.offline.english import descriptions, model_files, statements
from kgsite.extract.offline.english.coreference import Antecedents
from kgsite.extract.offline.english.records import Sentence
from kgsite.extract.offline.english.things import Thing, Things
from kgsite.model import Chunk, ChunkExtraction, DocumentGraph, Entity, Evidence, Extraction, Relation

RULES_VERSION = 3
"""Raised with every change of the rules that changes what they find: documents are then extracted again."""


@dataclass(slots=True)
class _Candidates:
    """What was found in one chunk so far."""

    things: dict[str, Thing] = field(default_factory=dict)
    statements: dict[tuple[str, str, str], list[statements.Statement]] = field(default_factory=dict)


class EnglishExtractor:
    """Rules over spaCy's parse; needs the extra `kgsite[offline]`, never a network."""

    @property
    def name(self) -> str:
        return "offline-en"

    @property
    def model(self) -> str:
        return model_files.model_name()

    def available(self) -> str | None:
        """Why this extractor can't be used, as a sentence with the remedy; None when it can."""
        return model_files.unavailable()

    def settings(self, language: str) -> Mapping[str, object]:
        return {"extractor": self.name, "language": language, "model": self.model, "rules": RULES_VERSION}

    def extract(self, jobs: Iterable[ExtractJob]) -> Iterator[tuple[ExtractJob, Extraction | KgsiteError]]:
        for job in jobs:
            try:
                outcome: Extraction | KgsiteError = extract_document(job)
            except (ValueError, IndexError, KeyError, RuntimeError, MemoryError) as error:
                outcome = ExtractError(
                    f"{job.document.source.path}: the English extractor failed: {error}",
                    hint='set language to another value, or extractor = "openai"',
                )
            yield job, outcome

    def enrich(self, job: ExtractJob, graph: DocumentGraph) -> DocumentGraph:  # noqa: ARG002 - the Protocol's signature
        return graph


def extract_document(job: ExtractJob) -> Extraction:
    """All candidates of one document, each in the chunk whose own span holds its sentence.

    Raises RuntimeError when the model can't be loaded.
    """
    from kgsite.extract.offline.english.reading import read

    document = job.document
    left_out: list[int] = []
    sentences = read(document, model_files.load(), left_out)
    things = Things(document.text, sentences)
    antecedents = Antecedents(things)
    narrative = statements.is_narrative(document.text)
    candidates = [_Candidates() for _ in job.chunks]
    starts = [chunk.own_start for chunk in job.chunks]
    for number, sentence in enumerate(sentences):
        meant = antecedents.sentence(number, sentence)
        place = max(bisect_right(starts, sentence.start) - 1, 0)
        if place < len(candidates):
            _collect(candidates[place], sentence, meant, narrative=narrative)
    chunks = tuple(
        _chunk(chunk, found, document.text, things) for chunk, found in zip(job.chunks, candidates, strict=True)
    )
    return Extraction(chunks=chunks, entity_types=(), relation_types=(), warnings=_left_out(left_out))


def _left_out(lengths: list[int]) -> tuple[str, ...]:
    if not lengths:
        return ()
    return (f"{sum(lengths):,} characters of text in which no sentence ends were not read for relations",)


def _collect(found: _Candidates, sentence: Sentence, meant: list[tuple[Thing, ...]], *, narrative: bool) -> None:
    for mention, things in zip(sentence.mentions, meant, strict=True):
        if mention.kind == "name":
            for thing in things:
                found.things.setdefault(thing.key, thing)
    for index, note in sentence.notes:
        if sentence.mentions[index].head in {"he", "she"} and len(meant[index]) == 1:
            meant[index][0].notes.append(note)
    for statement in statements.of_sentence(sentence, meant, narrative=narrative):
        for thing in (statement.source, statement.target):
            found.things.setdefault(thing.key, thing)
        key = (statement.source.key, statement.target.key, statement.predicate)
        found.statements.setdefault(key, []).append(statement)


def _chunk(chunk: Chunk, found: _Candidates, text: str, things: Things) -> ChunkExtraction:
    entities = tuple(_entity(thing, things) for thing in found.things.values())
    relations = tuple(_relation(group, chunk, text) for group in found.statements.values())
    return ChunkExtraction(chunk.id, entities, relations, "ok" if entities else "empty")


def _entity(thing: Thing, things: Things) -> Entity:
    names = [things.by_key[key].name for key in thing.merged]
    aliases = tuple(dict.fromkeys(name for name in names if name != thing.name))
    return Entity(name=thing.name, type=thing.type, description=_description(thing), aliases=aliases)


def _description(thing: Thing) -> str:
    """The first phrase of the text that says what the thing is and stands alone; `""` when there is none."""
    for note in thing.notes:
        text = descriptions.of_thing(note, thing.name, thing.type)
        if text and text.casefold() != thing.name.casefold():
            return text
    return ""


def _relation(group: list[statements.Statement], chunk: Chunk, text: str) -> Relation:
    first = group[0]
    evidence: dict[tuple[int, int], Evidence] = {}
    for statement in group:
        start, end = statements.quote_span(text, statement)
        evidence.setdefault(
            (start, end),
            Evidence(text[start:end], chunk.id, start, end, verified=True, page=chunk.page_number),
        )
    confidence = max(statement.confidence for statement in group)
    return Relation(
        source=first.source.name,
        source_type=first.source.type,
        target=first.target.name,
        target_type=first.target.type,
        type=first.predicate,
        strength=float(min(10, max(1, round(10 * confidence)))),
        evidence=tuple(evidence.values()),
    )
