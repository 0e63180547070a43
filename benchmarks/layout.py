"""Time and quality of the layout on synthetic graphs.

    python benchmarks/layout.py 200 2000 10000 50000

For each size: seconds of processor time; share of the 8 nearest nodes that are of the same community; overlapping pairs;
width to height; share of the box that discs cover; then 3 % of the nodes are new and the graph is laid out again from
the old positions: seconds and median move of an old node, as a share of the drawing's radius.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from make_graph import Graph, make

from kgsite.collection.layout import layout
from kgsite.collection.layout.graph import layout_graph
from kgsite.collection.layout.overlap import near_pairs
from kgsite.model import Layout


def drawn(graph: Graph, nodes: list[int], previous: Layout | None = None) -> tuple[Layout, float]:
    """The layout of some of the nodes, and the processor seconds it took."""
    at = {node: index for index, node in enumerate(nodes)}
    keys = [f"n{node:06d}" for node in nodes]
    edges = [(at[e.source], at[e.target], 1.0) for e in graph.edges if e.source in at and e.target in at]
    started = time.process_time()
    found = layout(keys, edges, [graph.nodes[node].community for node in nodes], previous=previous)
    return found, time.process_time() - started


def purity(found: Layout, communities: list[int]) -> float:
    """Mean share of the nearest nodes (8, or as many as the community has others) that are of a node's own community."""
    x, y = np.array(found.x, float), np.array(found.y, float)
    groups = np.array(communities)
    shares = []
    for index in range(0, len(x), max(1, len(x) // 1000)):
        others = min(8, communities.count(communities[index]) - 1)
        near = np.argsort((x - x[index]) ** 2 + (y - y[index]) ** 2, kind="stable")[1 : others + 1]
        if others:
            shares.append(float((groups[near] == groups[index]).mean()))
    return float(np.mean(shares))


def overlaps(found: Layout, sizes: tuple[float, ...]) -> int:
    radius = np.array(sizes) * found.unit
    return int(near_pairs(np.array(found.x, float), np.array(found.y, float), radius, 0.0, 1.0)[0].size)


def main() -> None:
    print("nodes  seconds  same community  overlaps  aspect  covered  | +3 %: seconds  median move  overlaps")
    for n in map(int, sys.argv[1:] or ("200", "2000", "10000")):
        graph = make(n)
        nodes = list(range(n))
        found, seconds = drawn(graph, nodes)
        edges = [(e.source, e.target, 1.0) for e in graph.edges]
        sizes = layout_graph([f"n{node:06d}" for node in nodes], edges, [0] * n).sizes
        x, y = np.array(found.x, float), np.array(found.y, float)
        wide, high = float(np.ptp(x)), float(np.ptp(y))
        covered = float((np.pi * (np.array(sizes) * found.unit) ** 2).sum()) / (wide * high)
        old = [node for node in nodes if node % 33 != 32]
        before, _ = drawn(graph, old)
        after, again = drawn(graph, nodes, before)
        place = {key: (px, py) for key, px, py in zip(after.keys, after.x, after.y, strict=True)}
        moves = [
            np.hypot(place[k][0] - px, place[k][1] - py)
            for k, px, py in zip(before.keys, before.x, before.y, strict=True)
        ]
        radius = max(wide, high) / 2
        print(
            f"{n:5d}  {seconds:7.2f}  {purity(found, [node.community for node in graph.nodes]):14.3f}  {overlaps(found, sizes):8d}"
            f"  {wide / high:6.2f}  {covered:7.2f}  | {again:13.2f}  {float(np.median(moves)) / radius:11.4f}  {overlaps(after, sizes):8d}",
            flush=True,
        )


if __name__ == "__main__":
    main()
