"""Communities of the whole collection, with names and lasting addresses."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from kgsite.collection.grouping import describe, topics
from kgsite.collection.lasting import CommunityMemory, Group, Remembered, regroup
from kgsite.collection.permalinks import Claim, Permalinks
from kgsite.model import CollectionCommunity, CollectionEntity

_TOP = 3
_RENAME_FROM = 1.5  # a community that grew or shrank by this factor is named anew


def find_communities(
    entities: Sequence[CollectionEntity],
    weights: Mapping[tuple[int, int], float],
    permalinks: Permalinks,
    language: str,
    memory: CommunityMemory,
) -> tuple[CollectionCommunity, ...]:
    """Groups of at least two of `entities` (in key order), largest first; ids are lasting, not positions.

    `weights` are undirected edges between their indexes. A community that `memory` knows keeps its address while it
    lives, and its name while the members that it was named after stay. `memory` takes the groups found.
    """
    strengths = [0.0] * len(entities)
    for (low, high), weight in weights.items():
        strengths[low] += weight
        strengths[high] += weight
    groups = regroup([one.key for one in entities], weights, memory)
    anchors = _anchors(groups, entities, strengths)
    found: list[tuple[Remembered, list[CollectionEntity]]] = []
    for group, anchor in zip(groups, anchors, strict=True):
        # By what is local to the group: a rank over the whole graph would move members on every change anywhere.
        nodes = sorted(group.nodes, key=lambda node: (-entities[node].degree, -strengths[node], entities[node].key))
        members = [entities[node] for node in nodes]
        ties = {entities[node].key: memory.ties[node] for node in nodes}
        found.append((_named(group, anchor, members, ties, language), members))
    found.sort(key=lambda pair: (-len(pair[1]), pair[0].anchor))
    found = _numbered(found)
    slugs = permalinks.assign("communities", [Claim(one.anchor, one.topics[0]) for one, _ in found])
    memory.groups = tuple(one for one, _ in found)
    names = {one.key: one.name for one in entities}
    return tuple(
        CollectionCommunity(
            id=one.number,
            slug=slugs[one.anchor],
            name=one.topics[0],
            topics=one.topics,
            description=describe(len(members), [names[key] for key in one.top], language),
            members=tuple(member.key for member in members),
        )
        for one, members in found
    )


def _numbered(
    found: list[tuple[Remembered, list[CollectionEntity]]],
) -> list[tuple[Remembered, list[CollectionEntity]]]:
    """New communities get the free numbers, smallest first."""
    used = {one.number for one, _ in found}
    free = (number for number in itertools.count() if number not in used)
    return [(replace(one, number=next(free)) if one.number < 0 else one, members) for one, members in found]


def _anchors(groups: Sequence[Group], entities: Sequence[CollectionEntity], strengths: Sequence[float]) -> list[str]:
    """Whose address each group has: the remembered one's, else its first member that no other group has taken."""
    taken = {group.past.anchor for group in groups if group.past}
    anchors: list[str] = []
    for group in groups:
        if group.past:
            anchors.append(group.past.anchor)
            continue
        ranked = sorted(group.nodes, key=lambda node: (-entities[node].degree, -strengths[node], entities[node].key))
        free = next((entities[node].key for node in ranked if entities[node].key not in taken), entities[ranked[0]].key)
        taken.add(free)
        anchors.append(free)
    return anchors


def _named(
    group: Group, anchor: str, members: Sequence[CollectionEntity], ties: Mapping[str, str], language: str
) -> Remembered:
    past = group.past
    if past and past.topics and all(key in ties for key in past.top):
        grown = max(len(members), len(past.members)) / max(1, min(len(members), len(past.members)))
        if grown < _RENAME_FROM:
            return Remembered(past.number, anchor, past.top, past.topics, ties)
    words = topics([one.name for one in members], [one.type for one in members], language)
    return Remembered(past.number if past else -1, anchor, tuple(one.key for one in members[:_TOP]), words, ties)
