"""What is no thing at all, or says nothing: stop words, bare numbers, entities without any relation."""

from __future__ import annotations

import re
from functools import lru_cache

from kgsite.collection.identity import kind, plain
from kgsite.extract.consolidate import Draft, Thing
from kgsite.extract.stopwords import stop_words

STOP_WORD = "stop words"
NUMBER = "bare numbers"
ALONE = "entities without any relation"
WITH_THEM = "relations of dropped entities"

_NUMBER = re.compile(r"[\d\s.,:;/%+\-–−()°$€£#]+")
_DATES = ("date",)
_PRONOUN_WORDS = (
    "i he she it we you they this that these those the a an me him her us them who what which there here one "
    "er sie es wir ihr ich du das der die dies diese dieser dieses man ein eine "
    "il elle ils elles nous vous je tu on ce ceci cela ça celui celle le la les un une "
    "él ella ello ellos ellas nosotros usted ustedes yo esto eso este esta el los las "
    "hij zij ze wij we jij het dit dat deze die een "
    "lui lei loro noi voi io questo questa quello quella ciò egli essa "
    "ele ela eles elas nós vós eu isto isso este esta"
)
_PRONOUNS = frozenset(_PRONOUN_WORDS.split())


def drop_noise(draft: Draft, language: str) -> None:
    """Take noise out of `draft`, in place, and count it by reason.

    A small text must not vanish: entities without relations stay when there is nothing else.
    """
    noise = {key: reason for key, thing in draft.things.items() if (reason := _reason(thing, language))}
    if len(noise) < len(draft.things):
        _count(draft, noise)
    linked = {key for at in draft.statements for key in at[:2]}
    if linked:
        _count(draft, {key: ALONE for key in draft.things if key not in linked})


def _count(draft: Draft, noise: dict[str, str]) -> None:
    went = draft.remove(noise)
    for reason in noise.values():
        draft.dropped[reason] += 1
    if went:
        draft.dropped[WITH_THEM] += went


def _reason(thing: Thing, language: str) -> str:
    name = thing.name
    if _NUMBER.fullmatch(name):
        return "" if kind(thing.type) in _DATES else NUMBER
    words = plain(name).split()
    if name[:1].isupper():  # WHO, May, Bo: only what stands for a name is none
        return STOP_WORD if not name[1:].isupper() and " ".join(words) in _PRONOUNS else ""
    if any(len(word) == 1 and word.isascii() for word in words) and len(words) > 1:
        return ""  # "a b": the lists hold every letter
    return STOP_WORD if all(word in _stop_words(language) for word in words) else ""


@lru_cache(maxsize=16)
def _stop_words(language: str) -> frozenset[str]:
    """Words that name nothing, of the language and of English (which every corpus holds)."""
    words = {plain(word) for code in (language, "en") for word in stop_words(code)}
    return frozenset(words - _THINGS)


_THINGS = frozenset(
    [
        "area",
        "case",
        "cases",
        "face",
        "fact",
        "facts",
        "group",
        "groups",
        "home",
        "information",
        "member",
        "members",
        "number",
        "numbers",
        "order",
        "part",
        "parts",
        "page",
        "pages",
        "place",
        "places",
        "point",
        "points",
        "problem",
        "problems",
        "research",
        "result",
        "results",
        "room",
        "rooms",
        "section",
        "state",
        "states",
        "system",
        "test",
        "thing",
        "things",
        "work",
        "works",
        "world",
        "year",
        "years",
        "zero",
        "million",
        "trillion",
        "invention",
        "man",
        "men",
        "opening",
        "test",
        "interest",
        "interests",
    ]
)
"""Nouns that the English list holds because they are frequent on the web."""
