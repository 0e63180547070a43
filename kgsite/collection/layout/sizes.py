"""How large a node is drawn, relative to a node without edges."""

from __future__ import annotations

import math

LARGEST = 4.0


def node_size(degree: int) -> float:
    """Relative radius of a node with `degree` neighbours: 1 + 0.4·√degree, at most 4.

    Times `Layout.unit` it is the disc that the layout keeps free. The explorer draws the same size.
    """
    return min(LARGEST, 1.0 + 0.4 * math.sqrt(max(0, degree)))
