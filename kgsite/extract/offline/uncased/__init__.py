"""Names and statements in scripts without capital letters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from kgsite.extract.offline.lexicon import Lexicon
from kgsite.extract.offline.mentions import Mention
from kgsite.extract.offline.relating import TOGETHER, Link

_LANGUAGES = frozenset(("zh", "ja", "ko", "ar", "fa", "ur", "he", "th", "hi", "mr", "bn", "gu"))
# Modules of this folder, imported when a document needs them: their `mentions` and their `links`.
_NAMES = {"zh": "chinese", "ja": "japanese", "ko": "korean", "ar": "arabic", "hi": "hindi"}
_STATEMENTS = {
    "zh": "chinese_statements",
    "ja": "verb_last",
    "ko": "verb_last",
    "hi": "verb_last",
    "ar": "arabic_statements",
}
_TOGETHER = 2.0
_MOST_TOGETHER = 2  # in one sentence


def is_uncased(language: str) -> bool:
    """Whether `language` is written without capital letters."""
    return language in _LANGUAGES


def _module(name: str) -> Any:
    return import_module(f"{__name__}.{name}")


def mentions(sentences: Sequence[str], words: Lexicon) -> list[list[Mention]]:
    """Mentions of each sentence of a document; repeated names need the whole of it."""
    rows: list[list[Mention]] = _module(_NAMES.get(words.language, "plain")).mentions(sentences, words)
    return [_without_spellings(text, row) for text, row in zip(sentences, rows, strict=True)]


def _without_spellings(text: str, row: list[Mention]) -> list[Mention]:
    """`row` without what repeats the name before it in other letters: 玛丽·居里（Marie Curie）."""
    ends = {one.end for one in row if one.kind == "name" and not one.name[0].isascii()}
    return [
        one
        for one in row
        if not (
            one.kind == "name"
            and one.name[0].isascii()
            and text[one.start - 1 : one.start] in "（("
            and one.start - 1 in ends
        )
    ]


def links(sentence: str, row: Sequence[Mention], words: Lexicon) -> list[Link]:
    """What the sentence states; names that nothing is stated of are put beside its first one, a few at most."""
    reader = _STATEMENTS.get(words.language)
    found = _once(_module(reader).links(sentence, row, words)) if reader else []
    names = [mention for mention in row if mention.kind == "name"]
    used = {mention.name for link in found for mention in (link.source, link.target)}
    main = next((mention for mention in names if mention.name in used), names[0] if names else None)
    rest = [mention for mention in names if main is not None and mention.name not in used | {main.name}]
    for mention in rest[:_MOST_TOGETHER]:
        first, second = (main, mention) if main and main.start < mention.start else (mention, main)
        if first and second:
            found.append(Link(first, second, TOGETHER, _TOGETHER))
    return found


def _once(found: Iterator[Link]) -> list[Link]:
    """Each statement once, none of a thing about itself or of a date."""
    kept: dict[tuple[str, str, str], Link] = {}
    for link in found:
        if link.source.kind != "date" and link.source.name != link.target.name:
            kept.setdefault((link.source.name, link.predicate, link.target.name), link)
    return list(kept.values())
