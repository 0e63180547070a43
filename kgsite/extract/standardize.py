"""Spellings of one thing in one document become one entity: articles, plain plurals, stated aliases.

Only what is safe: names that differ in their digits or in signs (C, C++, C#) stay apart, a plural is believed only
when the singular is there too and neither is a person, a place or an organisation. Every spelling is kept as alias.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from kgsite.collection.identity import compatible, digits, fold, kind, plain, singulars, without_article
from kgsite.config.settings import StandardizationSettings
from kgsite.extract.consolidate import Draft, Thing

SELF_RELATION = "relations of a thing to itself"

_DETERMINERS = {
    "en": "this that these those his her its their our my your some any each every such",
    "de": "dieser diese dieses diesen diesem jener jene jenes sein seine ihr ihre unser unsere einige solche",
    "fr": "ce cet cette ces son sa ses leur leurs notre nos quelques chaque",
    "es": "este esta estos estas ese esa esos esas su sus nuestro nuestra algunos algunas cada",
    "nl": "deze dit die dat zijn haar hun onze sommige elke",
    "it": "questo questa questi queste quel quella quei quelle suo sua suoi sue loro alcuni alcune ogni",
    "pt": "este esta estes estas esse essa esses essas seu sua seus suas nosso nossa alguns algumas cada",
}
_OF = {
    "en": "of the and &",
    "de": "von der des und &",
    "fr": "de du des la et &",
    "es": "de del la y &",
    "nl": "van de het en &",
    "it": "di del della dei e &",
    "pt": "de do da dos das e &",
}
_MOST_HOLDERS = 100
_DETERMINER = {
    language: re.compile(rf"(?:{'|'.join(words.split())})\s+(?=\S\S\S)") for language, words in _DETERMINERS.items()
}


def standardize(draft: Draft, language: str, settings: StandardizationSettings) -> None:
    """Unite spellings in `draft`, in place; nothing happens when the settings turn it off."""
    if not settings.enabled:
        return
    steps = [_same_without_small_words, _plural_of, _alias_of]
    if settings.merge_word_subsets:
        steps.append(_subset_of)
    for step in steps:
        same: dict[str, str] = {}
        staying: set[str] = set()
        for gone, kept in step(draft, language):
            if gone not in same and gone not in staying and kept not in same:
                same[gone] = kept
                staying.add(kept)
        draft.rewire(same)
    _drop_self_relations(draft)
    for thing in draft.things.values():
        _bare_names(thing, language, draft)


def _bare(key: str, language: str) -> str:
    """`key` without its article and determiner."""
    folded = fold(key, language)
    pattern = _DETERMINER.get(language)
    found = pattern.match(folded) if pattern else None
    return folded[found.end() :] if found else folded


def _loose(key: str, language: str) -> str:
    """`key` without article and determiner and, when enough is left, the small words between the others."""
    bare = _bare(key, language)
    words = [word for word in bare.split(" ") if word not in _OF.get(language, "").split()]
    return " ".join(words) if len(words) > 1 else bare


def _may_unite(one: Thing, other: Thing) -> bool:
    return digits(one.key) == digits(other.key) and compatible(kind(one.type), kind(other.type), one.key)


def _weight(thing: Thing) -> tuple[bool, int, int, str]:
    """Sorts the spelling that stays to the front: described, frequent, short."""
    return (not thing.described, -sum(thing.names.values()), len(thing.key), thing.key)


def _same_without_small_words(draft: Draft, language: str) -> Iterator[tuple[str, str]]:
    groups: dict[str, list[Thing]] = defaultdict(list)
    for key, thing in draft.things.items():
        groups[_loose(key, language)].append(thing)
    for group in groups.values():
        first, *others = sorted(group, key=_weight)
        yield from ((thing.key, first.key) for thing in others if _may_unite(thing, first))


def _plural_of(draft: Draft, language: str) -> Iterator[tuple[str, str]]:
    by_fold = {_bare(key, language): key for key in sorted(draft.things)}
    for folded, key in by_fold.items():
        thing = draft.things[key]
        if kind(thing.type):
            continue
        for name in singulars(folded, language):
            single = by_fold.get(name)
            if single and single != key and not kind(draft.things[single].type):
                yield key, single
                break


def _alias_of(draft: Draft, language: str) -> Iterator[tuple[str, str]]:
    del language
    for alias, key in sorted(draft.claimed_aliases().items()):
        if alias != key and alias in draft.things and _may_unite(draft.things[alias], draft.things[key]):
            yield alias, key


def _subset_of(draft: Draft, language: str) -> Iterator[tuple[str, str]]:
    """A name all of whose words stand in exactly one longer name of the same kind."""
    holders: dict[str, set[str]] = defaultdict(set)
    for key in draft.things:
        for word in _loose(key, language).split(" "):
            holders[word].add(key)
    for key in sorted(draft.things):
        words = _loose(key, language).split(" ")
        sets = sorted((holders[word] for word in words), key=len)
        if len(sets[0]) > _MOST_HOLDERS:
            continue  # a word that so many names share tells nothing
        longer = [other for other in sets[0] if other != key and all(other in rest for rest in sets[1:])]
        if len(longer) == 1 and _may_unite(draft.things[key], draft.things[longer[0]]):
            yield key, longer[0]


def _drop_self_relations(draft: Draft) -> None:
    loops = [at for at in draft.statements if at[0] == at[1]]
    for at in loops:
        del draft.statements[at]
    if loops:
        draft.dropped[SELF_RELATION] += len(loops)


def _bare_names(thing: Thing, language: str, draft: Draft) -> None:
    """Show "steam engine" for "the steam engine"; a capital article ("The Hague") belongs to the name."""
    pattern = _DETERMINER.get(language)
    for name in list(thing.names):
        rest = without_article(name, language)
        found = pattern.match(rest) if pattern else None
        rest = rest[found.end() :] if found else rest
        if rest != name and name[:1].islower() and draft.things.get(plain(rest), thing) is thing:
            thing.names[rest] += thing.names.pop(name)
    shown = plain(thing.name)
    thing.aliases = {
        alias: None for alias in thing.aliases if not (alias[:1].islower() and fold(alias, language) == shown)
    }
