"""A collection, indexed for questions: names, neighbours, and the words of every fact."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from kgsite.ask.names import NameIndex
from kgsite.ask.words import idle_stems, reading_languages, relations, stems, words
from kgsite.collection.identity import kind
from kgsite.model import Collection, CollectionEntity, DocumentGraph, Fact

_LEAST_FORMED = 6  # letters; shorter words that no fact has are taken as they are
_LEAST_BEGINNING = 5
_LONGEST_ENDING = 3
_MOST_FORMS = 5


@dataclass(frozen=True, slots=True)
class FactWords:
    """Stems of a fact by weight: what it says, and the text around it."""

    said: frozenset[str]  # of predicate and names
    around: frozenset[str]  # of description and quotes
    relations: frozenset[str]  # relations that the predicate and the names' words mean


class GraphIndex:
    """What retrieval reads. Nothing of it changes after it is made; parts are made when first needed."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.entities: dict[str, CollectionEntity] = {entity.key: entity for entity in collection.entities}
        self.documents: dict[str, DocumentGraph] = {graph.id: graph for graph in collection.documents}
        self.facts: tuple[Fact, ...] = tuple(
            fact for fact in collection.facts if fact.source in self.entities and fact.target in self.entities
        )
        self.languages = reading_languages(graph.language for graph in collection.documents)

    @cached_property
    def names(self) -> NameIndex:
        return NameIndex(self.collection, self.languages)

    @cached_property
    def facts_of(self) -> dict[str, list[int]]:
        """Entity key → numbers of its facts, in either direction."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, fact in enumerate(self.facts):
            found[fact.source].append(number)
            if fact.target != fact.source:
                found[fact.target].append(number)
        return dict(found)

    @cached_property
    def words(self) -> tuple[FactWords, ...]:
        """For each fact, by number, its words."""
        return tuple(self._words_of(fact) for fact in self.facts)

    def _words_of(self, fact: Fact) -> FactWords:
        predicate = stems(fact.predicate)
        said = predicate | stems(self.entities[fact.source].name) | stems(self.entities[fact.target].name)
        quotes = " ".join(item.evidence.text[:600] for item in fact.evidence[:3])
        spoken = reading_languages(self.documents[key].language for key in fact.documents if key in self.documents)
        named = {name for word in said - idle_stems(spoken) for name in relations(word)}
        return FactWords(said, stems(f"{fact.description[:600]} {quotes}") - said, frozenset(named))

    def words_of_predicate(self, number: int) -> frozenset[str]:
        """The bare words of a fact's predicate."""
        return frozenset(words(self.facts[number].predicate))

    @cached_property
    def having(self) -> dict[str, list[int]]:
        """Stem → numbers of the facts that have it, by what they say or in the text around."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, own in enumerate(self.words):
            for word in own.said | own.around:
                found[word].append(number)
        return dict(found)

    @cached_property
    def _vocabulary(self) -> list[str]:
        return sorted(self.having)

    def forms(self, word: str) -> tuple[str, ...]:
        """The stems of facts that a word may be a form of: itself, or those that begin like it ("erobert", "eroberte")."""
        if word in self.having or len(word) < _LEAST_FORMED or not word.isalpha():
            return (word,)
        beginning = word[: max(_LEAST_BEGINNING, len(word) - _LONGEST_ENDING)]
        found: list[str] = []
        for at in range(bisect_left(self._vocabulary, beginning), len(self._vocabulary)):
            other = self._vocabulary[at]
            if not other.startswith(beginning) or len(found) == _MOST_FORMS:
                break
            if len(other) <= len(beginning) + _LONGEST_ENDING:
                found.append(other)
        return tuple(found)

    @cached_property
    def passages(self) -> dict[tuple[str, str], list[tuple[int | None, int]]]:
        """(document, chunk) → (place in the text, fact) of every quote read from it."""
        found: dict[tuple[str, str], list[tuple[int | None, int]]] = defaultdict(list)
        for number, fact in enumerate(self.facts):
            for item in fact.evidence:
                found[item.document, item.evidence.chunk_id].append((item.evidence.start, number))
        return dict(found)

    @cached_property
    def related(self) -> dict[str, list[int]]:
        """Relation ("birth", "death", …) → numbers of the facts that state it."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, own in enumerate(self.words):
            for name in own.relations:
                found[name].append(number)
        return dict(found)

    def rarity(self, facts: int) -> float:
        """How telling a word is that so many facts have: the fewer, the more."""
        return math.log(1 + len(self.facts) / (1 + facts))

    def kind(self, key: str) -> str:
        """person, place, organization, date or ""."""
        return kind(self.entities[key].type)
