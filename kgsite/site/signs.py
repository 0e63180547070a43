"""The signs that readers learn once: a shape for each type of entity, a colour for each large community."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from kgsite.model import Collection, CollectionEntity

COLORS = 12
"""Communities with a colour of their own."""
_SHAPES = {
    "person": 4, "people": 4, "human": 4, "scientist": 4,
    "organization": 3, "organisation": 3, "company": 3, "institution": 3, "agency": 3, "group": 3,
    "place": 5, "location": 5, "country": 5, "city": 5, "region": 5,
    "event": 2, "award": 2,
    "technology": 8, "method": 8, "software": 8,
    "product": 6, "artifact": 6, "device": 6, "substance": 6, "material": 6,
    "work": 7, "publication": 7, "document": 7, "standard": 7,
    "date": 1, "time": 1, "number": 1, "quantity": 1,
    "concept": 0, "theory": 0, "topic": 0, "field": 0, "idea": 0,
}  # fmt: skip


@lru_cache(maxsize=4096)
def type_shape(name: str) -> int:
    """The shape of an entity type, the same on every page and in every build.

    0 circle, 1 square, 2 diamond, 3 triangle up, 4 hexagon, 5 star, 6 triangle down, 7 cross, 8 pentagon, 9 ring.
    """
    folded = " ".join(name.casefold().replace("_", " ").split())
    if folded in _SHAPES:
        return _SHAPES[folded]
    return hashlib.sha256(folded.encode("utf-8", "surrogatepass")).digest()[0] % 10


def community_colors(collection: Collection) -> dict[int, int]:
    """Colour (0–11) of the twelve largest communities by id; the others are grey.

    A community prefers the colour that its slug stands for, so growth and rank do not repaint it; where two prefer
    the same one, the next free colour is taken, in the order of slugs.
    """
    largest = sorted(collection.communities, key=lambda community: community.id)[:COLORS]
    free = list(range(COLORS))
    colors: dict[int, int] = {}
    for community in sorted(largest, key=lambda community: community.slug):
        preferred = int(hashlib.sha256(community.slug.encode("utf-8", "surrogatepass")).hexdigest(), 16) % COLORS
        color = min(free, key=lambda number: (number - preferred) % COLORS)
        free.remove(color)
        colors[community.id] = color
    return colors


def community_homes(entities: Sequence[CollectionEntity], groups: Sequence[int]) -> dict[int, int]:
    """Communities of a document → the collection's community that most of their members are in (-1: none).

    `groups` is the document's community of each entity, -1 for none. The largest come first, then by id.
    """
    votes: dict[int, Counter[int]] = {}
    for entity, group in zip(entities, groups, strict=True):
        if group >= 0:
            votes.setdefault(group, Counter())[-1 if entity.community is None else entity.community] += 1
    order = sorted(votes, key=lambda group: (-votes[group].total(), group))
    return {group: min(votes[group], key=lambda home: (-votes[group][home], home)) for group in order}


def document_colors(homes: Mapping[int, int], colors: Mapping[int, int]) -> dict[int, int]:
    """Colour of a document's communities, in its explorer and its drawings: that of their home where they have one.

    No two of them share a colour: the larger one has it, the other takes a free one; when none is left it is grey.
    """
    found: dict[int, int] = {}
    free = list(range(COLORS))
    later: list[int] = []
    for group, home in homes.items():
        color = colors.get(home)
        if color in free:
            free.remove(color)
            found[group] = color
        else:
            later.append(group)
    found.update(zip(later, free, strict=False))
    return found
