"""From a graph to ever smaller ones: heavy-edge matching, first inside communities, then across them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

ENOUGH = 60
"""A graph of this many nodes is not made smaller."""


@dataclass(frozen=True, slots=True)
class Level:
    """One graph of the hierarchy; `parent` maps its nodes to those of the next smaller level (empty on the last)."""

    mass: Floats
    source: Ints
    target: Ints
    weight: Floats
    group: Ints
    parent: Ints


def hierarchy(level: Level, rng: np.random.Generator) -> list[Level]:
    """The levels from `level` (whose `parent` is ignored) to the smallest; each has 0.4 to 0.9 of the nodes before."""
    levels: list[Level] = []
    inside = True
    while True:
        parent = _match(level, level.group if inside else np.zeros_like(level.group), inside, rng)
        smaller = int(parent.max(initial=-1)) + 1
        small_enough = level.mass.size <= ENOUGH
        if small_enough or smaller > 0.9 * level.mass.size:
            if inside and not small_enough:
                inside = False  # communities are single nodes by now: go on across them
                continue
            levels.append(Level(level.mass, level.source, level.target, level.weight, level.group, _none()))
            return levels
        levels.append(Level(level.mass, level.source, level.target, level.weight, level.group, parent))
        level = _contract(level, parent, smaller)


def _none() -> Ints:
    return np.empty(0, dtype=np.int64)


def _match(level: Level, group: Ints, inside: bool, rng: np.random.Generator) -> Ints:
    """Pair nodes of equal `group` along their heaviest edges; returns the number of each node's pair."""
    n = level.mass.size
    same = group[level.source] == group[level.target]
    source, target = level.source[same], level.target[same]
    # Light nodes first, or a hub would swallow its surroundings node by node. The noise only breaks ties.
    score = level.weight[same] / np.sqrt(level.mass[source] * level.mass[target]) * (1 + 1e-3 * rng.random(source.size))
    head, tail = np.concatenate([source, target]), np.concatenate([target, source])
    both = np.concatenate([score, score])
    order = np.lexsort((both, head))
    head, tail = head[order], tail[order]
    partner = np.full(n, -1, dtype=np.int64)
    for _ in range(4):
        usable = (partner[head] < 0) & (partner[tail] < 0)
        best = np.full(n, -1, dtype=np.int64)
        best[head[usable]] = tail[usable]  # sorted by score: the last one written is the heaviest
        mutual = np.flatnonzero((best >= 0) & (best[best] == np.arange(n)))
        if mutual.size == 0:
            break
        partner[mutual] = best[mutual]
    best = np.full(n, -1, dtype=np.int64)
    best[head] = tail
    _pair_siblings(partner, best, group, inside)
    alone = partner < 0
    partner[alone] = np.flatnonzero(alone)
    _, parent = np.unique(np.minimum(np.arange(n), partner), return_inverse=True)
    return parent.astype(np.int64).ravel()


def _pair_siblings(partner: Ints, best: Ints, group: Ints, inside: bool) -> None:
    """Pair what is left and hangs on the same node (the leaves of a star), or, inside a group, on none at all."""
    left = np.flatnonzero((partner < 0) & ((best >= 0) | inside))
    if left.size < 2:
        return
    order = left[np.lexsort((left, best[left], group[left]))]
    equal = (best[order[1:]] == best[order[:-1]]) & (group[order[1:]] == group[order[:-1]])
    # Every second one of each run of equals starts a pair.
    starts = np.concatenate([[True], ~equal])
    position = np.arange(order.size) - np.maximum.accumulate(np.where(starts, np.arange(order.size), 0))
    first = np.flatnonzero(equal & (position[:-1] % 2 == 0))
    partner[order[first]] = order[first + 1]
    partner[order[first + 1]] = order[first]


def _contract(level: Level, parent: Ints, n: int) -> Level:
    mass: Floats = np.bincount(parent, weights=level.mass, minlength=n).astype(np.float64)
    group = np.zeros(n, dtype=np.int64)
    group[parent] = level.group
    source, target = parent[level.source], parent[level.target]
    low, high = np.minimum(source, target), np.maximum(source, target)
    kept = low != high
    code, inverse = np.unique(low[kept] * n + high[kept], return_inverse=True)
    weight: Floats = np.bincount(inverse.ravel(), level.weight[kept], code.size).astype(np.float64)
    return Level(mass, code // n, code % n, weight, group, _none())
