"""Pages stay light: what a reader loads for a page, compressed as a server sends it."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from tests.build.site import Site
from tests.site.sites import PageReader

ROOT = Path(__file__).parents[2]
LIGHT = 100_000
"""Bytes of a page without the explorer, its style sheets and scripts included."""
EXPLORER = 400_000
"""Bytes of a page with it, its graph included."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demonstration site of this repository, built from its committed graphs or extracted anew."""
    site = Site(tmp_path_factory.mktemp("demo"))
    shutil.copytree(ROOT / "content", site.root / "content", dirs_exist_ok=True)
    if (ROOT / ".kgsite" / "graphs").is_dir():
        shutil.copytree(ROOT / ".kgsite" / "graphs", site.root / ".kgsite" / "graphs")
    site.build()
    return site.root / "_site"


def weight(output: Path, page: Path) -> int:
    """Compressed bytes of a page and of everything that it loads by itself."""
    html = page.read_text(encoding="utf-8")
    total = len(gzip.compress(html.encode()))
    here = f"http://x/{page.relative_to(output).as_posix()}"
    for tag, attributes in PageReader(html).tags:
        link = attributes.get("src") if tag == "script" else attributes.get("href") if loaded(tag, attributes) else None
        if link:
            total += len(gzip.compress((output / unquote(urlsplit(urljoin(here, link)).path).lstrip("/")).read_bytes()))
    return total


def loaded(tag: str, attributes: dict[str, str]) -> bool:
    return tag == "link" and attributes.get("rel") in ("stylesheet", "icon", "preload")


def test_pages_without_the_explorer_and_with_it(demo: Path) -> None:
    weights = {
        page.relative_to(demo).as_posix(): weight(demo, page)
        for page in sorted(demo.rglob("*.html"))
        if page.name != "404.html" and page.stat().st_size > 40_000
    }
    assert "documents/nist-ai-rmf/index.html" in weights  # the longest text
    explorers = {path for path in weights if path.endswith("graph/index.html")}
    assert {path: size for path, size in weights.items() if path not in explorers and size > LIGHT} == {}
    assert {path: weights[path] for path in explorers if weights[path] > EXPLORER} == {}


def test_a_document_page_loads_nothing_of_the_explorer(demo: Path) -> None:
    page = PageReader((demo / "documents/marie-curie/index.html").read_text(encoding="utf-8"))
    scripts = [attributes["src"] for tag, attributes in page.tags if tag == "script" and "src" in attributes]
    assert [script.rpartition("/")[2].split(".")[0] for script in scripts] == ["early", "site"]
    assert not [value for _, _, value in page.links if "explorer" in value and "css" in value]
