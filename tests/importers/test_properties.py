"""Any JSON value loads or is refused with ImportGraphError, and what loads can be stored and merged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgsite.collection import Permalinks, merge
from kgsite.config.settings import Settings
from kgsite.errors import ImportGraphError
from kgsite.graphfile import dump
from kgsite.graphfile import load as load_native
from kgsite.importers import import_graph
from kgsite.importers.found import Passage
from kgsite.importers.texts import align, joined
from kgsite.model import Provenance, Source, SourcePath

KEYS = [
    "entities",
    "relations",
    "graph",
    "communities",
    "clusters",
    "chunks",
    "documents",
    "content",
    "consolidated",
    "schema",
    "nodes",
    "links",
    "edges",
    "elements",
    "data",
    "triples",
    "subject",
    "predicate",
    "object",
    "name",
    "type",
    "label",
    "text",
    "id",
    "source",
    "target",
    "community_id",
    "chunk_ids",
    "chunk_idx",
    "members",
    "topics",
    "description",
    "strength",
    "evidence",
    "start",
    "end",
    "aliases",
    "attributes",
    "properties",
    "title",
    "language",
    "stats",
    "run",
    "url",
    "document",
    "kgsite",
    "format",
    "inferred",
    "method",
    "via",
    "chunk",
    "group",
]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**6), 10**6),
    st.integers(min_value=10**18),
    st.floats(),
    st.sampled_from(["A", "a", "B", "A::t", "", " ", "\u200b", "\ud800", "1", "constructor", "</script>", "c1"]),
    st.text(max_size=8),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.dictionaries(st.one_of(st.sampled_from(KEYS), st.text(max_size=3)), inner, max_size=6),
    ),
    max_leaves=40,
)
ROWS = st.lists(st.one_of(SCALARS, st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6)), max_size=6)
GRAPHS = st.one_of(
    VALUES,
    st.dictionaries(st.sampled_from(["entities", "relations", "nodes", "links", "chunks", "communities"]), ROWS),
    st.fixed_dictionaries(
        {
            "graph": st.dictionaries(st.sampled_from(["entities", "relations", "communities", "clusters"]), ROWS),
            "chunks": ROWS,
        }
    ),
    st.lists(st.fixed_dictionaries({"subject": SCALARS, "predicate": VALUES, "object": SCALARS, "source": SCALARS})),
)


@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(tree=GRAPHS)
def test_any_value_loads_or_is_refused(tree: object, tmp_path: Path) -> None:
    path = tmp_path / "any.json"
    path.write_text(json.dumps(tree), encoding="utf-8")
    source = Source(SourcePath("any.json"), "graph", path)
    try:
        graph = import_graph(source, provenance=Provenance(source.path), settings=Settings(root=tmp_path))
    except ImportGraphError as error:
        assert error.at is not None  # noqa: PT017 - it may be raised, it need not
        return
    stored = dump(graph)
    assert dump(load_native(stored)) == stored
    known = {(entity.name, entity.type) for entity in graph.entities}
    assert len({entity.id for entity in graph.entities}) == len(graph.entities)
    for relation in graph.relations:
        assert {(relation.source, relation.source_type), (relation.target, relation.target_type)} <= known
    merge([graph], settings=Settings(root=tmp_path), permalinks=Permalinks())


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=60), suffix=st.sampled_from([".json", ".gml", ".graphml", ".gexf"]))
def test_any_bytes_load_or_are_refused(data: bytes, suffix: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / f"bytes{suffix}"
    path.write_bytes(data)
    source = Source(SourcePath(path.name), "graph", path)
    try:
        dump(import_graph(source, provenance=Provenance(source.path), settings=Settings(root=path.parent)))
    except ImportGraphError as error:
        assert error.at is not None  # noqa: PT017 - it may be raised, it need not


@given(text=st.text(alphabet="ab .\n", min_size=30, max_size=300), size=st.integers(20, 60), shared=st.integers(8, 15))
def test_overlapping_passages_come_together_again(text: str, size: int, shared: int) -> None:
    parts = [text[max(0, at - shared) : at + size] for at in range(0, len(text), size)]
    found, spans = joined([Passage((), part) for part in parts], None)
    assert all(found[start:end] == part for part, (start, end) in zip(parts, spans, strict=True))
    assert len(found) <= len(text)


@given(text=st.text(alphabet="ab \n-", max_size=200), gone=st.sets(st.integers(0, 199)))
def test_aligned_positions_never_go_back(text: str, gone: set[int]) -> None:
    shorter = "".join(char for at, char in enumerate(text) if at not in gone)
    to = align(text, shorter)
    assert list(to) == sorted(to)
    assert to[-1] >= len(shorter.rstrip())
