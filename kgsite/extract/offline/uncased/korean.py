"""Korean: words carry particles, which say where a name ends and, with its last sound, whether they are particles."""

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

_WORD = re.compile(r"[가-힣]+(?:-[가-힣]+)*")
_GLOSS = re.compile(r"\((?:[A-Z][\w .'-]+|[\u4e00-\u9fff]{2,})[,;)]|\((?:1\d{3}|20\d{2})년", re.ASCII)
_LIFE = re.compile(r"\([^)]*\d{4}년 \d{1,2}월[^)]*~[^)]*\d{4}년 \d{1,2}월")
_PERSONAL = re.compile(r"태어나|태어났|결혼|사망하|졸업|입학|즉위|왕위에")
_ORDINAL = re.compile(r"제\d+차 $")
_THERE = ("에", "에서", "에서는", "에는", "까지")
_LONGEST = 3  # words before the ending of an organisation or event
_NO_FINAL = 28  # Hangul syllables come in rows of 28; the first of each has no final consonant


class _Word(NamedTuple):
    start: int
    end: int  # of the stem
    stem: str
    particle: str


@dataclass(frozen=True, slots=True)
class _Words:
    particle: re.Pattern[str]
    consonant: frozenset[str]
    vowel: frozenset[str]
    organization: tuple[str, ...]
    event: tuple[str, ...]
    place: tuple[str, ...]
    place_last: tuple[str, ...]
    places: frozenset[str]
    surnames: frozenset[str]
    given: frozenset[str]
    not_persons: frozenset[str]
    common: frozenset[str]
    titles: frozenset[str]
    honorific: frozenset[str]
    work_words: str
    organizations: str


@lru_cache(maxsize=4)
def _words(words: Lexicon) -> _Words:
    raw = words.raw
    listed = {key: frozenset(raw[key].split()) for key in raw}
    return _Words(
        particle=re.compile(rf"(?:{marks.alternatives(raw['particles'])})$"),
        consonant=listed["after_consonant"],
        vowel=listed["after_vowel"],
        organization=tuple(sorted(listed["organization_suffixes"])),
        event=tuple(sorted(listed["event_suffixes"])),
        place=tuple(sorted(word for word in listed["place_suffixes"] if len(word) > 1)),
        place_last=tuple(sorted(listed["place_last"])),
        places=listed["places"],
        surnames=listed["surnames"],
        given=listed["given"],
        not_persons=listed["not_persons"],
        common=listed["common"] | listed["titles"] | listed["roles"] | frozenset(raw["verbs"].split()),
        titles=listed["titles"],
        honorific=listed["after_person"],
        work_words=raw["work_words"],
        organizations=raw["organizations"],
    )


def mentions(sentences: Sequence[str], words: Lexicon) -> list[list[Mention]]:
    """The mentions of each sentence of a document; what is repeated needs the whole of it."""
    own = _words(words)
    rows = [_split(text, own) for text in sentences]
    stems = Counter(word.stem for row in rows for word in row)
    pairs = Counter(pair for text, row in zip(sentences, rows, strict=True) for pair in _pairs(text, row, own))
    uses = Counter((word.stem, word.particle) for row in rows for word in row if len(word.stem) > 3)
    varied = Counter(stem for stem, _ in uses)
    long = {stem for stem, n in varied.items() if n > 1 and stems[stem] > 2 and not _plain(stem, own)}
    long -= {pair.split()[-1] for pair, n in pairs.items() if n > 1}
    named = long | _glossed(sentences, rows, own) | {pair for pair, n in pairs.items() if n > 1}
    persons = _persons(sentences, rows, own)
    return [_sentence(text, row, own, (stems, named, persons)) for text, row in zip(sentences, rows, strict=True)]


# ── words ─────────────────────────────────────────────────────────────────────────────────────────
def _split(text: str, own: _Words) -> list[_Word]:
    row = []
    for match in _WORD.finditer(text):
        stem, particle = _stem(match[0], own)
        row.append(_Word(match.start(), match.start() + len(stem), stem, particle))
    return row


def _stem(word: str, own: _Words) -> tuple[str, str]:
    """A word without its particle, which must go with the sound before it: 은 after a consonant, 는 after a vowel."""
    if word in own.places:
        return word, ""
    for start in range(max(1, len(word) - 5), len(word)):
        stem, particle = word[:start], word[start:]
        if own.particle.fullmatch(particle) and _fits(stem, particle, own):
            return (stem, particle) if len(stem) > 1 or stem in own.places else (word, particle)
    return word, ""


def _fits(stem: str, particle: str, own: _Words) -> bool:
    final = (ord(stem[-1]) - 0xAC00) % _NO_FINAL if "가" <= stem[-1] <= "힣" else 0
    if particle in own.consonant:
        return final != 0
    if particle in own.vowel:
        return final == 0 or (particle.startswith("로") and final == 8)  # ㄹ
    return True


def _beside(text: str, left: _Word, right: _Word) -> bool:
    return not left.particle and text[left.end : right.start] == " "


# ── repetition ────────────────────────────────────────────────────────────────────────────────────
def _pairs(text: str, row: Sequence[_Word], own: _Words) -> Iterator[str]:
    """Two words side by side, the first without a particle: 마리 퀴리."""
    for left, right in pairwise(row):
        both = (left.stem, right.stem)
        if not _beside(text, left, right) or not right.particle or not own.common.isdisjoint(both):
            continue
        if all(len(stem) > 1 and not _inflected(stem) for stem in both):
            yield " ".join(both)


def _inflected(stem: str) -> bool:
    """Verb forms and plurals are no part of a name."""
    return stem.endswith(
        (
            "하는",
            "하여",
            "하고",
            "되어",
            "하게",
            "들",
            "적",
            "한",
            "된",
            "던",
            "히",
            "할",
            "될",
            "적인",
            "하기",
            "되는",
            "어서",
            "아서",
            "여서",
            "면서",
            "하며",
            "으며",
            "었다",
            "였다",
            "았다",
        )
    )


def _glossed(sentences: Sequence[str], rows: Sequence[list[_Word]], own: _Words) -> set[str]:
    """Names followed by their spelling in other letters, or by years, in brackets: 세종(世宗, 1397년 …)."""
    found = set()
    for text, row in zip(sentences, rows, strict=True):
        for index, word in enumerate(row):
            if word.particle or not _GLOSS.match(text, word.end) or len(word.stem) < 2:
                continue
            before = row[index - 1] if index else None
            latin = re.match(r"\(([A-Z][\w.'-]+(?: [A-Z][\w.'-]+)+)", text[word.end :], re.ASCII)
            if latin and before and _beside(text, before, word) and before.stem not in own.common:
                found.add(f"{before.stem} {word.stem}")
            elif word.stem not in own.common:
                found.add(word.stem)
    return found


def _persons(sentences: Sequence[str], rows: Sequence[list[_Word]], own: _Words) -> dict[str, int]:
    """A surname and two syllables that are used in given names, with a particle of the subject, a title or a comma."""
    seen: Counter[str] = Counter()
    for text, row in zip(sentences, rows, strict=True):
        for index, word in enumerate(row):
            stem = word.stem
            if len(stem) != 3 or stem[0] not in own.surnames or not set(stem[1:]) <= own.given:
                continue
            if stem in own.not_persons or stem[:2] in own.not_persons or stem in own.common or _inflected(stem):
                continue
            after = row[index + 1].stem if index + 1 < len(row) else ""
            titled = (after in own.honorific and not word.particle) or (index and row[index - 1].stem in own.titles)
            listed = text[word.end : word.end + 1] in (",", "·")
            wrote = word.particle == "의" and after in own.work_words.split()
            acts = wrote or (word.particle in ("은", "는", "이", "가") and index < 2)
            seen[stem] += 2 if titled else acts + listed
    return {name: n for name, n in seen.items() if n}


# ── one sentence ──────────────────────────────────────────────────────────────────────────────────
def _sentence(
    text: str, row: list[_Word], own: _Words, known: tuple[Counter[str], set[str], dict[str, int]]
) -> list[Mention]:
    stems, named, persons = known
    found = [*marks.dates(text), *marks.titles(text), *marks.latin(text), *marks.quoted(text, own.work_words)]
    found += marks.listed(text, own.organizations, "organization")
    for index, word in enumerate(row):
        stem = word.stem
        if stem in own.places:
            found.append(Mention(word.start, word.end, stem, _who(text, word) or "place"))
        if stem in persons:
            found.append(Mention(word.start, word.end, stem, "person"))
        if stem in named and stem not in own.places:
            found.append(Mention(word.start, word.end, stem, _who(text, word)))
        if index and _beside(text, row[index - 1], word) and f"{row[index - 1].stem} {stem}" in named:
            start = row[index - 1].start
            found.append(Mention(start, word.end, text[start : word.end], _who(text, word)))
        found += _ended(text, row, index, own, stems)
    return marks.apart(found)


def _who(text: str, word: _Word) -> str:
    """ "person" where days of birth and death follow, or the sentence says of it what is said of persons."""
    acts = word.particle in ("은", "는", "이", "가")
    return "person" if _LIFE.match(text, word.end) or (acts and _PERSONAL.search(text)) else ""


def _ended(text: str, row: list[_Word], index: int, own: _Words, stems: Counter[str]) -> Iterator[Mention]:
    """Names with a telling ending, with the words before them that carry no particle: 파스퇴르 연구소."""
    word = row[index]
    for kind, endings in (("organization", own.organization), ("event", own.event), ("place", own.place)):
        ending = next((e for e in sorted(endings, key=len, reverse=True) if word.stem.endswith(e)), "")
        if not ending or (len(ending) == 1 and kind != "place"):
            continue
        first = index
        while first and index - first < _LONGEST and _belongs(text, row, first, own):
            first -= 1
        if first == index and (word.stem == ending or word.stem in own.common or len(word.stem) - len(ending) < 2):
            continue
        ordinal = _ORDINAL.search(text[: row[first].start])
        start = ordinal.start() if ordinal else row[first].start
        yield Mention(start, word.end, text[start : word.end], kind)
    if _is_place(row, index, own, stems):
        yield Mention(word.start, word.end, word.stem, "place")


def _is_place(row: list[_Word], index: int, own: _Words, stems: Counter[str]) -> bool:
    """경기도 여주시에: an ending that many words share counts where something is there, or before another such name."""
    word = row[index]
    if len(word.stem) < 3 or not word.stem.endswith(own.place_last) or _plain(word.stem, own):
        return False
    if word.particle in _THERE:
        return True
    followed = index + 1 < len(row) and row[index + 1].stem.endswith(own.place_last)
    return (word.particle == "의" or (not word.particle and followed)) and stems[word.stem] > 1


def _plain(stem: str, own: _Words) -> bool:
    return (
        stem in own.not_persons
        or stem in own.common
        or _inflected(stem)
        or stem.endswith(
            (
                "제도",
                "연구",
                "정도",
                "속도",
                "온도",
                "태도",
                "생산",
                "재산",
                "당시",
                "동시",
                "도시",
                "즉시",
                "부동산",
                "유산",
                "예산",
                "계산",
                "지도",
                "철도",
                "의도",
                "시도",
                "요구",
                "친구",
                "기구",
                "도구",
                "입구",
                "지구",
                "해군",
                "육군",
                "공군",
                "장군",
                "수도",
                "강도",
                "인구",
                "야구",
                "축구",
                "농구",
                "투구",
            )
        )
    )


def _belongs(text: str, row: list[_Word], first: int, own: _Words) -> bool:
    """Whether the word before `first` is part of the same name."""
    before = row[first - 1]
    return (
        _beside(text, before, row[first])
        and before.stem not in own.common
        and not _inflected(before.stem)
        and len(before.stem) > 1
    )
