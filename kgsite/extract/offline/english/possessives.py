"""Names that hold a possessive: Heart's Content, Martha's Vineyard. The parser takes them for a thing and its owner."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from kgsite.extract.offline.english import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Doc

_NAME = re.compile(r"(?<![\w'’-])([A-Z][a-z]+)['’]s\s([A-Z][a-z]+)(?![\w-]|['’]s?\s+[A-Z]|\s[A-Z])")
_WORD = re.compile(r"[A-Z][a-z]+")
_OWNED = lexicon.PERSON_NOUNS | lexicon.KIN | lexicon.TITLES
_KINDS = lexicon.PLACE_NOUNS | lexicon.ORG_NOUNS
TIMES = 2
"""Occurrences after which a pair whose words never stand apart is one name."""


def whole_names(text: str) -> frozenset[tuple[str, str]]:
    """Pairs (`Heart`, `Content`) that are one name in this text: neither word is a name without the other.

    They come twice, or end in a word for a place or a body (`Hudson's Bay`), and at least once inside a sentence.
    """
    pairs: Counter[tuple[str, str]] = Counter()
    inside: set[tuple[str, str]] = set()
    for match in _NAME.finditer(text):
        pair = (match[1], match[2])
        pairs[pair] += 1
        if text[: match.start()].rstrip()[-1:].islower():
            inside.add(pair)
    if not inside:
        return frozenset()
    words = Counter(_WORD.findall(text))
    return frozenset(
        pair
        for pair, count in pairs.items()
        if pair in inside
        and (count >= TIMES or pair[1].lower() in _KINDS)
        and pair[1].lower() not in _OWNED
        and words[pair[0]] == words[pair[1]] == count
    )


def join(doc: Doc, names: frozenset[tuple[str, str]]) -> None:
    """Make one token of each of `names` in a parsed text."""
    if not names:
        return
    spans = [
        doc[i : i + 3]
        for i in range(len(doc) - 2)
        if doc[i + 1].tag_ == "POS" and (doc[i].text, doc[i + 2].text) in names
    ]
    with doc.retokenize() as retokenizer:
        for span in spans:
            attributes: dict[int | str, int | str] = {"POS": "PROPN", "TAG": "NNP", "LEMMA": span.text}
            retokenizer.merge(span, attrs=attributes)
