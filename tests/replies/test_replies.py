"""Every reply file as EXPECT.md says, and the rules of reading one by one."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from kgsite.extract.replies import EXTRACTION, Shape, read_reply
from kgsite.extract.rows import Rows, candidates

DATA = Path(__file__).parent / "data"
ADA, LUMEN = ("Ada Northgate", "person"), ("Lumen Works", "company")
FACT = ("Ada Northgate", "founded", "Lumen Works")

# file → (how it is read, reason, entities, relations)
EXPECTED: dict[str, tuple[str, str, list[tuple[str, str]], list[tuple[str, str, str]]]] = {
    "00-plain": ("strict", "", [ADA, LUMEN], [FACT]),
    "02-fence-unclosed": ("scanned", "", [ADA, LUMEN], [FACT]),
    "04-think": ("scanned", "", [ADA, LUMEN], [FACT]),
    "05-think-unclosed": ("failed", "reasoning", [], []),
    "07-trailing-commas": ("repaired", "", [ADA, LUMEN], [FACT]),
    "09-python-repr": ("repaired", "", [("Ada Northgate", "unknown")], []),
    "10-unescaped-quotes": ("repaired", "", [('The "Blue" Lamp', "product")], []),
    "12-raw-newline": ("strict", "", [("Lumen Works", "company")], []),
    "14-truncated-after-entity": ("truncated", "cut", [ADA], []),
    "15-empty": ("failed", "empty", [], []),
    "17-list-root": ("strict", "", [ADA], []),
    "19-nan": ("strict", "", [ADA, LUMEN], [FACT]),
    "20-smart-quotes": ("repaired", "", [ADA, LUMEN], [FACT]),
    "22-refusal": ("failed", "refusal", [], []),
    "24-entity-strings": ("strict", "", [("Ada Northgate", "unknown"), ("Lumen Works", "unknown")], [FACT]),
    "25-schema-echo": ("failed", "schema", [], []),
    "27-two-objects": ("ambiguous", "ambiguous", [], []),
    "29-special-tokens": ("scanned", "", [ADA, LUMEN], [FACT]),
    "30-harmony": ("scanned", "", [ADA, LUMEN], [FACT]),
    "32-bom-crlf": ("strict", "", [ADA, LUMEN], [FACT]),
    "34-think-in-string": ("strict", "", [("A", "x")], []),
    "35-yaml": ("failed", "not_json", [], []),
    "37-id-endpoints": ("strict", "", [ADA, LUMEN], [FACT]),
    "39-html-in-name": ("strict", "", [("<img src=x onerror=window.__x=1>", "</script>")], []),
    "40-deep": ("failed", "deep", [], []),
    "42-bad-escape": ("repaired", "", [("C:\\Users\\new", "path")], []),
    "44-tool-call": ("strict", "", [ADA, LUMEN], [FACT]),
    "45-html-page": ("failed", "page", [], []),
}


def rows_of(text: str) -> Rows:
    return candidates(read_reply(text).value)


@pytest.mark.parametrize("name", sorted(path.stem for path in DATA.glob("*.txt")))
def test_reply_files(name: str) -> None:
    text = (DATA / f"{name}.txt").read_bytes().decode("utf-8")
    how, reason, entities, relations = EXPECTED[name]
    began = time.perf_counter()
    reading = read_reply(text)
    assert time.perf_counter() - began < 5
    rows = candidates(reading.value)
    assert (reading.how, reading.reason) == (how, reason)
    assert [(entity.name, entity.type) for entity in rows.entities] == entities
    assert [(relation.source, relation.type, relation.target) for relation in rows.relations] == relations
    json.dumps(reading.value, allow_nan=False)


def test_every_expectation_has_a_file() -> None:
    assert {path.stem for path in DATA.glob("*.txt")} == set(EXPECTED)


def test_think_tags_inside_a_string_are_text() -> None:
    text = (DATA / "34-think-in-string.txt").read_text("utf-8")
    assert rows_of(text).entities[0].description == "the tag <think>is</think> text"


def test_nan_strength_is_the_default() -> None:
    assert rows_of((DATA / "19-nan.txt").read_text("utf-8")).relations[0].strength == 5.0


GOOD = '{"entities":[{"name":"Ada","type":"person"}],"relations":[]}'
DECOY = '{"entities":[{"name":"Decoy","type":"person"}],"relations":[]}'


@pytest.mark.parametrize(
    ("text", "how", "names"),
    [
        ("As [1] says:\n" + GOOD + "\nSee [2].", "scanned", ["Ada"]),
        (f"<think>{DECOY}</think>{GOOD}", "scanned", ["Ada"]),
        (f"{DECOY}</think>{GOOD}", "scanned", ["Ada"]),
        (f"<think>{DECOY}", "failed", []),
        (f"For example {DECOY}. Now: {GOOD}", "ambiguous", []),
        (f"For example {DECOY}. Now: {GOOD[:40]}", "ambiguous", []),
        (GOOD + "\n" + GOOD, "scanned", ["Ada"]),
        (f'{{"result": {GOOD}}}', "strict", ["Ada"]),
        (f"~~~json\n{GOOD}\n~~~", "scanned", ["Ada"]),
        ("", "failed", []),
        ("\ufeff \n", "failed", []),
        ("null", "failed", []),
        ("[1]", "failed", []),
        ("{}", "failed", []),
        ('{"entities": "none"}', "failed", []),
        ('{"entities": [], "relations": []}', "strict", []),
        ('{"entities": [{"name": "Ada", "type": "x", "type": "y"}, {"name": "Bo", "type": "z"}]}', "strict", ["Bo"]),
        ('{"entities": [{"name": "Ada"}], "entities": [{"name": "Bo"}]}', "ambiguous", []),
        ('{"entities": [{"name": "Ada", "type": "person"}, {"name": "Lumen "Works", "type": "x"}, {"name": "Bo", "type": "z"}]}', "truncated", ["Ada", "Bo"]),
        ('{"name":"f","arguments":"{\\"entities\\":[{\\"name\\":\\"Ada\\",\\"type\\":\\"p\\"},{\\"name\\":\\"Lum', "truncated", ["Ada"]),
        ('[{"name":"Ada","type":"p"},{"name":"Lum', "truncated", ["Ada"]),
    ],
)  # fmt: skip
def test_forms(text: str, how: str, names: list[str]) -> None:
    reading = read_reply(text)
    assert reading.how == how
    assert [entity.name for entity in candidates(reading.value).entities] == names


def test_a_reply_that_the_server_cut_is_not_read_from_its_middle() -> None:
    assert read_reply(f"Maybe {DECOY} or", cut=True).how == "ambiguous"
    assert read_reply(GOOD + "\n\n\n", cut=True).complete


def test_lost_rows_make_a_reading_incomplete() -> None:
    reading = read_reply('{"entities": [{"name": "Ada", "type": "x", "type": "y"}, {"name": "Bo"}]}')
    assert (reading.how, reading.lost, reading.complete) == ("strict", 1, False)


@pytest.mark.parametrize(
    "text",
    ["{" * 100_000, '{"a":' * 50_000, '{"a":[' * 30_000, "<think>" * 100_000, "</think>" * 100_000, '{"entities":[' + "{" * 100_000,
     '"' * 200_000, "`" * 200_000, '{"entities":[' + '{"name":"' * 50_000, " " * 300_000 + "x", "[" * 200_000 + "]" * 200_000,
     '{"entities":[{"name":"A"},' * 20_000, "<|channel|>" * 50_000, "9" * 100_000, '{"entities": [' + "9" * 10_000 + "]}"],
    ids=range(15),
)  # fmt: skip
def test_hostile_replies_end_soon(text: str) -> None:
    began = time.perf_counter()
    reading = read_reply(text)
    assert time.perf_counter() - began < 20  # minutes if anything were quadratic
    assert candidates(reading.value).relations == []


def test_endpoints_that_point_at_lost_rows_are_dropped() -> None:
    rows = rows_of(
        '{"entities":[{"id":1,"name":"Ada","type":"p"}],"relations":[{"source":1,"target":2,"type":"knows"},{"source":"1","target":"Ada","type":"is"}]}'
    )
    assert [(r.source, r.target) for r in rows.relations] == [("Ada", "Ada")]
    assert rows.dropped == {"relation without both ends and a type": 1}


def test_names_are_cleaned_but_not_changed() -> None:
    rows = rows_of(
        '{"entities":[{"name":" Ada\\n\\tNorthgate\\u202e ","type":null},{"name":42},{"name":""},{"name":"\\ud800x"},{"name":"'
        + "x" * 400
        + '"}]}'
    )
    assert [entity.name for entity in rows.entities] == ["Ada Northgate", "42", "\ufffdx"]
    assert rows.dropped == {"entity without a usable name": 2}


def test_plain_documents_are_read_too() -> None:
    rows = rows_of('{"entities":[{"label":"Person","text":"Ada","properties":{"born":"1890-01-02","x":null}}],"relations":'
                   '[{"type":"KNOWS","source":"Ada","target":"Bo","source_label":"Person","target_label":"Person"}]}')  # fmt: skip
    assert rows.entities[0].attributes == {"born": "1890-01-02"}
    assert [(entity.name, entity.type) for entity in rows.entities] == [("Ada", "Person"), ("Bo", "Person")]


@pytest.mark.parametrize(
    ("value", "strength"), [(0, 1), (11, 10), ("7", 7), ("high", 5), (True, 5), (None, 5), ([], 5), (3.5, 3.5)]
)
def test_strengths(value: object, strength: float) -> None:
    text = json.dumps({"relations": [{"source": "A", "target": "B", "type": "t", "strength": value}]})
    assert rows_of(text).relations[0].strength == strength


def test_other_shapes() -> None:
    shape = Shape(
        ("title", "groups"), ("groups",), lambda row: "groups" if isinstance(row, dict) and "n" in row else ""
    )
    assert read_reply('{"title": "T", "groups": [{"n": 1}]}', shape).value == {"title": "T", "groups": [{"n": 1}]}
    assert read_reply('{"title": "T", "groups": [{"n": 1}, {"n":', shape).value == {"groups": [{"n": 1}]}
    assert read_reply(GOOD, shape).reason == "not_json"
    assert EXTRACTION.keys[:2] == ("entities", "relations")
