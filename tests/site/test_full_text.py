"""The full text search: part of the published tree like every other file, and found by readers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kgsite.config.settings import SearchSettings
from tests.site.collections import small
from tests.site.sites import BuiltSite

pytest.importorskip("pagefind_bin")


def switch(site: BuiltSite, on: bool) -> BuiltSite:
    site.settings = replace(site.settings, search=SearchSettings(full_text=on))
    return site


def parts(site: BuiltSite) -> dict[str, str]:
    return {path: digest for path, digest in site.tree().items() if path.startswith("pagefind/")}


def test_it_is_recorded_kept_and_pruned(site: BuiltSite) -> None:
    switch(site, on=True).build(small())
    made = parts(site)
    assert {"pagefind/pagefind.js", "pagefind/pagefind-entry.json"} < made.keys()
    assert not [path for path in made if "-ui." in path]
    listed = (site.output / ".kgsite-files").read_text(encoding="utf-8").splitlines()
    assert made.keys() <= set(listed)
    again = site.build(small())
    assert (again.rendered, again.written, again.pruned) == (0, 0, 0)
    off = switch(site, on=False).build(small())
    assert off.pruned == len(made)
    assert parts(site) == {}
    assert not (site.output / "pagefind").exists()


def test_nothing_runs_when_no_document_changed(site: BuiltSite, monkeypatch: pytest.MonkeyPatch) -> None:
    from kgsite.site import fulltext

    switch(site, on=True).build(small())
    monkeypatch.setattr(fulltext, "full_text_files", lambda *_: pytest.fail("ran again"))
    site.with_theme(footer="Another footer")
    with pytest.raises(pytest.fail.Exception, match="ran again"):  # the footer is on the document pages too
        site.build(small())
    site.with_theme()
    assert site.build(small()).written == 0


def test_a_clean_build_gives_the_same_bytes_as_a_changed_one(site: BuiltSite, tmp_path: Path) -> None:
    switch(site, on=True).build(small())
    before = parts(site)
    site.with_theme(footer="Another footer")
    site.build(small())
    fresh = switch(BuiltSite(tmp_path / "fresh"), on=True)
    fresh.with_theme(footer="Another footer")
    fresh.build(small())
    assert parts(site) == parts(fresh)
    assert fresh.tree() == site.tree()
    assert set(before) == set(parts(site))  # the footer is no text of a document


def test_a_damaged_part_is_made_again(site: BuiltSite) -> None:
    switch(site, on=True).build(small())
    before = parts(site)
    (site.output / "pagefind" / "pagefind-entry.json").write_text("{}", encoding="utf-8")
    site.build(small())
    assert parts(site) == before


@pytest.mark.browser
def test_a_reader_finds_a_passage(site: BuiltSite, browser: Any, serve: Callable[[Path], str]) -> None:
    switch(site, on=True).build(small())
    base = serve(site.output)
    page = browser.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.goto(f"{base}search/#q=polonium")
    group = page.locator(".search-group", has_text="In the texts")
    group.wait_for()
    link = group.locator("a").first
    assert "polonium" in link.inner_text().lower()
    link.click()
    page.wait_for_url("**/documents/**#p*")
    assert "polonium" in page.locator(":target").inner_text().lower()

    page.goto((site.output / "search" / "index.html").as_uri() + "#q=polonium")
    page.locator(".search-note").wait_for()
    assert problems == []
    page.close()
