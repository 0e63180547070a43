"""GraphML (graphml.graphdrawing.org), with labels where yEd looks for them."""

from __future__ import annotations

from collections.abc import Iterator

from kgsite.config.settings import Settings
from kgsite.exporters import xmltext
from kgsite.exporters.columns import EDGE_COLUMNS, NODE_COLUMNS, values
from kgsite.exporters.table import Node, Table

_OPEN = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">'
)


def write(table: Table, settings: Settings) -> dict[str, bytes]:  # noqa: ARG001
    """One directed graph; parallel edges keep their own ids."""
    return {"graph.graphml": xmltext.document(_lines(table))}


def _lines(table: Table) -> Iterator[str]:
    yield _OPEN
    for domain, columns in (("node", NODE_COLUMNS), ("edge", EDGE_COLUMNS)):
        for column in columns:
            name, kind = xmltext.attribute(column.name), xmltext.attribute(column.kind)
            yield f'<key id="{domain[0]}_{column.name}" for="{domain}" attr.name={name} attr.type={kind}/>'
    yield '<key id="g_title" for="graph" attr.name="title" attr.type="string"/>'
    yield '<key id="y_node" for="node" yfiles.type="nodegraphics"/>'
    yield '<graph id="G" edgedefault="directed">'
    yield f'<data key="g_title">{xmltext.text(table.title)}</data>'
    for node in table.nodes:
        yield f"<node id={xmltext.attribute(node.id)}>"
        yield from (
            f'<data key="n_{column.name}">{xmltext.text(value)}</data>' for column, value in values(NODE_COLUMNS, node)
        )
        yield _graphics(node)
        yield "</node>"
    for edge in table.edges:
        ends = f"source={xmltext.attribute(edge.source)} target={xmltext.attribute(edge.target)}"
        yield f"<edge id={xmltext.attribute(edge.id)} {ends}>"
        yield from (
            f'<data key="e_{column.name}">{xmltext.text(value)}</data>' for column, value in values(EDGE_COLUMNS, edge)
        )
        yield "</edge>"
    yield "</graph>"
    yield "</graphml>"


def _graphics(node: Node) -> str:
    label = f"<y:NodeLabel>{xmltext.text(node.name)}</y:NodeLabel>"
    return f'<data key="y_node"><y:ShapeNode>{label}</y:ShapeNode></data>'
