"""GML (Himsolt's technical report): ASCII, other characters as numeric references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kgsite.config.settings import Settings
from kgsite.exporters.columns import EDGE_COLUMNS, NODE_COLUMNS, values
from kgsite.exporters.table import Node, Table


def write(table: Table, settings: Settings) -> dict[str, bytes]:  # noqa: ARG001
    """One directed graph with numbered nodes. `label` is unique (readers take it for the node), `name` is the name."""
    return {"graph.gml": ("\n".join(_lines(table)) + "\n").encode("ascii")}


def _lines(table: Table) -> Iterator[str]:
    numbers = {node.id: number for number, node in enumerate(table.nodes)}
    yield 'Creator "kgsite"'
    yield "graph ["
    yield "  directed 1"
    if len({(edge.source, edge.target) for edge in table.edges}) < len(table.edges):
        yield "  multigraph 1"
    yield f"  title {_text(table.title)}"
    for node, label in zip(table.nodes, _labels(table), strict=True):
        yield "  node ["
        yield f"    id {numbers[node.id]}"
        yield f"    label {_text(label)}"
        yield f"    name {_text(node.name)}"
        yield f"    key {_text(node.id)}"
        yield from (f"    {c.name} {_value(v)}" for c, v in values(NODE_COLUMNS, node) if c.name != "label")
        yield "  ]"
    for edge in table.edges:
        yield "  edge ["
        yield f"    source {numbers[edge.source]}"
        yield f"    target {numbers[edge.target]}"
        yield f"    key {_text(edge.id)}"
        yield from (f"    {c.name} {_value(v)}" for c, v in values(EDGE_COLUMNS, edge))
        yield "  ]"
    yield "]"


def _labels(table: Table) -> list[str]:
    """The names; where one comes twice, with type and id."""
    often = Counter(node.name for node in table.nodes)
    typed = [node.name if often[node.name] == 1 else f"{node.name} ({node.type})" for node in table.nodes]
    again = Counter(typed)
    return [label if again[label] == 1 else _full(label, node) for label, node in zip(typed, table.nodes, strict=True)]


def _full(label: str, node: Node) -> str:
    return f"{label} [{node.id}]"


def _value(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int):
        return str(value) if abs(value) < 2**31 else f'"{value}"'
    return repr(value) if isinstance(value, float) else _text(value)


def _text(value: str) -> str:
    """A string: `"` and `&` as references, and everything that is not printable ASCII."""
    return '"' + "".join(c if " " <= c <= "~" and c not in '"&' else f"&#{ord(c)};" for c in value) + '"'
