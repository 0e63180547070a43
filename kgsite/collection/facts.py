"""Relations of all documents as facts of the collection: one for each source, target and predicate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from kgsite.collection.identity import plain
from kgsite.model import DocumentGraph, Fact, FactEvidence, Relation

Ends = Mapping[tuple[str, str], str]
"""(name, type) of an entity of one document → key; (name, "") when the type does not matter."""


_Said = list[tuple[str, Relation]]  # (document id, what it says), in the order of the documents


def find_facts(documents: Sequence[DocumentGraph], ends: Sequence[Ends]) -> tuple[tuple[Fact, ...], int]:
    """The facts by source, target and predicate, and how many relations were left out as a thing's relation to itself.

    `ends` tells for each document which key an end of a relation has.
    """
    groups: dict[tuple[str, str, str], _Said] = {}
    loops = 0
    predicates: dict[str, str] = {}
    for document, keys in zip(documents, ends, strict=True):
        for relation in document.relations:
            source = _key(keys, relation.source, relation.source_type)
            target = _key(keys, relation.target, relation.target_type)
            if source == target:
                loops += 1
                continue
            predicate = predicates.get(relation.type)
            if predicate is None:
                predicate = predicates[relation.type] = plain(relation.type.replace("_", " "))
            groups.setdefault((source, target, predicate), []).append((document.id, relation))
    return tuple(_fact(at[0], at[1], groups[at]) for at in sorted(groups)), loops


def _key(keys: Ends, name: str, type_name: str) -> str:
    found = keys.get((name, type_name))
    return keys[name, ""] if found is None else found


def _fact(source: str, target: str, said: _Said) -> Fact:
    if len(said) == 1:
        return _stated_once(source, target, *said[0])
    spellings = Counter(relation.type for _, relation in said)
    inferred = [relation for _, relation in said if relation.inferred]
    return Fact(
        source=source,
        target=target,
        predicate=min(spellings, key=lambda name: (-spellings[name], name)),
        documents=tuple(dict.fromkeys(document for document, _ in said)),
        strength=_strength(said),
        description=next((relation.description for _, relation in said if relation.description), ""),
        evidence=_evidence(said),
        inferred=len(inferred) == len(said),
        methods=tuple(sorted({relation.method for relation in inferred} - {""})),
        via=tuple(sorted({relation.via for relation in inferred} - {""})),
    )


def _stated_once(source: str, target: str, document: str, relation: Relation) -> Fact:
    """The same for one relation, which most facts have."""
    evidence = relation.evidence
    return Fact(
        source=source,
        target=target,
        predicate=relation.type,
        documents=(document,),
        strength=round(relation.strength, 2),
        description=relation.description,
        evidence=(FactEvidence(document, evidence[0]),) if len(evidence) == 1 else _evidence([(document, relation)]),
        inferred=relation.inferred,
        methods=(relation.method,) if relation.inferred and relation.method else (),
        via=(relation.via,) if relation.inferred and relation.via else (),
    )


def _strength(said: _Said) -> float:
    """The mean over the documents of their own means."""
    by_document: dict[str, list[float]] = {}
    for document, relation in said:
        by_document.setdefault(document, []).append(relation.strength)
    means = [sum(strengths) / len(strengths) for strengths in by_document.values()]
    return round(sum(means) / len(means), 2)


def _evidence(said: _Said) -> tuple[FactEvidence, ...]:
    """The quotes of all documents, each place of a document once."""
    found: dict[tuple[str, int | None, int | None, str], FactEvidence] = {}
    for document, relation in said:
        for quote in relation.evidence:
            text = "" if quote.verified else plain(quote.text)
            found.setdefault((document, quote.start, quote.end, text), FactEvidence(document, quote))
    return tuple(found.values())
