"""Document graphs written as short lines."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from kgsite.collection import Permalinks, merge
from kgsite.config.settings import Settings
from kgsite.model import (
    NAMESPACE,
    Collection,
    DocumentGraph,
    Entity,
    Evidence,
    FrontMatter,
    GraphSchema,
    Provenance,
    Relation,
    SourcePath,
)


def entity(document: str, line: str) -> Entity:
    """ "name / type / alias, alias" """
    name, type_name, aliases = ([part.strip() for part in line.split(" / ")] + ["", ""])[:3]
    made = str(uuid.uuid5(uuid.UUID(document), f"{name}|{type_name}"))
    listed = tuple(part.strip() for part in aliases.split(",") if part)
    return Entity(name, type_name or "thing", f"{name} of {document[:4]}", made, aliases=listed)


def relation(line: str, types: dict[str, str]) -> Relation:
    """ "source > predicate > target | quote" """
    statement, _, quote = line.partition(" | ")
    source, predicate, target = (part.strip() for part in statement.split(" > "))
    evidence = (Evidence(quote, "", 0, len(quote), True),) if quote else ()
    return Relation(
        source, types.get(source, "thing"), target, types.get(target, "thing"), predicate, evidence=evidence
    )


def document(
    path: str,
    entities: list[str],
    relations: list[str] = [],  # noqa: B006 - never changed
    *,
    language: str = "en",
    text: str = "",
    title: str = "",
    slug: str | None = None,
) -> DocumentGraph:
    made = str(uuid.uuid5(NAMESPACE, path))
    things = tuple(entity(made, line) for line in entities)
    types = {one.name: one.type for one in things}
    return DocumentGraph(
        id=made,
        title=title,
        summary="",
        language=language,
        url=None,
        schema=GraphSchema(),
        entities=things,
        relations=tuple(relation(line, types) for line in relations),
        communities=(),
        chunks=(),
        provenance=Provenance(SourcePath(path)),
        text=text,
        meta=FrontMatter(slug=slug),
    )


@pytest.fixture
def collect(tmp_path: Path) -> Callable[..., Collection]:
    def run(*graphs: DocumentGraph, permalinks: Permalinks | None = None) -> Collection:
        return merge(graphs, settings=Settings(tmp_path), permalinks=permalinks or Permalinks())

    return run


@pytest.fixture
def doc() -> Callable[..., DocumentGraph]:
    return document
