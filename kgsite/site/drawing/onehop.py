"""An entity and its neighbours: two columns on arcs, grouped by what connects them, so that no label meets another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from kgsite.model import CollectionEntity, Fact
from kgsite.site.drawing import svg
from kgsite.site.signs import type_shape

WIDTH = 460.0
FONT = 13.0
PITCH = 19.0
REACH = 92.0
"""From the entity in the middle to the column of its neighbours, at half height."""
BEND = 44.0
"""How much nearer the ends of a column are."""
FEW = 12
"""Up to this many neighbours even a predicate of a single one is written out."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another entity and what connects it; `out` says the facts begin at the entity in the middle."""

    entity: CollectionEntity
    predicate: str
    out: bool
    inferred: bool
    lines: tuple[str, ...]  # all facts, for the tooltip


@dataclass(frozen=True, slots=True)
class _Row:
    """A neighbour or a heading in one of the columns."""

    neighbour: Neighbour | None
    heading: str = ""


def neighbours_of(
    key: str, facts: Sequence[Fact], entities: Mapping[str, CollectionEntity], limit: int
) -> list[Neighbour]:
    """The most connected `limit` neighbours; the first extracted fact of each says how it is grouped."""
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        other = fact.target if fact.source == key else fact.source
        if other != key and other in entities:
            found.setdefault(other, []).append(fact)
    ranked = sorted(found, key=lambda other: (-entities[other].degree, entities[other].slug))[:limit]
    return [_neighbour(key, entities[other], found[other]) for other in ranked]


def _neighbour(key: str, entity: CollectionEntity, facts: list[Fact]) -> Neighbour:
    facts = sorted(facts, key=lambda fact: (fact.inferred, -len(fact.documents), fact.predicate))
    lines = tuple(f"{'→' if fact.source == key else '←'} {fact.predicate}" for fact in facts)
    first = facts[0]
    return Neighbour(entity, first.predicate, first.source == key, all(fact.inferred for fact in facts), lines)


def one_hop(
    entity: CollectionEntity, neighbours: Sequence[Neighbour], colors: Mapping[int, int], href: Callable[[str], str]
) -> Markup:
    """The drawing; `href` gives the page of an entity by its key."""
    sides = _sides(neighbours)
    height = max(110.0, PITCH * max(map(len, sides)) + 30)
    middle_x, middle_y = WIDTH / 2, height / 2
    edges: list[str] = []
    marks: list[str] = []
    for sign, rows in zip((1, -1), sides, strict=True):
        top = middle_y - PITCH * (len(rows) - 1) / 2
        for index, row in enumerate(rows):
            y = top + PITCH * index
            bend = BEND * min(1.0, len(rows) / 16) * ((y - middle_y) / max(height / 2 - 15, 1.0)) ** 2
            x = middle_x + sign * (REACH - bend)
            anchor = "start" if sign > 0 else "end"
            if row.neighbour is None:
                heading = svg.cut(_arrow(row.heading, sign), FONT - 2, WIDTH / 2 - REACH + bend - 10)
                marks.append(svg.label(heading, x + sign * 9, y + 5, anchor, "l p"))
                continue
            bow = middle_x + sign * (REACH - bend) * 0.5
            dashed = " inferred" if row.neighbour.inferred else ""
            path = "M{} {}Q{} {} {} {}".format(*map(svg.number, (middle_x, middle_y, bow, y, x, y)))
            edges.append(f'<path class="e{dashed}" d="{path}"/>')
            marks.append(_mark(row.neighbour, x, y, sign, WIDTH / 2 - REACH + bend - 12, colors, href))
    name = svg.cut(entity.name, FONT + 2.5, 2 * (REACH - 14))
    centre = [
        svg.node(type_shape(entity.type), _color(entity, colors), middle_x, middle_y, 11),
        svg.label(name, middle_x, middle_y + 29, "middle", "l t"),
    ]
    return svg.drawing("one-hop", WIDTH, height, entity.name, [*edges, *marks, *centre])


def _mark(
    neighbour: Neighbour,
    x: float,
    y: float,
    sign: int,
    room: float,
    colors: Mapping[int, int],
    href: Callable[[str], str],
) -> str:
    entity = neighbour.entity
    more = f" +{len(neighbour.lines) - 1}" if len(neighbour.lines) > 1 else ""
    name = svg.cut(entity.name, FONT, room - svg.width(more, FONT)) + more
    radius = min(7.5, 4 + 0.5 * entity.degree**0.5)
    inner = svg.node(type_shape(entity.type), _color(entity, colors), x, y, radius)
    inner += svg.label(name, x + sign * 12, y + 4.5, "start" if sign > 0 else "end")
    return svg.link(href(entity.key), "\n".join((entity.name, *neighbour.lines[:8])), inner)


def _color(entity: CollectionEntity, colors: Mapping[int, int]) -> int | None:
    return None if entity.community is None else colors.get(entity.community)


def _arrow(heading: str, sign: int) -> str:
    """`>predicate` points away from the middle, `<predicate` to it: the arrow says so on either side."""
    outward, predicate = heading[0] == ">", heading[1:]
    if (sign > 0) == outward:
        return f"{predicate} →"
    return f"← {predicate}"


def _sides(neighbours: Sequence[Neighbour]) -> tuple[list[_Row], list[_Row]]:
    """Rows of the right and the left column, balanced; a group larger than half of all is divided."""
    groups: dict[tuple[str, bool], list[Neighbour]] = {}
    for neighbour in neighbours:
        groups.setdefault((neighbour.predicate, neighbour.out), []).append(neighbour)
    named: list[tuple[str, list[Neighbour]]] = []
    rest: list[Neighbour] = []
    half = max(2, (len(neighbours) + 1) // 2)
    for (predicate, out), members in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(members) == 1 and len(neighbours) > FEW:
            rest += members
            continue
        heading = (">" if out else "<") + predicate
        parts = -(-len(members) // half)
        size = -(-len(members) // parts)
        named += [(heading, members[start : start + size]) for start in range(0, len(members), size)]
    sides: tuple[list[_Row], list[_Row]] = ([], [])
    for heading, members in sorted(named, key=lambda item: -len(item[1])):
        side = min(sides, key=len)
        side += [_Row(None, heading), *(_Row(neighbour) for neighbour in members)]
    for neighbour in rest:
        side = min(sides, key=len)
        side.append(_Row(neighbour))
    return sides
