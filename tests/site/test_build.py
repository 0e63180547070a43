"""Whole small sites: which files there are, and how much work a change is."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from kgsite.model import Collection
from tests.site.collections import CURIE, TYPES, WARSAW, Text, collection_of, small
from tests.site.sites import BuiltSite, broken_links

TREE = """
.kgsite-files
.nojekyll
404.html
about/index.html
communities/group-1/graph/index.html
communities/group-1/index.html
communities/group-2/graph/index.html
communities/group-2/index.html
communities/index.html
data/documents/curie/graph.json
data/documents/warsaw/graph.json
data/graph.json
data/schema.json
data/text_units.json
documents/curie/graph/index.html
documents/curie/index.html
documents/curie/index.json
documents/index.html
documents/warsaw/graph/index.html
documents/warsaw/index.html
documents/warsaw/index.json
entities/index.html
entities/marie-curie/index.html
entities/marie-curie/index.json
entities/passy/index.html
entities/passy/index.json
entities/pierre-curie/index.html
entities/pierre-curie/index.json
entities/poland/index.html
entities/poland/index.json
entities/polonium/index.html
entities/polonium/index.json
entities/radium/index.html
entities/radium/index.json
entities/vistula/index.html
entities/vistula/index.json
entities/warsaw/index.html
entities/warsaw/index.json
feed.xml
graph/index.html
index.html
llms.txt
robots.txt
types/index.html
types/person/index.html
types/place/index.html
types/substance/index.html
""".split()  # noqa: SIM905 - a tree reads best as one
PAGES = sum(path.endswith(".html") for path in TREE) + 1  # and search/


def described(collection: Collection, name: str, text: str) -> Collection:
    """The collection with another description of one entity."""
    entities = tuple(
        replace(e, descriptions=((text, e.documents[0]),)) if e.name == name else e for e in collection.entities
    )
    return replace(collection, entities=entities)


def test_a_small_site_has_these_files(site: BuiltSite) -> None:
    report = site.build(small())
    found = [path for path in site.tree() if not path.startswith(("static/", "search/"))]
    assert sorted(found) == sorted(TREE)
    assert (report.rendered, report.pages, report.pruned) == (PAGES, PAGES, 0)
    assert report.written == report.files == len(site.tree())
    assert report.total_bytes == sum((site.output / path).stat().st_size for path in site.tree())


def test_a_second_build_renders_and_writes_nothing(site: BuiltSite) -> None:
    site.build(small())
    before = site.times()
    report = site.build(small())
    assert (report.rendered, report.written, report.pruned, report.unchanged_pages) == (0, 0, 0, PAGES)
    assert site.times() == before


def test_a_description_renders_only_the_page_that_shows_it(site: BuiltSite) -> None:
    site.build(small())
    before = site.tree()
    report = site.build(described(small(), "Passy", "A place near Chamonix."))
    changed = {path for path, digest in site.tree().items() if before.get(path) != digest}
    assert report.rendered == 1
    assert {path for path in changed if path.endswith(".html")} == {"entities/passy/index.html"}
    assert "entities/passy/index.json" in changed
    assert report.written == len(changed)


def test_the_title_of_the_site_renders_every_page(site: BuiltSite) -> None:
    site.build(small())
    site.settings = replace(site.settings, site=replace(site.settings.site, title="Another title"))
    assert site.build(small()).rendered == PAGES


def test_a_template_renders_only_the_pages_that_use_it(site: BuiltSite) -> None:
    site.build(small())
    folder = site.root / "themes" / "default" / "templates"
    folder.mkdir(parents=True)
    (folder / "entity.html").write_text(
        '{% extends "parent:entity.html" %}{% block footer %}mine{% endblock %}', encoding="utf-8"
    )
    assert site.build(small()).rendered == 8
    assert "mine" in site.html("entities/passy/index.html")
    assert "What the texts say" in site.html("entities/passy/index.html")


def test_a_deleted_document_takes_its_pages_and_nothing_else(site: BuiltSite) -> None:
    site.build(small())
    before = site.tree()
    report = site.build(collection_of([CURIE], TYPES))
    gone = before.keys() - site.tree().keys()
    assert {path for path in gone if path.endswith(".html")} == {
        "communities/group-2/graph/index.html",
        "communities/group-2/index.html",
        "documents/warsaw/graph/index.html",
        "documents/warsaw/index.html",
        "entities/poland/index.html",
        "entities/vistula/index.html",
    }
    assert report.pruned == len(gone)
    assert not (site.output / "documents" / "warsaw").exists()
    assert not any("warsaw.txt" in site.html(path) or "/vistula/" in site.html(path) for path in site.pages())
    assert broken_links(site) == []


def test_clean_and_incremental_builds_give_the_same_tree(site: BuiltSite, tmp_path: Path) -> None:
    site.build(small())
    site.build(collection_of([CURIE], TYPES))
    site.build(described(small(), "Passy", "Other words."))
    other = BuiltSite(tmp_path / "somewhere else")
    other.build(described(small(), "Passy", "Other words."))
    assert other.tree() == site.tree()


def test_a_lost_cache_writes_nothing_and_still_prunes(site: BuiltSite) -> None:
    site.build(small())
    shutil.rmtree(site.root / ".kgsite")
    before = site.times()
    report = site.build(small())
    assert (report.rendered, report.written) == (PAGES, 0)
    assert site.times() == before
    shutil.rmtree(site.root / ".kgsite")
    assert site.build(collection_of([CURIE], TYPES)).pruned > 0
    assert not (site.output / "documents" / "warsaw").exists()


def test_a_touched_file_is_made_again(site: BuiltSite) -> None:
    site.build(small())
    before = site.tree()
    (site.output / "entities" / "passy" / "index.html").write_text("changed by hand", encoding="utf-8")
    (site.output / "about" / "index.html").unlink()
    report = site.build(small())
    assert (report.rendered, report.written) == (2, 2)
    assert site.tree() == before


@pytest.mark.parametrize("jobs", [2, 3])
def test_workers_give_the_same_bytes(
    site: BuiltSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    site.build(small())
    monkeypatch.setattr("kgsite.site.rendering.FORK_FROM", 1)
    other = BuiltSite(tmp_path / "forked")
    report = other.build(small(), jobs=jobs)
    assert (report.rendered, other.tree()) == (PAGES, site.tree())
    assert other.build(small(), jobs=jobs).written == 0


def test_an_error_in_a_worker_has_its_place(site: BuiltSite, monkeypatch: pytest.MonkeyPatch) -> None:
    from kgsite.errors import ThemeError

    folder = site.root / "themes" / "default" / "templates"
    folder.mkdir(parents=True)
    (folder / "about.html").write_text("\n{{ view.nonsense }}", encoding="utf-8")
    monkeypatch.setattr("kgsite.site.rendering.FORK_FROM", 1)
    with pytest.raises(ThemeError, match=r"themes/default/templates/about\.html:2.*nonsense") as caught:
        site.build(small(), jobs=2)
    assert "about/index.html" in caught.value.hint
    assert not site.output.exists()


def test_a_document_in_two_builds_order_does_not_matter(site: BuiltSite, tmp_path: Path) -> None:
    site.build(collection_of([CURIE, WARSAW], TYPES))
    other = BuiltSite(tmp_path / "other")
    other.build(collection_of([WARSAW, CURIE], TYPES))
    assert other.tree() == site.tree()


def test_an_empty_collection_is_a_site(site: BuiltSite) -> None:
    site.build(collection_of([]))
    assert broken_links(site) == []
    assert site.page("index.html").texts("h1").strip() == "Small site"


def test_long_lists_are_paged(site: BuiltSite) -> None:
    triples = tuple(("Hub", "knows", f"Person {n:03}") for n in range(450))
    site.build(collection_of([Text("a.txt", "A", "Nothing.", triples)], community_size=500))
    kinds = Counter(path.split("/")[0] for path in site.tree() if "/page-" in path)
    assert kinds == {"entities": 2 + 2, "types": 2, "communities": 2}
    assert (site.output / "entities" / "hub" / "page-3.html").is_file()
    assert broken_links(site) == []


def test_former_addresses_lead_on(site: BuiltSite) -> None:
    collection = collection_of([CURIE], TYPES, redirects={"entities/maria": "entities/marie-curie"})
    site.build(collection)
    page = site.page("entities/maria/index.html")
    assert ("a", "href", "../../entities/marie-curie/index.html") in page.links
    assert {"http-equiv": "refresh", "content": "0; url=../../entities/marie-curie/index.html"} in page.metas
    assert broken_links(site) == []


def test_a_script_of_one_page_kind_renders_only_these_pages(site: BuiltSite) -> None:
    site.build(small())
    folder = site.root / "themes" / "default" / "static" / "css"
    folder.mkdir(parents=True)
    (folder / "explorer.css").write_text("/* other */", encoding="utf-8")
    report = site.build(small())
    assert report.rendered == sum("css/explorer." in site.html(path) for path in site.pages()) < 10


def test_drawings_are_part_of_what_a_page_is_made_of(site: BuiltSite) -> None:
    """A neighbour that changes its looks changes the drawing, although the facts stay the same."""
    site.build(small())
    collection = small()
    entities = tuple(replace(e, degree=e.degree + 30) if e.name == "Poland" else e for e in collection.entities)
    before = site.html("entities/warsaw/index.html")
    report = site.build(replace(collection, entities=entities))
    fresh = site.html("entities/warsaw/index.html")
    assert report.rendered < PAGES
    site.manifest_file.unlink()
    site.build(replace(collection, entities=entities))
    assert site.html("entities/warsaw/index.html") == fresh
    assert before != fresh
