"""What an Arabic sentence says: the verb first, then who acts, then what is acted on or where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kgsite.extract.offline.lexicon import Lexicon
from kgsite.extract.offline.mentions import Mention
from kgsite.extract.offline.relating import Link
from kgsite.extract.offline.uncased import marks

_STATED = 6.0
_WORD = re.compile(r"[\u0621-\u065f\u0670-\u06d3]+|[^\w\s]")
_PREPOSITIONS = ("في", "إلى", "من", "على", "مع", "عن", "ضد", "عند", "نحو", "لدى")
_YEAR = ("عام", "سنة", "العام", "السنة")


@dataclass(frozen=True, slots=True)
class _Patterns:
    verbs: frozenset[str]
    located: frozenset[str]
    ignored: frozenset[str]  # between a verb and its names
    role: re.Pattern[str]


@lru_cache(maxsize=4)
def _patterns(words: Lexicon) -> _Patterns:
    raw = words.raw
    kinds = f"{raw['place_bare']} {raw['work_words']}"
    roles = marks.alternatives(raw["roles"].replace("_", " "))
    return _Patterns(
        verbs=frozenset(raw["verbs"].split()),
        located=frozenset(raw["located"].split()),
        ignored=frozenset(f"{kinds} {raw['titles']}".split()) | {"قد", "أيضا", "أيضاً", "كل", '"', "«", "“", "السلطان"},
        role=re.compile(rf"^\s?(?:(?:هو|هي|كان|كانت|،)\s)?({roles})\s$"),
    )


def links(sentence: str, row: Sequence[Mention], words: Lexicon) -> Iterator[Link]:
    """The statements of a sentence about `row`, its mentions by position."""
    reader = _Reader(sentence, row, _patterns(words))
    for index in range(len(row)):
        yield from reader.at(index)


class _Reader:
    """Reads from left to right in the order of the text."""

    def __init__(self, sentence: str, row: Sequence[Mention], patterns: _Patterns) -> None:
        self.sentence = sentence
        self.row = row
        self.patterns = patterns
        self.verb = ""
        self.subjects: list[Mention] = []
        self.last: Link | None = None

    def at(self, index: int) -> Iterator[Link]:
        """A mention with what stands between it and the one before."""
        one = self.row[index]
        begin = self.row[index - 1].end if index else 0
        gap = self.sentence[begin : one.start]
        listed = gap.strip() in ("و", "،", "، و") and index > 0
        if listed and self._listed(self.row[index - 1], one):
            if self.last is not None:
                yield from self._say(one, self.last.predicate)
            return
        self.last = None
        role = self.patterns.role.match(gap)
        if role and index and self.row[index - 1].kind == "name" and one.kind == "name":
            yield Link(self.row[index - 1], one, role[1], _STATED)
            return
        yield from self._governed(one, [word for word in _WORD.findall(gap) if word not in ("،", ")", "(")], index)

    def _listed(self, before: Mention, one: Mention) -> bool:
        if self.last is not None and self.last.target is before and before.type == one.type:
            return True
        if self.subjects and self.subjects[-1] is before and before.type == one.type:
            self.subjects.append(one)
            return True
        return False

    def _governed(self, one: Mention, gap: list[str], index: int) -> Iterator[Link]:
        at = next((i for i in range(len(gap) - 1, -1, -1) if self._verb(gap[i])), -1)
        if at >= 0:
            self.verb = self._verb(gap[at])
        between = [word for word in gap[at + 1 :] if word not in self.patterns.ignored]
        first = index == 0 or not self.subjects
        acts = one.type in ("person", "organization") or (self.verb in self.patterns.located and one.kind == "name")
        if at >= 0 and not between and acts and (first or one.type == "person"):
            self.subjects = [one]
            return
        if at < 0 and index == 0 and one.kind == "name" and not gap:
            self.subjects = [one]
            return
        preposition = self._preposition(between, one)
        if preposition is None or not self.verb:
            if len(between) > 1:
                self.verb = ""
            return
        yield from self._say(one, f"{self.verb} {preposition}".strip())

    def _verb(self, word: str) -> str:
        if word in self.patterns.verbs:
            return word
        return word[1:] if word[0] in "وف" and word[1:] in self.patterns.verbs else ""

    def _preposition(self, between: list[str], one: Mention) -> str | None:
        """The preposition before a name, "" for none, None where more than that stands there."""
        words = [word for word in between if word not in _YEAR]
        clitic = next((word for word in words if word in ("ب", "ل", "ك")), "")
        words = [word for word in words if word not in ("ب", "ل", "ك")]
        words = [word[1:] if word[0] == "و" and word[1:] in _PREPOSITIONS else word for word in words]
        if not words:
            if one.kind == "date":
                return "عام"
            return clitic if clitic in ("", "ب") else None
        if len(words) == 1 and words[0] in _PREPOSITIONS:
            return "عام" if one.kind == "date" else words[0]
        return None

    def _say(self, one: Mention, predicate: str) -> Iterator[Link]:
        for subject in self.subjects[:3]:
            if subject.name != one.name:
                self.last = Link(subject, one, predicate, _STATED)
                yield self.last
