"""Schema discovery: the model proposes types once, and a file keeps them so that they do not drift.

`[schema] discover = "site"` keeps `.kgsite/schema.toml`, `"document"` one file for each document under
`.kgsite/schemas/`. Both are committed. A file that is there is used as it is, also after the text was edited.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any

from kgsite.config.settings import Settings
from kgsite.extract.llm.asking import ask_model
from kgsite.extract.llm.client import Ask, Client
from kgsite.extract.llm.context import TEXT, Questions, list_schema, object_schema
from kgsite.extract.llm.faults import Fault
from kgsite.extract.llm.kept import checksum, schema_file
from kgsite.extract.replies import Shape
from kgsite.extract.rows import text_of
from kgsite.extract.schema import EntityType, RelationType, Schema
from kgsite.model import Document
from kgsite.store import write_atomic

SAMPLED_DOCUMENTS = 3
_SAMPLE_CHARS = 2_400
_MOST_TYPES = 30
_RESPONSE = object_schema(
    {
        "entity_types": list_schema(object_schema({"label": TEXT, "description": TEXT})),
        "relation_types": list_schema(object_schema({"label": TEXT, "description": TEXT})),
        "reasoning": TEXT,
    }
)


def _place(row: Any) -> str:
    return "entity_types" if isinstance(row, (dict, str)) else ""


_SHAPE = Shape(("entity_types", "relation_types", "reasoning"), ("entity_types", "relation_types"), _place)


def discovery_ask(questions: Questions, documents: Sequence[Document]) -> Ask:
    """The request: start, middle and end of up to three documents."""
    passages = [
        f"[{number}]\n{part}"
        for number, part in enumerate((part for document in documents for part in samples(document.text)), 1)
    ]
    return questions.ask("schema", "schema", _RESPONSE, texts=True, expected=1200, passages="\n\n".join(passages))


def samples(text: str) -> list[str]:
    """Start, middle and end of a text, cut at white space; a short text as a whole."""
    if len(text) <= 3 * _SAMPLE_CHARS:
        return [text]
    middle = len(text) // 2 - _SAMPLE_CHARS // 2
    return [text[start : start + _SAMPLE_CHARS].strip() for start in (0, middle, len(text) - _SAMPLE_CHARS)]


async def discover(client: Client, questions: Questions, documents: Sequence[Document]) -> Schema | None:
    """Ask for a schema; None (with a warning) when no usable one came. Raises Halt."""
    try:
        outcome = await ask_model(client, discovery_ask(questions, documents), _SHAPE)
    except Fault as fault:
        client.warn(f"no schema could be discovered ({fault.message}); types are left to each request")
        return None
    if not outcome.reading.complete:
        client.warn("no schema could be discovered: the reply was unusable; types are left to each request")
        return None
    return proposed(outcome.value)


def proposed(value: Any) -> Schema:
    """A reply as a schema: labels cleaned, each once."""
    kinds = {label: EntityType(label, about) for label, about in _labels(value.get("entity_types"))}
    relations = {label: RelationType(label, description=about) for label, about in _labels(value.get("relation_types"))}
    return Schema(tuple(kinds.values()), tuple(relations.values()), reasoning=text_of(value.get("reasoning"), 600))


def _labels(rows: Any) -> list[tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for row in rows if isinstance(rows, list) else ():
        fields = row if isinstance(row, dict) else {"label": row}
        label = re.sub(r"->|<", " ", text_of(fields.get("label", fields.get("name")), 60)).replace("_", " ").strip()
        if label and len(found) < _MOST_TYPES:
            found.setdefault(label.casefold(), (label, text_of(fields.get("description"), 200)))
    return list(found.values())


def keep(schema: Schema, settings: Settings, document_id: str = "") -> None:
    """Write a discovered schema; a new one gets the next revision, which re-extracts the documents. Raises StoreError."""
    file = schema_file(settings, document_id)
    revision = 1
    if file.is_file():
        try:
            revision = int(tomllib.loads(file.read_text("utf-8")).get("revision", 1)) + 1
        except (OSError, ValueError, TypeError):
            revision = 2
    write_atomic(file, as_toml(schema, revision).encode())


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def as_toml(schema: Schema, revision: int) -> str:
    """A schema as `load_schema` reads it back."""
    lines = [
        "# Discovered by the model and kept, so that types do not drift. Edit it freely; documents are then",
        "# extracted again. Delete it to have a new one discovered.",
        f"revision = {revision}",
        f"checksum = {_quoted(checksum(schema))}",
        f"reasoning = {_quoted(schema.reasoning)}",
    ]
    for table, entries in (("entity_types", schema.entity_types), ("relation_types", schema.relation_types)):
        for entry in entries:
            lines += [
                "",
                f"[[{table}]]",
                f"label = {_quoted(entry.label)}",
                f"description = {_quoted(entry.description)}",
            ]
    return "\n".join(lines) + "\n"
