"""The share of a collection that one document has: what its drawing and its explorer show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kgsite.model import Collection, CollectionEntity, DocumentGraph, Fact


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """Things and facts of one document, as the collection has them (merged, corrected)."""

    entities: tuple[CollectionEntity, ...]  # by slug
    facts: tuple[Fact, ...]  # by source, target, predicate; both ends are among the entities
    communities: Mapping[str, int]  # entity key → Community.id of the document; absent = none


def document_parts(collection: Collection) -> dict[str, DocumentPart]:
    """The part of each document, by document id, in one pass over the collection."""
    entities: dict[str, list[CollectionEntity]] = {document.id: [] for document in collection.documents}
    keys: dict[str, set[str]] = {document.id: set() for document in collection.documents}
    for entity in collection.entities:
        for document in entity.documents:
            if document in entities:
                entities[document].append(entity)
                keys[document].add(entity.key)
    facts: dict[str, list[Fact]] = {document.id: [] for document in collection.documents}
    for fact in collection.facts:
        for document in fact.documents:
            if document in facts and fact.source in keys[document] and fact.target in keys[document]:
                facts[document].append(fact)
    return {
        document.id: DocumentPart(
            tuple(entities[document.id]), tuple(facts[document.id]), _communities(collection, document)
        )
        for document in collection.documents
    }


def _communities(collection: Collection, document: DocumentGraph) -> dict[str, int]:
    """Communities of the document's own graph; of spellings that became one thing, the first that has one decides."""
    found: dict[str, int] = {}
    for entity in document.entities:
        key = collection.entity_of.get(entity.id)
        if key is not None and entity.community_id is not None:
            found.setdefault(key, entity.community_id)
    return found
