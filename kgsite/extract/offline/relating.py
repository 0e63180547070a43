"""Relations in one sentence: labelled where the words between two names are clear, else "appears with"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kgsite.extract.offline.gaps import Gap, read
from kgsite.extract.offline.lexicon import Lexicon
from kgsite.extract.offline.mentions import Mention

TOGETHER = "appears with"
_STRENGTH = {"verb": 7.0, "carried": 5.0, "copula": 6.0, "preposition": 4.0, "together": 2.0}
_MOST_PAIRS = 8  # of one verb: "A, B and C met D, E and F"
_MOST_TOGETHER = 2  # in one sentence


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


def links(sentence: str, row: list[Mention], words: Lexicon) -> list[Link]:
    """The statements of a sentence about `row`, its mentions by position."""
    groups, gaps = _groups(sentence, row, words)
    found: list[Link] = []
    frame = _Frame([])
    for index, gap in enumerate(gaps):
        left, right = groups[index], groups[index + 1]
        found.extend(_link(left, right, gap, frame, words))
    found.extend(_together(row, found))
    return found


def _groups(sentence: str, row: list[Mention], words: Lexicon) -> tuple[list[list[Mention]], list[Gap]]:
    """Names in enumeration put together, and what stands between the groups."""
    groups: list[list[Mention]] = []
    gaps: list[Gap] = []
    for mention in row:
        if groups:
            gap = read(sentence[groups[-1][-1].end : mention.start], words)
            alike = (mention.kind == "date") == (groups[-1][-1].kind == "date") and mention.kind != "pronoun"
            if gap.kind == "conjunction" and alike:
                groups[-1].append(mention)
                continue
            gaps.append(gap)
        groups.append([mention])
    return groups, gaps


def _link(left: list[Mention], right: list[Mention], gap: Gap, frame: _Frame, words: Lexicon) -> Iterator[Link]:
    if gap.kind == "verb":
        subjects = frame.subjects if gap.carried and frame.subjects else left
        if subjects[0].kind in ("date", "term") and frame.subjects:
            subjects = frame.subjects
        frame.subjects, frame.verb = subjects, gap.verb
        yield from _pairs(subjects, right, gap.predicate, _STRENGTH["carried" if gap.carried else "verb"])
    elif gap.kind == "copula":
        frame.subjects, frame.verb = left, ""
        yield from _pairs(left, right, gap.predicate, _STRENGTH["copula"])
    elif gap.kind == "preposition":
        yield from _attached(left, right, gap.predicate, frame, words)
    elif not gap.kind:
        frame.subjects, frame.verb = ([], "") if left[-1].kind == "date" else (frame.subjects, "")


def _attached(left: list[Mention], right: list[Mention], preposition: str, frame: _Frame, words: Lexicon) -> Iterator[Link]:
    """Where a phrase such as "in 1896" or "at the Sorbonne" belongs: to the verb before, or to the name beside."""
    near = left[-1]
    holds = near.type in ("organization", "event", "work", "concept") and right[0].type == "place" and near.kind == "name"
    genitive = preposition in words.of
    if frame.verb and frame.subjects and not genitive and not holds:
        yield from _pairs(frame.subjects, right, f"{frame.verb} {preposition}", _STRENGTH["carried"])
    elif near.kind not in ("date", "pronoun") and right[0].kind != "pronoun" and not (near.kind == right[0].kind == "term"):
        if near.type == "person" and right[0].kind == "date":
            return
        yield from _pairs(left[-1:], right, preposition, _STRENGTH["preposition"])


def _pairs(sources: list[Mention], targets: list[Mention], predicate: str, strength: float) -> Iterator[Link]:
    made = 0
    for source in sources:
        for target in targets:
            if source.kind != "date" and source.name != target.name and made < _MOST_PAIRS:
                made += 1
                yield Link(source, target, predicate, strength)


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
