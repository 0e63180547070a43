"""Whole documents: blocks, chunks, evidence, odd input, determinism."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgsite.extract.extractor import ExtractJob
from kgsite.extract.offline.english import EnglishExtractor
from kgsite.extract.offline.english.passages import passages
from kgsite.model import Block, BlockKind, Chunk, Document, Extraction, Source, SourcePath

pytestmark = pytest.mark.skipif(
    EnglishExtractor().available() is not None, reason="the extra kgsite[offline] is not installed"
)


def document(*blocks: tuple[BlockKind, str]) -> Document:
    text, made = "", []
    for kind, body in blocks:
        text += "\n\n" if text else ""
        made.append(Block(len(text), len(text) + len(body), kind))
        text += body
    return Document("d", Source(SourcePath("d.txt"), "text", None), text, tuple(made), language="en")


def paragraphs(*texts: str) -> Document:
    return document(*[("paragraph", text) for text in texts])


def run(item: Document, chunks: tuple[Chunk, ...] | None = None) -> Extraction:
    whole = (Chunk("c0", 0, item.text, 0, len(item.text), 1),)
    [(_, outcome)] = EnglishExtractor().extract([ExtractJob(item, chunks if chunks is not None else whole, "en")])
    assert isinstance(outcome, Extraction), outcome
    return outcome


def test_only_prose_is_read() -> None:
    item = document(
        ("heading", "Anna Berg sold Norvik"),
        ("table", "Anna Berg bought Brightleaf"),
        ("code", "Anna Berg visited Oslo."),
        ("list", "Anna Berg founded the Kestrel Museum."),
        ("quote", "Peter Lund sold the Wexford Mill."),
    )
    found = {(r.source, r.target) for r in run(item).chunks[0].relations}
    assert found == {("Anna Berg", "Kestrel Museum"), ("Peter Lund", "Wexford Mill")}


def test_each_statement_belongs_to_the_chunk_whose_own_span_holds_its_sentence() -> None:
    item = paragraphs("Anna Berg founded a museum.", "Peter Lund sold the mill.", "She moved to Oslo.")
    first, second, third = item.blocks
    chunks = (
        Chunk("a", 0, item.text[: first.end], 0, first.end, 5),
        Chunk("b", 1, item.text[: second.end], 0, second.end, 9, own_start=second.start),  # overlaps with a
        Chunk("c", 2, item.text[second.start :], second.start, third.end, 9, own_start=third.start, page_number=7),
    )
    found = [{(r.source, r.type, r.target) for r in chunk.relations} for chunk in run(item, chunks).chunks]
    assert found == [
        {("Anna Berg", "found", "museum")},
        {("Peter Lund", "sell", "mill")},
        {("Anna Berg", "move to", "Oslo")},
    ]
    evidence = run(item, chunks).chunks[2].relations[0].evidence[0]
    assert (evidence.chunk_id, evidence.page, evidence.text) == ("c", 7, "She moved to Oslo.")


def test_evidence_is_the_exact_sentence() -> None:
    item = paragraphs(
        "  “Anna Berg founded\na museum.” Peter’s firm — Norvik — sold the mill to Brightleaf. 🚀 Ida Krog left Oslo."
    )
    relations = run(item).chunks[0].relations
    assert relations
    for relation in relations:
        for evidence in relation.evidence:
            assert evidence.start is not None
            assert item.text[evidence.start : evidence.end] == evidence.text
            assert evidence.verified
            assert evidence.text == evidence.text.strip()


def test_endless_sentences_are_quoted_in_part() -> None:
    tail = " and ".join(f"the {word} valley near the old mill" for word in ["upper", "lower", "green", "dry"] * 6)
    item = paragraphs(f"Anna Berg founded a museum in Oslo, which overlooks {tail}.")
    relations = run(item).chunks[0].relations
    assert relations
    for relation in relations:
        [evidence] = relation.evidence
        assert len(evidence.text) <= 1300
        assert item.text[evidence.start : evidence.end] == evidence.text
    assert any(r.target == "museum" and "Anna Berg founded a museum" in r.evidence[0].text for r in relations)


def test_words_divided_at_line_ends_are_whole_in_names() -> None:
    item = paragraphs(
        "The ministry buys renew-\nable energy from the long-\nterm reserve.\nThe ministry sells renewable fuels."
    )
    texts = [passage.text for passage in passages(item)]
    assert "renewable energy" in texts[0]
    assert "long-term reserve" in texts[0]
    [relation] = [r for r in run(item).chunks[0].relations if r.target == "renewable energy"]
    assert relation.evidence[0].text == item.text[: item.text.index("\n", 60)]


def test_contents_lists_and_running_heads_are_not_prose() -> None:
    contents = "Executive Summary\n1\nFraming Risk\n4\nAudience\n9\nCore\n20"
    item = paragraphs(
        contents,
        "Anna Berg, who lived in the north of the country, founded\n12\nPage 3\na museum of modern art in the old harbour of Oslo.",
    )
    [passage] = passages(item)
    assert passage.block == 1
    assert "founded a museum" in passage.text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "—…!!! ??? ;;;",
        "🚀🚀🚀 👩‍🚀",
        "((((((((",
        '"“‘"’”' * 50,
        "1 2 3 4 5 " * 200,
        "a",
        "A.",
        "www.example.org x@y.org",
        "\u200b\u200b",
    ],
)
def test_odd_text_gives_nothing_and_no_error(text: str) -> None:
    result = run(paragraphs(text))
    assert result.chunks[0].relations == ()


def test_no_blocks_and_no_chunks() -> None:
    item = Document("d", Source(SourcePath("d"), "text", None), "", ())
    assert run(item).chunks[0].status == "empty"
    assert run(paragraphs("Anna Berg founded a museum."), ()).chunks == ()


def test_a_long_paragraph_is_read_in_pieces() -> None:
    sentence = "Anna Berg founded the Kestrel Museum in Oslo. "
    item = paragraphs(sentence * 4500)  # 207,000 characters
    pieces = list(passages(item))
    assert max(len(piece.text) for piece in pieces) <= 3000
    assert "".join(piece.text for piece in pieces) == item.text
    assert all(item.text.startswith(piece.text, piece.origins[0]) for piece in pieces)


def test_a_long_paragraph_without_a_space_is_cut_anyway() -> None:
    item = paragraphs("Anna founded " + "x" * 20_000 + " in Oslo today")
    assert sum(len(piece.text) for piece in passages(item)) == len(item.text)
    run(item)


def test_nested_quotes_and_lists_of_lists() -> None:
    names = ", ".join(f"Anna{chr(97 + k % 26)}{chr(97 + k // 26)} Berg" for k in range(60))
    run(paragraphs(f"“‘“{names}” and {names}’ met {names},” said {names} (who “knew” {names})."))


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(max_size=300))
def test_any_text_gives_verbatim_evidence(text: str) -> None:
    item = paragraphs(text)
    for chunk in run(item).chunks:
        for relation in chunk.relations:
            assert all(e.text == item.text[e.start : e.end] for e in relation.evidence)


def test_same_result_every_time_and_under_any_hash_seed() -> None:
    code = (
        "import sys; sys.path.insert(0, 'tests/offline_english');"
        "from kgsite.extract.offline.english import EnglishExtractor;"
        "from kgsite.extract.extractor import ExtractJob;"
        "from kgsite.model import *;"
        "t = 'Anna Berg and Peter Lund founded a museum in Oslo. They sold Norvik (NVK). Her firm, a bank, lent it money.';"
        "d = Document('d', Source(SourcePath('d'), 'text', None), t, (Block(0, len(t), 'paragraph'),));"
        "[(_, e)] = EnglishExtractor().extract([ExtractJob(d, (Chunk('c', 0, t, 0, len(t), 1),), 'en')]);"
        "print(e)"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "77")
    }
    assert len(outputs) == 1
    assert "Oslo" in outputs.pop()
