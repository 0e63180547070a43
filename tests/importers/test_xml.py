"""GraphML, GEXF and GML as networkx writes them, and XML that attacks its reader."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

from kgsite.errors import ImportGraphError

WRITERS = {"graphml": nx.write_graphml, "gexf": nx.write_gexf, "gml": nx.write_gml}


def letters() -> nx.MultiDiGraph:
    graph = nx.MultiDiGraph()
    graph.add_node("a", label="Ada & “Co” <x>", type="person", description="Wrote letters.", community=2)
    graph.add_node("b", label="Zürich", type="city", community=1)
    graph.add_edge("a", "b", predicate="lived in", strength=8.0, inferred=True, method="taxonomy", description="d")
    graph.add_edge("b", "a", predicate="misses", strength=2.0)
    return graph


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("form", sorted(WRITERS))
def test_what_networkx_writes(form: str, tmp_path: Path, load) -> None:
    path = tmp_path / f"letters.{form}"
    graph = letters()
    if form == "gml":
        graph = nx.relabel_nodes(graph, {"a": "Ada & “Co” <x>", "b": "Zürich"})
        for _, row in graph.nodes(data=True):
            del row["label"]
    WRITERS[form](graph, path)
    found = load(path)
    assert found.provenance.extractor == f"import:{form}"
    assert [(one.name, one.type, one.description, one.community_id) for one in found.entities] == [
        ("Ada & “Co” <x>", "person", "Wrote letters.", 2),
        ("Zürich", "city", "", 1),
    ]
    assert [(one.source[:3], one.type, one.target[:3], one.strength, one.inferred, one.method, one.description)
            for one in found.relations] == [
        ("Ada", "lived in", "Zür", 8.0, True, "taxonomy", "d"),
        ("Zür", "misses", "Ada", 2.0, False, "", ""),
    ]  # fmt: skip
    assert not found.notes


BOMB = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><graphml><graph><node id="&b;"/></graph></graphml>'
OUTSIDE = (
    '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><graphml><graph><node id="n">&a;</node></graph></graphml>'
)


@pytest.mark.parametrize("text", [BOMB, OUTSIDE, '<!DOCTYPE graphml SYSTEM "http://x.invalid/x.dtd"><graphml/>'])
def test_document_types_are_refused(text: str, tmp_path: Path, load) -> None:
    path = tmp_path / "x.graphml"
    path.write_text(text)
    with pytest.raises(ImportGraphError, match="document type"):
        load(path)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("x.graphml", "<graphml>" + "<a>" * 5000, "nested too deeply"),
        ("x.graphml", "<graphml><graph>", "not XML"),
        ("x.gexf", "<html></html>", "the root element is <html>"),
        ("x.graphml", "", "not XML"),
        ("x.gml", "graph [ node [ id 1 ] ] ]", "a ] too many"),
        ("x.gml", "graph " + "[ a " * 5000, "a \\[ where a key should be"),
        ("x.gml", "graph [ node [ id 1 ", "ends inside a list"),
        ("x.gml", "hello", "no graph"),
    ],
)
def test_broken_files_are_refused_with_a_reason(name: str, text: str, reason: str, tmp_path: Path, load) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ImportGraphError, match=reason) as raised:
        load(path)
    assert raised.value.at is not None
    assert raised.value.at.file == name


def test_labels_of_yed_are_names(tmp_path: Path, load) -> None:
    path = tmp_path / "y.graphml"
    path.write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">'
        '<key for="node" id="d6" yfiles.type="nodegraphics"/><graph><node id="n0"><data key="d6"><y:ShapeNode>'
        "<y:NodeLabel>Ada</y:NodeLabel></y:ShapeNode></data></node></graph></graphml>"
    )
    assert load(path).entities[0].name == "Ada"
