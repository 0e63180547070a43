"""Positions of a graph, from nothing or from the positions it had. The only part that needs numpy."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from kgsite.collection.layout.coarsen import Floats, Ints, Level, hierarchy
from kgsite.collection.layout.forces import multilevel
from kgsite.collection.layout.graph import LayoutGraph
from kgsite.collection.layout.overlap import free_unit, separate
from kgsite.collection.layout.pack import components, pack
from kgsite.collection.layout.spread import GAP, PAD, scatter, spread, turn_to_fit
from kgsite.model import Layout

SEED = 20_240_501
SMALL = 9
"""Components below this size get a fixed figure instead of forces."""
BETWEEN = 0.25
"""Weight of an edge between communities, against 1 inside."""
REACH = 24_000
"""A new drawing fills ±REACH; what is left up to LIMIT lets it grow without being scaled."""
LIMIT = 32_700
SCATTERED = 2.0
"""Above this `scatter` the earlier positions are of no use."""

Flags = npt.NDArray[np.bool_]


def compute(graph: LayoutGraph, previous: Layout | None) -> Layout:
    """Integer positions in the order of `graph.keys`; no discs of radius unit·size overlap.

    With a `previous` layout that knows at least half of the nodes, these start where they were.
    """
    size = np.array(graph.sizes)
    known = _known(graph, previous)
    kept = None
    if previous is not None and previous.unit > 0 and 2 * int(known.sum()) >= len(graph.keys):
        kept = _continue(graph, size, known, previous)
    if kept is None or previous is None:
        x, y = _begin(graph, size)
        scale, shift = _fit(x, y)
    else:
        x, y = kept
        scale, shift = float(previous.unit), (0.0, 0.0)
        reach = max(float(np.abs(x).max()), float(np.abs(y).max())) * scale
        if reach > LIMIT or (reach < REACH / 3 and len(graph.keys) > 2):
            scale, shift = _fit(x, y)
    x, y = np.rint((x - shift[0]) * scale), np.rint((y - shift[1]) * scale)
    unit = int(free_unit(x, y, size, scale))
    return Layout(graph.keys, tuple(x.astype(int).tolist()), tuple(y.astype(int).tolist()), unit, graph.digest)


def _known(graph: LayoutGraph, previous: Layout | None) -> Flags:
    old = frozenset(previous.keys) if previous is not None else frozenset()
    return np.array([key in old for key in graph.keys], dtype=np.bool_)


def _fit(x: Floats, y: Floats) -> tuple[float, tuple[float, float]]:
    """Scale and middle that bring the drawing to ±REACH; a few nodes are not blown up to fill it."""
    middle = (float(x.max() + x.min()) / 2, float(y.max() + y.min()) / 2)
    half = max(float(x.max() - x.min()), float(y.max() - y.min())) / 2
    return REACH / max(half, 12.0), middle


def _level(graph: LayoutGraph, nodes: Ints, edges: Ints, ends: Ints) -> Level:
    """The graph of some nodes; `edges` are the indexes of its pairs in `ends` (pairs × 2)."""
    number = np.full(len(graph.keys), -1, dtype=np.int64)
    number[nodes] = np.arange(nodes.size)
    group = np.unique(np.array(graph.communities, dtype=np.int64)[nodes], return_inverse=True)[1].ravel()
    source, target = number[ends[edges, 0]], number[ends[edges, 1]]
    # A pair that is named ten times pulls more than one named once, but not ten times as much.
    weight = np.sqrt(np.array(graph.weights)[edges])
    weight = np.where(group[source] == group[target], weight, BETWEEN * weight)
    degree = np.bincount(np.concatenate([source, target]), minlength=nodes.size)
    return Level(1.0 + degree.astype(np.float64), source, target, weight, group, np.empty(0, dtype=np.int64))


def _begin(graph: LayoutGraph, size: Floats) -> tuple[Floats, Floats]:
    n = size.size
    ends = np.array(graph.pairs, dtype=np.int64).reshape(-1, 2)
    component = components(n, ends[:, 0], ends[:, 1])
    radius = size + PAD
    x, y = np.zeros(n), np.zeros(n)
    by_component = np.argsort(component, kind="stable")
    edge_component = component[ends[:, 0]]
    edge_order = np.argsort(edge_component, kind="stable")
    node_ends = np.cumsum(np.bincount(component))
    edge_ends = np.cumsum(np.bincount(edge_component, minlength=node_ends.size))
    for nodes, edges in zip(np.split(by_component, node_ends[:-1]), np.split(edge_order, edge_ends[:-1]), strict=True):
        level = _level(graph, nodes, edges, ends)
        x[nodes], y[nodes] = _component(level, radius[nodes])
    if node_ends.size > 1:
        x, y = pack(x, y, radius, component)
    return x, y


def _component(level: Level, radius: Floats) -> tuple[Floats, Floats]:
    if level.mass.size < SMALL:
        return _figure(level, radius)
    rng = np.random.default_rng(SEED)
    x, y = multilevel(hierarchy(level, rng), rng)
    x, y = spread(x, y, radius, level)
    return turn_to_fit(*separate(x, y, radius, level.group, GAP))


def _figure(level: Level, radius: Floats) -> tuple[Floats, Floats]:
    """One to eight nodes: the most connected in the middle, the others on a ring around it, neighbours side by side."""
    n = level.mass.size
    if n == 1:
        return np.zeros(1), np.zeros(1)
    room = 1.2 * float(radius.max())
    if n == 2:
        return np.array([-room, room]), np.zeros(2)
    hub = int(np.argmax(level.mass))
    ring = [node for node in _walk(level, hub) if node != hub]
    reach = max(2 * room, room / math.sin(math.pi / len(ring)))
    x, y = np.zeros(n), np.zeros(n)
    for place, node in enumerate(ring):
        angle = 2 * math.pi * place / len(ring) - math.pi / 2 + (math.pi / 2 if len(ring) == 2 else 0)
        x[node], y[node] = reach * math.cos(angle), reach * math.sin(angle)
    return x, y


def _walk(level: Level, start: int) -> list[int]:
    """Nodes in depth-first order."""
    neighbours: list[list[int]] = [[] for _ in range(level.mass.size)]
    for a, b in zip(level.source.tolist(), level.target.tolist(), strict=True):
        neighbours[a].append(b)
        neighbours[b].append(a)
    seen: list[int] = []
    stack = [start]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.append(node)
            stack.extend(sorted(neighbours[node], reverse=True))
    return seen


def _continue(graph: LayoutGraph, size: Floats, known: Flags, previous: Layout) -> tuple[Floats, Floats] | None:
    """Old nodes near their old places, new ones beside their neighbours or, without any, at the rim.

    None when the communities have changed so much that the old places would draw them scattered.
    """
    ends = np.array(graph.pairs, dtype=np.int64).reshape(-1, 2)
    group = np.array(graph.communities, dtype=np.int64)
    old = {key: (px, py) for key, px, py in zip(previous.keys, previous.x, previous.y, strict=True)}
    start = np.array([old.get(key, (0, 0)) for key in graph.keys], dtype=np.float64) / previous.unit
    x, y = start[:, 0].copy(), start[:, 1].copy()
    placed = _beside_neighbours(x, y, known, ends, group, size)
    radius = size + PAD
    component = components(size.size, ends[:, 0], ends[:, 1])
    if not placed.all():
        for number in np.unique(component[~placed]).tolist():
            nodes, edges = np.flatnonzero(component == number), np.flatnonzero(component[ends[:, 0]] == number)
            x[nodes], y[nodes] = _component(_level(graph, nodes, edges, ends), radius[nodes])
        loose = np.where(placed, 0, component + 1)
        x, y = pack(x, y, radius, np.unique(loose, return_inverse=True)[1].ravel(), placed)
    if scatter(x, y, radius, np.unique(component * size.size + group, return_inverse=True)[1].ravel()) > SCATTERED:
        return None
    return separate(x, y, radius, group, GAP)


def _beside_neighbours(x: Floats, y: Floats, known: Flags, ends: Ints, group: Ints, size: Floats) -> Flags:
    """Put nodes that hang on placed ones in the middle of these, in waves; returns which have a place now."""
    n = x.size
    placed = known.copy()
    head, tail = np.concatenate([ends[:, 0], ends[:, 1]]), np.concatenate([ends[:, 1], ends[:, 0]])
    weight = np.where(group[head] == group[tail], 1.0, 0.001)  # strangers count only where there is nobody else
    angle = np.arange(n) * math.pi * (3 - math.sqrt(5))
    while True:
        ready = ~placed[head] & placed[tail]
        total = np.bincount(head[ready], weight[ready], n)
        wave = total > 0
        if not wave.any():
            return placed
        for values, offset in ((x, np.cos(angle)), (y, np.sin(angle))):
            mean = np.bincount(head[ready], weight[ready] * values[tail[ready]], n) / np.maximum(total, 1e-9)
            values[wave] = mean[wave] + (offset * 2 * size)[wave]
        placed = placed | wave
