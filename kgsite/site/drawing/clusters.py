"""Drawings of whole graphs: the collection as named communities, one community, the thumbnail of a document."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from markupsafe import Markup

from kgsite.collection.layout import node_size
from kgsite.model import CollectionCommunity, CollectionEntity, Layout
from kgsite.site.drawing import svg
from kgsite.site.drawing.onehop import _color
from kgsite.site.drawing.placing import Box, Wanted, place
from kgsite.site.signs import type_shape

WIDTH, HEIGHT = 480.0, 360.0
MOST_NAMES = 14
"""Communities of an overview, or entities of a document, that are named; other communities have a tooltip."""
MOST_WORDS = 6
"""Names that a drawing of a document or community shows even where they cover dots."""
Disc = tuple[float, float, float]
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
    groups: Mapping[str, int],
    colors: Mapping[int, int],
) -> Markup:
    """Dots and lines only, for cards: decoration, hidden from screen readers."""
    frame, at, radii = _spread(entities, layout, 240, 150, 8, 3.2)
    inner = [*_edges(at, links, groups), *_dots(at, radii, groups, colors)]
    return svg.drawing("thumbnail", frame.width, frame.height, "", inner)


def document(
    entities: Sequence[CollectionEntity],
    links: Mapping[tuple[str, str], bool],
    layout: Layout,
    groups: Mapping[str, int],
    colors: Mapping[int, int],
) -> Markup:
    """The thumbnail at full size, with the names of the most connected; decoration too, its page says what it shows."""
    frame, at, radii = _spread(entities, layout, WIDTH, 300, 24, 5.2)
    discs = [(*at[key], radii[key]) for key in at]
    names = {entity.key: entity.name for entity in entities}
    wanted = [Wanted(names[key], *at[key], radii[key], 12.0) for key in at]
    labels = place(wanted[:MOST_NAMES], frame.width, frame.height, 130, discs, MOST_WORDS)
    inner = [*_edges(at, links, groups), *_dots(at, radii, groups, colors), *(labels[i].markup for i in sorted(labels))]
    return svg.drawing("document", frame.width, frame.height, "", inner)


def _spread(
    entities: Sequence[CollectionEntity], layout: Layout, width: float, height: float, margin: float, most: float
) -> tuple[Frame, Places, Mapping[str, float]]:
    """A frame around the entities that have a place, and where and how large each stands in it, in their order."""
    place_of = {key: (float(x), float(y)) for key, x, y in zip(layout.keys, layout.x, layout.y, strict=True)}
    unit = layout.unit or 1
    discs: dict[str, Disc] = {
        e.key: (*place_of[e.key], unit * node_size(e.degree)) for e in entities if e.key in place_of
    }
    frame = Frame(list(discs.values()), width, height, margin, most / unit)
    largest = max((r for _, _, r in discs.values()), default=1.0)
    scale = min(max(frame.scale, width / 44 / largest), width / 34 / largest)  # seen at any size of the whole
    at = {key: frame(x, y) for key, (x, y, _) in discs.items()}
    return frame, at, {key: max(width / 130, r * scale) for key, (_, _, r) in discs.items()}


def _dots(
    at: Places, radii: Mapping[str, float], groups: Mapping[str, int], colors: Mapping[int, int]
) -> Iterator[str]:
    """One node for each entity, the first ones on top."""
    for key in reversed(list(at)):
        yield svg.node(0, colors.get(groups.get(key, -1)), *at[key], radii[key])


def community(
    name: str,
    entities: Sequence[CollectionEntity],
    links: Mapping[tuple[str, str], bool],
    layout: Layout,
    colors: Mapping[int, int],
    href: Callable[[str], str],
) -> Markup:
    """Members at their places, most connected first, the important ones with their names."""
    frame, at, radii = _spread(entities, layout, WIDTH, HEIGHT, 24, 5.2)
    shown = [entity for entity in entities if entity.key in at]
    discs = [(*at[e.key], radii[e.key]) for e in shown]
    wanted = [Wanted(e.name, *disc, 12.0) for e, disc in zip(shown, discs, strict=True)]
    labels = place(wanted, frame.width, frame.height, 150, discs, MOST_WORDS)
    inner = _edges(at, links, {})
    for index in reversed(range(len(shown))):  # the most connected on top
        entity = shown[index]
        mark = svg.node(type_shape(entity.type), _color(entity, colors), *discs[index])
        label = labels[index].markup if index in labels else ""
        inner.append(svg.link(href(entity.key), entity.name, mark + label))
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
    wanted = [Wanted(c.name, *where, 12.0, inside=True, bold=True) for (c, *_), where in zip(discs, at, strict=True)]
    labels = place(wanted[:MOST_NAMES], frame.width, frame.height, 104)
    boxes = [label.wide for label in labels.values()]
    inner = [_bundle(at, links)]
    inner += [svg.area(colors.get(c.id), *where) for (c, *_), where in zip(discs, at, strict=True)]
    for x, y, r, color in dots:
        dot = (*frame(x, y), min(4.0, max(1.2, r * frame.scale)))
        if not any(_under(dot, box) for box in boxes):
            inner.append(svg.node(0, color, *dot))
    for index, (c, *_) in enumerate(discs):
        label = labels[index].markup if index in labels else ""
        inner.append(svg.link(href(c.id), f"{c.name} · {len(c.members)}", svg.hit(*at[index]) + label))
    return svg.drawing("overview", frame.width, frame.height, name, inner)


def _under(dot: Disc, box: Box) -> bool:
    """Whether a dot would be seen between the letters of a name."""
    x, y, r = dot
    return box.meets(Box(x - r, y - r, x + r, y + r))


def _bundle(at: Sequence[Disc], links: Sequence[tuple[int, int, int]]) -> str:
    """Lines between communities in three widths."""
    heaviest = max((count for _, _, count in links), default=1)
    widths: dict[int, list[tuple[float, float, float, float]]] = {1: [], 2: [], 3: []}
    for a, b, count in links:
        level = 1 + min(2, int(3 * math.log1p(count) / math.log1p(heaviest + 1)))
        widths[level].append((at[a][0], at[a][1], at[b][0], at[b][1]))
    return "".join(svg.lines(segments, f"e w{level}") for level, segments in widths.items())


def _edges(at: Places, links: Mapping[tuple[str, str], bool], groups: Mapping[str, int]) -> list[str]:
    """Lines between entities as up to four paths: those that lead to another group fainter, inferred ones dashed."""
    found: dict[str, list[tuple[float, float, float, float]]] = {
        "e far": [],
        "e inferred far": [],
        "e": [],
        "e inferred": [],
    }
    for (a, b), inferred in links.items():
        if a in at and b in at:
            far = " far" if groups.get(a) != groups.get(b) else ""
            found[f"e{' inferred' if inferred else ''}{far}"].append((*at[a], *at[b]))
    return [svg.lines(segments, classes) for classes, segments in found.items()]
