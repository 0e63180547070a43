"""Rows of a reply → candidates: names, types and endpoints as records, without believing more than the text holds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kgsite.model import Entity, Evidence, Relation

UNKNOWN_TYPE = "unknown"
MAX_NAME = 300  # characters; longer "names" are sentences
MAX_TEXT = 4_000
_NAME_KEYS = ("name", "text", "entity", "title")
_TYPE_KEYS = ("type", "label", "entity_type", "category")
_BIDI_AND_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(slots=True)
class Rows:
    """Candidates of one reply, and how many rows could not be used, by reason."""

    entities: list[Entity] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)

    def drop(self, reason: str) -> None:
        self.dropped[reason] = self.dropped.get(reason, 0) + 1


def text_of(value: Any, limit: int = MAX_TEXT) -> str:
    """A value as one clean line: whitespace collapsed, no control or bidi characters, no lone surrogates."""
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, (list, dict)):
        return text_of(value[0], limit) if isinstance(value, list) and value else ""
    clean = _SURROGATE.sub("\ufffd", str(value))
    return " ".join(_BIDI_AND_CONTROL.sub("", clean).split())[:limit].strip()


def strength_of(value: Any) -> float:
    """1–10; 5 when nothing usable was said."""
    if isinstance(value, str):
        try:
            value = float(value.strip().rstrip("%"))
        except ValueError:
            return 5.0
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        return 5.0
    return float(min(max(value, 1), 10))


def candidates(value: Mapping[str, Any]) -> Rows:
    """Entities and relations of an extraction as `read_reply` returns it.

    Endpoints may be names or ids of this reply; an endpoint that no row describes becomes an entity of type
    "unknown". Evidence is what the model quoted, not yet looked up in the text.
    """
    rows = Rows()
    ids: dict[str, str] = {}
    types: dict[str, str] = {}
    for row in value.get("entities") or ():
        entity = _entity(row)
        if entity is None:
            rows.drop("entity without a usable name")
            continue
        if isinstance(row, dict) and isinstance(row.get("id"), (int, str)) and not isinstance(row.get("id"), bool):
            ids[str(row["id"])] = entity.name
        if types.get(_fold(entity.name)) != entity.type:
            rows.entities.append(entity)
        types.setdefault(_fold(entity.name), entity.type)
    for row in value.get("relations") or ():
        _relation(row, rows, ids, types)
    return rows


def _fold(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _first(row: Mapping[str, Any], keys: Iterable[str]) -> str:
    return next((found for key in keys if (found := text_of(row.get(key)))), "")


def _entity(row: Any) -> Entity | None:
    if isinstance(row, str):
        name = text_of(row)
        return Entity(name, UNKNOWN_TYPE) if 0 < len(name) <= MAX_NAME else None
    if not isinstance(row, dict):
        return None
    name = _first(row, _NAME_KEYS)
    if not name or len(name) > MAX_NAME:
        return None
    properties = row.get("properties")
    attributes = {
        text_of(key, 80): found
        for key, item in (properties.items() if isinstance(properties, dict) else ())
        if text_of(key, 80) and (found := text_of(item, 500) or (str(item).lower() if isinstance(item, bool) else ""))
    }
    aliases = row.get("aliases")
    others = (
        tuple(dict.fromkeys(text_of(item, MAX_NAME) for item in aliases if text_of(item)))
        if isinstance(aliases, list)
        else ()
    )
    kind = _first(row, _TYPE_KEYS)[:100] or UNKNOWN_TYPE
    return Entity(name, kind, _first(row, ("description", "summary")), aliases=others, attributes=attributes)


def _endpoint(value: Any, ids: Mapping[str, str], types: Mapping[str, str]) -> str:
    if isinstance(value, dict):
        value = value.get("id", _first(value, _NAME_KEYS))
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    name = text_of(value)
    if _fold(name) in types:
        return name
    if str(value) in ids:
        return ids[str(value)]
    # A number, or an identifier such as "e3", that no row has is a pointer into rows that were lost.
    pointer = (
        not isinstance(value, str)
        or re.fullmatch(r"\d+", name)
        or (ids and re.fullmatch(r"[a-zA-Z]{0,3}[-_]?\d+", name))
    )
    return "" if pointer else name


def _relation(row: Any, rows: Rows, ids: Mapping[str, str], types: dict[str, str]) -> None:
    if isinstance(row, list) and len(row) >= 3:
        row = {"source": row[0], "type": row[1], "target": row[2]}
    if not isinstance(row, dict):
        rows.drop("relation that is no object")
        return
    source = _endpoint(row.get("source", row.get("subject")), ids, types)
    target = _endpoint(row.get("target", row.get("object")), ids, types)
    predicate = _first(row, ("type", "predicate", "relation", "label", "relationship"))
    if not predicate or not (0 < len(source) <= MAX_NAME and 0 < len(target) <= MAX_NAME):
        rows.drop("relation without both ends and a type")
        return
    stated = {
        source: text_of(row.get("source_label", row.get("source_type"))),
        target: text_of(row.get("target_label", row.get("target_type"))),
    }
    for name, kind in stated.items():
        if _fold(name) not in types:
            types[_fold(name)] = kind or UNKNOWN_TYPE
            rows.entities.append(Entity(name, types[_fold(name)]))
    relation = Relation(
        source=source,
        source_type=types[_fold(source)],
        target=target,
        target_type=types[_fold(target)],
        type=predicate[:200],
        description=_first(row, ("description",)),
        strength=strength_of(row.get("strength", row.get("weight"))),
        evidence=tuple(Evidence(quote) for quote in _quotes(row)),
    )
    if relation not in rows.relations:
        rows.relations.append(relation)


def _quotes(row: Mapping[str, Any]) -> list[str]:
    found = row.get("evidence", row.get("quote"))
    parts = found if isinstance(found, list) else [found]
    texts = (text_of(part.get("text") if isinstance(part, dict) else part, 2_000) for part in parts)
    return list(dict.fromkeys(text for text in texts if text))
