"""A document made of paragraphs, and candidates written as short lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kgsite.config.settings import Settings
from kgsite.extract.assemble import assemble
from kgsite.extract.extractor import ExtractJob
from kgsite.model import (
    Block,
    Chunk,
    ChunkExtraction,
    Document,
    DocumentGraph,
    Entity,
    Evidence,
    Extraction,
    Provenance,
    Relation,
    Source,
    SourcePath,
)

DOCUMENT_ID = "4499b582-e9ea-5b81-a0d4-439f4365282a"
Assemble = Callable[..., DocumentGraph]


def blocks_of(text: str) -> tuple[Block, ...]:
    blocks, start = [], 0
    for part in text.split("\n\n"):
        kind = "heading" if part.startswith("# ") else "paragraph"
        blocks.append(Block(start, start + len(part), kind, page=len(blocks) + 1))
        start += len(part) + 2
    return tuple(blocks)


def entity(line: str) -> Entity:
    """ "name / type / description / alias, alias" """
    name, type_name, description, aliases = ([part.strip() for part in line.split("/")] + ["", "", ""])[:4]
    return Entity(name, type_name, description, aliases=tuple(part.strip() for part in aliases.split(",") if part))


def relation(line: str, strength: float = 5.0) -> Relation:
    """ "source > predicate > target | quote"; types are "thing" """
    statement, _, quote = line.partition(" | ")
    source, predicate, target = (part.strip() for part in statement.split(">"))
    evidence = (Evidence(quote),) if quote else ()
    return Relation(source, "thing", target, "thing", predicate, strength=strength, evidence=evidence)


@pytest.fixture
def build(tmp_path: Path) -> Assemble:
    def run(
        text: str,
        chunks: list[tuple[list[str], list[str]]],
        *,
        language: str = "en",
        settings: Settings | None = None,
        path: str = "notes/a_small-file.md",
        extraction: dict[str, object] | None = None,
        **document: object,
    ) -> DocumentGraph:
        """One chunk for each pair of entity lines and relation lines, over paragraphs in turn (the last takes the rest)."""
        blocks = blocks_of(text)
        spans = [
            (blocks[min(i, len(blocks) - 1)].start, blocks[min(i, len(blocks) - 1)].end) for i in range(len(chunks))
        ]
        spans[-1] = (spans[-1][0], len(text))
        parts = tuple(Chunk(f"c{i}", i, text[a:b], a, b, 1, own_start=a) for i, (a, b) in enumerate(spans))
        found = tuple(
            ChunkExtraction(f"c{i}", tuple(map(entity, names)), tuple(map(relation, lines)))
            for i, (names, lines) in enumerate(chunks)
        )
        source = Source(SourcePath(path), "markdown", None)
        job = ExtractJob(Document(DOCUMENT_ID, source, text, blocks, **document), parts, language)
        return assemble(
            job,
            Extraction(found, **(extraction or {})),
            settings=settings or Settings(tmp_path),
            provenance=Provenance(SourcePath(path)),
        )

    return run
