"""Every shape of FORMATS that a file may have, from small made-up ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgsite.errors import ImportGraphError
from kgsite.importers import recognise

ENTITY = {"name": "Ada", "type": "person"}
RECOGNISED = [
    ([{"subject": "a", "predicate": "b", "object": "c"}], "triples"),
    ({"triples": []}, "triples"),
    ([["a", "b", "c"]], "triples"),
    ({"consolidated": {"entities": []}}, "knwler-0.1"),
    ({"graph": {"entities": [], "communities": []}}, "knwler-1.0"),
    ({"graph": {"entities": [], "clusters": []}}, "knwler-1.1"),
    ({"graph": {"entities": []}, "documents": []}, "knwler-consolidated"),
    ({"graph": {"entities": [], "clusters": {}}, "content": "text"}, "knwler-dump"),
    ({"entities": [{"label": "Person", "text": "Ada"}]}, "plain"),
    ({"entities": [ENTITY], "relations": []}, "flat"),
    ({"entities": [{"label": "Person", "text": "Ada", "name": "Ada"}]}, "flat"),
    ({"nodes": [], "links": []}, "node-link"),
    ({"graph": {"nodes": {"a": {}}, "edges": []}}, "node-link"),
    ({"elements": {"nodes": [], "edges": []}}, "cytoscape"),
    ([{"graph": {"entities": []}}], "several"),
    ([ENTITY], "rows"),
    ([], "flat"),
    ({}, "flat"),
]


@pytest.mark.parametrize(("tree", "form"), RECOGNISED)
def test_recognised_by_content(tree: object, form: str, tmp_path: Path, imported) -> None:
    (tmp_path / "x.json").write_text(json.dumps(tree))
    assert recognise(tmp_path / "x.json") == form
    assert imported(tree).provenance.extractor.startswith(f"import:{form}")


@pytest.mark.parametrize("tree", [{"name": "x", "dependencies": {}}, [1, 2], 7, "text", None, [{"x": 1}]])
def test_other_json_is_refused_with_what_is_known(tree: object, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps(tree))
    with pytest.raises(ImportGraphError, match="no graph that kgsite knows") as raised:
        recognise(tmp_path / "x.json")
    assert "GraphRAG" in raised.value.hint
    assert raised.value.at is not None
    assert raised.value.at.file == "x.json"


def test_sidecars_and_other_folders_are_no_graphs(tmp_path: Path) -> None:
    for name in ("a.meta.json", "a.workspace.json"):
        (tmp_path / name).write_text("[[1, 2, 3]]")
        assert recognise(tmp_path / name) is None
    assert recognise(tmp_path) is None


def test_keys_found_are_named(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"name": "x", "version": 1}')
    with pytest.raises(ImportGraphError, match="it has the keys name, version"):
        recognise(tmp_path / "package.json")


# ── Knwler ────────────────────────────────────────────────────────────────────────────────────────
def knwler() -> dict:
    return {
        "id": "x",
        "title": "Notes",
        "language": "en",
        "schema": {"entity_types": ["person"], "relation_types": ["knows"], "reasoning": "r"},
        "graph": {
            "entities": [
                {"id": "1", "name": "Ada", "type": "person", "chunk_ids": ["c1"], "community_id": 7},
                {"id": "2", "name": "Ben", "type": "person", "chunk_ids": ["c2", "nowhere"], "community_id": 7},
                {"id": "3", "name": "Ben", "type": "river\u0007", "chunk_ids": ["c1"], "aliases": ["The Ben"]},
            ],
            "relations": [
                {"source": "Ada", "source_type": "person", "target": "ben", "type": "knows", "strength": 9,
                 "chunk_ids": ["c2"]},
                {"source": "ada", "target": "Ben", "target_type": "river", "type": "swims in", "strength": 0},
            ],
            "communities": [
                {"id": 7, "topics": ["Swimmers"], "description": "D", "members": ["Ada::person", "Cy::person", "Ben"]}
            ],
        },
        "chunks": [
            {"id": "c1", "chunk_idx": 0, "text": "Ada lives here and swims in the Ben. It rains often"},
            {"id": "c2", "chunk_idx": 1, "text": " It rains often. Ada knows Ben well."},
            {"id": "c2", "chunk_idx": 1, "text": " It rains often. Ada knows Ben well."},
        ],
    }  # fmt: skip


def test_knwler_is_read_with_its_dirt(imported) -> None:
    graph = imported(knwler())
    assert graph.text == "Ada lives here and swims in the Ben. It rains often. Ada knows Ben well."
    assert [part.chunk.text for part in graph.chunks] == [one["text"].rstrip() for one in knwler()["chunks"][:2]]
    assert [(one.source, one.target, one.target_type, one.strength) for one in graph.relations] == [
        ("Ada", "Ben", "person", 9.0),
        ("Ada", "Ben", "river", 1.0),
    ]
    assert graph.communities[0].id == 7
    assert graph.communities[0].members[0] == "Ada::person"
    assert [entity.community_id for entity in graph.entities] == [7, 7, None]
    assert graph.notes == (
        "1 name stands in the file under several types (Ben).",
        "1 type is used that the schema of the file does not declare (river).",
        "1 member of a community is no entity of the file and was left out.",
        "1 passage stands in the file twice and was kept once.",
        "1 reference to a passage that is not in the file was left out.",
        "1 relation came without a quote: it was given the sentence of its passage that names both ends.",
        "1 strength lies outside 1 to 10 and was set to the nearest.",
        "1 name or type held characters that can't be shown, which were removed or replaced.",
    )
    quote = graph.relations[0].evidence[0]
    assert quote.text == "Ada knows Ben well."
    assert quote.verified


def test_one_of_equal_names_is_chosen_by_the_passages_of_the_relation(imported) -> None:
    tree = knwler()
    tree["graph"]["relations"] = [{"source": "Ada", "target": "Ben", "type": "sees", "chunk_ids": ["c1"]}]
    assert imported(tree).relations[0].target_type == "river"


def test_several_documents_stand_under_their_own_headings(imported) -> None:
    tree = knwler()
    del tree["title"]
    tree["documents"] = [{"id": "d1", "title": "First"}, {"id": "d2", "title": "Second"}]
    for chunk, document in zip(tree["chunks"], ("d1", "d2", "d2"), strict=True):
        chunk["document"] = document
    graph = imported(tree)
    headings = [graph.text[block.start : block.end] for block in graph.blocks if block.kind == "heading"]
    assert headings == ["First", "Second"]
    assert [part.chunk.section for part in graph.chunks] == ["First", "Second"]
    assert graph.notes[-1].startswith("The file holds 2 documents")


def test_a_dump_with_its_whole_text(imported) -> None:
    graph = imported({"content": "Ada swims.\n\nBen swims too.", "graph": {"entities": [ENTITY], "clusters": {}}})
    assert graph.text == "Ada swims.\n\nBen swims too."
    assert [part.chunk.text for part in graph.chunks] == ["Ada swims.\n\nBen swims too."]


def test_kgsites_own_graph_keeps_all_but_its_address(imported, data: Path, load) -> None:
    from kgsite.graphfile import dump

    first = load(data / "triples/marie-curie.json")
    copy = imported(dump(first), name="copy.json")
    assert copy.id != first.id
    assert copy.provenance.extractor == "import:kgsite"
    assert copy.provenance.source == "copy.json"
    assert (copy.text, copy.blocks, copy.notes) == (first.text, first.blocks, first.notes)
    assert [one.name for one in copy.entities] == [one.name for one in first.entities]
    assert not {one.id for one in copy.entities} & {one.id for one in first.entities}
    assert {key for one in copy.relations for key in one.chunk_ids} <= {part.chunk.id for part in copy.chunks}


def test_a_knwler_reader_of_our_graph_gives_it_back(data: Path, load, tmp_path: Path) -> None:
    from kgsite.graphfile import dump

    first = load(data / "triples/marie-curie.json")
    tree = json.loads(dump(first))
    del tree["kgsite"]
    path = tmp_path / "marie-curie.json"
    path.write_text(json.dumps(tree))
    again = load(path)
    for name in ("id", "title", "summary", "language", "url", "schema", "entities", "relations", "communities"):
        assert getattr(again, name) == getattr(first, name), name
    assert again.text == first.text
    assert [part.chunk for part in again.chunks] == [part.chunk for part in first.chunks]


# ── plain, rows ───────────────────────────────────────────────────────────────────────────────────
def test_plain_documents(imported) -> None:
    graph = imported(
        {
            "entities": [
                {"label": "Person", "text": "Ada", "properties": {"born": 1815, "tags": ["a", "b"], "api_key": "k"}},
                {"label": "Company", "text": "Lumen"},
            ],
            "relations": [
                {"type": "WORKS_FOR", "source": "Ada", "target": "Lumen", "source_label": "Person",
                 "target_label": "Company"}
            ],
        }
    )  # fmt: skip
    assert graph.entities[0].type == "Person"
    assert graph.entities[0].attributes == {"born": "1815", "tags": "a, b"}
    assert graph.relations[0].target_type == "Company"
    assert graph.notes == ("1 value that looks secret was left out (api_key).",)


def test_json_lines_of_entities_and_relations(imported) -> None:
    graph = imported('{"name": "A"}\n\n{"name": "B"}\n{"source": "A", "target": "B", "type": "to"}\n', name="x.jsonl")
    assert len(graph.entities) == 2
    assert graph.relations[0].type == "to"


def test_json_lines_of_graphs_are_all_read(imported) -> None:
    graph = imported('{"entities": [{"name": "A"}]}\n{"entities": [{"name": "B"}]}\n', name="x.jsonl")
    assert [entity.name for entity in graph.entities] == ["A", "B"]
    assert graph.notes == ("The file holds 2 documents; they are shown as one, each under its own heading.",)


# ── nodes and edges ───────────────────────────────────────────────────────────────────────────────
def test_networkx_node_link(imported) -> None:
    import networkx as nx

    graph = nx.MultiDiGraph(name="Letters")
    graph.add_node(1, label="Ada", type="person", community=3, born=1815)
    graph.add_node("2", label="Lumen Works", type="company", community=4)
    graph.add_edge(1, "2", predicate="founded", weight=7, quote="x")
    found = imported(nx.node_link_data(graph, edges="links"))
    assert found.title == "Letters"
    assert [(one.name, one.type, one.community_id) for one in found.entities] == [
        ("Ada", "person", 3),
        ("Lumen Works", "company", 4),
    ]
    assert found.entities[0].attributes == {"born": "1815"}
    assert (found.relations[0].type, found.relations[0].strength) == ("founded", 7)
    assert found.notes == ("1 value was left out because kgsite has no field for it (quote).",)


def test_d3_groups_are_communities_when_they_are_numbers(imported) -> None:
    nodes = [{"id": "A", "group": 1}, {"id": "B", "group": 2}]
    links = [{"source": "A", "target": "B", "value": 3}]
    found = imported({"nodes": nodes, "links": links})
    assert [entity.community_id for entity in found.entities] == [1, 2]
    assert found.relations[0].strength == 3
    words = imported({"nodes": [{"id": "A", "group": "person"}], "links": []})
    assert words.entities[0].type == "person"


@pytest.mark.parametrize("listed", [True, False])
def test_cytoscape(imported, *, listed: bool) -> None:
    nodes = [{"data": {"id": "a", "label": "Ada"}, "position": {"x": 1}}, {"data": {"id": "b", "label": "Ben"}}]
    edges = [{"data": {"id": "e", "source": "a", "target": "b", "label": "knows"}}]
    found = imported({"elements": nodes + edges if listed else {"nodes": nodes, "edges": edges}})
    assert [(one.source, one.type, one.target) for one in found.relations] == [("Ada", "knows", "Ben")]
    assert not found.notes


# ── triples ───────────────────────────────────────────────────────────────────────────────────────
def test_newer_triples(tmp_path: Path, imported) -> None:
    (tmp_path / "talk.txt").write_text(
        "NASA was founded in 1958.\n\nLater the agency went to the Moon with NASA's Saturn."
    )
    row = {
        "subject": "nasa", "predicate": "founded in", "object": "1958", "subject_type": "organization", "chunk": 1,
        "evidence": [{"id": "e", "text": "NASA was founded in 1958", "start": 0, "end": 24, "page": 3, "status": "ok"}],
        "subject_aliases": ["the agency"], "time": "1958", "polarity": "positive",
    }  # fmt: skip
    inferred = {
        "subject": "nasa",
        "predicate": "at",
        "object": "moon",
        "inferred": True,
        "method": "transitive",
        "via": "saturn",
    }
    graph = imported([row, {**row, "chunk": 1}, inferred], name="talk.json")
    assert [entity.name for entity in graph.entities] == ["1958", "moon", "NASA"]
    nasa = graph.entities[2]
    assert nasa.aliases == ("the agency",)
    assert nasa.type == "organization"
    stated = next(one for one in graph.relations if not one.inferred)
    assert stated.description == "time: 1958"
    assert [(quote.verified, quote.start, quote.end) for quote in stated.evidence] == [(True, 0, 24)]
    other = next(one for one in graph.relations if one.inferred)
    assert (other.method, other.via) == ("transitive", "saturn")
    assert graph.notes == ("1 relation repeats another one and was united with it.",)
    assert len(graph.chunks) == 1


def test_triples_without_their_text_keep_quotes_as_unverified(imported) -> None:
    row = {"subject": "a", "predicate": "b", "object": "c", "source": "A sentence about a and c.", "chunk": 2}
    graph = imported([row])
    assert graph.text == ""
    assert graph.relations[0].evidence[0].text == "A sentence about a and c."
    assert not graph.relations[0].evidence[0].verified
    assert graph.notes == ("1 quote can't be checked because the text is not there.",)


def test_a_damaged_sidecar_is_told(tmp_path: Path, imported) -> None:
    (tmp_path / "graph.meta.json").write_text("{")
    graph = imported([["a", "b", "c"]])
    assert graph.notes[0].startswith("A sidecar can't be read and was left out")


def test_front_matter_of_the_toml_sidecar_wins(imported) -> None:
    from kgsite.model import FrontMatter

    meta = FrontMatter(title="Mine", language="de", license="CC0-1.0", url="https://example.org/")
    graph = imported({**knwler(), "url": "https://other.example/"}, meta=meta)
    assert (graph.title, graph.language, graph.url) == ("Mine", "de", "https://example.org/")
    assert graph.meta.license == "CC0-1.0"


def test_only_web_addresses_become_links(imported) -> None:
    assert imported({**knwler(), "url": "javascript:alert(1)"}).url is None


def test_names_that_only_relations_use_are_marked(imported) -> None:
    graph = imported({"entities": [ENTITY], "relations": [{"source": "Ada", "target": "Ghost", "type": "sees"}]})
    assert [(one.name, dict(one.attributes)) for one in graph.entities] == [("Ada", {}), ("Ghost", {"described": "no"})]
