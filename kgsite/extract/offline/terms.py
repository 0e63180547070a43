"""Lower-case nouns that a verb or preposition ties to a name: "discovered radium", "the discovery of polonium"."""

from __future__ import annotations

import re

from kgsite.extract.offline.lexicon import Lexicon
from kgsite.extract.offline.mentions import Mention

_WORD = re.compile(r"(?:[ldsncjmt]|qu|dell|dall|nell|all|sull|un)['’](?=\w)|[^\W_]+(?:[-’'][^\W_]+)*|[^\w\s]")
_LANGUAGES = ("en", "es", "fr", "it", "nl", "pt")
_OPENING = frozenset('«"“„')
_LONGEST = 2  # words


def added(sentence: str, row: list[Mention], words: Lexicon) -> list[Mention]:
    """`row` and the terms of the sentence, by position. Languages without an own word list get none."""
    if words.language not in _LANGUAGES or not row:
        return row
    taken = [(mention.start, mention.end) for mention in row]
    found: list[Mention] = []
    run: list[re.Match[str]] = []
    opened = False
    for match in _WORD.finditer(sentence):
        low = match[0].casefold().rstrip("'’")
        if _content(match[0], low, words) and not any(start <= match.start() < end for start, end in taken):
            run.append(match)
            continue
        if run and opened and _closes(low, words) and match[0] not in _OPENING:
            found += _term(sentence, run)
        run = []
        opened = low in words.articles or low in words.prepositions or low in words.verbs or low in words.copulas
    return sorted(row + found, key=lambda mention: mention.start)


def _content(word: str, low: str, words: Lexicon) -> bool:
    if not word[0].islower() or len(word) < 4 or words.idle(low) or low in words.verbs or low in words.titles:
        return False
    return not low.endswith(("ly", "mente")) and not (words.language == "en" and low.endswith(("ing", "ed")))


def _closes(low: str, words: Lexicon) -> bool:
    return not low[0].isalnum() or low in words.prepositions or low in words.conjunctions or low in words.relative


def _term(sentence: str, run: list[re.Match[str]]) -> list[Mention]:
    if len(run) > _LONGEST:
        return []
    start, end = run[0].start(), run[-1].end()
    return [Mention(start, end, sentence[start:end], "concept", "term")]
