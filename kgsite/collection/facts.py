"""Relations of all documents as facts of the collection: one for each source, target and predicate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kgsite.collection.identity import plain
from kgsite.model import DocumentGraph, Evidence, Fact, FactEvidence, Relation

Ends = Mapping[tuple[str, str], str]
"""(name, type) of an entity of one document → key; (name, "") when the type does not matter."""


@dataclass(slots=True)
class _Draft:
    spellings: Counter[str] = field(default_factory=Counter)
    documents: dict[str, list[float]] = field(default_factory=dict)  # id → strengths there
    descriptions: dict[str, str] = field(default_factory=dict)
    evidence: dict[tuple[str, int | None, int | None, str], FactEvidence] = field(default_factory=dict)
    stated: bool = False
    methods: set[str] = field(default_factory=set)
    via: set[str] = field(default_factory=set)


def find_facts(documents: Sequence[DocumentGraph], ends: Sequence[Ends]) -> tuple[tuple[Fact, ...], int]:
    """The facts by source, target and predicate, and how many relations were left out as a thing's relation to itself.

    `ends` tells for each document which key an end of a relation has.
    """
    drafts: dict[tuple[str, str, str], _Draft] = {}
    loops = 0
    for document, keys in zip(documents, ends, strict=True):
        for relation in document.relations:
            source = _key(keys, relation.source, relation.source_type)
            target = _key(keys, relation.target, relation.target_type)
            if source == target:
                loops += 1
                continue
            predicate = plain(relation.type.replace("_", " "))
            _add(drafts.setdefault((source, target, predicate), _Draft()), document.id, relation)
    return tuple(_fact(at[0], at[1], drafts[at]) for at in sorted(drafts)), loops


def _key(keys: Ends, name: str, type_name: str) -> str:
    found = keys.get((name, type_name))
    return keys[name, ""] if found is None else found


def _add(draft: _Draft, document: str, relation: Relation) -> None:
    draft.spellings[relation.type] += 1
    draft.documents.setdefault(document, []).append(relation.strength)
    if relation.description:
        draft.descriptions.setdefault(plain(relation.description), relation.description)
    for quote in relation.evidence:
        draft.evidence.setdefault((document, quote.start, quote.end, _quote_key(quote)), FactEvidence(document, quote))
    if relation.inferred:
        draft.methods.add(relation.method)
        draft.via.add(relation.via)
    else:
        draft.stated = True


def _quote_key(quote: Evidence) -> str:
    return "" if quote.verified else plain(quote.text)


def _fact(source: str, target: str, draft: _Draft) -> Fact:
    means = [sum(strengths) / len(strengths) for strengths in draft.documents.values()]
    return Fact(
        source=source,
        target=target,
        predicate=min(draft.spellings, key=lambda name: (-draft.spellings[name], name)),
        documents=tuple(draft.documents),
        strength=round(sum(means) / len(means), 2),
        description=next(iter(draft.descriptions.values()), ""),
        evidence=tuple(draft.evidence.values()),
        inferred=not draft.stated,
        methods=tuple(sorted(draft.methods - {""})),
        via=tuple(sorted(draft.via - {""})),
    )
