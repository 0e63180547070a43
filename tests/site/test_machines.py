"""Files and data for machines hold to their own formats, also when names are hostile."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from datetime import datetime
from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

import pytest

from tests.site.collections import small
from tests.site.sites import BuiltSite
from tests.site.test_hostile import hostile, html_names

BASE = "https://example.org/project/"
ATOM = "{http://www.w3.org/2005/Atom}"
MAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


@pytest.fixture(scope="module", params=["plain", "hostile"])
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    evil = html_names()[0] if request.param == "hostile" else "Small site"
    site = BuiltSite(tmp_path_factory.mktemp("m") / "p", base_url=BASE, title=evil, author=evil, description=evil)
    site.build(small() if request.param == "plain" else hostile(html_names()))
    return site


def test_the_sitemap_lists_each_indexed_page_once(built: BuiltSite) -> None:
    root = ET.fromstring((built.output / "sitemap.xml").read_bytes())
    assert root.tag == f"{MAP}urlset"
    places = [element.text or "" for element in root.iter(f"{MAP}loc")]
    assert len(places) == len(set(places))
    canonical = {
        attributes["href"]
        for path in built.pages()
        for tag, attributes in built.page(path).tags
        if tag == "link" and attributes.get("rel") == "canonical"
        if not any(meta.get("name") == "robots" for meta in built.page(path).metas)
    }
    assert set(places) == canonical
    for date in root.iter(f"{MAP}lastmod"):
        datetime.fromisoformat(date.text or "")


def test_robots_let_everybody_in_and_name_the_sitemap(built: BuiltSite) -> None:
    robots = RobotFileParser()
    robots.parse((built.output / "robots.txt").read_text(encoding="utf-8").splitlines())
    assert robots.can_fetch("*", f"{BASE}entities/")
    assert robots.site_maps() == [f"{BASE}sitemap.xml"]


def test_the_feed_is_atom(built: BuiltSite) -> None:
    """RFC 4287: id, title and updated in the feed and in each entry; an author; absolute links."""
    root = ET.fromstring((built.output / "feed.xml").read_bytes())
    entries = root.findall(f"{ATOM}entry")
    assert entries
    for element in (root, *entries):
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{ATOM}{name}")) == 1, name
        datetime.fromisoformat(element.findtext(f"{ATOM}updated") or "")
        assert all(urlsplit(link.get("href", "")).scheme == "https" for link in element.findall(f"{ATOM}link"))
    assert root.findtext(f"{ATOM}author/{ATOM}name")
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(ids) == len(set(ids))
    newest = max(entry.findtext(f"{ATOM}updated") or "" for entry in entries)
    assert root.findtext(f"{ATOM}updated") == newest


def test_llms_txt_is_markdown_with_links_that_exist(built: BuiltSite) -> None:
    """llmstxt.org: one title, one quoted summary, then lists of links below headings."""
    lines = (built.output / "llms.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
    assert lines[2].startswith("> ")
    links = re.findall(r"^- \[[^\]]*\]\(([^)]+)\)", "\n".join(lines), re.MULTILINE)
    assert len(links) == sum(line.startswith("- ") for line in lines)
    files = set(built.tree())
    for link in links:
        assert link.startswith(BASE), link
        assert link.removeprefix(BASE) in files or "%" in link, link


def test_json_ld_and_twins_are_strict_json(built: BuiltSite) -> None:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    found = 0
    for path in built.pages():
        data = built.page(path).islands.get("application/ld+json")
        if data is not None:
            graph = json.loads(data, parse_constant=refuse)
            assert graph["@context"] == "https://schema.org"
            assert graph["@type"]
            found += 1
    assert found > 3
    for path in built.tree():
        if path.endswith(".json"):
            json.loads((built.output / path).read_bytes(), parse_constant=refuse)


def test_open_graph_of_each_page(built: BuiltSite) -> None:
    for path in built.pages():
        if built.page(path).metas and "http-equiv" in built.page(path).metas[-1]:
            continue
        metas = {m["property"]: m["content"] for m in built.page(path).metas if m.get("property", "").startswith("og:")}
        assert set(metas) == {"og:url", "og:title", "og:description", "og:type", "og:site_name"}, path
        assert metas["og:url"].startswith(BASE)
        assert all(metas.values()), path


def test_404_finds_its_files_from_any_address(built: BuiltSite) -> None:
    """A server sends 404.html at addresses of any depth: each link begins at the base address's own path."""
    page = built.page("404.html")
    inner = [value for _, name, value in page.links if name != "action" and not urlsplit(value).scheme]
    assert all(value.startswith(("/project/", "#")) for value in inner)
    files = {value.removeprefix("/project/") for value in inner if value.startswith("/project/static/")}
    assert files
    assert files <= set(built.tree())
