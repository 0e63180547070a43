"""The communities of a file, kept as they are; computed only where it has none, or when the settings ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kgsite.importers import wording
from kgsite.importers.ends import Entry, Register
from kgsite.importers.found import Group, Tally
from kgsite.model import Community, Entity, Relation

_LARGEST_ID = 2**31


def communities_of(
    groups: list[Group],
    register: Register,
    entities: tuple[Entity, ...],
    relations: tuple[Relation, ...],
    language: str,
    tally: Tally,
    *,
    recompute: bool,
) -> tuple[tuple[Entity, ...], tuple[Community, ...]]:
    """`entities` with their `community_id`, and the communities by id."""
    own = any(entry.group for entry in register.entries.values())
    if recompute or not (own or any(group.members for group in groups)):
        from kgsite.extract.communities import detect

        return detect(entities, relations, language, {})
    members = _members(groups, register, tally)
    groups = [group for group in groups if group.key in members]
    named = {group.key for group in groups}
    groups += [Group(key) for key in members if key not in named]
    ids = _numbers([group.key for group in groups])
    shown = {(entry.name, entry.type): ids[entry.group] for entry in register.entries.values() if entry.group in ids}
    made = [
        Community(
            id=ids[group.key],
            topics=group.topics or _topics(members[group.key], language),
            description=group.description,
            members=tuple(f"{entry.name}::{entry.type}" for entry in members[group.key]),
        )
        for group in groups
    ]
    numbered = tuple(replace(entity, community_id=shown.get((entity.name, entity.type))) for entity in entities)
    return numbered, tuple(sorted(made, key=lambda one: one.id))


def _members(groups: list[Group], register: Register, tally: Tally) -> dict[str, list[Entry]]:
    """Key → entries, those that the file lists first; entries without a community get the first that lists them."""
    members: dict[str, dict[int, Entry]] = {}
    for group in groups:
        for text in group.members:
            entry = register.member(text)
            if entry is None:
                tally.add(wording.MEMBERS)
                continue
            members.setdefault(group.key, {})[id(entry)] = entry
            if group.leads and not entry.group:
                entry.group = group.key
    for entry in register.entries.values():
        if entry.group:
            members.setdefault(entry.group, {}).setdefault(id(entry), entry)
    for group in groups:
        if group.key not in members:
            tally.add(wording.UNMATCHED_GROUPS, example=", ".join(group.topics)[:60])
    return {key: list(found.values()) for key, found in members.items()}


def _numbers(keys: list[str]) -> Mapping[str, int]:
    """Community keys as whole numbers: the file's own where all are such, else counted from 0 in its order."""
    unique = list(dict.fromkeys(keys))
    own = [int(key) for key in unique if key.isascii() and key.isdigit() and len(key) < 11]
    if len(own) == len(unique) and len(set(own)) == len(own) and all(number < _LARGEST_ID for number in own):
        return dict(zip(unique, own, strict=True))
    return {key: number for number, key in enumerate(unique)}


def _topics(members: list[Entry], language: str) -> tuple[str, ...]:
    from kgsite.collection.grouping import topics

    return topics([entry.name for entry in members], [entry.type for entry in members], language)
