"""The things of one document: mentions with the same name, and names that mean the same thing, as one."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from kgsite.extract.offline.english import lexicon, naming, types
from kgsite.extract.offline.english.records import Mention, Sentence
from kgsite.extract.offline.lexicon import lexicon as core_lexicon

_DEFINED = re.compile(
    r"\s*\(\s*(?:the\s+)?[\"'“‘](?:the\s+)?([A-Z][\w-]*(?:\s[A-Z][\w-]*)?)[\"'”’]\s*\)", re.IGNORECASE
)
_ABBREVIATION = re.compile(r"\s*\(\s*[\"']?([A-Z][A-Za-z0-9&.\-]{1,11})[\"']?\s*\)")


@dataclass(slots=True)
class Thing:
    """Everything the document says under one folded name."""

    key: str
    order: int  # of its first mention
    spellings: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    count: int = 0
    proper: int = 0  # mentions as a name
    definite: int = 0
    plural: int = 0
    subject: int = 0
    gender: Counter[str] = field(default_factory=Counter)  # "m", "f": titles, kinship words
    person_hint: bool = False
    classes: Counter[str] = field(default_factory=Counter)  # types of the classes it was put in
    titles: set[str] = field(default_factory=set)  # lower-case words used before the name
    context: Counter[str] = field(default_factory=Counter)  # types that its statements imply
    is_class: bool = False  # something "is a" this
    notes: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)  # keys that were merged into this one
    type: str = "concept"
    name: str = ""

    def is_proper(self) -> bool:
        return 2 * self.proper >= self.count


def _title_gender(title: str) -> str:
    words = set(title.split())
    if words & (lexicon.FEMALE_TITLES | lexicon.KIN_FEMALE):
        return "f"
    return "m" if words & (lexicon.MALE_TITLES | lexicon.KIN_MALE) else ""


def given_name(name: str) -> str:
    """The first part of a name when it is a common given name, accents folded; else ""."""
    first = re.split(r"[\s\-]", name.casefold(), maxsplit=1)[0]
    plain = "".join(c for c in unicodedata.normalize("NFKD", first) if not unicodedata.combining(c))
    known = lexicon.MALE_NAMES | lexicon.FEMALE_NAMES
    return next((form for form in (first, plain) if form in known), "")


def first_name_gender(name: str) -> str:
    """ "m", "f" or "" (unknown or used for both), by the given name."""
    first = given_name(name) or name.split(maxsplit=1)[0].casefold().split("-")[0]
    male, female = first in lexicon.MALE_NAMES, first in lexicon.FEMALE_NAMES
    if male != female:
        return "m" if male else "f"
    return "f" if not male and len(first) > 3 and first.endswith(("a", "ette", "ine")) and " " in name else ""


@lru_cache(maxsize=1)
def known_places() -> frozenset[str]:
    """Countries and towns that the recogniser often takes for people and firms: Malawi, Rotterdam."""
    return core_lexicon("en").places


def _in_order(parts: Sequence[str], whole: Sequence[str]) -> bool:
    """True when `parts` is a subsequence of `whole`."""
    rest = iter(whole)
    return all(part in rest for part in parts)


class Things:
    """Registry of a document's things, with the merges that make one of several names."""

    def __init__(self, text: str, sentences: Sequence[Sentence]) -> None:
        self.by_key: dict[str, Thing] = {}
        self._into: dict[str, str] = {}
        self._restore_initials(sentences)
        self._people = frozenset(
            naming.fold(m.name) for s in sentences for m in s.mentions if m.kind == "name" and m.label == "PERSON"
        )
        for sentence in sentences:
            for mention in sentence.mentions:
                if mention.kind != "pronoun":
                    self._register(mention)
            for index, note in sentence.notes:
                mention = sentence.mentions[index]
                if mention.kind in {"name", "noun"}:
                    self.by_key[self.key(mention)].notes.append(note)
            for link in sentence.links:
                if link.predicate == "is a" and link.kind == "fact":
                    self._classify(sentence.mentions[link.source], sentence.mentions[link.target])
                self._place_in_context(sentence.mentions[link.source], sentence.mentions[link.target], link.predicate)
        self._settle_types(self.by_key.values())
        self._merge_defined(text, sentences)
        self._merge_aliases(text, sentences)
        self._merge_class_words()
        self._merge_person_names()
        self._merge_firm_names()
        self._settle_types(self.all())
        self._settle_series()

    @staticmethod
    def _restore_initials(sentences: Sequence[Sentence]) -> None:
        """`Babbage called …`: a sentence's first word is a name when the document uses it as a part of one."""
        parts = {
            word
            for s in sentences
            for m in s.mentions
            if m.kind == "name" and m.label in {"PERSON", "ORG", "GPE"}
            for word in m.name.casefold().split()
        }
        for sentence in sentences:
            for mention in sentence.mentions:
                if mention.initial and mention.name.casefold() in parts:
                    mention.kind, mention.name, mention.initial = (
                        "name",
                        mention.name[:1].upper() + mention.name[1:],
                        False,
                    )

    def key(self, mention: Mention) -> str:
        """Identity of a mention: the unit "curie" is not the person Curie."""
        folded = naming.fold(mention.name)
        return f"({folded})" if mention.kind == "noun" and folded in self._people else folded

    def _classify(self, member: Mention, group: Mention) -> None:
        """`companies such as X`: what the class is, X is; and a class is named in the singular."""
        if group.kind != "noun":
            return
        target = self.by_key[self.key(group)]
        target.is_class = True
        if member.kind == "name":
            kind = types.by_head(target.spellings.most_common(1)[0][0], proper=False)
            if kind:
                self.by_key[self.key(member)].classes[kind] += 1

    def _place_in_context(self, source: Mention, target: Mention, predicate: str) -> None:
        """`born in X`, `spokeswoman for X`: the statement itself says what kind of thing X is."""
        if target.kind == "name" and predicate in lexicon.PLACE_PREDICATES:
            self.by_key[self.key(target)].context["place"] += 1
        if target.kind == "name" and not lexicon.FIRM_ROLES.isdisjoint(predicate.split()):
            self.by_key[self.key(target)].context["organization"] += 1
        if source.kind == "name" and predicate in lexicon.PERSON_PREDICATES:
            self.by_key[self.key(source)].context["person"] += 1
        if source.kind == "name" and predicate in lexicon.FIRM_PREDICATES:
            self.by_key[self.key(source)].context["organization"] += 1

    def _register(self, mention: Mention) -> None:
        key = self.key(mention)
        thing = self.by_key.get(key)
        if thing is None:
            thing = self.by_key[key] = Thing(key, len(self.by_key))
        thing.spellings[mention.name] += 1
        thing.labels[mention.label] += 1
        thing.count += 1
        thing.proper += mention.kind == "name"
        thing.definite += mention.definite
        thing.plural += mention.plural
        thing.person_hint = thing.person_hint or mention.human
        thing.subject += mention.subject
        if mention.kind == "name" and mention.title:
            known = set(mention.title.split())
            thing.person_hint = thing.person_hint or bool(known & (lexicon.TITLES | lexicon.KIN | lexicon.PERSON_NOUNS))
            thing.titles |= known
            gender = _title_gender(mention.title)
            if gender:
                thing.gender[gender] += 2

    # ── lookup ────────────────────────────────────────────────────────────────────────────────────
    def find(self, mention: Mention) -> Thing:
        return self.resolve(self.key(mention))

    def resolve(self, key: str) -> Thing:
        for _ in range(len(self._into) + 1):
            if key not in self._into:
                break
            key = self._into[key]
        return self.by_key[key]

    def all(self) -> list[Thing]:
        """Things that are left after merging, in order of first mention."""
        return [thing for key, thing in self.by_key.items() if key not in self._into]

    # ── merging ───────────────────────────────────────────────────────────────────────────────────
    def merge(self, key: str, into: str) -> None:
        """Makes `key` another name of `into`; no effect when they are one already."""
        source, target = self.resolve(key), self.resolve(into)
        if source is target:
            return
        self._into[source.key] = target.key
        target.merged += [source.key, *source.merged]
        target.labels += source.labels
        target.gender += source.gender
        target.count += source.count
        target.proper += source.proper
        target.definite += source.definite
        target.subject += source.subject
        target.classes += source.classes
        target.context += source.context
        target.titles |= source.titles
        target.person_hint = target.person_hint or source.person_hint
        target.notes += source.notes

    def _merge_defined(self, text: str, sentences: Iterable[Sentence]) -> None:
        """`Harbour Foods GmbH ("the Customer")`: what a contract calls its parties."""
        defined = set()
        for sentence in sentences:
            for mention in sentence.mentions:
                match = _DEFINED.match(text, mention.end) if mention.kind == "name" else None
                term = naming.fold(match[1]) if match else ""
                if term in self.by_key and term not in defined and term != self.key(mention):
                    defined.add(term)
                    self.merge(term, self.find(mention).key)
        for sentence in sentences:  # the parser puts such a term beside the wrong name
            sentence.links[:] = [
                link
                for link in sentence.links
                if link.kind != "alias" or naming.fold(sentence.mentions[link.target].name) not in defined
            ]

    def _merge_aliases(self, text: str, sentences: Iterable[Sentence]) -> None:
        for sentence in sentences:
            for link in sentence.links:
                if link.kind != "alias":
                    continue
                first = self.find(sentence.mentions[link.source])
                second = (
                    self.find(sentence.mentions[link.target])
                    if sentence.mentions[link.target].kind != "pronoun"
                    else first
                )
                born = (
                    first.type == "person" and second.proper and bool(set(first.key.split()) & set(second.key.split()))
                )
                if born or first.type == second.type == "person" or self._abbreviates(second.key, first.key):
                    self.merge(second.key, first.key)
            for mention in sentence.mentions:
                if mention.kind not in {"name", "noun"}:
                    continue
                match = _ABBREVIATION.match(text, mention.end)
                if match and self._abbreviates(match[1], mention.name):
                    short = naming.fold(match[1])
                    if short not in self.by_key:
                        self._register(Mention(match.start(1), match.end(1), match[1], "name"))
                    self.merge(short, self.find(mention).key)

    @staticmethod
    def _abbreviates(short: str, long: str) -> bool:
        """True when the letters of `short` begin words of `long`, in order."""
        letters = [char for char in short.casefold().removesuffix("s") if char.isalnum()]
        initials = [word[0] for word in re.split(r"[\s\-/]+", long.casefold()) if word]
        if len(letters) < 2 or len(letters) > len(initials) + 3 or not initials or letters[0] != initials[0]:
            return False
        capitals = [char.casefold() for char in short if char.isupper()]
        if len(capitals) > 1 and _in_order(capitals, initials) and _in_order(letters, list(long.casefold())):
            return True
        position = 0
        for initial in initials:
            if position < len(letters) and initial == letters[position]:
                position += 1
        return position >= max(2, len(letters) - 1)

    def _merge_class_words(self) -> None:
        """`Apollo` and `Apollo program`, `Saturn V rocket` and `Saturn V`: the class word changes nothing."""
        classes = lexicon.CLASS_WORDS
        longer: dict[str, list[Thing]] = {}
        for thing in self.all():
            words = thing.spellings.most_common(1)[0][0].split()
            if (
                len(words) > 1
                and words[-1] in classes
                and words[-1].islower()
                and all(w[:1].isupper() or w.isdigit() for w in words[:-1])
            ):
                longer.setdefault(naming.fold(" ".join(words[:-1])), []).append(thing)
        for key, candidates in longer.items():
            short = self.by_key.get(key)
            if short is None or len(candidates) != 1 or not short.proper or short.type in {"person", "place", "date"}:
                continue
            if " " in key or any(char.isdigit() for char in key):
                self.merge(candidates[0].key, key)
            else:
                self.merge(key, candidates[0].key)

    def _merge_person_names(self) -> None:
        """Surname or given name → the full name that is mentioned most; never names with digits or places."""
        full = [t for t in self.all() if t.type == "person" and t.proper]
        by_word: dict[str, list[Thing]] = {}
        for thing in full:
            names = [key for key in (thing.key, *thing.merged) if 2 <= len(key.split()) <= 5]
            for key in names:
                words = key.split()
                ends = {naming.singular(words[0]), naming.singular(words[-1])}  # as `fold` writes them alone: "telke"
                for word in ends | ({" ".join(words[-2:])} if len(words) > 2 else set()):
                    if thing not in by_word.setdefault(word, []):
                        by_word[word].append(thing)
        for thing in self.all():
            own = self.gender(thing) if thing.gender else ""
            candidates = [
                t for t in by_word.get(thing.key, ()) if t is not thing and {own, self.gender(t)} != {"m", "f"}
            ]
            if not candidates or not thing.is_proper() or any(char.isdigit() for char in thing.key):
                continue
            if " " in thing.key and max(t.count for t in candidates) < thing.count:
                self.merge(min(candidates, key=lambda t: (-t.count, t.order)).key, thing.key)
                continue
            if thing.classes and "person" not in thing.classes:
                continue  # "companies such as Tesla"
            lives = thing.context["person"] and not thing.context["place"]
            if thing.type == "place" and thing.labels["GPE"] > 1 and not thing.person_hint and not lives:
                continue
            best = min(candidates, key=lambda t: (-t.count, t.order))
            self.merge(thing.key, best.key)

    def _merge_firm_names(self) -> None:
        """`Toyota` and `Toyota Motor Corporation`: the first word of one organisation only, and no place or person."""
        by_first: dict[str, list[Thing]] = {}
        for thing in self.all():
            words = thing.key.split()
            if (
                len(words) > 1
                and thing.type == "organization"
                and words[-1] in lexicon.ORG_NOUNS
                and " of " not in thing.key
            ):
                by_first.setdefault(naming.singular(words[0]), []).append(thing)
        for key, candidates in by_first.items():
            short = self.by_key.get(key)
            if short is None or len(candidates) != 1 or self.resolve(key) is not short or not short.is_proper():
                continue
            if short.type in {"organization", "product", "concept", "work"} and not short.classes["product"]:
                self.merge(key, candidates[0].key)

    # ── types and names ───────────────────────────────────────────────────────────────────────────
    def _settle_types(self, things: Iterable[Thing]) -> None:
        for thing in things:
            spellings = thing.spellings
            best = min(
                spellings,
                key=lambda name: (-spellings[name], name.islower() != (not thing.is_proper()), len(name), name),
            )
            thing.name = naming.singular_phrase(best) if thing.is_class and not thing.is_proper() else best
            definite = 2 * thing.definite > thing.count
            hint = thing.person_hint or (
                thing.is_proper()
                and " " in best
                and not definite
                and bool(given_name(best))
                and not types.by_head(best, proper=True)
            )
            thing.type = types.decide(best, thing.labels, proper=thing.is_proper(), person_hint=hint, definite=definite)
            single = thing.is_proper() and not hint and " " not in best
            context = thing.context
            lives = context["person"] and not context["place"] and not context["organization"]
            if single and context.total() and (thing.type in {"person", "concept"} or (lives and not thing.definite)):
                thing.type = max(sorted(context), key=lambda kind: context[kind])
            if (
                single
                and best in known_places()
                and not given_name(best)
                and thing.labels["PERSON"] < 3
                and not lives
                and not thing.merged
            ):
                thing.type = "place"
            if thing.classes and thing.is_proper():
                thing.type = max(sorted(thing.classes), key=lambda kind: thing.classes[kind])
            if thing.labels["DATE"] and 2 * thing.labels["DATE"] >= thing.count:
                thing.type = "date"

    def _settle_series(self) -> None:
        """`Apollo 7`, `Apollo 8`, …: members of a series are of one type, that of what they are named after if known."""
        series: dict[str, list[Thing]] = {}
        for thing in self.all():
            base, _, number = thing.key.rpartition(" ")
            if base and number.isdigit() and thing.is_proper() and thing.type != "date":
                series.setdefault(base, []).append(thing)
        for base, members in series.items():
            known = self.resolve(base).type if base in self.by_key else ""
            votes = Counter(thing.type for thing in members)
            best = min(votes, key=lambda kind: (-votes[kind], kind))
            if len(members) > 1:
                for thing in members:
                    thing.type = known if known in {"event", "technology", "product", "work", "place"} else best

    def gender(self, thing: Thing) -> str:
        """ "m", "f" or "" for a person."""
        if thing.gender:
            return max(sorted(thing.gender), key=lambda g: thing.gender[g])
        return first_name_gender(thing.name)

    def main_person(self) -> Thing | None:
        """The person a document is about: clearly the most mentioned, and early."""
        persons = sorted(
            (t for t in self.all() if t.type == "person" and t.proper > 2), key=lambda t: (-t.count, t.order)
        )
        if not persons or (len(persons) > 1 and persons[0].count < 1.5 * persons[1].count):
            return None
        return persons[0] if persons[0].order < 8 else None
