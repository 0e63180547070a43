"""The search index: loaded and asked as the browser does it."""

from __future__ import annotations

import json
import sys
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kgsite.errors import ConfigError
from kgsite.model import Collection
from kgsite.site import fulltext, search
from kgsite.site.search import search_index, words


def load(files: dict[str, bytes], name: str) -> Any:
    text = files[f"search/{name}.js"].decode("utf-8")
    start = f'kgsiteSearchShard("{name}",'
    assert text.startswith(start)
    assert text.endswith(");\n")
    return json.loads(text[len(start) : -3])


def ask(files: dict[str, bytes], query: str) -> list[dict[str, Any]]:
    """Texts that have a word beginning with each word of the query, as the docstring of search.py says."""
    index = load(files, "index")
    common: set[int] | None = None
    for word in words(query):
        hits: set[int] = set()
        for shard in range(max(0, bisect_right(index["words"], word) - 1), len(index["words"])):
            data = load(files, f"words-{shard}")
            for listed, deltas in zip(data["words"], data["texts"], strict=True):
                if listed.startswith(word):
                    hits.update(accumulate(deltas))
        common = hits if common is None else common & hits
    block = index["block"]
    return [load(files, f"texts-{number // block}")[number % block] for number in sorted(common or ())]


def test_names_have_aliases_types_and_links(ada: Collection) -> None:
    files = search_index(ada, label=str.upper).files
    index = load(files, "index")
    assert index["counts"] == {"names": 7, "texts": 5, "left_out": 0}
    names = load(files, "names-0")
    assert [record["w"] for record in names] == sorted((record["w"] for record in names), reverse=True)
    by_link = {record["u"]: record for record in names}
    assert by_link["entities/ada/index.html"] == {"t": "e", "n": "Ada", "u": "entities/ada/index.html", "w": 2, "y": 0, "a": ["Countess"]}  # fmt: skip
    assert index["types"][0] == {"label": "PERSON", "shape": 4}
    assert by_link["documents/ada%27s/index.html"]["n"] == "Ada's <life>"
    assert by_link["communities/notes/index.html"]["a"] == ["Programs"]


def test_quotes_lead_to_their_passage(ada: Collection) -> None:
    files = search_index(ada).files
    found = ask(files, "wrote note")
    assert [(hit["t"], hit["u"]) for hit in found] == [
        ("q", "documents/ada%27s/index.html"),
        ("q", "documents/ada%27s/index.html#p2"),
    ]
    assert found[1] == {"t": "q", "n": "Ada wrote Note\ufffd G", "d": "Ada wrote Note G.", "u": "documents/ada%27s/index.html#p2", "s": "Ada's <life>"}  # fmt: skip
    assert [hit["t"] for hit in ask(files, "progr")] == ["e"]
    assert [hit["t"] for hit in ask(files, "大学")] == ["d"]
    assert ask(files, "absent") == []


def test_words_fold_accents_and_cut_unspaced_scripts_into_bigrams() -> None:
    assert words("Ångström C++ x Paris—Orly") == ["angstrom", "paris", "orly"]
    assert words("東京大学と中") == ["東京", "京大", "大学", "学と", "と中"]
    assert words("中 IBM東京") == ["中", "ibm", "東京"]
    assert words("naïve_ＡＢＣ ½") == ["naive", "abc"]
    assert words("x" * 100) == ["x" * 40]


def test_a_large_collection_is_in_small_files(make_graph: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "NAMES_A_SHARD", 200)
    monkeypatch.setattr(search, "WORDS_BYTES", 4_000)
    collection = make_graph.collection(make_graph.make(900))
    files = search_index(collection).files
    index = load(files, "index")
    assert index["names"] == 5
    assert sum(len(load(files, f"names-{n}")) for n in range(5)) == 900 + 1 + len(collection.communities)
    assert len(index["words"]) > 5
    assert len(files) == 1 + 5 + len(index["words"]) + index["texts"]
    assert max(map(len, files.values())) < 60_000
    name = collection.entities[0].name
    assert any(hit["n"] == name for hit in ask(files, name))


def test_what_does_not_fit_is_counted_and_said(ada: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "TEXTS", 2)
    found = search_index(ada)
    assert load(found.files, "index")["counts"]["left_out"] == 3
    assert found.notes == ("the search index holds the 2 best connected texts; 3 descriptions and quotes are left out",)


def test_an_empty_collection_has_an_empty_index() -> None:
    found = search_index(Collection((), {}, (), (), (), {}))
    assert list(found.files) == ["search/index.js"]
    assert load(found.files, "index")["names"] == 0


PAGE = "<!doctype html><html lang=en><title>A</title><main data-pagefind-body><p>Radium glows.</p></main></html>"


@pytest.fixture
def pages(tmp_path: Path) -> dict[str, Path]:
    """A document with a text, and one without."""
    (tmp_path / "a.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "b.html").write_text("<!doctype html><html lang=en><title>B</title></html>", encoding="utf-8")
    return {"documents/a/index.html": tmp_path / "a.html", "documents/b/index.html": tmp_path / "b.html"}


def test_full_text_without_the_extra_says_how_to_get_it(
    pages: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fulltext.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(ConfigError, match="Pagefind") as caught:
        list(fulltext.full_text_files(pages, tmp_path / "work"))
    assert "kgsite[search]" in caught.value.hint


def test_full_text_reads_the_document_pages(pages: dict[str, Path], tmp_path: Path) -> None:
    pytest.importorskip("pagefind_bin")
    files = dict(fulltext.full_text_files(pages, tmp_path / "work"))
    assert json.loads(files["pagefind/pagefind-entry.json"])["languages"]["en"]["page_count"] == 1
    assert fulltext.ENTRY in files
    assert not [path for path in files if "-ui." in path]
    assert not (tmp_path / "work").exists()
    assert dict(fulltext.full_text_files({}, tmp_path / "work")) == {}


def test_a_failing_pagefind_is_an_error(
    pages: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pagefind_bin")
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(fulltext.PublishError, match="Pagefind"):
        list(fulltext.full_text_files(pages, tmp_path / "work"))
    assert not (tmp_path / "work").exists()
