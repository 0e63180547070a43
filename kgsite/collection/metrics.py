"""How important an entity is: degree, PageRank, betweenness, over undirected edges between numbered nodes.

Results are rounded to six significant digits, so that the order of additions on another machine shows in no byte.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

EXACT_UP_TO = 500
"""Nodes for which betweenness is exact; above it is estimated from sampled sources."""

_SAMPLES = 100
_WORK = 3_000_000  # edge visits that sampled betweenness may cost
_DAMPING = 0.85
_ROUNDS = 200
_TOLERANCE = 1e-10


def adjacency(size: int, weights: Mapping[tuple[int, int], float]) -> list[list[int]]:
    """The neighbours of each of `size` nodes, ascending, from undirected edges (low, high)."""
    neighbours: list[list[int]] = [[] for _ in range(size)]
    for low, high in sorted(weights):
        neighbours[low].append(high)
        neighbours[high].append(low)
    return neighbours


def pagerank(size: int, weights: Mapping[tuple[int, int], float]) -> list[float]:
    """PageRank (Brin and Page 1998) of each node with edge weights, both directions alike; sums to about 1."""
    if size == 0:
        return []
    if not weights:
        return [rounded(1 / size)] * size
    import numpy as np

    edges = sorted(weights)
    low, high = np.array(edges, dtype=np.int64).T
    source, target = np.concatenate([low, high]), np.concatenate([high, low])
    weight = np.tile(np.array([weights[edge] for edge in edges], dtype=np.float64), 2)
    out = np.bincount(source, weight, size)
    share = weight / out[source]
    alone = out == 0
    rank = np.full(size, 1 / size)
    for _ in range(_ROUNDS):
        flow = np.bincount(target, rank[source] * share, size)
        following = _DAMPING * (flow + rank[alone].sum() / size) + (1 - _DAMPING) / size
        change = float(np.abs(following - rank).sum())
        rank = following
        if change < _TOLERANCE:
            break
    return [rounded(value) for value in rank.tolist()]


def betweenness(neighbours: Sequence[Sequence[int]]) -> list[float]:
    """Share of shortest paths that pass through each node, 0 to 1 (Brandes 2001), unweighted.

    Exact up to EXACT_UP_TO nodes; above, scaled up from sources drawn with seed 0 (Brandes and Pich 2007).
    """
    size = len(neighbours)
    if size < 3:
        return [0.0] * size
    sources: Sequence[int] = range(size)
    if size > EXACT_UP_TO:
        visits = sum(map(len, neighbours)) + size
        count = max(8, min(_SAMPLES, _WORK // visits))
        sources = sorted(random.Random(0).sample(range(size), count))  # noqa: S311 - a sample, no secret
    totals = [0.0] * size
    for source in sources:
        _add_paths_from(source, neighbours, totals)
    scale = size / len(sources) / ((size - 1) * (size - 2))
    return [rounded(min(1.0, total * scale)) for total in totals]


def _add_paths_from(source: int, neighbours: Sequence[Sequence[int]], totals: list[float]) -> None:
    size = len(neighbours)
    distance, paths, share = [-1] * size, [0.0] * size, [0.0] * size
    distance[source], paths[source] = 0, 1.0
    order = [source]
    for node in order:  # grows while it is read: breadth first
        further, ways = distance[node] + 1, paths[node]
        for other in neighbours[node]:
            if distance[other] < 0:
                distance[other] = further
                order.append(other)
            if distance[other] == further:
                paths[other] += ways
    for node in reversed(order):
        nearer, part = distance[node] - 1, (1 + share[node]) / paths[node]
        for other in neighbours[node]:
            if distance[other] == nearer:
                share[other] += paths[other] * part
        if node != source:
            totals[node] += share[node]


def rounded(value: float) -> float:
    """`value` to six significant digits."""
    return float(f"{value:.6g}")
