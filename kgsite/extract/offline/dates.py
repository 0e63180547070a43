"""Dates as the scripts with capital letters write them."""

from __future__ import annotations

import re
from functools import lru_cache

from kgsite.extract.offline.lexicon import Lexicon

_YEAR = r"(?:1\d{3}|20\d{2})"


def spans(sentence: str, words: Lexicon) -> list[tuple[int, int]]:
    """(start, end) of each date in `sentence`; a number after a sign of money or number is none."""
    found = [match.span() for match in _pattern(words.months).finditer(sentence)]
    return [(start, end) for start, end in found if not re.search(r"[\d.,]$|[€$£#]\s?$", sentence[:start])]


@lru_cache(maxsize=32)
def _pattern(months: frozenset[str]) -> re.Pattern[str]:
    month = "|".join(re.escape(word) for word in sorted(months)) or r"(?!)"
    return re.compile(
        rf"\b(?:\d{{1,2}}(?:\.|er|º|ª|st|nd|rd|th)?\s(?:de\s|of\s)?(?:{month})(?:,?\s(?:de\s|del\s)?{_YEAR})?"
        rf"|(?:{month})\s\d{{1,2}}(?:st|nd|rd|th)?(?:,\s{_YEAR})?(?!\d)"
        rf"|(?:{month})\s(?:de\s|del\s)?{_YEAR}|{_YEAR}-\d\d-\d\d|{_YEAR}[–-]{_YEAR}|{_YEAR}(?:s|er)?)(?![\w%])",
        re.IGNORECASE,
    )
