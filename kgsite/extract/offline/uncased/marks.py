"""What every script without capitals shares: quoted titles, Latin names, years, and how candidates share a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from kgsite.extract.offline.mentions import Mention

HAN = r"\u3400-\u4dbf\u4e00-\u9fff"
_TITLE = re.compile(r"《([^《》]{1,40})》|『([^『』]{1,40})』|〈([^〈〉]{1,40})〉")
_QUOTED = re.compile(r"「([^「」]{2,20})」|“([^“”]{2,40})”|\"([^\"]{2,40})\"|«([^«»]{2,40})»|‘([^‘’]{2,40})’")
_LATIN = re.compile(r"(?<![A-Za-z0-9])[A-Z][\w.&-]*(?: [A-Z0-9][\w.&-]*)*", re.ASCII)
_CODE = re.compile(r"[A-Z]\w", re.ASCII)
_YEAR = r"(?<![\d.,])(?:1\d{3}|20\d{2})"
_EAST_ASIAN_DATE = re.compile(
    rf"{_YEAR}\s?[年년](?:\s?\d{{1,2}}\s?[月월](?:\s?\d{{1,2}}\s?[日일])?)?|{_YEAR}(?![\d.,]?\d)"
)
_SENTENCE_END = re.compile(r"[。！？.!?،؟।]$")


def alternatives(words: str | Iterable[str]) -> str:
    """The words as one group of a pattern, the longest first; never matches when there are none."""
    row = words.split() if isinstance(words, str) else words
    return "|".join(map(re.escape, sorted(set(row), key=lambda word: (-len(word), word)))) or r"(?!)"


def dates(text: str, months: Iterable[str] = ()) -> list[Mention]:
    """Years and days, written as in East Asia or with one of the names of months."""
    found = [mention(m, "date", "date") for m in _EAST_ASIAN_DATE.finditer(text)]
    return [mention(m, "date", "date") for m in _month_pattern(tuple(months)).finditer(text)] + found


@lru_cache(maxsize=8)
def _month_pattern(months: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\d)(?:\d{{1,2}} )?(?:{alternatives(months)}) (?:1\d{{3}}|20\d{{2}})(?!\d)")


def titles(text: str) -> list[Mention]:
    """Works in the marks that only titles have."""
    return [mention(m, "work") for m in _TITLE.finditer(text)]


def quoted(text: str, before: str) -> list[Mention]:
    """Works in plain quotation marks, where a word of `before` (book, poem, film) introduces them."""
    introduced = _at_end(before)
    found = (mention(m, "work") for m in _QUOTED.finditer(text))
    return [
        one
        for one in found
        if introduced.search(text, max(0, one.start - 20), one.start - 1) and not _SENTENCE_END.search(one.name)
    ]


@lru_cache(maxsize=8)
def _at_end(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{alternatives(words)})\s?$")


def latin(text: str) -> list[Mention]:
    """Names in Latin letters."""
    return [mention(m, "") for m in _LATIN.finditer(text) if len(m[0].rstrip(".-&")) > 1 and not _CODE.fullmatch(m[0])]


def mention(match: re.Match[str], type_: str, kind: str = "name") -> Mention:
    """The innermost group of the match as a mention, without the white space around it."""
    group = match.lastindex or 0
    text = match[group]
    start = match.start(group) + len(text) - len(text.lstrip())
    name = " ".join(text.split())
    return Mention(start, start + len(text.strip()), name, type_, kind)


def listed(text: str, words: str, kind: str, *, border: str = "") -> list[Mention]:
    """Known names; "_" stands for a space, and no letter of `border` may stand beside them."""
    return [mention(m, kind) for m in _listed_pattern(words, border).finditer(text)]


@lru_cache(maxsize=8)
def _listed_pattern(words: str, border: str) -> re.Pattern[str]:
    names = alternatives(word.replace("_", " ") for word in words.split())
    edge = f"[{border}]" if border else r"(?!)."
    return re.compile(rf"(?<!{edge})(?:{names})(?!{edge})")


def apart(found: Iterable[Mention]) -> list[Mention]:
    """The mentions without overlaps, by position: the longer wins, of equals the earlier in the text, then a typed one."""
    kept: list[Mention] = []
    taken: set[int] = set()
    for one in sorted(found, key=lambda m: (m.start - m.end, m.start, not m.type, m.type)):
        span = range(one.start, one.end)
        if one.name and taken.isdisjoint(span):
            taken.update(span)
            kept.append(one)
    return sorted(kept, key=lambda one: one.start)
