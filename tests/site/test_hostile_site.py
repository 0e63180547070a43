"""A whole site of hostile documents and names in a real browser: nothing of them runs, nothing foreign is asked for.

Every page is looked at with `KGSITE_TEST_ALL_PAGES=1` (a quarter of an hour); else a sample of each kind of page.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.build.site import Site
from tests.chromium import chromium_path

CHROMIUM = chromium_path()
pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(3_600 if os.environ.get("KGSITE_TEST_ALL_PAGES") else 300),
    pytest.mark.skipif(not CHROMIUM.exists(), reason="needs Debian's chromium"),
]
DATA = Path(__file__).parent / "data"
CASES = Path(__file__).parents[1] / "readers" / "data"
KINDS = (".txt", ".md", ".html")
SAMPLE = 4 if not os.environ.get("KGSITE_TEST_ALL_PAGES") else 10_000
"""Pages of one kind that are opened."""

EVERYTHING = """() => {
  const stop = event => event.preventDefault();
  for (const type of ["click", "auxclick", "submit"]) document.addEventListener(type, stop, true);
  let touched = 0;
  const all = [...document.querySelectorAll("body *")];
  for (const element of all.length > 400 ? [...all.slice(0, 300), ...all.slice(-100)] : all) {
    for (const type of ["pointerover", "mouseover", "mouseenter", "pointerdown", "mousedown", "mouseup", "click",
                        "focus", "focusin", "blur", "toggle", "input", "change", "error", "load", "animationend"]) {
      element.dispatchEvent(new Event(type, {bubbles: true, cancelable: true}));
    }
    touched += 1;
  }
  for (const details of document.querySelectorAll("details")) details.open = true;
  return touched;
}"""
"""Every event that a handler in markup could wait for, at the first and last elements; links are not followed."""


def graph_of_names() -> bytes:
    """All hostile names of the cases, each alone and within other words, as one ready-made graph."""
    names = [row["name"] for row in json.loads((DATA / "html-names.json").read_bytes())["entities"]]
    names += [row["name"] for row in json.loads((DATA / "proto-names.json").read_bytes())["entities"]]
    names += [name for name in json.loads((DATA / "names.json").read_bytes()) if len(name) < 120]
    names = [name for name in dict.fromkeys(names) if name.strip()]
    names += [f"{before} {name}" for before in ("Ada", "\"'>", "&lt;") for name in names]
    entities = [{"name": name, "type": names[i % 40], "description": names[-i]} for i, name in enumerate(names)]
    relations = [
        {"source": name, "target": names[(i * 7 + 1) % len(names)], "type": names[(i + 2) % len(names)]}
        for i, name in enumerate(names)
    ]
    relations += [{"source": names[0], "target": name, "type": "next to"} for name in names[1:60]]
    return json.dumps({"entities": entities, "relations": relations}).encode()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = Site(tmp_path_factory.mktemp("hostile") / "p")
    for file in sorted(CASES.iterdir()):
        if file.suffix in KINDS and file.name != "urls.txt":
            shutil.copy(file, site.root / "content" / file.name)
    site.write("names.json", graph_of_names())
    title = "<img src=x onerror=window.__x=1>"
    site.config(
        f'[site]\ntitle = "{title}"\ndescription = "{title}"\nauthor = "{title}"\n[extract]\nextractor = "offline"\n'
    )
    built = site.build(keep_going=True)
    assert built.totals["pages"] >= 500
    return site.root / "_site"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu", "--no-first-run"]
        )
        yield started
        started.close()


def sampled(output: Path) -> list[Path]:
    """Pages of every kind (by folder and depth), evenly drawn."""
    kinds: dict[tuple[str, ...], list[Path]] = defaultdict(list)
    for page in sorted(output.rglob("*.html")):
        parts = page.relative_to(output).parts
        if parts != ("404.html",):  # its links are absolute: nothing to load from disk
            kinds[(parts[0], str(len(parts)), parts[-2] if parts[-2:-1] == ("graph",) else "")].append(page)
    return [page for pages in kinds.values() for page in pages[:: max(1, len(pages) // SAMPLE)][:SAMPLE]]


@pytest.mark.parametrize("policy", [True, False], ids=["with-csp", "without-csp"])
def test_nothing_runs_and_nothing_foreign_is_fetched(built: Path, browser: Any, policy: bool) -> None:
    context = browser.new_context(bypass_csp=not policy, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    asked: set[str] = set()
    dialogs: list[str] = []
    page.on("request", lambda request: asked.add(request.url))
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    opened = 0
    for path in sampled(built):
        page.goto(path.as_uri())
        opened += 1
        links = page.locator("main a[data-entity]:visible, .prose a.mention:visible")
        for index in range(min(2, links.count())):
            links.nth(index).hover(timeout=5_000, force=True)
            links.nth(index).focus()
        for _ in range(4):
            page.keyboard.press("Tab")
        assert page.evaluate(EVERYTHING) > 20, path
        if "graph" in path.parts:
            page.mouse.click(640, 450)
            page.mouse.move(600, 420)
        assert page.evaluate("[window.__x, document.images.length, frames.length]") == [None, 0, 0], path
    context.close()
    assert opened >= 30
    assert dialogs == []
    assert [url for url in asked if not url.startswith(("file://", "data:", "blob:"))] == []
