"""Standardisation: the model proposes which names mean the same thing; people decide, unless `auto_merge` is on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from kgsite.config.settings import Settings
from kgsite.extract.infer import fold
from kgsite.extract.llm.asking import ask_model
from kgsite.extract.llm.client import Ask, Client
from kgsite.extract.llm.context import TEXT, Questions, list_schema, object_schema
from kgsite.extract.llm.faults import Fault
from kgsite.extract.replies import Shape, read_reply
from kgsite.extract.rows import text_of
from kgsite.model import DocumentGraph, Entity, Relation
from kgsite.replystore import ReplyStore

_NAMES_PER_REQUEST = 250
_RESPONSE = object_schema(
    {"groups": list_schema(object_schema({"name": TEXT, "variants": list_schema(TEXT), "reason": TEXT}))}
)
_SHAPE = Shape(("groups",), ("groups",), lambda row: "groups" if isinstance(row, dict) and "variants" in row else "")


@dataclass(frozen=True, slots=True)
class Proposal:
    """Names of one document that a model takes for the same thing."""

    name: str
    variants: tuple[str, ...]
    reason: str = ""


def variant_asks(questions: Questions, graph: DocumentGraph) -> list[Ask]:
    """Requests over all names, by type and name, so that likely variants share a request."""
    ranked = sorted(graph.entities, key=lambda entity: (entity.type, fold(entity.name)))
    parts = [ranked[at : at + _NAMES_PER_REQUEST] for at in range(0, len(ranked), _NAMES_PER_REQUEST)]
    return [
        questions.ask(
            "variants",
            "variants",
            _RESPONSE,
            expected=400,
            names="\n".join(f"- {entity.name} ({entity.type})" for entity in part),
        )
        for part in parts
        if len(part) > 1
    ]


async def propose(client: Client, questions: Questions, graph: DocumentGraph) -> tuple[list[Proposal], tuple[str, ...]]:
    """(proposals, notes). Raises Halt."""
    found: list[Proposal] = []
    notes: list[str] = []
    for ask in variant_asks(questions, graph):
        try:
            outcome = await ask_model(client, ask, _SHAPE)
        except Fault as fault:
            notes.append(f"variants: {client.endpoint.redact(fault.message)}")
            continue
        found += proposals(outcome.value, graph)
    return found, tuple(notes)


def stored_proposals(graph: DocumentGraph, settings: Settings, store: ReplyStore) -> list[Proposal]:
    """Proposals from replies that are stored; asks nobody."""
    found: list[Proposal] = []
    for ask in variant_asks(Questions(settings), graph):
        stored = store.get(ask.key)
        if stored is not None:
            found += proposals(read_reply(stored.content, _SHAPE).value, graph)
    return found


def proposals(value: Mapping[str, Any], graph: DocumentGraph) -> list[Proposal]:
    """Groups of names that exist, share a type and are in one group only."""
    known = {fold(entity.name): entity for entity in graph.entities}
    used: set[str] = set()
    found: list[Proposal] = []
    for row in value.get("groups") or ():
        listed = row.get("variants") if isinstance(row, dict) else None
        main = known.get(fold(text_of(row.get("name")))) if isinstance(row, dict) else None
        if main is None or not isinstance(listed, list) or fold(main.name) in used:
            continue
        others = [known.get(fold(text_of(name))) for name in listed]
        fitting = [
            other
            for other in others
            if other is not None and other is not main and other.type == main.type and fold(other.name) not in used
        ]
        if fitting:
            used.update(fold(entity.name) for entity in (main, *fitting))
            found.append(
                Proposal(
                    main.name, tuple(dict.fromkeys(entity.name for entity in fitting)), text_of(row.get("reason"), 300)
                )
            )
    return found


def merged(graph: DocumentGraph, found: list[Proposal]) -> DocumentGraph:
    """The graph with proposals applied: variants become aliases, relations move to the kept name, loops go."""
    to = {fold(variant): proposal.name for proposal in found for variant in proposal.variants}
    if not to:
        return graph
    kept: dict[str, Entity] = {fold(entity.name): entity for entity in graph.entities if fold(entity.name) not in to}
    for entity in graph.entities:
        main = kept.get(fold(to.get(fold(entity.name), "")))
        if main is not None:
            aliases = tuple(dict.fromkeys((*main.aliases, entity.name, *entity.aliases)))
            chunk_ids = tuple(dict.fromkeys((*main.chunk_ids, *entity.chunk_ids)))
            kept[fold(main.name)] = replace(
                main, aliases=aliases, chunk_ids=chunk_ids, description=main.description or entity.description
            )
    relations: dict[tuple[str, str, str], Relation] = {}
    for relation in graph.relations:
        source, target = to.get(fold(relation.source), relation.source), to.get(fold(relation.target), relation.target)
        if source == target and relation.source != relation.target:
            continue
        moved = replace(relation, source=source, target=target)
        key = (fold(source), relation.type, fold(target))
        old = relations.get(key)
        relations[key] = moved if old is None else _joined(old, moved)
    members = {f"{entity.name}::{entity.type}" for entity in kept.values()}
    communities = tuple(
        replace(group, members=tuple(member for member in group.members if member in members))
        for group in graph.communities
    )
    ordered = sorted(kept.values(), key=lambda entity: (fold(entity.name), entity.type))
    by_ends = sorted(relations.values(), key=lambda relation: (relation.source, relation.target, relation.type))
    return replace(graph, entities=tuple(ordered), relations=tuple(by_ends), communities=communities)


def _joined(first: Relation, second: Relation) -> Relation:
    return replace(
        first,
        chunk_ids=tuple(dict.fromkeys((*first.chunk_ids, *second.chunk_ids))),
        evidence=tuple(dict.fromkeys((*first.evidence, *second.evidence))),
        strength=max(first.strength, second.strength),
        inferred=first.inferred and second.inferred,
    )
