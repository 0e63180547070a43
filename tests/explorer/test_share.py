"""Links that show what the sender saw, and files that hold what the reader sees."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

SVG = "{http://www.w3.org/2000/svg}"


def exported(reader, kind: str) -> bytes:
    reader.page.locator(".export-menu summary").click()
    with reader.page.expect_download() as waiting:
        reader.page.locator(f".export-{kind}").click()
    path = waiting.value.path()
    assert waiting.value.suggested_filename == f"a-generated-graph.{kind}"
    return Path(path).read_bytes()


STATES = [
    "#node=e3&types=!date,work&min=2&inferred=0&labels=all&view=40,-60,500",
    "#path=e3..e150&extracted=1",
    "#types=person,place&communities=!community-1",
    "#node=e9",
]


@pytest.mark.parametrize("fragment", STATES)
def test_a_link_shows_what_the_sender_saw(reader, context, fragment, site):
    seen = reader.open(f"index.html{fragment}").report
    places = [reader.where(slug) for slug in ("e0", "e3", "e42")]
    other = type(reader)(context.new_page(), reader.base)
    other.open("index.html")
    other.page.evaluate("fragment => { location.hash = fragment }", fragment)
    other.page.wait_for_timeout(700)
    again = other.report
    for key in ("nodes", "facts", "selected", "path", "emphasised", "labels"):
        assert again[key] == seen[key], key
    for slug, place in zip(("e0", "e3", "e42"), places, strict=True):
        assert other.where(slug)["x"] == pytest.approx(place["x"], abs=1)
        assert other.where(slug)["y"] == pytest.approx(place["y"], abs=1)
    assert other.problems == []


def test_the_address_follows_and_going_back_restores(reader, site):
    reader.open()
    assert reader.fragment() == ""
    reader.click_node("e2")
    assert reader.fragment() == "#node=e2"
    reader.page.locator(".legend-types input").first.click()
    hidden = site.graph["types"][0]["name"]
    assert reader.fragment() == f"#node=e2&types=!{hidden}"
    reader.keys("Escape")
    assert reader.fragment() == f"#types=!{hidden}"
    reader.page.go_back()
    reader.until("document.querySelector('#explorer').explorer.report.selected === 'e2'")
    reader.page.locator(".tool-in").click()
    reader.rest()
    assert "&view=" in reader.fragment()
    reader.page.reload()
    reader.until("document.querySelector('#explorer').explorer?.ready")
    assert reader.report["scale"] == pytest.approx(1.5, rel=0.02)


@pytest.mark.parametrize("fragment", ["#node=nobody", "#path=e1", "#types=%E0%A4%A", "#view=a,b,c&min=x", "#&&=&node"])
def test_a_damaged_link_opens_the_graph(reader, fragment):
    report = reader.open(f"index.html{fragment}").report
    assert report["selected"] is None
    assert report["path"] is None


def test_png_is_a_picture_of_the_stage_at_twice_its_size(reader):
    reader.open()
    data = exported(reader, "png")
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    box = reader.where("e0")["box"]
    size = (int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big"))
    assert size == (round(box["width"]) * 2, round(box["height"]) * 2)
    assert len(data) > 20_000


def test_svg_holds_each_visible_node_line_and_label(reader):
    reader.open("index.html#min=3")
    report = reader.report
    tree = ET.fromstring(exported(reader, "svg"))
    titles = [node.text for node in tree.iter(f"{SVG}title")]
    assert len(titles) == report["nodes"] + 1
    assert [node.text for node in tree.iter(f"{SVG}text")] == [label["text"] for label in report["labels"]]
    dashes = [path for path in tree.iter(f"{SVG}path") if path.get("stroke-dasharray")]
    assert dashes


def test_json_is_the_visible_graph(reader, site):
    reader.open("index.html#min=3&inferred=0")
    report = reader.report
    graph = json.loads(exported(reader, "json"))
    assert len(graph["nodes"]) == report["nodes"]
    assert len(graph["links"]) == report["facts"]
    assert not any(link["inferred"] for link in graph["links"])
    ids = {node["id"] for node in graph["nodes"]}
    assert all(link["source"] in ids and link["target"] in ids for link in graph["links"])
    names = dict(zip(site.graph["nodes"]["slug"], site.graph["nodes"]["name"], strict=True))
    assert all(names[node["id"]] == node["name"] for node in graph["nodes"])


def test_csv_is_the_visible_relations_and_no_formula(reader, site, tmp_path):
    data = json.loads(json.dumps(site.graph))
    for at, name in enumerate(["=HYPERLINK(1)", "+1", "-1", "@x", " =1", 'a,"b"\nc', "\t=2"]):
        data["nodes"]["name"][at] = name
    reader.open(site.add("formulas", data))
    rows = list(csv.reader(io.StringIO(exported(reader, "csv").decode(), newline="")))
    assert rows[0][:4] == ["source", "source_type", "predicate", "target"]
    assert len(rows) - 1 == reader.report["facts"]
    cells = {cell for row in rows for cell in row}
    assert 'a,"b"\nc' in cells
    assert "'=HYPERLINK(1)" in cells
    assert not any(cell.strip().startswith(("=", "+", "-", "@")) for cell in cells)
    kinds = {row[5] for row in rows[1:]}
    assert kinds == {"extracted", "inferred"}


def test_the_menu_closes_with_escape(reader):
    reader.open()
    reader.page.locator(".export-menu summary").click()
    assert reader.page.locator(".export-menu ul").is_visible()
    reader.keys("Escape")
    assert not reader.page.locator(".export-menu ul").is_visible()
