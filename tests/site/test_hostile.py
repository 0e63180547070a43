"""Names and texts that try to be something else are shown as they are written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kgsite.foldnames import fold_path
from kgsite.model import Block, Collection, Mark
from tests.site.collections import Text, collection_of
from tests.site.sites import BuiltSite, broken_links

DATA = Path(__file__).parent / "data"


def html_names() -> list[str]:
    names = [row["name"] for row in json.loads((DATA / "html-names.json").read_bytes())["entities"]]
    return [name for name in names if name.strip()]


def hostile(names: list[str]) -> Collection:
    """Every name as an entity, a type, a predicate, an alias, a description, a title and a text."""
    triples = tuple((name, names[(i + 1) % len(names)], names[(i + 2) % len(names)]) for i, name in enumerate(names))
    text = "\n\n".join(f"{s} {p} {o}." for s, p, o in triples)
    first = names[0]
    document = Text("a.txt", first, text, triples, summary=names[1])
    collection = collection_of([document], dict(zip(names, names, strict=True)))
    entities = tuple(
        replace(
            e, aliases=(first, names[2]), descriptions=((names[3], collection.documents[0].id),), other_types=(first,)
        )
        for e in collection.entities
    )
    notes = tuple(names[:3])
    documents = tuple(replace(d, notes=notes, dropped={first: 2}) for d in collection.documents)
    communities = tuple(
        replace(c, name=first, description=names[1], topics=(names[2],)) for c in collection.communities
    )
    return replace(collection, entities=entities, documents=documents, communities=communities, notes=notes)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    site = BuiltSite(
        tmp_path_factory.mktemp("hostile") / "p", title=html_names()[0], tagline=html_names()[1], author=html_names()[2]
    )
    site.build(hostile(html_names()))
    return site


def test_html_in_names_is_text(built: BuiltSite) -> None:
    collection = hostile(html_names())
    assert len(collection.entities) == len(html_names()) == 17
    for entity in collection.entities:
        page = built.page(f"entities/{entity.slug}/index.html")
        assert page.texts("h1").strip() == entity.name.strip()
        assert page.texts("title").startswith(f"{entity.name} · ")
        assert {"property": "og:title", "content": entity.name} in page.metas
        assert entity.name in page.text


def test_no_name_becomes_an_element(built: BuiltSite) -> None:
    for path in built.pages():
        page = built.page(path)
        assert page.inline_scripts == 0, path
        for tag, attributes in page.tags:
            assert tag not in ("img", "iframe", "object", "embed", "form", "base", "textarea"), path
            assert not [name for name in attributes if name.startswith("on")], (path, tag)
            href = attributes.get("href", "").strip().lower()
            assert not href.startswith(("javascript:", "data:", "vbscript:")), (path, href)


def test_islands_hold_the_names_exactly(built: BuiltSite) -> None:
    graph = json.loads(built.page("graph/index.html").islands["graph-data"])
    assert sorted(graph["nodes"]["name"]) == sorted(html_names())


def test_names_of_prototypes_have_pages(site: BuiltSite) -> None:
    names = [row["name"] for row in json.loads((DATA / "proto-names.json").read_bytes())["entities"]]
    collection = hostile(names)
    site.build(collection)
    for entity in collection.entities:
        assert site.page(f"entities/{entity.slug}/index.html").texts("h1").strip() == entity.name
    assert broken_links(site) == []


def test_names_that_are_hard_as_files(site: BuiltSite) -> None:
    names = [name for name in json.loads((DATA / "names.json").read_bytes()) if name.strip()]
    triples = tuple((name, "next to", names[(i + 1) % len(names)]) for i, name in enumerate(names))
    collection = collection_of([Text("a.txt", "Names", "Nothing.", triples)], community_size=40)
    site.build(collection)
    tree = site.tree()
    assert len({fold_path(path) for path in tree}) == len(tree)
    assert sum(path.startswith("entities/") and path.endswith("/index.html") for path in tree) >= len(set(names))
    assert all(len(segment.encode()) <= 200 for path in tree for segment in path.split("/"))
    assert broken_links(site) == []


def test_bad_links_of_documents_are_no_links(site: BuiltSite) -> None:
    text = "one two three four"
    marks = (
        Mark(0, 3, "link", "javascript:window.__x=1"),
        Mark(4, 7, "link", "data:text/html,<script>"),
        Mark(8, 13, "link", "https://example.org/?a=1&b='\"<"),
        Mark(14, 18, "link", "//evil.example"),
    )
    collection = collection_of([Text("a.txt", "A", text, (("a", "b", "c"),))])
    document = replace(collection.documents[0], blocks=(Block(0, len(text), "paragraph"),), marks=marks)
    site.build(replace(collection, documents=(document,)))
    page = site.page("documents/a/index.html")
    external = [a for tag, a in page.tags if tag == "a" and "external" in a.get("class", "")]
    assert [a["href"] for a in external] == ["https://example.org/?a=1&b='\"<"]
    assert "one two three four" in page.text


def test_lone_surrogates_do_not_stop_a_build(site: BuiltSite) -> None:
    collection = collection_of([Text("a.txt", "T\ud800", "x\udfff y", (("a", "is", "c"),))])
    entities = tuple(replace(e, name=f"{e.name}\ud800b", aliases=("\udc00",)) for e in collection.entities)
    site.build(replace(collection, entities=entities))
    for path in site.tree():
        if path.endswith((".html", ".json", ".xml", ".txt")):
            (site.output / path).read_bytes().decode("utf-8")
