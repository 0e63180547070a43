"""What a Chinese sentence says of its names: subject, verb, object in this order, agents after 由 and 被."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kgsite.extract.offline.lexicon import Lexicon
from kgsite.extract.offline.mentions import Mention
from kgsite.extract.offline.relating import Link
from kgsite.extract.offline.uncased import marks

_STATED, _LOOSE = 6.0, 5.0
_MARRY = "结婚 合作 交往 订婚 离婚 会面"
_MOST = 4
_AND = re.compile(r"[、和与及]|以及")
_FILLER = r"(?:[了过着于到至为《“‘「]|一[所座家个部])*"
_NOT_SUBJECT = ("在", "于", "从", "为", "由", "被", "与", "和", "对", "向", "将")


@dataclass(frozen=True, slots=True)
class _Patterns:
    titled: re.Pattern[str]
    governs: re.Pattern[str]  # any verb right before a name
    ends: re.Pattern[str]  # a gap that ends in a verb
    begins: re.Pattern[str]  # a verb after a place
    first: re.Pattern[str]  # the first verb of a clause
    role: re.Pattern[str]
    taken: re.Pattern[str]  # a gap after which a role is held: 是, 担任
    mutual: re.Pattern[str]


@lru_cache(maxsize=4)
def _patterns(words: Lexicon) -> _Patterns:
    verbs = marks.alternatives(words.raw["verbs"])
    titles = marks.alternatives(words.raw["titles"])
    every = marks.alternatives(f"{words.raw['verbs']} {words.raw['local_verbs']}")
    return _Patterns(
        ends=re.compile(rf"^(?P<before>.*?)(?P<verb>{verbs}){_FILLER}(?:{titles})?$"),
        titled=re.compile(titles),
        governs=re.compile(rf"(?:{marks.alternatives(words.raw['other_verbs'])}|{verbs}){_FILLER}$"),
        begins=re.compile(rf"({every})"),
        first=re.compile(rf"[^，。；、（）]*?({verbs})"),
        role=re.compile(rf"的?({marks.alternatives(words.raw['roles'])})(?![\u4e00-\u9fff]*的)"),
        taken=re.compile(r"(?:^[（，][^，]*，|是|为|任|担任|出任|就任|当选|：)$|^(?:，|（[^）]*），)$"),
        mutual=re.compile(rf"({marks.alternatives(_MARRY)})"),
    )


def links(sentence: str, row: Sequence[Mention], words: Lexicon) -> Iterator[Link]:
    """The statements of a sentence about `row`, its mentions by position."""
    reader = _Reader(sentence, row, _patterns(words))
    for index in range(1, len(row)):
        yield from reader.at(index)


class _Reader:
    """Reads one sentence from left to right; the subject stays until another name begins a clause."""

    def __init__(self, sentence: str, row: Sequence[Mention], patterns: _Patterns) -> None:
        self.sentence = sentence
        self.row = row
        self.patterns = patterns
        self.by = False  # 由 stands before a place that says where the agent is from
        first = next((one for one in row if one.kind != "date" and not self._qualifies(one)), None)
        self.subject = first if first is not None and not self._governed(first) else None
        self.beside: list[Mention] = []  # who acts with the subject: A、B和C
        self.last: Link | None = None

    def at(self, index: int) -> Iterator[Link]:
        """What stands between a mention and the one before it, and right after it."""
        left, right = self.row[index - 1], self.row[index]
        gap = self.sentence[left.end : right.start]
        within = not gap and left.type == right.type == "place"  # 浙江省绍兴市
        if (within or _AND.fullmatch(gap.strip("《》"))) and left.kind == right.kind:
            if self.last is not None and self.last.target is left:
                yield self._said(self.last.source, right, self.last.predicate)
                return
            if left.type == right.type and left in (self.subject, *self.beside[-1:]):
                self.beside.append(right)
                return
        self.last = None
        if right.kind != "date" and gap and gap[-1] in "，；" and self._starts_clause(right):
            self.subject, self.beside = right, []
            return
        if right.kind != "date" and (self.by or gap[-1:] in ("由", "被")):
            self.by = self._qualifies(right)
            if not self.by:
                yield from self._agent(right)
            return
        if self._qualifies(right):
            return
        source = self._source(left, gap)
        if source in self.beside:
            source = self.subject
        if source is None or source.name == right.name or (gap.startswith("的") and "，" not in gap):
            return
        for link in self._stated(source, right, gap):
            yield link
            if source is self.subject:
                yield from (replace(link, source=one) for one in self.beside[:_MOST] if one.name != right.name)

    def _before(self, one: Mention) -> str:
        return self.sentence[one.start - 1 : one.start] if one.start else ""

    def _qualifies(self, one: Mention) -> bool:
        """杭州知府林启: a place that only says where somebody is from."""
        return one.type == "place" and bool(self.patterns.titled.match(self.sentence, one.end))

    def _governed(self, one: Mention) -> bool:
        """Whether a preposition or a verb stands right before the name."""
        before = self.sentence[: one.start]
        return before.endswith(_NOT_SUBJECT) or bool(self.patterns.governs.search(before))

    def _starts_clause(self, one: Mention) -> bool:
        """A name after a comma acts itself, unless it is the next item or an apposition."""
        after = self.sentence[one.end : one.end + 8]
        verb = self.patterns.begins.search(after)
        return (
            one.type in ("person", "organization")
            and verb is not None
            and not re.search(r"[，、。]", after[: verb.start()])
        )

    def _source(self, left: Mention, gap: str) -> Mention | None:
        """Who acts: the name before, or the subject of the sentence where that is a date, a place or far away."""
        oblique = self._before(left) in (*_NOT_SUBJECT, "到") or self._qualifies(left)
        if left.kind == "date" or oblique or "，" in gap or (self.last is None and left.type in ("work", "place")):
            return self.subject
        return left

    def _stated(self, source: Mention, right: Mention, gap: str) -> Iterator[Link]:
        rest = self.sentence[right.end : right.end + 12]
        role = self.patterns.role.match(rest)
        if role and right.kind != "date" and self.patterns.taken.search(gap):
            yield self._said(source, right, role[1])
            return
        verb = self.patterns.ends.search(gap)
        if verb and len(verb["before"]) <= 16 and "；" not in gap:
            dated = right.kind == "date" and not verb["verb"].endswith("于") and not gap.endswith("于")
            if not dated and not (rest.startswith("的") and right.type == "place" and not gap.endswith("于")):
                yield self._said(source, right, verb["verb"])
            return
        yield from self._local(source, right, gap, rest)

    def _local(self, source: Mention, right: Mention, gap: str, rest: str) -> Iterator[Link]:
        """在杭州任职, 与皮埃尔结婚: the verb follows."""
        after = self.patterns.begins.match(rest)
        if (
            right.type == "place"
            and gap[-1:] in ("在", "于", "到", "从")
            and after
            and not rest[after.end() :].startswith("的")
        ):
            yield self._said(source, right, f"{gap[-1]}…{after[1]}", _LOOSE)
        mutual = self.patterns.mutual.match(rest)
        if mutual and gap[-1:] in ("与", "和", "同"):
            yield self._said(source, right, mutual[1])

    def _agent(self, right: Mention) -> Iterator[Link]:
        """浙江大学由林启创办: who comes after 由 did it."""
        verb = self.patterns.first.match(self.sentence[right.end :])
        if verb and self.subject is not None and self.subject.name != right.name:
            yield self._said(right, self.subject, verb[1])
            self.last = None

    def _said(self, source: Mention, target: Mention, predicate: str, strength: float = _STATED) -> Link:
        self.last = Link(source, target, predicate, strength)
        return self.last
