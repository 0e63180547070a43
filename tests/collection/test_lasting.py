"""Communities that last: the same graph gives the same groups, a small change moves little."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgsite.collection import CommunityMemory, Permalinks
from kgsite.collection.communities import find_communities
from kgsite.collection.lasting import Remembered, regroup
from kgsite.errors import StoreError
from kgsite.model import CollectionCommunity, CollectionEntity, Slug

Edges = dict[tuple[str, str], float]


def clusters(count: int = 8, size: int = 12, bridges: int = 30, seed: int = 3) -> Edges:
    """Dense groups a00 … h11 with a few edges between them."""
    draw = random.Random(seed)
    names = [[f"{chr(97 + number)}{member:02}" for member in range(size)] for number in range(count)]
    edges: Edges = {}
    for group in names:
        for one, other in itertools.combinations(group, 2):
            if draw.random() < 0.5:
                edges[one, other] = 5.0
    while bridges:
        one, other = (draw.choice(draw.choice(names)) for _ in range(2))
        if one[0] != other[0]:
            edges[min(one, other), max(one, other)] = 1.0
            bridges -= 1
    return edges


def grouped(edges: Edges, memory: CommunityMemory, permalinks: Permalinks) -> tuple[CollectionCommunity, ...]:
    keys = sorted({key for edge in edges for key in edge})
    index = {key: number for number, key in enumerate(keys)}
    degrees = dict.fromkeys(keys, 0)
    for edge in edges:
        for key in edge:
            degrees[key] += 1
    entities = [
        CollectionEntity(key=key, slug=Slug(key), name=key.upper(), type="thing", degree=degrees[key]) for key in keys
    ]
    weights = {(min(index[a], index[b]), max(index[a], index[b])): weight for (a, b), weight in edges.items()}
    return find_communities(entities, weights, permalinks, "en", memory)


def told(communities: tuple[CollectionCommunity, ...]) -> dict[str, tuple[str, str, tuple[str, ...]]]:
    return {one.slug: (one.name, one.description, one.members) for one in communities}


def test_one_more_relation_leaves_all_but_its_own_communities_as_they_are() -> None:
    edges, memory, permalinks = clusters(), CommunityMemory(), Permalinks()
    before = told(grouped(edges, memory, permalinks))
    assert len(before) == 8
    edges["a00", "new"] = 5.0
    edges["a01", "new"] = 5.0
    after = told(grouped(edges, memory, permalinks))
    assert set(after) == set(before)
    changed = {slug for slug in after if after[slug] != before[slug]}
    assert len(changed) == 1
    assert "new" in after[changed.pop()][2]


def test_the_same_graph_again_is_the_same_byte_for_byte() -> None:
    edges, memory, permalinks = clusters(), CommunityMemory(), Permalinks()
    first = grouped(edges, memory, permalinks)
    stored = memory.dump()
    again = CommunityMemory.load(stored)
    assert grouped(edges, again, permalinks) == first
    assert again.dump() == stored


def test_a_removed_member_is_gone_and_its_community_keeps_name_and_address() -> None:
    edges, memory, permalinks = clusters(), CommunityMemory(), Permalinks()
    before = grouped(edges, memory, permalinks)
    last = before[0].members[-1]
    less = {edge: weight for edge, weight in edges.items() if last not in edge}
    after = told(grouped(less, memory, permalinks))
    name, _, members = after[before[0].slug]
    assert name == before[0].name
    assert last not in members


def test_a_community_that_falls_apart_is_divided_and_its_anchor_keeps_the_address() -> None:
    left, right = ["l1", "l2", "l3", "l4"], ["r1", "r2", "r3"]
    edges: Edges = {pair: 5.0 for group in (left, right) for pair in itertools.combinations(group, 2)}
    edges |= {("l1", "r1"): 9.0, ("l1", "r2"): 9.0, ("l2", "r1"): 9.0, ("l1", "r3"): 9.0, ("l2", "r3"): 9.0}
    edges |= {(f"x{one}", f"x{other}"): 5.0 for one, other in itertools.combinations(range(30), 2)}
    memory, permalinks = CommunityMemory(), Permalinks()
    before = grouped(edges, memory, permalinks)
    whole = next(one for one in before if "l1" in one.members)
    assert "r3" in whole.members
    apart = {edge: weight for edge, weight in edges.items() if not (edge[0][0] == "l" and edge[1][0] == "r")}
    after = grouped(apart, memory, permalinks)
    heir = next(one for one in after if "l1" in one.members)
    assert set(heir.members) == set(left)
    assert heir.slug == whole.slug
    assert {frozenset(one.members) for one in after} >= {frozenset(left), frozenset(right)}


def test_many_changes_are_grouped_anew_and_keep_the_addresses_of_what_stays() -> None:
    edges, memory, permalinks = clusters(), CommunityMemory(), Permalinks()
    before = told(grouped(edges, memory, permalinks))
    more = edges | {(f"z{one:02}", f"z{other:02}"): 5.0 for one, other in itertools.combinations(range(60), 2)}
    after = told(grouped(more, memory, permalinks))
    assert set(before) < set(after)
    assert len(after) == 9


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{",
        b'{"format": 2, "groups": []}',
        b'{"format": 1, "groups": [1]}',
        b'{"format": 1, "groups": [{"anchor": 1, "top": [], "topics": [], "members": {}}]}',
    ],
)
def test_a_damaged_memory_is_told(data: bytes) -> None:
    with pytest.raises(StoreError):
        CommunityMemory.load(data)


EDGES = st.dictionaries(
    st.tuples(st.integers(0, 14), st.integers(0, 14)).filter(lambda e: e[0] < e[1]), st.floats(0.5, 10), max_size=40
)


@given(EDGES, EDGES)
def test_groups_are_disjoint_connected_and_settle(
    first: dict[tuple[int, int], float], second: dict[tuple[int, int], float]
) -> None:
    keys = [f"k{number:02}" for number in range(15)]
    memory = CommunityMemory()
    for weights in (first, second, second):
        groups = regroup(keys, weights, memory)
        nodes = [node for group in groups for node in group.nodes]
        assert len(nodes) == len(set(nodes))
        for group in groups:
            reached, pending = {group.nodes[0]}, [group.nodes[0]]
            while pending:
                node = pending.pop()
                near = {a + b - node for a, b in weights if node in (a, b)} & set(group.nodes) - reached
                reached |= near
                pending += near
            assert reached == set(group.nodes)
        remembered = [
            Remembered(
                min(g.nodes), keys[min(g.nodes)], (), ("t",), {keys[node]: memory.ties[node] for node in g.nodes}
            )
            for g in groups
        ]
        memory.groups = tuple(remembered)
        again = regroup(keys, weights, memory)
        assert {group.nodes for group in again} == {group.nodes for group in groups}
