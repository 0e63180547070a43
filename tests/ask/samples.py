"""The Marie Curie and Apollo samples as collections, and small graphs made by hand.

The samples are triples as ai-knowledge-graph writes them (see data/ABOUT.md).
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from kgsite.collection import Permalinks, merge
from kgsite.config.settings import Settings
from kgsite.importers import import_graph
from kgsite.model import (
    NAMESPACE,
    Block,
    Chunk,
    Collection,
    Community,
    DocumentGraph,
    Entity,
    Evidence,
    GraphChunk,
    GraphSchema,
    Provenance,
    Relation,
    Source,
    SourcePath,
)

DATA = Path(__file__).parent / "data"


def identity(*parts: str) -> str:
    return str(uuid.uuid5(NAMESPACE, "\0".join(parts)))


def document(
    path: str,
    text: str,
    triples: Sequence[dict[str, Any]],
    *,
    title: str = "",
    language: str = "en",
    communities: tuple[Community, ...] = (),
    aliases: dict[str, tuple[str, ...]] | None = None,
) -> DocumentGraph:
    """A document graph of triples; evidence is placed where the text has it."""
    own = identity(path)
    types: dict[str, str] = {}
    for triple in triples:
        for end in ("subject", "object"):
            types.setdefault(triple[end], triple.get(f"{end}_type", "concept"))
    entities = tuple(
        Entity(name, kind, id=identity(own, name, kind), aliases=(aliases or {}).get(name, ()))
        for name, kind in sorted(types.items())
    )
    chunk = Chunk(identity(own, "chunk"), 0, text, 0, len(text), max(1, len(text) // 4), 1)
    relations = []
    for number, triple in enumerate(triples):
        quote = triple.get("source", "")
        at = text.find(quote) if quote else -1
        evidence = Evidence(
            quote, chunk.id, at if at >= 0 else None, at + len(quote) if at >= 0 else None, at >= 0, triple.get("page")
        )
        relations.append(
            Relation(
                triple["subject"], types[triple["subject"]], triple["object"], types[triple["object"]], triple["predicate"],
                id=identity(own, "relation", str(number)), evidence=(evidence,) if quote else (),
                inferred=triple.get("inferred", False), method=triple.get("method", ""), strength=triple.get("strength", 5.0),
            )
        )  # fmt: skip
    blocks, start = [], 0
    for paragraph in text.split("\n\n"):
        blocks.append(Block(start, start + len(paragraph), "paragraph"))
        start += len(paragraph) + 2
    return DocumentGraph(
        own, title or path, "", language, None, GraphSchema(), entities, tuple(relations), communities,
        (GraphChunk(chunk),), Provenance(SourcePath(path)), text, tuple(blocks) if text else (),
    )  # fmt: skip


def collected(*graphs: DocumentGraph) -> Collection:
    return merge(graphs, settings=Settings(Path()), permalinks=Permalinks())


def sample_document(name: str) -> DocumentGraph:
    """A sample as `kgsite build` imports it; kgsite shows its lower-cased names in title case."""
    file = DATA / f"{name}.json"
    path = SourcePath(file.name)
    source = Source(path, "graph", file, size=file.stat().st_size)
    return import_graph(source, provenance=Provenance(path), settings=Settings(DATA))


@lru_cache(maxsize=1)
def samples() -> Collection:
    """Marie Curie and Apollo in one collection."""
    return collected(sample_document("marie-curie"), sample_document("apollo-program"))
