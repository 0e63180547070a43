"""A finished draft as records: entities and relations with stable ids, in stable order."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import replace

from kgsite.collection.identity import plain
from kgsite.extract.consolidate import UNKNOWN_TYPE, Draft, Thing
from kgsite.model import NAMESPACE, Entity, Evidence, Relation

_MOST_DESCRIPTIONS = 50


def join_descriptions(texts: Iterable[str]) -> str:
    """Different descriptions as one text; one that another contains is left out."""
    kept: list[str] = []
    folded: list[str] = []
    for text in sorted(texts, key=len, reverse=True)[:_MOST_DESCRIPTIONS]:
        short = plain(text).rstrip(".")
        if not any(short in longer for longer in folded):
            kept.append(text)
            folded.append(short)
    if len(kept) == 1:
        return kept[0]
    return " ".join(text if text.endswith((".", "!", "?", "。", "…")) else text + "." for text in kept)


def entities(draft: Draft, document_id: str, chunk_order: Mapping[str, int]) -> tuple[Entity, ...]:
    """The draft's things as records, by key and type, with ids made of document, name and type."""
    made = []
    for key in sorted(draft.things):
        thing = draft.things[key]
        others = sorted(name for name in thing.types if name not in (thing.type, UNKNOWN_TYPE))
        attributes = dict(thing.attributes)
        if others:
            attributes["other types"] = ", ".join(others)
        name = thing.name
        made.append(
            Entity(
                name=name,
                type=thing.type,
                description=join_descriptions(thing.descriptions.values()),
                id=entity_id(document_id, key, thing.type),
                chunk_ids=_ordered(thing.chunk_ids, chunk_order),
                aliases=_aliases(thing, name),
                attributes=attributes,
            )
        )
    return tuple(sorted(made, key=lambda entity: (plain(entity.name), entity.type, entity.id)))


def _aliases(thing: Thing, name: str) -> tuple[str, ...]:
    seen = {plain(name)}
    kept = []
    for alias in [*sorted(thing.names), *sorted(thing.aliases)]:
        if (folded := plain(alias)) not in seen:
            seen.add(folded)
            kept.append(alias)
    return tuple(kept)


def entity_id(document_id: str, key: str, type_name: str) -> str:
    """uuid5 of document, folded name and type."""
    return _uuid(document_id, "entity", key, plain(type_name))


def relation_id(document_id: str, source: str, target: str, predicate: str) -> str:
    """uuid5 of document, the keys of both ends and that of the predicate."""
    return _uuid(document_id, "relation", source, target, predicate)


def inferred_id(document_id: str, relation: Relation) -> str:
    """Of a relation that a model added to a finished graph: uuid5 of document and content."""
    words = (document_id, relation.source, relation.target, relation.type, relation.method)
    return str(uuid.uuid5(NAMESPACE, "\n".join(words)))


def relations(draft: Draft, document_id: str, chunk_order: Mapping[str, int]) -> tuple[Relation, ...]:
    """The draft's statements as records, by source, target and type."""
    made = []
    for (source, target, predicate), statement in draft.statements.items():
        one, other = draft.things[source], draft.things[target]
        record = Relation(
            source=one.name,
            source_type=one.type,
            target=other.name,
            target_type=other.type,
            type=statement.predicate,
            description=join_descriptions(statement.descriptions.values()),
            strength=round(sum(statement.strengths) / len(statement.strengths), 2),
            id=relation_id(document_id, source, target, predicate),
            chunk_ids=_ordered(statement.chunk_ids, chunk_order),
            evidence=tuple(sorted(statement.evidence.values(), key=_evidence_order)),
            inferred=not statement.stated,
        )
        if record.inferred:
            record = replace(record, method=statement.method, via=statement.via)
        made.append(((plain(one.name), plain(other.name), predicate, record.id), record))
    return tuple(record for _, record in sorted(made, key=lambda item: item[0]))


def _evidence_order(evidence: Evidence) -> tuple[bool, int, int, str]:
    return (not evidence.verified, evidence.start or 0, evidence.end or 0, evidence.text)


def _ordered(chunk_ids: Iterable[str], order: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(sorted(chunk_ids, key=lambda chunk_id: (order.get(chunk_id, len(order)), chunk_id)))


def _uuid(document_id: str, *parts: str) -> str:
    try:
        namespace = uuid.UUID(document_id)
    except ValueError:
        namespace = uuid.uuid5(uuid.NAMESPACE_OID, document_id)
    return str(uuid.uuid5(namespace, "\n".join(parts)))
