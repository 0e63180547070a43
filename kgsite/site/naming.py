"""What things are called on the site: title case for names of lower-cased sources, numbers for unnamed communities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from kgsite.config.settings import VisualizationSettings
from kgsite.model import Collection, DocumentGraph
from kgsite.site.words import Words

FEWEST_NAMES = 5
"""Names with letters of two cases that a graph needs before it can be called lower-cased."""
_SMALL = frozenset(
    [
        "a",
        "an",
        "and",
        "as",
        "at",
        "but",
        "by",
        "for",
        "from",
        "in",
        "nor",
        "of",
        "on",
        "or",
        "per",
        "the",
        "to",
        "via",
        "with",
        "de",
        "del",
        "della",
        "der",
        "des",
        "di",
        "du",
        "e",
        "et",
        "la",
        "las",
        "le",
        "les",
        "los",
        "und",
        "van",
        "von",
        "y",
    ]
)
"""Words that stay small inside a title. Source: the common ground of style guides, with particles of names."""


def shown(collection: Collection, settings: VisualizationSettings, words: Words) -> Collection:
    """The collection with the names that pages and drawings show; addresses and stored graphs keep theirs."""
    if not settings.name_communities:
        numbered = (replace(c, name=words.t("community.unnamed", n=c.id + 1)) for c in collection.communities)
        collection = replace(collection, communities=tuple(numbered))
    if settings.title_case is False:
        return collection
    lowered = {graph.id: settings.title_case is True or is_lowered(graph) for graph in collection.documents}
    if not any(lowered.values()):
        return collection
    titles = {e.name: title(e.name) for e in collection.entities if _all(lowered, e.documents)}
    entities = (replace(e, name=titles[e.name]) if e.name in titles else e for e in collection.entities)
    communities = (replace(c, name=titles.get(c.name, c.name)) for c in collection.communities)
    return replace(collection, entities=tuple(entities), communities=tuple(communities))


def _all(lowered: Mapping[str, bool], documents: Iterable[str]) -> bool:
    return all(lowered.get(document, False) for document in documents)


def is_lowered(graph: DocumentGraph) -> bool:
    """Whether the source of a graph wrote every name in lower case (as some tools do), so that none is as it should be."""
    cased = [e.name for e in graph.entities if e.name.lower() != e.name.upper()]
    return len(cased) >= FEWEST_NAMES and all(name == name.lower() for name in cased)


def title(name: str) -> str:
    """`marie curie` → `Marie Curie`; a name that has a capital anywhere stays as it is.

    >>> title("university of paris"), title("iPhone"), title("first world war"), title("x-ray")
    ('University of Paris', 'iPhone', 'First World War', 'X-ray')
    """
    if name != name.lower():
        return name
    parts = name.split(" ")
    return " ".join(part if index and part in _SMALL else _capital(part) for index, part in enumerate(parts))


def _capital(word: str) -> str:
    """The first letter in title case, which for `ß` or a digit is the word itself."""
    for index, letter in enumerate(word):
        if letter.isalnum():
            upper = letter.title()
            return word[:index] + upper + word[index + 1 :] if len(upper) == 1 else word
    return word
