"""Every thing that a reader does in the explorer, done by mouse and by keyboard, and its effect."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

pytestmark = pytest.mark.browser


def facts(graph: dict[str, Any]) -> list[tuple[int, int, int]]:
    """(source, target, method) of each fact."""
    found, source = [], 0
    edges = graph["edges"]
    for step, target, method in zip(edges["source"], edges["target"], edges["method"], strict=True):
        source += step
        found.append((source, target, method))
    return found


def neighbours(graph: dict[str, Any], node: int) -> set[int]:
    return {a + b - node for a, b, _ in facts(graph) if node in (a, b) and a != b}


def test_opens_with_everything_in_view_and_says_how_much(reader, site):
    reader.open()
    report = reader.report
    assert report["nodes"] == 200
    assert report["facts"] == len(facts(site.graph))
    assert reader.page.inner_text(".explorer-count") == f"200 entities, {len(facts(site.graph))} relations"
    stage = reader.where("e0")["box"]
    for node in range(200):
        place = reader.where(f"e{node}")
        assert stage["x"] < place["x"] < stage["x"] + stage["width"]
        assert stage["y"] < place["y"] < stage["y"] + stage["height"]


def test_labels_do_not_overlap_and_name_the_most_connected_first(reader, site):
    labels = reader.open().report["labels"]
    assert 20 < len(labels) <= 80 * 2
    boxes = [label["box"] for label in labels]
    for at, a in enumerate(boxes):
        for b in boxes[at + 1 :]:
            assert a[0] >= b[2] or b[0] >= a[2] or a[1] >= b[3] or b[1] >= a[3]
    named = {label["text"] for label in labels if label["kind"] == "node"}
    assert {site.graph["nodes"]["name"][node] for node in range(5)} <= named


def test_says_in_words_what_the_picture_shows(reader, site):
    reader.open()
    words = reader.page.inner_text(".in-words")
    sizes = [community["size"] for community in site.graph["communities"]]
    themes = sum(size > 1 for size in sizes)  # the rule of the landing page
    assert f"{themes} themes; the largest, {max(sizes)} entities, is about" in words
    assert "of the relations are inferred, and dashed" in words


def test_search_by_keyboard_selects_and_shows(reader, site):
    reader.open()
    name = site.graph["nodes"]["name"][7]
    reader.keys("/")
    reader.page.keyboard.type(name.lower())
    assert reader.page.locator("[role=option]").first.inner_text().startswith(name)
    reader.keys("Enter")
    assert reader.report["selected"] == "e7"
    assert reader.page.inner_text(".explorer-panel h2") == name
    assert reader.page.evaluate("document.activeElement.className") == "explorer-stage"


def test_search_finds_aliases_and_forgives_a_slip_and_says_when_nothing_matches(reader, site):
    reader.open()
    field = reader.page.locator(".explorer-toolbar input")
    field.fill("zentrum")
    assert reader.page.locator("[role=option]").count() == 1
    field.fill("zentrim")
    assert reader.page.locator("[role=option]").count() == 1
    reader.page.locator("[role=option]").click()
    assert reader.report["selected"] == "e0"
    field.fill("qqqqqq")
    assert "Nothing here is called “qqqqqq”" in reader.page.inner_text(".search-field .nothing")
    reader.keys("Escape")
    assert field.input_value() == ""


def test_arrow_keys_walk_through_the_suggestions(reader):
    reader.open()
    field = reader.page.locator(".explorer-toolbar input")
    field.fill("a")
    options = reader.page.locator("[role=option]")
    assert options.count() == 10
    second = options.nth(1).locator(".name").inner_text()
    reader.keys("ArrowDown")
    assert field.get_attribute("aria-activedescendant") == options.nth(1).get_attribute("id")
    reader.keys("Enter")
    assert reader.page.inner_text(".explorer-panel h2") == second


def test_a_click_highlights_the_neighbourhood_and_dims_the_rest(reader, site):
    reader.open()
    reader.click_node("e4")
    report = reader.report
    assert report["selected"] == "e4"
    assert report["emphasised"] == len(neighbours(site.graph, 4)) + 1
    assert report["nodes"] == 200  # dimmed, not hidden
    box = reader.where("e4")["box"]
    reader.page.mouse.click(box["x"] + 6, box["y"] + 6)
    assert reader.report["selected"] is None


def test_the_panel_lists_every_relation_with_how_it_is_known(reader, site):
    reader.open("index.html#node=e1")
    mine = [fact for fact in facts(site.graph) if 1 in fact[:2]]
    panel = reader.page.locator(".explorer-panel")
    assert panel.locator("li[data-fact]").count() == len(mine)
    assert panel.locator(".outgoing li[data-fact]").count() == sum(source == 1 for source, _, _ in mine)
    inferred = [method for _, _, method in mine if method]
    assert panel.locator("li.is-inferred").count() == len(inferred)
    tags = Counter(panel.locator("li[data-fact] .mark-word:first-child").all_inner_texts())
    methods = site.graph["methods"]
    assert tags == Counter(f"inferred: {methods[m]}" if m else "found in the text" for _, _, m in mine)
    link = panel.locator("a.primary").get_attribute("href")
    assert link == "./entities/e1/index.html"


def test_a_quote_is_one_click_away_and_its_passage_one_more(reader):
    reader.open("index.html#node=e1")
    row = reader.page.locator(".explorer-panel li[data-fact]:has(summary)").first
    row.locator("summary").click()
    quote = row.locator("blockquote")
    quote.wait_for()
    assert quote.inner_text().endswith("it is said.")
    assert "A text, p. 3" in row.locator("figcaption").inner_text()
    assert row.locator("figcaption a").get_attribute("href") == "./documents/a-text/index.html#p3"


def test_a_row_jumps_to_its_node(reader):
    reader.open("index.html#node=e1")
    button = reader.page.locator(".explorer-panel .jump").first
    name = button.inner_text()
    button.click()
    assert reader.page.inner_text(".explorer-panel h2") == name
    assert reader.report["selected"] != "e1"
    reader.page.go_back()
    reader.until("document.querySelector('#explorer').explorer.report.selected === 'e1'")


def test_double_click_zooms_in(reader):
    reader.open()
    box = reader.where("e0")["box"]
    reader.page.mouse.dblclick(box["x"] + 60, box["y"] + 60)
    assert reader.rest()["scale"] == pytest.approx(2, rel=0.01)


def test_types_are_switched_by_mouse_and_keyboard(reader, site):
    reader.open()
    first, second = site.graph["types"][:2]
    boxes = reader.page.locator(".legend-types input")
    boxes.nth(0).click()
    assert reader.report["nodes"] == 200 - first["count"]
    assert f"showing {200 - first['count']} of 200 entities" in reader.page.inner_text(".explorer-count")
    boxes.nth(1).focus()
    reader.keys("Space")
    assert reader.report["nodes"] == 200 - first["count"] - second["count"]
    reader.page.get_by_role("button", name=f"Show only {first['label']}", exact=True).focus()
    reader.keys("Enter")
    assert reader.report["nodes"] == first["count"]
    reader.page.locator(".reset").click()
    assert reader.report["nodes"] == 200


def test_communities_are_named_with_members_and_switched(reader, site):
    reader.open()
    row = reader.page.locator(".legend-communities .legend-row").first
    community = site.graph["communities"][0]
    assert row.locator(".name").inner_text() == community["name"]
    assert row.locator(".count").inner_text() == str(community["size"])
    members = [site.graph["nodes"]["name"][node] for node in community["top"]]
    assert any(name in row.locator(".members").inner_text() for name in members)
    row.locator("input").click()
    assert reader.report["nodes"] == 200 - community["size"]
    reader.page.locator(".legend-communities .both button").nth(1).click()
    assert reader.report["nodes"] == 0
    reader.page.locator(".legend-communities .both button").nth(0).click()
    assert reader.report["nodes"] == 200


def test_the_slider_asks_for_a_minimum_of_connections(reader, site):
    reader.open()
    reader.page.locator("input.minimum").focus()
    reader.keys("ArrowRight", "ArrowRight", "ArrowRight")
    assert reader.report["nodes"] == sum(degree >= 3 for degree in site.graph["nodes"]["degree"])
    assert "min=3" in reader.fragment()


def test_inferred_relations_are_switched_off_and_on(reader, site):
    reader.open()
    stated = sum(method == 0 for _, _, method in facts(site.graph))
    reader.page.locator("input.inferred").click()
    assert reader.report["facts"] == stated
    reader.page.locator(".explorer-stage").focus()
    reader.keys("i")
    assert reader.report["facts"] == len(facts(site.graph))


def test_relation_labels_all_selection_none(reader):
    reader.open()
    kinds = lambda: Counter(label["kind"] for label in reader.report["labels"])  # noqa: E731
    assert kinds()["link"] == 0
    reader.page.select_option(".edge-labels", "all")
    assert kinds()["link"] > 5
    reader.page.select_option(".edge-labels", "selection")
    reader.click_node("e0")
    around = kinds()["link"]
    assert around > 0
    reader.page.select_option(".edge-labels", "none")
    assert kinds()["link"] == 0
    reader.page.locator(".explorer-stage").focus()
    reader.keys("l")  # none → selection
    assert kinds()["link"] == around


def parallel(graph: dict[str, Any]) -> tuple[tuple[int, int], int]:
    """The pair with the most facts between two nodes, and how many."""
    pairs = Counter((min(a, b), max(a, b)) for a, b, _ in facts(graph) if a != b)
    return pairs.most_common(1)[0]


def test_parallel_relations_are_one_line_with_a_badge_and_a_full_list(reader, site):
    (a, b), amount = parallel(site.graph)
    assert amount > 1
    reader.open(f"index.html#path=e{a}..e{b}")
    reader.rest()
    texts = [label["text"] for label in reader.report["labels"]]
    assert any(f"+{amount - 1}" in text for text in texts)
    start, end = reader.where(f"e{a}"), reader.where(f"e{b}")
    reader.page.mouse.move((start["x"] + end["x"]) / 2, (start["y"] + end["y"]) / 2)
    reader.page.locator(".explorer-tooltip li").first.wait_for()
    assert reader.page.locator(".explorer-tooltip li").count() == amount
    reader.open(f"index.html#node=e{a}")
    name = site.graph["nodes"]["name"][b]
    assert reader.page.locator(".explorer-panel .jump", has_text=name).count() >= amount


def test_hovering_a_node_names_it(reader, site):
    reader.open()
    place = reader.where("e2")
    reader.page.mouse.move(place["x"], place["y"])
    reader.page.locator(".explorer-tooltip strong").wait_for()
    assert reader.page.inner_text(".explorer-tooltip strong") == site.graph["nodes"]["name"][2]


def distance(graph: dict[str, Any], start: int, end: int, *, extracted: bool) -> int | None:
    seen, wave, steps = {start}, {start}, 0
    while wave:
        if end in wave:
            return steps
        wave = {
            b if a in wave else a
            for a, b, method in facts(graph)
            if (a in wave or b in wave) and not (extracted and method)
        } - seen
        seen |= wave
        steps += 1
    return None


def far_pair(graph: dict[str, Any]) -> tuple[int, int]:
    """Two nodes whose shortest path gets longer when only extracted relations count."""
    for end in range(199, 1, -1):
        free = distance(graph, 0, end, extracted=False)
        strict = distance(graph, 0, end, extracted=True)
        if free and strict and strict > free:
            return 0, end
    raise AssertionError("no such pair")


def test_the_path_finder_finds_the_shortest_path_and_keeps_to_the_text_when_asked(reader, site):
    start, end = far_pair(site.graph)
    names = site.graph["nodes"]["name"]
    reader.open()
    fields = reader.page.locator(".path-finder input[type=text]")
    fields.nth(0).fill(names[start])
    fields.nth(0).press("Enter")
    fields.nth(1).fill(names[end])
    fields.nth(1).press("Enter")
    path = reader.report["path"]
    assert path[0] == f"e{start}"
    assert path[-1] == f"e{end}"
    assert len(path) - 1 == distance(site.graph, start, end, extracted=False)
    assert reader.page.locator(".steps > li").count() == len(path)
    reader.page.locator(".path-finder input[type=checkbox]").click()
    longer = reader.report["path"]
    assert len(longer) - 1 == distance(site.graph, start, end, extracted=True)
    assert f"path=e{start}..e{end}&extracted=1" in reader.fragment()
    reader.page.get_by_role("button", name="Clear path").click()
    assert reader.report["path"] is None


def test_the_path_finder_says_what_is_missing(reader, site):
    reader.open()
    reader.page.locator(".path-finder button[type=submit]").click()
    assert "no entity called" in reader.page.inner_text(".path-finder .note")
    fields = reader.page.locator(".path-finder input[type=text]")
    for field in (fields.nth(0), fields.nth(1)):
        field.fill(site.graph["nodes"]["name"][0])
    reader.page.locator(".path-finder button[type=submit]").click()
    assert "the same entity twice" in reader.page.inner_text(".path-finder .note")


def test_everything_by_keyboard(reader, site):
    reader.open()
    stage = reader.page.locator(".explorer-stage")
    for _ in range(60):
        reader.keys("Tab")
        if stage.evaluate("node => node === document.activeElement"):
            break
    assert stage.evaluate("node => node === document.activeElement")
    reader.keys("Enter")
    assert reader.report["selected"] == "e0"
    before = reader.where("e0")
    near = neighbours(site.graph, 0)
    right = [node for node in near if reader.where(f"e{node}")["x"] > before["x"]]
    reader.keys("ArrowRight")
    moved = reader.report["selected"]
    assert int(moved[1:]) in right
    reader.keys("Enter")
    assert reader.page.evaluate("document.activeElement.classList.contains('explorer-panel')")
    reader.keys("Escape")
    assert reader.report["selected"] is None
    stage.focus()
    reader.keys("+")
    assert reader.rest()["scale"] > 1.4
    reader.keys("0")
    assert reader.rest()["scale"] == pytest.approx(1)
    reader.keys("-")
    assert reader.rest()["scale"] < 0.7
    x = reader.where("e0")["x"]
    reader.keys("Shift+ArrowRight")
    assert reader.where("e0")["x"] == pytest.approx(x - 60, abs=1)
    reader.keys("?")
    assert reader.page.locator(".explorer-help").is_visible()
    reader.keys("Escape")
    assert not reader.page.locator(".explorer-help").is_visible()


def test_keys_do_nothing_while_writing(reader):
    reader.open("index.html#node=e1")
    reader.page.locator(".path-finder input[type=text]").first.focus()
    reader.page.keyboard.type("/?")
    assert reader.page.locator(".path-finder input[type=text]").first.input_value() == "/?"
    assert not reader.page.locator(".explorer-help").is_visible()
    assert reader.report["selected"] == "e1"


def test_the_table_twin_holds_what_is_visible(reader, site):
    reader.open("index.html#min=4")
    reader.page.locator("#explorer-table summary").click()
    rows = reader.page.locator("#explorer-table tbody tr")
    visible = [node for node in range(200) if site.graph["nodes"]["degree"][node] >= 4]
    assert rows.count() == min(100, len(visible))
    assert rows.first.locator("th").inner_text() == site.graph["nodes"]["name"][0]
    rows.nth(2).locator("button").click()
    assert reader.report["selected"] == "e2"


def test_full_screen(reader):
    reader.open()
    reader.page.locator(".tool-full").click()
    reader.until("document.fullscreenElement?.id === 'explorer'")
    reader.page.locator(".tool-full").click()
    reader.until("!document.fullscreenElement")


def test_zoom_buttons_and_wheel(reader):
    reader.open()
    reader.page.locator(".tool-in").click()
    assert reader.rest()["scale"] == pytest.approx(1.5, rel=0.01)
    reader.page.locator(".tool-fit").click()
    assert reader.rest()["scale"] == pytest.approx(1)
    place = reader.where("e0")
    reader.page.mouse.move(place["x"], place["y"])
    reader.page.mouse.wheel(0, -300)
    assert reader.rest()["scale"] > 1.2
    after = reader.where("e0")
    assert math.hypot(after["x"] - place["x"], after["y"] - place["y"]) < 2  # zooms where the pointer is


def test_dragging_pans(reader):
    reader.open()
    box = reader.where("e0")["box"]
    before = reader.where("e0")
    reader.page.mouse.move(box["x"] + 20, box["y"] + 20)
    reader.page.mouse.down()
    reader.page.mouse.move(box["x"] + 120, box["y"] + 70, steps=4)
    reader.page.mouse.up()
    after = reader.where("e0")
    assert after["x"] - before["x"] == pytest.approx(100, abs=1)
    assert after["y"] - before["y"] == pytest.approx(50, abs=1)
    assert reader.report["selected"] is None


def test_colours_follow_the_page(reader):
    reader.open()
    corner = """(() => {
      const canvas = document.querySelector('.explorer-stage canvas');
      return [...canvas.getContext('2d').getImageData(2, 2, 1, 1).data].slice(0, 3).join();
    })()"""
    light = reader.page.evaluate(corner)
    assert light == "253,253,251"
    reader.page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert becomes(reader, corner, "20,23,28")
    reader.page.evaluate("delete document.documentElement.dataset.theme")
    assert becomes(reader, corner, light)
    reader.page.emulate_media(color_scheme="dark")
    assert becomes(reader, corner, "20,23,28")


def becomes(reader, script, value):
    """Whether a script gives this value within five seconds."""
    for _ in range(50):
        if reader.page.evaluate(script) == value:
            return True
        reader.page.wait_for_timeout(100)
    return False
