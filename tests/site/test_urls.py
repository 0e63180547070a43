"""Addresses: the registry, relative links, passages, and text that must stay text."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgsite.errors import PublishError
from kgsite.model import Block, Mark, SitePath
from kgsite.site import feeds, urls
from kgsite.site.escape import island_text
from kgsite.site.passages import Anchors
from kgsite.site.views.reader import Mention, reader
from tests.site.collections import small
from tests.site.sites import BuiltSite


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a/index.html", "A/INDEX.html"),
        ("caf\u00e9/x.html", "cafe\u0301/x.html"),
        ("stra\u00dfe", "STRASSE"),
        ("\u1e9e", "ss"),
        ("a", "a/index.html"),
        ("a/index.html/index.html", "a/index.html"),
    ],
)
def test_paths_that_are_one_on_some_disk_are_claimed_once(one: str, other: str) -> None:
    registry = urls.PathRegistry()
    registry.claim(one, "document a")
    with pytest.raises(PublishError, match=r"document b and document a would share"):
        registry.claim(other, "document b")


def test_an_entity_gets_a_stable_suffix() -> None:
    def free(owner: str) -> str:
        registry = urls.PathRegistry()
        registry.claim("entities/co2/index.html", "entity co2")
        return registry.claim_free(
            "entities/CO2/index.html", owner, lambda suffix: SitePath(f"entities/CO2{suffix}/index.html")
        )

    assert free("entity CO2") == free("entity CO2") != free("entity other")
    assert free("entity CO2").startswith("entities/CO2-")


@pytest.mark.parametrize(
    "path", ["", "/x", "a//b", "../x", "a/..", "con/index.html", "aux.html", "a/LPT1.txt", "a.", "a ", "a\0", "é" * 101]
)
def test_paths_that_no_file_system_should_see(path: str) -> None:
    with pytest.raises(PublishError, match="can't be a file"):
        urls.PathRegistry().claim(path, "a page")


@pytest.mark.parametrize(
    ("page", "target", "expected"),
    [
        ("index.html", "about/index.html", "about/index.html"),
        ("about/index.html", "index.html", "../index.html"),
        ("entities/a/index.html", "entities/b/index.html", "../b/index.html"),
        ("entities/a/index.html", "entities/a/index.html", "index.html"),
        ("entities/a/index.html", "documents/ü ?#%/index.html", "../../documents/%C3%BC%20%3F%23%25/index.html"),
    ],
)
def test_links_are_relative_and_encoded_once(page: str, target: str, expected: str) -> None:
    assert urls.relative(page, target) == expected


def test_absolute_urls_have_no_index() -> None:
    assert urls.absolute("https://x.org/p/", "entities/a/index.html") == "https://x.org/p/entities/a/"
    assert urls.absolute("https://x.org/p", "index.html") == "https://x.org/p/"
    assert urls.absolute("", "index.html") is None


def test_anchors_name_the_passage_before_or_at_an_offset() -> None:
    blocks = (Block(2, 5, "paragraph"), Block(7, 9, "paragraph"))
    document = replace(small().documents[0], blocks=blocks)
    anchors = Anchors({document.id: document})
    assert [anchors.anchor(document.id, at) for at in (0, 2, 6, 7, 99, None)] == ["", "p1", "p1", "p2", "p2", ""]


@given(
    st.recursive(
        st.text() | st.integers(-(2**53), 2**53) | st.none(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_islands_are_inert_and_mean_the_same(value: object) -> None:
    text = str(island_text(value))
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == value


@given(st.text(st.characters(codec="utf-8"), max_size=200))
def test_the_reader_loses_and_adds_no_text(text: str) -> None:
    from html import unescape

    marks = [Mark(i, i + 5, kind, "https://x.org") for i, kind in enumerate(("link", "strong", "emphasis", "code"))]
    mentions = [Mention(i, i + 2, urls.RelUrl("x"), '"<', "1") for i in range(0, len(text), 3)]
    view = reader(text, (Block(0, len(text), "paragraph"),), marks, mentions)
    assert view is not None
    html = str(view.passages[0].parts[0].html)
    import re

    assert unescape(re.sub(r"<[^>]*>", "", html)) == text or "\r" in text
    opened = re.findall(r"<(/?)(\w+)", html)
    stack: list[str] = []
    for closing, tag in opened:
        if closing:
            assert stack.pop() == tag
        else:
            assert tag != "a" or "a" not in stack
            stack.append(tag)
    assert stack == []


def test_lists_nest_one_step_at_a_time() -> None:
    text = "a\n\nb\n\nc\n\nd"
    levels = (1, 5, 2, 1)
    blocks = tuple(Block(i * 3, i * 3 + 1, "list", level, ordered=i == 3) for i, level in enumerate(levels))
    view = reader(text, blocks)
    assert view is not None
    assert view.passages[0].parts[0].html == (
        '<ul><li dir="auto">a<ul><li id="p2" dir="auto">b</li><li id="p3" dir="auto">c</li></ul></li></ul>'
        '<ol><li id="p4" dir="auto">d</li></ol>'
    )


def test_headings_never_skip_a_level() -> None:
    text = "a\n\nb\n\nc"
    blocks = (Block(0, 1, "heading", 1), Block(3, 4, "heading", 6), Block(6, 7, "heading", 2))
    view = reader(text, blocks, first_heading=3)
    assert view is not None
    assert [part.level for part in view.passages[0].parts] == [3, 4, 4]


def test_many_spans_are_read_in_linear_time() -> None:
    count = 60_000
    text = "ab " * count
    mentions = [Mention(i * 3, i * 3 + 2, urls.RelUrl("x"), "t", "1") for i in range(count)]
    view = reader(text, (Block(0, len(text), "paragraph"),), (), mentions)
    assert view is not None
    assert str(view.passages[0].parts[0].html).count("</a>") == count


def test_sitemaps_are_sharded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "SITEMAP_LIMIT", 3)
    pages = [(SitePath(f"e/{n}/index.html"), "") for n in range(7)]
    files = dict(feeds.sitemaps("https://x.org", pages))
    assert list(files) == ["sitemap.xml", "sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml"]
    assert files[SitePath("sitemap.xml")].count(b"<sitemap>") == 3
    assert sum(data.count(b"<url>") for data in files.values()) == 7


def test_what_xml_cannot_hold_is_replaced() -> None:
    assert feeds.xml_text("a\x00\x0b<&\ud800") == "a\ufffd\ufffd&lt;&amp;\ufffd"


def test_a_base_url_is_encoded_once(site: BuiltSite) -> None:
    site.settings = replace(site.settings, site=replace(site.settings.site, base_url="https://example.org/caf%C3%A9/"))
    site.build(small())
    for path in ("index.html", "sitemap.xml", "feed.xml", "404.html", "robots.txt"):
        assert "caf%C3%A9/" in site.html(path), path
        assert "caf%25" not in site.html(path), path
