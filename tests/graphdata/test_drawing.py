"""The SVG drawings: well-formed, escaped, without styles, with links, labels apart."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgsite.collection.layout import layouts, plan
from kgsite.model import Collection, CollectionEntity, Fact, Slug
from kgsite.site.drawing import Drawings, drawings, placing, svg


def href(key: object) -> str:
    return f"../{key}/index.html?a=1&b='\""


def parse(drawing: str | None) -> ET.Element:
    assert drawing is not None
    assert "style=" not in drawing
    assert "<script" not in drawing
    return ET.fromstring(drawing)


def all_texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter("text")]


def test_one_hop_shows_neighbours_under_their_predicates(ada: Collection) -> None:
    root = parse(Drawings(ada).one_hop("ada", href=href))
    assert root.get("class") == "drawing one-hop"
    assert root.get("aria-label") == "Ada"
    assert [a.get("href") for a in root.iter("a")] == [href("babbage"), href("note g")]
    assert sorted(all_texts(root)) == sorted(["← knew", "</script><b>Bab…", "← wrote", "Note\ufffd G", "Ada"])
    titles = [title.text for title in root.iter("title")]
    assert titles == ["</script><b>Babbage\n← knew", "Note\ufffd G\n→ wrote"]


def test_what_is_inferred_is_dashed(ada: Collection) -> None:
    root = parse(Drawings(ada).one_hop("note g", href=href))
    assert sorted(path.get("class") for path in root.iter("path") if (path.get("class") or "").startswith("e")) == ["e", "e inferred"]  # fmt: skip


def test_an_entity_without_neighbours_has_no_drawing(ada: Collection) -> None:
    alone = CollectionEntity("x", Slug("x"), "X", "concept")
    loop = Fact("x", "x", "is", ())
    collection = replace(ada, entities=(*ada.entities, alone), facts=(*ada.facts, loop))
    assert Drawings(collection).one_hop("x", href=href) is None


def hub(neighbours: int, predicates: int = 1) -> Collection:
    others = [
        CollectionEntity(f"n{i:03d}", Slug(f"n{i:03d}"), f"Neighbour {i}", "person", degree=i)
        for i in range(neighbours)
    ]
    facts = [Fact("hub", e.key, f"p{i % predicates}", ()) for i, e in enumerate(others)]
    return Collection((), {}, (CollectionEntity("hub", Slug("hub"), "Hub", "place"), *others), tuple(facts), (), {})


@pytest.mark.parametrize(("neighbours", "predicates"), [(1, 1), (2, 2), (12, 12), (40, 1), (40, 7), (40, 40), (300, 3)])
def test_rows_of_a_column_keep_their_distance(neighbours: int, predicates: int) -> None:
    root = parse(Drawings(hub(neighbours, predicates)).one_hop("hub", href=href))
    links = list(root.iter("a"))
    assert len(links) == min(40, neighbours)
    assert "Neighbour 0" not in all_texts(root) or neighbours <= 40  # the most connected are kept
    height = float((root.get("viewBox") or "").split()[3])
    for anchor in ("start", "end"):
        rows = sorted(float(t.get("y") or 0) for t in root.iter("text") if t.get("text-anchor") == anchor)
        assert all(0 < y < height for y in rows)
        assert all(b - a >= 18 for a, b in itertools.pairwise(rows))


def test_parallel_relations_are_drawn_once_with_a_count() -> None:
    collection = hub(1)
    facts = (*collection.facts, Fact("n000", "hub", "likes", ()), Fact("hub", "n000", "sees", (), inferred=True))
    root = parse(Drawings(replace(collection, facts=facts)).one_hop("hub", href=href))
    assert "Neighbour 0 +2" in all_texts(root)
    assert [title.text for title in root.iter("title")] == ["Neighbour 0\n← likes\n→ p0\n→ sees"]


def test_a_thumbnail_is_decoration(make_graph: ModuleType) -> None:
    collection = make_graph.collection(make_graph.make(300))
    root = parse(Drawings(replace(collection, layouts=layouts(collection, {}))).thumbnail("doc"))
    assert root.get("aria-hidden") == "true"
    assert len(list(root.iter("circle"))) == 60
    assert not list(root.iter("a"))
    assert not all_texts(root)


def test_the_drawing_of_a_document_names_the_most_connected(make_graph: ModuleType) -> None:
    collection = make_graph.collection(make_graph.make(300))
    root = parse(Drawings(replace(collection, layouts=layouts(collection, {}))).document("doc"))
    assert root.get("aria-hidden") == "true"
    assert len(list(root.iter("circle"))) == 60
    assert not list(root.iter("a"))
    ranked = sorted(collection.entities, key=lambda entity: (-entity.degree, entity.slug))
    shown = [name.rstrip("…") for name in all_texts(root)]
    assert 6 <= len(shown) <= 14
    assert all(any(entity.name.startswith(name) for name in shown) for entity in ranked[:4])


@pytest.mark.parametrize("large", [False, True])
def test_the_overview_links_its_communities(
    make_graph: ModuleType, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    if large:
        monkeypatch.setattr(plan, "MAP_LIMIT", 100)
        monkeypatch.setattr(drawings, "MAP_LIMIT", 100)
    collection = make_graph.collection(make_graph.make(300))
    root = parse(Drawings(replace(collection, layouts=layouts(collection, {}))).overview(name="All", href=href))
    assert [a.get("href") for a in root.iter("a")] == [href(c.id) for c in collection.communities]
    first = collection.communities[0]
    assert next(root.iter("title")).text == f"{first.name} · {len(first.members)}"
    assert " ".join(all_texts(root)).startswith(first.name)


def test_a_community_shows_its_members(make_graph: ModuleType) -> None:
    collection = make_graph.collection(make_graph.make(800))
    root = parse(Drawings(replace(collection, layouts=layouts(collection, {}))).community(0, href=href))
    assert len(list(root.iter("a"))) == 80
    assert 10 <= len(all_texts(root)) <= 80


def test_the_most_connected_members_have_their_names(make_graph: ModuleType) -> None:
    collection = make_graph.collection(make_graph.make(800))
    root = parse(Drawings(replace(collection, layouts=layouts(collection, {}))).community(0, href=href))
    members = [e for key in collection.communities[0].members[:4] for e in collection.entities if e.key == key]
    shown = [name.rstrip("…") for name in all_texts(root)]
    assert all(any(entity.name.startswith(name) for name in shown) for entity in members)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("risks", ("risks",)),
        ("Marie Curie and Pierre Curie", ("Marie Curie and", "Pierre Curie")),
        ("Donaudampfschifffahrtsgesellschaft", ("Donaudampfsc…",)),
        ("The International Consortium for the Standardisation", ("The", "International C…")),
        ("短" * 30, ("短短短短短短短…",)),
    ],
)
def test_a_long_name_is_set_in_two_lines(name: str, lines: tuple[str, ...]) -> None:
    assert svg.halves(name, 12, 104) == lines


def test_nothing_to_draw_is_none() -> None:
    empty = Drawings(Collection((), {}, (), (), (), {}))
    assert empty.overview(name="", href=href) is None
    assert empty.community(0, href=href) is None
    assert empty.thumbnail("d") is None


@pytest.mark.parametrize(("inside", "first"), [(False, 0), (True, 0), (False, 40)])
def test_labels_do_not_meet_at_either_size(inside: bool, first: int) -> None:
    wanted = [
        placing.Wanted(f"Label {i} of the many", 20 + 37 * i % 400, 20 + 53 * i % 300, 5 + 9 * inside, 12, inside)
        for i in range(80)
    ]
    discs = [(label.x, label.y, 5.0) for label in wanted] if first else []
    found = placing.place(wanted, 480, 360, 90, discs, first).values()
    assert len(found) > 20
    for boxes in ([label.wide for label in found], [label.narrow for label in found if label.narrow]):
        assert not any(a.meets(b) for i, a in enumerate(boxes) for b in boxes[:i])
        assert all(placing.Box(0, 0, 480, 360).holds(box) for box in boxes)


def test_important_labels_cover_the_fewest_dots_and_no_important_one() -> None:
    discs = [(x, y, 8.0) for x in range(20, 480, 30) for y in range(20, 360, 30)]
    wanted = [placing.Wanted(f"Label {i}", *disc, 12) for i, disc in enumerate(discs)]
    assert not placing.place(wanted, 480, 360, 90, discs)
    found = placing.place(wanted, 480, 360, 90, discs, first=3)
    assert list(found) == [0, 1, 2]
    important = [placing.Box(x - r, y - r, x + r, y + r) for x, y, r in discs[:3]]
    assert not any(label.wide.meets(disc) for label in found.values() for disc in important)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("short", "short"),
        ("e\u0301" * 40, r"(e\u0301)+…"),
        ("👩‍👩‍👧‍👦" * 20, "(👩‍👩‍👧‍👦)+…"),
        ("🇫🇷" * 30, "(🇫🇷)+…"),
        ("👍🏽" * 30, "(👍🏽)+…"),
        ("東" * 100, "東+…"),
    ],
)
def test_names_are_cut_between_graphemes(name: str, expected: str) -> None:
    assert re.fullmatch(expected, svg.cut(name, 13, 100))


@given(st.text(max_size=300), st.floats(10, 300))
def test_any_name_fits_and_is_well_formed(name: str, room: float) -> None:
    shown = svg.cut(name, 13, room)
    assert svg.width(shown, 13) <= max(room, 26) + 13
    ET.fromstring(svg.link(name, "x", "") if name.isprintable() else "<a/>")
    assert "<" not in svg.text(name)
    assert '"' not in svg.text(name)
