"""GraphML, GEXF and GML → nodes and edges → `Found`.

XML is read by expat with document type declarations refused: no entity is ever defined, so none can be expanded or
fetched. GML is read by a small scanner of its own. (Formats: graphml.graphdrawing.org, gexf.net,
Himsolt, "GML: A portable graph file format".)
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET

from kgsite.errors import ImportGraphError, Place
from kgsite.importers.found import Found
from kgsite.importers.node_link import read_nodes
from kgsite.importers.values import name_of, prose_of

_DEEPEST = 200
_META = ("title", "description", "language", "license", "url")


class _Guarded(ET.TreeBuilder):
    """Builds elements; refuses document types and depth."""

    def __init__(self) -> None:
        super().__init__()
        self._depth = 0

    def doctype(self, _name: str, _public: str | None, _system: str | None) -> None:
        message = "document type declarations are not allowed in graphs"
        raise ImportGraphError(message)

    def start(self, tag: Any, attrs: Any) -> Any:
        self._depth += 1
        if self._depth > _DEEPEST:
            message = "the XML is nested too deeply"
            raise ImportGraphError(message)
        return super().start(tag, attrs)

    def end(self, tag: Any) -> Any:
        self._depth -= 1
        return super().end(tag)


def read_xml_graph(data: bytes, form: str, name: str) -> Found:
    """A `.graphml`, `.gexf` or `.gml` file. Raises ImportGraphError."""
    found = Found(form, by_id=True)
    if form == "gml":
        about, nodes, edges = _gml(data, name)
    else:
        root = _parsed(data, name)
        if _tag(root) != form:
            message = f"the root element is <{_tag(root)[:40]}>, not <{form}>"
            raise ImportGraphError(message, at=Place(name))
        about, nodes, edges = _graphml(root) if form == "graphml" else _gexf(root)
    found.title = name_of(about.get("title") or about.get("label") or about.get("name"), found.tally)
    found.summary = prose_of(about.get("description") or about.get("summary"), found.tally)
    found.language = name_of(about.get("language"), found.tally)
    found.url = name_of(about.get("url"), found.tally)
    found.license = name_of(about.get("license"), found.tally)
    return read_nodes(found, nodes, edges)


def _parsed(data: bytes, name: str) -> ET.Element:
    parser = ET.XMLParser(target=_Guarded())  # noqa: S314 - guarded: no document type, so no entities
    try:
        parser.feed(data)
        root = parser.close()
    except ET.ParseError as error:
        line, column = error.position
        raise ImportGraphError(f"this is not XML: {error.msg}", at=Place(name, line, column + 1)) from None
    except ImportGraphError as error:
        raise ImportGraphError(error.message, at=Place(name)) from None
    except (ValueError, LookupError) as error:
        raise ImportGraphError(f"this XML can't be read: {error}", at=Place(name)) from None
    assert isinstance(root, ET.Element)
    return root


def _tag(element: ET.Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _all(root: ET.Element, tag: str) -> Iterator[ET.Element]:
    return (element for element in root.iter() if _tag(element) == tag)


# ── GraphML ───────────────────────────────────────────────────────────────────────────────────────
def _graphml(root: ET.Element) -> tuple[dict[str, Any], list[Any], list[Any]]:
    keys = {key.get("id", ""): key.get("attr.name") or key.get("id") or "" for key in _all(root, "key")}
    graph = next(_all(root, "graph"), None)
    about = _data(graph, keys) if graph is not None else {}
    nodes = [{"id": node.get("id"), **_data(node, keys)} for node in _all(root, "node")]
    edges = [
        {**_data(edge, keys), "source": edge.get("source"), "target": edge.get("target")} for edge in _all(root, "edge")
    ]
    for hyper in _all(root, "hyperedge"):
        ends = [end.get("node") for end in _all(hyper, "endpoint")]
        edges += [{"source": ends[0], "target": other} for other in ends[1:]]
    return about, nodes, edges


def _data(element: ET.Element, keys: dict[str, str]) -> dict[str, Any]:
    """The values of an element; of yEd's drawings the label is taken."""
    values: dict[str, Any] = {}
    for data in element:
        if _tag(data) != "data":
            continue
        name = keys.get(data.get("key", ""), data.get("key", ""))
        if len(data):
            label = next((inner for inner in data.iter() if _tag(inner) in ("NodeLabel", "EdgeLabel")), None)
            if label is not None and label.text and label.text.strip():
                values.setdefault("label", label.text.strip())
        elif data.text and data.text.strip():
            values[name] = data.text
    return values


# ── GEXF ──────────────────────────────────────────────────────────────────────────────────────────
def _gexf(root: ET.Element) -> tuple[dict[str, Any], list[Any], list[Any]]:
    titles: dict[tuple[str, str], str] = {}
    for group in _all(root, "attributes"):
        for attribute in _all(group, "attribute"):
            titles[group.get("class", "node"), attribute.get("id", "")] = attribute.get("title", "")
    about = {_tag(part): part.text for meta in _all(root, "meta") for part in meta if _tag(part) in _META}
    nodes = [
        {**_values(node, "node", titles), "id": node.get("id"), "label": node.get("label")}
        for node in _all(root, "node")
    ]
    edges = [_gexf_edge(edge, titles) for edge in _all(root, "edge")]
    return about, nodes, edges


def _gexf_edge(edge: ET.Element, titles: dict[tuple[str, str], str]) -> dict[str, Any]:
    row = _values(edge, "edge", titles)
    for key in ("source", "target", "label", "kind", "weight"):
        if edge.get(key) is not None:
            row.setdefault("relation" if key == "kind" else key, edge.get(key))
    return row


def _values(element: ET.Element, kind: str, titles: dict[tuple[str, str], str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for values in element:
        if _tag(values) == "attvalues":
            for value in values:
                key = value.get("for") or value.get("id") or ""
                found[titles.get((kind, key)) or key] = value.get("value")
    return found


# ── GML ───────────────────────────────────────────────────────────────────────────────────────────
_TOKEN = re.compile(r'\s*(?:(?P<comment>#[^\n]*)|"(?P<text>[^"]*)"|(?P<bracket>[\[\]])|(?P<word>[^\s\[\]"#]+))')


def _gml(data: bytes, name: str) -> tuple[dict[str, Any], list[Any], list[Any]]:
    from kgsite.readers.encoding import decode

    tree = _gml_tree(decode(data).text, name)
    graph = next((value for key, value in tree if key == "graph" and isinstance(value, list)), None)
    if graph is None:
        message = "there is no graph [ … ] in it"
        raise ImportGraphError(message, at=Place(name))
    nodes = [_row(value) for key, value in graph if key == "node" and isinstance(value, list)]
    edges = [_row(value) for key, value in graph if key == "edge" and isinstance(value, list)]
    return _row(graph), nodes, edges


def _row(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Keys of a list; a key that repeats (networkx writes lists so) becomes a list."""
    row: dict[str, Any] = {}
    for key, value in pairs:
        if isinstance(value, list):
            continue
        if key in row:
            row[key] = [*row[key], value] if isinstance(row[key], list) else [row[key], value]
        else:
            row[key] = value
    return row


def _gml_tree(text: str, name: str) -> list[tuple[str, Any]]:
    """All pairs of the file, nested lists as lists of pairs; built with a stack of its own."""
    top: list[tuple[str, Any]] = []
    stack = [top]
    key: str | None = None
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup
        if kind == "comment" or kind is None:
            continue
        part = found[kind]
        if kind == "bracket" and part == "]":
            if len(stack) == 1 or key is not None:
                raise ImportGraphError("a ] too many", at=_place(text, found.start(), name))
            stack.pop()
        elif kind == "bracket":
            if key is None or len(stack) > _DEEPEST:
                raise ImportGraphError("a [ where a key should be", at=_place(text, found.start(), name))
            inner: list[tuple[str, Any]] = []
            stack[-1].append((key, inner))
            stack.append(inner)
            key = None
        elif key is None:
            key = part
        else:
            stack[-1].append((key, html.unescape(part) if kind == "text" else _scalar(part)))
            key = None
    if len(stack) > 1:
        raise ImportGraphError("the file ends inside a list", at=Place(name))
    return top


def _scalar(part: str) -> Any:
    try:
        return int(part) if len(part) < 300 and part.lstrip("+-").isdigit() else float(part)
    except ValueError:
        return part


def _place(text: str, at: int, name: str) -> Place:
    return Place(name, text.count("\n", 0, at) + 1)
