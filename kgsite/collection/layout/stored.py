"""Layouts as they are committed in `.kgsite/layout/`: small, byte-stable JSON, one node a line.

    {"format": 1, "digest": "…", "unit": 57, "nodes": {
    "ada": [-120, 4410],
    "babbage": [310, 4002]
    }}

Nodes are sorted by key, so that a change of a few nodes is a change of a few lines.
"""

from __future__ import annotations

import json
from typing import Any

from kgsite.model import Layout

FORMAT = 1
LIMIT = 32_767


def dump_layout(layout: Layout) -> bytes:
    """The file of a layout: UTF-8, `\\n` line ends, the same bytes for the same layout."""
    head = f'{{"format": {FORMAT}, "digest": {_text(layout.digest)}, "unit": {layout.unit}, "nodes": {{'
    rows = sorted(zip(layout.keys, layout.x, layout.y, strict=True))
    lines = [f"{_text(key)}: [{x}, {y}]" for key, x, y in rows]
    return "\n".join([head, ",\n".join(lines), "}}", ""]).encode()


def load_layout(data: bytes) -> Layout:
    """Read such a file; keys come back sorted. Raises ValueError for anything that is not a whole layout."""
    try:
        raw = json.loads(data)
    except (UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"not a layout: {error}") from None
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise ValueError("not a layout, or one of a newer version")
    nodes, unit, digest = raw.get("nodes"), raw.get("unit"), raw.get("digest")
    if not isinstance(nodes, dict) or type(unit) is not int or not 0 <= unit <= LIMIT or not isinstance(digest, str):
        raise ValueError("not a layout: nodes, unit or digest are missing")
    for key, point in nodes.items():
        if not (isinstance(point, list) and len(point) == 2 and all(map(_is_coordinate, point))):
            raise ValueError(f"not a layout: no position for {key!r}")
    rows = sorted((key, x, y) for key, (x, y) in nodes.items())
    return Layout(tuple(r[0] for r in rows), tuple(r[1] for r in rows), tuple(r[2] for r in rows), unit, digest)


def _is_coordinate(value: Any) -> bool:
    return type(value) is int and -LIMIT <= value <= LIMIT


def _text(value: str) -> str:
    # ASCII escapes also carry lone surrogates, which a broken source name may hold.
    return json.dumps(value, ensure_ascii=True)
