"""Each format is read by a real consumer, and holds what the graph holds."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from kgsite.errors import UsageError
from kgsite.exporters import FORMATS, export, extracted_only
from kgsite.exporters.columns import EDGE_COLUMNS, NODE_COLUMNS, values
from kgsite.exporters.csv_tables import safe_cell
from kgsite.exporters.table import Table, table_of
from kgsite.model import Collection, DocumentGraph
from tests.exporters.graphs import HOSTILE, collection, document, settings

Subject = Collection | DocumentGraph


@pytest.fixture(params=["document", "collection"])
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Subject:
    return document() if request.param == "document" else collection(tmp_path)


def made(subject: Subject, form: str, root: Path) -> dict[str, bytes]:
    return export(subject, form, settings=settings(root))


@pytest.mark.parametrize("form", [name for name in FORMATS if name != "html"])
def test_equal_graphs_give_equal_bytes(form: str, subject: Subject, tmp_path: Path) -> None:
    first, again = made(subject, form, tmp_path), made(subject, form, tmp_path)
    assert first == again
    assert tuple(first) == FORMATS[form].files


def test_an_unknown_format_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="dot") as caught:
        made(document(), "dot", tmp_path)
    assert "graphml" in caught.value.hint


# ── GraphML, GEXF, GML ────────────────────────────────────────────────────────────────────────────
def read_gml(file: io.BytesIO) -> Any:
    graph = nx.read_gml(file)
    return nx.relabel_nodes(graph, {node: data["key"] for node, data in graph.nodes(data=True)})


READERS: dict[str, Callable[[io.BytesIO], Any]] = {"graphml": nx.read_graphml, "gexf": nx.read_gexf, "gml": read_gml}


@pytest.mark.parametrize("form", READERS)
def test_networkx_reads_the_same_nodes_edges_and_attributes(form: str, subject: Subject, tmp_path: Path) -> None:
    (data,) = made(subject, form, tmp_path).values()
    graph = READERS[form](io.BytesIO(data))
    table = table_of(subject, settings(tmp_path))
    assert graph.is_directed()
    assert set(graph.nodes) == {node.id for node in table.nodes}
    name = "name" if form == "gml" else "label"
    for node in table.nodes:
        wanted = {(name if c.name == "label" else c.name): v for c, v in values(NODE_COLUMNS, node)}
        assert {key: graph.nodes[node.id].get(key) for key in wanted} == wanted
    assert edges_of(graph) == wanted_edges(table)


def edges_of(graph: Any) -> list[tuple[Any, ...]]:
    rows = []
    for source, target, data in graph.edges(data=True):
        attributes = {column.name: data.get(column.name) for column in EDGE_COLUMNS}
        attributes["inferred"] = bool(attributes["inferred"])
        rows.append((source, target, tuple(sorted((k, str(v)) for k, v in attributes.items() if v is not None))))
    return sorted(rows)


def wanted_edges(table: Table) -> list[tuple[Any, ...]]:
    return sorted(
        (edge.source, edge.target, tuple(sorted((c.name, str(v)) for c, v in values(EDGE_COLUMNS, edge))))
        for edge in table.edges
    )


def test_gml_labels_are_unique_where_names_are_not(tmp_path: Path) -> None:
    from dataclasses import replace

    graph = document()
    twins = tuple(replace(graph.entities[0], type=kind, id=f"e-{kind}") for kind in ("person", "ship", "ship "))
    graph = replace(graph, entities=(*twins, *graph.entities[1:]))
    (data,) = made(graph, "gml", tmp_path).values()
    read = nx.read_gml(io.BytesIO(data))
    assert [read.nodes[n]["name"] for n in read.nodes].count("Ada Northgate") == 3
    assert "Ada Northgate (person)" in read.nodes


def test_gexf_has_the_positions_of_the_site(tmp_path: Path) -> None:
    (data,) = made(collection(tmp_path), "gexf", tmp_path).values()
    graph = nx.read_gexf(io.BytesIO(data))
    assert all("position" in graph.nodes[node]["viz"] for node in graph.nodes)


# ── CSV ───────────────────────────────────────────────────────────────────────────────────────────
def rows_of(data: bytes) -> list[dict[str, str]]:
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_no_cell_of_a_table_is_a_formula(subject: Subject, tmp_path: Path) -> None:
    files = made(subject, "csv", tmp_path)
    for data in files.values():
        assert all(not re.match(r"\s*[=+\-@＝＋－＠\t\r\n]", cell) for row in rows_of(data) for cell in row.values())
        assert data.count(b"\n") == len(rows_of(data)) + 1, "one line a row"
    nodes = rows_of(files["nodes.csv"])
    assert {"'" + HOSTILE[0], "'-2", "'@SUM(A1)", "'＝1"} <= {row["name"] for row in nodes}


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("a", "a"),
        ("=1", "'=1"),
        (" =1", "' =1"),
        ("\t=1", "' =1"),
        (None, ""),
        (True, "true"),
        (-2, "-2"),
        ("a\nb", "a b"),
    ],
)
def test_cells(value: object, cell: str) -> None:
    assert safe_cell(value) == cell


def test_the_tables_hold_the_graph(tmp_path: Path) -> None:
    files = made(document(), "csv", tmp_path)
    nodes, edges, triples = (rows_of(files[f"{name}.csv"]) for name in ("nodes", "edges", "triples"))
    assert (len(nodes), len(edges), len(triples)) == (15, 16, 16)
    ids = {row["id:ID"] for row in nodes}
    assert all(row[":START_ID"] in ids and row[":END_ID"] in ids for row in edges)
    inferred = [row for row in triples if row["inferred"] == "true"]
    assert [(row["subject"], row["predicate"], row["object"], row["method"], row["via"]) for row in inferred] == [
        ("Ada Northgate", "located in", "Port Meridian", "transitive", "Lumen Works")
    ]
    assert triples[0] == {
        "subject": "Ada Northgate",
        "predicate": "founded",
        "object": "Lumen Works",
        "subject_type": "person",
        "object_type": "organization",
        "inferred": "false",
        "method": "",
        "via": "",
        "chunk": "1",
        "document": "Lamps of Port Meridian",
        "source": "lamps.txt",
    }


# ── Cypher ────────────────────────────────────────────────────────────────────────────────────────
def test_a_database_takes_the_cypher_twice_and_has_everything_once(subject: Subject, tmp_path: Path) -> None:
    import kglite

    (data,) = made(subject, "cypher", tmp_path).values()
    statements = data.decode().removesuffix(";\n").split(";\n")
    table = table_of(subject, settings(tmp_path))
    database = kglite.KnowledgeGraph()
    for _ in range(2):
        for statement in statements:
            database.cypher(statement)
        nodes = list(database.cypher("MATCH (n) RETURN count(n) AS found"))
        edges = list(database.cypher("MATCH ()-[r]->() RETURN count(r) AS found"))
        assert (nodes, edges) == ([{"found": len(table.nodes)}], [{"found": len(table.edges)}])
    rows = database.cypher(
        "MATCH (n:Entity) RETURN n.id AS id, n.name AS name, n.description AS said, labels(n) AS labels"
    )
    found = {row["id"]: row for row in rows}
    for node in table.nodes:
        row = found[node.id]
        assert (row["name"], row["said"] or "") == (node.name, node.description)
        assert sorted(row["labels"]) == sorted(["Entity", node.type])
    rows = database.cypher(
        "MATCH (a)-[r]->(b) RETURN a.id AS a, b.id AS b, type(r) AS type, r.predicate AS predicate, r.evidence AS quotes"
    )
    assert sorted(map(str, ([*row.values()] for row in rows))) == sorted(
        str([edge.source, edge.target, edge.predicate, edge.predicate, [quote.text for quote in edge.quotes] or None])
        for edge in table.edges
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [("a`b", "`a``b`"), ("", "`RELATED`"), ("a\n b", "`a b`"), ("\\u0060", "`/u0060`")],
)
def test_names_in_cypher(text: str, written: str) -> None:
    from kgsite.exporters.cypher import name

    assert name(text, "RELATED") == written


# ── JSON-LD ───────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated")  # rdflib's own parser uses it
def test_rdflib_reads_the_expected_triples(tmp_path: Path) -> None:
    import rdflib

    (data,) = made(document(), "jsonld", tmp_path).values()
    graph = rdflib.Graph().parse(data=data, format="json-ld")
    described = sum(bool(entity.description) for entity in document().entities)
    document_triples = 5  # type, name, language, licence, url
    entities = 15 * 6 + described + 2  # 2 types, 2 names, additional type, subjectOf; aliases as two labels
    facts = 16  # each once as a plain triple
    statements = 16 * 6 + 15 + 2  # type, s, p, o, inferred, strength; descriptions; method and via
    quotes = 3 * 5 + 2  # citation, type, text, isPartOf, verified; two have a page
    communities = 2 * 2 + 1 + 3  # type, label; one description; three members
    predicates = 15 * 2  # type and label of each
    assert len(graph) == document_triples + entities + facts + statements + quotes + communities + predicates
    schema = rdflib.Namespace("https://schema.org/")
    names = {str(name) for name in graph.objects(None, schema.name)}
    assert {"Ada Northgate", HOSTILE[5], "Ünï 🚀 日本"} <= names
    assert (rdflib.URIRef("https://example.org/source")) in set(graph.objects(None, schema.url))


def test_ids_are_the_sites_own_addresses(tmp_path: Path) -> None:
    (data,) = made(collection(tmp_path), "jsonld", tmp_path).values()
    ids = {row["@id"] for row in json.loads(data)["@graph"]}
    assert {"https://example.org/lamps/entities/ada-northgate/", "https://example.org/lamps/documents/lamps/"} <= ids
    (data,) = export(collection(tmp_path), "jsonld", settings=settings(tmp_path, base_url="")).values()
    assert all(row["@id"].startswith("urn:kgsite:") for row in json.loads(data)["@graph"])


# ── JSON ──────────────────────────────────────────────────────────────────────────────────────────
def test_a_document_comes_back_equal(tmp_path: Path) -> None:
    from kgsite.graphfile import load

    (data,) = made(document(), "json", tmp_path).values()
    assert load(data) == document()


def test_a_knwler_reader_finds_its_shape(tmp_path: Path) -> None:
    """FORMATS section 1, read as a Knwler 1.x reader does: by key, ignoring what it does not know."""
    (data,) = made(document(), "json", tmp_path).values()
    tree = json.loads(data)
    assert list(tree)[:9] == ["id", "title", "summary", "url", "language", "schema", "stats", "graph", "chunks"]
    assert set(tree["schema"]) >= {"entity_types", "relation_types", "reasoning"}
    assert all(
        {"id", "name", "type", "description", "chunk_ids", "community_id"} <= set(e) for e in tree["graph"]["entities"]
    )
    relation = {"id", "source", "source_type", "target", "target_type", "type", "description", "strength", "chunk_ids"}
    assert all(relation <= set(row) for row in tree["graph"]["relations"])
    assert all({"id", "topics", "description", "members"} <= set(c) for c in tree["graph"]["communities"])
    chunk = {"id", "chunk_idx", "text", "rephrase", "entities", "relations"}
    assert all(chunk <= set(row) for row in tree["chunks"])


def test_extracted_only_leaves_inferred_relations_out(subject: Subject, tmp_path: Path) -> None:
    only = extracted_only(subject)
    before, after = (table_of(one, settings(tmp_path)) for one in (subject, only))
    assert len(before.edges) - len(after.edges) == 1
    assert not any(edge.inferred for edge in after.edges)
    assert len(before.nodes) == len(after.nodes)
