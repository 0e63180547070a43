"""What kind of graph a file or folder holds: decided by its content (FORMATS.md section 6)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kgsite.errors import ImportGraphError, Place, ReadError
from kgsite.importers.found import Tally
from kgsite.importers.jsonsafe import Lines, load_json

XML_SUFFIXES = {".graphml": "graphml", ".gexf": "gexf", ".gml": "gml"}
KNOWN = (
    "Knwler graphs, triples (subject, predicate, object), entities and relations, node-link, D3 and Cytoscape, "
    "GraphML, GEXF, GML, GraphRAG tables"
)
_SIDECARS = (".meta.json", ".workspace.json")
_MOST_KEYS = 12


def format_of_path(path: Path) -> str | None:
    """See `kgsite.importers.recognise`."""
    if path.is_dir():
        return "graphrag" if (path / "entities.parquet").is_file() else None
    suffix = path.suffix.casefold()
    if suffix in XML_SUFFIXES:
        return XML_SUFFIXES[suffix]
    if path.name.casefold().endswith(_SIDECARS):
        return None
    return format_of(_quickly(read_file(path), path.name), path.name)


def read_file(path: Path) -> bytes:
    """The bytes of a graph file. Raises ImportGraphError."""
    from kgsite.readers.files import LIMITS, read_bytes

    try:
        return read_bytes(path, LIMITS["graph"])
    except ReadError as error:
        raise ImportGraphError(error.message, at=Place(path.name)) from None


def _quickly(data: bytes, name: str) -> Any:
    import orjson

    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return load_json(data, name, Tally())


def format_of(tree: Any, name: str) -> str:
    """The format of parsed JSON. Raises ImportGraphError with the keys found and the formats known."""
    found = _of_list(tree) if isinstance(tree, list) else _of_object(tree) if isinstance(tree, dict) else ""
    if found:
        return found
    raise ImportGraphError(
        f"this is no graph that kgsite knows: {_described(tree)}",
        at=Place(name),
        hint=f"known are {KNOWN}",
    )


def _described(tree: Any) -> str:
    if isinstance(tree, dict):
        keys = [" ".join(key.split())[:40] for key in list(tree)[:_MOST_KEYS]]
        return "it has the keys " + ", ".join(keys) + (", …" if len(tree) > _MOST_KEYS else "")
    if isinstance(tree, list):
        return f"it is a list of {len(tree):,} values that are no triples, entities or graphs"
    return "it is a single value"


def _of_list(rows: list[Any]) -> str:
    if not rows:
        return "flat"
    sample = rows[:200]
    objects = [row for row in sample if isinstance(row, dict)]
    if any("subject" in row and "object" in row for row in objects):
        return "triples"
    if any(isinstance(row, list) for row in sample) and not objects:
        return "triples"
    if any(_of_object(row) for row in objects if row):
        return "several"
    if any("name" in row or ("source" in row and "target" in row) or "text" in row for row in objects):
        return "rows"
    return "rows" if isinstance(rows, Lines) and objects else ""


def _of_object(tree: Mapping[str, Any]) -> str:
    if not tree:
        return "flat"
    graph = tree.get("graph")
    if "triples" in tree and isinstance(tree["triples"], list):
        return "triples"
    if isinstance(tree.get("consolidated"), dict):
        return "knwler-0.1"
    if isinstance(graph, dict):
        return _of_graph(tree, graph)
    if "content" in tree and ("entities" in tree or "relations" in tree):
        return "knwler-dump"
    if "elements" in tree and isinstance(tree["elements"], (dict, list)):
        return "cytoscape"
    if isinstance(tree.get("entities"), (list, dict)) or isinstance(tree.get("relations"), list):
        return "plain" if _is_plain(tree.get("entities")) else "flat"
    if isinstance(tree.get("nodes"), (list, dict)):
        return "node-link"
    return ""


def _of_graph(tree: Mapping[str, Any], graph: Mapping[str, Any]) -> str:
    if "documents" in tree:
        return "knwler-consolidated"
    if "content" in tree:
        return "knwler-dump"
    if "clusters" in graph:
        return "knwler-1.1"
    if "communities" in graph or "entities" in graph or "relations" in graph:
        return "knwler-1.0"
    return "node-link" if "nodes" in graph or "nodes" in tree else ""


def _is_plain(rows: Any) -> bool:
    """Plain documents name an entity by `text` and its type by `label` (FORMATS.md section 5)."""
    row = next((row for row in rows if isinstance(row, dict)), {}) if isinstance(rows, list) else {}
    return "label" in row and "text" in row and "name" not in row
