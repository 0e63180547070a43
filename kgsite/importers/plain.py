"""Flat and plain objects, lists of rows (JSON Lines), and several graphs in one file → `Found`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kgsite.importers import wording
from kgsite.importers.found import Found, Text
from kgsite.importers.knwler import read_knwler
from kgsite.importers.rows import statement_of, things_of


def read_rows(rows: list[Any]) -> Found:
    """Entities and relations in one list: a row with source and target is a relation, one with a name an entity."""
    found = Found("rows")
    for position, row in enumerate(rows, 1):
        if isinstance(row, Mapping) and ("source" in row or "subject" in row) and ("target" in row or "object" in row):
            statement = statement_of(row, found.tally)
            if statement is None:
                found.tally.add(wording.ENDLESS, example=f"row {position}")
            else:
                found.statements.append(statement)
        elif isinstance(row, Mapping) and not row:
            found.tally.add(wording.ODD_ROWS, example=f"row {position}")
        else:
            found.things.extend(things_of([row], found.tally))
    return found


def read_several(parts: list[Found], odd: int) -> Found:
    """Several graphs as one. Keys of passages, communities and texts get the number of their graph before them."""
    whole = Found("several", several=sum(part.several for part in parts))
    whole.tally.add(wording.ODD_ROWS, odd)
    for number, part in enumerate(parts):
        _renumber(part, f"{number}/")
        whole.things += part.things
        whole.statements += part.statements
        whole.groups += part.groups
        whole.passages += part.passages
        texts = part.texts or [Text(f"{number}/")]
        whole.texts += [Text(text.key, text.title or part.title, text.text) for text in texts]
        whole.language = whole.language or part.language
        whole.url = whole.url or part.url
        whole.model = whole.model or part.model
        whole.overlap = whole.overlap if part.overlap is None else part.overlap
        whole.by_id = whole.by_id or part.by_id
        for reason, count in part.tally.counts.items():
            whole.tally.add(reason, count)
    return whole


def _renumber(part: Found, prefix: str) -> None:
    for statement in part.statements:
        statement.passages = tuple(prefix + key for key in statement.passages)
    for thing in part.things:
        thing.passages = tuple(prefix + key for key in thing.passages)
        thing.group = prefix + thing.group if thing.group else ""
    for group in part.groups:
        group.key = prefix + group.key
    for passage in part.passages:
        passage.keys = tuple(prefix + key for key in passage.keys)
        passage.document = prefix + passage.document
    for text in part.texts:
        text.key = prefix + text.key


def read_flat(tree: Mapping[str, Any] | list[Any], form: str) -> Found:
    """An object with `entities` and `relations`; an empty list or object is a graph without entities."""
    return read_knwler(tree if isinstance(tree, Mapping) else {}, form)
