"""`Found` → DocumentGraph: ends resolved, quotes looked up in the text, communities kept, everything else counted."""

from __future__ import annotations

import uuid
from collections import Counter
from dataclasses import dataclass, replace

from kgsite.collection.identity import plain
from kgsite.config.settings import Settings
from kgsite.extract.records import entity_id, join_descriptions
from kgsite.importers import wording
from kgsite.importers.chunks import Chunks, cut
from kgsite.importers.communities import communities_of
from kgsite.importers.ends import UNKNOWN, Entry, Register
from kgsite.importers.found import Found, Passage, Statement, Tally, Thing
from kgsite.importers.quotes import QuoteFinder
from kgsite.importers.texts import LaidText, lay_text
from kgsite.model import (
    NAMESPACE,
    ChunkStatus,
    Document,
    DocumentGraph,
    Entity,
    Evidence,
    GraphChunk,
    GraphSchema,
    Provenance,
    Relation,
    Source,
)

DEFAULT_PREDICATE = "related to"
DEFAULT_STRENGTH = 5.0
_SURE = 0.6  # confidence in the language of descriptions
_WEB = ("http://", "https://")


@dataclass(slots=True, eq=False)
class _Link:
    """A relation under construction."""

    source: Entry
    target: Entry
    rows: list[Statement]


def assemble(found: Found, source: Source, *, provenance: Provenance, settings: Settings) -> DocumentGraph:
    """The document graph of what a format's reader found. Pure but for `found.tally`, which counts the repairs."""
    tally = found.tally
    register = Register(found.things, tally, by_id=found.by_id)
    links = _links(found.statements, register, tally)
    laid = lay_text(found)
    document = _document(found, laid, source)
    language = document.language or _language(document.text, register, settings.site.language)
    chunks = cut(laid, document, language, settings.chunking)
    relations = _relations(links, chunks, document, language, tally)
    entities = _entities(register, chunks, document.id, relations)
    entities, communities = communities_of(
        found.groups, register, entities, relations, language, tally, recompute=settings.imports.recompute
    )
    _count_rest(found, register, entities, chunks, tally)
    from kgsite.extract.summary import summary_of, title_of

    return DocumentGraph(
        id=document.id,
        title=title_of(document, found.title),
        summary=summary_of(document, language, entities, relations, found.summary),
        language=language,
        url=document.meta.url,
        schema=_schema(found.schema, entities, relations),
        entities=entities,
        relations=relations,
        communities=communities,
        chunks=tuple(
            GraphChunk(chunk, *_rows_of(passage, chunks), status=_status(passage), rephrase=passage.rephrase)
            for chunk, passage in zip(chunks.chunks, chunks.passages, strict=True)
        ),
        provenance=replace(provenance, extractor=f"import:{found.format}", model=found.model),
        text=document.text,
        blocks=document.blocks,
        marks=document.marks,
        meta=document.meta,
        n_pages=document.n_pages,
        notes=(*source.warnings, *tally.notes()),
        dropped=tally.dropped(),
    )


def _document(found: Found, laid: LaidText, source: Source) -> Document:
    from kgsite.readers.blocks import Laid, first_heading

    meta = source.meta
    url = meta.url or (found.url if found.url.startswith(_WEB) else None)
    meta = replace(meta, url=url, license=meta.license or found.license or None)
    stated = (meta.language or found.language).split("-")[0].split("_")[0].lower()
    heading = first_heading(Laid(laid.text, laid.blocks, laid.marks))
    return Document(
        id=str(uuid.uuid5(NAMESPACE, source.path)),
        source=source,
        text=laid.text,
        blocks=laid.blocks,
        marks=laid.marks,
        title=meta.title or found.title or heading,
        language=stated if len(stated) in (2, 3) and stated.isalpha() and stated.isascii() else "",
        meta=meta,
        n_pages=laid.n_pages,
    )


def _language(text: str, register: Register, usual: str) -> str:
    """Of the text; without one, of the descriptions and names, or `usual` where they are too little to go by."""
    from kgsite.extract.language import detect

    if text:
        return detect(text)[0]
    parts = [" ".join(entry.descriptions.values()) or entry.name for entry in list(register.entries.values())[:500]]
    found, confidence = detect("\n".join(parts))
    return found if confidence >= _SURE and any(entry.descriptions for entry in register.entries.values()) else usual


# ── relations ─────────────────────────────────────────────────────────────────────────────────────
def _links(statements: list[Statement], register: Register, tally: Tally) -> list[_Link]:
    """Relations with their ends resolved; those of equal ends and predicate are one."""
    links: dict[tuple[tuple[str, str], tuple[str, str], str], _Link] = {}
    for row in statements:
        source = register.find_or_add(row.source, row.source_type, row.passages)
        target = register.find_or_add(row.target, row.target_type, row.passages)
        if source is None or target is None:
            tally.add(wording.ENDLESS)
            continue
        if not (source.described and target.described):
            tally.add(wording.UNDESCRIBED)
        if source is target:
            tally.add(wording.LOOPS)
        row.predicate = row.predicate if plain(row.predicate) else DEFAULT_PREDICATE
        at = (source.at, target.at, plain(row.predicate.replace("_", " ")))
        known = links.setdefault(at, _Link(source, target, []))
        if known.rows:
            tally.add(wording.REPEATED)
        known.rows.append(row)
    return list(links.values())


def _relations(
    links: list[_Link], chunks: Chunks, document: Document, language: str, tally: Tally
) -> tuple[Relation, ...]:
    finder = QuoteFinder(document, chunks, language, tally)
    names = Counter(
        entry.at[0] for entry in {id(end): end for link in links for end in (link.source, link.target)}.values()
    )
    made = []
    for link in links:
        ends = [entry.at[0] if names[entry.at[0]] == 1 else "\t".join(entry.at) for entry in (link.source, link.target)]
        predicates = Counter(row.predicate for row in link.rows)
        predicate = max(predicates, key=lambda name: predicates[name])
        stated = [row for row in link.rows if not row.inferred]
        key = plain(predicate.replace("_", " "))
        relation = Relation(
            source=link.source.name,
            source_type=link.source.type,
            target=link.target.name,
            target_type=link.target.type,
            type=predicate,
            description=join_descriptions(dict.fromkeys(row.description for row in link.rows if row.description))
            if any(row.description for row in link.rows)
            else "",
            strength=_strength(link.rows, tally),
            id=str(uuid.uuid5(uuid.UUID(document.id), "\n".join(("relation", *ends, key)))),
            chunk_ids=chunks.ids(row_key for row in link.rows for row_key in row.passages),
            inferred=not stated,
            method="" if stated else link.rows[0].method,
            via="" if stated else link.rows[0].via,
        )
        evidence = finder.of([quote for row in link.rows for quote in row.evidence], relation)
        made.append(replace(relation, evidence=evidence, chunk_ids=relation.chunk_ids or _chunks_of(evidence)))
    return tuple(sorted(made, key=lambda one: (plain(one.source), plain(one.target), plain(one.type), one.id)))


def _chunks_of(evidence: tuple[Evidence, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(quote.chunk_id for quote in evidence if quote.verified and quote.chunk_id))


def _strength(rows: list[Statement], tally: Tally) -> float:
    numbers = [row.strength for row in rows if row.strength is not None]
    if not numbers:
        return DEFAULT_STRENGTH
    inside = [min(10.0, max(1.0, number)) for number in numbers]
    tally.add(wording.STRENGTHS, sum(one != other for one, other in zip(numbers, inside, strict=True)))
    return round(sum(inside) / len(inside), 4)


# ── entities ──────────────────────────────────────────────────────────────────────────────────────
def _entities(
    register: Register, chunks: Chunks, document_id: str, relations: tuple[Relation, ...]
) -> tuple[Entity, ...]:
    """All entries as records; where the file does not say which passages name one, those of its relations do."""
    used: dict[tuple[str, str], dict[str, None]] = {}
    for relation in relations:
        for at in ((relation.source, relation.source_type), (relation.target, relation.target_type)):
            used.setdefault(at, {}).update(dict.fromkeys(relation.chunk_ids))
    made = []
    for entry in register.entries.values():
        descriptions = list(entry.descriptions.values())
        made.append(
            Entity(
                name=entry.name,
                type=entry.type,
                description=join_descriptions(descriptions) if descriptions else "",
                id=entity_id(document_id, entry.at[0], entry.type),
                chunk_ids=chunks.ids(entry.passages) or chunks.ordered(used.get((entry.name, entry.type), {})),
                aliases=tuple(alias for alias in entry.aliases if alias != entry.name),
                attributes=dict(sorted(entry.attributes.items())),
            )
        )
    return tuple(sorted(made, key=lambda one: (plain(one.name), one.type, one.id)))


# ── the rest ──────────────────────────────────────────────────────────────────────────────────────
def _schema(stated: GraphSchema, entities: tuple[Entity, ...], relations: tuple[Relation, ...]) -> GraphSchema:
    """The types that the file declares; where it declares none, those that are used."""
    return GraphSchema(
        stated.entity_types or tuple(sorted({entity.type for entity in entities})),
        stated.relation_types or tuple(sorted({relation.type for relation in relations})),
        stated.reasoning,
    )


def _rows_of(passage: Passage, chunks: Chunks) -> tuple[tuple[Entity, ...], tuple[Relation, ...]]:
    """What the file lists under a passage, as it lists it."""
    return (
        tuple(_candidate(thing, chunks) for thing in passage.things),
        tuple(_said(row, chunks) for row in passage.statements),
    )


def _candidate(thing: Thing, chunks: Chunks) -> Entity:
    return Entity(
        thing.name,
        thing.type or UNKNOWN,
        thing.description,
        chunk_ids=chunks.ids(thing.passages),
        aliases=thing.aliases,
        attributes=thing.attributes,
    )


def _said(row: Statement, chunks: Chunks) -> Relation:
    return Relation(
        row.source,
        row.source_type,
        row.target,
        row.target_type,
        row.predicate or DEFAULT_PREDICATE,
        row.description,
        _strength([row], Tally()),
        chunk_ids=chunks.ids(row.passages),
        inferred=row.inferred,
        method=row.method,
        via=row.via,
    )


def _status(passage: Passage) -> ChunkStatus:
    return "ok" if passage.things or passage.statements or passage.text else "empty"


def _count_rest(found: Found, register: Register, entities: tuple[Entity, ...], chunks: Chunks, tally: Tally) -> None:
    declared = {plain(name) for name in found.schema.entity_types}
    if declared:
        for name in sorted({one.type for one in entities if plain(one.type) not in declared} - {UNKNOWN}):
            tally.add(wording.UNDECLARED, example=name[:40])
    for entry in register.entries.values():
        tally.add(wording.UNKNOWN_PASSAGES, chunks.unknown(entry.passages))
    tally.add(wording.SEVERAL_DOCUMENTS, found.several - 1)
    if not entities:
        tally.add(wording.EMPTY)
