"""Words of questions and facts: tokens with their places, stems, and what a question word asks for.

Stems are only compared with each other, so they may be crude: English endings are taken off until nothing changes,
words of other languages mostly stay whole. Scripts without spaces give pairs of characters.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from kgsite.collection.identity import plain

_UNSPACED = (
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
_TOKEN = re.compile(rf"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])[^\W_])+(?:['’.&/+#-]+(?:(?![{_UNSPACED}])[^\W_])+)*[+#]*")
_RUN = re.compile(rf"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])[^\W_])+")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_ENDINGS = ("ments", "ment", "ings", "ing", "ied", "ies", "ions", "ion", "ors", "ers", "ed", "er", "or", "es", "al", "s", "e", "y")  # fmt: skip
_SHORTEST_STEM = 4
_PLAIN_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ı": "i", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"}
)
LONGEST = 2_000
"""Characters of a question that are read."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text: its characters are text[start:end]."""

    text: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """Words in order; inner apostrophes, hyphens and dots stay ("Apollo-Soyuz", "C++"); unspaced runs are one."""
    return [Token(found[0], found.start(), found.end()) for found in _TOKEN.finditer(text[:LONGEST])]


def is_unspaced(text: str) -> bool:
    """Whether a text has characters of a script without spaces between words."""
    return _IS_UNSPACED.search(text) is not None


@lru_cache(maxsize=1 << 16)
def bare(text: str) -> str:
    """A text for generous comparison: folded, without accents, punctuation as spaces."""
    folded = plain(text).translate(_PLAIN_LETTERS)
    if not folded.isascii():
        folded = "".join(c for c in unicodedata.normalize("NFKD", folded) if unicodedata.category(c) != "Mn")
        folded = unicodedata.normalize("NFC", folded)
    return " ".join(run for run in _RUN.findall(folded))


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of a word that `bare` has folded already."""
    before = ""
    while before != word and word.isascii() and not word.isdigit():
        before = word
        ending = next((e for e in _ENDINGS if word.endswith(e) and len(word) - len(e) >= _SHORTEST_STEM), "")
        word = word[: len(word) - len(ending)] if ending else word
    if len(word) > _SHORTEST_STEM and word[-1] == word[-2] and word.isascii():
        return word[:-1]  # planned → plann → plan
    return word


@lru_cache(maxsize=1 << 15)
def words(text: str) -> tuple[str, ...]:
    """Bare words of a text in order, pairs of characters where a script has no spaces."""
    found: list[str] = []
    for run in bare(text).split(" "):
        if run and _IS_UNSPACED.match(run) and len(run) > 1:
            found += [run[at : at + 2] for at in range(len(run) - 1)]
        elif run:
            found.append(run)
    return tuple(found)


def stems(text: str) -> frozenset[str]:
    """Stems of a text's words."""
    return frozenset(stem(word) for word in words(text))


# ── word lists ────────────────────────────────────────────────────────────────────────────────────
@lru_cache(maxsize=1)
def _lists() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


@lru_cache(maxsize=32)
def word_set(kind: str, languages: tuple[str, ...]) -> frozenset[str]:
    """The words of one kind (function, who, when, …) in these languages, bare."""
    lists = _lists()
    return frozenset(bare(word) for code in languages for word in lists.get(code, {}).get(kind, "").split())


@lru_cache(maxsize=1)
def _related() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for name, line in _lists()["related"].items():
        for word in line.split():
            found[stem(bare(word))].add(name)
    return {word: frozenset(names) for word, names in found.items()}


def relations(stemmed: str) -> frozenset[str]:
    """The relations that a stem may name: "birth" for born, "lead" and "cause" for led."""
    return _related().get(stemmed, frozenset())


@lru_cache(maxsize=32)
def idle_stems(languages: tuple[str, ...]) -> frozenset[str]:
    """Stems of the words that carry no content in these languages."""
    return frozenset(stem(word) for word in word_set("function", languages))


def reading_languages(languages: Iterable[str]) -> tuple[str, ...]:
    """The languages of a collection that have word lists, and English."""
    return tuple(sorted({code for code in languages if code in _codes()} | {"en"}))


def languages_of(question: str, collected: tuple[str, ...]) -> tuple[str, ...]:
    """The languages a question may be asked in, by its little words; those of the collection when these don't tell.

    "Who died?" is no German question, though "die" and "war" are little words there; and a graph in English may be
    asked in Spanish.
    """
    asked = {word for token in tokens(question) for word in bare(token.text).split()}
    counts = {
        code: sum(word in question if is_unspaced(word) else word in asked for word in _little(code))
        for code in _codes()
    }
    most = max(counts.values())
    likely = tuple(code for code, count in counts.items() if count == most)
    return tuple(code for code in likely if code in collected) or likely if most else collected


@lru_cache(maxsize=1)
def _codes() -> tuple[str, ...]:
    return tuple(sorted(code for code in _lists() if code != "related"))


@lru_cache(maxsize=16)
def _little(code: str) -> frozenset[str]:
    kinds = ("function", "who", "when", "where", "amount", "person", "thing", "group")
    return frozenset().union(*(word_set(kind, (code,)) for kind in kinds))
