"""A short description of a name, taken from the sentence that says what it is."""

from __future__ import annotations

import re
from functools import lru_cache

from kgsite.extract.offline.lexicon import Lexicon
from kgsite.extract.offline.mentions import Mention


def description(sentence: str, mention: Mention, words: Lexicon) -> str:
    """What follows the name after "is a" or as an apposition between commas; "" when there is neither.

    A phrase that points out of itself ("the head of his laboratory") is none. Within a sentence an apposition begins
    with "a": "…, the bridge in Bergen, …" may as well be the next item of a list.
    """
    if not words.articles or not words.copulas or mention.end <= mention.start:
        return ""
    match = _pattern(words.articles - words.pointing, words.copulas, words.prepositions).match(sentence, mention.end)
    if not match:
        return ""
    text = " ".join((match[1] or match[2]).split())
    tokens = text.casefold().split()
    if not words.pointing.isdisjoint(tokens) or not words.pronouns.isdisjoint(tokens):
        return ""
    if match[2] and mention.start > 0 and tokens[0] not in words.indefinite:
        return ""
    return text if 8 <= len(text) <= 160 else ""


@lru_cache(maxsize=32)
def _pattern(articles: frozenset[str], copulas: frozenset[str], prepositions: frozenset[str]) -> re.Pattern[str]:
    plain = sorted(word for word in articles - prepositions if len(word) > 1 or word in ("a", "l", "o"))
    article = "|".join(map(re.escape, plain)) or r"(?!)"
    copula = "|".join(map(re.escape, sorted(copulas)))
    return re.compile(
        rf"\s+(?:{copula})\s+((?:{article})\s[^.;:()]{{3,160}}?)(?=[.;)]|,\s|$)"
        rf"|,\s+((?:{article})\s[^.,;:()]{{3,160}}?)(?=,\s)",
        re.IGNORECASE,
    )
