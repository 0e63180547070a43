"""GEXF 1.2 (gexf.net), with the site's positions, so that Gephi opens on a finished drawing."""

from __future__ import annotations

from collections.abc import Iterator

from kgsite.config.settings import Settings
from kgsite.exporters import xmltext
from kgsite.exporters.columns import EDGE_COLUMNS, NODE_COLUMNS, Column, R, values
from kgsite.exporters.table import Edge, Table

_OPEN = '<gexf xmlns="http://www.gexf.net/1.2draft" xmlns:viz="http://www.gexf.net/1.2draft/viz" version="1.2">'
_OWN = frozenset({"label", "weight"})  # attributes of the elements themselves
_SCALE = 20  # the layout's square of ±32,767 in Gephi's units of about ±1,600


def write(table: Table, settings: Settings) -> dict[str, bytes]:  # noqa: ARG001
    """One directed graph; Gephi's y axis points up."""
    return {"graph.gexf": xmltext.document(_lines(table))}


def _lines(table: Table) -> Iterator[str]:
    yield _OPEN
    yield f"<meta><creator>kgsite</creator><description>{xmltext.text(table.title)}</description></meta>"
    yield '<graph mode="static" defaultedgetype="directed">'
    yield from _declared("node", NODE_COLUMNS)
    yield from _declared("edge", EDGE_COLUMNS)
    yield "<nodes>"
    for node in table.nodes:
        yield f"<node id={xmltext.attribute(node.id)} label={xmltext.attribute(node.name)}>"
        yield _values("node", NODE_COLUMNS, node)
        if node.place:
            x, y = node.place[0] / _SCALE, -node.place[1] / _SCALE
            yield f'<viz:position x="{x:.2f}" y="{y:.2f}" z="0.0"/>'
        yield "</node>"
    yield "</nodes>"
    yield "<edges>"
    for edge in table.edges:
        yield _edge(edge)
        yield _values("edge", EDGE_COLUMNS, edge)
        yield "</edge>"
    yield "</edges>"
    yield "</graph>"
    yield "</gexf>"


def _declared(domain: str, columns: tuple[Column[R], ...]) -> Iterator[str]:
    yield f'<attributes class="{domain}" mode="static">'
    for column in columns:
        if column.name not in _OWN:
            kind = "integer" if column.kind == "int" else column.kind
            yield f'<attribute id="{domain[0]}_{column.name}" title="{column.name}" type="{kind}"/>'
    yield "</attributes>"


def _values(domain: str, columns: tuple[Column[R], ...], row: R) -> str:
    found = "".join(
        f'<attvalue for="{domain[0]}_{column.name}" value={xmltext.attribute(value)}/>'
        for column, value in values(columns, row)
        if column.name not in _OWN
    )
    return f"<attvalues>{found}</attvalues>"


def _edge(edge: Edge) -> str:
    parts = {
        "id": edge.id,
        "source": edge.source,
        "target": edge.target,
        "label": edge.predicate,
        "weight": float(edge.strength),
        "type": "directed",
    }
    return "<edge " + " ".join(f"{name}={xmltext.attribute(value)}" for name, value in parts.items()) + ">"
