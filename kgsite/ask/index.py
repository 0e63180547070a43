"""A collection, indexed for questions: names, neighbours, and the words of every fact."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from kgsite.ask.names import NameIndex
from kgsite.ask.words import reading_languages, relation, stems
from kgsite.collection.identity import kind
from kgsite.model import Collection, CollectionEntity, DocumentGraph, Fact


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
        named = {name for word in said if (name := relation(word))}
        return FactWords(said, stems(f"{fact.description[:600]} {quotes}") - said, frozenset(named))

    @cached_property
    def having(self) -> dict[str, list[int]]:
        """Stem → numbers of the facts that have it, by what they say or in the text around."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(self.words):
            for word in words.said | words.around:
                found[word].append(number)
        return dict(found)

    @cached_property
    def related(self) -> dict[str, list[int]]:
        """Relation ("birth", "death", …) → numbers of the facts that state it."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(self.words):
            for name in words.relations:
                found[name].append(number)
        return dict(found)

    def rarity(self, word: str) -> float:
        """How telling a stem is: the fewer facts have it, the more. A stem that no fact has counts most."""
        return math.log(1 + len(self.facts) / (1 + len(self.having.get(word, ()))))

    def kind(self, key: str) -> str:
        """person, place, organization, date or ""."""
        return kind(self.entities[key].type)
