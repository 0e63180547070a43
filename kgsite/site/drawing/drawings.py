"""All drawings of a collection, with what they share worked out once."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property, partial

from markupsafe import Markup

from kgsite.collection.layout import MAP_LIMIT, DocumentPart, community_links, document_parts, map_size, node_size
from kgsite.model import Collection, CollectionCommunity, CollectionEntity, Fact, Layout
from kgsite.site.drawing import clusters, onehop
from kgsite.site.escape import to_json
from kgsite.site.signs import community_colors, community_homes, document_colors

MOST_IN_THUMBNAIL = 60
MOST_IN_COMMUNITY = 80
MOST_COMMUNITIES = 28
MOST_LINKS = 40
MOST_DOTS = 320
_NOWHERE = Layout((), (), ())


class Drawings:
    """Makes the SVG drawings of a collection that has its layouts. Every method returns None where nothing can be drawn."""

    def __init__(self, collection: Collection, parts: Callable[[], Mapping[str, DocumentPart]] | None = None) -> None:
        self._collection = collection
        self._entities = {entity.key: entity for entity in collection.entities}
        self._colors = community_colors(collection)
        self._parts = parts or cache(partial(document_parts, collection))
        self._inputs: dict[str, str | None] = {}

    def one_hop(self, key: str, *, href: Callable[[str], str], limit: int = 40) -> Markup | None:
        """An entity and its `limit` most connected neighbours; `href` gives the page of an entity by key."""
        entity = self._entities[key]
        neighbours = onehop.neighbours_of(key, self._facts_of.get(key, ()), self._entities, limit)
        return onehop.one_hop(entity, neighbours, self._colors, href) if neighbours else None

    def document_inputs(self, document: str) -> str | None:
        """A digest of all that the drawings of a document are made of but names; None where there is nothing to draw."""
        if document not in self._inputs:
            part, layout = self._parts().get(document), self._collection.layouts.get(document)
            self._inputs[document] = self._digest(part, layout) if part and layout and part.entities else None
        return self._inputs[document]

    def _digest(self, part: DocumentPart, layout: Layout) -> str:
        nodes = [
            (e.key, e.slug, node_size(e.degree), part.communities.get(e.key, -1), e.community) for e in part.entities
        ]
        homes = {entity.community for entity in part.entities}
        colors = sorted((home, self._colors.get(home)) for home in homes if home is not None)
        links = [(fact.source, fact.target, fact.inferred) for fact in part.facts]
        data = to_json([nodes, colors, links, layout.keys, layout.x, layout.y, layout.unit])
        return hashlib.sha256(data).hexdigest()

    def thumbnail(self, document: str) -> Markup | None:
        """The most connected nodes of a document, for its card, in the colours of its explorer."""
        return self._of_document(document, clusters.thumbnail)

    def document(self, document: str) -> Markup | None:
        """The same for its page, with names."""
        return self._of_document(document, clusters.document)

    def _of_document(self, document: str, draw: Callable[..., Markup]) -> Markup | None:
        part, layout = self._parts().get(document), self._collection.layouts.get(document)
        if part is None or layout is None or not part.entities:
            return None
        links = _links(part.facts)
        degree: dict[str, int] = defaultdict(int)
        for a, b in links:
            degree[a] += 1
            degree[b] += 1
        ranked = sorted(part.entities, key=lambda entity: (-degree[entity.key], entity.slug))
        groups = {entity.key: part.communities.get(entity.key, -1) for entity in ranked}
        own = document_colors(community_homes(ranked, list(groups.values())), self._colors)
        return draw(ranked[:MOST_IN_THUMBNAIL], links, layout, groups, own)

    def community(self, community: int, *, href: Callable[[str], str]) -> Markup | None:
        """A community's most connected members; `href` gives the page of an entity by key."""
        record = self._communities.get(community)
        layout = self._collection.layouts.get(f"community/{record.slug}") if record else None
        if record is None or layout is None or len(layout.keys) < 2:
            return None
        members = [self._entities[key] for key in record.members if key in self._entities][:MOST_IN_COMMUNITY]
        keys = {entity.key for entity in members}
        facts = [f for key in keys for f in self._facts_of.get(key, ()) if f.source in keys and f.target in keys]
        links = dict(sorted(_links(facts).items()))
        return clusters.community(record.name, members, links, layout, self._colors, href)

    def overview(self, *, name: str, href: Callable[[int], str]) -> Markup | None:
        """The collection as communities; `href` gives the page of a community by id, `name` is for screen readers."""
        layout = self._collection.layouts.get("collection", _NOWHERE)
        discs, dots = self._discs(layout)
        if not discs:
            return None
        at = {c.id: index for index, (c, *_) in enumerate(discs)}
        order = [community.id for community in self._collection.communities]
        links = [
            (at[order[a]], at[order[b]], count)
            for (a, b), count in community_links(self._collection).items()
            if order[a] in at and order[b] in at
        ]
        heaviest = sorted(links, key=lambda item: (-item[2], item))[:MOST_LINKS]
        return clusters.overview(name, discs, dots, heaviest, self._colors, href)

    # ── shared ────────────────────────────────────────────────────────────────────────────────
    @cached_property
    def _facts_of(self) -> dict[str, list[Fact]]:
        found: dict[str, list[Fact]] = defaultdict(list)
        for fact in self._collection.facts:
            found[fact.source].append(fact)
            if fact.target != fact.source:
                found[fact.target].append(fact)
        return dict(found)

    @cached_property
    def _communities(self) -> dict[int, CollectionCommunity]:
        return {community.id: community for community in self._collection.communities}

    def _discs(
        self, layout: Layout
    ) -> tuple[list[tuple[CollectionCommunity, float, float, float]], list[tuple[float, float, float, int | None]]]:
        """Largest communities first as (community, x, y, radius), and their most connected members as dots."""
        place = {key: (x, y) for key, x, y in zip(layout.keys, layout.x, layout.y, strict=True)}
        discs: list[tuple[CollectionCommunity, float, float, float]] = []
        dots: list[tuple[float, float, float, int | None]] = []
        largest = self._collection.communities[:MOST_COMMUNITIES]
        if len(self._collection.entities) > MAP_LIMIT:
            known = [c for c in largest if c.slug in place]
            return [(c, *place[c.slug], layout.unit * map_size(len(c.members))) for c in known], dots
        total = sum(len(c.members) for c in largest) or 1
        for c in largest:
            members = [self._entities[key] for key in c.members if key in place and key in self._entities]
            if not members:
                continue
            points = [place[entity.key] for entity in members]
            x, y = sum(p[0] for p in points) / len(points), sum(p[1] for p in points) / len(points)
            spread = sum((px - x) ** 2 + (py - y) ** 2 for px, py in points) / len(points)
            discs.append((c, x, y, math.sqrt(2 * spread) + layout.unit))
            share = max(3, math.ceil(MOST_DOTS * len(members) / total))
            dots += self._dots(members[:share], points, layout.unit, c.id)
        return discs, dots

    def _dots(
        self, members: Iterable[CollectionEntity], points: Iterable[tuple[int, int]], unit: int, community: int
    ) -> list[tuple[float, float, float, int | None]]:
        color = self._colors.get(community)
        return [(x, y, unit * node_size(e.degree), color) for e, (x, y) in zip(members, points, strict=False)]


def _links(facts: Iterable[Fact]) -> dict[tuple[str, str], bool]:
    """Connected pairs (smaller key first) → whether all facts between them are inferred."""
    found: dict[tuple[str, str], bool] = {}
    for fact in facts:
        if fact.source != fact.target:
            pair = (min(fact.source, fact.target), max(fact.source, fact.target))
            found[pair] = found.get(pair, True) and fact.inferred
    return found
