"""The type of a thing: from what the recogniser called its mentions, repaired by its words and its sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from kgsite.extract.offline.english import lexicon
from kgsite.extract.offline.english.naming import singular

TYPES = ("person", "organization", "place", "event", "technology", "product", "work", "date", "concept")
_BY_LABEL = {
    "PERSON": "person", "ORG": "organization", "GPE": "place", "LOC": "place", "FAC": "place", "EVENT": "event",
    "PRODUCT": "product", "WORK_OF_ART": "work", "LAW": "work", "LANGUAGE": "concept", "NORP": "concept", "DATE": "date",
}  # fmt: skip
_BY_HEAD = (
    (lexicon.PERSON_NOUNS, "person"),
    (lexicon.ORG_NOUNS, "organization"),
    (lexicon.WORK_NOUNS, "work"),
    (lexicon.EVENT_NOUNS, "event"),
    (lexicon.TECH_NOUNS, "technology"),
    (lexicon.PRODUCT_NOUNS, "product"),
    (lexicon.PLACE_NOUNS, "place"),
)
_CAMEL = re.compile(r"^(?!Mc|Mac|De|Di|Du|La|Le|Van|O')\w*[a-z][A-Z]\w*$")
_PEOPLE = frozenset(
    [
        "people",
        "woman",
        "women",
        "man",
        "men",
        "humans",
        "girls",
        "boys",
        "folk",
        "crew",
        "surgeons",
        "scientists",
        "victims",
    ]
)


def by_head(name: str, *, proper: bool) -> str:
    """The type that the last word (of a common noun) or any telling word (of a name) implies, else ""."""
    words = (
        name.split(" of ", maxsplit=1)[0]
        .split(" in ", maxsplit=1)[0]
        .split(" for ", maxsplit=1)[0]
        .replace("-", " ")
        .split()
    )
    while len(words) > 1 and (words[-1].isdigit() or (words[-1].isupper() and len(words[-1]) < 4)):
        words = words[:-1]
    if not words:
        return ""
    last = words[-1].casefold()
    if proper and len(words) > 1 and lexicon.PROGRAMMES & {last, words[0].casefold()}:
        return "event"
    if (
        not proper
        and len(last) > 5
        and singular(last).endswith(("man", "men", "woman", "women", "smith", "wright", "ologist", "ographer"))
    ):
        return "person"
    for form in (last, singular(last)):
        if form in _PEOPLE:
            return "person"
        for nouns, kind in _BY_HEAD:
            if form in nouns and not (proper and kind == "person" and len(words) > 1):
                return kind
    return ""


def decide(name: str, labels: Mapping[str, int], *, proper: bool, person_hint: bool, definite: bool) -> str:
    """The type of a thing.

    labels: how often the recogniser gave which label, "" for none. person_hint: a title, a kinship word or
    he/she was used for it. definite: written with "the" in most places, which no person is. Unsure: "concept".
    """
    votes: Counter[str] = Counter()
    for label, count in sorted(labels.items()):
        if label in _BY_LABEL:
            votes[_BY_LABEL[label]] += count
    if votes["date"] and not proper:
        return "date"
    head = by_head(name, proper=proper)
    if not proper:
        return head or "concept"
    if person_hint and not any(char.isdigit() for char in name):
        return "person"
    telling = head and not (head == "place" and votes["organization"] > votes["place"])
    if telling and (votes["person"] <= 1 or definite or head in {"organization", "event"}):
        return head
    if name.isupper() and len(name) < 6 and name.casefold() not in lexicon.STATE_ABBREVIATIONS:
        del votes["place"]
        del votes["person"]
    if _CAMEL.search(name) and votes["person"]:
        votes["organization"] += votes.pop("person")  # "SpaceX"
    if (definite or any(char.isdigit() for char in name)) and votes["person"]:
        del votes["person"]
    best = max(sorted(votes), key=lambda kind: votes[kind], default="")
    if best:
        return best
    if any(char.isdigit() for char in name):
        return "technology"
    return "concept"
