"""Japanese: runs of kanji and katakana between particles, with a telling ending, a surname, or used again and again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kgsite.extract.offline.lexicon import Lexicon
from kgsite.extract.offline.mentions import Mention
from kgsite.extract.offline.uncased import marks
from kgsite.extract.offline.uncased.marks import HAN

_KANJI = rf"{HAN}々ヶヵ〆"
_RUN = re.compile(rf"[{_KANJI}ァ-ヺー・＝]+")
_KATAKANA = re.compile(r"[ァ-ヺー]{2,}(?:[・＝][ァ-ヺー]+)*")
_READING = re.compile(r"（[ぁ-ゖ]{2,}[ぁ-ゖ ]*[、）]|（[ァ-ヺー・ ]+[、）]")
_SUBJECT = re.compile(r"(?:（[^（）]*）)?(?:は|が|も)")
_TOPIC = re.compile(r"(?<![でにと])は|(?<![しるたすくいだ])が")
_TITLED = re.compile(r"『[^』]*』|「[^」]*」|（[^）]*）")
_QUOTED = re.compile(r"「([^「」、。]{2,10})」")
_SENTENCE = re.compile(r"[ぁ-ゖ]{2,}$")


@dataclass(frozen=True, slots=True)
class _Words:
    ending: dict[str, re.Pattern[str]]
    refused: dict[str, frozenset[str]]
    places: frozenset[str]
    listed: re.Pattern[str]  # places
    surname: re.Pattern[str]
    given_last: frozenset[str]
    titles: re.Pattern[str]
    honorific: re.Pattern[str]
    common: frozenset[str]
    not_first: frozenset[str]


@lru_cache(maxsize=4)
def _words(words: Lexicon) -> _Words:
    raw = words.raw
    kinds = ("organization", "event", "place")
    places = raw["places"].split()
    return _Words(
        ending={kind: re.compile(rf"(?=({marks.alternatives(raw[f'{kind}_suffixes'])}))") for kind in kinds},
        refused={kind: frozenset(raw[f"{kind}_not"].split()) for kind in kinds},
        places=frozenset(places),
        listed=re.compile(marks.alternatives(places)),
        surname=re.compile(marks.alternatives(raw["surnames"])),
        given_last=frozenset(raw["given_last"]),
        titles=re.compile(rf"(?:{marks.alternatives(raw['titles'])})の?$"),
        honorific=re.compile(marks.alternatives(raw["after_person"])),
        common=frozenset(
            f"{raw['common']} {raw['not_katakana']} {raw['titles']} {raw['roles']} {raw['verbs']}".split()
        ),
        not_first=frozenset(raw["not_first"]),
    )


def mentions(sentences: Sequence[str], words: Lexicon) -> list[list[Mention]]:
    """The mentions of each sentence of a document; what is repeated needs the whole of it."""
    own = _words(words)
    runs: Counter[str] = Counter(match[0] for text in sentences for match in _RUN.finditer(text))
    persons = _persons(sentences, own)
    short = _short(persons, runs, own)
    rows = []
    topic = ""  # whom a sentence without a subject is about
    for text in sentences:
        found = [*marks.dates(text), *marks.titles(text), *marks.latin(text), *_named(text, runs)]
        found += marks.listed(text, words.raw["organizations"], "organization", border=_KANJI)
        for match in _RUN.finditer(text):
            found += _in_run(text, match, runs, own)
            found += _person_in(match, persons, short)
        row = marks.apart(found)
        if topic and not _TOPIC.search(_TITLED.sub("", text)):
            row.insert(0, Mention(0, 0, topic, "person", "carried"))
        first = next((one for one in row if _SUBJECT.match(text, one.end) and one.kind == "name"), None)
        if first is not None:
            topic = first.name if first.type == "person" else ""
        rows.append(row)
    return rows


def _named(text: str, runs: Counter[str]) -> Iterator[Mention]:
    """「ひかり」: a word, not a sentence, in quotation marks."""
    for match in _QUOTED.finditer(text):
        name = match[1]
        kana = re.fullmatch(r"[ぁ-ゖー]{2,6}|[ァ-ヺー・]{2,10}", name)
        if kana or (runs[name] > 1 and not _SENTENCE.search(name)):
            yield marks.mention(match, "")


def _in_run(text: str, run: re.Match[str], runs: Counter[str], own: _Words) -> Iterator[Mention]:
    name, at = run[0], run.start()
    for match in own.listed.finditer(name):
        before, after = match.start() == 0, match.end() == len(name)
        if before and (after or own.listed.match(name, match.end()) or not _person_like(name, own)):
            yield Mention(at, at + match.end(), match[0], "place")
    yield from _ended(name, at, own)
    for match in _KATAKANA.finditer(name):
        word = match[0]
        if word in own.places or word in own.common or len(word.replace("ー", "")) < 3:
            continue
        dotted = "・" in word or "＝" in word
        if dotted or (word == name and len(word) > 4) or runs[word] > 1:
            yield Mention(at + match.start(), at + match.end(), word, "person" if dotted else "")
    glossed = len(name) > 1 and _READING.match(text, run.end())
    repeated = runs[name] > 2 and len(name) > 2
    if (glossed or repeated) and name not in own.common and not name.endswith(("的", "性", "者", "家", "人", "化")):
        yield Mention(at, run.end(), name, "")


def _person_like(run: str, own: _Words) -> bool:
    return bool(own.surname.match(run)) and 2 < len(run) < 6


def _ended(run: str, at: int, own: _Words) -> Iterator[Mention]:
    """Names with a telling ending; a place ends its run or stands before another one (愛媛県松山市)."""
    starts = [0]
    for match in own.ending["place"].finditer(run):
        end = match.end(1)
        start = starts[-1]
        name = run[start:end]
        follows = end < len(run) and any(m.start() > end for m in own.ending["place"].finditer(run, end))
        if match[1] in ("都", "道", "府", "県", "市", "区", "郡", "藩", "州") and end - start > 2:
            closed = end == len(run) or follows or bool(own.ending["organization"].search(run, end))
        else:
            closed = end == len(run)
        if closed and _good(name, match[1], "place", own):
            yield Mention(at + start, at + end, name, "place")
            starts.append(end)
    for kind in ("organization", "event"):
        last = list(own.ending[kind].finditer(run))
        for match in last[-1:] if kind == "event" else last:
            for start in starts[-1:] if kind == "event" else sorted({0, starts[-1]}):
                name = run[start : match.end(1)]
                single = (len(match[1]) == 1 and match.end(1) != len(run)) or run[match.end(1) :][:1] in tuple("員法案")
                if start < match.start(1) and not single and _good(name, match[1], kind, own):
                    yield Mention(at + start, at + match.end(1), name, kind)


def _good(name: str, ending: str, kind: str, own: _Words) -> bool:
    body = name[: len(name) - len(ending)]
    if not body or name in own.refused[kind] or name[0] in own.not_first or body in own.common:
        return False
    if kind == "place" and any(name.endswith(no) for no in own.refused[kind] if len(no) > max(2, len(ending))):
        return False
    if len(ending) == 1 and len(body) == 1 and name not in own.places:
        return False
    return not (
        kind == "place"
        and (len(body) > (5 if body[-1] < "ァ" or body[-1] > "ー" else 9) or body[0] in "一二三四五六七八九十数両")
    )


# ── persons ───────────────────────────────────────────────────────────────────────────────────────
def _persons(sentences: Sequence[str], own: _Words) -> tuple[str, ...]:
    """Runs that begin with a surname or are read aloud in brackets, and those that act twice and end as names do."""
    acts: Counter[str] = Counter()
    good: set[str] = set()
    for text in sentences:
        for run in _RUN.finditer(text):
            name = run[0]
            honoured = next((name[: -len(m[0])] for m in own.honorific.finditer(name) if m.end() == len(name)), "")
            name = honoured or name
            if not re.fullmatch(rf"[{_KANJI}]{{3,5}}", name) or name in own.common or _telling(name, own):
                continue
            acts[name] += bool(_SUBJECT.match(text, run.end()))
            surname = own.surname.match(name)
            fits = surname is not None and 1 <= len(name) - surname.end() <= 3 and name not in own.places
            ends = name[-1] in own.given_last
            read = _READING.match(text, run.end()) and re.match(r"（[^）]*[ ・、][^）]*年", text[run.end() :])
            if (fits and (ends or honoured or read or acts[name] > 1)) or (ends and (acts[name] > 1 or honoured)):
                good.add(name)
    return tuple(sorted(good))


def _telling(name: str, own: _Words) -> bool:
    return any(m.end(1) == len(name) and len(m[1]) > 1 for kind in own.ending for m in own.ending[kind].finditer(name))


def _short(persons: Sequence[str], runs: Counter[str], own: _Words) -> dict[str, str]:
    """漱石 for 夏目漱石: the given name or surname alone, where the document uses it for one person."""
    owners: dict[str, set[str]] = {}
    for name in persons:
        surname = own.surname.match(name)
        cut = surname.end() if surname else 2
        for part in (name[:cut], name[cut:]):
            if len(part) > 1 and runs[part] > 1:
                owners.setdefault(part, set()).add(name)
    return {part: next(iter(names)) for part, names in owners.items() if len(names) == 1 and part not in own.places}


def _person_in(run: re.Match[str], persons: Sequence[str], short: dict[str, str]) -> Iterator[Mention]:
    for name in persons:
        if run[0].startswith(name):
            yield Mention(run.start(), run.start() + len(name), name, "person")
    if run[0] in short:
        yield Mention(run.start(), run.end(), short[run[0]], "person")
