"""What one sentence says, in light records that outlive the parse: mentions and links between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

MentionKind = Literal["name", "noun", "pronoun", "date"]
LinkKind = Literal["fact", "alias", "noun"]


@dataclass(slots=True)
class Mention:
    """A stretch of text that stands for a thing."""

    start: int  # characters in Document.text, half-open
    end: int
    name: str  # trimmed and cleaned; the pronoun itself for kind "pronoun"
    kind: MentionKind
    label: str = ""  # of the named-entity recogniser, "" when it said nothing
    head: str = ""  # lemma of the head word, lower case
    plural: bool = False
    definite: bool = False  # "the …", "this …": may stand for a thing named before
    subject: bool = False  # subject of a clause, or owner of one
    rank: int = 0  # 3 subject of the main clause, 2 of another clause, 1 owner, 0 none of these
    title: str = ""  # lower-case title or role before a person's name
    initial: bool = False  # one word, lower-cased because it began its sentence: may be a name after all
    human: bool = False  # subject of a verb that only people are subjects of
    owned: bool = False  # has a possessor of its own ("his laboratory")


@dataclass(slots=True)
class Link:
    """A statement about two mentions of one sentence, by index."""

    source: int
    target: int
    predicate: str
    confidence: float  # 0–1
    kind: LinkKind = "fact"


@dataclass(slots=True)
class Sentence:
    """One sentence of prose with what was read in it."""

    start: int  # characters in Document.text, half-open
    end: int
    block: int  # index of its block, to know where a paragraph ends
    mentions: list[Mention] = field(default_factory=list)  # in reading order
    links: list[Link] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)  # mention → what the sentence says it is
