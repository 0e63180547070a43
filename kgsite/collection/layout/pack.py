"""Put the components of a graph side by side: the largest in the middle, the others in the free cells around it."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from kgsite.collection.layout.coarsen import Floats, Ints
from kgsite.collection.layout.spread import ASPECT

CELLS = 16_000
"""About as many cells hold the whole drawing (as in polyomino packing: K. Freivalds, U. Doğrusöz, P. Kikusts,
"Disconnected Graph Layout and the Polyomino Packing Approach", GD 2001)."""

Cells = npt.NDArray[np.bool_]


def components(n: int, source: Ints, target: Ints) -> Ints:
    """Component of each node: numbers from 0, largest first, then by the smallest node."""
    parent = list(range(n))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for a, b in zip(source.tolist(), target.tolist(), strict=True):
        ra, rb = root(a), root(b)
        if ra != rb:
            parent[max(ra, rb)] = min(ra, rb)
    roots = np.array([root(node) for node in range(n)], dtype=np.int64)
    names, inverse, sizes = np.unique(roots, return_inverse=True, return_counts=True)
    rank = np.empty(names.size, dtype=np.int64)
    rank[np.lexsort((names, -sizes))] = np.arange(names.size)
    return rank[inverse.ravel()]


def pack(
    x: Floats, y: Floats, radius: Floats, component: Ints, fixed: Cells | None = None, room: float = 2.0
) -> tuple[Floats, Floats]:
    """Move whole components so that their discs lie in different cells, as near to the middle as can be.

    `room` is the width left free around each component. Nodes marked in `fixed` stay where they are.
    """
    count = int(component.max(initial=-1)) + 1
    x, y = x.copy(), y.copy()
    members = np.split(np.argsort(component, kind="stable"), np.cumsum(np.bincount(component, minlength=count))[:-1])
    boxes = [_box(x, y, radius + room / 2, nodes) for nodes in members]
    cell = max(math.sqrt(sum(w * h for _, _, w, h in boxes) * 3 / CELLS), float(radius.min()) + room / 2)
    board = _Board(cell, sum(math.ceil(w / cell + 1) * math.ceil(h / cell + 1) for _, _, w, h in boxes), boxes)
    for number, nodes in enumerate(members):
        if (fixed is not None and fixed[nodes[0]]) or (fixed is None and number == 0):
            if fixed is None:
                left, top, wide, high = boxes[number]
                x[nodes] -= left + wide / 2
                y[nodes] -= top + high / 2
            board.cover(x[nodes], y[nodes], radius[nodes] + room / 2)
    for number, nodes in enumerate(members):
        if (fixed is not None and fixed[nodes[0]]) or (fixed is None and number == 0):
            continue
        left, top, wide, high = boxes[number]
        at_x, at_y = board.place(wide, high)
        x[nodes] += at_x - left
        y[nodes] += at_y - top
    return x, y


def _box(x: Floats, y: Floats, rim: Floats, nodes: Ints) -> tuple[float, float, float, float]:
    left, top = float((x[nodes] - rim[nodes]).min()), float((y[nodes] - rim[nodes]).min())
    return left, top, float((x[nodes] + rim[nodes]).max()) - left, float((y[nodes] + rim[nodes]).max()) - top


class _Board:
    """Cells around the origin, taken or free."""

    def __init__(self, cell: float, cells: int, boxes: list[tuple[float, float, float, float]]) -> None:
        widest = max(max(w, h, abs(left), abs(top), abs(left + w), abs(top + h)) for left, top, w, h in boxes)
        half = math.ceil(math.sqrt(cells) * 1.3 + widest / cell) + 3
        self.cell = cell
        self.half = half
        self.taken: Cells = np.zeros((2 * half, 2 * half), dtype=np.bool_)
        self._next: dict[tuple[int, int], int] = {}
        row, column = np.divmod(np.arange(4 * half * half), 2 * half)
        away = ((column + 0.5 - half) / ASPECT) ** 2 + (row + 0.5 - half) ** 2
        order = np.lexsort((np.arange(away.size), away))
        self._order = list(zip(row[order].tolist(), column[order].tolist(), strict=True))

    def cover(self, x: Floats, y: Floats, rim: Floats) -> None:
        """Take all cells that the discs touch."""
        left, right = self._index(x - rim), self._index(x + rim)
        top, bottom = self._index(y - rim), self._index(y + rim)
        for c0, c1, r0, r1 in zip(left.tolist(), right.tolist(), top.tolist(), bottom.tolist(), strict=True):
            self.taken[r0 : r1 + 1, c0 : c1 + 1] = True

    def _index(self, value: Floats) -> Ints:
        return np.clip(np.floor(value / self.cell).astype(np.int64) + self.half, 0, 2 * self.half - 1)

    def place(self, wide: float, high: float) -> tuple[float, float]:
        """Take the free rectangle nearest to the middle; returns its left and top so that the box is centred in it."""
        columns, rows = math.ceil(wide / self.cell), math.ceil(high / self.cell)
        taken, size = self.taken, 2 * self.half
        start = self._next.get((columns, rows), 0)
        for number in range(start, len(self._order)):
            row, column = self._order[number]
            r, c = row - rows // 2, column - columns // 2
            if r < 0 or c < 0 or r + rows > size or c + columns > size or taken[row, column]:
                continue
            if not taken[r : r + rows, c : c + columns].any():
                taken[r : r + rows, c : c + columns] = True
                self._next[columns, rows] = number  # cells are never freed: no earlier place fits this shape again
                return (
                    (c - self.half) * self.cell + (columns * self.cell - wide) / 2,
                    (r - self.half) * self.cell + (rows * self.cell - high) / 2,
                )
        self._grow()
        return self.place(wide, high)

    def _grow(self) -> None:
        grown = _Board(self.cell, 0, [(0.0, 0.0, 2 * self.half * self.cell, 2 * self.half * self.cell)])
        offset = grown.half - self.half
        grown.taken[offset : offset + 2 * self.half, offset : offset + 2 * self.half] = self.taken
        self.half, self.taken, self._order, self._next = grown.half, grown.taken, grown._order, {}
