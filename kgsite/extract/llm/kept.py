"""The schema in force: declared in site.toml, or discovered before and kept in a file. Light: no request is made here."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path

from kgsite.config.settings import Settings
from kgsite.errors import ConfigError
from kgsite.extract.schema import Schema, load_schema
from kgsite.extract.schema_rules import declared_schema


def schema_file(settings: Settings, document_id: str = "") -> Path:
    """Where a discovered schema is kept: the site's, or that of one document."""
    state = settings.root / ".kgsite"
    return state / "schemas" / f"{document_id}.toml" if document_id else state / "schema.toml"


def discovers(settings: Settings) -> bool:
    """Whether types are to be discovered: switched on, and none are declared."""
    declared = settings.schema.path or settings.schema.entity_types or settings.schema.relation_types
    return bool(settings.schema.discover) and not declared


def kept_schema(settings: Settings, document_id: str = "") -> Schema | None:
    """The schema in force without asking anybody, or None when it has yet to be discovered. Raises ConfigError."""
    if not discovers(settings):
        return declared_schema(settings)
    file = schema_file(settings, document_id if settings.schema.discover == "document" else "")
    return load_schema(file) if file.is_file() else None


def fingerprint(settings: Settings) -> str:
    """What of the schema belongs into the settings fingerprint.

    A schema that is as it was discovered counts by its revision only, so that the build that discovers it and the
    next one agree; one that somebody edited counts by its content.
    """
    if not discovers(settings):
        return hashlib.sha256(repr(declared_schema(settings)).encode()).hexdigest()
    if settings.schema.discover == "document":
        return "discovered for each document"
    file = schema_file(settings)
    try:
        value = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return "discovered 1"
    except (OSError, ValueError) as error:
        raise ConfigError(
            "the discovered schema can't be read", hint="delete .kgsite/schema.toml to have it discovered again"
        ) from error
    schema = load_schema(value, at=file.name)
    if value.get("checksum") == checksum(schema):
        return f"discovered {value.get('revision', 1)}"
    return hashlib.sha256(repr(schema).encode()).hexdigest()


def checksum(schema: Schema) -> str:
    """What tells a discovered schema from an edited one."""
    return hashlib.sha256(repr((schema.entity_types, schema.relation_types)).encode()).hexdigest()[:16]
