"""How important an entity is: degree, PageRank, betweenness, over undirected edges between numbered nodes.

Results are rounded to six significant digits, so that the order of additions on another machine shows in no byte.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Ints = np.ndarray[Any, np.dtype[np.int64]]
    Floats = np.ndarray[Any, np.dtype[np.float64]]

_WORK = 8_000_000  # edge visits that betweenness may cost: about half a second
_FEWEST = 16  # sources
_LONGEST = 300
_AT_ONCE = 400_000  # edge visits of the sources that are looked at together: a bound for memory
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

    Exact where that takes no more than _WORK (1,000 nodes with 3,000 edges do); above, scaled up from sources drawn
    with seed 0 (Brandes and Pich 2007). Paths of more than _LONGEST steps do not count (bounded-distance betweenness,
    Brandes 2008).
    """
    size = len(neighbours)
    if size < 3:
        return [0.0] * size
    sources: Sequence[int] = range(size)
    count = max(_FEWEST, _WORK // (sum(map(len, neighbours)) + size))
    if count < size:
        sources = sorted(random.Random(0).sample(range(size), count))  # noqa: S311 - a sample, no secret
    totals = _paths_through(sources, neighbours)
    scale = size / len(sources) / ((size - 1) * (size - 2))
    return [rounded(min(1.0, total * scale)) for total in totals]


def _paths_through(sources: Sequence[int], neighbours: Sequence[Sequence[int]]) -> list[float]:
    """For each node the sum over `sources` of the shares of shortest paths that pass through it.

    Many sources at once, level by level: a place in the arrays is a node as seen from a source, node · sources + source.
    """
    import numpy as np

    degree = np.array([len(row) for row in neighbours], dtype=np.int64)
    flat = np.fromiter(itertools.chain.from_iterable(neighbours), np.int64, int(degree.sum()))
    graph = _Rows(degree, np.cumsum(degree) - degree, flat)
    together = max(1, _AT_ONCE // (degree.size + flat.size))
    totals = np.zeros(degree.size)
    for start in range(0, len(sources), together):
        totals += _paths_from(np.array(sources[start : start + together], dtype=np.int64), graph)
    return list(totals.tolist())


def _paths_from(sources: Ints, graph: _Rows) -> Floats:
    import numpy as np

    count, size = sources.size, graph.degree.size
    roots = sources * count + np.arange(count)
    distance = np.full(size * count, -1, dtype=np.int32)
    paths, share, seen = np.zeros(size * count), np.zeros(size * count), np.zeros(size * count, dtype=np.int64)
    distance[roots], paths[roots] = 0, 1.0
    levels = [roots]
    while levels[-1].size and len(levels) <= _LONGEST:
        here, other = graph.steps(levels[-1], count)
        new = distance[other] < 0
        here, other = here[new], other[new]
        np.add.at(paths, other, paths[here])
        distance[other] = len(levels)
        turn = np.arange(other.size)
        seen[other] = turn
        levels.append(other[seen[other] == turn])  # each place once
    for depth in range(len(levels) - 1, 0, -1):
        here, other = graph.steps(levels[depth], count)
        nearer = distance[other] == depth - 1
        here, other = here[nearer], other[nearer]
        np.add.at(share, other, paths[other] * (1 + share[here]) / paths[here])
    share[roots] = 0.0
    total: Floats = share.reshape(size, count).sum(axis=1)
    return total


@dataclass(frozen=True, slots=True)
class _Rows:
    """The neighbours of all nodes in one array: those of a node begin at `first`, there are `degree` of them."""

    degree: Ints
    first: Ints
    neighbours: Ints

    def steps(self, places: Ints, count: int) -> tuple[Ints, Ints]:
        """Every step from these places (node · count + source) to a neighbour: where from, where to."""
        import numpy as np

        node = places // count
        degree = self.degree[node]
        here = np.repeat(places, degree)
        within = np.arange(here.size) - np.repeat(np.cumsum(degree) - degree, degree)
        other = self.neighbours[np.repeat(self.first[node], degree) + within]
        return here, other * count + here % count


def rounded(value: float) -> float:
    """`value` to six significant digits."""
    return float(f"{value:.6g}")
