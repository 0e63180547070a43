"""Front matter and sidecars: what is understood, what is left out with a sentence, and what is no front matter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgsite.model import Document, FrontMatter
from kgsite.readers.frontmatter import front_matter, sidecar, split

FULL = """---
title: Lamps
date: 2024-05-01
language: en-GB
author: Ada Northgate
url: https://a.example/x
license: CC0
tags: [lamps, Ghent, lamps]
draft: no
slug: lamps
summary: >
  Two lines
  of words.
encoding: utf-8
room: 7
list: [1, true]
---
# Body
"""


def test_every_key() -> None:
    found = split(FULL)
    assert found.warnings == ()
    assert found.body == "# Body\n"
    assert front_matter(found.stated) == FrontMatter(
        title="Lamps", date="2024-05-01", language="en", authors=("Ada Northgate",), url="https://a.example/x", license="CC0",
        tags=("lamps", "Ghent"), draft=False, slug="lamps", summary="Two lines of words.", encoding="utf-8",
        extra={"list": "1, true", "room": "7"},
    )  # fmt: skip


def test_toml() -> None:
    found = split('+++\ntitle = "Lamps"\ndate = 2024-05-01\nauthors = ["A", "B"]\n+++\n\nBody')
    assert (found.stated, found.body) == ({"title": "Lamps", "date": "2024-05-01", "authors": ("A", "B")}, "Body")


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("title: [a]", "title"), ("title: true", "title"), ("date: yesterday", "date"), ("date: 2024-13-01", "date"), ("language: English", "language"),
        ("url: javascript:x", "url"), ("draft: perhaps", "draft"), ("tags: {a: [1]}", "tags"), ("authors: [[a]]", "authors"), ("slug: ''", "slug"),
        ("language: xx", "language"), ("language: qq-DE", "language"), ("authors: 5", "authors"), ("authors: [Ada, 5]", "authors"),
    ],
)  # fmt: skip
def test_wrong_types_are_left_out_with_a_sentence(line: str, key: str) -> None:
    found = split(f"---\n{line}\nlicense: CC0\n---\nBody")
    assert found.stated == {"license": "CC0"}
    assert len(found.warnings) == 1
    assert (
        found.warnings[0].startswith(f"{key} was left out: expected")
        or "empty" in found.warnings[0]
        or "month" in found.warnings[0]
    )
    assert found.body == "Body"


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nA rule, then prose.\n\n---\n\nMore.",
        "---\n",
        "Text\n---\ntitle: x\n---\n",
        "--- x\ntitle: a\n---\n",
        "",
        "+++",
        "---\nJust a line\n---\n",
    ],
)
def test_what_is_no_front_matter(text: str) -> None:
    assert split(text).body == text
    assert split(text).warnings == ()


def test_broken_is_left_out_and_the_body_stays() -> None:
    found = split('---\ntitle: "x\nlicense: y\n---\nBody')
    assert found.body == "Body"
    assert found.warnings[0].startswith("front matter was left out")
    found = split("---\ntitle: a\n\n# Body\ntext")
    assert found.body == "# Body\ntext"
    assert "never closed" in found.warnings[0]


def test_aliases_are_refused(case: Callable[[str], Document]) -> None:
    document = case("yaml-bomb.md")
    assert document.text.startswith("Ada Northgate")
    assert document.warnings == ("front matter was left out: aliases (*name) are not allowed (line 3)",)


def test_mark_and_broken_cases(case: Callable[[str], Document]) -> None:
    document = case("bom.md")
    assert document.title == "Lumen report"
    assert "\ufeff" not in document.text
    document = case("frontmatter-broken.md")
    assert document.title == "Body"
    assert document.text.startswith("Body\n\nAda Northgate")
    assert len(document.warnings) == 1


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.html", "a.rst"])
def test_in_every_kind_of_text(document: Callable[[str, bytes | str], Document], name: str) -> None:
    read = document(name, "---\ntitle: Said\nlanguage: de\n---\n<p>Words here</p>\n")
    assert (read.title, read.language, read.meta.title) == ("Said", "de", "Said")
    assert "Said" not in read.text
    assert "Words here" in read.text


def test_dangerous_yaml_is_text_or_refused() -> None:
    for raw in ("a: !!python/object/apply:os.system [x]", "a: " + "[" * 5000, "? [a]\n: b", "a: 2024-02-31", "- x"):
        split(f"---\nb: 1\n{raw}\n---\nBody")


def test_sidecars() -> None:
    assert sidecar(b'\xef\xbb\xbftitle = "x"') == ({"title": "x"}, ())
    assert sidecar(b"\xff")[1][0].startswith("the sidecar was left out: it is not UTF-8")
    assert sidecar(b"draft = 3")[1] == ("sidecar: draft was left out: expected true or false, found a number",)


@given(st.text(alphabet="-+:\n ab\"'[]{}&*!#|>%@,\t0", max_size=100))
def test_any_front_matter_is_survived(raw: str) -> None:
    for fence in ("---", "+++"):
        found: Any = split(f"{fence}\n{raw}\n{fence}\nBody")
        front_matter(found.stated)


def test_numbers_are_no_authors_and_no_licence() -> None:
    found = split("---\nlanguage: xx\nauthors: 5\nlicense: 5\ntitle: 1984\ntags: [2024, lamps]\n---\nBody")
    assert found.stated == {"title": "1984", "tags": ("2024", "lamps")}
    assert found.warnings == (
        "language was left out: expected an ISO 639-1 code such as en, found 'xx'",
        "authors was left out: expected text or a list of texts, found a number",
        "license was left out: expected text such as CC-BY-4.0, found a number",
    )
