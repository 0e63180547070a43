"""Relations in one sentence: labelled where the words between two names are clear, else "appears with"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kgsite.extract.offline.gaps import VERB_LAST, Gap, closing_verb, is_verb, read
from kgsite.extract.offline.lexicon import Lexicon
from kgsite.extract.offline.mentions import Mention

TOGETHER = "appears with"
_STRENGTH = {"verb": 7.0, "carried": 5.0, "copula": 6.0, "preposition": 4.0, "together": 2.0}
_BECOME = frozenset(("become", "became", "devenir", "werden", "worden", "diventare", "convertirse"))
_THERE = frozenset(("находиться", "расположен", "работать", "открыться", "открыт", "основан", "построен", "состоять"))
_IN = re.compile(r"(?:^|\s)[Вв]о?\s$")
_INSIDE = frozenset(("in", "en", "em", "à", "im"))
_NEXT = re.compile(r"\s([a-z][\w-]{2,})")
_BARE_DATE = re.compile(r"(?<=\w) (?:il|el|le|l)$")
_AFTER = re.compile(r"\s([^\W\d_]+)")
_MOST_PAIRS = 8  # of one verb: "A, B and C met D, E and F"
_MOST_TOGETHER = 4  # in one sentence


@dataclass(frozen=True, slots=True)
class Link:
    """A statement about two mentions of a sentence, not yet about entities."""

    source: Mention
    target: Mention
    predicate: str
    strength: float


@dataclass(slots=True)
class _Frame:
    """The last verb of the sentence and whom it is about."""

    subjects: list[Mention]
    verb: str = ""
    role: str = ""  # "was director": waits for "of …"


def links(sentence: str, row: list[Mention], words: Lexicon) -> list[Link]:
    """The statements of a sentence about `row`, its mentions by position."""
    row = [_whole(sentence, mention, words) for mention in row] if words.language == "en" else row
    groups, gaps = _groups(sentence, row, words)
    found: list[Link] = []
    frame = _Frame(_first_subject(groups))
    for index, gap in enumerate(gaps):
        left, right = groups[index], groups[index + 1]
        beside = gap.loose or (words.language == "ru" and gap.kind == "verb")
        if beside and index and gaps[index - 1].kind == "preposition" and left[0].type in ("place", "date"):
            left = groups[index - 1]  # "the institute in Paris, founded by …"
        found.extend(_link(left, right, gap, _Place(sentence, frame, words)))
    found.extend(_together(row, found))
    return found


def _first_subject(groups: list[list[Mention]]) -> list[Mention]:
    return groups[0] if groups and groups[0][0].kind in ("name", "pronoun") else []


def _groups(sentence: str, row: list[Mention], words: Lexicon) -> tuple[list[list[Mention]], list[Gap]]:
    """Names in enumeration put together, and what stands between the groups."""
    groups: list[list[Mention]] = []
    gaps: list[Gap] = []
    for mention in row:
        if groups:
            gap = read(sentence[groups[-1][-1].end : mention.start], words)
            last = groups[-1][-1]
            alike = mention.kind == last.kind != "pronoun" and (
                mention.type == last.type or "concept" in (mention.type, last.type)
            )
            if gap.kind == "conjunction" and alike and not _acts(sentence, mention, groups, words):
                groups[-1].append(mention)
                continue
            gaps.append(gap)
        groups.append([mention])
    return groups, gaps


def _acts(sentence: str, mention: Mention, groups: list[list[Mention]], words: Lexicon) -> bool:
    """ "… founded B and *C designed* D": a person after a conjunction, with a verb of its own."""
    if mention.type != "person" or len(groups) < 2 or groups[-1][-1].type == "person":
        return False
    following = _AFTER.match(sentence, mention.end)
    return following is not None and is_verb(following[1].casefold(), words)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a pair of groups stands."""

    sentence: str
    frame: _Frame
    words: Lexicon


def _link(left: list[Mention], right: list[Mention], gap: Gap, place: _Place) -> Iterator[Link]:
    frame, words = place.frame, place.words
    if gap.kind == "verb":
        yield from _stated(left, right, gap, place)
    elif gap.kind == "open" or (gap.kind == "copula" and right[0].kind == "date" and words.language in VERB_LAST):
        frame.subjects, frame.verb = left, closing_verb(place.sentence[right[-1].end :], words)
        if frame.verb:
            predicate = f"{frame.verb} {gap.predicate}" if gap.kind == "open" else frame.verb
            yield from _pairs(left, right, predicate, _STRENGTH["verb"])
    elif gap.kind == "copula":
        frame.subjects, frame.verb, frame.role = left, "", _role(right)
        yield from _pairs(left, _named(right), gap.predicate, _STRENGTH["copula"])
    elif gap.kind == "preposition" and gap.predicate in words.of and frame.role and frame.role == left[0].name:
        yield from _pairs(frame.subjects, _named(right), f"{frame.role} {gap.predicate}", _STRENGTH["verb"])
        frame.role = ""
    elif gap.kind == "preposition":
        yield from _attached(left, right, gap.predicate, frame, words)
    elif gap.kind == "article" and frame.verb and frame.subjects:
        if right[0].kind == "date":
            yield from _pairs(frame.subjects, right, f"{frame.verb} {gap.predicate}", _STRENGTH["carried"])
        elif words.language in VERB_LAST:
            yield from _pairs(frame.subjects, right, frame.verb, _STRENGTH["carried"])
    else:
        frame.verb = ""


def _stated(left: list[Mention], right: list[Mention], gap: Gap, place: _Place) -> Iterator[Link]:
    """A verb between two groups: who does what."""
    frame, words = place.frame, place.words
    if left[0].kind == "date" and right[0].kind != "date" and words.language in VERB_LAST and not gap.carried:
        frame.subjects, frame.verb = right, gap.verb  # "1883 gründete Benz …"
        yield from _pairs(right, left, gap.verb, _STRENGTH["carried"])
        return
    if _fronted(left[0], place) and right[0].kind != "date" and not gap.carried:
        frame.subjects, frame.verb = right, gap.verb  # "In Washington traf er …"
        return
    subjects = frame.subjects if gap.carried else left
    if not subjects:
        return
    if subjects[0].kind in ("date", "term") and frame.subjects:
        subjects = frame.subjects
    frame.subjects, frame.verb = subjects, gap.verb
    frame.role = _role(right) if gap.verb in _BECOME else ""
    targets = _named(right) if gap.verb in _BECOME else right
    predicate = gap.predicate
    if _acts_last(subjects, targets, gap, words):
        subjects, targets = targets, subjects
    elif words.language == "ru" and gap.verb in _THERE and _IN.search(place.sentence[: left[0].start]):
        subjects, targets, predicate = targets, left, f"{gap.verb} в"  # "В Москве находится …"
    yield from _pairs(subjects, targets, predicate, _STRENGTH["carried" if gap.carried else "verb"])


def _fronted(first: Mention, place: _Place) -> bool:
    """Whether a sentence of a language that keeps its verb second begins with "In Washington"."""
    before = place.sentence[: first.start].casefold().split()
    place_first = first.type == "place" and place.words.language in VERB_LAST
    return place_first and len(before) == 1 and before[0] in place.words.place_prepositions


def _acts_last(left: list[Mention], right: list[Mention], gap: Gap, words: Lexicon) -> bool:
    """Russian puts who acts last, too: "Институт основал Герш Будкер"."""
    active = gap.predicate == gap.verb and gap.verb.endswith(("ть", "ти"))
    return words.language == "ru" and active and not gap.carried and right[0].type == "person" != left[0].type


def _role(row: list[Mention]) -> str:
    return row[0].name if len(row) == 1 and row[0].kind == "term" else ""


def _named(row: list[Mention]) -> list[Mention]:
    return [mention for mention in row if mention.kind == "name"]


def _whole(sentence: str, mention: Mention, words: Lexicon) -> Mention:
    """An English name with the nouns that it describes: "the Apollo hardware" is about hardware."""
    end = mention.end
    for _ in range(3):
        after = _NEXT.match(sentence, end) if mention.kind == "name" else None
        if not after or not _noun(after[1], words):
            break
        end = after.end()
    if end == mention.end:
        return mention
    return Mention(mention.start, end, mention.name + sentence[mention.end : end], "concept", "name")


def _noun(low: str, words: Lexicon) -> bool:
    if words.idle(low) or low in words.verbs or low in words.conjunctions or low in words.titles:
        return False
    return not (low.endswith(("ed", "ly", "ing")) or (low.endswith("s") and low[:-1] in words.verbs))


def _attached(
    left: list[Mention], right: list[Mention], preposition: str, frame: _Frame, words: Lexicon
) -> Iterator[Link]:
    """Where a phrase such as "in 1896" or "at the Sorbonne" belongs: to the verb before, or to the name beside."""
    near = left[-1]
    holds = (
        near.type in ("organization", "event", "work", "concept") and right[0].type == "place" and near.kind == "name"
    )
    genitive = preposition in words.of and near.kind != "date"
    if frame.verb and frame.subjects and not genitive and not holds:
        yield from _pairs(frame.subjects, right, f"{frame.verb} {preposition}", _STRENGTH["carried"])
    elif near.type == "person" and right[0].type == "place" and not genitive and words.language != "en":
        return  # "met X in Brussels": where they met, not where X is
    elif (near.kind == "name" or (near.kind == "term" and genitive and words.language == "en")) and right[
        0
    ].kind != "pronoun":
        dated = right[0].kind == "date" and near.type not in ("event", "work")
        moved = near.type == right[0].type == "place" and preposition not in _INSIDE
        during = words.language == "ru" and near.type == "event"  # "во время войны в Сибирь"
        if dated or moved or during or near.kind == right[0].kind == "term":
            return
        yield from _pairs(left[-1:], right, preposition, _STRENGTH["preposition"])


def _pairs(sources: list[Mention], targets: list[Mention], predicate: str, strength: float) -> Iterator[Link]:
    made = 0
    for source in sources:
        for target in targets:
            if source.kind != "date" and source.name != target.name and made < _MOST_PAIRS:
                made += 1
                words = _BARE_DATE.sub("", predicate) if target.kind == "date" else predicate
                yield Link(source, target, words, strength)


def _together(row: list[Mention], found: list[Link]) -> Iterator[Link]:
    """Names that no statement connects are put beside the first name of the sentence, a few at most."""
    names = [mention for mention in row if mention.kind == "name"]
    if len(names) < 2:
        return
    used = {mention.start for link in found for mention in (link.source, link.target)}
    main = next((mention for mention in names if mention.start in used), names[0])
    left = [m for m in names if m.start not in used and m.name != main.name]
    for mention in left[:_MOST_TOGETHER]:
        first, second = (main, mention) if main.start < mention.start else (mention, main)
        yield Link(first, second, TOGETHER, _STRENGTH["together"])
