"""Chunk extraction: one request for each chunk, halves where a reply or a prompt was too long, rows checked on the text."""

from __future__ import annotations

import asyncio
import re
import time
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kgsite.extract.evidence import FoldedText
from kgsite.extract.extractor import ExtractJob
from kgsite.extract.llm.asking import Outcome, ask_again, ask_model
from kgsite.extract.llm.client import Ask, Client
from kgsite.extract.llm.context import Questions, Vocabulary
from kgsite.extract.llm.faults import Fault
from kgsite.extract.llm.prompts import example_names, filled
from kgsite.extract.replies import EXTRACTION
from kgsite.extract.rows import candidates, text_of
from kgsite.model import Chunk, ChunkExtraction, Entity, Evidence, Relation

UNVERIFIED = "unverified"
"""Attribute of an entity whose name occurs nowhere in the passage it was read from."""
_MOST_SPLITS = 2
_SHORTEST_PIECE = 300  # characters
_GIST = 300
_AROUND = 24  # tokens of "Section: … Passage:" around a passage


@dataclass(frozen=True, slots=True)
class ChunkReading:
    """What one chunk gave: candidates, its gist for the summary, and sentences for the report."""

    extraction: ChunkExtraction
    gist: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Found:
    """Answers for the pieces of a chunk, in the order of the text."""

    values: list[Mapping[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    missing: int = 0  # pieces without a complete answer


def chunk_ask(questions: Questions, words: Vocabulary, chunk: Chunk, language: str, passage: str = "") -> Ask:
    """The request for a chunk, or for a piece of it. Holds nothing that an edit elsewhere in the document changes."""
    named = questions.language(language)
    rephrase = filled("rephrase", language=named)[0] if questions.settings.extract.rephrase else ""
    share = len(passage) / max(len(chunk.text), 1) if passage else 1.0
    ask = questions.ask(
        "extract",
        "chunks",
        words.response,
        expected=expected_tokens(chunk.n_tokens, rephrase=bool(rephrase)),
        types=words.types,
        predicates=words.predicates,
        language=named,
        rephrase=rephrase,
        section=f"Section: {chunk.section}\n" if chunk.section else "",
        passage=passage or chunk.text,
    )
    return replace(ask, user_tokens=int(chunk.n_tokens * share) + _AROUND)


def expected_tokens(n_tokens: int, *, rephrase: bool) -> int:
    """Tokens that a reply will probably have: measured on typical replies, two and a half times the passage."""
    return 200 + int(n_tokens * (3.5 if rephrase else 2.5))


async def read_chunk(
    client: Client, questions: Questions, words: Vocabulary, job: ExtractJob, chunk: Chunk
) -> ChunkReading:
    """Ask about one chunk. Never raises for what a reply holds; raises Halt when nothing can be asked any more."""
    began = time.perf_counter()
    found = await _ask_piece(client, questions, words, job, chunk, chunk.text, 0)
    rows, warnings = _checked(found, words, chunk)
    notes = [*found.notes]
    if not found.values:
        status: Any = "failed"
    elif rows[0] or rows[1]:
        status = "ok"
    else:
        status = "failed" if found.missing else "empty"
    if found.missing or status == "failed":
        warnings = (f"chunk {chunk.chunk_idx + 1}: {'; '.join(notes) or 'no reply could be read'}", *warnings)
    gists = [text_of(value.get("gist"), _GIST) for value in found.values]
    rephrased = "\n\n".join(str(value.get("rephrase") or "").strip() for value in found.values).strip()
    extraction = ChunkExtraction(
        chunk.id,
        tuple(rows[0]),
        tuple(rows[1]),
        status,
        "; ".join(dict.fromkeys(notes)),
        time.perf_counter() - began,
        rephrased,
    )
    return ChunkReading(extraction, " ".join(gist for gist in gists if gist), warnings)


async def _ask_piece(
    client: Client, questions: Questions, words: Vocabulary, job: ExtractJob, chunk: Chunk, text: str, depth: int
) -> _Found:
    ask = chunk_ask(questions, words, chunk, job.language, text)
    pieces = halves(text) if depth < _MOST_SPLITS else ()
    partial: Outcome | None = None
    try:
        outcome = await ask_model(client, ask, EXTRACTION)
        if outcome.reading.complete:
            return _Found([outcome.value], [outcome.note] if outcome.note else [])
        if not outcome.too_long:
            return _incomplete(outcome)
        partial = outcome
        if not pieces:
            if not outcome.cached and outcome.reading.how != "truncated":
                outcome = await ask_again(client, ask, EXTRACTION, outcome.reading)
            return _Found([outcome.value]) if outcome.reading.complete else _incomplete(outcome)
    except Fault as fault:
        said = client.endpoint.redact(fault.message)
        if fault.kind not in ("length", "context") or not pieces:
            return _Found([], [said], 1)
        partial = None
    parts = await asyncio.gather(
        *(_ask_piece(client, questions, words, job, chunk, piece, depth + 1) for piece in pieces)
    )
    joined = _Found([], ["asked in two parts"])
    for part in parts:
        joined.values += part.values
        joined.notes += part.notes
        joined.missing += part.missing
    if joined.missing and partial is not None and partial.value:
        joined.values.insert(0, partial.value)  # what the cut reply held is not thrown away
    return joined


def _incomplete(outcome: Outcome) -> _Found:
    has_rows = any(outcome.value.get(key) for key in EXTRACTION.lists)
    return _Found(
        [outcome.value] if has_rows else [], [outcome.note or f"no usable reply ({outcome.reading.reason})"], 1
    )


def halves(text: str) -> tuple[str, ...]:
    """A text in two at the paragraph, sentence or word border next to its middle; () when it is too short."""
    if len(text) < 2 * _SHORTEST_PIECE:
        return ()
    middle = len(text) // 2
    for pattern in (r"\n\s*\n", r"(?<=[.!?。！？])\s*", r"\s+"):
        cuts = [match.end() for match in re.finditer(pattern, text)]
        near = [cut for cut in cuts if len(text) // 4 < cut < 3 * len(text) // 4]
        if near:
            middle = min(near, key=lambda cut: abs(cut - len(text) // 2))
            break
    return text[:middle], text[middle:]


# ── rows on the text ──────────────────────────────────────────────────────────────────────────────
def _checked(
    found: _Found, words: Vocabulary, chunk: Chunk
) -> tuple[tuple[list[Entity], list[Relation]], tuple[str, ...]]:
    """Rows of all pieces: schema applied, example names gone, names and quotes looked up in the chunk."""
    folded = FoldedText(chunk.text)
    entities: dict[tuple[str, str], Entity] = {}
    relations: dict[tuple[str, str, str], Relation] = {}
    dropped: dict[str, int] = {}
    for value in found.values:
        rows = candidates(value)
        enforced = words.rules.apply(rows.entities, rows.relations)
        for reason, number in (*rows.dropped.items(), *enforced.broken.items()):
            dropped[reason] = dropped.get(reason, 0) + number
        invented = {entity.name for entity in enforced.entities if _is_example(entity.name, folded)}
        for entity in enforced.entities:
            if entity.name not in invented:
                entities.setdefault((entity.name, entity.type), _verified_name(entity, folded))
        for relation in enforced.relations:
            if relation.source in invented or relation.target in invented:
                dropped["name from the prompt's example"] = dropped.get("name from the prompt's example", 0) + 1
                continue
            relations.setdefault(
                (relation.source, relation.type, relation.target), _verified_quotes(relation, folded, chunk)
            )
        if invented:
            dropped["name from the prompt's example"] = dropped.get("name from the prompt's example", 0) + len(invented)
    warnings = tuple(f"chunk {chunk.chunk_idx + 1}: {number} × {reason}" for reason, number in sorted(dropped.items()))
    return (list(entities.values()), list(relations.values())), warnings


def _occurs(name: str, folded: FoldedText) -> bool:
    """Whether a text has a name: as written, after folding, or in another case."""
    if name in folded.text or folded.find(name) is not None:
        return True
    return unicodedata.normalize("NFKC", name).casefold() in unicodedata.normalize("NFKC", folded.text).casefold()


def _is_example(name: str, folded: FoldedText) -> bool:
    plain = unicodedata.normalize("NFKC", name).casefold()
    return any(example.casefold() in plain for example in example_names()) and not _occurs(name, folded)


def _verified_name(entity: Entity, folded: FoldedText) -> Entity:
    if _occurs(entity.name, folded):
        return entity
    return replace(entity, attributes={**entity.attributes, UNVERIFIED: "this name does not occur in the passage"})


def _verified_quotes(relation: Relation, folded: FoldedText, chunk: Chunk) -> Relation:
    quotes: list[Evidence] = []
    for evidence in relation.evidence:
        at = folded.find(evidence.text)
        if at is None:
            quotes.append(Evidence(evidence.text, chunk.id))
        else:
            start, end = chunk.start + at[0], chunk.start + at[1]
            quotes.append(
                Evidence(chunk.text[at[0] : at[1]], chunk.id, start, end, verified=True, page=chunk.page_number)
            )
    return replace(relation, evidence=tuple(quotes))
