"""Things and facts of several documents: what becomes one, what stays apart, and that nothing is lost."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kgsite.collection import Permalinks
from kgsite.errors import ConfigError
from kgsite.model import Collection, DocumentGraph

Collect = Callable[..., Collection]
Doc = Callable[..., DocumentGraph]


def names(collection: Collection) -> list[str]:
    return sorted(one.name for one in collection.entities)


def test_one_thing_of_many_documents(collect: Collect, doc: Doc) -> None:
    collection = collect(
        doc("a.md", ["Marie Curie / person", "radium / concept"], ["Marie Curie > discover > radium | She found it."]),
        doc("b.md", ["MARIE CURIE / Person", "Radium / element"], ["MARIE CURIE > Discover > Radium | Radium, 1898."]),
        doc("c.md", ["Marie  Curie / scientist"]),
    )
    curie, radium = sorted(collection.entities, key=lambda one: one.key)
    assert (curie.name, curie.type, curie.other_types) == ("Marie Curie", "Person", ("scientist",))
    assert len(curie.documents) == 3
    assert len(curie.descriptions) == 3
    assert (radium.key, radium.other_types) == ("radium", ("element",))
    (fact,) = collection.facts
    assert [quote.evidence.text for quote in fact.evidence] == ["She found it.", "Radium, 1898."]
    assert len(fact.documents) == 2
    assert len(collection.entity_of) == 5


def test_the_order_of_documents_does_not_matter(collect: Collect, doc: Doc) -> None:
    graphs = [
        doc("a.md", ["X / person", "Y / place"], ["X > live in > Y"]),
        doc("b.md", ["x / organization", "Z / date"], ["x > begin > Z"]),
        doc("c.md", ["y / city", "engines / concept"], ["y > need > engines"]),
        doc("d.md", ["engine / concept", "Z / event"], ["engine > stop > Z"]),
    ]
    results = [collect(*order) for order in itertools.permutations(graphs)]
    assert all(result == results[0] for result in results)
    assert names(results[0]) == ["X", "Y", "Z", "engine"]


def test_no_edge_is_dropped_because_of_a_type(collect: Collect, doc: Doc) -> None:
    collection = collect(
        doc("a.md", ["IBM / company", "IBM / organization", "PC / product"], ["IBM > make > PC"]),
        doc("b.md", ["IBM / business", "Rome / place"], ["IBM > sit in > Rome"]),
    )
    assert names(collection) == ["IBM", "PC", "Rome"]
    assert len(collection.facts) == 2


def test_ends_that_no_entity_is_become_things(collect: Collect, doc: Doc) -> None:
    collection = collect(doc("a.md", ["Ada / person"], ["Ada > know > Babbage"]))
    assert names(collection) == ["Ada", "Babbage"]
    assert len(collection.facts) == 1


def test_bare_names_of_a_person_and_a_place_stay_apart(collect: Collect, doc: Doc) -> None:
    collection = collect(
        doc("a.md", ["Jordan / person", "Rome / place"], ["Jordan > visit > Rome"]),
        doc("b.md", ["Jordan / place", "Asia / place"], ["Jordan > lie in > Asia"]),
        doc("c.md", ["Jordan / country"]),
    )
    assert [one.key for one in collection.entities if one.name == "Jordan"] == ["jordan", "jordan#person"]
    assert {one.slug for one in collection.entities if one.name == "Jordan"} == {"jordan", "jordan-person"}
    assert {fact.source for fact in collection.facts} == {"jordan", "jordan#person"}


def test_articles_and_plurals_across_documents(collect: Collect, doc: Doc) -> None:
    collection = collect(
        doc("a.md", ["steam engines / technology", "The Beatles / organization", "Williams / person"]),
        doc("b.md", ["steam engine / technology", "Beatles / organization", "William / person"]),
        doc("c.md", ["steam engine / concept"]),
    )
    assert names(collection) == ["Beatles", "William", "Williams", "steam engine"]
    assert next(one for one in collection.entities if one.name == "steam engine").aliases == ("steam engines",)


@pytest.mark.parametrize(
    "pair", [("C", "C++"), ("C", "C#"), ("Apollo 11", "Apollo 12"), ("Cafe", "Café"), ("The Who", "WHO")]
)
def test_different_things_stay_apart(collect: Collect, doc: Doc, pair: tuple[str, str]) -> None:
    collection = collect(*(doc(f"{n}.md", [f"{name} / concept"]) for n, name in enumerate(pair)))
    assert len({one.slug for one in collection.entities}) == 2


def test_an_alias_unites_when_nothing_else_is_called_so(collect: Collect, doc: Doc) -> None:
    long = doc("a.md", ["International Business Machines / organization / IBM, Big Blue"])
    short = doc("b.md", ["IBM / organization", "PC / product"], ["IBM > make > PC"])
    united = collect(long, short)
    assert len(united.entities) == 2
    other = doc("c.md", ["Institute of Bricks / organization / IBM"])
    assert len(collect(long, short, other).entities) == 4


def test_a_surname_never_unites_across_documents(collect: Collect, doc: Doc) -> None:
    collection = collect(doc("a.md", ["Marie Curie / person / Curie"]), doc("b.md", ["Curie / person"]))
    assert names(collection) == ["Curie", "Marie Curie"]


def test_short_aliases_must_be_written_alike(collect: Collect, doc: Doc) -> None:
    world = doc("a.md", ["World Health Organization / organization / WHO"])
    assert len(collect(world, doc("b.md", ["Who / organization"])).entities) == 2
    assert len(collect(world, doc("b.md", ["WHO / organization"])).entities) == 1


def test_look_alike_letters_are_noted_not_united(collect: Collect, doc: Doc) -> None:
    collection = collect(doc("a.md", ["Lumen Works / organization", "Lum\u0435n Works / organization"]))
    assert len(collection.entities) == 2
    assert any("written alike" in note for note in collection.notes)
    assert len({one.slug for one in collection.entities}) == 2


def test_composed_and_decomposed_are_one(collect: Collect, doc: Doc) -> None:
    collection = collect(doc("a.md", ["Ren\u00e9e"]), doc("b.md", ["Rene\u0301e"]))
    assert len(collection.entities) == 1


def test_names_that_clash_in_case_and_accents(collect: Collect, doc: Doc) -> None:
    data = json.loads(Path(__file__).with_name("data").joinpath("case-clash.json").read_text())
    collection = collect(doc("a.md", [one["name"] for one in data["entities"]]))
    assert len(collection.entities) == 14  # Apple in three cases, C in two, Café in two Unicode forms
    assert len({one.slug.casefold() for one in collection.entities}) == 14


def test_a_united_name_leaves_a_redirect_and_the_known_address_stays(collect: Collect, doc: Doc) -> None:
    links = Permalinks()
    plural = doc("a.md", ["steam engines / technology"])
    collect(plural, permalinks=links)
    both = (plural, doc("b.md", ["steam engine / technology"]), doc("c.md", ["steam engine / technology"]))
    united = collect(*both, permalinks=links)
    assert [(one.name, one.slug) for one in united.entities] == [("steam engine", "steam-engines")]
    assert united == collect(*both, permalinks=Permalinks.load(links.dump()))


def test_a_name_that_becomes_an_alias_redirects(collect: Collect, doc: Doc) -> None:
    links = Permalinks()
    collect(doc("a.md", ["Curie / person", "Marie Curie / person"]), permalinks=links)
    collection = collect(doc("a.md", ["Marie Curie / person / Curie"]), permalinks=links)
    assert collection.redirects == {"entities/curie": "entities/marie-curie"}


def test_files_side_by_side_have_their_own_addresses(collect: Collect, doc: Doc) -> None:
    paths = ["INDEX.md", "index.md", "con.md", "a.md", "A.md", "a.txt", "x/a.md"]
    collection = collect(*(doc(path, []) for path in paths))
    slugs = list(collection.document_slugs.values())
    assert len({slug.casefold() for slug in slugs}) == len(paths)
    assert "a" in slugs


def test_two_documents_that_choose_one_slug_are_an_error(collect: Collect, doc: Doc) -> None:
    with pytest.raises(ConfigError, match="slug"):
        collect(doc("a.md", [], slug="report"), doc("b.md", [], slug="Report"))


def test_measures_and_communities(collect: Collect, doc: Doc) -> None:
    star = [f"Hub > see > Leaf {letter}x" for letter in "abcd"]
    pair = ["Left side > see > Right side"]
    collection = collect(doc("a.md", ["Alone"], [*star, *pair]))
    by_name = {one.name: one for one in collection.entities}
    assert (by_name["Hub"].degree, by_name["Hub"].betweenness) == (4, pytest.approx(6 / 21, abs=1e-5))
    assert by_name["Hub"].pagerank == max(one.pagerank for one in collection.entities)
    assert sum(one.pagerank for one in collection.entities) == pytest.approx(1, abs=1e-4)
    assert by_name["Alone"].community is None
    assert [len(one.members) for one in collection.communities] == [5, 2]
    first = collection.communities[0]
    assert first.members[0] == "hub"
    assert (first.name, first.slug) == ("Hub and Leaf ax", "hub-and-leaf-ax")
    assert first.description == "5 entities around Hub, Leaf ax and Leaf bx"


def test_an_empty_collection(collect: Collect, doc: Doc) -> None:
    assert collect().entities == ()
    assert collect(doc("a.md", [])).facts == ()


def test_relations_of_a_thing_to_itself_are_told(collect: Collect, doc: Doc) -> None:
    collection = collect(doc("a.md", ["engine / concept", "engines / concept"], ["engine > is > engines"]))
    assert collection.facts == ()
    assert collection.notes == ("Left out as relations of a thing to itself: 1.",)


def test_hostile_names_have_pages(collect: Collect, doc: Doc) -> None:
    strange = ["constructor", "__proto__", "</script><script>1", "{{7*7}}", "\u202eabc", "x" * 5000, "", "\u200b"]
    collection = collect(doc("a.md", strange))
    assert len({one.slug for one in collection.entities}) == len(collection.entities) == 7
