"""A document graph under another content path: the ids that are made of the path, made anew.

Ids are hashes, so the words that went into one are looked for: the names and predicates of the graph are tried until
they give the old id, and give the new one. The outcome is what an extraction of the renamed file gives. An id that
nothing explains (of a graph made elsewhere) becomes a hash of the new document and the old id.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, product
from typing import TypeVar

from kgsite.collection.identity import plain
from kgsite.extract.chunk import chunk_id
from kgsite.extract.consolidate import predicate_key
from kgsite.extract.records import entity_id, inferred_id, relation_id
from kgsite.model import DocumentGraph, Entity, Evidence, GraphChunk, Relation

_Row = TypeVar("_Row", Entity, Relation)


def rehome(graph: DocumentGraph, document_id: str) -> DocumentGraph:
    """The graph as that of the document `document_id`; its provenance and title are left to the caller."""
    if graph.id == document_id:
        return graph
    known = dict(_renamed(graph, document_id))
    return relabel(graph, document_id, lambda old: known.get(old) or derived(document_id, old))


def derived(document_id: str, old: str) -> str:
    """An id that tells the rows of two documents apart which had the same one."""
    return str(uuid.uuid5(uuid.UUID(document_id), old)) if old else ""


def relabel(graph: DocumentGraph, document_id: str, new: Callable[[str], str]) -> DocumentGraph:
    """The graph with every id replaced, wherever it stands."""
    return replace(
        graph,
        id=document_id,
        entities=tuple(_row(entity, new) for entity in graph.entities),
        relations=tuple(_relation(relation, new) for relation in graph.relations),
        chunks=tuple(_chunk(part, new) for part in graph.chunks),
    )


def _row(row: _Row, new: Callable[[str], str]) -> _Row:
    return replace(row, id=new(row.id), chunk_ids=tuple(map(new, row.chunk_ids)))


def _relation(relation: Relation, new: Callable[[str], str]) -> Relation:
    def moved(quote: Evidence) -> Evidence:
        return replace(quote, chunk_id=new(quote.chunk_id))

    return replace(_row(relation, new), evidence=tuple(map(moved, relation.evidence)))


def _chunk(part: GraphChunk, new: Callable[[str], str]) -> GraphChunk:
    return replace(
        part,
        chunk=replace(part.chunk, id=new(part.chunk.id)),
        entities=tuple(_row(entity, new) for entity in part.entities),
        relations=tuple(_relation(relation, new) for relation in part.relations),
    )


# ── what the ids were made of ─────────────────────────────────────────────────────────────────────
def _renamed(graph: DocumentGraph, document_id: str) -> Iterator[tuple[str, str]]:
    """(old id, new id) of all rows whose id can be explained."""
    seen: Counter[str] = Counter()
    for part in sorted(graph.chunks, key=lambda part: part.chunk.chunk_idx):
        own = part.chunk.text[part.chunk.own_start - part.chunk.start :]
        yield tuple(chunk_id(document, own, seen[own]) for document in (graph.id, document_id))  # type: ignore[misc]
        seen[own] += 1
    keys: dict[tuple[str, str], tuple[str, ...]] = {}
    heard = _heard(graph)
    for entity in graph.entities:
        names = tuple(dict.fromkeys(plain(name) for name in (entity.name, *entity.aliases)))
        for key in chain(names, _longer(names[0], heard)):
            if entity_id(graph.id, key, entity.type) == entity.id:
                names = tuple(dict.fromkeys((key, *names)))
                yield entity.id, entity_id(document_id, key, entity.type)
                break
        keys[entity.name, entity.type] = names
    for relation in graph.relations:
        found = _new_relation_id(relation, keys, graph.id, document_id)
        if found is not None:
            yield relation.id, found


def _new_relation_id(
    relation: Relation, keys: Mapping[tuple[str, str], tuple[str, ...]], old: str, new: str
) -> str | None:
    if inferred_id(old, relation) == relation.id:
        return inferred_id(new, relation)
    sources = keys.get((relation.source, relation.source_type), ())
    targets = keys.get((relation.target, relation.target_type), ())
    for source, target in product(sources, targets):
        ends = source, target, predicate_key(relation.type)
        if relation_id(old, *ends) == relation.id:
            return relation_id(new, *ends)
    return None


def _longer(name: str, heard: frozenset[str]) -> Iterator[str]:
    """Folded names that end with this one: "the steam engine" is shown as "steam engine" but keeps its key."""
    yield from sorted(key for key in heard if key.endswith(name))


def _heard(graph: DocumentGraph) -> frozenset[str]:
    """Folded names as the chunks have them, before they were united."""
    names = {entity.name for part in graph.chunks for entity in part.entities}
    names |= {end for part in graph.chunks for relation in part.relations for end in (relation.source, relation.target)}
    return frozenset(map(plain, names))
