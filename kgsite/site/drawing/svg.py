"""Marks of the drawings: shapes, links, text that fits. Everything from a graph is escaped here.

Classes instead of styles: `n` node (with `s0`…`s9` shape and `c0`…`c11` or `cx` colour), `e` edge (`e inferred`
dashed, `e far` between communities), `l` label (`l p` predicate, `l t` the entity in the middle, `l w` only where the
drawing is wide, `l a` and `l b` the two lines of a long one), `a` area.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable

from markupsafe import Markup, escape

_NARROW = frozenset("iljtfrI.,;:'!|()[]{}-·’ ")
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")


def text(value: str) -> str:
    """Escaped, without characters that HTML or SVG can't hold."""
    cleaned = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return str(escape("".join(" " if unicodedata.category(c) == "Cc" and c != "\n" else c for c in cleaned)))


def number(value: float) -> str:
    """At most one decimal, no trailing zero: the same digits everywhere."""
    rounded = round(value, 1)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


def color_class(color: int | None) -> str:
    return "cx" if color is None else f"c{color}"


def _regular(corners: int, radius: float, turn: float) -> tuple[tuple[float, float], ...]:
    angles = [turn + 2 * math.pi * k / corners for k in range(corners)]
    return tuple((radius * math.cos(angle), radius * math.sin(angle)) for angle in angles)


def _star() -> tuple[tuple[float, float], ...]:
    rays = [(1.36 if k % 2 == 0 else 0.62, -math.pi / 2 + math.pi * k / 5) for k in range(10)]
    return tuple((radius * math.cos(angle), radius * math.sin(angle)) for radius, angle in rays)


def _cross() -> tuple[tuple[float, float], ...]:
    arm, half = 1.12, 0.4
    quarter = [(-half, -arm), (half, -arm), (half, -half)]
    corners = []
    for turn in range(4):
        for x, y in quarter:
            for _ in range(turn):
                x, y = -y, x  # noqa: PLW2901 - a quarter turn
            corners.append((x, y))
    return tuple(corners)


_UP = -math.pi / 2
_CORNERS = {
    1: _regular(4, 1.25, math.pi / 4),
    2: _regular(4, 1.28, 0),
    3: _regular(3, 1.42, _UP),
    4: _regular(6, 1.12, 0),
    5: _star(),
    6: _regular(3, 1.42, -_UP),
    7: _cross(),
    8: _regular(5, 1.18, _UP),
}
"""Corners of the polygons around the origin, of about the area of a circle of radius 1 (as in shapes.js)."""


def node(shape: int, color: int | None, x: float, y: float, r: float) -> str:
    """One entity; shape 0 is a circle, 9 a ring."""
    classes = f"n s{shape} {color_class(color)}"
    corners = _CORNERS.get(shape)
    if corners is None:
        return f'<circle class="{classes}" cx="{number(x)}" cy="{number(y)}" r="{number(r * (0.8 if shape == 9 else 1))}"/>'
    path = "L".join(f"{number(x + r * dx)} {number(y + r * dy)}" for dx, dy in corners)
    return f'<path class="{classes}" d="M{path}Z"/>'


def area(color: int | None, x: float, y: float, r: float) -> str:
    """A community, as the disc that its members lie in."""
    return f'<circle class="a {color_class(color)}" cx="{number(x)}" cy="{number(y)}" r="{number(r)}"/>'


def hit(x: float, y: float, r: float) -> str:
    """What can be pointed at, unseen."""
    return f'<circle class="hit" cx="{number(x)}" cy="{number(y)}" r="{number(r)}"/>'


def lines(segments: Iterable[tuple[float, float, float, float]], classes: str = "e") -> str:
    """Many straight edges as one path; nothing for none."""
    path = "".join(f"M{number(a)} {number(b)}L{number(c)} {number(d)}" for a, b, c, d in segments)
    return f'<path class="{classes}" d="{path}"/>' if path else ""


def label(value: str, x: float, y: float, anchor: str = "middle", classes: str = "l") -> str:
    """A name; `unicode-bidi` lets it run in its own direction while `anchor` stays on its side."""
    return (
        f'<text class="{classes}" x="{number(x)}" y="{number(y)}" text-anchor="{anchor}" unicode-bidi="plaintext">'
        f"{text(value)}</text>"
    )


def link(href: str, title: str, inner: str) -> str:
    return f'<a href="{text(href)}"><title>{text(title)}</title>{inner}</a>'


def drawing(kind: str, width: float, height: float, name: str, inner: Iterable[str]) -> Markup:
    """A whole drawing: `name` is what a screen reader says of it; without one it is decoration."""
    role = f'role="group" aria-label="{text(name)}"' if name else 'aria-hidden="true" focusable="false"'
    box = f'viewBox="0 0 {number(width)} {number(height)}" width="{number(width)}" height="{number(height)}"'
    return Markup(f'<svg class="drawing {kind}" {box} direction="ltr" {role}>{"".join(inner)}</svg>')  # noqa: S704


# ── text ──────────────────────────────────────────────────────────────────────────────────────────
def width(value: str, size: float) -> float:
    """Estimated width of a text in px at a font size in px: generous, no font is measured."""
    return size * sum(map(_em, value))


def _em(character: str) -> float:
    category = unicodedata.category(character)
    if category in ("Mn", "Me", "Cf", "Cc"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF" or ord(character) > 0x1F000:
        return 1.0
    if character in _NARROW:
        return 0.38
    return 0.74 if category in ("Lu", "Nd") or character in "mwMW@%" else 0.61


def cut(value: str, size: float, room: float) -> str:
    """The name, or as much of it as fits into `room` px and an ellipsis, cut between graphemes."""
    value = " ".join(value[:400].split())
    if width(value, size) <= room:
        return value
    left, end, used = room - size * 0.9, 0, 0.0
    for index, character in enumerate(value):
        if _starts_grapheme(value, index):
            if used > left:
                break
            end = index
        used += size * _em(character)
    return value[:end].rstrip() + "…"


def halves(value: str, size: float, room: float) -> tuple[str, ...]:
    """The name in one line, or in two of about the same length where it has a space to break at; each cut to `room`."""
    words = " ".join(value[:400].split()).split(" ")
    whole = " ".join(words)
    if len(words) == 1 or width(whole, size) <= room:
        return (cut(whole, size, room),)
    breaks = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
    first, second = min(breaks, key=lambda pair: _unevenness(pair, size, room))
    return cut(first, size, room), cut(second, size, room)


def _unevenness(pair: tuple[str, str], size: float, room: float) -> tuple[float, float]:
    """What is lost of the first line, then how long the longer line is: less is better."""
    first, second = (width(line, size) for line in pair)
    return max(0.0, first - room), max(first, second)


def _starts_grapheme(value: str, index: int) -> bool:
    """Whether a cut before this character is safe: not before marks, joiners, skin tones, half flags, jamo vowels."""
    character = value[index]
    code = ord(character)
    if unicodedata.category(character)[0] == "M" or character in _JOINERS or 0x1F3FB <= code <= 0x1F3FF:
        return False
    if index and value[index - 1] == "\u200d":
        return False
    if 0x1160 <= code <= 0x11FF or 0xE0020 <= code <= 0xE007F:
        return False
    if 0x1F1E6 <= code <= 0x1F1FF:
        flags = 0
        while flags < index and 0x1F1E6 <= ord(value[index - 1 - flags]) <= 0x1F1FF:
            flags += 1
        return flags % 2 == 0
    return True
