"""Attraction along edges against repulsion of all nodes, level by level.

The energy model is LinLog with edge repulsion (A. Noack, "Energy Models for Graph Clustering", JGAA 11(2), 2007): an
edge pulls with w·log(1+d), two nodes push with mass·mass/d, mass = 1 + degree. It draws communities as clusters.
Above `EXACT` nodes the repulsion is a convolution on a grid by FFT.
"""

from __future__ import annotations

import math

import numpy as np

from kgsite.collection.layout.coarsen import Floats, Level

EXACT = 600
"""Up to this many nodes the repulsion is summed over all pairs."""
LARGEST_GRID = 512
GRAVITY = 0.15
"""Pull to the centre at the rim, as a share of the repulsion there."""


class Repulsion:
    """Σ mass/d of all others at each node, as vectors; remembers the transformed kernel between calls."""

    def __init__(self, n: int) -> None:
        self.size = 0 if n <= EXACT else min(LARGEST_GRID, 1 << math.ceil(math.log2(2 * math.sqrt(n))))
        if self.size:
            # Offsets -(size-1) … size-1, wrapped: twice the grid, so that opposite rims do not feel each other.
            offset = np.fft.fftfreq(2 * self.size, 1 / (2 * self.size))
            square = offset[:, None] ** 2 + offset[None, :] ** 2
            square[0, 0] = 1.0
            self._kernel_x = np.fft.rfft2(offset[None, :] / square)
            self._kernel_y = np.fft.rfft2(offset[:, None] / square)

    def __call__(self, x: Floats, y: Floats, mass: Floats) -> tuple[Floats, Floats]:
        return self._on_grid(x, y, mass) if self.size else _exact(x, y, mass)

    def _on_grid(self, x: Floats, y: Floats, mass: Floats) -> tuple[Floats, Floats]:
        size = self.size
        left, top = float(x.min()), float(y.min())
        cell = max(float(x.max()) - left, float(y.max()) - top, 1e-9) / (size - 2)
        column, row = (x - left) / cell, (y - top) / cell
        i, j = column.astype(np.int64), row.astype(np.int64)
        u, v = column - i, row - j
        corners = (j * size + i, j * size + i + 1, (j + 1) * size + i, (j + 1) * size + i + 1)
        shares = ((1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v)
        density = np.zeros(size * size)
        for corner, share in zip(corners, shares, strict=True):
            density += np.bincount(corner, weights=mass * share, minlength=size * size)
        spectrum = np.fft.rfft2(density.reshape(size, size), s=(2 * size, 2 * size))
        forces = []
        for kernel in (self._kernel_x, self._kernel_y):
            field = np.fft.irfft2(spectrum * kernel, s=(2 * size, 2 * size))[:size, :size].ravel()
            force = np.zeros_like(x)
            for corner, share in zip(corners, shares, strict=True):
                force += field[corner] * share
            forces.append(force / cell)
        return forces[0], forces[1]


def _exact(x: Floats, y: Floats, mass: Floats) -> tuple[Floats, Floats]:
    dx = x[:, None] - x[None, :]
    dy = y[:, None] - y[None, :]
    pull = mass[None, :] / (dx * dx + dy * dy + 1e-6)
    return (dx * pull).sum(axis=1), (dy * pull).sum(axis=1)


def relax(x: Floats, y: Floats, level: Level, steps: int, first: Floats, last: Floats) -> tuple[Floats, Floats]:
    """Move the nodes `steps` times along their forces; the largest step falls geometrically from `first` to `last`.

    `first` and `last` hold one length per node (0 pins a node).
    """
    n = x.size
    repulsion = Repulsion(n)
    source, target = level.source, level.target
    cooling = np.where(first > 0, (last / np.maximum(first, 1e-12)) ** (1 / max(1, steps - 1)), 0.0)
    limit = first.copy()
    total = float(level.mass.sum())
    for _ in range(steps):
        fx, fy = repulsion(x, y, level.mass)
        dx, dy = x[target] - x[source], y[target] - y[source]
        distance = np.sqrt(dx * dx + dy * dy) + 1e-9
        pull = level.weight * np.log1p(distance) / distance
        px, py = pull * dx, pull * dy
        fx += (np.bincount(source, px, n) - np.bincount(target, px, n)) / level.mass
        fy += (np.bincount(source, py, n) - np.bincount(target, py, n)) / level.mass
        centre_x, centre_y = float(np.average(x, weights=level.mass)), float(np.average(y, weights=level.mass))
        reach = float(np.average((x - centre_x) ** 2 + (y - centre_y) ** 2, weights=level.mass)) + 1e-9
        gravity = GRAVITY * total / (2 * reach)
        fx -= gravity * (x - centre_x)
        fy -= gravity * (y - centre_y)
        strength = np.sqrt(fx * fx + fy * fy) + 1e-12
        step = np.minimum(limit, strength) / strength
        x, y = x + fx * step, y + fy * step
        limit = limit * cooling
    return x, y


def multilevel(levels: list[Level], rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Positions of the first (largest) level, from a random start on the last."""
    smallest = levels[-1]
    n = smallest.mass.size
    extent = _extent(smallest)
    angle, radius = rng.random(n) * 2 * math.pi, np.sqrt(rng.random(n)) * extent
    x, y = radius * np.cos(angle), radius * np.sin(angle)
    x, y = relax(x, y, smallest, 150, np.full(n, extent / 4), np.full(n, extent / 400))
    for level in reversed(levels[:-1]):
        n = level.mass.size
        # A node lies about as far from its neighbour as an even spread over the drawing would put it.
        spacing = math.sqrt(float(np.var(x) + np.var(y)) * 2 * math.pi / n)
        angle = rng.random(n) * 2 * math.pi
        x = x[level.parent] + 0.3 * spacing * np.cos(angle)
        y = y[level.parent] + 0.3 * spacing * np.sin(angle)
        x, y = relax(x, y, level, 40, np.full(n, 1.5 * spacing), np.full(n, 0.05 * spacing))
    return x, y


def _extent(level: Level) -> float:
    """Rough radius of the drawing in balance: what pushes (mass²/d) equals what pulls (weight·log d)."""
    total = float(level.mass.sum())
    pull = float(level.weight.sum()) * math.log(2 + total)
    return max(1.0, total * total / max(pull, 1.0) / 2)
