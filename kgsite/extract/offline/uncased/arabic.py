"""Arabic: names by a word for their kind, by given names, titles and chains of بن, and by places seen as such."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from kgsite.extract.offline.lexicon import Lexicon
from kgsite.extract.offline.mentions import Mention
from kgsite.extract.offline.uncased import marks

_WORD = re.compile(r"[\u0621-\u065f\u0670-\u06d3]+")
_CLITICS = re.compile(r"^([وف]?)((?:[بك](?=\w{3})|لل|ل(?=\w{3}))?)")
_EVENT = re.compile(
    r"(?<!\w)[وفبلك]{0,2}(جائزة نوبل (?:في \w+|لل\w+)|(?:ثورة|حرب|انقلاب) \d{4}(?!\d)|ثورة \d{1,2} \w+)"
)
_NISBA = re.compile(r"ال\w{2,}(?:ي|ية)$")
_FILIAL = ("بن", "بنت", "ابن")
_HONOUR = ("الدين", "الله", "الدولة", "الرحمن", "الملك", "الإسلام")
_LONGEST = 4  # words after the one for the kind
_TRAVEL = ("سافر", "رحل", "وصل", "هاجر", "توجه", "انتقل")
_THERE = ("ولد", "ولدت", "توفي", "توفيت", "دفن")


class _Word(NamedTuple):
    start: int  # without its clitics
    end: int
    text: str  # without its clitics
    whole: str
    clitic: str


@dataclass(frozen=True, slots=True)
class _Words:
    kinds: dict[str, str]
    bare: frozenset[str]
    titles: frozenset[str]
    epithets: frozenset[str]
    given: frozenset[str]
    foreign: frozenset[str]
    surnames: frozenset[str]
    stop: frozenset[str]
    places: dict[str, list[tuple[str, ...]]]  # by first word, the longest first
    months: tuple[str, ...]
    work_words: str
    generic: frozenset[str]
    organizations: str


@lru_cache(maxsize=4)
def _words(words: Lexicon) -> _Words:
    raw = words.raw
    listed = {key: frozenset(value.split()) for key, value in raw.items()}
    kinds = {word: kind for kind in ("place", "event", "organization") for word in raw[kind].split()}
    stop = listed["stop"] | listed["verbs"] | listed["roles"] | words.not_names
    return _Words(
        kinds=kinds,
        bare=listed["place_bare"],
        titles=listed["titles"],
        epithets=listed["epithets"],
        given=listed["given"],
        foreign=listed["foreign_given"],
        surnames=listed["surnames"],
        stop=stop - listed["given"] - frozenset((*_FILIAL, "أبو", "أبي", "عبد")),
        places=_by_first(raw["places"].split()),
        months=tuple(raw["months"].split()),
        work_words=raw["work_words"],
        generic=listed["before_generic"],
        organizations=raw["organizations"],
    )


def _by_first(names: Sequence[str]) -> dict[str, list[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for place in sorted((tuple(name.split("_")) for name in names), key=lambda place: (-len(place), place)):
        found.setdefault(place[0], []).append(place)
    return found


def mentions(sentences: Sequence[str], words: Lexicon) -> list[list[Mention]]:
    """The mentions of each sentence of a document; what is repeated needs the whole of it."""
    own = _words(words)
    rows = [list(_split(text, own)) for text in sentences]
    pairs = Counter((a.text, b.whole) for row in rows for a, b in pairwise(row))
    learned = frozenset(name for row in rows for name in _learned(row, own))
    first = [
        [*_first(text, row, own, pairs), *_places(row, own, learned)] for text, row in zip(sentences, rows, strict=True)
    ]
    works = {one.name for row in first for one in row if one.type == "work" and " " in one.name}
    works_at = re.compile(marks.alternatives(works))
    return [
        marks.apart([*row, *(marks.mention(m, "work") for m in works_at.finditer(text))])
        for text, row in zip(sentences, first, strict=True)
    ]


def _split(text: str, own: _Words) -> Iterator[_Word]:
    for match in _WORD.finditer(text):
        whole = match[0]
        cut = 0
        if whole not in own.given and whole not in own.kinds and whole not in own.stop and not _place(whole, own):
            clitics = _CLITICS.match(whole)
            inner = clitics.end() if clitics else 0
            rest = whole[inner:]
            if clitics and clitics[2] == "لل":
                rest = "ال" + rest
            if clitics and inner and (_known(rest, own) or (rest.startswith("ال") and clitics[2] != "ك")):
                cut = inner - 2 * (clitics[2] == "لل")
            elif clitics and clitics[1] and _known(whole[1:], own):
                cut = 1
        start = match.start() + max(cut, 0)
        yield _Word(start, match.end(), text[start : match.end()], whole, whole[: max(cut, 0)])


def _place(word: str, own: _Words) -> bool:
    return word in own.places


def _known(word: str, own: _Words) -> bool:
    return (
        word in own.given
        or word in own.foreign
        or word in own.kinds
        or word in own.titles
        or word in own.stop
        or word in own.surnames
        or word in (*_FILIAL, "أبو", "أبي", "عبد", "أم")
        or _place(word, own)
    )


# ── places ────────────────────────────────────────────────────────────────────────────────────────
def _places(row: Sequence[_Word], own: _Words, learned: frozenset[str]) -> Iterator[Mention]:
    for at, word in enumerate(row):
        if word.text in learned or (word.whole in learned):
            yield Mention(word.end - len(word.text), word.end, word.text, "place")
        elif word.whole[1:] in learned and word.whole[0] in "وبلف":
            yield Mention(word.end - len(word.whole) + 1, word.end, word.whole[1:], "place")
        for place in own.places.get(word.text, ()):
            part = row[at : at + len(place)]
            if tuple(one.text for one in part) == place and not any(one.clitic for one in part[1:]):
                yield Mention(word.start, part[-1].end, " ".join(place), "place")
                break


def _learned(row: Sequence[_Word], own: _Words) -> Iterator[str]:
    """Places that the document shows to be some: مدينة X, سافر إلى X, ولد في X."""
    for at, word in enumerate(row[1:], 1):
        before = row[at - 1]
        name = word.whole
        if name in own.stop or name in own.kinds or word.clitic or name in own.given or len(name) < 4:
            continue
        if name.endswith(("ه", "ها", "هم")) or (name.startswith("ال") and name.endswith(("ة", "ية"))):
            continue
        near = {one.text for one in row[max(0, at - 4) : at - 1]}
        moved = before.text == "إلى" and near & set(_TRAVEL)
        there = before.text == "في" and near & set(_THERE)
        if before.text in ("مدينة", "قرية", "بلدة") or (
            (moved or there) and not name.startswith("ال") and not name.endswith("ة")
        ):
            yield name


# ── kinds, titles, chains ─────────────────────────────────────────────────────────────────────────
def _first(text: str, row: Sequence[_Word], own: _Words, pairs: Counter[tuple[str, str]]) -> Iterator[Mention]:
    yield from marks.dates(text, own.months)
    yield from marks.latin(text)
    yield from marks.listed(text, own.organizations, "organization")
    yield from (marks.mention(m, "event") for m in _EVENT.finditer(text))
    yield from (*marks.titles(text), *marks.quoted(text, own.work_words))
    at = 0
    while at < len(row):
        stop = _kind(text, row, at, own, pairs)
        if stop:
            word = row[at].text.removeprefix("ال")
            first = at + 1 if row[at].text in own.bare else at
            yield _over(text, row[first:stop], own.kinds[word])
            at = stop
            continue
        first, stop = _person(text, row, at, own, pairs)
        if stop > first:
            yield _over(text, row[first:stop], "person")
            at = stop
            continue
        at += 1


def _over(text: str, part: Sequence[_Word], kind: str) -> Mention:
    return Mention(part[0].start, part[-1].end, " ".join(text[part[0].start : part[-1].end].split()), kind)


def _next(text: str, row: Sequence[_Word], at: int, own: _Words) -> _Word | None:
    """The word at `at`, when only a space parts it from the one before and nothing shows that another phrase begins."""
    if at >= len(row) or text[row[at - 1].end : row[at].end - len(row[at].whole)] != " ":
        return None
    word = row[at]
    idle = (
        word.clitic or word.whole in own.stop or word.whole.removeprefix("ال") in own.kinds or word.whole in own.titles
    )
    return None if idle else word


def _kind(text: str, row: Sequence[_Word], at: int, own: _Words, pairs: Counter[tuple[str, str]]) -> int:
    """Index after the name that a word for its kind begins, or 0."""
    word = row[at].text
    kind = own.kinds.get(word.removeprefix("ال"))
    if at and row[at - 1].text in own.generic:
        return 0  # "the largest oil company"
    definite = word.startswith("ال") and word not in own.kinds
    if not kind or (definite and kind == "place" and word not in ("المملكة", "الجمهورية", "الإمبراطورية", "الجامع")):
        return 0
    stop = at + 1
    for place in own.places.get(row[stop].whole, ()) if stop < len(row) else ():
        if tuple(one.whole for one in row[stop : stop + len(place)]) == place and word not in own.bare:
            stop += len(place)
            break
    if not definite and stop == at + 1:
        named = _person(text, row, stop, own, pairs) if _next(text, row, stop, own) else (0, 0)
        if named[0] == stop and named[1] > stop:
            return named[1]
    while stop - at <= _LONGEST and (following := _next(text, row, stop, own)):
        article = following.whole.startswith("ال")
        repeated = pairs[(row[stop - 1].text, following.whole)] > 1
        if definite and not article:
            break
        if stop > at + 1 and not article and not repeated:
            break
        if stop > at + 1 and row[at].text in own.bare:
            break
        stop += 1
    return stop if stop > at + 1 else 0


def _person(text: str, row: Sequence[_Word], at: int, own: _Words, pairs: Counter[tuple[str, str]]) -> tuple[int, int]:
    """(first, after the last) word of the personal name at `at`; equal when there is none."""
    word = row[at].text
    if word in own.titles:
        first = at + 1
        following = _next(text, row, first, own)
        if following and _NISBA.match(following.whole) and first + 1 < len(row):
            second = _next(text, row, first + 1, own)
            if (
                second
                and not second.whole.startswith("ال")
                and (
                    _begins(text, row, first + 1, own)
                    or pairs[(second.text, row[min(first + 2, len(row) - 1)].whole)] > 1
                )
            ):
                return first + 1, _chain(text, row, first + 1, own, pairs)
        if following is None or (following.whole.startswith("ال") and word not in own.epithets):
            return at, at
        if (
            following.whole.startswith("ال")
            and not _NISBA.match(following.whole)
            and following.whole not in own.surnames
        ):
            return at, at
        return first, _chain(text, row, first, own, pairs, titled=not following.whole.startswith("ال"))
    if _begins(text, row, at, own):
        stop = _chain(text, row, at, own, pairs)
        single = stop == at + 1
        return (at, at) if single and word not in own.surnames else (at, stop)
    return at, at


def _begins(text: str, row: Sequence[_Word], at: int, own: _Words) -> bool:
    word = row[at].text
    if word in ("ابن", "أبو", "أبي", "أبا", "عبد"):
        following = _next(text, row, at + 1, own)
        return following is not None and (
            word != "ابن" or not following.whole.startswith("ال") or len(following.whole) > 4
        )
    return (
        word in own.given
        or word in own.foreign
        or (word in own.surnames and word.startswith("ال") and not row[at].clitic.startswith("ل"))
    )


def _chain(
    text: str, row: Sequence[_Word], at: int, own: _Words, pairs: Counter[tuple[str, str]], *, titled: bool = False
) -> int:
    """Index after the last word of a personal name that begins at `at`."""
    stop = at + 1
    owed = row[at].text in ("ابن", "أبو", "أبي", "أبا", "عبد", "بن")  # more must come
    son = row[at].text == "ابن" and not titled
    while stop - at < 8 and (word := _next(text, row, stop, own)):
        before = row[stop - 1].text
        known = (
            word.whole in own.given
            or word.whole in own.surnames
            or word.whole in _HONOUR
            or word.whole in (*_FILIAL, "عبد", "أبو")
        )
        repeated = pairs[(before, word.whole)] > 1 and not _place(word.whole, own)
        nisba = bool(_NISBA.match(word.whole)) and not word.whole.endswith("ية")
        foreign = row[at].text in own.foreign and stop == at + 1 and not word.whole.endswith(("ة", "ات", "ه"))
        loose = (
            titled
            and not _place(word.whole, own)
            and stop - at < 3
            and (stop == at + 1 or not word.whole.startswith("ال"))
        )
        loose = loose and not (stop > at + 1 and before in own.surnames)
        if son and stop == at + 2 and not (nisba or word.whole in own.surnames or word.whole == "بن"):
            break
        if not (owed or known or repeated or nisba or foreign or loose):
            break
        owed = word.whole in (*_FILIAL, "عبد", "أبو", "أبي")
        stop += 1
    return stop - 1 if owed and stop > at + 1 else stop
