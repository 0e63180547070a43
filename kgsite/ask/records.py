"""What goes between the steps of an answer: seeds → retrieved facts → checked answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kgsite.ask.reasons import Reason
from kgsite.model import Fact

How = Literal["exact", "alias", "folded", "words", "facts", "model", "earlier"]
"""How an entity was found: by name as written, by another name, by folded name, by some of its words, through facts
whose words the question has, by the model, or because an earlier question of the conversation named it."""
Mode = Literal["answer", "facts", "unanswered"]
"""A model's cited answer; the ranked facts themselves; or the statement that the graph does not answer."""


@dataclass(frozen=True, slots=True)
class Seed:
    """An entity that a question is about."""

    key: str  # CollectionEntity.key
    name: str
    type: str
    how: How
    weight: float = 1.0  # 0–1: how sure it is that the question means it


@dataclass(frozen=True, slots=True)
class RankedFact:
    """A fact of the subgraph with its rank; higher is more relevant."""

    fact: Fact
    score: float
    distance: int  # steps from the nearest seed: 0 when the fact is a seed's own
    spoken: bool = False  # its words (not only its seed's name) stand in the question


@dataclass(frozen=True, slots=True)
class Path:
    """A shortest way between two seeds: entity keys, and the facts between them in order."""

    keys: tuple[str, ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Theme:
    """A community, for questions about the whole."""

    name: str
    description: str
    members: tuple[str, ...]  # names, most connected first
    page: str = ""  # its page, from the site root


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What the graph has to say to a question."""

    question: str
    seeds: tuple[Seed, ...] = ()
    facts: tuple[RankedFact, ...] = ()  # best first, at most `max_triples`
    paths: tuple[Path, ...] = ()
    themes: tuple[Theme, ...] = ()
    broad: bool = False  # a question about the whole, answered from themes
    unspoken: tuple[str, ...] = ()  # words of the question, beside names, that no fact here has

    @property
    def vague(self) -> bool:
        """Whether no thing is named that the graph has, and no fact has the question's words."""
        if self.broad or any(seed.how not in ("words", "facts") for seed in self.seeds):
            return False
        return not self.facts or (bool(self.unspoken) and not any(item.spoken for item in self.facts))


@dataclass(frozen=True, slots=True)
class Quote:
    """The passage behind a fact."""

    text: str
    document: str  # title
    document_id: str
    page: int | None
    verified: bool
    href: str  # from the site root: documents/<slug>/index.html#p12


@dataclass(frozen=True, slots=True)
class Citation:
    """A numbered fact of an answer."""

    n: int
    subject: str
    predicate: str
    object: str
    subject_key: str
    object_key: str
    inferred: bool
    methods: tuple[str, ...]
    via: tuple[str, ...]  # names
    strength: float
    quotes: tuple[Quote, ...]
    fact: Fact


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer cost. `cached` counts replies that were stored already."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached: int = 0

    def as_json(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class Answer:
    """What is shown. `facts` are numbered from 1 as `text` cites them: the `cited` first ones are its citations."""

    question: str
    text: str
    mode: Mode
    reasons: tuple[Reason, ...] = ()  # why there is no answer of the model
    seeds: tuple[Seed, ...] = ()
    facts: tuple[Citation, ...] = ()
    cited: int = 0
    nearest: int = 0  # facts, from the first on, that are shown when no model has chosen among them
    paths: tuple[tuple[int, ...], ...] = ()  # numbers of the facts along each shortest path
    themes: tuple[Theme, ...] = ()
    removed: Mapping[str, int] = field(default_factory=dict)  # "citations", "links", "images" taken out of the reply
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    warnings: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """Why there is no answer of the model, in English; "" when there is one."""
        return " ".join(map(str, self.reasons))

    @property
    def citations(self) -> tuple[Citation, ...]:
        return self.facts[: self.cited]


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question of a conversation."""

    question: str
    answer: str
    seeds: tuple[Seed, ...]
