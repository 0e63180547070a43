"""Communities of the whole collection, with names and lasting addresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kgsite.collection.grouping import describe, louvain, topics
from kgsite.collection.permalinks import Claim, Permalinks
from kgsite.model import CollectionCommunity, CollectionEntity


def find_communities(
    entities: Sequence[CollectionEntity],
    weights: Mapping[tuple[int, int], float],
    permalinks: Permalinks,
    language: str,
) -> tuple[CollectionCommunity, ...]:
    """Groups of at least two of `entities` (in key order, with PageRank), largest first.

    `weights` are undirected edges between their indexes. A community keeps its address while its first member stays
    the first of one.
    """
    groups = [
        sorted((entities[node] for node in group), key=lambda one: (-one.pagerank, -one.degree, one.key))
        for group in louvain(len(entities), weights)
        if len(group) > 1
    ]
    named = [
        (members, topics([one.name for one in members], [one.type for one in members], language)) for members in groups
    ]
    slugs = permalinks.assign("communities", [Claim(members[0].key, found[0]) for members, found in named])
    return tuple(
        CollectionCommunity(
            id=number,
            slug=slugs[members[0].key],
            name=found[0],
            topics=found,
            description=describe(len(members), [one.name for one in members], language),
            members=tuple(one.key for one in members),
        )
        for number, (members, found) in enumerate(named)
    )
