"""The graph file: what is written comes back, the same graph gives the same bytes, anything else is refused."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgsite.errors import ImportGraphError
from kgsite.graphfile import dump, load
from kgsite.model import (
    Block,
    Chunk,
    Community,
    DocumentGraph,
    Entity,
    Evidence,
    FrontMatter,
    GraphChunk,
    GraphSchema,
    Mark,
    Provenance,
    Relation,
    SourcePath,
)

words = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
numbers = st.integers(0, 2**40)
maybe = st.none() | numbers


def mappings(values: st.SearchStrategy[object]) -> st.SearchStrategy[dict[str, object]]:
    return st.dictionaries(words, values, max_size=3)


def several(values: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(values, max_size=3).map(tuple)


evidence = st.builds(Evidence, words, words, maybe, maybe, st.booleans(), maybe)
entities = st.builds(Entity, words, words, words, words, several(words), maybe, several(words), mappings(words))
relations = st.builds(
    Relation,
    words,
    words,
    words,
    words,
    words,
    words,
    st.floats(1, 10),
    words,
    several(words),
    several(evidence),
    st.booleans(),
    words,
    words,
)
meta = st.builds(
    FrontMatter,
    st.none() | words,
    st.none() | words,
    st.none() | words,
    several(words),
    st.none() | words,
    st.none() | words,
    several(words),
    st.booleans(),
    st.none() | words,
    st.none() | words,
    st.none() | words,
    mappings(words),
)


@st.composite
def graphs(draw: Callable[..., object]) -> DocumentGraph:
    text = draw(st.text(st.characters(exclude_categories=("Cs",)), max_size=200))
    spans = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
    foreign = draw(st.booleans()) and draw(st.booleans())
    chunks = []
    for index, (start, end) in enumerate(draw(st.lists(spans, max_size=5))):
        own = draw(words) if foreign else text[start:end]
        chunk = Chunk(f"c{index}", index, own, start, end, draw(numbers), draw(maybe), draw(words), start)
        status = draw(st.sampled_from(("ok", "empty", "failed")))
        chunks.append(GraphChunk(chunk, draw(several(entities)), draw(several(relations)), status, draw(words)))
    kinds = st.sampled_from(("heading", "paragraph", "table"))
    cells = several(several(spans.map(tuple)))
    blocks = tuple(
        Block(start, end, draw(kinds), 1, draw(maybe), draw(words), draw(st.booleans()), draw(cells))
        for start, end in draw(st.lists(spans, max_size=3))
    )
    marks = tuple(Mark(start, end, "link", draw(words)) for start, end in draw(st.lists(spans, max_size=3)))
    return DocumentGraph(
        id=draw(words),
        title=draw(words),
        summary=draw(words),
        language="en",
        url=draw(st.none() | words),
        schema=draw(st.builds(GraphSchema, several(words), several(words), words)),
        entities=draw(several(entities)),
        relations=draw(several(relations)),
        communities=draw(several(st.builds(Community, numbers, several(words), words, several(words)))),
        chunks=tuple(chunks),
        provenance=draw(st.builds(Provenance, words.map(SourcePath), words, words, words, words, words, words)),
        text=text,
        blocks=blocks,
        marks=marks,
        meta=draw(meta),
        n_pages=draw(maybe),
        notes=draw(several(words)),
        dropped=draw(mappings(numbers)),
    )


def small(**changes: object) -> DocumentGraph:
    text = "Ada met Bo.\n\nBo left for Rome."
    first = Chunk("c0", 0, text[:11], 0, 11, 4, 1, "Meeting", 0)
    second = Chunk("c1", 1, text[8:], 8, len(text), 6, 2, "", 13)
    quote = Evidence("Ada met Bo.", "c0", 0, 11, True, 1)
    fields = {
        "id": "d",
        "title": "Ada",
        "summary": "",
        "language": "en",
        "url": None,
        "schema": GraphSchema(("person",), ("meet",)),
        "entities": (Entity("Ada", "person", "", "e1", ("c0",)), Entity("Bo", "person", "", "e2", ("c0", "c1"))),
        "relations": (Relation("Ada", "person", "Bo", "person", "meet", "", 7.5, "r1", ("c0",), (quote,)),),
        "communities": (Community(0, ("Ada",), "2 entities", ("Ada::person", "Bo::person")),),
        "chunks": (GraphChunk(first, (Entity("Ada", "person"),)), GraphChunk(second, status="empty")),
        "provenance": Provenance(SourcePath("a/ada.md"), "aa", "bb", "offline", "", "2026-01-01", "2026-01-02"),
        "text": text,
        "blocks": (Block(0, 11, "paragraph"), Block(13, len(text), "paragraph", page=2)),
    }
    return DocumentGraph(**(fields | changes))


@settings(max_examples=150, deadline=None)
@given(graphs())
def test_what_is_written_comes_back(graph: DocumentGraph) -> None:
    data = dump(graph)
    assert load(data) == graph
    assert dump(load(data)) == data


def test_top_level_is_knwlers_in_its_order() -> None:
    tree = json.loads(dump(small()))
    assert list(tree) == [
        "id", "title", "summary", "url", "language", "schema", "stats", "graph", "chunks", "kgsite",
    ]  # fmt: skip
    assert tree["stats"] == []
    assert tree["graph"]["relations"][0]["chunk_ids"] == ["c0"]
    assert set(tree["chunks"][0]) >= {"id", "chunk_idx", "text", "rephrase", "entities", "relations", "start", "end"}
    assert list(tree["graph"]) == sorted(tree["graph"])


def test_text_is_stored_once() -> None:
    text = "word " * 4000
    chunk = Chunk("c", 0, text, 0, len(text), 1)
    data = dump(small(text=text, chunks=(GraphChunk(chunk),), blocks=()))
    assert data.count(b"word word") < 2100
    assert load(data).text == text


def test_gaps_between_chunks_are_kept() -> None:
    text = "one\n\ntwo\n\nthree  "
    chunks = (GraphChunk(Chunk("a", 0, "one", 0, 3, 1)), GraphChunk(Chunk("b", 1, "three", 10, 15, 1)))
    data = dump(small(text=text, chunks=chunks, blocks=()))
    assert json.loads(data)["kgsite"]["text"]["gaps"] == [[3, "\n\ntwo\n\n"], [15, "  "]]
    assert load(data).text == text


def test_lone_surrogates_and_strengths_that_are_no_number_are_repaired() -> None:
    strange = small().relations[0].__class__("A\ud800B", "t", "b", "t", "x", strength=float("nan"))
    back = load(dump(small(relations=(strange,), title="\udfff")))
    assert back.relations[0].source == "A\ufffdB"
    assert back.relations[0].strength == 5.0
    assert back.title == "\ufffd"


def test_integers_that_json_readers_lose_are_refused() -> None:
    with pytest.raises(ImportGraphError, match="whole number"):
        dump(small(n_pages=10**5000))


def test_line_ends_and_indentation_may_change_on_the_way_through_git() -> None:
    data = dump(small())
    assert load(data.replace(b"\n", b"\r\n")) == small()
    assert load(json.dumps(json.loads(data), indent=4).encode()) == small()


def test_cut_files_are_refused_at_every_length() -> None:
    data = dump(small())
    for length in range(len(data) - 2):
        with pytest.raises(ImportGraphError):
            load(data[:length])


def test_a_flipped_bit_is_refused_or_changes_nothing() -> None:
    data = dump(small())
    whole = load(data)
    for place in range(len(data)):
        for bit in (0, 2, 5):
            damaged = bytearray(data)
            damaged[place] ^= 1 << bit
            try:
                back = load(bytes(damaged))
            except ImportGraphError:
                continue
            assert back == whole


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe{\x00}\x00", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"kgsite": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'{"id": NaN}', "not JSON"),
        (b'{"id": "\\ud800"}', "not JSON"),
        (b"[]", "kgsite wrote"),
        (b'{"entities": [], "relations": []}', "kgsite wrote"),
        (b'{"kgsite": {"format": 2}}', "format 2"),
        (b'{"kgsite": {}}', "format None"),
        (b'{"kgsite": {"format": 1}}', "id: expected"),
    ],
)
def test_foreign_files_are_refused(data: bytes, says: str) -> None:
    with pytest.raises(ImportGraphError, match=says) as caught:
        load(data, name="graphs/a.json")
    assert str(caught.value).startswith("graphs/a.json")


def test_a_wrong_value_is_named_with_its_path() -> None:
    tree = json.loads(dump(small()))
    tree["graph"]["entities"][1]["aliases"] = ["fine", 7]
    with pytest.raises(ImportGraphError, match=r"graph\.entities\[1\]\.aliases\[1\]: expected text, found a number"):
        load(json.dumps(tree).encode())


def test_blocks_outside_the_text_are_refused() -> None:
    tree = json.loads(dump(small()))
    tree["kgsite"]["blocks"][1]["end"] = 10_000
    with pytest.raises(ImportGraphError, match=r"kgsite\.blocks\[1\]"):
        load(json.dumps(tree).encode())


def test_an_edited_file_is_not_taken_for_the_extraction() -> None:
    data = dump(small()).replace(b'"Ada met Bo."', b'"Ada hit Bo."')
    with pytest.raises(ImportGraphError, match="changed after it was written"):
        load(data)
