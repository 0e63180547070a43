"""Rows of entities, relations, communities and evidence, as most JSON graphs write them, → the records of `found`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kgsite.importers import wording
from kgsite.importers.found import Group, Statement, Tally, Thing
from kgsite.importers.values import (
    attributes_of,
    name_of,
    number_of,
    prose_of,
    ref_of,
    refs_of,
    rows_of,
    text_of,
    texts_of,
    types_of,
    whole_of,
)
from kgsite.model import Evidence

_NAMES = ("name", "text", "title", "entity_name", "entity", "label", "id")
_TYPES = ("type", "entity_type", "category", "kind", "class", "labels")
_PREDICATES = ("type", "relation_type", "predicate", "relation", "relationship", "label", "name")
_SOURCES = ("source", "subject", "from", "head", "start", "source_name")
_TARGETS = ("target", "object", "to", "tail", "end", "target_name")
_GROUPS = ("community_id", "cluster_id", "community", "cluster")
_PASSAGES = ("chunk_ids", "chunks", "chunk", "text_unit_ids")
_THING_KEYS = frozenset(
    (*_NAMES, *_TYPES, *_GROUPS, *_PASSAGES, "description", "aliases", "attributes", "properties", "degree", "page")
)
_STATEMENT_KEYS = frozenset(
    (
        *_PREDICATES,
        *_SOURCES,
        *_TARGETS,
        *_PASSAGES,
        "id",
        "source_type",
        "target_type",
        "source_label",
        "target_label",
        "description",
        "strength",
        "weight",
        "evidence",
        "inferred",
        "method",
        "via",
        "subject_type",
        "object_type",
        "sourceType",
        "targetType",
    )
)


def first(row: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    """The first of `keys` that has a value."""
    return next((row[key] for key in keys if row.get(key) not in (None, "")), None)


def things_of(value: Any, tally: Tally) -> Iterator[Thing]:
    """Entities of a list of rows; strings are names."""
    for position, entry in rows_of(value, tally):
        row = {"name": entry} if isinstance(entry, (str, int, float)) and not isinstance(entry, bool) else entry
        if not isinstance(row, Mapping):
            tally.add(wording.ODD_ROWS, example=f"entity {position}")
            continue
        inner = row.get("entity")
        thing = thing_of(inner if isinstance(inner, Mapping) else row, tally)
        if thing is None:
            tally.add(wording.NAMELESS, example=f"row {position}")
        else:
            yield thing


def thing_of(row: Mapping[str, Any], tally: Tally) -> Thing | None:
    """One entity, or None without a name. In plain documents `label` is the type and `text` the name."""
    plain = "name" not in row and "text" in row
    name = name_of(row["name"] if "name" in row else first(row, _NAMES), tally)
    if not name:
        return None
    kind, others = types_of(row.get("label") if plain else first(row, _TYPES), tally)
    attributes = attributes_of(row, _THING_KEYS, tally)
    for key in ("properties", "attributes"):
        if isinstance(row.get(key), Mapping):
            attributes |= attributes_of(row[key], (), tally)
    if others:
        attributes["other types"] = ", ".join(dict.fromkeys((*attributes.get("other types", "").split(", "), *others)))
        attributes["other types"] = attributes["other types"].removeprefix(", ")
    return Thing(
        name=name,
        type=kind,
        description=prose_of(row.get("description"), tally),
        refs=refs_of(row.get("id")),
        passages=refs_of(first(row, _PASSAGES)),
        group=ref_of(first(row, _GROUPS)),
        aliases=texts_of(row.get("aliases") or [], tally),
        attributes=attributes,
    )


def statements_of(value: Any, tally: Tally) -> Iterator[Statement]:
    """Relations of a list of rows; a row may be a list [subject, predicate, object]."""
    for position, row in rows_of(value, tally, triples=True):
        if isinstance(row, Mapping):
            statement = statement_of(row, tally)
            if statement is None:
                tally.add(wording.ENDLESS, example=f"row {position}")
            else:
                yield statement
        elif isinstance(row, list):
            short = short_triple(row, position, tally)
            if short is not None:
                yield short
        else:
            tally.add(wording.ODD_ROWS, example=f"relation {position}")


def short_triple(row: list[Any], position: int, tally: Tally) -> Statement | None:
    """A row [subject, predicate, object]; longer ones are cut, shorter ones counted."""
    if len(row) < 3:
        tally.add(wording.SHORT_ROWS, example=f"row {position}")
        return None
    if len(row) > 3:
        tally.add(wording.LONG_ROWS, example=f"row {position}")
    subject, predicate, target = (name_of(part, tally) for part in row[:3])
    if not subject or not target:
        tally.add(wording.ENDLESS, example=f"row {position}")
        return None
    return Statement(subject, target, predicate)


def statement_of(row: Mapping[str, Any], tally: Tally) -> Statement | None:
    """One relation, or None when an end is missing."""
    source, target = first(row, _SOURCES), first(row, _TARGETS)
    start, end = name_of(source, tally), name_of(target, tally)
    if not start or not end:
        return None
    for key in row:
        if key not in _STATEMENT_KEYS and row[key] not in (None, "", [], {}):
            tally.add(wording.VALUES, example=" ".join(text_of(key).split())[:40])
    return Statement(
        source=start,
        target=end,
        predicate=types_of(first(row, _PREDICATES), tally)[0],
        source_type=_end_type(row, source, ("source_type", "source_label", "subject_type", "sourceType"), tally),
        target_type=_end_type(row, target, ("target_type", "target_label", "object_type", "targetType"), tally),
        description=prose_of(row.get("description"), tally),
        strength=number_of(first(row, ("strength", "weight"))),
        passages=refs_of(first(row, _PASSAGES)),
        evidence=tuple(evidence_of(row.get("evidence"))),
        inferred=row.get("inferred") is True or text_of(row.get("inferred")).lower() in ("true", "1"),
        method=name_of(row.get("method"), tally),
        via=name_of(row.get("via"), tally),
    )


def _end_type(row: Mapping[str, Any], end: Any, keys: tuple[str, ...], tally: Tally) -> str:
    stated = first(row, keys)
    if stated is None and isinstance(end, Mapping):
        stated = first(end, ("type", "label"))
    return types_of(stated, tally)[0]


def evidence_of(value: Any) -> Iterator[Evidence]:
    """Quotes: strings, or objects with text, chunk_id, start, end and page."""
    for entry in value if isinstance(value, list) else [value]:
        row = {"text": entry} if isinstance(entry, str) else entry
        if not isinstance(row, Mapping) or not text_of(row.get("text")).strip():
            continue
        yield Evidence(
            text=text_of(row["text"]).strip(),
            chunk_id=ref_of(first(row, ("chunk_id", "chunk"))),
            start=whole_of(row.get("start")),
            end=whole_of(row.get("end")),
            page=whole_of(row.get("page")) or None,
        )


def groups_of(value: Any, tally: Tally) -> Iterator[Group]:
    """Communities of a list of {id, topics, description, members}, or of an object id → such."""
    if isinstance(value, Mapping):
        value = [
            {"id": key, **row}
            if isinstance(row, Mapping)
            else {"id": key, "members": row if isinstance(row, list) else []}
            for key, row in value.items()
        ]
    for position, row in rows_of(value, tally):
        if not isinstance(row, Mapping):
            tally.add(wording.ODD_ROWS, example=f"community {position}")
            continue
        names = (*texts_of(first(row, ("name", "title")) or [], tally), *texts_of(row.get("topics") or [], tally))
        yield Group(
            key=ref_of(first(row, ("id", "community", "cluster_id", "community_id"))) or f"#{position}",
            topics=tuple(dict.fromkeys(names)),
            description=prose_of(first(row, ("description", "summary")), tally),
            members=texts_of(first(row, ("members", "entities", "nodes")) or [], tally),
        )
