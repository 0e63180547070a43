"""A small collection by hand, and synthetic graphs from benchmarks/make_graph.py."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kgsite.collection.layout import layouts
from kgsite.model import (
    Block,
    Collection,
    CollectionCommunity,
    CollectionEntity,
    Community,
    DocumentGraph,
    Entity,
    Evidence,
    Fact,
    FactEvidence,
    GraphSchema,
    Provenance,
    Slug,
    SourcePath,
)


@pytest.fixture
def ada() -> Collection:
    """Two documents, three things, three facts; names that must not become markup."""
    text = "Ada\n\nAda wrote Note G.\n\nBabbage knew Ada."
    blocks = (Block(0, 3, "heading", 1), Block(5, 22, "paragraph", page=2), Block(24, 41, "paragraph", page=3))
    entities = (
        Entity("Ada", "person", id="a1", community_id=0),
        Entity("Note G", "work", id="a2", community_id=0),
        Entity("Babbage", "person", id="a3", community_id=1),
    )
    communities = (Community(0, ("Notes",)), Community(1, ("Engines",)))
    documents = (
        DocumentGraph("d1", "Ada's <life>", "About Ada & 東京大学.", "en", None, GraphSchema(), entities, (), communities, (), Provenance(SourcePath("a.md")), text, blocks),
        DocumentGraph("d2", "", "", "en", None, GraphSchema(), entities[:1], (), (), (), Provenance(SourcePath("b.txt"))),
    )  # fmt: skip
    things = (
        CollectionEntity("ada", Slug("ada"), "Ada", "person", aliases=("Countess",), descriptions=(("Wrote the first program.", "d1"),), documents=("d1", "d2"), degree=2, community=0),
        CollectionEntity("babbage", Slug("babbage"), "</script><b>Babbage", "person", documents=("d1",), degree=1, community=1),
        CollectionEntity("note g", Slug("note-g"), "Note\ud800 G", "work", documents=("d1",), degree=1, community=0),
    )  # fmt: skip
    verified = FactEvidence("d1", Evidence("Ada wrote Note G.", "c1", 5, 22, True, 2))
    facts = (
        Fact("ada", "note g", "wrote", ("d1",), float("nan"), evidence=(FactEvidence("d1", Evidence("unverified words")), verified)),
        Fact("babbage", "ada", "knew", ("d1", "d2"), 7.6, evidence=(FactEvidence("d2", Evidence("Babbage knew Ada.")),)),
        Fact("babbage", "note g", "read", ("d1",), inferred=True, methods=("transitive",)),
    )  # fmt: skip
    collected = (
        CollectionCommunity(0, Slug("notes"), "Notes", ("Notes", "Programs"), "", ("ada", "note g")),
        CollectionCommunity(1, Slug("engines"), "Engines", ("Engines",), "", ("babbage",)),
    )
    of = {"a1": "ada", "a2": "note g", "a3": "babbage"}
    plain = Collection(documents, {"d1": Slug("ada's"), "d2": Slug("b")}, things, facts, collected, of)
    return replace(plain, layouts=layouts(plain, {}))
