"""Inference passes that ask the model: bridge, hub, within, taxonomy. Acceptance is `kgsite.extract.infer`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kgsite.extract import infer
from kgsite.extract.llm.asking import ask_model
from kgsite.extract.llm.client import Ask, Client
from kgsite.extract.llm.context import TEXT, Questions, list_schema, object_schema
from kgsite.extract.llm.faults import Fault
from kgsite.extract.replies import Shape
from kgsite.model import DocumentGraph, Entity, Relation

_RESPONSE = object_schema(
    {"relations": list_schema(object_schema({"source": TEXT, "type": TEXT, "target": TEXT, "description": TEXT}))}
)
_SHAPE = Shape(
    ("relations",), ("relations",), lambda row: "relations" if isinstance(row, dict) and "target" in row else ""
)
_MEMBERS = 8
_FACTS = 60
_WITHIN_GROUPS = 10
_TAXONOMY_NAMES = 150


def inference_asks(questions: Questions, graph: DocumentGraph, language: str) -> list[tuple[str, Ask]]:
    """(method, request) for all methods that are switched on and have something to ask about."""
    settings = questions.settings.inference
    asks: list[tuple[str, Ask]] = []

    def put(method: str, prompt: str, material: str) -> None:
        named, most = questions.language(language), str(settings.hub_max_new)
        ask = questions.ask(prompt, "inference", _RESPONSE, expected=600, material=material, language=named, most=most)
        asks.append((method, ask))

    if settings.llm_bridge:
        for material in _bridges(graph, settings.max_bridge_components, settings.bridge_groups_per_call):
            put("llm_bridge", "bridge", material)
    if settings.llm_hub and len(found := infer.hubs(graph, settings.hub_entities)) > 1:
        put("llm_hub", "hub", _things(found) + "\n\nStated:\n" + _facts(graph, found))
    if settings.llm_within and (material := _groups(graph)):
        put("llm_within", "within", material)
    if settings.taxonomy and len(graph.entities) > 2:
        put("taxonomy", "taxonomy", _things(infer.hubs(graph, _TAXONOMY_NAMES) or graph.entities[:_TAXONOMY_NAMES]))
    return asks


async def inferred(
    client: Client, questions: Questions, graph: DocumentGraph, language: str
) -> tuple[tuple[Relation, ...], tuple[str, ...]]:
    """(relations to add, notes). Raises Halt."""
    settings = questions.settings.inference
    names = infer.by_name(graph.entities)
    candidates: dict[str, list[Relation]] = {}
    notes: list[str] = []
    for method, ask in inference_asks(questions, graph, language):
        try:
            outcome = await ask_model(client, ask, _SHAPE)
        except Fault as fault:
            notes.append(f"{method}: {client.endpoint.redact(fault.message)}")
            continue
        candidates.setdefault(method, []).extend(infer.proposed(outcome.value.get("relations") or (), names, method))
    if settings.apply_transitive:
        candidates["transitive"] = infer.transitive(graph, settings)
    if settings.lexical:
        candidates["lexical"] = infer.lexical(graph, settings)
    return infer.accepted(graph, candidates, settings), tuple(notes)


def _things(entities: Sequence[Entity]) -> str:
    return "\n".join(f"- {entity.name} ({entity.type})" for entity in entities)


def _facts(graph: DocumentGraph, among: Sequence[Entity]) -> str:
    names = {infer.fold(entity.name) for entity in among}
    facts = [
        relation
        for relation in graph.relations
        if infer.fold(relation.source) in names or infer.fold(relation.target) in names
    ]
    facts.sort(key=lambda relation: (-relation.strength, relation.source, relation.target, relation.type))
    return "\n".join(f"- {relation.source} | {relation.type} | {relation.target}" for relation in facts[:_FACTS])


def _bridges(graph: DocumentGraph, most: int, per_call: int) -> list[str]:
    groups = [group for group in infer.components(graph)[:most] if group]
    if len(groups) < 2:
        return []
    main = f"Main group:\n{_things(groups[0][:_MEMBERS])}\n\nStated:\n{_facts(graph, groups[0][:_MEMBERS])}"
    others = groups[1:]
    return [
        main
        + "".join(
            f"\n\nGroup {number}:\n{_things(group[:_MEMBERS])}"
            for number, group in enumerate(others[at : at + per_call], 1)
        )
        for at in range(0, len(others), per_call)
    ]


def _groups(graph: DocumentGraph) -> str:
    members: dict[Any, list[Entity]] = {}
    for entity in graph.entities:
        if entity.community_id is not None:
            members.setdefault(entity.community_id, []).append(entity)
    large = sorted(
        (group for group in members.values() if len(group) > 2), key=lambda group: (-len(group), group[0].name)
    )
    return "\n\n".join(
        f"Group:\n{_things(group[:15])}\n\nStated:\n{_facts(graph, group[:15])}" for group in large[:_WITHIN_GROUPS]
    )
