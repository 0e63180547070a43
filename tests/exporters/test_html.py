"""The one-file page: whole, inert, and alive in a real browser opened from disk."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest

from kgsite.checking.links import Pages
from kgsite.exporters import export
from tests.chromium import chromium_path
from tests.exporters.graphs import TEXT, collection, document, settings


def page(root: Path, *, whole: bool = False, **site: object) -> str:
    subject = collection(root) if whole else document()
    (data,) = export(subject, "html", settings=settings(root, **site)).values()
    return data.decode()


@pytest.mark.parametrize("whole", [False, True])
def test_nothing_is_loaded_and_no_link_leads_nowhere(whole: bool, tmp_path: Path) -> None:
    text = page(tmp_path, whole=whole)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "index.html").write_text(text, encoding="utf-8")
    pages = Pages(tmp_path / "out")
    assert list(pages.broken()) == []
    assert len(pages.links["index.html"]) > 15
    assert not re.search(r"<(?:script|img|link)[^>]+(?:src|href)=", text)
    assert page(tmp_path, whole=whole) == text


def test_scripts_and_styles_are_allowed_by_their_hashes_only(tmp_path: Path) -> None:
    text = page(tmp_path)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1].replace("&#39;", "'")  # type: ignore[index]
    assert "unsafe" not in policy
    assert "connect-src" not in policy
    assert policy.startswith("default-src 'none'")
    codes = re.findall(r"<(?:script|style)>(.*?)</(?:script|style)>", text, re.DOTALL)
    assert len(codes) == 3
    for code in codes:
        assert f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'" in policy


def test_names_stand_in_it_as_text(tmp_path: Path) -> None:
    text = page(tmp_path)
    assert "<script>window.__x" not in text
    assert "&lt;script&gt;window.__x=1&lt;/script&gt;" in text
    assert "\x00" not in text
    assert f"<mark>{TEXT[:51]}</mark>" in text


@pytest.mark.browser
def test_a_browser_opens_it_from_disk(tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    file = tmp_path / "graph.html"
    file.write_text(page(tmp_path), encoding="utf-8")
    said: list[str] = []
    asked: list[str] = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(chromium_path()), args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page()
        tab.on("console", lambda message: said.append(message.text))
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(file.as_uri())
        tab.wait_for_function("document.getElementById('explorer').explorer?.ready")
        assert tab.evaluate("document.getElementById('explorer').explorer.graph.size") == 15
        follow(tab)
        assert tab.evaluate("window.__x") is None
        browser.close()
    assert said == []
    assert {url.split("#")[0] for url in asked} == {file.as_uri()}


def follow(tab: Any) -> None:
    """A click on a node, and its page: a place in the same file."""
    at = "explorer.graph.names.indexOf('Ada Northgate')"
    tab.evaluate(
        f"(() => {{ const {{explorer}} = document.getElementById('explorer'); explorer.select({at}, {{}}); }})()"
    )
    tab.click("#explorer a.as-button.primary")
    tab.wait_for_function("document.querySelector(':target')?.id === 'entities/ada-northgate'")
    assert "Ada Northgate" in tab.inner_text(":target")
