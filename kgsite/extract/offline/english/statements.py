"""Links between mentions → statements about things: only those worth publishing, in their best wording."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kgsite.extract.offline.english.records import Link, Sentence
from kgsite.extract.offline.english.things import Thing

PRONOUN_COST = 0.1
MAX_QUOTE = 600
"""Characters of a quote; a longer sentence is cut around the two mentions."""
_NOUN_PREPOSITIONS = frozenset(
    {
        "of",
        "in",
        "at",
        "for",
        "on",
        "from",
        "with",
        "between",
        "by",
        "about",
        "against",
        "near",
        "to",
        "into",
        "during",
        "within",
        "under",
        "among",
        "around",
        "across",
    }
)
_SPOKEN = frozenset({"i", "you", "me", "my", "your", "we", "i'm", "i’m", "you're", "you’re", "don't", "don’t"})
_TOLD = frozenset({"he", "she", "his", "her", "him", "hers", "their"})
_CONTAINED = frozenset({"in", "at", "on"})
_LOCATED = frozenset({"place", "organization"})


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact about two things, with where it was read."""

    source: Thing
    target: Thing
    predicate: str
    confidence: float  # 0–1
    start: int  # of the sentence, in Document.text
    end: int
    first: int  # the stretch between the two mentions, which a cut quote keeps
    last: int


def of_sentence(sentence: Sentence, meant: list[tuple[Thing, ...]], *, narrative: bool = False) -> Iterator[Statement]:
    """The statements of a sentence, each once: those of verbs first, then those of nouns.

    narrative: the document tells a story. Of what its people do, only that counts which ties them to a name,
    a place, an organisation … or a thing that comes up again.
    """
    if narrative and not (sentence.links and any(m.kind in {"name", "pronoun"} for m in sentence.mentions)):
        return
    seen: set[tuple[str, str, str]] = set()
    pairs: set[frozenset[str]] = set()
    for link in sorted(sentence.links, key=lambda link: link.kind == "noun"):
        a, b = sentence.mentions[link.source], sentence.mentions[link.target]
        for source in meant[link.source]:
            for target in meant[link.target]:
                predicate = _worded(link, source, target)
                key = (source.key, target.key, predicate)
                if narrative and not _tells(source, target):
                    continue
                if not predicate or source is target or source.key == target.key or key in seen:
                    continue
                pair = frozenset((source.key, target.key))
                if link.kind == "noun" and pair in pairs:
                    continue  # the verb has said it better
                seen.add(key)
                pairs.add(pair)
                cost = PRONOUN_COST * ((a.kind == "pronoun") + (b.kind == "pronoun"))
                confidence = link.confidence + (
                    0.25 if predicate in {"located in", "held in"} and link.kind == "noun" else 0
                )
                first, last = min(a.start, b.start), max(a.end, b.end)
                yield Statement(source, target, predicate, confidence - cost, sentence.start, sentence.end, first, last)


def _tells(source: Thing, target: Thing) -> bool:
    """True when a story is about it: one side has a name, the other a name, a real type or keeps coming up."""
    if not (source.proper or target.proper):
        return False
    return all(thing.proper or thing.type != "concept" or thing.count > 2 for thing in (source, target))


def is_narrative(text: str) -> bool:
    """True for stories: many words in direct speech, by people who say I and you."""
    words = text.casefold().split()
    spoken = sum(1 for word in words if word.strip("\"“”'‘’.,!?") in _SPOKEN)
    told = sum(1 for word in words if word in _TOLD)
    quotes = sum(text.count(mark) for mark in '"“”')
    return len(words) > 150 and quotes > len(words) / 120 and spoken + told > len(words) / 40


def _worded(link: Link, source: Thing, target: Thing) -> str:
    """The predicate as these two types need it; "" when the statement says nothing."""
    predicate = link.predicate
    if source.type == "date":
        return ""
    if predicate == "have" and source.type == target.type == "concept" and not source.proper:
        return ""
    if link.kind != "noun":
        return "" if target.type == "date" and predicate in {"is", "is a", "of"} else predicate
    if predicate not in _NOUN_PREPOSITIONS:
        return ""
    if predicate in _CONTAINED and target.type == "place" and target.proper:
        if source.type in _LOCATED:
            return "located in"
        if source.type == "event":
            return "held in" if source.proper else "take place in"
    if source.is_proper() and not target.is_proper() and target.type != "date":
        return ""  # what hangs on a name by a preposition alone is mostly the verb's
    if predicate == "by" and source.type not in {"work", "technology", "product"}:
        return ""
    if target.type == "date" and predicate == "of":
        return ""
    return predicate if _weighty(source, target, predicate) else ""


def _weighty(source: Thing, target: Thing, preposition: str) -> bool:
    """Whether a noun with a preposition is worth a relation: between common nouns it mostly is a part of speech.

    "impact of" and "discovery of" say nothing without their clause; of two common nouns one must be of a real
    type, and the preposition one of place, belonging or origin.
    """
    if source.proper:
        return True
    if source.type == "concept" and " " not in source.name:
        return False
    if target.proper:
        return preposition not in {"to", "into", "with", "within", "across"}
    typed = source.type != "concept" or target.type != "concept"
    if preposition == "during":
        return source.type == "event"
    if preposition == "for":
        return source.type != "concept" and " " in source.name  # "a boarding school for girls"
    return preposition in {"of", "in", "on", "at", "between"} and (typed or " " in source.name)


def quote_span(text: str, statement: Statement) -> tuple[int, int]:
    """The verbatim passage for a statement: its sentence, or for a very long one a stretch of it at word borders."""
    start, end = statement.start, statement.end
    if end - start <= MAX_QUOTE:
        return start, end
    centre = (statement.first + statement.last) // 2
    left = max(start, min(statement.first, centre - MAX_QUOTE // 2))
    right = min(end, max(statement.last, left + MAX_QUOTE))
    if right - left > 2 * MAX_QUOTE:
        right = left + 2 * MAX_QUOTE
    while left > start and not text[left - 1].isspace():
        left -= 1
    while right < end and not text[right].isspace():
        right += 1
    return left, right
