"""Push discs apart until no two overlap."""

from __future__ import annotations

import math

import numpy as np

from kgsite.collection.layout.coarsen import Floats, Ints

SKIN = 1.35
"""The pair list holds pairs up to this multiple of the distance they need, so that it serves several rounds."""
FLAT = 16 / 9
"""How much stronger the pull is upwards and downwards: the packing becomes an ellipse of 4:3."""
ROUNDS_PER_LIST = 6
DONE = 0.005
"""Deepest overlap left, as a share of the distance needed; the unit of the layout is lowered by as much."""


def near_pairs(x: Floats, y: Floats, radius: Floats, gap: float, skin: float) -> tuple[Ints, Ints]:
    """Pairs (i, j) nearer than (rᵢ + rⱼ + gap)·skin, each once.

    Radii are sorted into classes by powers of two; each class has its own grid, so that a few large discs do not
    make the cells of all the small ones large.
    """
    empty = np.empty(0, dtype=np.int64)
    if x.size < 2:
        return empty, empty
    classes = np.floor(np.log2(radius / radius.min())).astype(np.int64)
    found: list[tuple[Ints, Ints]] = []
    for number in np.unique(classes).tolist():
        mine = np.flatnonzero(classes == number)
        others = np.flatnonzero(classes <= number)
        i, j = _candidates(x, y, mine, others, (2 * float(radius[mine].max()) + gap) * skin)
        keep = (classes[j] < number) | (j < i)
        i, j = i[keep], j[keep]
        need = (radius[i] + radius[j] + gap) * skin
        close = (x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2 < need * need
        found.append((i[close], j[close]))
    return np.concatenate([pair[0] for pair in found]), np.concatenate([pair[1] for pair in found])


def _candidates(x: Floats, y: Floats, mine: Ints, others: Ints, cell: float) -> tuple[Ints, Ints]:
    """Pairs of one of `mine` and one of `others` in the same or a neighbouring cell of a grid."""
    cx = np.floor((x - x.min()) / cell).astype(np.int64) + 1
    cy = np.floor((y - y.min()) / cell).astype(np.int64) + 1
    width = int(cx.max()) + 2
    code = cy[others] * width + cx[others]
    order = np.argsort(code, kind="stable")
    code, others = code[order], others[order]
    left: list[Ints] = []
    right: list[Ints] = []
    for row in (-1, 0, 1):
        base = (cy[mine] + row) * width + cx[mine]
        start = np.searchsorted(code, base - 1, "left")
        count = np.searchsorted(code, base + 1, "right") - start
        total = int(count.sum())
        first = np.repeat(start - np.concatenate([[0], np.cumsum(count)[:-1]]), count)
        left.append(np.repeat(mine, count))
        right.append(others[first + np.arange(total)])
    return np.concatenate(left), np.concatenate(right)


def separate(
    x: Floats, y: Floats, radius: Floats, group: Ints, gap: float, *, rounds: int = 240, pull: float = 0.0
) -> tuple[Floats, Floats]:
    """Discs moved as little as that no two overlap; those of different groups keep `gap` between their rims.

    `pull` > 0 draws everything a share of its distance towards the centre in each round but the last third: a compact
    packing. Stops as soon as the deepest overlap is below `DONE`, or after `rounds`.
    """
    x, y = _spread_equal(x, y, radius)
    weight = 1 / (radius * radius)
    i = j = np.empty(0, dtype=np.int64)
    for number in range(rounds):
        pulling = pull > 0 and number < rounds * 2 // 3
        if number % ROUNDS_PER_LIST == 0:
            i, j = near_pairs(x, y, radius, gap, SKIN)
            need = radius[i] + radius[j] + np.where(group[i] == group[j], 0.0, gap)
            share = weight[j] / (weight[i] + weight[j])
        if pulling:
            x, y = x * (1 - pull), y * (1 - pull * FLAT)
        if i.size == 0 and not pulling:
            return x, y
        dx, dy = x[i] - x[j], y[i] - y[j]
        distance = np.sqrt(dx * dx + dy * dy) + 1e-9
        depth = need - distance
        hit = depth > 0
        if not pulling and (not hit.any() or float((depth[hit] / need[hit]).max()) < DONE):
            if number % ROUNDS_PER_LIST == 0:
                return x, y
            i, j = near_pairs(x, y, radius, gap, SKIN)  # the list may be stale: look again before it is called done
            need = radius[i] + radius[j] + np.where(group[i] == group[j], 0.0, gap)
            share = weight[j] / (weight[i] + weight[j])
            continue
        x, y = _push(x, y, i[hit], j[hit], dx[hit], dy[hit], depth[hit] / distance[hit], share[hit])
    return x, y


def _push(
    x: Floats, y: Floats, i: Ints, j: Ints, dx: Floats, dy: Floats, depth: Floats, share: Floats
) -> tuple[Floats, Floats]:
    n = x.size
    push = 0.55 * depth
    ix, iy = push * dx * share, push * dy * share
    jx, jy = push * dx * (1 - share), push * dy * (1 - share)
    return (
        x + np.bincount(i, ix, n) - np.bincount(j, jx, n),
        y + np.bincount(i, iy, n) - np.bincount(j, jy, n),
    )


def _spread_equal(x: Floats, y: Floats, radius: Floats) -> tuple[Floats, Floats]:
    """A small offset of its own for each disc: discs on one point could not be told apart."""
    angle = np.arange(x.size) * math.pi * (3 - math.sqrt(5))
    return x + 1e-3 * radius * np.cos(angle), y + 1e-3 * radius * np.sin(angle)


def free_unit(x: Floats, y: Floats, size: Floats, unit: float) -> float:
    """The largest radius ≤ `unit` of a node of size 1 with which no two discs overlap."""
    i, j = near_pairs(x, y, size * unit, 0.0, 1.0)
    if i.size == 0:
        return unit
    return min(unit, float((np.hypot(x[i] - x[j], y[i] - y[j]) / (size[i] + size[j])).min()))
