"""The measures, against networkx and by hand."""

from __future__ import annotations

import networkx as nx
import pytest

from kgsite.collection import metrics
from kgsite.collection.grouping import describe, louvain


def club() -> tuple[int, dict[tuple[int, int], float]]:
    graph = nx.karate_club_graph()
    return graph.number_of_nodes(), {(min(a, b), max(a, b)): 1.0 for a, b in graph.edges}


def test_betweenness_is_that_of_networkx() -> None:
    size, weights = club()
    expected = nx.betweenness_centrality(nx.karate_club_graph())
    found = metrics.betweenness(metrics.adjacency(size, weights))
    assert found == pytest.approx([expected[node] for node in range(size)], abs=1e-5)


def test_sampled_betweenness_puts_the_bridge_first(monkeypatch: pytest.MonkeyPatch) -> None:
    left = {(a, b): 1.0 for a in range(300) for b in (a + 1, a + 7) if b < 300}
    right = {(a + 301, b + 301): 1.0 for a, b in left}
    weights = left | right | {(0, 300): 1.0, (300, 301): 1.0}
    monkeypatch.setattr(metrics, "_WORK", 200_000)
    found = metrics.betweenness(metrics.adjacency(601, weights))
    assert found[300] == pytest.approx(0.5, abs=0.05)
    assert found == metrics.betweenness(metrics.adjacency(601, weights))


def test_pagerank_is_that_of_the_definition() -> None:
    size, weights = club()
    ranks = metrics.pagerank(size, weights)
    assert sum(ranks) == pytest.approx(1, abs=1e-4)
    degree = {node: sum(node in edge for edge in weights) for node in range(size)}
    for node in range(size):
        inflow = sum(ranks[a + b - node] / degree[a + b - node] for a, b in weights if node in (a, b))
        assert ranks[node] == pytest.approx(0.15 / size + 0.85 * inflow, rel=1e-3)


def test_nodes_without_edges() -> None:
    assert metrics.pagerank(0, {}) == []
    assert metrics.pagerank(4, {}) == [0.25] * 4
    assert metrics.betweenness([[], []]) == [0.0, 0.0]


def test_groups_cover_all_nodes_largest_first() -> None:
    size, weights = club()
    groups = louvain(size + 2, weights)
    assert sorted(node for group in groups for node in group) == list(range(size + 2))
    assert [len(group) for group in groups] == sorted((len(group) for group in groups), reverse=True)
    assert groups == louvain(size + 2, dict(reversed(weights.items())))
    assert nx.community.modularity(nx.karate_club_graph(), groups[:-2], weight=None) > 0.38


def test_words_by_language() -> None:
    assert describe(3, ["A", "B", "C"], "de") == "3 Entitäten um A, B und C"
    assert describe(1, ["A"], "xx") == "1 entity: A"
    assert describe(2, ["甲", "乙"], "zh") == "以甲和乙为中心的 2 个实体"
