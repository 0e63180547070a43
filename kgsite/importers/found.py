"""What the reader of a format hands on: the rows of a graph, in the file's own terms and order, and a tally of its dirt.

Names are already on one line; ends of relations, passages and communities are still what the file calls them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from kgsite.importers.wording import Reason
from kgsite.model import Evidence, GraphSchema


class Tally:
    """Counts repairs and losses by reason, with a few examples of each."""

    def __init__(self) -> None:
        self.counts: Counter[Reason] = Counter()
        self.examples: dict[Reason, list[str]] = {}

    def add(self, reason: Reason, n: int = 1, *, example: str = "") -> None:
        if n <= 0:
            return
        self.counts[reason] += n
        seen = self.examples.setdefault(reason, [])
        if example and len(seen) < reason.named and example not in seen:
            seen.append(example)

    def notes(self) -> tuple[str, ...]:
        """A sentence for each reason, in the order of the list of reasons."""
        ranked = sorted(self.counts, key=lambda reason: reason.order)
        return tuple(reason.sentence(self.counts[reason], self.examples[reason]) for reason in ranked)

    def dropped(self) -> dict[str, int]:
        """Label → count, by label."""
        return {reason.label: n for reason, n in sorted(self.counts.items(), key=lambda item: item[0].label)}


@dataclass(slots=True)
class Thing:
    """An entity row."""

    name: str
    type: str = ""
    description: str = ""
    refs: tuple[str, ...] = ()  # ids by which relations may name it; 1 and "1" are the same id
    passages: tuple[str, ...] = ()  # keys of the passages that name it
    group: str = ""  # key of its community
    aliases: tuple[str, ...] = ()
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Statement:
    """A relation row; `source` and `target` are names, or ids when the format links by id."""

    source: str
    target: str
    predicate: str = ""
    source_type: str = ""
    target_type: str = ""
    description: str = ""
    strength: float | None = None
    passages: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()  # chunk_id is a key of a passage
    inferred: bool = False
    method: str = ""
    via: str = ""


@dataclass(slots=True)
class Group:
    """A community; members as the file names them: "name", "name::type" or an id."""

    key: str
    topics: tuple[str, ...] = ()
    description: str = ""
    members: tuple[str, ...] = ()
    leads: bool = True  # whether it may be the one community of its members (not so for finer levels)


@dataclass(slots=True)
class Passage:
    """A chunk; `start` and `end` are offsets in the text of its document, when the file gives that text."""

    keys: tuple[str, ...]  # all by which rows may refer to it
    text: str = ""
    document: str = ""  # key in Found.texts; "" when there is only one
    start: int | None = None
    end: int | None = None
    page: int | None = None
    section: str = ""
    rephrase: str = ""
    failed: bool = False
    things: tuple[Thing, ...] = ()
    statements: tuple[Statement, ...] = ()


@dataclass(slots=True)
class Text:
    """A document that the file holds; its text is "" when only passages do."""

    key: str
    title: str = ""
    text: str = ""


@dataclass(slots=True)
class Found:
    """All of a ready-made graph."""

    format: str
    title: str = ""
    summary: str = ""
    language: str = ""
    url: str = ""
    license: str = ""
    model: str = ""
    schema: GraphSchema = field(default_factory=GraphSchema)
    things: list[Thing] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    overlap: int | None = None  # tokens that neighbouring passages share, when the file says so
    by_id: bool = False  # relation ends are ids first, names second
    several: int = 1  # documents in the file
    tally: Tally = field(default_factory=Tally)
