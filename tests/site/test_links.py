"""Relative links of the landing text, of sections and of documents."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from kgsite.model import Block, Collection, Document, Mark, Source, SourcePath
from kgsite.site import build_info, load_theme, plan
from tests.site.collections import small
from tests.site.sites import BuiltSite, broken_links


def marked(text: str) -> tuple[str, tuple[Block, ...], tuple[Mark, ...]]:
    """Text of paragraphs with `[words](target)`, as a reader hands it on."""
    out, marks, position = "", [], 0
    for match in re.finditer(r"\[([^]]*)\]\(([^)]*)\)", text):
        out += text[position : match.start()]
        marks.append(Mark(len(out), len(out) + len(match[1]), "link", match[2]))
        out += match[1]
        position = match.end()
    out += text[position:]
    blocks = tuple(
        Block(m.start() + 2 * m[0].startswith("# "), m.end(), "heading" if m[0].startswith("# ") else "paragraph", 1)
        for m in re.finditer(r"[^\n]+", out)
    )
    return out, blocks, tuple(marks)


def content(path: str, text: str) -> Document:
    plain, blocks, marks = marked(text)
    return Document(path, Source(SourcePath(path), "markdown", Path(path)), plain, blocks, marks, title="Small site")


def with_text(collection: Collection, number: int, text: str) -> Collection:
    plain, blocks, marks = marked(text)
    documents = list(collection.documents)
    documents[number] = replace(documents[number], text=plain, blocks=blocks, marks=marks)
    return replace(collection, documents=tuple(documents))


def notes(site: BuiltSite, collection: Collection, landing: Document | None = None) -> tuple[str, ...]:
    made = plan(
        collection,
        site.settings,
        landing=landing,
        sections={},
        theme=load_theme(site.settings),
        build_info=build_info(collection),
    )
    return made.notes


def hrefs(site: BuiltSite, page: str, text: str) -> list[str]:
    return re.findall(rf'<a href="([^"]*)">{re.escape(text)}</a>', site.html(page))


@pytest.mark.parametrize(
    ("target", "leads_to"),
    [
        ("entities/marie-curie/", "entities/marie-curie/index.html"),
        ("entities/marie-curie", "entities/marie-curie/index.html"),
        ("/entities/marie-curie/index.html", "entities/marie-curie/index.html"),
        ("graph/", "graph/index.html"),
        ("graph/#node=marie-curie&min=2", "graph/index.html#node=marie-curie&amp;min=2"),
        ("./about/", "about/index.html"),
        ("curie.md", "documents/curie/index.html"),
        ("cities/warsaw.txt", "documents/warsaw/index.html"),
        ("curie.md#later", "documents/curie/index.html#p4"),
        ("curie.md#p2", "documents/curie/index.html#p2"),
        ("curie.md#nowhere", "documents/curie/index.html"),
        ("data/graph.json", "data/graph.json"),
        ("index.md", "index.html"),
        ("#p1", "#p1"),
    ],
)
def test_links_of_the_landing_text(site: BuiltSite, target: str, leads_to: str) -> None:
    site.build(small(), landing=content("index.md", f"Start with [this]({target})."))
    assert hrefs(site, "index.html", "this") == [leads_to]
    assert broken_links(site) == []


@pytest.mark.parametrize(
    "target", ["nobody.md", "../outside/", "entities/nobody/", "#no-such-heading", "../../etc/passwd"]
)
def test_a_link_that_leads_nowhere_is_text_and_a_warning(site: BuiltSite, target: str) -> None:
    landing = content("index.md", f"Start with [this]({target}).")
    site.build(small(), landing=landing)
    assert hrefs(site, "index.html", "this") == []
    assert '<span class="dead-link">this</span>' in site.html("index.html")
    assert notes(site, small(), landing) == (f"index.md: a link leads nowhere and is shown as text: {target!r}",)


def test_documents_link_to_each_other_as_files_do(site: BuiltSite) -> None:
    text = "# Two words, one\nSee [her](../curie.md), [down](#two-words-one), [site](/entities/radium/) and [none](curie.md)."
    collection = with_text(small(), 0, text)
    assert collection.documents[0].provenance.source == "cities/warsaw.txt"
    site.build(collection)
    page = "documents/warsaw/index.html"
    root = "../../"
    assert hrefs(site, page, "her") == [f"{root}documents/curie/index.html"]
    assert hrefs(site, page, "down") == ["#p1"]
    assert hrefs(site, page, "site") == [f"{root}entities/radium/index.html"]
    assert hrefs(site, page, "none") == [f"{root}documents/curie/index.html"]  # from the root of content/
    assert broken_links(site) == []


def test_links_of_a_section_lead_from_its_own_page(site: BuiltSite) -> None:
    section = content(
        "cities/_index.md", "The [first](warsaw.txt), the [start](../index.md) and the [web](https://example.org/)."
    )
    site.build(small(), sections={"cities": section})
    page = "sections/cities/index.html"
    assert hrefs(site, page, "first") == ["../../documents/warsaw/index.html"]
    assert 'href="https://example.org/" rel="nofollow noopener">web</a>' in site.html(page)
    assert broken_links(site) == []


def test_many_dead_links_are_one_warning(site: BuiltSite) -> None:
    collection = with_text(small(), 1, " ".join(f"[a](gone-{n}.md)" for n in range(9)))
    (note,) = notes(site, collection)
    assert note.startswith("curie.md: 9 links lead nowhere and are shown as text: 'gone-0.md', ")
    assert note.endswith("'gone-4.md' and 4 more")


def test_a_link_to_a_heading_that_is_not_there_is_a_warning(site: BuiltSite) -> None:
    text = "[a](../curie.md#nix) [b](../curie.md#later) [c](../curie.md#p99) [d](../curie.md) [e](/graph/#nix)"
    collection = with_text(small(), 0, text)
    site.build(collection)
    assert hrefs(site, "documents/warsaw/index.html", "a") == ["../../documents/curie/index.html"]
    (note,) = notes(site, collection)
    assert note == (
        "cities/warsaw.txt: 2 links name headings that are not there and lead to the top of the page: "
        "'../curie.md#nix', '../curie.md#p99'"
    )
    landing = content("index.md", "[a](curie.md#nix)")
    (note,) = notes(site, small(), landing)
    assert note == (
        "index.md: a link names a heading that is not there and leads to the top of the page: 'curie.md#nix'"
    )
