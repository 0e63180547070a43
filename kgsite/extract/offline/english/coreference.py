"""Which thing a pronoun or a definite noun phrase stands for, reading the document from its start.

A pronoun takes the last subject that fits in gender and number, within a few sentences; he and she fall back on
the person the document is about. `the university` is the last thing with that word in its name.
"""

from __future__ import annotations

from kgsite.extract.offline.english.records import Mention, Sentence
from kgsite.extract.offline.english.things import Thing, Things

_MALE = frozenset({"he", "him", "his"})
_FEMALE = frozenset({"she", "her", "hers"})
_NEUTER = frozenset({"it", "its"})
REACH = 3
"""Sentences back in which an antecedent is looked for; farther ones are guesses."""
NAME_REACH = 12
_PLACES = frozenset({"city", "town", "village", "island", "settlement"})
_EVENTS = frozenset({"era", "period", "revolution", "conflict", "movement"})
_SOMEBODY = frozenset({"man", "woman", "boy", "girl"})
_BODIES = frozenset(
    {
        "company",
        "firm",
        "organization",
        "organisation",
        "institute",
        "institution",
        "agency",
        "university",
        "corporation",
        "startup",
        "association",
        "foundation",
    }
)


class Antecedents:
    """Walks through the sentences and answers for each mention which things it means."""

    def __init__(self, things: Things) -> None:
        self.things = things
        self.main = things.main_person()
        self._recent: list[tuple[int, int, int, tuple[Thing, ...]]] = []  # sentence, rank, position, things

    def sentence(self, number: int, sentence: Sentence) -> list[tuple[Thing, ...]]:
        """Things of each mention of the sentence; () where it stays open."""
        found: list[tuple[Thing, ...]] = [()] * len(sentence.mentions)
        groups = _coordinated(sentence)
        order = sorted(
            range(len(sentence.mentions)), key=lambda i: (sentence.mentions[i].start, sentence.mentions[i].end)
        )
        for index in order:
            mention = sentence.mentions[index]
            if mention.kind == "pronoun":
                meant = self._ahead(mention, sentence) or self._pronoun(number, mention)
            else:
                meant = self._named(number, mention)
            found[index] = meant
            if meant and mention.kind != "date":
                group = tuple(t for i in groups.get(index, ()) for t in found[i] if t not in meant)
                self._recent.append((number, mention.rank, mention.start, (*group, *meant) if group else meant))
        self._recent = [entry for entry in self._recent if number - entry[0] <= NAME_REACH]
        return found

    # ── noun phrases ──────────────────────────────────────────────────────────────────────────────
    def _titled(self, number: int, head: str) -> Thing | None:
        """`the captain`: the last person who was called that."""
        for sentence, _rank, _start, things in self._nearest(number, NAME_REACH):
            if number - sentence <= NAME_REACH and len(things) == 1 and head in things[0].titles:
                return things[0]
        return None

    def _named(self, number: int, mention: Mention) -> tuple[Thing, ...]:
        own = self.things.find(mention)
        if (
            mention.kind == "noun"
            and mention.definite
            and mention.name.endswith(f"-based {mention.head}")
            and mention.head in _BODIES
        ):
            return (self._definite(number, mention.head) or own,)
        if (
            mention.kind == "noun"
            and mention.definite
            and not mention.owned
            and " " not in mention.name
            and not mention.plural
        ):
            named = self._titled(number, mention.head) or self._definite(number, mention.head)
            if named is not None:
                return (named,)
            if mention.head in _EVENTS:
                return ()
        return (own,)

    def _definite(self, number: int, head: str) -> Thing | None:
        for _sentence, _subject, _start, things in reversed(self._recent):
            for thing in things:
                if thing.proper and " " in thing.name and _is_headed(thing.name, head):
                    return thing
        kind = "place" if head in _PLACES else "organization" if head in _BODIES else "event" if head in _EVENTS else ""
        if not kind:
            return None
        for sentence, _subject, _start, things in self._nearest(number, 2 if kind == "event" else 1):
            if number - sentence > (2 if kind == "event" else 1):
                break
            for thing in reversed(things):
                if thing.type == kind and thing.proper:
                    return thing
        return None

    # ── pronouns ──────────────────────────────────────────────────────────────────────────────────
    def _pronoun(self, number: int, mention: Mention) -> tuple[Thing, ...]:
        word = mention.name
        if word in _MALE or word in _FEMALE:
            return self._person(number, "m" if word in _MALE else "f")
        if word in _NEUTER:
            return self._thing(number)
        return self._several(number)

    def _ahead(self, pronoun: Mention, sentence: Sentence) -> tuple[Thing, ...]:
        """`For her research Ada chose …`: a pronoun before the subject of its sentence means that subject."""
        subject = next((m for m in sentence.mentions if m.rank == 3 and m.kind == "name"), None)
        if subject is None or pronoun.rank > 1 or pronoun.start > subject.start or pronoun.plural:
            return ()
        thing = self.things.find(subject)
        if pronoun.name in _NEUTER:
            return (thing,) if thing.type not in {"person", "date"} else ()
        gender = "m" if pronoun.name in _MALE else "f"
        return (thing,) if thing.type == "person" and self.things.gender(thing) in {gender, ""} else ()

    def _person(self, number: int, gender: str) -> tuple[Thing, ...]:
        if any(entry[0] == number and entry[3][0].key.split()[-1] in _SOMEBODY for entry in self._recent):
            return ()  # "a man … him": somebody who is not named
        unknown: Thing | None = None
        for _sentence, rank, _start, things in self._nearest(number, REACH):
            thing = things[0]
            if len(things) != 1 or thing.type != "person" or not thing.proper:
                continue
            known = self.things.gender(thing)
            if known == gender:
                return (thing,)
            if not known and unknown is None:
                unknown = thing
                if rank == 3:
                    break
        if unknown is not None:
            unknown.gender[gender] += 1
            return (unknown,)
        if self.main is not None and self.things.gender(self.main) in {gender, ""}:
            return (self.main,)
        return ()

    def _thing(self, number: int) -> tuple[Thing, ...]:
        for sentence, subject, _start, things in self._nearest(number, 1):
            thing = things[0]
            if len(things) != 1 or subject < 2 or thing.type in {"person", "date"} or 2 * thing.plural > thing.count:
                continue
            if thing.proper or number == sentence or " " in thing.name:
                return (thing,)
        return ()

    def _nearest(self, number: int, reach: int) -> list[tuple[int, int, int, tuple[Thing, ...]]]:
        """What was named lately: sentence by sentence backwards, subjects first, the last one first."""
        recent = [entry for entry in self._recent if number - entry[0] <= reach]
        return sorted(recent, key=lambda entry: (-entry[0], -entry[1], -entry[2]))

    def _several(self, number: int) -> tuple[Thing, ...]:
        for sentence, subject, _start, things in reversed(self._recent):
            if number - sentence > 1:
                break
            if len(things) > 1 and all(t.proper for t in things):
                return things
            if subject >= 2 and len(things) == 1 and 2 * things[0].plural > things[0].count and " " in things[0].name:
                return things
        persons: list[Thing] = []
        for sentence, _subject, _start, things in self._recent:
            if sentence == number:
                persons += [t for t in things if t.type == "person" and t.proper and t not in persons]
        return tuple(persons) if len(persons) == 2 else ()


def _is_headed(name: str, head: str) -> bool:
    """True when `head` is the word that says what the name names: its last, the one before "of", or the first."""
    words = name.casefold().split()
    return (
        head == words[-1]
        or (words[0] in {head, "project", "operation"} and words[0] == head)
        or f"{head} of " in " ".join(words)
    )


def _coordinated(sentence: Sentence) -> dict[int, tuple[int, ...]]:
    """Last member of a coordination of names → the members before it: two sources or targets of one statement."""
    groups: dict[int, tuple[int, ...]] = {}
    by_statement: dict[tuple[int, str, str], list[int]] = {}
    for link in sentence.links:
        by_statement.setdefault((link.target, link.predicate, "s"), []).append(link.source)
        by_statement.setdefault((link.source, link.predicate, "t"), []).append(link.target)
    for members in by_statement.values():
        names = sorted(
            {m for m in members if sentence.mentions[m].kind == "name"}, key=lambda i: sentence.mentions[i].start
        )
        if len(names) > 1 and len(names) > len(groups.get(names[-1], ())):
            groups[names[-1]] = tuple(names[:-1])
    return groups
