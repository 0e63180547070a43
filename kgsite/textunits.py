"""Text units: chunks with links both ways, as GraphRAG models them (FORMATS.md section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kgsite.errors import ImportGraphError
from kgsite.model import Collection, DocumentGraph


@dataclass(frozen=True, slots=True)
class TextUnit:
    """A stretch of a document's text, and what was found in it."""

    id: str
    short_id: str | None = None  # its number for people
    text: str = ""
    entity_ids: tuple[str, ...] = ()
    relationship_ids: tuple[str, ...] = ()
    covariate_ids: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # type of covariate → ids
    n_tokens: int | None = None  # cl100k_base
    document_id: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)  # chunk_id, page_number, section, …

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> TextUnit:
        """A text unit from a dict: `to_dict`'s, or a row of GraphRAG's table (`human_readable_id` for `short_id`).

        Columns that are no field become attributes. Raises ImportGraphError when `id` is missing or a value is not
        of its field's type.
        """
        known = dict(row)
        number = known.pop("short_id", None)
        other = known.pop("human_readable_id", None)
        number = other if number is None else number
        attributes = dict(_mapping(known.pop("attributes", None), "attributes"))
        return cls(
            id=_id(known.pop("id", None)),
            short_id=None if number is None else str(number),
            text=str(known.pop("text", None) or ""),
            entity_ids=_ids(known.pop("entity_ids", None), "entity_ids"),
            relationship_ids=_ids(known.pop("relationship_ids", None), "relationship_ids"),
            covariate_ids=_covariates(known.pop("covariate_ids", None)),
            n_tokens=_count(known.pop("n_tokens", None)),
            document_id=_document(known),
            attributes={**known, **attributes},
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data that `from_dict` reads back as an equal text unit."""
        return {
            "id": self.id,
            "short_id": self.short_id,
            "text": self.text,
            "entity_ids": list(self.entity_ids),
            "relationship_ids": list(self.relationship_ids),
            "covariate_ids": {kind: list(ids) for kind, ids in self.covariate_ids.items()},
            "n_tokens": self.n_tokens,
            "document_id": self.document_id,
            "attributes": dict(self.attributes),
        }


def _wrong(what: str) -> ImportGraphError:
    return ImportGraphError(f"a text unit needs {what}", hint="see FORMATS: id, text, entity_ids, relationship_ids, …")


def _id(value: Any) -> str:
    if value is None or value == "" or isinstance(value, (dict, list, bool)):
        raise _wrong("an id")
    return str(value)


def _ids(value: Any, name: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise _wrong(f"a list as {name}")
    return tuple(str(one) for one in value)


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _wrong(f"an object as {name}")
    return value


def _covariates(value: Any) -> dict[str, tuple[str, ...]]:
    """`{type: ids}`; the table's plain list has no types and becomes the type "covariates"."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return {str(kind): _ids(ids, f"covariate_ids.{kind}") for kind, ids in value.items()}
    ids = _ids(value, "covariate_ids")
    return {"covariates": ids} if ids else {}


def _count(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value):
        raise _wrong("a whole number as n_tokens")
    return int(value)


def _document(row: dict[str, Any]) -> str | None:
    """`document_id`; the first of `document_ids` in tables of GraphRAG 1."""
    value = row.pop("document_id", None)
    if value is None and row.get("document_ids") is not None:
        several = _ids(row.pop("document_ids"), "document_ids")
        value = several[0] if several else None
    return None if value is None else str(value)


# ── from chunks ───────────────────────────────────────────────────────────────────────────────────
def text_units(graph: DocumentGraph, *, first: int = 0) -> tuple[TextUnit, ...]:
    """The chunks of a document graph as text units, in order; `short_id` counts from `first`."""
    entities = _by_chunk((entity.id, entity.chunk_ids) for entity in graph.entities)
    relations = _by_chunk((relation.id, relation.chunk_ids) for relation in graph.relations)
    return tuple(
        TextUnit(
            id=part.chunk.id,
            short_id=str(first + number),
            text=part.chunk.text,
            entity_ids=tuple(entities.get(part.chunk.id, ())),
            relationship_ids=tuple(relations.get(part.chunk.id, ())),
            n_tokens=part.chunk.n_tokens,
            document_id=graph.id,
            attributes={
                "chunk_id": part.chunk.id,
                "chunk_idx": part.chunk.chunk_idx,
                "start": part.chunk.start,
                "end": part.chunk.end,
                "page_number": part.chunk.page_number,
                "section": part.chunk.section,
                "status": part.status,
            },
        )
        for number, part in enumerate(graph.chunks)
    )


def _by_chunk(rows: Iterable[tuple[str, Sequence[str]]]) -> dict[str, dict[str, None]]:
    found: dict[str, dict[str, None]] = {}
    for number, chunk_ids in rows:
        for chunk_id in chunk_ids:
            found.setdefault(chunk_id, {})[number] = None
    return found


def text_units_json(collection: Collection) -> bytes:
    """`data/text_units.json`: the text units of all documents, and the links back from entities and relations.

    Ids are those of the document graphs under `data/documents/`.
    """
    import orjson

    from kgsite.jsoncodec import clean_text

    units: list[dict[str, Any]] = []
    entities: list[dict[str, Any]] = []
    relations: list[dict[str, Any]] = []
    for graph in collection.documents:
        present = {part.chunk.id for part in graph.chunks}
        for unit in text_units(graph, first=len(units)):
            row = unit.to_dict()
            row["text"] = clean_text(unit.text)
            row["attributes"]["section"] = clean_text(row["attributes"]["section"])
            units.append(row)
        entities += [
            {
                "id": entity.id,
                "name": clean_text(entity.name),
                "type": clean_text(entity.type),
                "text_unit_ids": [one for one in entity.chunk_ids if one in present],
            }
            for entity in graph.entities
        ]
        relations += [
            {
                "id": relation.id,
                "source": clean_text(relation.source),
                "target": clean_text(relation.target),
                "type": clean_text(relation.type),
                "text_unit_ids": [one for one in relation.chunk_ids if one in present],
            }
            for relation in graph.relations
        ]
    return orjson.dumps({"text_units": units, "entities": entities, "relationships": relations}) + b"\n"
