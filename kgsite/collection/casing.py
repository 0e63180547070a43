"""Lower-cased names in title case, for reading only: identity, addresses and data keep what the source wrote."""

from __future__ import annotations

import re

LOWER_CASED = "import:triples"
"""Extractor of documents whose source wrote every name in lower case."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SMALL = {
    "en": "a an and as at but by for from in into nor of on or over per so the to up via vs with",
    "de": "am an auf aus bei das dem den der des die ein eine einem einen einer für im in mit und vom von zu zum zur",
    "fr": "à au aux d dans de des du en et l la le les ou par pour sur un une",
    "es": "a al con de del e el en la las los o para por un una y",
    "nl": "aan bij de den der een en het in met of op te ten ter tot uit van voor",
    "it": "a al con da dal dei del della di e ed i il in l la le lo o per un una",
    "pt": "a ao as com da das de do dos e em na no o os ou para por um uma",
}
_SMALL_WORDS = {language: frozenset(words.split()) for language, words in _SMALL.items()}


def title_case(name: str, language: str) -> str:
    """`name` with a capital at the start of each word but the small ones of `language`; "1990s" and "x-ray's" as they
    are written: only first letters change. A name that has a capital already is left alone.
    """
    if name != name.lower():
        return name
    small = _SMALL_WORDS.get(language, frozenset())

    def raised(found: re.Match[str]) -> str:
        word = found.group()
        return word if found.start() and word in small else word[0].title() + word[1:]

    return _WORD.sub(raised, name)
