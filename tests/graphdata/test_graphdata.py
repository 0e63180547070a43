"""The graph files: read back column by column as the explorer does."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import accumulate
from types import ModuleType
from typing import Any

import pytest

from kgsite.collection.layout import layouts, plan
from kgsite.model import Collection, CollectionCommunity, Evidence, FactEvidence, Slug
from kgsite.site import graphdata
from kgsite.site.graphdata import GraphSource, community_colors, type_shape


def strict(data: bytes) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    return json.loads(data.decode("utf-8"), parse_constant=refuse)


def triples(graph: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    nodes, edges = graph["nodes"], graph["edges"]
    sources = accumulate(edges["source"])
    return [
        (nodes["slug"][s], graph["predicates"][p], nodes["slug"][t], graph["methods"][m])
        for s, t, p, m in zip(sources, edges["target"], edges["predicate"], edges["method"], strict=True)
    ]


def test_a_document_in_columns(ada: Collection) -> None:
    found = GraphSource(ada).document("d1")
    graph = strict(found.graph_json())
    assert graph["format"] == 1
    assert (graph["scope"], graph["title"]) == ("document", "Ada's <life>")
    nodes = graph["nodes"]
    assert nodes["slug"] == ["ada", "babbage", "note-g"]  # by degree, then slug
    assert nodes["name"] == ["Ada", "</script><b>Babbage", "Note\ufffd G"]
    assert nodes["degree"] == [2, 2, 2]
    assert nodes["aliases"] == {"0": ["Countess"]}
    assert nodes["community"] == [0, 1, 0]
    assert [graph["types"][t]["name"] for t in nodes["type"]] == ["person", "person", "work"]
    assert graph["types"] == [
        {"name": "person", "label": "Person", "shape": 4, "count": 2},
        {"name": "work", "label": "Work", "shape": 7, "count": 1},
    ]
    assert triples(graph) == [
        ("ada", "wrote", "note-g", ""),
        ("babbage", "knew", "ada", ""),
        ("babbage", "read", "note-g", "transitive"),
    ]
    assert graph["edges"]["strength"] == [5, 8, 5]
    assert graph["edges"]["quotes"] == [2, 0, 0]  # the quote from the other document is not of this graph
    assert graph["total"] == {"nodes": 3, "edges": 3}
    layout = ada.layouts["d1"]
    place = dict(zip(layout.keys, zip(layout.x, layout.y, strict=True), strict=True))
    assert list(zip(nodes["x"], nodes["y"], strict=True)) == [place["ada"], place["babbage"], place["note g"]]
    assert graph["unit"] == layout.unit > 0


def test_quotes_lead_to_their_passage_verified_first(ada: Collection) -> None:
    found = GraphSource(ada).document("d1")
    assert strict(found.shard_json(0)) == strict(found.all_quotes_json())
    assert strict(found.shard_json(0)) == {
        "0": [
            {"text": "Ada wrote Note G.", "doc": 0, "page": 2, "chunk": "c1", "href": "documents/ada%27s/#p2", "verified": True},
            {"text": "unverified words", "doc": 0, "page": None, "chunk": "", "href": "documents/ada%27s/", "verified": False},
        ]
    }  # fmt: skip


def test_communities_of_a_document_take_slug_and_colour_from_the_collection(ada: Collection) -> None:
    colors = community_colors(ada)
    first, second = strict(GraphSource(ada).document("d1").graph_json())["communities"]
    assert (first["name"], first["slug"], first["size"], first["top"], first["color"]) == (
        "Notes",
        "notes",
        2,
        [0, 2],
        colors[0],
    )
    assert (second["name"], second["slug"], second["color"]) == ("Engines", "engines", colors[1])


def test_the_collection_names_its_documents(ada: Collection) -> None:
    found = GraphSource(ada, label=str.upper, title=lambda document: document.id).collection()
    graph = strict(found.graph_json())
    assert graph["scope"] == "collection"
    assert graph["edges"]["quotes"] == [2, 1, 0]
    assert graph["documents"] == [{"slug": "ada's", "title": "d1"}, {"slug": "b", "title": "d2"}]
    assert [record["label"] for record in graph["types"]] == ["PERSON", "WORK"]
    assert [quote["doc"] for rows in found.quotes[0].values() for quote in rows] == [0, 0, 1]


def test_a_community_holds_only_its_own_facts(ada: Collection) -> None:
    graph = strict(GraphSource(ada).community(ada.communities[0]).graph_json())
    assert graph["scope"] == "community"
    assert triples(graph) == [("ada", "wrote", "note-g", "")]
    assert graph["nodes"]["degree"] == [1, 1]


def test_many_quotes_are_counted_but_not_all_listed(ada: Collection) -> None:
    many = tuple(FactEvidence("d1", Evidence(f"quote {n}")) for n in range(80))
    facts = (replace(ada.facts[0], evidence=many), *ada.facts[1:])
    found = GraphSource(replace(ada, facts=facts)).document("d1")
    assert found.graph["edges"]["quotes"][0] == 80  # type: ignore[index]
    assert len(found.quotes[0]["0"]) == 50


def test_quotes_are_in_the_shard_of_their_source(make_graph: ModuleType) -> None:
    collection = make_graph.collection(make_graph.make(600))
    found = GraphSource(replace(collection, layouts=layouts(collection, {}))).collection()
    sources = list(accumulate(found.graph["edges"]["source"]))  # type: ignore[index]
    assert sorted(found.quotes) == [0, 1, 2]
    for shard, edges in found.quotes.items():
        assert {sources[int(edge)] // 256 for edge in edges} == {shard}
    assert sum(map(len, found.quotes.values())) == sum(1 for fact in collection.facts if fact.evidence)


def test_a_large_collection_is_a_map(make_graph: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "MAP_LIMIT", 50)
    monkeypatch.setattr(graphdata, "MAP_LIMIT", 50)
    collection = make_graph.collection(make_graph.make(200))
    source = GraphSource(replace(collection, layouts=layouts(collection, {})))
    graph = strict(source.collection(data=lambda c: f"../{c.slug}.json").graph_json())
    assert graph["scope"] == "map"
    assert graph["nodes"]["slug"] == graph["edges"]["source"] == []
    assert graph["total"] == {"nodes": 200, "edges": len(collection.facts)}
    assert [c["data"] for c in graph["communities"]] == [f"../{c.slug}.json" for c in collection.communities]
    assert all(c["r"] > 0 for c in graph["communities"])
    between = [f for f in collection.facts if home(collection, f.source) != home(collection, f.target)]
    assert sum(graph["links"]["weight"]) == len(between)
    assert all(a < b for a, b in zip(graph["links"]["source"], graph["links"]["target"], strict=True))


def home(collection: Collection, key: str) -> int | None:
    return next(entity.community for entity in collection.entities if entity.key == key)


def test_an_empty_collection_is_an_empty_graph() -> None:
    graph = strict(GraphSource(Collection((), {}, (), (), (), {})).collection().graph_json())
    assert graph["nodes"]["slug"] == graph["communities"] == graph["documents"] == []
    assert graph["total"] == {"nodes": 0, "edges": 0}


def test_types_keep_their_shape() -> None:
    assert [type_shape(name) for name in ("Person", "organization", "PLACE", "event", "technology")] == [4, 3, 5, 2, 8]
    assert [type_shape(name) for name in ("product", "work", "date", "concept")] == [6, 7, 1, 0]
    assert type_shape("Research_Field") == type_shape("research  field")
    assert {type_shape(f"type {n}") for n in range(300)} == set(range(10))


def community(number: int, slug: str) -> CollectionCommunity:
    return CollectionCommunity(number, Slug(slug), slug, (), "", ())


def test_colours_follow_the_slug_not_the_rank() -> None:
    names = [f"topic-{n}" for n in range(20)]
    first = Collection((), {}, (), (), tuple(community(n, name) for n, name in enumerate(names)), {})
    turned = Collection(
        (), {}, (), (), tuple(community(n, name) for n, name in enumerate([*reversed(names[:12]), *names[12:]])), {}
    )
    before = {names[number]: color for number, color in community_colors(first).items()}
    after = {turned.communities[number].slug: color for number, color in community_colors(turned).items()}
    assert before == after
    assert sorted(before.values()) == list(range(12))
