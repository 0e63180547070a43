"""Chinese: no capitals, no spaces, no endings.

A name is found by what it is made of (a telling ending, characters that only foreign names are spelt with, a
surname) and is believed only where its borders can be seen: punctuation, function words, verbs and common nouns
that stand beside names and never in them. What has no such border on either side is left alone.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kgsite.extract.offline.lexicon import Lexicon
from kgsite.extract.offline.mentions import Mention
from kgsite.extract.offline.uncased import marks
from kgsite.extract.offline.uncased.marks import HAN

_LONGEST = {"organization": 12, "event": 10, "place": 6}  # characters before the ending
_DOT = "·•‧・"
_HARD = re.compile(rf"[^{HAN}{_DOT}-]")
_THERE = re.compile(r"(?:[在于到往至]|抵达|来到|前往|访问|离开|位于)$")
_SPEAKS = re.compile(r"曾|认为|说|指出|提出|发现|发明|撰写|出生|逝世|去世|担任|创作|批评|称赞|先生|教授|与.{2,8}结婚")
_NUMBERED = re.compile(r"第[一二三四五]次[\u4e00-\u9fff]{1,6}?(?:大战|战争|革命)")
_PRONOUN = re.compile(r"(?:[\d年月日，初底末后]*)([他她])(?![们的])")
_NEAR = 16  # characters from the beginning of a sentence within which its subject stands
_TWO = re.compile(rf"(?=([{HAN}]{{2}}))")
_DIGITS = "一二三四五六七八九十百千万零两几数"
_PLACE_ENDS = frozenset("塔寺桥宫县市省区镇村湖港国州")
_DIVIDED = re.compile(rf"[{HAN}]{{2,4}}[市县区镇](?![{HAN}]?[省市县])")  # 浙江省|绍兴市
_DIVISIONS = frozenset("省市县")
_GIVEN_TOO = frozenset("约至之以岁初三一")
_REPEATED = 3  # times that a word is used before its use alone makes it a name


@dataclass(frozen=True, slots=True)
class _Words:
    """The lists of words/zh.toml as patterns."""

    stop: frozenset[str]
    before: re.Pattern[str]  # what may end right before a name
    after: re.Pattern[str]  # what may begin right after one
    inside: re.Pattern[str]  # what no name holds
    places: re.Pattern[str]
    organizations: re.Pattern[str]
    generic: frozenset[str]  # words of two characters that are used again and again and name nothing
    titles: re.Pattern[str]
    foreign: re.Pattern[str]
    strong: frozenset[str]
    ending: dict[str, re.Pattern[str]]
    refused: dict[str, frozenset[str]]
    surname: re.Pattern[str]
    not_persons: tuple[str, ...]
    honorific: re.Pattern[str]


@lru_cache(maxsize=4)
def _words(words: Lexicon) -> _Words:
    raw = words.raw
    verbs = f"{raw['verbs']} {raw['other_verbs']}"
    beside = f"{raw['common']} {verbs} {raw['titles']} {raw['after_person']}".split()
    topics = raw["topics"].split()
    stop = raw["stop"].replace(" ", "")
    every = marks.alternatives(beside)
    long = marks.alternatives(word for word in beside if len(word) > 1 and word not in topics)
    strong = raw["strong_foreign"]
    letters = re.escape(strong + raw["foreign"])
    foreign = rf"(?:(?!夫人|于(?![{letters}]))[{letters}])"
    two = marks.alternatives(raw["surnames_two"])
    return _Words(
        stop=frozenset(stop),
        before=re.compile(rf"(?:{every}|[{stop}])$"),
        after=re.compile(rf"{every}|{marks.alternatives(topics)}|[{stop}]"),
        inside=re.compile(long),
        places=re.compile(marks.alternatives(raw["places"])),
        organizations=re.compile(marks.alternatives(raw["organizations"])),
        generic=frozenset((*beside, *topics, *raw["generic"].split(), *raw["not_persons"].split(), *words.not_names)),
        titles=re.compile(rf"(?:{marks.alternatives(raw['titles'])})$"),
        foreign=re.compile(rf"{foreign}+(?:[{_DOT}-]{foreign}+)*"),
        strong=frozenset(strong),
        ending={
            kind: re.compile(rf"(?=({marks.alternatives(raw[f'{kind}_suffixes'])}))")
            for kind in ("organization", "event", "place")
        },
        refused={kind: frozenset(raw[f"{kind}_not"].split()) for kind in ("organization", "event", "place")},
        surname=re.compile(rf"(?:{two})[{HAN}]{{1,2}}|[{raw['surnames']}][{HAN}]{{1,2}}"),
        not_persons=tuple(raw["not_persons"].split()),
        honorific=re.compile(marks.alternatives(raw["after_person"])),
    )


def mentions(sentences: Sequence[str], words: Lexicon) -> list[list[Mention]]:
    """The mentions of each sentence of a document; what is repeated needs the whole of it."""
    own = _words(words)
    persons = _persons(sentences, own)
    known = re.compile(marks.alternatives(persons))
    rows = [_first(text, own, known) for text in sentences]
    repeated = [*_repeated(sentences, rows, own), *_short(sentences, rows, own)]
    rows = [marks.apart([*row, *_spelt(text, repeated)]) for text, row in zip(sentences, rows, strict=True)]
    topic = ""  # whom 他 and 她 mean
    for text, row in zip(sentences, rows, strict=True):
        pronoun = _PRONOUN.match(text)
        if pronoun and topic:
            row[:] = marks.apart([*row, Mention(pronoun.start(1), pronoun.end(1), topic, "person", "carried")])
        first = next((one for one in row if one.kind == "name"), None)
        if not pronoun and first is not None:
            topic = first.name if first.type == "person" and first.start < _NEAR else ""
    return rows


def _first(text: str, own: _Words, known: re.Pattern[str]) -> list[Mention]:
    found = [*marks.dates(text), *marks.titles(text), *marks.latin(text)]
    found += [marks.mention(m, "event") for m in _NUMBERED.finditer(text)]
    found += _foreign(text, own)
    found += [marks.mention(m, "person") for m in known.finditer(text) if m[0]]
    found += [marks.mention(m, "place") for m in own.places.finditer(text)]
    found += [marks.mention(m, "organization") for m in own.organizations.finditer(text)]
    for kind in own.ending:
        found += _ended(text, kind, own)
    return marks.apart(found)


# ── endings ───────────────────────────────────────────────────────────────────────────────────────
def _ended(text: str, kind: str, own: _Words) -> Iterator[Mention]:
    """Names with a telling ending: 浙江大学, 余杭区, 索尔维会议."""
    for match in own.ending[kind].finditer(text):
        end = match.end(1)
        if kind == "place" and not (
            _closed(text, end, own) or (match[1][-1] in _DIVISIONS and _DIVIDED.match(text, end))
        ):
            continue
        start = _start(text, match.start(1), _LONGEST[kind], own)
        name = text[start:end]
        length = match.start(1) - start
        if length < 2 and not own.places.fullmatch(name):
            continue  # 红海 is listed; 入海 is no place
        if name in own.refused[kind] or _ends_in(name, match[1], own.refused[kind]):
            continue
        if text[match.start(1) - 1] == match[1]:
            continue  # 浙江省省会
        if own.inside.search(text[start : match.start(1)]) or (name[0] in _DIGITS and not own.places.match(name)):
            continue
        yield Mention(start, end, name, kind)


def _ends_in(name: str, ending: str, refused: frozenset[str]) -> bool:
    """Whether the name is a common noun with something before it: 中国东南沿海."""
    return any(name[at:] in refused for at in range(1, len(name) - len(ending)))


def _closed(text: str, end: int, own: _Words) -> bool:
    """Whether a name can end here."""
    return end >= len(text) or bool(_HARD.match(text[end])) or bool(own.after.match(text, end))


def _start(text: str, end: int, longest: int, own: _Words) -> int:
    """Where the name whose ending begins at `end` begins: after the nearest border, or at the last known place."""
    start = end
    known = own.places.finditer(text, max(0, end - longest - 6), end)
    inside = {at for m in known for at in range(m.start() + 1, m.end() + 1)}
    while start > 0 and end - start < longest and (start in inside or not _opened(text, start, own)):
        if text[start - 1] in _DIVISIONS and start < end and start not in inside:
            break  # 浙江省|绍兴市
        start -= 1
    bordered = start not in inside and (_opened(text, start, own) or text[start - 1] in _DIVISIONS)
    held = [m.start() for m in own.places.finditer(text, start, end)]
    if longest == _LONGEST["place"] and len(held) > 1:
        return held[-1]  # 中国|广东省
    stray = bool(held) and held[0] == start + 1
    return start if bordered and not stray else held[0] if held else end


# ── foreign names ─────────────────────────────────────────────────────────────────────────────────
def _foreign(text: str, own: _Words) -> Iterator[Mention]:
    """Names spelt with the characters for foreign sounds: 玛丽·居里, 爱因斯坦."""
    for match in own.foreign.finditer(text):
        name = match[0]
        dotted = any(dot in name for dot in _DOT)
        strong = sum(letter in own.strong for letter in name)
        if dotted:
            yield Mention(match.start(), match.end(), name, "person")
            continue
        if own.places.search(name) or strong * 2 < len(name):
            continue
        honoured = own.honorific.match(text, match.end())
        if len(name) > 1 and honoured and honoured[0] == "夫人":
            yield Mention(match.start(), honoured.end(), name + honoured[0], "person")
        elif (
            len(name) > 2
            and strong > 1
            and _opened(text, match.start(), own)
            and (_closed(text, match.end(), own) or honoured)
        ):
            titled = own.titles.search(text, max(0, match.start() - 5), match.start()) or honoured
            yield Mention(match.start(), match.end(), name, "person" if titled else _foreign_kind(text, match))


def _foreign_kind(text: str, match: re.Match[str]) -> str:
    """What the words beside a foreign name say it is."""
    if _THERE.search(text[: match.start()]):
        return "place"
    return "person" if _SPEAKS.match(text, match.end()) else ""


def _opened(text: str, start: int, own: _Words) -> bool:
    if start == 0 or _HARD.match(text[start - 1]) or text[start - 1] in own.stop:
        return True
    return bool(own.before.search(text, max(0, start - 5), start))


# ── persons ───────────────────────────────────────────────────────────────────────────────────────
def _persons(sentences: Sequence[str], own: _Words) -> list[str]:
    """Personal names: a surname and one or two characters, between borders, seen so twice or after a title."""
    seen: Counter[str] = Counter()
    sure: Counter[str] = Counter()
    for text in sentences:
        for start in range(len(text)):
            titled = bool(own.titles.search(text, max(0, start - 5), start))
            listed = start > 0 and text[start - 1] in "、由与和"
            if not (titled or start == 0 or _HARD.match(text[start - 1]) or text[start - 1] in own.stop):
                continue
            name = _person_at(text, start, own, titled=titled)
            if name:
                seen[name] += 1
                beginning = start == 0 or text[start - 1] in "。；，“：" or listed
                sure[name] += 3 if titled else beginning + _followed(text, start + len(name), own)
    return sorted(name for name, n in seen.items() if n > 1 or sure[name] > 1)


def _followed(text: str, end: int, own: _Words) -> bool:
    """Whether what comes next is what comes after persons."""
    return bool(re.match(r"[（、]|[是在于曾与和]", text[end : end + 1]) or own.inside.match(text, end))


def _person_at(text: str, start: int, own: _Words, *, titled: bool) -> str:
    match = own.surname.match(text, start)
    if not match or text.startswith(own.not_persons, start):
        return ""
    for end in (match.end(), match.end() - 1):
        given = text[match.start() + 1 : end]
        if not given or not _closed(text, end, own) or own.places.match(text, start, end + 1):
            continue
        if any(letter in own.stop and not _may_be_given(letter, given, titled=titled) for letter in given):
            continue
        if given[-1] in _PLACE_ENDS:
            continue
        if own.inside.search(text, start, end) or own.inside.match(text, end - 1):
            continue
        return text[start:end]
    return ""


def _may_be_given(letter: str, given: str, *, titled: bool) -> bool:
    """郑和, and 李约瑟 after a title: function characters that names hold, too."""
    return (letter == "和" and len(given) == 1) or (titled and letter in _GIVEN_TOO)


# ── repetition ────────────────────────────────────────────────────────────────────────────────────
def _repeated(sentences: Sequence[str], rows: Sequence[list[Mention]], own: _Words) -> list[str]:
    """Words that the document uses again and again, each time among others: 良渚文化, 放射性."""
    uses: Counter[str] = Counter()
    left: dict[str, set[str]] = defaultdict(set)
    right: dict[str, set[str]] = defaultdict(set)
    bordered: Counter[str] = Counter()
    for text, row in zip(sentences, rows, strict=True):
        taken = {at for one in row for at in range(one.start, one.end)}
        for run in re.finditer(rf"[{HAN}]+", text):
            for start in range(run.start(), run.end() - 2):
                for end in range(start + 3, min(start + 8, run.end()) + 1):
                    part = text[start:end]
                    if not taken.isdisjoint(range(start, end)) or not own.stop.isdisjoint(part):
                        break
                    uses[part] += 1
                    left[part].add(text[start - 1] if start else "")
                    right[part].add(text[end] if end < len(text) else "")
                    bordered[part] += _opened(text, start, own) and _closed(text, end, own)
    good = [
        part
        for part, n in uses.items()
        if n >= _REPEATED
        and bordered[part] * 2 >= n
        and min(len(left[part]), len(right[part])) > 1
        and not own.inside.search(part)
    ]
    return sorted(good, key=lambda part: (-len(part), part))


def _short(sentences: Sequence[str], rows: Sequence[list[Mention]], own: _Words) -> list[str]:
    """Words of two characters that begin sentence after sentence, each time before another verb: 华为."""
    uses: Counter[str] = Counter()
    begins: Counter[str] = Counter()
    right: dict[str, set[str]] = defaultdict(set)
    for text, row in zip(sentences, rows, strict=True):
        taken = {at for one in row for at in range(one.start, one.end)}
        for match in _TWO.finditer(text):
            word, at = match[1], match.start()
            if word in own.generic or word[0] in own.stop or not taken.isdisjoint((at, at + 1)):
                continue
            uses[word] += 1
            begins[word] += (at == 0 or text[at - 1] in "，。；") and bool(own.inside.match(text, at + 2))
            right[word].add(text[at + 2 : at + 3])
    return sorted(word for word, n in uses.items() if n > _REPEATED and begins[word] > 1 and len(right[word]) > 2)


def _spelt(text: str, names: Sequence[str]) -> Iterator[Mention]:
    for name in names:
        for match in re.finditer(re.escape(name), text):
            yield Mention(match.start(), match.end(), name, "")
