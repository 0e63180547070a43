"""What the pages say and how they are linked."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from kgsite.model import Collection, FrontMatter
from kgsite.site.theme import packaged_themes
from tests.site.collections import CURIE, TYPES, WARSAW, Text, collection_of, small
from tests.site.sites import BuiltSite, broken_links

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'"
)


def with_note(collection: Collection) -> Collection:
    noted = replace(collection.documents[1], notes=("The encoding was guessed.",))
    return replace(collection, documents=(collection.documents[0], noted))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """The small site under a sub-path, with everything that has a setting."""
    site = BuiltSite(
        tmp_path_factory.mktemp("site") / "project",
        base_url="https://example.org/project/",
        author="An Author",
        license="CC-BY-4.0",
        repository="https://github.com/example/repo",
    )
    site.build(with_note(small()))
    return site


def test_every_link_and_anchor_resolves(built: BuiltSite) -> None:
    assert broken_links(built) == []


def test_only_404_has_root_relative_links(built: BuiltSite) -> None:
    for path in built.pages():
        rooted = [value for _, _, value in built.page(path).links if value.startswith("/")]
        assert bool(rooted) == (path == "404.html"), path
    assert all(value.startswith(("/project/", "https://", "#")) for _, _, value in built.page("404.html").links)


def test_the_policy_is_first_and_nothing_is_inline(built: BuiltSite) -> None:
    for path in built.pages():
        page = built.page(path)
        assert page.first_in_head == ("meta", {"http-equiv": "Content-Security-Policy", "content": CSP}), path
        assert page.inline_scripts == 0, path
        for tag, attributes in page.tags:
            assert not [name for name in attributes if name == "style" or name.startswith("on")], (path, tag)


def test_no_page_asks_a_third_party(built: BuiltSite) -> None:
    for path in built.pages():
        for tag, attributes in built.page(path).tags:
            for name in ("src", "srcset", "poster", "data"):
                assert "//" not in attributes.get(name, ""), (path, tag)
            if tag == "link":
                own = attributes["rel"] == "canonical" or not attributes["href"].startswith("http")
                assert own, (path, attributes)


def test_each_page_has_a_head_for_readers_and_machines(built: BuiltSite) -> None:
    for path in built.pages():
        page = built.page(path)
        assert sum(tag == "h1" for tag, _ in page.tags) == 1, path
        names = {meta.get("name") or meta.get("property") for meta in page.metas}
        assert {"description", "viewport", "og:title", "og:description", "og:url"} <= names, path
        assert len(page.ids) == len(set(page.ids)), path
        tags = {tag for tag, _ in page.tags}
        assert {"header", "nav", "main", "footer"} <= tags, path
        assert ("a", "href", "#main") in page.links, path
    canonical = [a["href"] for t, a in built.page("entities/warsaw/index.html").tags if a.get("rel") == "canonical"]
    assert canonical == ["https://example.org/project/entities/warsaw/"]


def test_an_entity_page_states_its_facts_with_quotes_and_passages(built: BuiltSite) -> None:
    page = built.page("entities/warsaw/index.html")
    text = " ".join(page.text.split())
    assert "4 relations with 3 entities in 2 documents." not in text  # 3 facts: born in, lies on, capital of
    assert "3 relations with 3 entities in 2 documents." in text
    assert "Warsaw is the capital of Poland." in text
    assert ("a", "href", "../../documents/curie/index.html#p2") in page.links
    assert ("a", "href", "../../documents/warsaw/index.html#p3") in page.links
    assert "in 2 documents" in text


def test_inferred_facts_are_said_in_words(built: BuiltSite) -> None:
    assert "inferred by transitivity" in built.page("entities/vistula/index.html").text
    assert "inferred by transitivity" not in built.page("entities/passy/index.html").text


def test_a_quote_that_is_not_in_the_text_is_marked(site: BuiltSite) -> None:
    site.build(collection_of([Text("a.txt", "A", "Nothing of it.", (("Ada", "knows", "Charles"),))]))
    assert "not found word for word in the text" in site.page("entities/ada/index.html").text


def test_a_document_page_is_its_text(built: BuiltSite) -> None:
    page = built.page("documents/curie/index.html")
    for anchor in ("p1", "p2", "p3", "p4", "p5"):
        assert anchor in page.ids
    assert page.texts("h1").strip() == "Marie Curie"
    assert "Later" in page.texts("h3")
    assert "5 May 2024" not in page.text
    assert "1 May 2024" in page.text
    assert "The encoding was guessed." in page.text
    external = [a for tag, a in page.tags if tag == "a" and a["href"] == "https://example.org/curie"]
    assert len(external) == 2
    assert all("noopener" in a["rel"] and "nofollow" in a["rel"] for a in external)
    mentions = [a["href"] for tag, a in page.tags if tag == "a" and "mention" in a.get("class", "").split()]
    assert "../../entities/marie-curie/index.html" in mentions


def test_twins_say_what_pages_say(built: BuiltSite) -> None:
    twin = json.loads((built.output / "entities/warsaw/index.json").read_bytes())
    assert (twin["name"], twin["type"], len(twin["facts"])) == ("Warsaw", "place", 3)
    born = next(fact for fact in twin["facts"] if fact["predicate"] == "born in")
    assert [quote["href"] for quote in born["quotes"]] == ["documents/warsaw/#p3", "documents/curie/#p2"] or [
        quote["href"] for quote in born["quotes"]
    ] == ["documents/curie/#p2", "documents/warsaw/#p3"]
    document = json.loads((built.output / "documents/curie/index.json").read_bytes())
    assert (document["graph"], len(document["passages"])) == ("data/documents/curie/graph.json", 5)
    assert (built.output / document["graph"]).is_file()


def test_the_explorer_brings_its_graph_and_tables(built: BuiltSite) -> None:
    page = built.page("documents/warsaw/graph/index.html")
    graph = json.loads(page.islands["graph-data"])
    assert sorted(graph["nodes"]["name"]) == ["Marie Curie", "Poland", "Vistula", "Warsaw"]
    assert json.loads(page.islands["quote-data"])
    assert "capital of" in page.text


def test_machine_files(built: BuiltSite) -> None:
    sitemap = built.html("sitemap.xml")
    assert "<loc>https://example.org/project/entities/warsaw/</loc>" in sitemap
    assert "<loc>https://example.org/project/documents/warsaw/</loc><lastmod>2026-02-01</lastmod>" in sitemap
    assert "404" not in sitemap
    feed = built.html("feed.xml")
    assert "<updated>2026-03-01T00:00:00Z</updated>" in feed
    assert feed.index("Marie Curie") < feed.index("Warsaw")
    assert "CNAME" not in built.tree()  # example.org has other things beside /project/
    assert "Sitemap: https://example.org/project/sitemap.xml" in built.html("robots.txt")
    assert "https://example.org/project/entities/marie-curie/index.json" in built.html("llms.txt")


@pytest.mark.parametrize(
    ("base_url", "domain"),
    [
        ("https://graph.example.org", "graph.example.org\n"),
        ("https://graph.example.org/", "graph.example.org\n"),
        ("https://xn--bcher-kva.example", "xn--bcher-kva.example\n"),
        ("https://graph.example.org/project/", None),
        ("https://graph.example.org:8443", None),
        ("https://someone.github.io/project", None),
        ("https://someone.github.io", None),
        ("https://192.0.2.7", None),
        ("http://localhost:8000", None),
        ("", None),
    ],
)
def test_a_cname_only_for_an_own_domain(tmp_path: Path, base_url: str, domain: str | None) -> None:
    site = BuiltSite(tmp_path / "p", base_url=base_url)
    site.build(collection_of([WARSAW], TYPES))
    file = site.output / "CNAME"
    assert (file.read_text() if file.exists() else None) == domain


def test_a_plain_language_version_can_be_chosen(site: BuiltSite) -> None:
    site.build(collection_of([replace(WARSAW, rephrase="Warsaw is a big city.\n\nIt has a river.")], TYPES))
    page = site.page("documents/warsaw/index.html")
    assert "version-plain" in page.ids
    assert "It has a river." in page.text


def test_data_islands_hold_no_angle_brackets(built: BuiltSite) -> None:
    for path in built.pages():
        for body in re.findall(r'<script type="application/[^>]*>(.*?)</script>', built.html(path), re.DOTALL):
            assert not set("<>&\u2028\u2029") & set(body), path
            json.loads(body)


@pytest.mark.parametrize("language", ["de", "fr", "es", "nl", "it", "pt", "zh"])
def test_the_site_speaks_eight_languages(tmp_path: Path, language: str) -> None:
    site = BuiltSite(tmp_path / "p", language=language)
    site.build(small())
    page = site.page("about/index.html")
    assert ("html", language) in [(tag, a.get("lang")) for tag, a in page.tags]
    assert "About this graph" not in page.text
    assert "What the texts say" not in site.page("entities/warsaw/index.html").text


def test_sections_list_their_documents(site: BuiltSite) -> None:
    from kgsite.model import Block, Document, Source, SourcePath

    text = "Cities of Europe."
    source = Source(SourcePath("cities/_index.md"), "markdown", None)
    index = Document("x", source, text, (Block(0, len(text), "paragraph"),), title="Cities")
    site.build(small(), sections={"cities": index})
    page = site.page("sections/cities/index.html")
    assert "Cities of Europe." in page.text
    assert ("a", "href", "../../documents/warsaw/index.html") in page.links
    assert ("a", "href", "../../documents/curie/index.html") not in page.links
    assert ("a", "href", "../sections/cities/index.html") in site.page("documents/index.html").links


def test_unknown_dates_are_left_out(site: BuiltSite) -> None:
    site.build(collection_of([replace(CURIE, changed="", meta=FrontMatter())], TYPES))
    assert "<entry>" not in site.html("feed.xml")
    assert "0001-01-01" not in site.html("feed.xml")


def test_a_text_without_blocks_has_paragraphs(site: BuiltSite) -> None:
    collection = collection_of([WARSAW], TYPES)
    document = replace(collection.documents[0], blocks=())
    site.build(replace(collection, documents=(document,)))
    assert {"p1", "p2", "p3"} <= set(site.page("documents/warsaw/index.html").ids)


def test_rtl_and_cjk_names_carry_their_direction(site: BuiltSite) -> None:
    triples = (("تل أبيب", "near", "北京"), ("北京", "near", "🚀"))
    site.build(collection_of([Text("a.txt", "שלום", "תל אביב", triples, language="he")]))
    page = site.page("documents/a/index.html")
    assert ("article", {"lang": "he", "dir": "rtl"}) in page.tags
    assert broken_links(site) == []


def test_each_paragraph_has_a_link_to_itself(built: BuiltSite) -> None:
    page = built.page("documents/curie/index.html")
    own = [a["href"] for tag, a in page.tags if tag == "a" and a.get("class") == "para"]
    assert own == ["#p2", "#p3", "#p4", "#p5"]  # p1 is the title, shown once
    assert {href.removeprefix("#") for href in own} <= set(page.ids)
    assert 'class="para"' not in built.html("index.html")


def test_a_type_says_how_many_and_who(built: BuiltSite) -> None:
    assert "4 entities in 2 documents. Most connected: Warsaw, " in built.page("types/place/index.html").text


def test_methods_of_inference_are_counted(built: BuiltSite) -> None:
    assert '<dt dir="auto">Inferred by transitivity</dt><dd dir="auto">1</dd>' in built.html("about/index.html")


def test_a_site_without_documents_says_so(site: BuiltSite) -> None:
    site.build(collection_of([]))
    for path in ("index.html", "documents/index.html"):
        assert "No document has been published here yet." in site.page(path).text
    assert broken_links(site) == []


def test_the_landing_page_counts_themes_as_the_explorer_does(site: BuiltSite) -> None:
    collection = small()
    site.build(collection)
    script = (packaged_themes() / "default" / "static" / "js" / "summary.js").read_text("utf-8")
    assert "const isTheme = (community) => community.size > 1;" in script
    data = json.loads(site.page("graph/index.html").islands["graph-data"])
    themes = [community for community in data["communities"] if community["size"] > 1]
    assert len(themes) == sum(len(community.members) > 1 for community in collection.communities)


@pytest.mark.parametrize("text", ["", "x = 1", "# Empty", "Just words."])
def test_a_document_without_entities_links_to_no_list_of_them(site: BuiltSite, text: str) -> None:
    site.build(collection_of([WARSAW, Text("empty.md", "Empty", text, ())], TYPES))
    page = site.page("documents/empty/index.html")
    assert "entities" not in page.ids
    assert not [value for _, _, value in page.links if value.endswith("#entities")]
    assert broken_links(site) == []
    assert [v for _, _, v in site.page("documents/warsaw/index.html").links if v.endswith("#entities")]
