"""Communities that last: the grouping of the last build, and how a changed graph is grouped from it.

Louvain on a graph with one edge more may divide the whole collection differently; then most pages would show another
community, and the communities other addresses. So the groups are remembered (`.kgsite/communities.json`, committed
like the layout), and only entities whose relations changed are looked at again, with those whose neighbours moved
(Zarayeneh & Kalyanaraman 2021 screen in the same way). Many changes at once are grouped anew.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from kgsite.collection.grouping import louvain
from kgsite.errors import StoreError

FORMAT = 1
ANEW_FROM = 0.3
"""Share of connected entities with changed relations from which everything is grouped anew."""
_MATCH = 0.5  # least share of common members (Jaccard) for a new group to continue an old one
_TIE = 1e-12
_VISITS = 50  # a node on average; a guard against rounding that moves nodes to and fro

Weights = Mapping[tuple[int, int], float]


@dataclass(frozen=True, slots=True)
class Remembered:
    """A community as it was: whose address it has, what it was called after, and its members."""

    number: int  # its id in the collection, for as long as it lives
    anchor: str  # entity key under which permalinks keep its address
    top: tuple[str, ...]  # keys of the members it was named after
    topics: tuple[str, ...]
    members: Mapping[str, str]  # entity key → digest of its relations


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes that belong together, and the community that they continue."""

    nodes: tuple[int, ...]
    past: Remembered | None = None


@dataclass(slots=True)
class CommunityMemory:
    """The groups of the last build; `replace` takes those of this one."""

    groups: tuple[Remembered, ...] = ()
    ties: tuple[str, ...] = field(default=(), repr=False)  # of the nodes of the present build

    @classmethod
    def load(cls, data: bytes) -> CommunityMemory:
        """What `dump` wrote. Raises StoreError when it can't be trusted."""
        try:
            tree = orjson.loads(data)
            if tree["format"] != FORMAT:
                raise StoreError("communities.json is not in a format that this kgsite reads")
            groups = tuple(_restored(one) for one in tree["groups"])
        except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
            raise StoreError(f"communities.json is damaged: {type(error).__name__}") from None
        if len({one.number for one in groups}) < len(groups) or len({one.anchor for one in groups}) < len(groups):
            raise StoreError("communities.json is damaged: two communities are one")
        return cls(groups)

    def dump(self) -> bytes:
        """JSON: sorted keys, one member a line, "\\n" at the end."""
        groups = [
            {
                "number": one.number,
                "anchor": one.anchor,
                "top": one.top,
                "topics": one.topics,
                "members": dict(sorted(one.members.items())),
            }
            for one in sorted(self.groups, key=lambda one: one.number)
        ]
        options = orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        return orjson.dumps({"format": FORMAT, "groups": groups}, option=options)


def _restored(one: Any) -> Remembered:
    strings = (one["anchor"], *one["top"], *one["topics"], *one["members"], *one["members"].values())
    if not all(isinstance(text, str) for text in strings) or not isinstance(one["number"], int):
        raise TypeError
    return Remembered(one["number"], one["anchor"], tuple(one["top"]), tuple(one["topics"]), dict(one["members"]))


def regroup(keys: Sequence[str], weights: Weights, memory: CommunityMemory) -> list[Group]:
    """Groups of at least two nodes; `keys` are the entity keys of the nodes, `weights` the undirected edges.

    The same graph gives the same groups; a small change gives the remembered groups but for what it touches.
    """
    neighbours: list[list[tuple[int, float]]] = [[] for _ in keys]
    for (low, high), weight in sorted(weights.items()):
        if low != high:
            neighbours[low].append((high, weight))
            neighbours[high].append((low, weight))
    ties = [_tie(keys, row) for row in neighbours]
    memory.ties = tuple(ties)
    past_of = {key: number for number, one in enumerate(memory.groups) for key in one.members}
    linked = [node for node, row in enumerate(neighbours) if row]
    changed = [
        node
        for node in linked
        if keys[node] not in past_of or memory.groups[past_of[keys[node]]].members[keys[node]] != ties[node]
    ]
    if not memory.groups or len(changed) > ANEW_FROM * len(linked):
        return _continued(louvain(len(keys), weights), keys, memory.groups)
    group_of = [past_of.get(key, -1 - node) if neighbours[node] else -1 - node for node, key in enumerate(keys)]
    touched = _settle(neighbours, group_of, changed)
    return _collected(neighbours, group_of, touched, keys, memory.groups)


def _tie(keys: Sequence[str], row: Iterable[tuple[int, float]]) -> str:
    parts = sorted(f"{keys[node]}\0{weight:.4f}" for node, weight in row)
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _settle(neighbours: list[list[tuple[int, float]]], group_of: list[int], changed: Sequence[int]) -> set[int]:
    """Move changed nodes to the neighbouring group where modularity rises most, then those whose neighbours moved.

    Edits `group_of`; returns the groups that gained, lost or may have fallen apart.
    """
    degrees = [sum(weight for _, weight in row) for row in neighbours]
    double = sum(degrees)
    sums: dict[int, float] = {}
    for node, group in enumerate(group_of):
        sums[group] = sums.get(group, 0.0) + degrees[node]
    queue = deque(changed)
    waiting = set(changed)
    touched = {group_of[node] for node in changed}
    visits = 0
    while queue and visits < _VISITS * len(group_of):
        visits += 1
        node = queue.popleft()
        waiting.discard(node)
        own, share = group_of[node], degrees[node] / double
        links: dict[int, float] = {}
        for other, weight in neighbours[node]:
            links[group_of[other]] = links.get(group_of[other], 0.0) + weight
        sums[own] -= degrees[node]
        best, most = own, links.get(own, 0.0) - share * sums[own]
        for group in sorted(links):
            gain = links[group] - share * sums[group]
            if gain > most + _TIE:
                best, most = group, gain
        sums[best] += degrees[node]
        if best == own:
            continue
        group_of[node] = best
        touched |= {own, best}
        for other, _ in neighbours[node]:
            if group_of[other] != best and other not in waiting:
                waiting.add(other)
                queue.append(other)
    return touched


def _collected(
    neighbours: list[list[tuple[int, float]]],
    group_of: list[int],
    touched: set[int],
    keys: Sequence[str],
    past: Sequence[Remembered],
) -> list[Group]:
    members: dict[int, list[int]] = {}
    for node, group in enumerate(group_of):
        members.setdefault(group, []).append(node)
    groups: list[Group] = []
    for number, nodes in sorted(members.items()):
        parts = _components(nodes, neighbours) if number in touched else [nodes]
        # Of a community that fell apart, the part with its anchor goes on; else the largest.
        anchor = past[number].anchor if number >= 0 else ""
        parts.sort(key=lambda part: (anchor not in {keys[node] for node in part}, -len(part), part[0]))
        groups += [
            Group(tuple(part), past[number] if number >= 0 and not at else None) for at, part in enumerate(parts)
        ]
    return [group for group in groups if len(group.nodes) > 1]


def _components(nodes: Sequence[int], neighbours: list[list[tuple[int, float]]]) -> list[list[int]]:
    inside, seen, parts = set(nodes), set[int](), []
    for start in nodes:
        if start in seen:
            continue
        part, pending = [], [start]
        seen.add(start)
        while pending:
            node = pending.pop()
            part.append(node)
            for other, _ in neighbours[node]:
                if other in inside and other not in seen:
                    seen.add(other)
                    pending.append(other)
        parts.append(sorted(part))
    return parts


def _continued(groups: Iterable[Sequence[int]], keys: Sequence[str], past: Sequence[Remembered]) -> list[Group]:
    """New groups, each with the old one that it continues: the most common members first."""
    found = [tuple(nodes) for nodes in groups if len(nodes) > 1]
    past_of = {key: number for number, one in enumerate(past) for key in one.members}
    pairs: list[tuple[float, int, int]] = []
    for number, nodes in enumerate(found):
        common: dict[int, int] = {}
        for node in nodes:
            if keys[node] in past_of:
                common[past_of[keys[node]]] = common.get(past_of[keys[node]], 0) + 1
        for old, count in common.items():
            share = count / (len(nodes) + len(past[old].members) - count)
            if share >= _MATCH:
                pairs.append((-share, number, old))
    heirs: dict[int, int] = {}
    for _, number, old in sorted(pairs):
        if number not in heirs and old not in heirs.values():
            heirs[number] = old
    return [Group(nodes, past[heirs[number]] if number in heirs else None) for number, nodes in enumerate(found)]
