"""What a layout promises: bounds, no overlap, communities apart, the same every time, little movement."""

from __future__ import annotations

import math
import random
import statistics
import subprocess
import sys
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgsite.collection.layout import layout, node_size
from kgsite.model import Layout

LIMIT = 32_767


def keys(n: int) -> list[str]:
    return [f"k{i:05d}" for i in range(n)]


def degrees(n: int, edges: list[tuple[int, int, float]]) -> list[int]:
    near: list[set[int]] = [set() for _ in range(n)]
    for a, b, _ in edges:
        if a != b:
            near[a].add(b)
            near[b].add(a)
    return [len(found) for found in near]


def overlaps(found: Layout, sizes: list[float]) -> int:
    count = 0
    for i in range(len(found.keys)):
        for j in range(i):
            need = found.unit * (sizes[i] + sizes[j])
            count += math.hypot(found.x[i] - found.x[j], found.y[i] - found.y[j]) < need - 1e-6
    return count


def check(n: int, edges: list[tuple[int, int, float]], communities: list[int]) -> Layout:
    found = layout(keys(n), edges, communities)
    assert found.keys == tuple(keys(n))
    assert len(found.x) == len(found.y) == n
    assert all(type(v) is int and abs(v) <= LIMIT for v in (*found.x, *found.y))
    assert overlaps(found, [node_size(degree) for degree in degrees(n, edges)]) == 0
    assert n == 0 or found.unit > 0
    assert len(set(zip(found.x, found.y, strict=True))) == n
    return found


STAR = [(0, i, 1.0) for i in range(1, 301)]
CASES = {
    "nothing": (0, [], []),
    "one": (1, [], [0]),
    "two": (2, [(0, 1, 1.0)], [0, 0]),
    "two apart": (2, [], [-1, -1]),
    "star of 300": (301, STAR, [0] * 301),
    "100 isolated": (100, [], [-1] * 100),
    "100 isolated, communities": (100, [], list(range(100))),
    "pairs": (60, [(i, i + 1, 1.0) for i in range(0, 60, 2)], [i // 2 for i in range(60)]),
    "path": (80, [(i, i + 1, 1.0) for i in range(79)], [i // 20 for i in range(80)]),
    "clique": (40, [(i, j, 1.0) for i in range(40) for j in range(i)], [-1] * 40),
    "self loops and doubles": (12, [(i, i, 1.0) for i in range(12)] + [(0, 1, 1.0), (1, 0, 1.0)] * 9, [0] * 12),
    "odd weights": (10, [(i, (i + 1) % 10, w) for i, w in enumerate((0, -1, math.nan, math.inf, 1e308, 5, 1, 1, 1, 1))], [0] * 10),
    "stars of communities": (120, [(0, i * 10, 1.0) for i in range(1, 12)] + [(i - i % 10, i, 1.0) for i in range(120) if i % 10], [i // 10 for i in range(120)]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_odd_graphs_get_positions_without_overlap(case: str) -> None:
    n, edges, communities = CASES[case]
    check(n, edges, communities)


@pytest.mark.parametrize("case", ["star of 300", "100 isolated", "path", "clique", "pairs"])
def test_a_drawing_is_wider_than_high_but_not_by_much(case: str) -> None:
    n, edges, communities = CASES[case]
    found = check(n, edges, communities)
    aspect = (max(found.x) - min(found.x)) / (max(found.y) - min(found.y))
    assert 1.0 <= aspect <= 1.9


def test_the_hub_of_a_star_is_in_its_middle() -> None:
    found = check(*CASES["star of 300"])
    radius = max(math.hypot(x, y) for x, y in zip(found.x, found.y, strict=True))
    assert math.hypot(found.x[0], found.y[0]) < 0.25 * radius


def drawn(graph: object, nodes: list[int], previous: Layout | None = None) -> Layout:
    at = {node: index for index, node in enumerate(nodes)}
    edges = [(at[e.source], at[e.target], 1.0) for e in graph.edges if e.source in at and e.target in at]  # type: ignore[attr-defined]
    groups = [graph.nodes[node].community for node in nodes]  # type: ignore[attr-defined]
    return layout([f"n{node:05d}" for node in nodes], edges, groups, previous=previous)


def test_neighbours_in_the_drawing_are_of_the_same_community(make_graph: ModuleType) -> None:
    graph = make_graph.make(1000)
    found = drawn(graph, list(range(1000)))
    groups = [node.community for node in graph.nodes]
    shares = []
    for i in range(0, 1000, 7):
        near = sorted(range(1000), key=lambda j: (found.x[i] - found.x[j]) ** 2 + (found.y[i] - found.y[j]) ** 2)[1:6]
        shares.append(sum(groups[j] == groups[i] for j in near) / 5)
    assert statistics.mean(shares) > 0.9


def test_a_large_graph_goes_over_the_grid(make_graph: ModuleType) -> None:
    graph = make_graph.make(3000)
    found = drawn(graph, list(range(3000)))
    edges = [(e.source, e.target, 1.0) for e in graph.edges]
    assert overlaps(found, [node_size(degree) for degree in degrees(3000, edges)]) == 0
    middle = statistics.median(found.x)
    assert abs(middle) < 0.3 * max(found.x)


def test_the_same_graph_gives_the_same_positions_whatever_its_order(make_graph: ModuleType) -> None:
    graph = make_graph.make(300)
    names = keys(300)
    edges = [(e.source, e.target, 1.0) for e in graph.edges]
    groups = [node.community for node in graph.nodes]
    first = layout(names, edges, groups)
    order = list(range(300))
    random.Random(3).shuffle(order)
    at = {node: index for index, node in enumerate(order)}
    turned = [(at[b], at[a], 1.0) for a, b, _ in reversed(edges)]
    second = layout([names[i] for i in order], turned, [groups[i] + 50 for i in order])
    place = dict(zip(second.keys, zip(second.x, second.y, strict=True), strict=True))
    assert [place[name] for name in names] == list(zip(first.x, first.y, strict=True))
    assert second.digest == first.digest


def test_hash_seeds_do_not_matter() -> None:
    code = (
        "from kgsite.collection.layout import layout\n"
        "k=[f'{i*7919%97}x' for i in range(97)]\n"
        "print(layout(k,[(i,i*i%97,1.) for i in range(97)],[i%5 for i in range(97)]))"
    )
    runs = {subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True).stdout for seed in ("0", "1")}  # fmt: skip
    assert len(runs) == 1


def test_an_unchanged_graph_keeps_its_positions_as_they_are() -> None:
    names, edges = keys(50), [(i, (i * 7 + 1) % 50, 1.0) for i in range(50)]
    stored = layout(names, edges, [0] * 50)
    moved = Layout(stored.keys, tuple(x + 1 for x in stored.x), stored.y, stored.unit, stored.digest)
    assert layout(names, edges, [0] * 50, previous=moved) == moved


def test_an_unchanged_graph_needs_no_numpy() -> None:
    code = (
        "import sys\n"
        "from kgsite.collection.layout import layout, dump_layout, load_layout\n"
        "assert 'numpy' not in sys.modules\n"
        "a=layout(['a','b','c'],[(0,1,1.)],[0,0,0]); stored=load_layout(dump_layout(a))\n"
        "assert 'numpy' in sys.modules\n"
        "for name in [m for m in sys.modules if m.split('.')[0]=='numpy']: del sys.modules[name]\n"
        "assert layout(['a','b','c'],[(0,1,1.)],[0,0,0],previous=stored)==stored\n"
        "print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_few_new_nodes_move_little(make_graph: ModuleType) -> None:
    graph = make_graph.make(600)
    old = [node for node in range(600) if node % 33 != 32]
    before = drawn(graph, old)
    after = drawn(graph, list(range(600)), before)
    place = dict(zip(after.keys, zip(after.x, after.y, strict=True), strict=True))
    moves = [
        math.hypot(place[k][0] - x, place[k][1] - y) for k, x, y in zip(before.keys, before.x, before.y, strict=True)
    ]
    radius = (max(before.x) - min(before.x)) / 2
    assert statistics.median(moves) < 0.02 * radius
    edges = [(e.source, e.target, 1.0) for e in graph.edges]
    assert overlaps(after, [node_size(degree) for degree in degrees(600, edges)]) == 0


def test_removed_nodes_leave_the_others_where_they_are(make_graph: ModuleType) -> None:
    graph = make_graph.make(400)
    before = drawn(graph, list(range(400)))
    after = drawn(graph, list(range(380)), before)
    place = dict(zip(before.keys, zip(before.x, before.y, strict=True), strict=True))
    moves = [math.hypot(place[k][0] - x, place[k][1] - y) for k, x, y in zip(after.keys, after.x, after.y, strict=True)]
    assert statistics.median(moves) < 0.02 * max(before.x)


def test_communities_that_are_all_new_are_laid_out_anew() -> None:
    edges = [(i, i - i % 20, 1.0) for i in range(200)]
    before = layout(keys(200), edges, [i // 20 for i in range(200)])
    mixed = [(i, i % 10, 1.0) for i in range(200)]
    after = layout(keys(200), mixed, [i % 10 for i in range(200)], previous=before)
    assert after == layout(keys(200), mixed, [i % 10 for i in range(200)])


@pytest.mark.parametrize(
    ("names", "edges", "communities", "sizes"),
    [
        (["a", "a"], [], [0, 0], None),
        (["a"], [(0, 1, 1.0)], [0], None),
        (["a"], [], [], None),
        (["a"], [], [0], [1, 2]),
    ],
)
def test_wrong_graphs_are_refused(names: list[str], edges: list[tuple[int, int, float]], communities: list[int], sizes: list[float] | None) -> None:  # fmt: skip
    with pytest.raises(ValueError, match=r"twice|not there|same length"):
        layout(names, edges, communities, sizes=sizes)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_graph_has_a_layout_and_can_grow(data: st.DataObject) -> None:
    n = data.draw(st.integers(0, 40))
    node = st.integers(0, max(0, n - 1))
    edges = data.draw(st.lists(st.tuples(node, node, st.floats(allow_nan=True)), max_size=80)) if n else []
    groups = data.draw(st.lists(st.integers(-1, 4), min_size=n, max_size=n))
    first = check(n, edges, groups)
    grown = layout([*keys(n), "new"], [*edges, (0, n, 1.0)], [*groups, 0], previous=first)
    assert overlaps(grown, [node_size(degree) for degree in degrees(n + 1, [*edges, (0, n, 1.0)])]) == 0
