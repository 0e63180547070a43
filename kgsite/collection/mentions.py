"""Where a document names its entities: whole words, longest name first, never two over one place."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from kgsite.collection.identity import plain
from kgsite.model import Collection, DocumentGraph

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|[^\w\s]")
_WORD = re.compile(rf"[^\W{_UNSPACED}]")
_SPACES = re.compile(r"[^\S ]")
_SHORTEST = 2


class Mention(NamedTuple):
    """`text[start:end]` names the thing `key`."""

    start: int
    end: int
    key: str


def mentions(graph: DocumentGraph, collection: Collection) -> list[Mention]:
    """The places of `graph.text` that name one of the document's entities, by name or alias, in order.

    Names are compared as they are written (a first letter may be a capital); only where all names of the document
    are lower-cased, as in lower-cased graphs of other tools, case does not matter. One pass over the text.
    """
    ignore_case = all(entity.name == entity.name.lower() for entity in graph.entities)
    names = _names(graph, collection, capitals=not ignore_case)
    text = _SPACES.sub(" ", graph.text)
    if ignore_case:
        text = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    by_start = _by_first_token(names)
    found: list[Mention] = []
    reached = 0
    for token in _TOKEN.finditer(text):
        start = token.start()
        lengths = by_start.get(token.group()) if start >= reached else None
        for length in lengths or ():
            name = text[start : start + length]
            key = names.get(name)
            if key is not None and _is_whole(text, start, start + length):
                found.append(Mention(start, start + length, key))
                reached = start + length
                break
    return found


def _names(graph: DocumentGraph, collection: Collection, *, capitals: bool) -> dict[str, str]:
    """Every spelling that counts as naming a thing → its key; a spelling of two things names neither."""
    claims: dict[str, set[str]] = defaultdict(set)
    own: dict[str, str] = {}
    for entity in graph.entities:
        key = collection.entity_of.get(entity.id)
        if key is None:
            continue
        for name in _spellings(entity.name, capitals):
            own.setdefault(name, key)
        for alias in entity.aliases:
            for name in _spellings(alias, capitals):
                claims[name].add(key)
    unambiguous = {name: min(keys) for name, keys in claims.items() if len(keys) == 1}
    return {name: key for name, key in (unambiguous | own).items() if _is_telling(name)}


def _spellings(name: str, capitals: bool) -> Iterator[str]:
    """The name on one line, and as it begins a sentence; lower-cased where case does not matter."""
    clean = " ".join(name.split())
    if not capitals:
        yield clean.lower()
        return
    yield clean
    first = clean[:1].upper()
    if len(first) == 1 and first != clean[0]:
        yield first + clean[1:]


def _is_telling(name: str) -> bool:
    """Not one letter, no bare number, no small word that every text is full of."""
    if len(name) < _SHORTEST or not any(char.isalpha() for char in name):
        return False
    return name.isupper() or plain(name) not in _SMALL


_SMALL = frozenset(
    [
        "the",
        "and",
        "or",
        "of",
        "in",
        "on",
        "at",
        "to",
        "is",
        "it",
        "he",
        "she",
        "we",
        "they",
        "this",
        "that",
        "as",
        "by",
        "for",
        "an",
        "a",
        "us",
        "who",
        "der",
        "die",
        "das",
        "und",
        "ist",
        "le",
        "la",
        "les",
        "et",
        "de",
        "el",
        "los",
        "las",
        "y",
        "il",
        "lo",
        "gli",
        "e",
        "het",
        "een",
        "en",
        "o",
        "os",
        "um",
        "uma",
    ]
)


def _by_first_token(names: dict[str, str]) -> dict[str, tuple[int, ...]]:
    """First token of a name → the lengths of the names that begin with it, longest first."""
    lengths: dict[str, set[int]] = defaultdict(set)
    for name in names:
        token = _TOKEN.match(name)
        if token:
            lengths[token.group()].add(len(name))
    return {token: tuple(sorted(found, reverse=True)) for token, found in lengths.items()}


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no word goes on before or after; scripts without spaces have no such borders."""
    before = start > 0 and _WORD.match(text[start - 1]) and _WORD.match(text[start])
    after = end < len(text) and _WORD.match(text[end]) and _WORD.match(text[end - 1])
    return not before and not after
