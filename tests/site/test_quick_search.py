"""The search box of every page: results in place, by keyboard, and nothing loaded before it is opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.site.collections import small
from tests.site.sites import BuiltSite

pytestmark = pytest.mark.browser


@pytest.fixture
def page(site: BuiltSite, browser: Any, serve: Callable[[Path], str]) -> Iterator[Any]:
    """A document page in a browser; what it loads is in `page.loaded`, by file name without fingerprint."""
    site.build(small())
    base = serve(site.output)
    opened = browser.new_page()
    opened.base, opened.loaded, opened.problems = base, [], []
    opened.on("request", lambda request: opened.loaded.append(request.url.rsplit("/", 1)[-1].split(".")[0]))
    opened.on("pageerror", lambda error: opened.problems.append(str(error)))
    opened.on("console", lambda said: opened.problems.append(said.text) if said.type in ("error", "warning") else None)
    opened.goto(f"{base}documents/curie/index.html")
    yield opened
    assert opened.problems == []
    opened.close()


def results(page: Any) -> list[str]:
    page.locator(".quick [role=option]").first.wait_for()
    return [text.replace("\n", " ") for text in page.locator(".quick [role=option] .name").all_inner_texts()]


def test_nothing_is_loaded_before_someone_searches(page: Any) -> None:
    page.wait_for_timeout(200)
    assert not {"minisearch", "ui-words", "names-0"} & set(page.loaded)
    page.keyboard.press("/")
    page.keyboard.type("curie")
    assert "Marie Curie" in results(page)
    assert {"minisearch", "ui-words", "names-0"} <= set(page.loaded)
    assert not {"names-1", "texts-0"} & set(page.loaded)


def test_arrows_enter_and_escape(page: Any) -> None:
    page.keyboard.press("/")
    box = page.locator(".quick input")
    page.keyboard.type("curei")  # a slip
    names = results(page)
    page.keyboard.press("ArrowDown")
    marked = page.locator(".quick [aria-selected=true]")
    assert marked.get_attribute("id") == box.get_attribute("aria-activedescendant")
    assert names[0] in marked.inner_text()
    page.keyboard.press("Escape")
    assert page.locator(".quick").is_hidden()
    assert page.evaluate("document.activeElement.matches('.find')")
    page.keyboard.press("Enter")  # the box is open again
    page.keyboard.type("marie curie")
    results(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "documents/curie" not in url)
    assert "/search/" not in page.url


def test_enter_goes_to_the_search_page(page: Any) -> None:
    page.click(".find")
    page.keyboard.type("radium")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/**")
    page.locator(".search-results a").first.wait_for()
    assert page.input_value("#search input") == "radium"
    assert page.url.endswith("/search/#q=radium")


def test_the_big_box_of_the_landing_page_and_a_click_beside(page: Any) -> None:
    page.goto(f"{page.base}index.html")
    page.click(".bigfind")
    page.keyboard.type("curie")
    assert "Marie Curie" in results(page)
    page.mouse.click(5, 5)
    assert page.locator(".quick").is_hidden()


def test_the_search_works_from_disk_too(page: Any, site: BuiltSite) -> None:
    page.goto((site.output / "index.html").as_uri())
    page.keyboard.press("/")
    page.keyboard.type("curie")
    assert "Marie Curie" in results(page)


def test_without_scripts_the_box_is_a_link(site: BuiltSite) -> None:
    site.build(small())
    links = [
        attributes for tag, attributes in site.page("documents/curie/index.html").tags if "data-search" in attributes
    ]
    assert [link["href"] for link in links] == ["../../search/index.html"]
