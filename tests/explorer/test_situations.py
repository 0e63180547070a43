"""Large graphs, maps, phones, embedded drawings, pages from disk, pages without scripts, hostile names."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def test_a_large_graph_opens_with_the_most_connected_and_can_show_all(reader):
    reader.open("large.html")
    report = reader.report
    assert report["nodes"] == 2_000
    assert reader.page.inner_text(".explorer-count").startswith("showing 2,000 of 10,000 entities")
    assert "The most connected are shown first." in reader.page.inner_text(".in-words")
    assert any(label["kind"] == "community" for label in report["labels"])
    reader.page.locator("input.show-all").click()
    assert reader.report["nodes"] == 10_000
    assert "all=1" in reader.fragment()


def test_a_selection_in_a_large_graph_brings_its_neighbours(reader):
    reader.open("large.html#node=e9000")
    report = reader.report
    assert report["nodes"] > 2_000
    assert reader.where("e9000")["visible"]
    jumps = reader.page.locator(".explorer-panel .jump").count()
    assert report["emphasised"] >= 2
    assert jumps >= report["emphasised"] - 1


def test_the_map_opens_on_communities_and_enters_one(reader):
    reader.open("map.html")
    report = reader.report
    assert report["kind"] == "map"
    assert report["nodes"] > 100
    assert reader.page.inner_text(".explorer-count").startswith("50,000 entities")
    reader.click_node("c1")
    assert reader.report["selected"] == "c1"
    reader.page.locator(".enter").click()
    reader.until("document.querySelector('#explorer').explorer.graph.kind === 'entities'")
    inside = reader.report
    assert inside["entered"] == "c1"
    assert inside["nodes"] > 1_000
    assert reader.fragment() == "#community=c1"
    reader.page.locator(".tool-back").click()
    assert reader.report["kind"] == "map"
    assert reader.report["selected"] == "c1"


def test_a_community_is_entered_by_double_click_by_key_and_by_link(reader):
    reader.open("map.html")
    place = reader.where("c0")
    reader.page.mouse.dblclick(place["x"], place["y"])
    reader.until("document.querySelector('#explorer').explorer.travel.entered === 'c0'")
    reader.open("map.html?again#community=c2&node=e5")
    assert reader.report["entered"] == "c2"
    assert reader.report["selected"] == "e5"
    reader.open("map.html?keys")
    reader.page.locator(".explorer-stage").focus()
    reader.keys("Enter", "Enter")
    reader.until("document.querySelector('#explorer').explorer.travel.entered === 'c0'")
    reader.page.go_back()
    reader.until("document.querySelector('#explorer').explorer.graph.kind === 'map'")


def members_of(reader, community: str) -> list[list[str]]:
    """[slug, name] of the most connected entities of a community, as the map has them."""
    return reader.page.evaluate(
        "slug => { const map = document.querySelector('#explorer').explorer.travel.map;"
        " return map.communities[map.indexOf.get(slug)].members }",
        community,
    )


def test_the_search_of_the_map_finds_entities_and_goes_there(reader):
    reader.open("map.html")
    slug, name = members_of(reader, "c1")[1]
    field = reader.page.locator(".explorer-toolbar input")
    field.fill(name)
    option = reader.page.locator(".explorer-toolbar [role=option]", has_text=name).last
    option.wait_for()
    field.press("ArrowUp")  # the last one, round the corner
    field.press("ArrowDown")
    option.click()
    reader.until("document.querySelector('#explorer').explorer.travel.entered === 'c1'")
    assert reader.report["selected"] == slug
    assert reader.page.inner_text(".explorer-panel h2") == name
    assert reader.fragment().startswith(f"#community=c1&node={slug}&view=")


def test_the_map_names_top_members_and_leads_to_them(reader):
    reader.open("map.html#node=c2")
    slug, name = members_of(reader, "c2")[0]
    members = reader.page.locator(".explorer-panel .fact-list").first.locator("button.jump")
    assert members.first.inner_text() == name
    members.first.click()
    reader.until("document.querySelector('#explorer').explorer.travel.entered === 'c2'")
    assert reader.report["selected"] == slug


def test_the_wheel_scrolls_the_page_over_an_embedded_drawing(reader, site):
    filler = "<p>text</p>" * 60
    reader.open(site.add("embedded", site.graph, embedded=True, above=filler))
    stage = reader.page.locator(".explorer-stage")
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    reader.page.mouse.move(box["x"] + 100, box["y"] + 300)
    top = reader.page.evaluate("scrollY")
    reader.page.mouse.wheel(0, -200)
    reader.page.wait_for_timeout(200)
    assert reader.page.evaluate("scrollY") < top
    assert "wheel to zoom" in reader.page.inner_text(".explorer-hint")
    assert reader.report["scale"] == pytest.approx(1)
    top = reader.page.evaluate("scrollY")
    reader.page.keyboard.down("Control")
    reader.page.mouse.wheel(0, -200)
    reader.page.keyboard.up("Control")
    assert reader.rest()["scale"] > 1.1
    assert reader.page.evaluate("scrollY") == top


def touch(reader, kind: str, *points: tuple[float, float]) -> None:
    if not hasattr(reader, "session"):
        reader.session = reader.page.context.new_cdp_session(reader.page)
    reader.session.send(
        "Input.dispatchTouchEvent",
        {"type": kind, "touchPoints": [{"x": x, "y": y, "id": at} for at, (x, y) in enumerate(points)]},
    )


def test_a_tap_has_fourteen_pixels_of_slack(phone):
    phone.open()
    place = phone.where("e0")
    phone.page.touchscreen.tap(place["x"] + place["r"] + 1, place["y"])
    phone.page.wait_for_timeout(100)
    assert phone.report["selected"] is not None
    lonely = phone.page.evaluate(
        "(() => { const e = document.querySelector('#explorer').explorer; const all = [...Array(200).keys()]"
        ".map(n => ({slug: 'e' + n, ...e.locate('e' + n)})); return all.map(a => ({slug: a.slug, room: Math.min("
        "...all.filter(b => b !== a).map(b => Math.hypot(a.x - b.x, a.y - b.y)))})).sort((a, b) => b.room - a.room)[0] })()"
    )
    phone.keys("Escape")
    place = phone.where(lonely["slug"])
    if lonely["room"] > 2 * (place["r"] + 14):
        phone.page.touchscreen.tap(place["x"] + place["r"] + 10, place["y"])
        phone.page.wait_for_timeout(100)
        assert phone.report["selected"] == lonely["slug"]


def test_two_fingers_zoom_and_one_pans(phone):
    phone.open()
    box = phone.where("e0")["box"]
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch(phone, "touchStart", (x - 30, y), (x + 30, y))
    for spread in (45, 60, 90):
        touch(phone, "touchMove", (x - spread, y), (x + spread, y))
    touch(phone, "touchEnd")
    assert phone.rest()["scale"] == pytest.approx(3, rel=0.1)
    before = phone.where("e0")
    touch(phone, "touchStart", (x, y))
    touch(phone, "touchMove", (x + 30, y + 10))
    touch(phone, "touchMove", (x + 60, y + 20))
    touch(phone, "touchEnd")
    after = phone.where("e0")
    assert after["x"] - before["x"] == pytest.approx(60, abs=12)
    assert after["y"] - before["y"] == pytest.approx(20, abs=6)


def test_on_a_phone_the_graph_comes_first_and_sheets_leave_the_selection_in_view(phone):
    phone.open()
    assert not phone.page.locator(".explorer-legend").is_visible()
    assert not phone.page.locator(".explorer-panel").is_visible()
    assert phone.where("e0")["box"]["height"] > 844 * 0.55
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 390
    phone.page.locator(".tool-legend").tap()
    assert phone.page.locator(".explorer-legend").is_visible()
    phone.page.locator(".legend-types input").first.tap()
    assert phone.report["nodes"] < 200
    phone.page.locator(".tool-legend").tap()
    assert not phone.page.locator(".explorer-legend").is_visible()
    phone.open("index.html?sheet#node=e3")
    sheet = phone.page.locator(".explorer-panel").bounding_box()
    assert phone.where("e3")["y"] < sheet["y"] - 10
    phone.page.locator(".explorer-panel .panel-close").tap()
    assert not phone.page.locator(".explorer-panel").is_visible()


def _islands(data: dict) -> str:
    from explorer_pages import island

    return island("graph-data", data) + island(
        "quote-data", {"0": [{"text": "From the page itself.", "doc": 0, "page": None, "href": "documents/a/"}]}
    )


def test_from_disk_the_embedded_graph_and_quotes_are_used(reader, site):
    site.add("islands", site.graph, islands=_islands(site.graph))
    reader.open((site.folder / "islands.html").as_uri() + "#node=e0")
    assert reader.report["nodes"] == 200
    row = reader.page.locator("li[data-fact='0']")
    row.locator("summary").click()
    assert row.locator("blockquote").inner_text() == "From the page itself."
    reader.keys("Escape")
    assert reader.fragment() == ""


def test_from_disk_without_data_a_message_points_to_the_tables(reader, site):
    reader.page.goto((site.folder / "large.html").as_uri())
    reader.page.locator(".explorer-message[role=alert]").wait_for()
    assert "does not let a page fetch files from disk" in reader.page.inner_text(".explorer-message")
    assert reader.page.locator("#explorer-table").get_attribute("open") is not None
    reader.problems.clear()  # the browser itself reports the refused file


@pytest.mark.parametrize(
    ("name", "data"), [("missing", None), ("wrong", {"format": 2}), ("cut", {"format": 1, "scope": "document"})]
)
def test_a_graph_that_cannot_be_read_is_said(reader, site, name, data):
    site.add(name, data)
    if data is None:
        (site.folder / f"{name}.json").unlink()
    reader.page.goto(f"{site.base}{name}.html")
    reader.page.locator(".explorer-message[role=alert]").wait_for()
    assert "could not be loaded" in reader.page.inner_text(".explorer-message")
    reader.problems.clear()


def test_without_javascript_the_tables_are_there(browser: Browser, site):
    site.add("plain", site.graph, islands="")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.base}plain.html")
    page.locator("#explorer-table summary").click()
    assert page.locator("#explorer-table").get_attribute("open") is not None
    context.close()


HOSTILE = [
    "__proto__", "constructor", "toString", "hasOwnProperty", "<img src=x onerror=alert(1)>", "</script><script>alert(1)",
    "javascript:alert(1)", "{{7*7}}", "שלום עולם", "مرحبا بالعالم", "東京タワー", "👩‍👩‍👧‍👦" * 30, "a\u202eb", "e" + "\u0301" * 300, "x" * 3000, " ",
]  # fmt: skip


def test_names_of_every_kind_are_shown_and_none_runs(reader, site):
    data = json.loads(json.dumps(site.graph))
    for at, name in enumerate(HOSTILE):
        data["nodes"]["name"][at] = name
        data["nodes"]["slug"][at] = name if at < 4 else f"h{at}"
        data["communities"][at % len(data["communities"])]["name"] = name
    data["predicates"][0] = "<b onclick=alert(1)>"
    data["types"][0].update(name="__proto__", label="<i>type</i>")
    data["documents"][0]["title"] = "<script>alert(1)</script>"
    data["nodes"]["aliases"] = {"1": HOSTILE}
    reader.page.add_init_script("window.alert = () => { throw new Error('it ran') }")
    reader.open(site.add("hostile", data))
    for at in range(len(HOSTILE)):
        slug = data["nodes"]["slug"][at]
        reader.page.evaluate("fragment => { location.hash = fragment }", f"#node={slug}")
        reader.until(f"document.querySelector('#explorer').explorer.report.selected === {json.dumps(slug)}")
        shown = reader.page.locator(".explorer-panel h2").text_content()
        assert shown == HOSTILE[at]
    reader.page.locator(".legend-types input").first.click()
    assert "types=!__proto__" in reader.fragment()
    field = reader.page.locator(".explorer-toolbar input")
    for text in ("<img", "__proto__", "שלום", "東京"):
        field.fill(text)
        assert reader.page.locator("[role=option]").count() >= 1
    assert reader.page.locator(".explorer img, .explorer b, .explorer i").count() == 0


@pytest.mark.parametrize("size", [0, 1, 2])
def test_tiny_graphs(reader, site, size):
    from explorer_generate import graph

    reader.open(site.add(f"tiny{size}", graph(size)))
    report = reader.report
    assert report["nodes"] == size
    if not size:
        assert "no entities" in reader.page.inner_text(".explorer-message")
    reader.keys("/", "Escape", "Enter", "+", "0")
    assert reader.rest()["nodes"] == size


def test_dimming_hovering_and_resizing_keep_the_drawing(reader):
    reader.open("index.html#node=e1")
    reader.page.set_viewport_size({"width": 900, "height": 700})
    reader.page.wait_for_timeout(200)
    box = reader.where("e1")["box"]
    assert box["x"] < reader.where("e1")["x"] < box["x"] + box["width"]
    assert reader.report["selected"] == "e1"
