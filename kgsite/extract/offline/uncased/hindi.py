"""Hindi: spaced words; a name runs from its first word to the postposition, and shows by its kind, title or first name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from kgsite.extract.offline.lexicon import Lexicon
from kgsite.extract.offline.mentions import Mention
from kgsite.extract.offline.uncased import marks

_WORD = re.compile(r"[\u0900-\u0963\u0970-\u097f]+\.?(?:-[\u0900-\u0963\u0970-\u097f]+)*")
_LETTERS = r"\u0900-\u097f"
_YEARS = re.compile(r" \([^)]*(?:1\d{3}|20\d{2})[^)]*\)")
_LONGEST = 4  # words of a name
_KINDS = ("organization", "event", "place")


@dataclass(frozen=True, slots=True)
class _Words:
    kinds: dict[str, str]
    titles: frozenset[str]
    kept: frozenset[str]  # titles that belong to the name: महात्मा
    given: frozenset[str]
    places: re.Pattern[str]
    idle: frozenset[str]
    months: tuple[str, ...]
    work_words: str


@lru_cache(maxsize=4)
def _words(words: Lexicon) -> _Words:
    raw = words.raw
    verbs = frozenset(raw["verbs"].split())
    idle = frozenset(f"{raw['postpositions']} {raw['acts']} {raw['happens']} {raw['months']}".split()) | verbs
    places = [place.replace("_", " ") for place in raw["places"].split()]
    return _Words(
        kinds={word: kind for kind in reversed(_KINDS) for word in raw[kind].split()},
        titles=frozenset(raw["titles"].split()),
        kept=frozenset(raw["titles_kept"].split()),
        given=frozenset(raw["given"].split()),
        places=re.compile(rf"(?<![\u0900-\u097f])(?:{marks.alternatives(places)})(?![\u0900-\u097f])"),
        idle=idle,
        months=tuple(raw["months"].split()),
        work_words=raw["work_words"],
    )


def mentions(sentences: Sequence[str], words: Lexicon) -> list[list[Mention]]:
    """The mentions of each sentence of a document; what is repeated needs the whole of it."""
    own = _words(words)
    runs = [list(_runs(text, own)) for text in sentences]
    uses = Counter(" ".join(m[0] for m in run) for row in runs for run in row)
    short = dict(
        pair for text, row in zip(sentences, runs, strict=True) for run in row for pair in _acronyms(text, run, own)
    )
    found = []
    for text, row in zip(sentences, runs, strict=True):
        one = [*marks.dates(text, own.months), *marks.latin(text), *marks.quoted(text, own.work_words)]
        one += [marks.mention(m, "place") for m in own.places.finditer(text)]
        one += marks.listed(text, words.raw["organizations"], "organization", border=_LETTERS)
        for run in (part for whole in row for part in _parted(whole, short)):
            one += [Mention(m.start(), m.end(), short[m[0]], "organization") for m in run if m[0] in short]
            one += _named(text, run, own, uses)
        found.append(marks.apart(one))
    return found


def _runs(text: str, own: _Words) -> Iterator[list[re.Match[str]]]:
    """Words side by side that are no postposition or verb."""
    run: list[re.Match[str]] = []
    for match in _WORD.finditer(text):
        beside = run and text[run[-1].end() : match.start()] == " "
        if match[0] in own.idle and not (beside and match[0] in own.kinds):
            if run:
                yield run
            run = []
            continue
        if run and not beside:
            yield run
            run = []
        run.append(match)
    if run:
        yield run


def _named(text: str, run: list[re.Match[str]], own: _Words, uses: Counter[str]) -> Iterator[Mention]:
    start = 0
    for index, word in enumerate(run):
        kind = own.kinds.get(word[0])
        if kind and index > start and (index - start) <= _LONGEST:
            yield _over(text, run[start : index + 1], kind)
            start = index + 1
    rest = _before_place(text, run[start:], own)
    at = next((at for at, word in enumerate(rest[:-1]) if word[0] in own.titles), 0)
    if at or (len(rest) > 1 and rest[0][0] in own.titles - own.kept):
        rest = rest[at + (rest[at][0] not in own.kept) :]
        if len(rest) < 3:
            yield _over(text, rest, "person")
            return
    if not rest or len(rest) > _LONGEST:
        return
    titled = rest[0][0] in own.titles and len(rest) > 1
    known = rest[0][0] in own.given
    if (titled or known) and (len(rest) > 1 or uses[rest[0][0]] > 1) and rest[-1][0] not in own.kinds:
        yield _over(text, rest, "person")
    elif len(rest) > 1 and (_YEARS.match(text, rest[-1].end()) or uses[" ".join(m[0] for m in rest)] > 1):
        after = text[rest[-1].end() : rest[-1].end() + 4]
        acts = after.startswith(" ने") or bool(_YEARS.match(text, rest[-1].end()))
        yield _over(text, rest, "person" if acts else "")
    elif text.startswith(" ने ", rest[-1].end()) and (len(rest) in (2, 3) or uses[rest[0][0]] > 2):
        yield _over(text, rest, "person")


def _acronyms(text: str, run: list[re.Match[str]], own: _Words) -> Iterator[tuple[str, str]]:
    """(इसरो) after an organisation: its short name, with the long one."""
    for one in _named(text, run, own, Counter()):
        short = re.match(rf" \(([{_LETTERS}]+)\)", text[one.end :])
        if short and one.type == "organization":
            yield short[1], one.name


def _parted(run: list[re.Match[str]], short: Mapping[str, str]) -> Iterator[list[re.Match[str]]]:
    """The run in pieces, each short name one of its own."""
    for _, part in groupby(run, key=lambda word: word[0] in short):
        yield list(part)


def _before_place(text: str, run: list[re.Match[str]], own: _Words) -> list[re.Match[str]]:
    """The words before a known place: "महात्मा गांधी दक्षिण अफ्रीका गए"."""
    return next((run[:at] for at, word in enumerate(run) if own.places.match(text, word.start())), run)


def _over(text: str, run: Sequence[re.Match[str]], kind: str) -> Mention:
    return Mention(run[0].start(), run[-1].end(), text[run[0].start() : run[-1].end()], kind)
