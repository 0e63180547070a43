"""Which address belongs to which thing, for good: `.kgsite/permalinks.json`.

Three registers (documents by document id, entities by key, communities by the key of their first member), each
with its own address space. An entry is never taken back: a key that disappears keeps its slug, and a slug that a
key had before leads to its present one. A document whose file was renamed has a new key, and takes its slugs along.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson

from kgsite.collection.slugs import slugify, suffix
from kgsite.errors import ConfigError, Place, StoreError
from kgsite.foldnames import fold_path
from kgsite.model import Slug

Register = Literal["documents", "entities", "communities"]
REGISTERS: tuple[Register, ...] = ("documents", "entities", "communities")
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Claim:
    """A key that wants an address: made of `name`, or exactly `slug` when its publisher chose one."""

    key: str
    name: str
    slug: str = ""
    owner: str = ""  # how messages call it, a content path; only for chosen slugs


@dataclass(slots=True)
class _Entry:
    slug: Slug
    former: list[Slug] = field(default_factory=list)


class Permalinks:
    """The registers. `assign` adds to them and changes only slugs that a publisher chose anew."""

    def __init__(self) -> None:
        self._entries: dict[Register, dict[str, _Entry]] = {register: {} for register in REGISTERS}
        self._holders: dict[Register, dict[str, str]] = {register: {} for register in REGISTERS}

    # ── files ─────────────────────────────────────────────────────────────────────────────────────
    @classmethod
    def load(cls, data: bytes) -> Permalinks:
        """The registers in `data`, as `dump` wrote them. Raises StoreError when they can't be trusted."""
        try:
            tree = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise StoreError(f"permalinks.json is no JSON: {error.msg}") from None
        if not isinstance(tree, dict) or tree.get("format") != FORMAT:
            raise StoreError("permalinks.json is not in a format that this kgsite reads")
        links = cls()
        for register in REGISTERS:
            entries = tree.get(register)
            if not isinstance(entries, dict):
                raise StoreError(f"permalinks.json has no register of {register}")
            for key, stored in entries.items():
                links._restore(register, key, stored)
        return links

    def _restore(self, register: Register, key: str, stored: Any) -> None:
        former = [] if isinstance(stored, str) else stored.get("former") if isinstance(stored, dict) else None
        slug = stored if isinstance(stored, str) else stored.get("slug") if isinstance(stored, dict) else None
        if not isinstance(slug, str) or not isinstance(former, list):
            raise StoreError(f"permalinks.json: {register} {key!r} has no slug")
        entry = _Entry(Slug(slug))
        for one in (slug, *former):
            if not isinstance(one, str) or not _is_segment(one):
                raise StoreError(f"permalinks.json: {register} {key!r} has an impossible slug")
            if self._holders[register].setdefault(fold_path(one), key) != key:
                raise StoreError(f"permalinks.json: {one!r} belongs to two {register}")
            if one is not slug:
                entry.former.append(Slug(one))
        self._entries[register][key] = entry

    def dump(self) -> bytes:
        """The registers as JSON: sorted, one entry a line, "\\n" at the end."""
        tree: dict[str, Any] = {"format": FORMAT}
        for register in REGISTERS:
            tree[register] = {
                key: {"slug": entry.slug, "former": sorted(entry.former)} if entry.former else entry.slug
                for key, entry in self._entries[register].items()
            }
        return orjson.dumps(tree, option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)

    # ── addresses ─────────────────────────────────────────────────────────────────────────────────
    def slug(self, register: Register, key: str) -> Slug | None:
        """The slug that `key` has, present or not; None when it never had one."""
        entry = self._entries[register].get(key)
        return entry.slug if entry else None

    def assign(self, register: Register, claims: Iterable[Claim]) -> dict[str, Slug]:
        """A slug for each claim; the outcome does not depend on the order of the claims.

        Known keys keep theirs. Of new keys that want the same slug, the one whose name is nearest to it gets it,
        the others a suffix made of their key. Raises ConfigError when a publisher chose a slug that is taken.
        """
        wanted = {claim.key: claim for claim in claims}
        for key in sorted(wanted):
            if wanted[key].slug:
                self._choose(register, wanted[key], wanted)
        entries = self._entries[register]
        news = [claim for claim in wanted.values() if claim.key not in entries]
        wishes = {claim.key: slugify(claim.name) for claim in news}
        for claim in sorted(news, key=lambda claim: (_loss(claim.name, wishes[claim.key]), claim.key)):
            self._take(register, claim.key, self._free(register, claim.key, wishes[claim.key]))
        return {key: entries[key].slug for key in sorted(wanted)}

    def move(self, register: Register, old: str, new: str, *, replaces: bool = False) -> None:
        """Give the addresses of `old`, which is gone, to `new`.

        Where `new` has an address already, the one that is in use stays the present one: its own if it `replaces` what
        was there until now, else that of `old`. The others lead to it.
        """
        entries = self._entries[register]
        moved, own = entries.pop(old, None), entries.get(new)
        if moved is None:
            return
        if own is not None:
            stays, goes = (own, moved) if replaces else (moved, own)
            stays.former += [goes.slug, *goes.former]
            moved = stays
        entries[new] = moved
        for slug in (moved.slug, *moved.former):
            self._holders[register][fold_path(slug)] = new

    def redirects(self, register: Register, present: Iterable[str]) -> dict[str, Slug]:
        """Former slugs of the keys that are `present` → their slugs now."""
        entries = self._entries[register]
        known = [entries[key] for key in present if key in entries]
        return {former: entry.slug for entry in known for former in entry.former}

    def _choose(self, register: Register, claim: Claim, present: Mapping[str, Claim]) -> None:
        slug = slugify(claim.slug)
        holder = self._holders[register].get(fold_path(slug))
        entry = self._entries[register].get(claim.key)
        if holder is not None and holder != claim.key:
            other = self._entries[register][holder]
            if holder in present and fold_path(other.slug) == fold_path(slug):
                message = f"{present[holder].owner or holder} has the slug {slug!r} already"
                raise ConfigError(message, at=Place(claim.owner), hint="choose another `slug` in the front matter")
            self._release(register, holder, slug)
        if entry is None:
            self._take(register, claim.key, slug)
        elif fold_path(entry.slug) != fold_path(slug):
            entry.former = [Slug(one) for one in entry.former if fold_path(one) != fold_path(slug)] + [entry.slug]
            entry.slug = slug
            self._holders[register][fold_path(slug)] = claim.key

    def _release(self, register: Register, holder: str, slug: str) -> None:
        """Take a slug from a key that is gone, or that only had it before."""
        entry = self._entries[register][holder]
        if fold_path(entry.slug) == fold_path(slug):
            del self._entries[register][holder]
            for former in entry.former:
                del self._holders[register][fold_path(former)]
        else:
            entry.former = [one for one in entry.former if fold_path(one) != fold_path(slug)]
        del self._holders[register][fold_path(slug)]

    def _free(self, register: Register, key: str, wish: Slug) -> Slug:
        holders = self._holders[register]
        candidate, length = wish, 6
        while fold_path(candidate) in holders:
            candidate = Slug(f"{wish}-{suffix(key, length)}")
            length += 2
        return candidate

    def _take(self, register: Register, key: str, slug: Slug) -> None:
        self._entries[register][key] = _Entry(slug)
        self._holders[register][fold_path(slug)] = key


def _loss(name: str, slug: str) -> int:
    """How far a slug is from the name: 0 when only case and spaces differ."""
    return 0 if name.casefold().split() == slug.split("-") else 1


def _is_segment(slug: str) -> bool:
    """Whether a stored slug is one that `slugify` and a suffix can have made: it may become a folder as it is."""
    return 0 < len(slug.encode("utf-8", "replace")) <= 200 and all(
        char == "-" or char.isalnum() or unicodedata.category(char)[0] == "M" for char in slug
    )
