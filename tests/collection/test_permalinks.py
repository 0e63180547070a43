"""Every name has an address of its own, for good."""

from __future__ import annotations

import json
import random
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kgsite.collection.permalinks import Claim, Permalinks
from kgsite.collection.slugs import slugify
from kgsite.errors import ConfigError, StoreError
from kgsite.foldnames import fold_path

NAMES = json.loads(Path(__file__).with_name("data").joinpath("names.json").read_text())
DEVICES = {"con", "prn", "aux", "nul"} | {f"{device}{n}" for device in ("com", "lpt") for n in range(10)}


def claims(*names: str) -> list[Claim]:
    return [Claim(name, name) for name in names]


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Marie Curie", "marie-curie"),
        ("São Paulo", "sao-paulo"),
        ("Straße", "strasse"),
        ("Łódź", "lodz"),
        ("C", "c"),
        ("C++", "c-plus-plus"),
        ("C#", "c-sharp"),
        ("F# and C#", "f-sharp-and-c-sharp"),
        ("Москва", "москва"),
        ("Ёй", "ёй"),
        ("北岸", "北岸"),
        ("เกนต์", "เกนต์"),
        ("ﬁn", "fin"),
        ("ΟΔΟΣ", "οδοσ"),
        ("🚀", "rocket"),
        ("..", "full-stop-full-stop"),
        ("O'Brien", "obrien"),
        ("a/b\\c", "a-b-c"),
        ("-rf", "rf"),
        ("con", "con-1b4f94b5"),
        ("index", "index-1bc04b52"),
    ],
)
def test_slugs_are_readable(name: str, slug: str) -> None:
    assert (
        slugify(name).startswith(slug.rstrip("0123456789abcdef")) if name in ("con", "index") else slugify(name) == slug
    )


def check(slugs: list[str]) -> None:
    assert len({fold_path(slug) for slug in slugs}) == len(slugs)
    for slug in slugs:
        assert 0 < len(slug.encode()) <= 200
        assert slug not in DEVICES | {"index", "page", ".", ".."}
        assert unicodedata.normalize("NFC", slug) == slug
        assert not set(slug) & set('/\\.<>:"|?*%#& \n\0')
        assert unicodedata.category(slug[0])[0] != "M"


def test_the_hostile_names() -> None:
    names = sorted(set(NAMES))
    slugs = Permalinks().assign("entities", claims(*names))
    assert len(slugs) == len(names)
    check(list(slugs.values()))


@given(st.lists(st.text(max_size=120), unique=True, max_size=30))
@example(["\U000119dc"])
def test_any_names(names: list[str]) -> None:
    check(list(Permalinks().assign("entities", claims(*names)).values()))


def test_the_order_of_names_does_not_matter() -> None:
    shuffled = random.Random(3).sample(sorted(set(NAMES)), len(set(NAMES)))
    assert Permalinks().assign("entities", claims(*shuffled)) == Permalinks().assign(
        "entities", claims(*sorted(set(NAMES)))
    )


def test_long_names_are_cut_on_graphemes() -> None:
    slug = slugify("เกิ" * 100)
    head = slug.rpartition("-")[0]
    assert len(head.encode()) <= 80
    whole = "เกิ" * 100
    assert whole.startswith(head)
    assert unicodedata.category(whole[len(head)])[0] != "M"


def test_a_clash_gives_the_plainest_name_the_plain_slug() -> None:
    links = Permalinks()
    slugs = links.assign("entities", claims("a-b", "A B", "a_b"))
    assert slugs["A B"] == "a-b"
    assert {slug[:4] for slug in slugs.values() if slug != "a-b"} == {"a-b-"}


def test_addresses_stay() -> None:
    links = Permalinks()
    first = links.assign("entities", claims("a-b"))
    again = Permalinks.load(links.dump())
    second = again.assign("entities", claims("A B", "a-b"))
    assert second["a-b"] == first["a-b"] == "a-b"
    assert second["A B"] != "a-b"
    third = Permalinks.load(again.dump()).assign("entities", claims("A B"))
    assert third["A B"] == second["A B"]
    assert again.slug("entities", "a-b") == "a-b"


def test_files_are_stable_and_sorted() -> None:
    links = Permalinks()
    links.assign("entities", claims("b", "a"))
    links.assign("documents", [Claim("d", "Doc")])
    data = links.dump()
    assert data.endswith(b"}\n")
    assert data.index(b'"a"') < data.index(b'"b"')
    assert Permalinks.load(data).dump() == data


def test_registers_are_apart() -> None:
    links = Permalinks()
    assert links.assign("documents", claims("x")) == links.assign("entities", claims("x")) == {"x": "x"}


def test_a_chosen_slug_moves_the_document_and_leaves_a_redirect() -> None:
    links = Permalinks()
    links.assign("documents", [Claim("d", "Report")])
    assert links.assign("documents", [Claim("d", "Report", "Annual Report", "a.md")]) == {"d": "annual-report"}
    assert links.redirects("documents", ["d"]) == {"report": "annual-report"}
    links = Permalinks.load(links.dump())
    links.assign("documents", [Claim("d", "Report", "report", "a.md")])
    assert links.redirects("documents", ["d"]) == {"annual-report": "report"}


def test_two_documents_can_not_choose_one_slug() -> None:
    with pytest.raises(ConfigError, match=r"b\.md: a\.md has the slug 'x' already"):
        Permalinks().assign("documents", [Claim("1", "a", "x", "a.md"), Claim("2", "b", "X", "b.md")])


def test_a_chosen_slug_may_be_taken_from_a_document_that_is_gone() -> None:
    links = Permalinks()
    links.assign("documents", [Claim("gone", "Report")])
    assert links.assign("documents", [Claim("new", "Other", "report", "b.md")]) == {"new": "report"}
    assert (
        links.assign("documents", [Claim("gone", "Report"), Claim("new", "Other", "report", "b.md")])["gone"]
        != "report"
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b'{"format": 2}',
        b'{"format": 1, "documents": {}, "entities": {}}',
        b'{"format": 1, "documents": {}, "entities": {"a": 7}, "communities": {}}',
        b'{"format": 1, "documents": {}, "entities": {"a": "../x"}, "communities": {}}',
        b'{"format": 1, "documents": {}, "entities": {"a": ""}, "communities": {}}',
        b'{"format": 1, "documents": {}, "entities": {"a": "x", "b": "X"}, "communities": {}}',
        b'{"format": 1, "documents": {}, "entities": {"a": {"slug": "x", "former": [1]}}, "communities": {}}',
    ],
)
def test_damaged_files_are_refused(data: bytes) -> None:
    with pytest.raises(StoreError):
        Permalinks.load(data)


def test_cut_files_are_refused_at_every_length() -> None:
    links = Permalinks()
    links.assign("entities", claims("Ada", "Bo"))
    data = links.dump()
    for length in range(len(data) - 2):
        with pytest.raises(StoreError):
            Permalinks.load(data[:length])


def test_addresses_pass_to_the_key_of_a_renamed_document() -> None:
    links = Permalinks()
    links.assign("documents", [Claim("old", "Ships"), Claim("other", "Lamps")])
    links.assign("documents", [Claim("old", "Ships", slug="fleet"), Claim("other", "Lamps")])
    links.move("documents", "old", "new")
    assert (links.slug("documents", "old"), links.slug("documents", "new")) == (None, "fleet")
    assert links.redirects("documents", ["new"]) == {"ships": "fleet"}
    links.move("documents", "new", "other", replaces=True)
    assert links.slug("documents", "other") == "lamps"
    assert links.redirects("documents", ["other"]) == {"ships": "lamps", "fleet": "lamps"}
    links.move("documents", "unknown", "other")
    links.assign("documents", [Claim("once", "Once")])
    links.move("documents", "other", "once")  # whose own document was deleted long ago
    assert links.slug("documents", "once") == "lamps"
    assert set(links.redirects("documents", ["once"])) == {"ships", "fleet", "once"}
    again = Permalinks.load(links.dump())
    assert again.dump() == links.dump()
    assert again.assign("documents", [Claim("third", "Fleet")])["third"].startswith("fleet-")
