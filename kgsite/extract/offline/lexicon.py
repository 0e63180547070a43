"""The words by which the core extractor knows names, types and verbs in a language: words/<language>.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from kgsite.extract.stopwords import stop_words

_WORDS = Path(__file__).parent / "words"
_CUED = ("organization", "place", "event", "technology", "work")
LANGUAGES = ("ar", "de", "en", "es", "fr", "hi", "it", "ja", "ko", "nl", "pt", "ru", "zh")
"""Languages with their own word lists; others get capitals, stop words, years and names of places and people."""


@dataclass(frozen=True, slots=True, eq=False)  # one of each language, so that it can be a key
class Lexicon:
    """Lower-cased words by what they do; `raw` holds the lists that one script alone uses."""

    language: str
    months: frozenset[str] = frozenset()
    articles: frozenset[str] = frozenset()
    pointing: frozenset[str] = frozenset()  # those articles that point out of a phrase: "his", "this"
    indefinite: frozenset[str] = frozenset()  # "a", "an"
    relative: frozenset[str] = frozenset()
    join: frozenset[str] = frozenset()  # may stand inside a name
    join_after_cue: frozenset[str] = frozenset()  # of those, the ones that need a word such as "university" before
    conjunctions: frozenset[str] = frozenset()
    prepositions: frozenset[str] = frozenset()
    place_prepositions: frozenset[str] = frozenset()
    of: frozenset[str] = frozenset()
    auxiliaries: frozenset[str] = frozenset()
    copulas: frozenset[str] = frozenset()
    pronouns: frozenset[str] = frozenset()
    not_names: frozenset[str] = frozenset()
    adjectives: frozenset[str] = frozenset()  # capitalised, but no name by themselves
    titles: frozenset[str] = frozenset()
    heads: frozenset[str] = frozenset()  # lower-case nouns that end a name: Apollo program
    cues: Mapping[str, str] = field(default_factory=dict)  # word of a name → entity type
    verbs: Mapping[str, str] = field(default_factory=dict)  # form → base form
    given: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    raw: Mapping[str, str] = field(default_factory=dict)

    def idle(self, word: str) -> bool:
        """Whether a lower-cased word can't be a name by itself."""
        return word in self.not_names or word in self.articles or word in self.prepositions or word in self.auxiliaries


@lru_cache(maxsize=64)
def lexicon(language: str) -> Lexicon:
    """The words of `language` (ISO 639-1); only stop words, given names and places for one without a list."""
    data = _read(language) if language in LANGUAGES else {}
    verbs = data.pop("verbs", {}) if isinstance(data.get("verbs"), dict) else {}
    forms = [line.split() for line in verbs.get("forms", "").splitlines() if line.strip()]
    names = _read("names")

    def words(key: str) -> frozenset[str]:
        return frozenset(data.get(key, "").casefold().split())

    return Lexicon(
        language=language,
        months=words("months"),
        articles=words("articles"),
        pointing=words("pointing"),
        indefinite=words("indefinite"),
        relative=words("relative"),
        join=words("join"),
        join_after_cue=words("join_after_cue"),
        conjunctions=words("and"),
        prepositions=words("prepositions"),
        place_prepositions=words("place_prepositions"),
        of=words("of"),
        auxiliaries=words("auxiliaries"),
        copulas=words("copulas"),
        pronouns=words("pronouns"),
        not_names=words("not_names") | words("pronouns") | words("relative") | words("and") | stop_words(language),
        adjectives=words("adjectives"),
        titles=words("titles"),
        heads=words("heads"),
        cues={word: kind for kind in reversed(_CUED) for word in words(kind)},
        verbs={form.casefold(): line[0] for line in reversed(forms) for form in line},
        given=frozenset(names["given"].split()) | frozenset(_listed(data, "given", "given_women")),
        places=frozenset(names["places"].split()) | frozenset(_listed(data, "places")),
        raw={key: value for key, value in data.items() if isinstance(value, str)},
    )


def _listed(data: Mapping[str, Any], *keys: str) -> list[str]:
    return [word for key in keys for word in str(data.get(key, "")).split()]


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_WORDS / f"{name}.toml").read_text("utf-8"))
