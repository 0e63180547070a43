"""Drawings of whole graphs: the collection as named communities, one community, the thumbnail of a document."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from markupsafe import Markup

from kgsite.collection.layout import node_size
from kgsite.model import CollectionCommunity, CollectionEntity, Layout
from kgsite.site.drawing import svg
from kgsite.site.drawing.onehop import _color
from kgsite.site.drawing.placing import Wanted, place
from kgsite.site.signs import type_shape

WIDTH, HEIGHT = 480.0, 360.0
MOST_NAMES = 14
"""Communities of an overview that are named; the others have their name as a tooltip."""
Places = Mapping[str, tuple[float, float]]


class Frame:
    """From the coordinates of a layout to those of a drawing that shows some of its nodes."""

    def __init__(
        self, discs: Sequence[tuple[float, float, float]], width: float, height: float, margin: float, most: float
    ) -> None:
        left = min((x - r for x, _, r in discs), default=0)
        right = max((x + r for x, _, r in discs), default=1)
        top = min((y - r for _, y, r in discs), default=0)
        bottom = max((y + r for _, y, r in discs), default=1)
        wide, high = max(right - left, 1), max(bottom - top, 1)
        self.scale = min((width - 2 * margin) / wide, (height - 2 * margin) / high, most)
        self.width = width
        self.height = min(height, high * self.scale + 2 * margin)  # no empty stripes above and below
        self._x, self._y = (left + right) / 2, (top + bottom) / 2

    def __call__(self, x: float, y: float) -> tuple[float, float]:
        return (x - self._x) * self.scale + self.width / 2, (y - self._y) * self.scale + self.height / 2


def thumbnail(
    entities: Sequence[CollectionEntity],
    links: Mapping[tuple[str, str], bool],
    layout: Layout,
    colors: Mapping[str, int | None],
) -> Markup:
    """Dots and lines only, for cards: decoration, hidden from screen readers."""
    place_of = {key: (x, y) for key, x, y in zip(layout.keys, layout.x, layout.y, strict=True)}
    shown = [entity for entity in entities if entity.key in place_of]
    unit = layout.unit or 1
    discs = [(*place_of[e.key], unit * node_size(e.degree)) for e in shown]
    frame = Frame(discs, 240, 150, 8, 3.2 / unit)
    at = {entity.key: frame(*place_of[entity.key]) for entity in shown}
    inner = [_edges(at, links, inferred) for inferred in (False, True)]
    for entity, (_, _, r) in zip(shown, discs, strict=True):
        x, y = at[entity.key]
        radius = min(7.0, max(2.0, r * frame.scale))
        inner.append(svg.node(0, colors.get(entity.key), x, y, radius))
    return svg.drawing("thumbnail", frame.width, frame.height, "", inner)


def community(
    name: str,
    entities: Sequence[CollectionEntity],
    links: Mapping[tuple[str, str], bool],
    layout: Layout,
    colors: Mapping[int, int],
    href: Callable[[str], str],
) -> Markup:
    """Members at their places, most connected first, the important ones with their names."""
    place_of = {key: (x, y) for key, x, y in zip(layout.keys, layout.x, layout.y, strict=True)}
    shown = [entity for entity in entities if entity.key in place_of]
    unit = layout.unit or 1
    discs = [(*place_of[e.key], unit * node_size(e.degree)) for e in shown]
    frame = Frame(discs, WIDTH, HEIGHT, 24, 6 / unit)
    at = {entity.key: frame(*place_of[entity.key]) for entity in shown}
    radii = [min(10.0, max(2.5, 0.8 * r * frame.scale)) for _, _, r in discs]
    wanted = [Wanted(e.name, *at[e.key], r, 12.0) for e, r in zip(shown, radii, strict=True)]
    labels = place(wanted, frame.width, frame.height, 150, [(*at[e.key], r) for e, r in zip(shown, radii, strict=True)])
    inner = [_edges(at, links, inferred) for inferred in (False, True)]
    for index in reversed(range(len(shown))):  # the most connected on top
        entity = shown[index]
        x, y = at[entity.key]
        mark = svg.node(type_shape(entity.type), _color(entity, colors), x, y, radii[index])
        inner.append(svg.link(href(entity.key), entity.name, mark + labels.get(index, "")))
    return svg.drawing("community", frame.width, frame.height, name, inner)


def overview(
    name: str,
    discs: Sequence[tuple[CollectionCommunity, float, float, float]],
    dots: Sequence[tuple[float, float, float, int | None]],
    links: Sequence[tuple[int, int, int]],
    colors: Mapping[int, int],
    href: Callable[[int], str],
) -> Markup:
    """Communities as named discs; discs are (community, x, y, radius), links (disc, disc, facts), heaviest first."""
    frame = Frame([(x, y, r) for _, x, y, r in discs], WIDTH, HEIGHT, 10, 1e9)
    at = [(*frame(x, y), max(3.0, r * frame.scale)) for _, x, y, r in discs]
    wanted = [
        Wanted(c.name, x, y, r, 13.0, inside=True, tail=f" · {len(c.members)}", bold=True)
        for (c, *_), (x, y, r) in zip(discs, at, strict=True)
    ]
    labels = place(wanted[:MOST_NAMES], frame.width, frame.height, 170)
    inner = [_bundle(at, links)]
    inner += [
        f'<circle class="a {svg.color_class(colors.get(c.id))}" cx="{svg.number(x)}" cy="{svg.number(y)}" r="{svg.number(r)}"/>'
        for (c, *_), (x, y, r) in zip(discs, at, strict=True)
    ]
    for x, y, r, color in dots:
        inner.append(svg.node(0, color, *frame(x, y), min(4.0, max(1.2, r * frame.scale))))
    for index, (c, *_) in enumerate(discs):
        x, y, r = at[index]
        target = f'<circle class="hit" cx="{svg.number(x)}" cy="{svg.number(y)}" r="{svg.number(r)}"/>'
        inner.append(svg.link(href(c.id), f"{c.name} · {len(c.members)}", target + labels.get(index, "")))
    return svg.drawing("overview", frame.width, frame.height, name, inner)


def _bundle(at: Sequence[tuple[float, float, float]], links: Sequence[tuple[int, int, int]]) -> str:
    """Lines between communities in three widths."""
    heaviest = max((count for _, _, count in links), default=1)
    widths: dict[int, list[tuple[float, float, float, float]]] = {1: [], 2: [], 3: []}
    for a, b, count in links:
        level = 1 + min(2, int(3 * math.log1p(count) / math.log1p(heaviest + 1)))
        widths[level].append((at[a][0], at[a][1], at[b][0], at[b][1]))
    return "".join(svg.lines(segments, f"e w{level}") for level, segments in widths.items())


def _edges(at: Places, links: Mapping[tuple[str, str], bool], inferred: bool) -> str:
    segments = [(*at[a], *at[b]) for (a, b), guess in links.items() if guess == inferred and a in at and b in at]
    return svg.lines(segments, "e inferred" if inferred else "e")
