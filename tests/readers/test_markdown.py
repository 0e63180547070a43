"""Markdown to blocks and marks; links, raw HTML, tables, footnotes and costly input."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgsite.model import Document
from kgsite.readers.blocks import Piece, lay_out
from kgsite.readers.links import safe_href
from kgsite.readers.markdown import read_markdown

Make = Callable[[str, bytes | str], Document]


def rows(markdown: str, **options: Any) -> list[tuple[str, int, str]]:
    laid = lay_out(read_markdown(markdown, **options))
    return [(block.kind, block.level, laid.text[block.start : block.end]) for block in laid.blocks]


def marks(markdown: str, **options: Any) -> list[tuple[str, str, str]]:
    laid = lay_out(read_markdown(markdown, **options))
    return [(mark.kind, laid.text[mark.start : mark.end], mark.href) for mark in laid.marks]


def test_every_kind_of_block() -> None:
    source = """# Lamps

Ada *founded* **Lumen Works**
in `Ghent`.

- one
  - deeper
- two

1. first
2. second

> Said Ada.

```python
x  = 1

y = 2
```

| Year | Lamps |
|------|-------|
| 1985 | *40* |

Sub
---

Text.[^n]

After.

[^n]: A note with [a link](https://ok.example/).
"""
    assert rows(source) == [
        ("heading", 1, "Lamps"),
        ("paragraph", 0, "Ada founded Lumen Works in Ghent."),
        ("list", 1, "one"),
        ("list", 2, "deeper"),
        ("list", 1, "two"),
        ("list", 1, "first"),
        ("list", 1, "second"),
        ("quote", 0, "Said Ada."),
        ("code", 0, "x  = 1\n\ny = 2"),
        ("table", 0, "Year | Lamps\n1985 | 40"),
        ("heading", 2, "Sub"),
        ("paragraph", 0, "Text."),
        ("footnote", 0, "A note with a link."),
        ("paragraph", 0, "After."),
    ]
    assert marks(source) == [
        ("emphasis", "founded", ""),
        ("strong", "Lumen Works", ""),
        ("code", "Ghent", ""),
        ("emphasis", "40", ""),
        ("link", "a link", "https://ok.example/"),
    ]
    laid = lay_out(read_markdown(source))
    table = next(block for block in laid.blocks if block.kind == "table")
    assert [[laid.text[a:b] for a, b in row] for row in table.cells] == [["Year", "Lamps"], ["1985", "40"]]
    assert [block.ordered for block in laid.blocks if block.kind == "list"] == [False, False, False, True, True]
    assert laid.blocks[-1].section == "Lamps › Sub"
    assert laid.blocks[0].section == ""


def test_sections_follow_the_headings() -> None:
    laid = lay_out(read_markdown("# A\n\n## B\n\nx\n\n# C\n\ny\n\n### D\n\nz"))
    assert [(laid.text[b.start : b.end], b.section) for b in laid.blocks if b.kind == "paragraph"] == [
        ("x", "A › B"),
        ("y", "C"),
        ("z", "C › D"),
    ]


def test_line_ends_in_chinese_need_no_space() -> None:
    assert rows("光学公司\n在厦门创立\nand then") == [("paragraph", 0, "光学公司在厦门创立 and then")]


def test_only_good_links_survive(case: Callable[[str], Document]) -> None:
    document = case("javascript-links.md")
    assert [(mark.kind, mark.href) for mark in document.marks] == [("link", "https://ok.example/?a=1&b=2")]
    assert document.text.startswith("a b [c](java\tscript:window.__x=1) d e f g")


@pytest.mark.parametrize(
    ("href", "kept"),
    [
        ("https://a.example/x", "https://a.example/x"),
        ("mailto:a@b.example", "mailto:a@b.example"),
        ("other.md#top", "other.md#top"),
        ("/root", "/root"),
        ("#fn", "#fn"),
        ("a/b:c", "a/b:c"),
        ("javascript:x", ""),
        ("JAVASCRIPT:x", ""),
        ("\x01javascript:x", ""),
        ("java\nscript:x", ""),
        ("data:text/html,x", ""),
        ("vbscript:x", ""),
        ("file:///etc/passwd", ""),
        ("//evil.example", ""),
        ("/\\evil.example", ""),
        ("\\\\host\\share", ""),
        ("https:", ""),
        ("https://user:pw@host.example/", ""),
        ("&#106;avascript:x", ""),
        ("a:b", ""),
        ("http://[", ""),
        ("x" * 3000, ""),
    ],
)
def test_targets(href: str, kept: str) -> None:
    assert safe_href(href) == kept


def test_targets_on_a_web_page() -> None:
    base = "https://en.wikipedia.org/wiki/Ghent"
    assert safe_href("/wiki/Ada", base) == "https://en.wikipedia.org/wiki/Ada"
    assert safe_href("//upload.example/x", base) == "https://upload.example/x"
    assert safe_href("javascript:x", base) == ""


def test_raw_html_leaves_its_text_and_no_tag(case: Callable[[str], Document]) -> None:
    document = case("raw-html.md")
    assert "<" not in document.text
    assert "__x" not in document.text
    assert rows("a <b>bold</b> <script>evil()</script>c<br>d") == [("paragraph", 0, "a bold c\nd")]
    assert rows("<div><p>One &amp; two</p><p hidden>no</p></div>\n\nthree") == [
        ("paragraph", 0, "One & two"),
        ("paragraph", 0, "three"),
    ]


def test_template_expressions_are_text(case: Callable[[str], Document]) -> None:
    text = case("jinja.md").text
    assert text == """{{ 7*7 }} {% include "/etc/passwd" %} {{ config }} {{ ''.__class__.__mro__ }} ${7*7} <%= 7*7 %>"""


def test_entities_bring_no_controls_back() -> None:
    assert rows("a&#0;b&#x202e;c&#x7;d &lt;x&gt;") == [("paragraph", 0, "a\ufffdbc\ufffdd <x>")]


def test_unmatched_brackets_keep_their_characters() -> None:
    assert rows("[" * 300) == [("paragraph", 0, "[" * 300)]


@pytest.mark.parametrize(
    "source",
    [
        "[" * 100_000,
        "![[" * 30_000,
        "[a](" * 5_000,
        "*a_ " * 5_000,
        ">" * 50_000 + "a",
        "- " * 20_000 + "a",
        "`" * 50_000,
        "<!--" * 20_000,
        "<a " * 5_000,
        "((((\n\n" + "[[[[[[[[\n\n" * 1_000,
        "|a" * 200 + "\n" + "|-" * 200 + "\n" + "|b\n" * 200,
        "[^a]: x\n" * 2_000,
        "a" * 2_000_000,
    ],
    ids=lambda source: f"{source[:8]!r}×{len(source)}",
)
def test_costly_input_ends(source: str) -> None:
    start = time.process_time()
    lay_out(read_markdown(source))
    assert time.process_time() - start < 20  # quadratic reading would take minutes


def test_nesting_case(case: Callable[[str], Document]) -> None:
    assert len(case("nesting-dos.md").blocks) >= 2


@given(st.text(alphabet="ab *_[](){}<>`#|-\n\\!&;:^~\"'1.=\t", max_size=120))
def test_any_markdown_gives_a_whole_map(source: str) -> None:
    laid = lay_out(read_markdown(source))
    position = 0
    for number, block in enumerate(laid.blocks):
        assert laid.text[position : block.start] == ("\n\n" if number else "")
        assert block.end > block.start
        position = block.end
    assert position == len(laid.text)
    for mark in laid.marks:
        assert any(block.start <= mark.start < mark.end <= block.end for block in laid.blocks)


def test_pieces_that_show_nothing_are_left_out() -> None:
    laid = lay_out([Piece("paragraph", " \u200b"), Piece("paragraph", "a\n\n b "), Piece("code", "\n  x\n\n")])
    assert laid.text == "a\n b\n\n  x"


def test_title(document: Make) -> None:
    assert document("a.md", "## Sub\n\n# Top\n").title == "Top"
    assert document("b.md", "### Only\n\nx").title == "Only"
    assert document("c.md", "---\ntitle: Said\n---\n# Top\n").title == "Said"
    assert document("d.md", "no heading").title == ""
