"""Labels that do not meet: placed one after the other, the important ones first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kgsite.site.drawing import svg

NARROW = 1.35
"""On a narrow screen drawing.css enlarges the labels by this, and hides those of class `w`."""

BOLD = 1.14
"""How much wider bold letters are; in some fonts it is less."""

LEADING = 1.16
"""Distance of two lines of a label, in its font size."""

MARGIN = 2.0
"""Room at both ends of a label, in px."""

Spot = tuple[float, float, str]  # x and y of the text, and which end of it stands there
_INSIDE = ((0, 0), (0, -0.3), (0, 0.3), (0.35, 0), (-0.35, 0), (0, -0.6), (0, 0.6), (0.35, 0.45), (-0.35, 0.45))
_BESIDE = ((0, -1.6), (0, 1.6))


@dataclass(frozen=True, slots=True)
class Wanted:
    """A label beside a disc of radius `r`; for `inside` in the middle of it, where needed in two lines."""

    name: str
    x: float
    y: float
    r: float
    size: float
    inside: bool = False
    bold: bool = False

    def set(self, room: float) -> Text:
        """The label in its lines and how long the longest is, letters as large as `size`."""
        lines = svg.halves(self.name, self.size, room) if self.inside else (svg.cut(self.name, self.size, room),)
        return Text(self, lines, max(svg.width(line, self.size) for line in lines) * (BOLD if self.bold else 1.0))


@dataclass(frozen=True, slots=True)
class Text:
    """A label that is divided into lines."""

    label: Wanted
    lines: tuple[str, ...]
    length: float

    def spots(self, scale: float, width: float) -> Iterable[Spot]:
        """Where it may stand in a drawing of this width, the best place first."""
        label = self.label
        x, y, r = label.x, label.y, label.r
        base = y + 0.35 * label.size
        if not label.inside:
            yield x + r + 3, base, "start"
            yield x - r - 3, base, "end"
            yield x, y - r - 4, "middle"
            yield x, y + r + label.size, "middle"
            return
        half = self.length * scale / 2 + MARGIN  # at the edge of the drawing inwards, as far as it stays on its disc
        x = min(max(x, min(half, x + r)), max(width - half, x - r))
        for right, down in _INSIDE if r > label.size else _BESIDE:
            yield x + right * r, base + down * r, "middle"

    def box(self, spot: Spot, scale: float) -> Box:
        x, y, anchor = spot
        size, long = self.label.size * scale, self.length * scale + 2 * MARGIN
        left = {"start": x - MARGIN, "end": x + MARGIN - long, "middle": x - long / 2}[anchor]
        more = (len(self.lines) - 1) * LEADING * size / 2
        return Box(left, y - more - 0.85 * size, left + long, y + more + 0.3 * size)

    def markup(self, spot: Spot, classes: str) -> str:
        """One text a line, so that each runs in its own direction; `a` and `b` part where letters are larger."""
        x, y, anchor = spot
        if len(self.lines) == 1:
            return svg.label(self.lines[0], x, y, anchor, classes)
        half = LEADING * self.label.size / 2
        above = svg.label(self.lines[0], x, y - half, anchor, f"{classes} a")
        return above + svg.label(self.lines[1], x, y + half, anchor, f"{classes} b")


@dataclass(frozen=True, slots=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def holds(self, other: Box) -> bool:
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.top <= other.top
            and other.bottom <= self.bottom
        )

    def meets_any(self, others: Iterable[Box]) -> bool:
        return any(self.meets(other) for other in others)

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


@dataclass(frozen=True, slots=True)
class Placed:
    """A label that has its place, and the room it takes where the drawing is wide and where it is narrow."""

    markup: str
    wide: Box
    narrow: Box | None  # not shown there


def place(
    labels: Iterable[Wanted],
    width: float,
    height: float,
    room: float,
    discs: Iterable[tuple[float, float, float]] = (),
    first: int = 0,
) -> dict[int, Placed]:
    """Each label that finds a place, by its number; `room` is the longest a line may be in px.

    No label covers one of the `discs` (x, y, r); the `first` labels, if nothing else helps, cover discs that come after
    theirs, as few as can be. What fits at the size of narrow screens is placed first; what fits only at the normal size gets the class `w`.
    """
    wanted = [label.set(room) for label in labels]
    found: dict[int, Placed] = {}
    whole = Box(0, 0, width, height)
    around = [Box(x - r, y - r, x + r, y + r) for x, y, r in discs]
    for narrow, loose in ((True, False), (False, False), (True, True), (False, True)):
        scale = NARROW if narrow else 1.0
        for index, text in enumerate(wanted[:first] if loose else wanted):
            if index in found:
                continue
            kept = around[: max(first, index + 1)] if loose else around
            wide = [*kept, *(other.wide for other in found.values())]
            small = [*kept, *(other.narrow for other in found.values() if other.narrow)] if narrow else wide
            free = (
                (spot, box)
                for spot in text.spots(scale, width)
                if whole.holds(box := text.box(spot, scale))
                and not box.meets_any(small)
                and not (narrow and text.box(spot, 1.0).meets_any(wide))
            )
            best = min(free, key=lambda place: _covered(place, around), default=None) if loose else next(free, None)
            if best:
                spot, box = best
                markup = text.markup(spot, "l" if narrow else "l w")
                found[index] = Placed(markup, text.box(spot, 1.0), box if narrow else None)
    return found


def _covered(place: tuple[Spot, Box], discs: Iterable[Box]) -> int:
    return sum(place[1].meets(disc) for disc in discs)
