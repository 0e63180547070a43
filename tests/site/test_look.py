"""How pages look in a real browser: nothing runs out of the window, all can be read, all can be tapped, all can be printed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kgsite.collection.layout import layouts
from tests.site.collections import Text, collection_of, small
from tests.site.sites import BuiltSite
from tests.site.test_hostile import hostile
from tests.site.test_links import content

pytestmark = pytest.mark.browser

LOOK = Path(__file__).with_name("look.js").read_text(encoding="utf-8")
LONG = [
    "x" * 300,
    "The Consortium for the Standardisation of Extraordinarily Long Organisation Names in Databases",
    "Über " * 40,
    "短" * 120,
    "ابن سينا وكتاب القانون في الطب",
    "https://example.org/a/very/long/address/without/any/space/index.html?query=something",
]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """A usual site, with every kind of page."""
    site = BuiltSite(tmp_path_factory.mktemp("plain") / "project", license="CC-BY-4.0", author="The authors")
    section = replace(content("cities/_index.md", "Texts about cities."), title="Cities")
    site.build(
        small(), landing=content("index.md", "Texts about [two](curie.md) things."), sections={"cities": section}
    )
    return site


@pytest.fixture(scope="module")
def crammed(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """A site of which every name is too long."""
    site = BuiltSite(tmp_path_factory.mktemp("crammed") / "project", title=LONG[1], tagline=LONG[2])
    site.build(hostile(LONG))
    return site


def kinds(site: BuiltSite) -> dict[str, str]:
    """The longest page of each kind, by the class that its body has."""
    found: dict[str, str] = {}
    for path in sorted(site.pages(), key=lambda page: len(site.html(page))):
        body = dict(site.page(path).tags).get("body")
        if body and path != "404.html":  # its addresses are those of a server
            found[body["class"]] = path
    assert len(found) >= 11
    return found


def looked_at(page: Any, site: BuiltSite, path: str, what: str) -> list[str]:
    page.goto((site.output / path).as_uri())
    if "explorer" in page.evaluate("document.body.className"):
        page.wait_for_function("document.querySelector('#explorer').explorer?.report.settled")
    page.evaluate(LOOK)
    return [f"{path}: {finding}" for finding in page.evaluate(f"look.{what}()")]


@pytest.mark.parametrize("width", [320, 390, 1280, 1920])
def test_nothing_runs_out_of_the_window(crammed: BuiltSite, browser: Any, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 844})
    assert [line for path in kinds(crammed).values() for line in looked_at(page, crammed, path, "outside")] == []
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("accent", ["lake", "moss", "plum", "rust"])
def test_all_text_has_enough_contrast(plain: BuiltSite, browser: Any, scheme: str, accent: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    page.add_init_script(
        "new MutationObserver(() => document.documentElement"
        f" && (document.documentElement.dataset.accent = '{accent}')).observe(document, {{ childList: true }})"
    )
    # an accent colours the same things everywhere: every kind of page with one, three of them with the others
    found = kinds(plain)
    pages = (
        found.values() if accent == "lake" else [found[f"page-{kind}"] for kind in ("landing", "document", "entity")]
    )
    assert [line for path in pages for line in looked_at(page, plain, path, "faint")] == []
    assert page.evaluate("document.documentElement.dataset.accent") == accent
    page.close()


def test_a_finger_hits_what_it_points_at(plain: BuiltSite, browser: Any) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    assert [line for path in kinds(plain).values() for line in looked_at(page, plain, path, "tooSmall")] == []
    context.close()


def test_the_search_box_of_the_landing_page_is_one_line(plain: BuiltSite, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 320, "height": 700})
    page.goto((plain.output / "index.html").as_uri())
    assert page.evaluate("document.querySelector('.bigfind').offsetHeight") < 60
    page.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_names_in_drawings_do_not_meet(tmp_path: Path, browser: Any, make_graph: ModuleType, width: int) -> None:
    site = BuiltSite(tmp_path / "project")
    collection = make_graph.collection(make_graph.make(300))
    site.build(replace(collection, layouts=layouts(collection, {})))
    page = browser.new_page(viewport={"width": width, "height": 900})
    community = next(path for path in site.pages() if path.startswith("communities/") and path.count("/") == 2)
    for path in ("index.html", "documents/synthetic/index.html", community):
        assert looked_at(page, site, path, "colliding") == []
        assert page.evaluate("look.names()") >= 3, path
    page.close()


@pytest.mark.parametrize("kind", ["landing", "document", "entity"])
def test_paper_is_white_and_has_no_controls(plain: BuiltSite, browser: Any, kind: str) -> None:
    page = browser.new_page(color_scheme="dark")
    page.goto((plain.output / kinds(plain)[f"page-{kind}"]).as_uri())
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.evaluate(LOOK)
    assert page.evaluate("look.faint()") == []
    assert page.locator(".top, .foot, .button, .filter, .pager, .toc").locator("visible=true").count() == 0
    page.close()


def test_a_document_without_a_graph_offers_none(site: BuiltSite) -> None:
    site.build(
        collection_of(
            [Text("a.md", "Empty", "Nothing is said here.", ()), Text("b.md", "Full", "", (("A", "is", "B"),))]
        )
    )
    for path in ("index.html", "documents/a/index.html"):
        assert not [
            value for _, _, value in site.page(path).links if "a/graph/" in value or value == "graph/index.html#"
        ]
    assert "documents/b/graph/index.html" in [value for _, _, value in site.page("index.html").links]


def test_types_keep_their_shapes_where_colours_are_forced(plain: BuiltSite, browser: Any) -> None:
    context = browser.new_context(forced_colors="active", color_scheme="dark")
    page = context.new_page()
    page.goto((plain.output / "entities" / "marie-curie" / "index.html").as_uri())
    shape, paper = page.evaluate(
        "[document.querySelector('.badge .shape'), document.body].map((e) => getComputedStyle(e).backgroundColor)"
    )
    assert shape not in (paper, "rgba(0, 0, 0, 0)")
    assert "underline" in page.evaluate(
        "getComputedStyle(document.querySelector('.nav [aria-current]')).textDecoration"
    )
    context.close()


def test_nothing_moves_for_who_wants_no_motion(plain: BuiltSite, browser: Any) -> None:
    page = browser.new_page(reduced_motion="reduce")
    page.goto((plain.output / "index.html").as_uri())
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"
    assert page.evaluate("getComputedStyle(document.querySelector('.drawing a')).transitionDuration") == "0s"
    page.close()


def test_a_shape_stays_beside_its_name(plain: BuiltSite, browser: Any) -> None:
    page = browser.new_page()
    page.goto((plain.output / "documents" / "curie" / "index.html").as_uri())
    assert page.locator(".spo .ent").count() > 4
    for width in range(240, 420, 8):  # lines break everywhere in turn
        page.set_viewport_size({"width": width, "height": 844})
        apart = page.evaluate(
            """[...document.querySelectorAll('.spo .ent, .ents .ent')].filter((entity) => {
              const [shape, name] = [...entity.children].map((child) => child.getClientRects()[0]);
              return shape.bottom < name.top || name.left > shape.right + 12;
            }).map((entity) => entity.textContent)"""
        )
        assert apart == [], width
    page.close()
