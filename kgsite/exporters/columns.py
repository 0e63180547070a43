"""The attributes of nodes and edges that GraphML, GEXF and GML share, with their types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from kgsite.exporters.table import Edge, Node

R = TypeVar("R")
Value = str | int | float | bool | None
SEPARATOR = " | "
"""Between the values of a list (aliases, quotes, documents): these formats know no lists."""


@dataclass(frozen=True, slots=True)
class Column(Generic[R]):
    """One attribute: its name, its type (string, int, double, boolean) and how a row gives it. None: not there."""

    name: str
    kind: str
    value: Callable[[R], Value]


NODE_COLUMNS: tuple[Column[Node], ...] = (
    Column("label", "string", lambda node: node.name),
    Column("type", "string", lambda node: node.type),
    Column("description", "string", lambda node: node.description or None),
    Column("community", "int", lambda node: node.community),
    Column("community_name", "string", lambda node: node.community_name or None),
    Column("degree", "int", lambda node: node.degree),
    Column("aliases", "string", lambda node: SEPARATOR.join(node.aliases) or None),
    Column("documents", "string", lambda node: SEPARATOR.join(node.documents) or None),
)

EDGE_COLUMNS: tuple[Column[Edge], ...] = (
    Column("predicate", "string", lambda edge: edge.predicate),
    Column("label", "string", lambda edge: edge.predicate),
    Column("description", "string", lambda edge: edge.description or None),
    Column("weight", "double", lambda edge: float(edge.strength)),
    Column("inferred", "boolean", lambda edge: edge.inferred),
    Column("method", "string", lambda edge: edge.method or None),
    Column("via", "string", lambda edge: edge.via or None),
    Column("evidence", "string", lambda edge: SEPARATOR.join(quote.text for quote in edge.quotes) or None),
    Column("documents", "string", lambda edge: SEPARATOR.join(edge.documents) or None),
)


def values(columns: tuple[Column[R], ...], row: R) -> Iterator[tuple[Column[R], str | int | float | bool]]:
    """The attributes that a row has."""
    for column in columns:
        value = column.value(row)
        if value is not None:
            yield column, value
