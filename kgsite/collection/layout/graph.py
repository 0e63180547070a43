"""The graph that a layout is made for, in one canonical form, and its digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from kgsite.collection.layout.sizes import node_size

VERSION = 1
"""Part of the digest. Raise it when layouts should be made anew (starting from the old positions)."""


@dataclass(frozen=True, slots=True)
class LayoutGraph:
    """Nodes by key, every connected pair once (source < target), communities numbered by first appearance."""

    keys: tuple[str, ...]  # sorted
    pairs: tuple[tuple[int, int], ...]  # sorted
    weights: tuple[float, ...]  # of the pairs, all above 0
    communities: tuple[int, ...]  # from 0 by first appearance; a node without community has a number of its own
    sizes: tuple[float, ...]  # relative radii, all above 0
    digest: str


def layout_graph(
    keys: Sequence[str],
    edges: Sequence[tuple[int, int, float]],
    communities: Sequence[int],
    sizes: Sequence[float] | None = None,
) -> LayoutGraph:
    """Bring a graph into canonical form: order, direction, parallel edges and self loops make no difference.

    Edges are (source, target, weight) with indexes into `keys`; weights of parallel edges add up and anything that is
    not a positive number counts as 1. A community below 0 means none. Raises ValueError for doubled keys, indexes out
    of range and lists of different lengths.
    """
    if len(communities) != len(keys) or (sizes is not None and len(sizes) != len(keys)):
        raise ValueError("keys, communities and sizes must have the same length")
    order = sorted(range(len(keys)), key=keys.__getitem__)
    rank = [0] * len(keys)
    for position, index in enumerate(order):
        rank[index] = position
    names = tuple(keys[index] for index in order)
    if len(set(names)) != len(names):
        raise ValueError("a key occurs twice")
    weights = _pairs(edges, rank)
    pairs = tuple(sorted(weights))
    if sizes is None:
        degrees = [0] * len(names)
        for source, target in pairs:
            degrees[source] += 1
            degrees[target] += 1
        radii = tuple(node_size(degree) for degree in degrees)
    else:
        radii = tuple(max(0.1, float(sizes[index])) for index in order)
    groups = _groups([communities[index] for index in order])
    values = tuple(round(weights[pair], 3) for pair in pairs)
    return LayoutGraph(names, pairs, values, groups, radii, _digest(names, pairs, values, groups, radii))


def _pairs(edges: Sequence[tuple[int, int, float]], rank: list[int]) -> dict[tuple[int, int], float]:
    weights: dict[tuple[int, int], float] = {}
    for source, target, weight in edges:
        if not (0 <= source < len(rank) and 0 <= target < len(rank)):
            raise ValueError(f"edge {source}-{target} names a node that is not there")
        if source == target:
            continue
        pair = (min(rank[source], rank[target]), max(rank[source], rank[target]))
        weights[pair] = weights.get(pair, 0.0) + (weight if 0.001 < weight < 1e9 else 1.0)
    return weights


def _groups(communities: Sequence[int]) -> tuple[int, ...]:
    """Numbers by first appearance. Without any community all nodes are one group, else loners are their own."""
    if all(community < 0 for community in communities):
        return (0,) * len(communities)
    numbers: dict[tuple[int, int], int] = {}
    return tuple(numbers.setdefault((c, -1) if c >= 0 else (-1, i), len(numbers)) for i, c in enumerate(communities))


def _digest(*parts: object) -> str:
    data = json.dumps([VERSION, *parts], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(data.encode()).hexdigest()[:32]
