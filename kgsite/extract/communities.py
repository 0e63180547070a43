"""Communities of one document graph."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from kgsite.collection.grouping import describe, louvain, topics
from kgsite.model import Community, Entity, Relation


def detect(
    entities: Sequence[Entity], relations: Sequence[Relation], language: str, names: Mapping[int, str]
) -> tuple[tuple[Entity, ...], tuple[Community, ...]]:
    """`entities` with their `community_id`, and the communities, largest first (ids from 0).

    Edges weigh as much as the strengths of all relations between two entities. `names` are better names, by id.
    """
    index = {(entity.name, entity.type): number for number, entity in enumerate(entities)}
    weights: dict[tuple[int, int], float] = defaultdict(float)
    degree: Counter[int] = Counter()
    for relation in relations:
        source = index[relation.source, relation.source_type]
        target = index[relation.target, relation.target_type]
        if source != target:
            weights[min(source, target), max(source, target)] += relation.strength
            degree.update((source, target))
    communities: list[Community] = []
    member_of: dict[int, int] = {}
    for number, group in enumerate(louvain(len(entities), weights)):
        member_of.update(dict.fromkeys(group, number))
        ranked = sorted(group, key=lambda node: (-degree[node], node))
        members = [entities[node] for node in ranked]
        found = topics([member.name for member in members], [member.type for member in members], language)
        better = names.get(number, "")
        communities.append(
            Community(
                id=number,
                topics=tuple(dict.fromkeys((better, *found))) if better else found,
                description=describe(len(members), [member.name for member in members], language),
                members=tuple(f"{member.name}::{member.type}" for member in members),
            )
        )
    numbered = tuple(replace(entity, community_id=member_of[number]) for number, entity in enumerate(entities))
    return numbered, tuple(communities)
