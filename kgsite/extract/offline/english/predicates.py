"""Wording of predicates: the verb or preposition phrase in base form, at most three words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgsite.extract.offline.english import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Token

MAX_WORDS = 3
_NEGATIVE = frozenset({"never", "hardly", "barely", "rarely", "seldom"})
_ADVERBS = frozenset({"back", "away", "down", "up", "out", "off", "forward", "apart", "together", "aside"})
_PARTICIPLES = {
    "bear": "born", "build": "built", "make": "made", "write": "written", "win": "won", "hold": "held", "find": "found",
    "give": "given", "take": "taken", "choose": "chosen", "begin": "begun", "break": "broken", "bring": "brought",
    "buy": "bought", "catch": "caught", "cut": "cut", "do": "done", "draw": "drawn", "drive": "driven", "fight": "fought",
    "fly": "flown", "get": "got", "grow": "grown", "keep": "kept", "know": "known", "lay": "laid", "lead": "led",
    "leave": "left", "lend": "lent", "lose": "lost", "meet": "met", "pay": "paid", "put": "put", "read": "read",
    "run": "run", "see": "seen", "sell": "sold", "send": "sent", "set": "set", "shoot": "shot", "show": "shown",
    "sing": "sung", "speak": "spoken", "spend": "spent", "steal": "stolen", "swear": "sworn", "teach": "taught",
    "tell": "told", "throw": "thrown", "wear": "worn", "sink": "sunk", "strike": "struck", "overthrow": "overthrown",
    "withdraw": "withdrawn", "undertake": "undertaken", "seek": "sought", "split": "split", "spread": "spread",
}  # fmt: skip


def negated(verb: Token) -> bool:
    """True for "not", "never", "no longer" and the like below the verb."""
    return any(
        child.dep_ == "neg"
        or child.lower_ in _NEGATIVE
        or any(below.dep_ == "neg" for below in child.children if child.dep_ == "advmod")
        for child in verb.children
    )


def _base(verb: Token) -> str:
    """Lemma with its particle: "take off", "develop"."""
    lemma = "lay" if verb.lower_ in {"lay", "lays"} else verb.lemma_.casefold()
    return f"{lemma} {_particle(verb)}".strip()


def _particle(verb: Token) -> str:
    """`off` of "take off", `back` of "bring back"."""
    for child in verb.children:
        if child.dep_ == "prt" or (child.dep_ == "advmod" and child.i == verb.i + 1 and child.lower_ in _ADVERBS):
            return child.lower_
    return ""


def _joined(words: str, preposition: str) -> str:
    """Both together, or "" where they take more than MAX_WORDS words."""
    phrase = f"{words} {preposition}".strip()
    return phrase if len(phrase.split()) <= MAX_WORDS else ""


def active(verb: Token, preposition: str = "") -> str:
    """`develop`, `move to`, `help establish`, `not enrol at`; "" when it can't be said in three words."""
    words = _base(verb)
    governor = verb.head
    if (
        verb.dep_ == "xcomp"
        and governor.lemma_ in lexicon.HEDGE_VERBS
        and not any(c.dep_ == "dobj" for c in governor.children)
    ):
        link = "" if governor.lemma_ == "help" else "to "
        words = f"{governor.lemma_} {link}{words}"
        if negated(governor):
            words = f"not {words}"
    if negated(verb):
        words = f"not {words}"
    return _joined(words, preposition)


def participle(verb: Token, preposition: str = "") -> str:
    """`developed at`, `awarded to`, `born in`: what happened to the thing."""
    if verb.tag_ == "VBN" or verb.lemma_ not in _PARTICIPLES:
        word = verb.lower_ if verb.tag_ in {"VBN", "VBD"} else _regular(verb.lemma_.casefold())
    else:
        word = _PARTICIPLES[verb.lemma_]
    if not word:
        return ""
    words = f"{word} {_particle(verb)}".strip()
    if negated(verb):
        words = f"not {words}"
    return _joined(words, preposition)


def _regular(lemma: str) -> str:
    """The participle of a regular verb met in another form; "" where only a dictionary would know."""
    if lemma.endswith(
        ("ize", "ise", "ate", "ove", "uce", "ure", "ish", "ify", "ude", "ect", "uct", "ent", "op", "er", "ain")
    ):
        if lemma.endswith("ify"):
            return lemma[:-1] + "ied"
        return lemma + ("d" if lemma.endswith("e") else "ed")
    return ""
