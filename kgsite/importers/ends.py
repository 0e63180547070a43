"""The entities of an import under construction, and which of them the end of a relation means."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from kgsite.collection.identity import plain
from kgsite.importers import wording
from kgsite.importers.found import Tally, Thing

UNKNOWN = "unknown"


@dataclass(slots=True, eq=False)
class Entry:
    """An entity under construction; equal names with different types are different entries."""

    name: str
    type: str
    described: bool
    descriptions: dict[str, str] = field(default_factory=dict)
    passages: dict[str, None] = field(default_factory=dict)
    group: str = ""
    aliases: dict[str, None] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)

    @property
    def at(self) -> tuple[str, str]:
        return plain(self.name), plain(self.type)


class Register:
    """All entries by name, by name and type, by id and by alias."""

    def __init__(self, things: Iterable[Thing], tally: Tally, *, by_id: bool) -> None:
        self.entries: dict[tuple[str, str], Entry] = {}
        self._tally = tally
        self._by_id = by_id
        self._by_name: dict[str, list[Entry]] = {}
        self._by_ref: dict[str, Entry] = {}
        self._by_alias: dict[str, Entry | None] = {}
        for thing in things:
            self._add(thing)
        for name, entries in self._by_name.items():
            if len(entries) > 1:
                tally.add(wording.SEVERAL_TYPES, example=entries[0].name[:60] if name else "")

    def _add(self, thing: Thing) -> None:
        type_name = thing.type if plain(thing.type) else UNKNOWN
        name = plain(thing.name)
        if not name:
            self._tally.add(wording.NAMELESS)
            return
        entry = self.entries.get((name, plain(type_name)))
        if entry is None:
            entry = self._new(thing.name, type_name, described=True)
        else:
            self._tally.add(wording.UNITED, example=thing.name[:60])
        if thing.description:
            entry.descriptions.setdefault(plain(thing.description), thing.description)
        entry.passages.update(dict.fromkeys(thing.passages))
        entry.group = entry.group or thing.group
        entry.attributes = thing.attributes | entry.attributes
        for alias in (thing.name, *thing.aliases):
            if alias != entry.name:
                entry.aliases.setdefault(alias)
            if plain(alias) != name:
                known = self._by_alias.setdefault(plain(alias), entry)
                self._by_alias[plain(alias)] = entry if known is entry else None
        for ref in thing.refs:
            known = self._by_ref.setdefault(ref, entry)
            if known is not entry:
                self._tally.add(wording.SHARED_IDS, example=f"{ref[:40]}: {known.name[:40]} and {entry.name[:40]}")

    def _new(self, name: str, type_name: str, *, described: bool) -> Entry:
        entry = Entry(name, type_name, described)
        self.entries[entry.at] = entry
        self._by_name.setdefault(entry.at[0], []).append(entry)
        return entry

    def find(self, end: str, type_name: str = "", passages: Iterable[str] = ()) -> Entry | None:
        """The entry that `end`, a name or an id, means; None when there is none.

        Of entries with one name: the one of the type asked for, else one that the same passages name, else the first.
        """
        if self._by_id and end in self._by_ref:
            return self._by_ref[end]
        name = plain(end)
        named = self._by_name.get(name, [])
        if not named:
            return self._by_ref.get(end) or self._by_alias.get(name)
        exact = self.entries.get((name, plain(type_name)))
        if exact is not None or len(named) == 1:
            return exact or named[0]
        near = set(passages)
        if not near:
            return named[0]
        return max(named, key=lambda entry: len(near & entry.passages.keys()))

    def find_or_add(self, end: str, type_name: str, passages: Iterable[str]) -> Entry | None:
        """As `find`; a name that no entity has becomes one. None when nothing of the name can be seen."""
        found = self.find(end, type_name, passages)
        if found is not None or not plain(end):
            return found
        self._tally.add(wording.ADDED, example=end[:60])
        added = self._new(end, type_name if plain(type_name) else UNKNOWN, described=False)
        added.attributes["described"] = "no"
        return added

    def member(self, text: str) -> Entry | None:
        """The entry that a member of a community means: an id, a name, or "name::type"."""
        if text in self._by_ref:
            return self._by_ref[text]
        found = self.find(text)
        if found is None and "::" in text:
            name, _, type_name = text.rpartition("::")
            found = self.entries.get((plain(name), plain(type_name))) or self.find(name)
        return found
