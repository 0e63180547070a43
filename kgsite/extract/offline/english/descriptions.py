"""Descriptions: a noun phrase that says what something is and can be read without the sentence it came from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgsite.extract.offline.english import lexicon, naming
from kgsite.extract.offline.english.mentions import names_person
from kgsite.extract.offline.english.types import by_head

if TYPE_CHECKING:
    from spacy.tokens import Token

LONGEST = 160  # characters
_BARE = lexicon.VAGUE - {"part", "group", "party", "work", "member", "class", "system", "team", "unit", "field"}
"""Heads that leave open what is meant: "the same", "the result", "one of concentration"."""
_UNIQUE = frozenset(["first", "second", "third", "last", "final", "only", "current", "present", "former"])
_AFTER_HEAD = re.compile(r" (?:of|at|in|for|from|to|on|with|by|and|under|between|behind) ")


def phrase(noun: Token) -> str:
    """The phrase around `noun` as a description, as written; `""` for none.

    Left out are phrases that need their sentence: with a pronoun ("the head of his laboratory"), with a demonstrative,
    after an adverb ("ever the soldier"), of a vague head ("the same"), or cut before what makes them one
    ("the only ship that …").
    """
    words = list(noun.doc[noun.left_edge.i : noun.right_edge.i + 1])
    end, relative = _end(words, noun)
    words = words[:end]
    if not words or not _stands_alone(words, noun):
        return ""
    if relative and words[0].lower_ == "the":
        return ""
    text = naming.tidy(noun.doc[words[0].i : words[-1].i + 1].text)
    whole = all(text.count(sign) % 2 == 0 for sign in '"[]()') and text.count("“") == text.count("”")
    return text if whole and len(text.split()) >= 2 and len(text) <= LONGEST else ""


def _end(words: list[Token], noun: Token) -> tuple[int, bool]:
    """Where the phrase is cut, and whether at a relative clause; an infinitive ("the first person to …") belongs to it."""
    infinitives = [w for w in words if w.dep_ == "relcl" and any(c.lower_ == "to" and c.i < w.i for c in w.children)]
    inside = {t.i for verb in infinitives for t in verb.subtree}
    for number, token in enumerate(words):
        if token.i <= noun.i or (token.i in inside and token.dep_ not in {"punct", "cc", "advcl"}):
            continue
        if token.dep_ == "cc" and _joins_people(token, noun):
            continue
        if token.dep_ in {"advcl", "punct", "cc"}:
            return number, False
        if token.dep_ == "relcl" or token.tag_ in {"WP", "WDT", "WRB"}:
            return number, True
    return len(words), False


def _joins_people(conjunction: Token, noun: Token) -> bool:
    """`physicist and chemist`: the second noun says what the thing is as well."""
    if conjunction.head != noun or conjunction.lower_ != "and":
        return False
    others = [c for c in noun.children if c.dep_ == "conj"]
    return bool(others) and all(c.pos_ == "NOUN" and c.tag_ == noun.tag_ for c in others)


def _stands_alone(words: list[Token], noun: Token) -> bool:
    first, last = words[0], words[-1]
    if any(token.tag_ in {"PRP", "PRP$", "WP$"} for token in words):
        return False
    if first.lower_ in {"this", "that", "these", "those", "such", "another", "other", "either"} or first.pos_ in {
        "ADV",
        "PRON",
    }:
        return False
    if last.pos_ in {"ADP", "PART", "CCONJ", "DET"} or (last.pos_ == "NUM" and last.i != noun.i and len(last.text) < 3):
        return False
    if noun.pos_ in {"PRON", "NUM", "ADJ"} or (noun.pos_ == "PROPN" and first.pos_ != "DET"):
        return False
    if first.lower_ == "the" and last == noun and not any(t.tag_ == "JJS" or t.lower_ in _UNIQUE for t in words):
        return False  # "the negative impact": of what, the sentence knows
    modified = any(c.dep_ in {"amod", "compound", "nmod"} or (c.dep_ == "prep" and c in words) for c in noun.children)
    return modified or noun.lemma_.casefold() not in _BARE


def is_plural(noun: Token) -> bool:
    return bool(noun.tag_ in {"NNS", "NNPS"})


def of_thing(note: str, name: str, kind: str) -> str:
    """The description of a thing of a type: without its own name at the end; `""` when it tells of another type."""
    text = note
    if text.casefold().endswith(name.casefold()):
        text = text[: -len(name)].rstrip(" ,-–")
        text = naming.without_article(text)  # "the aircraft carrier X": X is an aircraft carrier
    if re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE):
        return ""
    head = _AFTER_HEAD.split(text, maxsplit=1)[0].split()[-1:]
    people = any(_names_people(word) for word in head)
    if (kind == "person" and not people) or (kind in {"place", "date", "event"} and people):
        return ""
    return text[:1].upper() + text[1:] if text and (len(text.split()) > 1 or text != note) else ""


def _names_people(word: str) -> bool:
    kind = by_head(word, proper=False)
    of_things = word.casefold() in lexicon.ROLE_NOUNS - lexicon.PERSON_NOUNS - lexicon.PERSON_ROLES
    return (
        kind == "person"
        or (not kind and not of_things and names_person(word))
        or word.casefold() in lexicon.PERSON_ROLES
    )
