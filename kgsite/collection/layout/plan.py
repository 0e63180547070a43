"""Which graphs of a collection are drawn, from which earlier positions, and which need nothing new."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from kgsite.collection.layout.graph import LayoutGraph, layout_graph
from kgsite.collection.layout.parts import DocumentPart, document_parts
from kgsite.model import Collection, Layout

MAP_LIMIT = 10_000
"""Above this many entities the collection is drawn as a map of its communities, each with a layout of its own."""
_COLLECTION = "collection"
_COMMUNITY = "community/"


def layout(
    keys: Sequence[str],
    edges: Sequence[tuple[int, int, float]],
    communities: Sequence[int],
    *,
    sizes: Sequence[float] | None = None,
    previous: Layout | None = None,
) -> Layout:
    """Positions of a graph: nodes by key, edges as (source, target, weight) with indexes into `keys`.

    Communities keep together; a number below 0 is none. `sizes` are relative radii, else they follow from the degree
    (`node_size`). Positions are integers of at most ±32,767 in the order of `keys`; discs of radius unit·size do not
    overlap. The result depends on nothing else, but its last digits may differ between processors. With `previous`,
    a graph that has not changed keeps its positions as they are, and another one moves as little as it can.
    Raises ValueError for doubled keys and for edges that name no node.
    """
    graph = layout_graph(keys, edges, communities, sizes)
    return _in_order(_settled(graph, previous), keys)


def _settled(graph: LayoutGraph, previous: Layout | None) -> Layout:
    if previous is not None and previous.digest == graph.digest and set(previous.keys) == set(graph.keys):
        return previous  # the keys are compared too: a damaged file may have lost one and still say its digest
    if not graph.keys:
        return Layout((), (), (), 0, graph.digest)
    from kgsite.collection.layout.compute import compute  # numpy, 270 ms: not before something has changed

    return compute(graph, previous)


def _in_order(found: Layout, keys: Sequence[str]) -> Layout:
    if found.keys == tuple(keys):
        return found
    at = {key: index for index, key in enumerate(found.keys)}
    order = [at[key] for key in keys]
    return Layout(
        tuple(keys), tuple(found.x[i] for i in order), tuple(found.y[i] for i in order), found.unit, found.digest
    )


def layouts(collection: Collection, previous: Mapping[str, Layout]) -> dict[str, Layout]:
    """The layouts of a collection: "collection", each document id and "community/<slug>".

    Keys of nodes are `CollectionEntity.key`; above `MAP_LIMIT` entities the nodes of "collection" are communities, by
    their slug. Each community and document is laid out by itself, so that a change elsewhere leaves it as it is.
    """
    draw = _map if len(collection.entities) > MAP_LIMIT else _whole
    found = {_COLLECTION: draw(collection, previous.get(_COLLECTION))}
    found.update(_communities(collection, previous))
    for document, part in document_parts(collection).items():
        found[document] = _document(part, previous.get(document))
    return found


def _whole(collection: Collection, previous: Layout | None) -> Layout:
    keys = [entity.key for entity in collection.entities]
    at = {key: index for index, key in enumerate(keys)}
    edges = [(at[f.source], at[f.target], 1.0) for f in collection.facts if f.source in at and f.target in at]
    groups = [-1 if entity.community is None else entity.community for entity in collection.entities]
    return layout(keys, edges, groups, previous=previous)


def map_size(members: int) -> float:
    """Relative radius of a community on the map: its area grows with its members."""
    return math.sqrt(max(1, members))


def community_links(collection: Collection) -> dict[tuple[int, int], int]:
    """Facts between communities: (position, position) in `collection.communities`, smaller first → how many."""
    at = {key: index for index, community in enumerate(collection.communities) for key in community.members}
    links: dict[tuple[int, int], int] = {}
    for fact in collection.facts:
        a, b = at.get(fact.source, -1), at.get(fact.target, -1)
        if a >= 0 and b >= 0 and a != b:
            pair = (min(a, b), max(a, b))
            links[pair] = links.get(pair, 0) + 1
    return dict(sorted(links.items()))


def _map(collection: Collection, previous: Layout | None) -> Layout:
    keys = [str(community.slug) for community in collection.communities]
    edges = [(a, b, float(count)) for (a, b), count in community_links(collection).items()]
    sizes = [map_size(len(community.members)) for community in collection.communities]
    return layout(keys, edges, [-1] * len(keys), sizes=sizes, previous=previous)


def _communities(collection: Collection, previous: Mapping[str, Layout]) -> Iterable[tuple[str, Layout]]:
    number = {key: c.id for c in collection.communities for key in c.members}
    facts: dict[int, list[tuple[str, str]]] = {}
    for fact in collection.facts:
        home = number.get(fact.source)
        if home is not None and home == number.get(fact.target):
            facts.setdefault(home, []).append((fact.source, fact.target))
    for community in collection.communities:
        at = {key: index for index, key in enumerate(community.members)}
        edges = [(at[a], at[b], 1.0) for a, b in facts.get(community.id, [])]
        name = f"{_COMMUNITY}{community.slug}"
        yield name, layout(community.members, edges, [0] * len(at), previous=previous.get(name))


def _document(part: DocumentPart, previous: Layout | None) -> Layout:
    keys = [entity.key for entity in part.entities]
    at = {key: index for index, key in enumerate(keys)}
    edges = [(at[fact.source], at[fact.target], 1.0) for fact in part.facts]
    return layout(keys, edges, [part.communities.get(key, -1) for key in keys], previous=previous)
