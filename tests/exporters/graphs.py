"""A small document graph with everything that formats choke on, and the collection of it."""

from __future__ import annotations

from pathlib import Path

from kgsite.collection import Permalinks, merge
from kgsite.collection.layout import layouts
from kgsite.config.settings import Settings, SiteSettings
from kgsite.model import (
    Block,
    Chunk,
    Collection,
    Community,
    DocumentGraph,
    Entity,
    Evidence,
    FrontMatter,
    GraphChunk,
    GraphSchema,
    Provenance,
    Relation,
    SourcePath,
)

TEXT = 'Ada Northgate founded Lumen Works in Port Meridian.\n\nLumen Works built the =Blue "Lamp" & <Co>.'
FIRST = (0, 51)
SECOND = (53, len(TEXT))
DOCUMENT = "6e1c1c5e-2a86-5bb0-9a6f-3c1b86a7d9a1"
HOSTILE = (
    '=HYPERLINK("http://x","y")',
    "+1+1",
    "-2",
    "@SUM(A1)",
    "＝1",
    "<script>window.__x=1</script>",
    "`back`tick \\u0060",
    "quo\"te 'single' \\slash",
    "line\nbreak\ttab",
    "nul\x00 esc\x1b[31m \ufffe",
    "Ünï 🚀 日本",
    "&amp; ]]> --> </script>",
)
"""Names that are formulas, markup, escapes or no text in some format."""


def settings(root: Path, **site: object) -> Settings:
    given = {"title": "Lamps", "base_url": "https://example.org/lamps/", **site}
    return Settings(root=root, site=SiteSettings(**given))  # type: ignore[arg-type]


def _chunk(number: int, span: tuple[int, int]) -> Chunk:
    start, end = span
    return Chunk(f"chunk-{number}", number, TEXT[start:end], start, end, 12, page_number=number + 1, own_start=start)


def document() -> DocumentGraph:
    """Twelve hostile names around three plain ones: 15 entities, 16 relations, 2 communities, 2 chunks."""
    founded = TEXT[:51]
    entities = [
        Entity("Ada Northgate", "person", "A maker of lamps.", "e-ada", ("chunk-0",), 0, ("A. Northgate",)),
        Entity("Lumen Works", "organization", "", "e-lumen", ("chunk-0", "chunk-1"), 0, (), {"founded": "1890"}),
        Entity("Port Meridian", "place", "", "e-port", ("chunk-0",), 1),
    ]
    entities += [
        Entity(name, "odd `type`", f"described: {name}", f"e-{number}", ("chunk-1",), 1)
        for number, name in enumerate(HOSTILE)
    ]
    quote = Evidence(founded, "chunk-0", 0, 51, verified=True, page=1)
    lost = Evidence("not in the text", "chunk-0")
    relations = [
        _relation("Ada Northgate", "person", "founded", "Lumen Works", "organization", 8.5, (quote, lost), ("chunk-0",)),
        _relation("Ada Northgate", "person", "led", "Lumen Works", "organization", 5.0, (), ("chunk-0",)),
        _relation("Lumen Works", "organization", "located in", "Port Meridian", "place", 6.0, (quote,), ("chunk-0",)),
        Relation(
            "Ada Northgate", "person", "Port Meridian", "place", "located in", "", 3.0, "r-inferred",
            inferred=True, method="transitive", via="Lumen Works",
        ),
    ]  # fmt: skip
    relations += [
        _relation("Lumen Works", "organization", f"made `it` {number}", name, "odd `type`", 5.0, (), ("chunk-1",))
        for number, name in enumerate(HOSTILE)
    ]
    found = (entities[0], entities[1])
    return DocumentGraph(
        id=DOCUMENT,
        title="Lamps of Port Meridian",
        summary="How Ada Northgate came to make lamps.",
        language="en",
        url="https://example.org/source",
        schema=GraphSchema(("person", "organization", "place"), ("founded",), "as declared"),
        entities=tuple(entities),
        relations=tuple(relations),
        communities=(
            Community(
                0, ("Makers", "Lamps"), "Who made lamps.", ("Ada Northgate::person", "Lumen Works::organization")
            ),
            Community(1, ("Port",), "", ("Port Meridian::place",)),
        ),
        chunks=(
            GraphChunk(_chunk(0, FIRST), found, (relations[0],), "ok", "Ada made a firm."),
            GraphChunk(_chunk(1, SECOND), (), (), "empty"),
        ),
        provenance=Provenance(SourcePath("lamps.txt"), "aa", "bb", "offline", "", "2026-01-02", "2026-01-03"),
        text=TEXT,
        blocks=(Block(*FIRST, "paragraph", page=1), Block(*SECOND, "paragraph", page=2)),
        meta=FrontMatter(license="CC-BY-4.0"),
    )


def _relation(
    source: str, source_type: str, predicate: str, target: str, target_type: str, strength: float,
    evidence: tuple[Evidence, ...], chunks: tuple[str, ...],
) -> Relation:  # fmt: skip
    number = f"r-{predicate}-{target}"
    return Relation(
        source, source_type, target, target_type, predicate, f"{source} {predicate}", strength, number, chunks, evidence
    )


def collection(root: Path) -> Collection:
    made = merge([document()], settings=settings(root), permalinks=Permalinks())
    from dataclasses import replace

    return replace(made, layouts=layouts(made, {}))
