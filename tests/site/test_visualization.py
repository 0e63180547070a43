"""The settings of [visualization], as docs/configuration.md describes them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from kgsite.config.settings import VisualizationSettings
from kgsite.model import Collection
from kgsite.site.naming import is_lowered, title
from tests.site.collections import CURIE, Text, collection_of, small
from tests.site.sites import BuiltSite

LOWERED = Text(
    "triples.txt",
    "Triples",
    "",
    (
        ("marie curie", "born in", "warsaw"),
        ("marie curie", "studied at", "university of paris"),
        ("marie curie", "discovered", "radium"),
        ("pierre curie", "worked at", "university of paris"),
    ),
)


def built(site: BuiltSite, collection: Collection, **choices: object) -> BuiltSite:
    site.settings = replace(site.settings, visualization=VisualizationSettings(**choices))  # type: ignore[arg-type]
    site.build(collection)
    return site


def names(site: BuiltSite) -> set[str]:
    return set(json.loads(site.page("graph/index.html").islands["graph-data"])["nodes"]["name"])


def test_names_of_a_lowered_source_are_shown_in_title_case(site: BuiltSite) -> None:
    built(site, collection_of([LOWERED]))
    assert names(site) == {"Marie Curie", "Pierre Curie", "Warsaw", "University of Paris", "Radium"}
    assert site.page("entities/marie-curie/index.html").texts("h1").strip() == "Marie Curie"
    assert "marie curie" not in site.page("entities/index.html").text


def test_names_of_other_sources_stay_as_they_are(site: BuiltSite) -> None:
    built(site, small())
    assert {"polonium", "radium", "Marie Curie"} <= names(site)
    assert not is_lowered(small().documents[0])


def test_a_thing_that_any_other_source_names_stays_as_it_is(site: BuiltSite) -> None:
    built(site, collection_of([LOWERED, CURIE]))
    assert {"radium", "polonium", "Marie Curie", "University of Paris", "Warsaw"} <= names(site)


@pytest.mark.parametrize(("choice", "radium"), [(True, "Radium"), (False, "radium")])
def test_title_case_always_and_never(site: BuiltSite, choice: bool, radium: str) -> None:
    built(site, small(), title_case=choice)
    assert radium in names(site)
    if not choice:
        built(site, collection_of([LOWERED]), title_case=False)
        assert "marie curie" in names(site)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("the king of spain", "The King of Spain"),
        ("iPhone", "iPhone"),
        ("x-ray", "X-ray"),
        ("“quoted” words", "“Quoted” Words"),
        ("straße", "Straße"),
        ("ßtrange", "ßtrange"),
        ("東京", "東京"),
        ("<b>bold</b>", "<B>bold</b>"),
        ("москва", "Москва"),
        ("", ""),
    ],
)
def test_title_case_of_a_name(name: str, shown: str) -> None:
    assert title(name) == shown


def test_communities_have_names_or_numbers(site: BuiltSite) -> None:
    assert "Marie Curie" in built(site, small()).page("communities/index.html").texts("h3")
    assert "Community 1" in built(site, small(), name_communities=False).page("communities/index.html").texts("h3")
    graph = json.loads(site.page("graph/index.html").islands["graph-data"])
    assert [c["name"] for c in graph["communities"]] == ["Community 1", "Community 2"]


@pytest.mark.parametrize(("theme", "attribute"), [("auto", None), ("light", "light"), ("dark", "dark")])
def test_the_colours_at_the_start(site: BuiltSite, theme: str, attribute: str | None) -> None:
    page = built(site, small(), theme=theme).page("index.html")
    assert [a.get("data-theme") for tag, a in page.tags if tag == "html"] == [attribute]


def test_the_start_of_the_explorer(site: BuiltSite) -> None:
    def state(**choices: object) -> tuple[str, ...]:
        page = built(site, small(), **choices).page("graph/index.html")
        (explorer,) = [a for _, a in page.tags if a.get("id") == "explorer"]
        return explorer["data-edge-labels"], explorer["data-show-inferred"], explorer["data-parallel"]

    assert state() == ("selection", "yes", "together")
    assert state(edge_labels="none", show_inferred=False, collapse_parallel_edges=False) == ("none", "no", "apart")
