"""The search page: names and texts, by mouse and keyboard, in several scripts, also from disk."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import pytest

from kgsite.site.search import words

pytestmark = pytest.mark.browser

NAMES: list[dict[str, Any]] = [
    {"t": "e", "n": "Marie Curie", "a": ["Maria Skłodowska"], "y": 0, "u": "entities/marie-curie/index.html", "w": 31},
    {"t": "e", "n": "Radium Institute", "y": 1, "u": "entities/radium-institute/index.html", "w": 9},
    {"t": "e", "n": "東京タワー", "y": 1, "u": "entities/tokyo/index.html", "w": 4},
    {"t": "e", "n": "שלום", "y": 1, "u": "entities/shalom/index.html", "w": 3},
    {"t": "e", "n": "<img src=x onerror=alert(1)>", "y": 0, "u": "entities/img/index.html", "w": 2},
    {"t": "e", "n": "constructor", "y": 0, "u": "entities/constructor/index.html", "w": 1},
    {"t": "d", "n": "The life of Curie", "u": "documents/life/index.html", "w": 12},
    {"t": "c", "n": "Radioactivity", "a": ["Curie"], "u": "communities/radioactivity/index.html", "w": 12},
]
TEXTS = [
    {"t": "e", "n": "Marie Curie", "d": "Polish and French physicist.", "u": "entities/marie-curie/index.html"},
    {"t": "q", "n": "Marie Curie discovered radium", "d": "In 1898 she announced radium.", "u": "documents/life/index.html#p3",
     "s": "The life of Curie"},
    {"t": "q", "n": "x", "d": "東京の塔 is tall & <b>old</b>.", "u": "documents/life/index.html#p4", "s": "The life of Curie"},
]  # fmt: skip


def _write(folder: Path, name: str, data: object) -> None:
    script = f'kgsiteSearchShard("{name}",{json.dumps(data)});'
    (folder / "search" / f"{name}.js").write_text(script, encoding="utf-8")


@pytest.fixture(scope="module")
def search(site) -> str:
    """The address of a search page with the index of the format in kgsite/site/search.py."""
    from explorer_pages import CSP, bundle, modules

    folder = site.folder
    (folder / "search").mkdir(exist_ok=True)
    postings: dict[str, list[int]] = {}
    for number, text in enumerate(TEXTS):
        for word in sorted(set(words(f"{text['n']} {text['d']}"))):
            postings.setdefault(word, []).append(number)
    listed = sorted(postings, key=lambda word: word.encode("utf-16-be"))
    deltas = [[b - a for a, b in zip([0, *postings[word]], postings[word], strict=False)] for word in listed]
    half = len(listed) // 2
    types = [{"label": "Person", "shape": 4}, {"label": "Organization", "shape": 3}]
    counts = {"names": len(NAMES), "texts": len(TEXTS), "left_out": 0}
    _write(folder, "index", {"format": 1, "types": types, "names": 2, "words": [listed[0], listed[half]], "texts": 2,
                             "block": 2, "counts": counts})  # fmt: skip
    _write(folder, "names-0", NAMES[:5])
    _write(folder, "names-1", NAMES[5:])
    _write(folder, "words-0", {"words": listed[:half], "texts": deltas[:half]})
    _write(folder, "words-1", {"words": listed[half:], "texts": deltas[half:]})
    _write(folder, "texts-0", TEXTS[:2])
    _write(folder, "texts-1", TEXTS[2:])
    (folder / "search-page.js").write_text(bundle("search-page.js", modules()), encoding="utf-8")
    (folder / "search.html").write_text(
        f"""<!doctype html><html lang="en" class="js"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{html.escape(CSP)}"><link rel="icon" href="data:,">
<link rel="stylesheet" href="page.css"><link rel="stylesheet" href="css/explorer.css"><title>Search</title>
<script defer src="vendor/minisearch.js"></script><script defer src="ui-words.js"></script><script defer src="search-page.js"></script></head><body>
<div id="search" class="search-page" data-index="search/index.js" data-root="./"><input type="search"></div></body></html>""",
        encoding="utf-8",
    )
    return f"{site.base}search.html"


def found(reader, query: str) -> dict[str, list[str]]:
    """Results by kind for a query."""
    reader.page.locator("input[type=search]").fill(query)
    reader.page.wait_for_timeout(200)
    for _ in range(50):
        if reader.page.locator(".search-status").inner_text():
            break
        reader.page.wait_for_timeout(40)
    reader.page.wait_for_timeout(200)
    groups = {}
    for group in reader.page.locator(".search-group").all():
        title = group.locator("h2").inner_text().rsplit(" ", 1)[0]
        groups[title] = group.locator("li .name").all_inner_texts()
    return groups


def test_results_are_grouped_by_kind(reader, search):
    reader.page.goto(search)
    groups = found(reader, "curie")
    assert groups["Entities"] == ["Marie Curie"]
    assert groups["Documents"] == ["The life of Curie"]
    assert groups["Communities"] == ["Radioactivity"]
    assert groups["Descriptions and quotes"] == ["Marie Curie", "Marie Curie discovered radium"]
    quote = reader.page.locator(".is-quote a")
    assert quote.get_attribute("href") == "./documents/life/index.html#p3"
    assert reader.page.locator("mark").first.inner_text() == "Curie"


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("mar", "Marie Curie"), ("marei cuire", "Marie Curie"), ("sklodowska", "Marie Curie"), ("東京", "東京タワー"),
        ("京タ", "東京タワー"), ("東", "東京タワー"), ("שלום", "שלום"), ("img", "<img src=x onerror=alert(1)>"),
        ("constructor", "constructor"), ("RADIUM inst", "Radium Institute"),
    ],
)  # fmt: skip
def test_names_are_found_by_prefix_slip_alias_and_script(reader, search, query, name):
    reader.page.goto(search)
    assert found(reader, query)["Entities"][0] == name


def test_texts_need_all_words(reader, search):
    reader.page.goto(search)
    assert found(reader, "1898 rad")["Descriptions and quotes"] == ["Marie Curie discovered radium"]
    assert found(reader, "東京の塔")["Descriptions and quotes"] == ["x"]
    assert reader.page.locator(".passage").inner_text() == "東京の塔 is tall & <b>old</b>."
    assert "Descriptions and quotes" not in found(reader, "1898 physicist")
    found(reader, "zzzzzz")
    assert reader.page.inner_text(".search-status") == "Nothing on this site matches “zzzzzz”."


def test_nothing_is_loaded_before_someone_searches(reader, search):
    loaded = []
    reader.page.on("request", lambda request: loaded.append(request.url.rsplit("/", 1)[-1]))
    reader.page.goto(search)
    reader.page.wait_for_timeout(200)
    assert not [name for name in loaded if name.startswith(("index.js", "names", "words", "texts"))]
    found(reader, "curie")
    assert loaded.count("index.js") == 1
    assert loaded.count("names-0.js") == 1


def test_by_keyboard_and_by_address(reader, search):
    reader.page.goto(f"{search}#q=curie")
    reader.page.locator(".search-group").first.wait_for()
    field = reader.page.locator("input[type=search]")
    assert field.input_value() == "curie"
    field.focus()
    reader.keys("ArrowDown")
    assert reader.page.evaluate("document.activeElement.querySelector('.name').textContent") == "Marie Curie"
    reader.keys("ArrowDown")
    assert reader.page.evaluate("document.activeElement.querySelector('.name').textContent") == "The life of Curie"
    reader.keys("ArrowUp", "ArrowUp")
    assert field.evaluate("node => node === document.activeElement")
    reader.keys("Escape")
    assert field.input_value() == ""
    assert reader.page.locator(".search-group").count() == 0
    assert reader.page.evaluate("location.hash") == ""


def test_from_disk(reader, search, site):
    reader.page.goto((site.folder / "search.html").as_uri())
    assert found(reader, "radium")["Entities"] == ["Radium Institute"]


def test_a_missing_index_is_said(reader, search, site):
    text = (site.folder / "search.html").read_text(encoding="utf-8").replace("search/index.js", "gone/index.js")
    (site.folder / "search-gone.html").write_text(text, encoding="utf-8")
    reader.page.goto(f"{site.base}search-gone.html#q=x")
    reader.until("document.querySelector('.search-status').textContent.includes('could not be loaded')")
    reader.problems.clear()


def test_the_words_are_those_of_the_index(reader, search):
    samples = [
        "Marie Skłodowska-Curie (1867)",
        "東京タワーの塔 a",
        "naïve Ünïcode",
        "ไทยไทย ok",
        "I ☕ C++ x",
        "한국어 단어",
        "ﬁne",
    ]
    reader.page.goto(search)
    from explorer_pages import bundle, modules

    script = bundle(
        "probe.js", {**modules(), "probe.js": 'import {wordsOf} from "./search-words.js";\nwindow.wordsOf = wordsOf;'}
    )
    reader.page.evaluate(script)
    assert [reader.page.evaluate("text => wordsOf(text)", sample) for sample in samples] == [words(s) for s in samples]
