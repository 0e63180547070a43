"""HTML pages and reStructuredText: what is text and what is not."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgsite.errors import ReadError
from kgsite.model import Document
from kgsite.readers.blocks import lay_out
from kgsite.readers.html import read_html
from kgsite.readers.markdown import read_markdown
from kgsite.readers.mediawiki import plain_title
from kgsite.readers.rst import read_rst
from kgsite.readers.tidy import plain_text, tidy

Make = Callable[[str, bytes | str], Document]
QUAY = "Ada Northgate founded Lumen Works in Ghent in 1987. Lumen Works later bought Bright Quay."


def blocks(html: str) -> list[tuple[str, str]]:
    laid = lay_out(read_markdown(read_html(html).markdown, html=False))
    return [(block.kind, laid.text[block.start : block.end]) for block in laid.blocks]


def test_script_case(case: Callable[[str], Document]) -> None:
    document = case("script.html")
    assert document.text == QUAY
    assert document.title == "Lumen"


def test_base_and_refresh_case(case: Callable[[str], Document]) -> None:
    document = case("base-refresh.html")
    assert document.text == QUAY
    assert document.marks == ()


def test_declared_charset(case: Callable[[str], Document]) -> None:
    assert case("cp1252-declared.html").text == "Renée €5"


def test_mutation_strings_leave_no_tag(case: Callable[[str], Document]) -> None:
    assert "<" not in case("mxss.html").text


def test_main_is_preferred_and_surroundings_go() -> None:
    page = """<html lang="en-GB"><body><header><h1>Site</h1></header><nav>Menu</nav>
    <div class="sidebar">Ads</div>
    <main><header><h1>Lamps</h1><p>By Ada</p></header><p>Text <a href="x.html">here</a>.</p>
    <aside>Related</aside><footer>Share</footer></main><footer>Imprint</footer></body></html>"""
    assert blocks(page) == [("heading", "Lamps"), ("paragraph", "Text here.")]
    assert read_html(page).language == "en"


def test_hidden_in_every_way() -> None:
    page = """<p>seen</p><p hidden>a</p><p style="display : none">b</p><p aria-hidden="true">c</p><div style="visibility:hidden"><p>d</p></div>
    <p class="sr-only">e</p><template><p>f</p></template><noscript>g</noscript><svg><text>h</text></svg><textarea>i</textarea>
    <select><option>j<option>k</select><!-- l --><p hidden>m<p>seen too"""
    assert blocks(page) == [("paragraph", "seen"), ("paragraph", "seen too")]


def test_forms_keep_their_words() -> None:
    assert blocks('<form action="x"><p>Words in a form</p><input value="no"><button>no</button></form>') == [
        ("paragraph", "Words in a form")
    ]


def test_end_tags_may_be_missing() -> None:
    page = "<h1>T</h1><p>one<p>two<ul><li>a<li>b<ul><li>c</ul></ul><table><tr><th>x<th>y<tr><td>1<td>2</table>"
    assert blocks(page) == [
        ("heading", "T"), ("paragraph", "one"), ("paragraph", "two"), ("list", "a"), ("list", "b"), ("list", "c"),
        ("table", "x | y\n1 | 2"),
    ]  # fmt: skip


def test_what_looks_like_markdown_or_html_stays_as_it_is() -> None:
    text = "1. *not* _this_ [a](b) `c` <b>tag</b> {{ 7*7 }} # - + > | \\ [^1] &amp;"
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    assert blocks(f"<p>{escaped}</p>") == [("paragraph", text)]
    assert blocks(f"<p>x</p><p>- {escaped}</p>")[1] == ("paragraph", f"- {text}")


def test_code_and_quotes() -> None:
    assert blocks(
        "<pre><code>a\n  *b*\n</code></pre><blockquote><p>Said.</p></blockquote><p>x <code>y_z</code></p>"
    ) == [
        ("code", "a\n  *b*"),
        ("quote", "Said."),
        ("paragraph", "x y_z"),
    ]


def test_nested_tables_and_wide_cells() -> None:
    page = '<table><tr><th>a</th><th>b</th></tr><tr><td colspan="1000">x</td><td><table><tr><td>in</td><td>ner</td></tr></table></td></tr></table>'
    assert blocks(page) == [("table", "a | b\nx | in ner")]


def test_footnotes_follow_their_mark() -> None:
    page = '<p>Ghent.<sup><a href="#fn1">1</a></sup></p><p>More.</p><ol><li id="fn1"><p>A <em>note</em>. <a href="#fnref1">↑</a></p></li></ol>'
    assert blocks(page) == [("paragraph", "Ghent."), ("footnote", "A note."), ("paragraph", "More.")]


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 20_000 + "deep",
        "<b>" * 10_000 + "deep",
        "<ul><li>" * 5_000 + "deep",
        "<table><tr><td>" * 3_000 + "deep",
        "<p>deep" * 5_000,
        "<!--" * 50_000 + "deep",
        "<a href=x " * 10_000,
        "</x>" * 10_000 + "deep",
        "<blockquote>" * 5_000 + "deep",
        "&lt;" * 20_000,
    ],
    ids=lambda page: f"{page[:12]}×{len(page)}",
)
def test_costly_pages_end(page: str) -> None:
    start = time.process_time()
    blocks(page)
    assert time.process_time() - start < 30  # quadratic reading would take minutes


def test_deep_text_is_kept() -> None:
    assert "deep" in blocks("<div>" * 5_000 + "deep")[0][1]


@given(st.text(alphabet="<>/abpdivtrul hidden=\"'!-&;#x1", max_size=150))
def test_any_html_is_read(page: str) -> None:
    blocks(page)
    tidied = tidy(page).html
    assert tidied.count("<p>") == tidied.count("</p>")
    plain_text(page)


def test_wikipedia_page_is_a_clean_article(
    document: Make, case: Callable[[str], Document], texts: Any, kinds: Any, check_map: Any
) -> None:
    read = case("wikipedia.html")
    assert read.title == "Lumen Works"
    assert read.language == "en"
    assert list(zip(kinds(read), texts(read), strict=True)) == [
        ("heading", "Lumen Works"),
        ("paragraph", "Lumen Works is a lamp maker in Ghent, founded by Ada Northgate in 1984. It bought Bright Quay."),
        ("heading", "History"),
        ("paragraph", "In 1990 the firm moved to Antwerp."),
        ("list", "Harbour lamps"),
        ("list", "Signal lamps"),
        ("table", "Year | Lamps\n1985 | 40"),
    ]
    check_map(read)
    assert plain_title("Gent – Wikipedia") == "Gent"
    assert plain_title("Ghent - the town") == "Ghent - the town"


RST = """Lamps
=====

Ada founded *Lumen Works* in Ghent [1]_.

- one
- two

.. include:: /etc/passwd
.. raw:: html

   <script>evil()</script>

.. [1] A note.

Sub
---

+------+-------+
| Year | Lamps |
+======+=======+
| 1985 | 40    |
+------+-------+
"""


def test_rst(document: Make, texts: Any, kinds: Any) -> None:
    read = document("a.rst", RST)
    assert list(zip(kinds(read), texts(read), strict=True)) == [
        ("heading", "Lamps"),
        ("paragraph", "Ada founded Lumen Works in Ghent."),
        ("footnote", "A note."),
        ("list", "one"),
        ("list", "two"),
        ("heading", "Sub"),
        ("table", "Year | Lamps\n1985 | 40"),
    ]
    assert read.title == "Lamps"
    assert "root:" not in read.text
    assert read.warnings == ("2 include or raw directives were left out: only the file itself is read",)


def test_rst_that_docutils_can_not_bear() -> None:
    with pytest.raises(ReadError, match="nested"):
        read_rst("\n\n".join(" " * n + "a" for n in range(200)))
    with pytest.raises(ReadError, match="too long"):
        read_rst("a" * 3_000_000)
    assert read_rst(".. nosuch:: x\n\nText `unclosed").page.markdown
