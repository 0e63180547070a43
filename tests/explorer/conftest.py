"""A real Chromium on small explorer pages; each test also fails on a console error or a foreign request."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page


def _sibling(name: str) -> ModuleType:
    full = f"explorer_{name}"
    if full not in sys.modules:
        spec = importlib.util.spec_from_file_location(full, Path(__file__).with_name(f"{name}.py"))
        assert spec
        assert spec.loader
        sys.modules[full] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[full])
    return sys.modules[full]


generate = _sibling("generate")
pages = _sibling("pages")


class Site:
    """A folder of test pages and the address where it is served."""

    def __init__(self, folder: Path, base: str) -> None:
        self.folder, self.base = folder, base
        self.graph: dict[str, Any] = {}

    def add(self, name: str, data: dict[str, Any], **options: Any) -> str:
        """Write a graph and its page; returns the page's address."""
        pages.write_json(self.folder / f"{name}.json", data)
        (self.folder / f"{name}.html").write_text(pages.explorer_page(f"{name}.json", **options), encoding="utf-8")
        return f"{self.base}{name}.html"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("explorer")
    pages.write_assets(folder)
    server, base = pages.serve(folder)
    made = Site(folder, base)
    made.graph = generate.graph(200)
    pages.write_graph(folder, made.graph, generate.quotes(made.graph))
    made.add("index", made.graph)
    made.add("large", generate.graph(10_000))
    overview, files = generate.map_of(50_000)
    made.add("map", overview, search="map-search/index.js")
    for file, data in list(files.items())[:3]:
        pages.write_json(folder / file, data)
    pages.write_map_search(folder / "map-search", list(files.values())[:3])
    yield made
    server.shutdown()
    server.server_close()


class Reader:
    """Someone at the explorer: what they do, and what they see."""

    def __init__(self, page: Page, base: str) -> None:
        self.page, self.base = page, base
        self.problems: list[str] = []
        page.on("console", lambda message: self.problems.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self._foreign(request.url))

    def _foreign(self, url: str) -> None:
        if not url.startswith((self.base, "data:", "blob:", "file:")):
            self.problems.append(f"foreign request: {url}")

    def open(self, path: str = "index.html") -> Reader:
        self.page.goto(path if "://" in path else self.base + path)
        self.until("document.querySelector('#explorer').explorer?.ready")
        return self

    def until(self, expression: str) -> None:
        """Wait until a JavaScript expression is true. (Playwright's own waiting needs eval, which the CSP forbids.)"""
        for _ in range(300):
            if self.page.evaluate(f"Boolean({expression})"):
                return
            self.page.wait_for_timeout(40)
        raise AssertionError(f"never true: {expression}")

    @property
    def report(self) -> dict[str, Any]:
        self.until("document.querySelector('#explorer').explorer.report.settled")
        return self.page.evaluate("document.querySelector('#explorer').explorer.report")

    def rest(self) -> dict[str, Any]:
        """The report once the view stands still."""
        self.page.wait_for_timeout(550)
        return self.report

    def where(self, slug: str) -> dict[str, Any]:
        place = self.page.evaluate("slug => document.querySelector('#explorer').explorer.locate(slug)", slug)
        box = self.page.locator(".explorer-stage").bounding_box()
        assert box
        return {**place, "x": place["x"] + box["x"], "y": place["y"] + box["y"], "box": box}

    def click_node(self, slug: str) -> None:
        place = self.where(slug)
        self.page.mouse.click(place["x"], place["y"])

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def fragment(self) -> str:
        """The fragment of the address, once it has been written."""
        self.page.wait_for_timeout(350)
        return str(self.page.evaluate("location.hash"))


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1400, "height": 880}, accept_downloads=True)
    yield made
    made.close()


@pytest.fixture
def reader(context: BrowserContext, site: Site) -> Iterator[Reader]:
    made = Reader(context.new_page(), site.base)
    yield made
    assert made.problems == []


@pytest.fixture
def phone(browser: Browser, site: Site) -> Iterator[Reader]:
    made = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    reader = Reader(made.new_page(), site.base)
    yield reader
    assert reader.problems == []
    made.close()
