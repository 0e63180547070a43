"""Labels that do not meet: placed one after the other, the important ones first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kgsite.site.drawing import svg

NARROW = 1.35
"""On a narrow screen drawing.css enlarges the labels by this, and hides those of class `w`."""

BOLD = 1.14
"""How much wider bold letters are; in some fonts it is less."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A label beside a disc of radius `r` (in the middle of it for `inside`)."""

    name: str
    x: float
    y: float
    r: float
    size: float
    inside: bool = False
    tail: str = ""  # is never cut off
    bold: bool = False

    def text(self, room: float) -> str:
        return svg.cut(self.name, self.size, room - svg.width(self.tail, self.size)) + self.tail

    def width(self, room: float, scale: float) -> float:
        return svg.width(self.text(room), self.size * scale) * (BOLD if self.bold else 1.0)


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def place(
    labels: Iterable[Wanted],
    width: float,
    height: float,
    room: float,
    discs: Iterable[tuple[float, float, float]] = (),
) -> dict[int, str]:
    """The SVG of each label that finds a place, by its number; `room` is the longest a name may be in px.

    No label covers one of the `discs` (x, y, r). What fits at the size of narrow screens is placed first; what fits only at the normal size gets the class `w`.
    """
    wanted = list(labels)
    found: dict[int, str] = {}
    taken = [_Box(x - r, y - r, x + r, y + r) for x, y, r in discs]
    for scale, classes in ((NARROW, "l"), (1.0, "l w")):
        for index, label in enumerate(wanted):
            if index in found:
                continue
            for x, y, anchor, box in _places(label, scale, room, width):
                inside = box.left >= 0 and box.right <= width and box.top >= 0 and box.bottom <= height
                if inside and not any(box.meets(other) for other in taken):
                    taken.append(box)
                    found[index] = svg.label(label.text(room), x, y, anchor, classes)
                    break
    return found


def _places(label: Wanted, scale: float, room: float, width: float) -> Iterable[tuple[float, float, str, _Box]]:
    size = label.size * scale
    long = label.width(room, scale) + 4
    x, y, r = label.x, label.y, label.r
    if label.inside:  # at the edge of the drawing inwards, as far as it stays on its disc
        x = min(max(x, min(long / 2, x + r)), max(width - long / 2, x - r))
    base = y + 0.35 * label.size
    middle = ("middle", x - long / 2, x + long / 2)
    spots = (
        [(x, base, *middle), (x, y - r * 0.5, *middle), (x, y + r * 0.7, *middle), (x, y - r - 4, *middle)]
        if label.inside
        else [
            (x + r + 3, base, "start", x + r + 1, x + r + 1 + long),
            (x - r - 3, base, "end", x - r - 1 - long, x - r - 1),
            (x, y - r - 4, *middle),
            (x, y + r + label.size, *middle),
        ]
    )
    for px, py, anchor, left, right in spots:
        yield px, py, anchor, _Box(left, py - 0.85 * size, right, py + 0.3 * size)
