"""What a sentence says whose verb comes last: Japanese, Korean, Hindi.

The particle or postposition after a name says what it does: act, be acted on, be there. Names wait for the next
verb, which states something of the one that acts and each of the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from kgsite.extract.offline.lexicon import Lexicon
from kgsite.extract.offline.mentions import Mention
from kgsite.extract.offline.relating import Link
from kgsite.extract.offline.uncased import marks

_STATED = 6.0
_BRACKETS = r"(?:\s?[（(][^（()）]*[）)])?"
_CLOSE = r"[』」》〉”\"]?"
_CLAUSE = re.compile(r"(?<=[며고나만서]),|[；;]")
_NOUN = re.compile(r".?[ぁ-ゖ]*[るたぶむくすだうつぬ](?=[\u4e00-\u9fffァ-ヺ『「])")
_IS = re.compile(r"(?:である|です|だった|であった|だ)。?$")
_ACTED_ON = re.compile(r"を|[을를] ")
_MOST = 6  # names that wait for a verb
_FAR = 40  # characters between a name and its verb


@dataclass(frozen=True, slots=True)
class Grammar:
    """The words that follow a name, as patterns that begin right after it."""

    subject: str
    object: str
    oblique: str
    agent: str  # "by": who did what the sentence says was done
    of: str
    join: str
    beside: str = r"(?!)"  # "with": says something of the two only where nothing is acted on
    tail: str = ""  # nouns that may stand between a name and its particle
    passive: str = r"(?!)"  # right after the verb


_GRAMMARS = {
    "ja": Grammar(
        subject="は|が|も",
        object="を",
        oblique="において|に|で|へ|から|より|まで(?:を|に)?",
        beside="と(?!も|いう|して)",
        agent="によって|により|によりて|の手で",
        of="の",
        join=r"、|と|や|および|及び|・|",
        tail=r"(?:[\u4e00-\u9fff]{1,4}(?:科|部|院|支店|本店))?",
    ),
    "ko": Grammar(
        subject="은|는|이|가|께서",
        object="을|를",
        oblique="에서는|에는|에서|에게서|에게|에|으로|로|까지|부터",
        beside="[와과] 함께|와|과",
        agent="에 의해서?|에 의하여",
        of="의",
        join=r"와 |과 |, ?|·| 및 ",
    ),
    "hi": Grammar(
        subject=" ने",
        object=" को",
        oblique=" में| से| पर| तक",
        agent=" (?:के )?द्वारा",
        of=" का| की| के",
        join=r", ?| और | एवं | तथा ",
    ),
}


@dataclass(frozen=True, slots=True)
class _Patterns:
    roles: tuple[tuple[str, re.Pattern[str]], ...]
    join: re.Pattern[str]
    held: re.Pattern[str]  # "の" and a role that a person holds
    act: re.Pattern[str]  # "की स्थापना", "の建設": of the verb as a noun
    happens: re.Pattern[str]  # Hindi: "का जन्म"
    verb: re.Pattern[str]
    named: dict[str, str]  # verb form → what it is called


@lru_cache(maxsize=4)
def _patterns(words: Lexicon) -> _Patterns:
    grammar, raw = _GRAMMARS[words.language], words.raw
    named = _verbs(raw["verbs"])
    begins = r"(?<![가-힣])" if words.language == "ko" else r"(?<![\u0900-\u097f])" if words.language == "hi" else ""
    ends = {"hi": r"(?![\u0900-\u097f])", "ja": r"(?:(?<=[ぁ-ゖ])|(?![\u4e00-\u9fff]))"}.get(words.language, "")
    tail = grammar.tail
    order = ("agent", "subject", "object", "beside", "oblique")
    return _Patterns(
        roles=tuple((role, re.compile(rf"{_CLOSE}{_BRACKETS}{tail}(?:{getattr(grammar, role)})")) for role in order),
        join=re.compile(rf"[』」》〉]?{_BRACKETS}(?:{grammar.join})[『「《〈]?"),
        held=re.compile(rf"(?:{grammar.of})?\s?({marks.alternatives(raw['roles'])})(?![\u0900-\u097f])"),
        act=re.compile(
            rf"{_CLOSE}(?:{grammar.of}) ?({marks.alternatives(raw.get('acts') or named)})(?![\u0900-\u097f])"
        ),
        happens=re.compile(rf"(?:{grammar.of}) ({marks.alternatives(raw.get('happens', ''))})(?![\u0900-\u097f])"),
        verb=re.compile(rf"{begins}({marks.alternatives(named)}){ends}"),
        named=named,
    )


def _verbs(listed: str) -> dict[str, str]:
    """Forms and what they are called; a line of several words begins with that, else each word is its own."""
    if "\n" not in listed.strip():
        return {word: word for word in listed.split()}
    return {form: line.split()[0] for line in reversed(listed.strip().splitlines()) for form in line.split()[1:]}


def links(sentence: str, row: Sequence[Mention], words: Lexicon) -> Iterator[Link]:
    """The statements of a sentence about `row`, its mentions by position."""
    reader = _Reader(sentence, row, _patterns(words), late=words.language == "hi")
    for index in range(len(row)):
        yield from reader.at(index)
    yield from reader.closing()


@dataclass(slots=True)
class _Waiting:
    """What has been read since the last verb."""

    others: list[tuple[str, Mention]] = field(default_factory=list)  # (role, name)
    subjects: list[Mention] = field(default_factory=list)  # that no particle marks yet
    said: str = ""  # the noun that makes the statement (Hindi)


class _Reader:
    def __init__(self, sentence: str, row: Sequence[Mention], patterns: _Patterns, *, late: bool) -> None:
        self.sentence = sentence
        self.row = row
        self.patterns = patterns
        self.late = late  # the names of a sentence wait for its end
        self.subjects: list[Mention] = []
        self.waiting = _Waiting()

    def at(self, index: int) -> Iterator[Link]:
        """A mention with what follows it up to the next one."""
        one = self.row[index]
        stop = self.row[index + 1].start if index + 1 < len(self.row) else len(self.sentence)
        after = self.sentence[one.end : stop]
        self._take(one, after, last=index + 1 == len(self.row))
        yield from self._role_of(one, after)
        if self.late:
            return
        border = _CLAUSE.search(after)
        verb = self.patterns.verb.search(after[: border.start() if border else _FAR])
        if verb and not self._attributive(after[verb.end() - 1 :], index):
            yield from self._state(self.patterns.named[verb[1]])
        elif verb or border:
            self.waiting = _Waiting()

    def _attributive(self, rest: str, index: int) -> bool:
        """結ぶ鉄道: the verb describes a noun, of which the sentence goes on to say something else."""
        return bool(_NOUN.match(rest)) and not (index + 1 == len(self.row) and _IS.search(rest))

    def closing(self) -> Iterator[Link]:
        """At the end of a sentence whose names waited for it."""
        if not self.late:
            return
        tail = self.sentence[self.row[-1].end :] if self.row else ""
        verb = self.patterns.verb.search(tail)
        said = self.waiting.said or (self.patterns.named[verb[1]] if verb else "")
        if said:
            yield from self._state(said)

    def _take(self, one: Mention, after: str, *, last: bool) -> None:
        waiting = self.waiting
        if one.kind == "carried":
            self.subjects = [one]
            return
        if not last and self.patterns.join.fullmatch(after):
            waiting.subjects.append(one)
            return
        if self._noun_states(one, after):
            return
        for role, pattern in self.patterns.roles:
            if not pattern.match(after):
                continue
            group, waiting.subjects = [*waiting.subjects, one], []
            if role == "subject":
                self.subjects = [each for each in group if each.kind != "date"] or self.subjects
                if after.lstrip("』」").startswith(("は", "은", "는")):
                    waiting.others = [each for each in waiting.others if each[1].kind == "date"]
            elif role != "beside" or not _ACTED_ON.search(after):
                waiting.others += [(role, each) for each in group]
            return
        waiting.subjects = []
        if self.late and one.type == "work" and self.subjects:
            waiting.others.append(("object", one))
        if one.kind == "date":
            waiting.others.append(("date", one))
        elif self.late and not self.subjects:
            self.subjects = [one]

    def _noun_states(self, one: Mention, after: str) -> bool:
        waiting = self.waiting
        happens, act = self.patterns.happens.match(after), self.patterns.act.match(after)
        if happens:
            self.subjects, waiting.said = [*waiting.subjects, one], happens[1].replace("_", " ")
        elif act:
            waiting.others += [("object", each) for each in (*waiting.subjects, one)]
            waiting.said = act[1] if self.late else ""
        if happens or act:
            waiting.subjects = []
        return bool(happens or act)

    def _role_of(self, one: Mention, after: str) -> Iterator[Link]:
        """X は Y の首都: what X is to Y."""
        held = self.patterns.held.match(after)
        if held and one.kind == "name" and self.subjects and one not in self.subjects:
            for subject in self.subjects[:1]:
                if subject.name != one.name and subject.kind != "date":
                    yield Link(subject, one, held[1], _STATED)

    def _state(self, predicate: str) -> Iterator[Link]:
        others, self.waiting = self.waiting.others[-_MOST:], _Waiting()
        agents = [one for role, one in others if role == "agent"]
        done = [one for role, one in others if role == "object"]
        if agents:
            for agent in agents:
                for one in done or self.subjects:
                    if agent.name != one.name:
                        yield Link(agent, one, predicate, _STATED)
            return
        targets = done if done and self.late else [one for role, one in others if role != "beside" or not done]
        named = [one for one in targets if one.kind != "date"]
        for subject in self.subjects[:3]:
            for one in named or targets[-1:]:
                if one.name != subject.name:
                    yield Link(subject, one, predicate, _STATED)
