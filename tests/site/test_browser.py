"""Pages in a real browser: nothing of a document runs, and the small script does what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from kgsite.config.settings import VisualizationSettings
from tests.site.collections import Text, collection_of, small
from tests.site.sites import BuiltSite
from tests.site.test_hostile import hostile, html_names

pytestmark = pytest.mark.browser


@pytest.fixture
def served(site: BuiltSite, serve: Callable[[Path], str]) -> str:
    site.build(small())
    return serve(site.output)


@pytest.mark.parametrize("policy", [True, False])
def test_nothing_of_a_graph_runs_or_is_fetched(site: BuiltSite, browser: Any, policy: bool) -> None:
    site.build(hostile(html_names()))
    context = browser.new_context(bypass_csp=not policy)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for path in site.pages():
        if path == "404.html":
            continue  # its links are absolute: nothing to load from disk
        page.goto((site.output / path).as_uri())
        assert page.evaluate("window.__x") is None, path
    assert all(url.startswith("file://") for url in asked)
    context.close()


def test_the_page_script(browser: Any, served: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)

    page.goto(served + "documents/curie/index.html")
    assert page.url == served + "documents/curie/"
    page.locator(".prose a.mention").first.scroll_into_view_if_needed()
    page.wait_for_timeout(800)  # the page scrolls smoothly, and scrolling closes previews
    page.locator(".prose a.mention").first.hover()
    page.locator(".preview:not([hidden]) b").wait_for()
    assert page.inner_text(".preview b") == "Marie Curie"

    for expected in ("light", "dark"):
        page.click("[data-mode]")
        assert page.evaluate("document.documentElement.dataset.theme") == expected
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"

    page.goto(served + "entities/")
    page.fill(".filter input", "curie")
    assert page.locator(".list li:visible").count() == 2
    page.goto(served + "about/")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.matches('.quick input')")
    assert errors == []
    context.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_scrolls_sideways(site: BuiltSite, browser: Any, width: int) -> None:
    site.build(hostile(["x" * 300, "a b c", "Über " * 40, "短" * 120]))
    page = browser.new_page(viewport={"width": width, "height": 844})
    for path in ("index.html", "entities/index.html", "documents/a/index.html", "about/index.html"):
        page.goto((site.output / path).as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    page.close()


PARALLEL = Text(
    "a.md",
    "Two people",
    "",
    (("Ada", "wrote to", "Ben"), ("Ada", "met", "Ben"), ("Ben", "~taught", "Ada"), ("Ada", "knew", "Cleo")),
)


@pytest.mark.parametrize(("together", "lines", "dashed", "words"), [(True, 2, 0, 2), (False, 4, 1, 4)])
def test_parallel_relations_as_the_site_chose(
    site: BuiltSite, browser: Any, together: bool, lines: int, dashed: int, words: int
) -> None:
    choices = VisualizationSettings(collapse_parallel_edges=together, edge_labels="all")
    site.settings = replace(site.settings, visualization=choices)
    site.build(collection_of([PARALLEL]))
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((site.output / "graph/index.html").as_uri())
    page.wait_for_function("document.querySelector('#explorer').explorer?.report.settled")
    labels = page.evaluate("document.querySelector('#explorer').explorer.report.labels")
    assert len([label for label in labels if label["kind"] == "link"]) == words
    with page.expect_download() as waiting:
        page.evaluate("document.querySelector('.export-svg').click()")
    tree = ET.fromstring(Path(waiting.value.path()).read_bytes())
    drawn = [path for path in tree.iter("{http://www.w3.org/2000/svg}path") if path.get("stroke-opacity")]
    assert len(drawn) == lines
    assert len([path for path in drawn if path.get("stroke-dasharray")]) == dashed
    assert errors == []
    page.close()


def test_a_reader_may_follow_the_system_where_the_site_is_dark(browser: Any, served: str, site: BuiltSite) -> None:
    site.settings = replace(site.settings, visualization=VisualizationSettings(theme="dark"))
    site.build(small())
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    page.goto(served)
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    page.click("[data-mode]")  # dark → auto
    page.goto(served + "about/")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    context.close()
