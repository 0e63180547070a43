"""Our own Louvain against networkx': as good a partition, always the same, of every node."""

from __future__ import annotations

import random
from collections import Counter

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgsite.collection import grouping
from kgsite.collection.grouping import louvain
from kgsite.collection.louvain import groups_of

Weights = dict[tuple[int, int], float]


def planted(groups: int, size: int, seed: int) -> Weights:
    """A graph of `groups` dense groups of `size` nodes with a few edges between them."""
    draw = random.Random(seed)
    weights: Weights = {}
    for group in range(groups):
        for _ in range(size * 4):
            low, high = sorted(draw.sample(range(group * size, (group + 1) * size), 2))
            weights[low, high] = weights.get((low, high), 0.0) + draw.randint(1, 10)
    for _ in range(groups * 6):
        low, high = sorted(draw.sample(range(groups * size), 2))
        weights[low, high] = weights.get((low, high), 0.0) + 1.0
    return weights


def modularity(size: int, weights: Weights, groups: list[int]) -> float:
    graph = nx.Graph()
    graph.add_nodes_from(range(size))
    graph.add_weighted_edges_from((low, high, weight) for (low, high), weight in weights.items())
    members: dict[int, set[int]] = {}
    for node, group in enumerate(groups):
        members.setdefault(group, set()).add(node)
    return float(nx.community.modularity(graph, members.values()))


@pytest.mark.parametrize(("groups", "size", "seed"), [(4, 12, 1), (12, 30, 2), (40, 25, 3), (3, 200, 4)])
def test_as_good_as_networkx(groups: int, size: int, seed: int) -> None:
    weights = planted(groups, size, seed)
    count = groups * size
    ours = modularity(count, weights, groups_of(count, weights))
    theirs = [0] * count
    for number, members in enumerate(grouping._small(range(count), weights)):
        for node in members:
            theirs[node] = number
    assert ours >= modularity(count, weights, theirs) - 0.01


def test_planted_groups_are_found() -> None:
    found = groups_of(40 * 25, planted(40, 25, 5))
    for group in range(40):
        (_, most), *_ = Counter(found[group * 25 : (group + 1) * 25]).most_common(1)
        assert most >= 23, group
    assert 36 <= len(set(found)) <= 44


def test_the_order_of_the_edges_does_not_matter() -> None:
    weights = planted(10, 20, 6)
    backwards = dict(reversed(list(weights.items())))
    assert groups_of(200, weights) == groups_of(200, backwards)


@given(st.dictionaries(st.tuples(st.integers(0, 30), st.integers(0, 30)), st.floats(0.1, 10), max_size=80))
def test_every_node_has_a_group_and_no_group_spans_two_components(edges: Weights) -> None:
    weights = {(low, high): weight for (low, high), weight in edges.items() if low < high}
    found = groups_of(31, weights)
    graph = nx.Graph(list(weights))
    graph.add_nodes_from(range(31))
    component = {node: number for number, nodes in enumerate(nx.connected_components(graph)) for node in nodes}
    assert len(found) == 31
    for node in range(31):
        assert {component[other] for other in range(31) if found[other] == found[node]} == {component[node]}


def test_large_graphs_get_the_same_shape_of_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = planted(6, 20, 7)
    small = louvain(130, weights)
    monkeypatch.setattr(grouping, "LARGE", 1)
    large = louvain(130, weights)
    assert sorted(node for group in large for node in group) == list(range(130))
    assert [len(group) for group in large] == sorted((len(group) for group in large), reverse=True)
    assert large == small, "planted groups are clear enough for both"
