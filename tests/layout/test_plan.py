"""Which layouts a collection has, and what happens to them from build to build."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pytest

from kgsite.collection.layout import layouts, plan
from kgsite.model import Collection


@pytest.fixture
def collection(make_graph: ModuleType) -> Collection:
    return make_graph.collection(make_graph.make(150))


def test_a_collection_has_a_layout_for_itself_its_documents_and_communities(collection: Collection) -> None:
    found = layouts(collection, {})
    assert sorted(found) == sorted(["collection", "doc", *(f"community/{c.slug}" for c in collection.communities)])
    assert set(found["collection"].keys) == {entity.key for entity in collection.entities}
    for community in collection.communities:
        assert set(found[f"community/{community.slug}"].keys) == set(community.members)


def test_a_change_elsewhere_leaves_a_community_as_it_is(collection: Collection) -> None:
    first = layouts(collection, {})
    kept = collection.communities[0]
    inside = set(kept.members)
    fewer = replace(collection, facts=tuple(f for f in collection.facts if f.source in inside and f.target in inside))
    second = layouts(fewer, first)
    assert second[f"community/{kept.slug}"] == first[f"community/{kept.slug}"]
    assert second["collection"] != first["collection"]


def test_the_second_build_changes_nothing(collection: Collection) -> None:
    first = layouts(collection, {})
    assert layouts(collection, first) == first


def test_an_empty_collection_has_an_empty_layout() -> None:
    found = layouts(Collection((), {}, (), (), (), {}), {})
    assert list(found) == ["collection"]
    assert found["collection"].keys == ()


def test_a_large_collection_is_a_map_of_communities(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "MAP_LIMIT", 100)
    found = layouts(collection, {})
    assert found["collection"].keys == tuple(community.slug for community in collection.communities)
    for community in collection.communities:
        assert found[f"community/{community.slug}"].keys == community.members
    assert layouts(collection, found) == found


def test_communities_find_their_positions_again_when_their_numbers_change(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setattr(plan, "MAP_LIMIT", 100)
    first = layouts(collection, {})
    count = len(collection.communities)
    turned = {community.id: count - 1 - community.id for community in collection.communities}
    entities = tuple(replace(e, community=turned[e.community]) for e in collection.entities if e.community is not None)
    communities = tuple(sorted((replace(c, id=turned[c.id]) for c in collection.communities), key=lambda c: c.id))
    second = layouts(replace(collection, entities=entities, communities=communities), first)
    for community in collection.communities:
        before, after = first[f"community/{community.slug}"], second[f"community/{community.slug}"]
        assert (before.keys, before.x, before.y) == (after.keys, after.x, after.y)
