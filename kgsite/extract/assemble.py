"""Candidates → document graph: the steps between an extractor and the stored file, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kgsite.config.settings import Settings
from kgsite.extract import communities, summary
from kgsite.extract.consolidate import NOT_DESCRIBED, Draft, consolidate
from kgsite.extract.evidence import Quotes
from kgsite.extract.extractor import ExtractJob
from kgsite.extract.noise import drop_noise
from kgsite.extract.records import entities, relations
from kgsite.extract.schema_apply import apply_schema, offered, schema_rules
from kgsite.extract.standardize import standardize
from kgsite.model import Chunk, ChunkExtraction, DocumentGraph, Extraction, GraphChunk, GraphSchema, Provenance

ASSEMBLE_VERSION = 1
"""To be raised when the same candidates give another graph."""

UNVERIFIED = "relations whose quote is not in the text"


def assemble(job: ExtractJob, extraction: Extraction, *, settings: Settings, provenance: Provenance) -> DocumentGraph:
    """The graph of one document from the candidates of its chunks.

    United, standardised, cleaned, with every quote looked up in the text, grouped, titled and summarised. What was
    left out or repaired is counted by reason in `dropped`. Pure: the same input gives an equal graph.
    """
    document = job.document
    by_id = {part.chunk_id: part for part in extraction.chunks}
    candidates = [by_id[chunk.id] for chunk in job.chunks if chunk.id in by_id]
    draft = consolidate(candidates, Quotes(document.text, document.blocks, job.chunks).check)
    standardize(draft, job.language, settings.standardization)
    rules = schema_rules(settings, extraction)
    if rules is not None:
        apply_schema(draft, rules)
    if settings.extract.strict_evidence:
        _drop_unverified(draft)
    if settings.extract.noise_filter:
        drop_noise(draft, job.language)
    order = {chunk.id: chunk.chunk_idx for chunk in job.chunks}
    found = entities(draft, document.id, order)
    facts = relations(draft, document.id, order)
    found, groups = communities.detect(found, facts, job.language, extraction.community_names)
    return DocumentGraph(
        id=document.id,
        title=summary.title_of(document, extraction.title),
        summary=summary.summary_of(document, job.language, found, facts, extraction.summary),
        language=job.language,
        url=document.meta.url or document.source.url,
        schema=_schema(extraction, draft) if rules is None else offered(rules, _schema(extraction, draft)),
        entities=found,
        relations=facts,
        communities=groups,
        chunks=tuple(_stored(chunk, by_id) for chunk in job.chunks),
        provenance=provenance,
        text=document.text,
        blocks=document.blocks,
        marks=document.marks,
        meta=document.meta,
        n_pages=document.n_pages,
        notes=(*document.warnings, *_notes(draft, candidates)),
        dropped=dict(sorted(draft.dropped.items())),
    )


def _drop_unverified(draft: Draft) -> None:
    """Statements of the text that no verified quote supports; inferred ones never had a quote and stay."""
    weak = [
        at
        for at, statement in draft.statements.items()
        if statement.stated and not any(quote.verified for quote in statement.evidence.values())
    ]
    for at in weak:
        del draft.statements[at]
    if weak:
        draft.dropped[UNVERIFIED] += len(weak)


def _schema(extraction: Extraction, draft: Draft) -> GraphSchema:
    """The types that were offered; where none were, those that are used."""
    used = sorted({thing.type for thing in draft.things.values()})
    predicates = sorted({statement.predicate for statement in draft.statements.values()})
    return GraphSchema(
        extraction.entity_types or tuple(used), extraction.relation_types or tuple(predicates), extraction.reasoning
    )


def _stored(chunk: Chunk, by_id: Mapping[str, ChunkExtraction]) -> GraphChunk:
    found = by_id.get(chunk.id)
    if found is None:
        return GraphChunk(chunk, status="failed")
    statements = tuple(replace(relation, evidence=()) for relation in found.relations)  # the graph holds the quotes
    return GraphChunk(chunk, found.entities, statements, found.status, found.rephrase)


def _notes(draft: Draft, candidates: list[ChunkExtraction]) -> list[str]:
    notes = [f"Part {number} of the text: {part.note}" for number, part in enumerate(candidates, 1) if part.note]
    stubs = draft.dropped.get(NOT_DESCRIBED, 0)
    if stubs:
        notes.append(f"{stubs} of the names that relations use are described nowhere in the extraction.")
    return notes
