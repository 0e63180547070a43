"""Give every community a disc of its own, with room between the discs, and its nodes an even share of it."""

from __future__ import annotations

import math

import numpy as np

from kgsite.collection.layout.coarsen import Floats, Ints, Level
from kgsite.collection.layout.overlap import separate

PAD = 0.75
"""Free rim of each node, in units."""
GAP = 3.0
"""Least room between nodes of different communities, in units."""
FILL = 0.62
"""Share of a community's disc that its nodes' discs cover."""
EVEN = 0.75
"""How far node distances from the centre of their community are evened out: 0 not at all, 1 completely."""
ASPECT = 4 / 3
MOST_SWAPPED = 150
"""Up to this many communities change places so that their bonds are shorter; the work grows with the third power."""


def turn(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Centred, with the longest direction horizontal and, within bounds, as wide to high as `ASPECT`."""
    x, y = x - x.mean(), y - y.mean()
    angle = 0.5 * math.atan2(2 * float((x * y).mean()), float((x * x).mean() - (y * y).mean()))
    x, y = x * math.cos(angle) + y * math.sin(angle), y * math.cos(angle) - x * math.sin(angle)
    ratio = math.sqrt((float((x * x).mean()) + 1e-9) / (float((y * y).mean()) + 1e-9))
    stretch = min(1.6, max(0.6, math.sqrt(ASPECT / ratio)))
    return x * stretch, y / stretch


def turn_to_fit(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Turned as a whole so that its box comes nearest to `ASPECT`."""
    best, turned = math.inf, (x, y)
    for angle in np.arange(36) * math.pi / 36:
        tx, ty = x * math.cos(angle) + y * math.sin(angle), y * math.cos(angle) - x * math.sin(angle)
        misfit = abs(math.log((float(np.ptp(tx)) + 1) / (float(np.ptp(ty)) + 1) / ASPECT))
        if misfit < best - 1e-9:
            best, turned = misfit, (tx, ty)
    return turned


def spread(x: Floats, y: Floats, radius: Floats, level: Level) -> tuple[Floats, Floats]:
    """Positions with the communities as discs side by side; `radius` (≥ 1 + PAD) includes the free rim.

    Directions of nodes from the centre of their community and the arrangement of the communities stay.
    """
    x, y = turn(x, y)
    group = level.group
    count = int(group.max()) + 1
    area = radius * radius
    total: Floats = np.bincount(group, area, count).astype(np.float64)
    centre_x, centre_y = np.bincount(group, area * x, count) / total, np.bincount(group, area * y, count) / total
    reach = np.sqrt(total / FILL)
    dx, dy = x - centre_x[group], y - centre_y[group]
    distance = np.hypot(dx, dy)
    # Hubs repel each other to the rim of their community, but readers look for them in its middle.
    even = _even_radius(distance / radius, area, group, total)
    mean = np.sqrt(np.bincount(group, area * distance**2, count) / total)[group]
    plain = np.minimum(1.2, distance / np.maximum(mean * math.sqrt(2), 1e-9))
    scale = reach[group] * (EVEN * even + (1 - EVEN) * plain) / np.maximum(distance, 1e-9)
    alone = np.bincount(group, minlength=count)[group] == 1
    scale = np.where(alone, 0.0, scale)
    if count > 1:
        centre_x, centre_y = _arrange(centre_x, centre_y, reach, level)
        wide, high = 1.0, 1.0
    else:
        wide, high = math.sqrt(ASPECT), 1 / math.sqrt(ASPECT)
    return centre_x[group] + dx * scale * wide, centre_y[group] + dy * scale * high


def scatter(x: Floats, y: Floats, radius: Floats, group: Ints) -> float:
    """How far nodes lie from the middle of their community, against a disc that holds them: about 1 after `spread`."""
    count = int(group.max()) + 1
    area = radius * radius
    total: Floats = np.bincount(group, area, count).astype(np.float64)
    centre_x, centre_y = np.bincount(group, area * x, count) / total, np.bincount(group, area * y, count) / total
    distance = np.hypot(x - centre_x[group], y - centre_y[group])
    return float(np.average(distance / np.sqrt(total / FILL)[group], weights=area)) * 1.5


def _even_radius(distance: Floats, area: Floats, group: Ints, total: Floats) -> Floats:
    """Distances from the middle (1 = the rim) that spread the area of each group evenly, in the order of `distance`."""
    order = np.lexsort((distance, group))
    inner = np.cumsum(area[order])
    before = np.concatenate([[0.0], np.cumsum(total)[:-1]])
    even = np.empty_like(distance)
    even[order] = np.sqrt((inner - before[group[order]] - area[order] / 2) / total[group[order]])
    return even


def _bonds(level: Level, count: int) -> Floats:
    """Weight of the edges between communities, as a symmetric matrix."""
    source, target = level.group[level.source], level.group[level.target]
    between = source != target
    pair = source[between] * count + target[between]
    flat: Floats = np.bincount(pair, level.weight[between], count * count).astype(np.float64)
    half = flat.reshape(count, count)
    return half + half.T


def _arrange(x: Floats, y: Floats, reach: Floats, level: Level) -> tuple[Floats, Floats]:
    """Discs side by side, as near each other as they go, in the directions they had or near those they belong to."""
    area = reach * reach
    x, y = x - np.average(x, weights=area), y - np.average(y, weights=area)
    one = np.zeros(x.size, dtype=np.int64)
    distance = np.hypot(x, y) + 1e-9
    even = _even_radius(distance / reach, area, one, np.array([area.sum()]))
    plain = np.minimum(1.0, distance / float(np.quantile(distance, 0.9)))
    scale = math.sqrt(float(area.sum()) / 0.6) * (0.6 * even + 0.4 * plain) / distance
    wide = math.sqrt(ASPECT)
    x, y = separate(x * scale * wide, y * scale / wide, reach * 1.04 + GAP / 2, one, 0.0, rounds=100, pull=0.012)
    if 2 < x.size <= MOST_SWAPPED:
        x, y = _swap(x, y, _bonds(level, x.size))
    return separate(x, y, reach * 1.04 + GAP / 2, one, 0.0, rounds=400, pull=0.012)


def _swap(x: Floats, y: Floats, bonds: Floats) -> tuple[Floats, Floats]:
    """Exchange the places of two communities as long as that shortens the bonds: the steepest descent of a
    quadratic assignment."""
    x, y = x.copy(), y.copy()
    for _ in range(2 * x.size):
        length = np.hypot(x[:, None] - x[None, :], y[:, None] - y[None, :])
        moved = np.einsum("ik,jk->ij", bonds, length)  # bonds of i, were it at the place of j
        stay = np.diagonal(moved)
        gain = stay[:, None] + stay[None, :] - moved - moved.T - 2 * bonds * length
        best = int(np.argmax(gain))
        if gain.flat[best] < 1e-6 * float(stay.sum() + 1):
            break
        i, j = divmod(best, x.size)
        x[[i, j]], y[[i, j]] = x[[j, i]], y[[j, i]]
    return x, y
