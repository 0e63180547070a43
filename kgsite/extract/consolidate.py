"""The candidates of all chunks become the entities and relations of one document.

Identity is the folded name: case, Unicode form and spaces do not matter, and neither does the type. A name that
chunks give several types keeps the most frequent one, and all its relations.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kgsite.collection.identity import plain
from kgsite.model import ChunkExtraction, Entity, Evidence, Relation

UNKNOWN_TYPE = "unknown"
"""Of a thing that relations name but no candidate describes."""
NOT_DESCRIBED = "relation ends that nothing describes (kept as entities)"
REPEATED = "repeated statements (merged)"
NAMELESS = "entities and relations without a name"

Check = Callable[[Evidence, str], Evidence]


@dataclass(slots=True)
class Thing:
    """An entity under construction."""

    key: str
    names: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    descriptions: dict[str, str] = field(default_factory=dict)  # folded → as written
    chunk_ids: dict[str, None] = field(default_factory=dict)
    aliases: dict[str, None] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    described: bool = False

    def absorb(self, other: Thing) -> None:
        """Take over all that is known about `other`, which is the same thing; its name becomes an alias."""
        other_name = other.name
        self.types.update(other.types)
        self.descriptions = self.descriptions | other.descriptions
        self.chunk_ids.update(other.chunk_ids)
        self.aliases.update({other_name: None} | other.aliases)
        self.attributes = other.attributes | self.attributes
        self.described = self.described or other.described

    @property
    def name(self) -> str:
        """The most frequent spelling; of equally frequent ones the first that was read."""
        return max(self.names, key=lambda name: self.names[name])

    @property
    def type(self) -> str:
        """The majority type; a tie goes to the alphabet, and "unknown" loses against everything."""
        ranked = sorted(self.types.items(), key=lambda item: (item[0] == UNKNOWN_TYPE, -item[1], item[0]))
        return ranked[0][0] if ranked else UNKNOWN_TYPE


@dataclass(slots=True)
class Statement:
    """A relation under construction, between two keys."""

    source: str
    target: str
    predicates: Counter[str] = field(default_factory=Counter)
    descriptions: dict[str, str] = field(default_factory=dict)
    strengths: list[float] = field(default_factory=list)
    chunk_ids: dict[str, None] = field(default_factory=dict)
    evidence: dict[tuple[int | None, int | None, str], Evidence] = field(default_factory=dict)
    stated: bool = False  # found in the text at least once
    method: str = ""
    via: str = ""

    def absorb(self, other: Statement) -> None:
        """Take over what another reading of the same statement says."""
        self.predicates.update(other.predicates)
        self.descriptions = self.descriptions | other.descriptions
        self.strengths += other.strengths
        self.chunk_ids.update(other.chunk_ids)
        self.evidence = other.evidence | self.evidence
        self.stated = self.stated or other.stated
        self.method, self.via = self.method or other.method, self.via or other.via

    @property
    def predicate(self) -> str:
        """The most frequent spelling; of equally frequent ones the first that was read."""
        return max(self.predicates, key=lambda name: self.predicates[name])


@dataclass(slots=True)
class Draft:
    """A document's graph under construction: things by key, statements by (source, target, predicate)."""

    things: dict[str, Thing] = field(default_factory=dict)
    statements: dict[tuple[str, str, str], Statement] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)

    def rewire(self, same: Mapping[str, str]) -> None:
        """Unite each key of `same` with the key it maps to (which stays), and the statements that become equal."""
        for gone, kept in same.items():
            self.things[kept].absorb(self.things.pop(gone))
        statements = self.statements
        self.statements = {}
        for (source, target, predicate), statement in statements.items():
            statement.source, statement.target = same.get(source, source), same.get(target, target)
            self.add(predicate, statement)

    def claimed_aliases(self) -> dict[str, str]:
        """Folded alias → key of the thing that has it, for aliases that only one thing claims."""
        claims: dict[str, str | None] = {}
        for key, thing in self.things.items():
            for alias in thing.aliases:
                folded = plain(alias)
                claims[folded] = key if claims.get(folded, key) == key else None
        return {alias: key for alias, key in claims.items() if key is not None}

    def add(self, predicate: str, statement: Statement) -> None:
        known = self.statements.setdefault((statement.source, statement.target, predicate), statement)
        if known is not statement:
            known.absorb(statement)
            self.dropped[REPEATED] += 1

    def remove(self, keys: Iterable[str]) -> int:
        """Take things out, with their statements; gives the number of statements that went."""
        gone = set(keys)
        before = len(self.statements)
        self.things = {key: thing for key, thing in self.things.items() if key not in gone}
        self.statements = {
            at: statement for at, statement in self.statements.items() if at[0] not in gone and at[1] not in gone
        }
        return before - len(self.statements)


def predicate_key(predicate: str) -> str:
    """The identity of a predicate: "works_at", "Works at" and "works  at" are one."""
    return plain(predicate.replace("_", " "))


def consolidate(chunks: Sequence[ChunkExtraction], check: Check) -> Draft:
    """The candidates of `chunks`, in order, as one draft; `check` finds the place of each quote.

    Ends of relations that no candidate describes become things of their own; those without a name are counted.
    """
    draft = Draft()
    for chunk in chunks:
        for entity in chunk.entities:
            _add_entity(draft, entity, chunk.chunk_id)
    aliases = draft.claimed_aliases()
    for chunk in chunks:
        for relation in chunk.relations:
            _add_relation(draft, relation, chunk.chunk_id, aliases, check)
    return draft


def _tidy(name: str) -> str:
    """A name on one line."""
    return " ".join(name.split())


def _add_entity(draft: Draft, entity: Entity, chunk_id: str) -> None:
    key = plain(entity.name)
    if not key:
        draft.dropped[NAMELESS] += 1
        return
    thing = draft.things.setdefault(key, Thing(key))
    thing.described = True
    thing.names[_tidy(entity.name)] += 1
    thing.types[_tidy(entity.type) or UNKNOWN_TYPE] += 1
    if text := entity.description.strip():
        thing.descriptions.setdefault(plain(text), text)
    thing.chunk_ids.update(dict.fromkeys(entity.chunk_ids or ((chunk_id,) if chunk_id else ())))
    thing.aliases.update({_tidy(alias): None for alias in entity.aliases if plain(alias) not in ("", key)})
    for name, value in sorted(entity.attributes.items()):
        thing.attributes.setdefault(name, value)


def _end(draft: Draft, name: str, type_name: str, chunk_id: str, aliases: dict[str, str]) -> str:
    key = plain(name)
    key = key if key in draft.things else aliases.get(key, key)
    if key not in draft.things:
        draft.things[key] = Thing(key, names=Counter({_tidy(name): 1}))
        draft.dropped[NOT_DESCRIBED] += 1
    thing = draft.things[key]
    if not thing.described:
        thing.types[_tidy(type_name) or UNKNOWN_TYPE] += 1
    if chunk_id:
        thing.chunk_ids.setdefault(chunk_id)
    return key


def _add_relation(draft: Draft, relation: Relation, chunk_id: str, aliases: dict[str, str], check: Check) -> None:
    if not plain(relation.source) or not plain(relation.target):
        draft.dropped[NAMELESS] += 1
        return
    source = _end(draft, relation.source, relation.source_type, chunk_id, aliases)
    target = _end(draft, relation.target, relation.target_type, chunk_id, aliases)
    predicate = _tidy(relation.type) or "related to"
    statement = Statement(source, target, Counter({predicate: 1}))
    if text := relation.description.strip():
        statement.descriptions[plain(text)] = text
    statement.strengths.append(min(10.0, max(1.0, relation.strength)) if math.isfinite(relation.strength) else 5.0)
    statement.chunk_ids.update(dict.fromkeys(relation.chunk_ids or ((chunk_id,) if chunk_id else ())))
    for quote in relation.evidence:
        found = check(quote, chunk_id)
        statement.evidence.setdefault((found.start, found.end, "" if found.verified else plain(found.text)), found)
    statement.stated = not relation.inferred
    statement.method, statement.via = relation.method, relation.via
    draft.add(predicate_key(predicate), statement)
