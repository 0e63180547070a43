"""Predicates as readers say them: "Marie Curie receives a doctorate", where the graph has the base form "receive"."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_PLURAL_END = re.compile(r"[a-z](?<!s)(?<!u)(?<!i)s$")
_NOT_PLURAL = frozenset(("politics", "physics", "mathematics", "economics", "news", "series", "ethics", "analysis"))
_VERB_BEFORE_OF = frozenset(("consist", "dispose", "speak", "think", "approve", "hear", "dream", "complain", "die"))
"""Verbs that may stand before "of"; others there are nouns ("cause of", "head of")."""
_OTHERWISE_BEFORE_A_PREPOSITION = frozenset(
    (
        "present",
        "open",
        "separate",
        "complete",
        "correct",
        "direct",
        "free",
        "close",
        "like",
        "set",
        "cut",
        "put",
        "cast",
        "read",
        "spread",
        "shut",
        "become",
        "overcome",
    )
)
"""Adjectives and participles with the form of a verb: "present in", "set in"."""
_PREPOSITIONS = frozenset(("in", "at", "on", "to", "by", "for", "from", "with", "under", "as", "into", "between"))


@cache
def _verbs() -> frozenset[str]:
    return frozenset(files("kgsite.site").joinpath("data/verbs-en.txt").read_text(encoding="utf-8").split())


def spoken(predicate: str, subject: str, language: str) -> str:
    """The predicate after its subject: an English verb in base form agrees with it, anything else is as it stands.

    >>> spoken("receive", "Marie Curie", "en"), spoken("not have", "risk", "en"), spoken("include", "AI risks", "en")
    ('receives', 'does not have', 'include')
    >>> spoken("awarded to", "medal", "en"), spoken("head of", "Ada", "en"), spoken("leiten", "Ada", "de")
    ('awarded to', 'head of', 'leiten')
    """
    if language != "en":
        return predicate
    verb, space, rest = predicate.partition(" ")
    if verb == "not" and rest.partition(" ")[0] in _verbs():
        return f"do not {rest}" if is_plural(subject) else f"does not {rest}"
    if verb not in _verbs() or not _is_verb_before(verb, rest.partition(" ")[0]) or is_plural(subject):
        return predicate
    return third_person(verb) + space + rest


def _is_verb_before(word: str, following: str) -> bool:
    if following == "of":
        return word in _VERB_BEFORE_OF
    return not (following in _PREPOSITIONS and word in _OTHERWISE_BEFORE_A_PREPOSITION)


def is_plural(name: str) -> bool:
    """Whether a name is read as several: a common noun in the plural, or two things joined by "and".

    >>> is_plural("AI risks"), is_plural("rise of cities"), is_plural("United States"), is_plural("physics")
    (True, False, False, False)
    """
    head = re.split(r" (?:of|in|for|to|from|with|on|at|by) ", name, maxsplit=1)[0]
    last = head.rpartition(" ")[2]
    if " and " in head:
        return True
    return bool(_PLURAL_END.search(last)) and last == last.lower() and last not in _NOT_PLURAL


def third_person(verb: str) -> str:
    """The form after he, she, it. Rules: be and have apart, -s, -es after a hiss or -o, -ies after a consonant and y.

    >>> [third_person(verb) for verb in ("have", "go", "marry", "play", "teach", "make")]
    ['has', 'goes', 'marries', 'plays', 'teaches', 'makes']
    """
    if verb == "have":
        return "has"
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        return verb[:-1] + "ies"
    return verb + "s"
