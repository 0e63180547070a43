"""Which entities of which documents are the same thing.

A thing is a folded name with compatible types. Beyond that, a plural joins its singular when both exist, and an
alias of one document joins the name of another when nothing else is called so; a part of a name (a surname) never
does. Every step reads dictionaries once: the work grows with the number of names, not with its square.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from kgsite.collection.identity import compatible, digits, fold, kind, plain, singulars, skeleton
from kgsite.model import DocumentGraph, Entity

_ACRONYM = 4  # aliases of at most so many letters must be written exactly alike (WHO, Who)


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity of one document; `document` is its place in the collection's order."""

    document: int
    entity: Entity
    language: str


@dataclass(slots=True)
class Thing:
    """All mentions of one thing; `keys` are the folded names it goes by."""

    key: str
    mentions: list[Mention] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    apart: str = ""  # the kind that tells it from a homonym; "" for nearly all

    @property
    def kinds(self) -> set[str]:
        return {kind_of(mention.entity.type) for mention in self.mentions} - {""}

    @property
    def support(self) -> int:
        return len({mention.document for mention in self.mentions})


kind_of: Callable[[str], str] = lru_cache(maxsize=4096)(kind)


def find_things(
    documents: Sequence[DocumentGraph], *, standardize: bool, is_known: Callable[[str], bool]
) -> tuple[list[Thing], list[str]]:
    """The things of all documents, by key, and notes about names that look alike.

    With `standardize` off only case, Unicode form and spaces are folded. `is_known` says which keys have an address
    already: a thing keeps the key under which readers know it.
    """
    groups: dict[str, list[Mention]] = defaultdict(list)
    for place, document in enumerate(documents):
        for entity in entities_of(document):
            key = fold(entity.name, document.language) if standardize else plain(entity.name)
            groups[key].append(Mention(place, entity, document.language))
    things = [thing for key in sorted(groups) for thing in _split(key, groups[key])]
    if standardize:
        things = _unite(things, is_known)
    return sorted(things, key=lambda thing: thing.key), _look_alikes(things)


def entities_of(document: DocumentGraph) -> Iterator[Entity]:
    """The document's entities, then the ends of its relations that none of them is (in foreign graphs)."""
    yield from document.entities
    known = {(entity.name, entity.type) for entity in document.entities} | {
        (entity.name, "") for entity in document.entities
    }
    for relation in document.relations:
        for name, type_name in ((relation.source, relation.source_type), (relation.target, relation.target_type)):
            if (name, type_name) not in known and (name, "") not in known:
                known.add((name, ""))
                yield Entity(name, type_name or "unknown", chunk_ids=relation.chunk_ids)


def _split(key: str, mentions: list[Mention]) -> list[Thing]:
    """One thing for all mentions, or one for each of the kinds that can't be meant together."""
    kinds = Counter(kind_of(mention.entity.type) for mention in mentions)
    ranked = sorted((name for name in kinds if name), key=lambda name: (-kinds[name], name))
    heads: list[str] = []
    for name in ranked:
        if all(not compatible(name, head, key) for head in heads):
            heads.append(name)
    if len(heads) < 2:
        return [Thing(key, mentions, {key})]
    things = {head: Thing(key if head == heads[0] else f"{key}#{head}", [], {key}, head) for head in heads}
    for mention in mentions:
        own = kind_of(mention.entity.type)
        things[own if own in things else heads[0]].mentions.append(mention)
    return list(things.values())


# ── uniting ───────────────────────────────────────────────────────────────────────────────────────
class _Sets:
    """Union-find over numbered things that refuses to join what is not compatible."""

    def __init__(self, things: Sequence[Thing]) -> None:
        self._things = things
        self._parent = list(range(len(things)))
        self._kinds = [thing.kinds for thing in things]

    def root(self, node: int) -> int:
        while self._parent[node] != node:
            self._parent[node] = self._parent[self._parent[node]]
            node = self._parent[node]
        return node

    def join(self, one: int, other: int) -> None:
        low, high = sorted((self.root(one), self.root(other)))
        fits = all(compatible(left, right) for left in self._kinds[low] for right in self._kinds[high])
        if low != high and fits:
            self._parent[high] = low
            self._kinds[low] |= self._kinds[high]


def _unite(things: list[Thing], is_known: Callable[[str], bool]) -> list[Thing]:
    sets = _Sets(things)
    index = {thing.key: number for number, thing in enumerate(things)}
    split = {thing.key.partition("#")[0] for thing in things if thing.apart}
    for one, other in [*_plurals(things, index), *_aliases(things, index)]:
        if things[one].key not in split and things[other].key not in split:
            sets.join(one, other)
    members: dict[int, list[Thing]] = defaultdict(list)
    for number, thing in enumerate(things):
        members[sets.root(number)].append(thing)
    return [_joined(group, is_known) for group in members.values()]


def _plurals(things: Sequence[Thing], index: dict[str, int]) -> Iterator[tuple[int, int]]:
    for number, thing in enumerate(things):
        if thing.kinds:
            continue
        for language in sorted({mention.language for mention in thing.mentions}):
            for single in singulars(thing.key, language):
                other = index.get(single)
                if other is not None and not things[other].kinds:
                    yield number, other
                    break


def _aliases(things: Sequence[Thing], index: dict[str, int]) -> Iterator[tuple[int, int]]:
    claims: dict[str, set[int]] = defaultdict(set)
    spelt: dict[str, set[str]] = defaultdict(set)
    for number, thing in enumerate(things):
        for mention in thing.mentions:
            for alias in mention.entity.aliases:
                folded = fold(alias, mention.language)
                claims[folded].add(number)
                spelt[folded].add(alias)
    for alias in sorted(claims):
        other = index.get(alias)
        if other is None or len(claims[alias] - {other}) != 1:
            continue
        (number,) = claims[alias] - {other}
        if _may_stand_for(alias, things[number].key) and _written_alike(alias, spelt[alias], things[other]):
            yield number, other


def _may_stand_for(alias: str, name: str) -> bool:
    """Whether documents may share an alias: not when it is a part of the name, or the digits differ."""
    words, whole = set(alias.split()), set(name.split())
    return digits(alias) == digits(name) and not words <= whole and not whole <= words


def _written_alike(alias: str, spellings: set[str], thing: Thing) -> bool:
    return len(alias) > _ACRONYM or not spellings.isdisjoint(mention.entity.name for mention in thing.mentions)


def _joined(group: list[Thing], is_known: Callable[[str], bool]) -> Thing:
    """One thing of several; its key is one that has an address, else the one of most documents."""
    if len(group) == 1:
        return group[0]
    first = min(group, key=lambda thing: (not is_known(thing.key), -thing.support, -len(thing.mentions), thing.key))
    mentions = sorted(
        (mention for thing in group for mention in thing.mentions),
        key=lambda mention: (mention.document, mention.entity.name, mention.entity.type, mention.entity.id),
    )
    return Thing(first.key, mentions, {key for thing in group for key in thing.keys}, first.apart)


def _look_alikes(things: Iterable[Thing]) -> list[str]:
    """Names that are different only in letters of different scripts that look the same."""
    by_look: dict[str, list[Thing]] = defaultdict(list)
    for thing in things:
        if not thing.key.isascii():
            by_look[skeleton(thing.key)].append(thing)
    plain_ones = {thing.key: thing for thing in things if thing.key.isascii()}
    notes = []
    for look in sorted(by_look):
        group = by_look[look] + ([plain_ones[look]] if look in plain_ones else [])
        names = sorted({thing.mentions[0].entity.name for thing in group})
        if len({thing.key for thing in group}) > 1:
            quoted = ", ".join(f"“{name}”" for name in names)
            notes.append(f"{quoted} are written alike with letters of different scripts and were kept apart.")
    return notes
