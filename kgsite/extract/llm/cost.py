"""What a build would cost before it spends anything: requests, tokens and money."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field

from kgsite.config.settings import Settings
from kgsite.extract import tokens
from kgsite.extract.extractor import ExtractJob
from kgsite.extract.llm import discovery, kept
from kgsite.extract.llm.chunks import chunk_ask
from kgsite.extract.llm.client import Ask
from kgsite.extract.llm.context import Questions
from kgsite.extract.llm.vocabulary import vocabulary
from kgsite.extract.schema import Schema
from kgsite.replystore import ReplyStore

_TEXTS_PROMPT = 3_000  # tokens of the request for title, summary, names and descriptions of one document
_TEXTS_REPLY = 900
_INFERENCE_REQUESTS = 5


@dataclass(frozen=True, slots=True)
class PassCost:
    """One pass. `stored` requests are answered by the reply store and cost nothing."""

    requests: int = 0
    stored: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model: str = ""
    money: float | None = None  # in the currency of [prices]; None = no price known for the model


@dataclass(frozen=True, slots=True)
class CostPlan:
    """An estimate by pass: chunk requests are counted exactly, what follows from their replies is estimated."""

    passes: Mapping[str, PassCost] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def requests(self) -> int:
        return sum(part.requests for part in self.passes.values())

    @property
    def stored(self) -> int:
        return sum(part.stored for part in self.passes.values())

    @property
    def prompt_tokens(self) -> int:
        return sum(part.prompt_tokens for part in self.passes.values())

    @property
    def completion_tokens(self) -> int:
        return sum(part.completion_tokens for part in self.passes.values())

    @property
    def money(self) -> float | None:
        """None when the price of a model that is needed is not known."""
        needed = [part.money for part in self.passes.values() if part.requests]
        return None if any(money is None for money in needed) else sum(money or 0.0 for money in needed)

    def as_json(self) -> dict[str, object]:
        """The plan for report.json and `--json`; `money` is null when a price is not known."""
        totals = {"requests": self.requests, "stored": self.stored, "prompt_tokens": self.prompt_tokens}
        return {
            **totals,
            "completion_tokens": self.completion_tokens,
            "money": self.money,
            "passes": {name: asdict(part) for name, part in self.passes.items()},
        }

    def lines(self) -> list[str]:
        """The plan for people, one line for each pass that sends something, and a sum."""
        found = [
            f"{name}: {_amounts(part.requests, part.stored, part.prompt_tokens, part.completion_tokens, part.money)}"
            for name, part in self.passes.items()
        ]
        return [
            *found,
            f"together: {_amounts(self.requests, self.stored, self.prompt_tokens, self.completion_tokens, self.money)}",
            *self.notes,
        ]


def _amounts(requests: int, stored: int, prompt: int, completion: int, money: float | None) -> str:
    price = "price unknown" if money is None else f"{money:.4f}"
    return f"{requests} requests ({stored} already stored), {prompt:,} + {completion:,} tokens, {price if requests else 'free'}"


class _Sum:
    def __init__(self) -> None:
        self.requests = self.stored = self.prompt = self.completion = 0
        self.model = ""

    def add(self, ask: Ask, store: ReplyStore) -> None:
        self.model = ask.model
        if store.has(ask.key):
            self.stored += 1
            return
        self.requests += 1
        self.prompt += sum(tokens.count(content) for _, content in ask.messages)
        self.completion += ask.expected

    def cost(self, settings: Settings) -> PassCost:
        money = price(settings, self.model, self.prompt, self.completion)
        return PassCost(self.requests, self.stored, self.prompt, self.completion, self.model, money)


def price(settings: Settings, model: str, prompt: int, completion: int) -> float | None:
    """Money for tokens by [prices], or None when the model has no price there."""
    entry = settings.prices.get(model)
    if entry is None or "input" not in entry or "output" not in entry:
        return None
    return (prompt * entry["input"] + completion * entry["output"]) / 1_000_000


def cost_of(asks: Iterable[Ask], settings: Settings, has: Callable[[str], bool]) -> PassCost:
    """What these requests would cost; `has` says of a request's key whether its reply is stored already."""
    listed = list(asks)
    new = [ask for ask in listed if not has(ask.key)]
    prompt = sum(tokens.count(content) for ask in new for _, content in ask.messages)
    completion = sum(ask.expected for ask in new)
    model = listed[0].model if listed else ""
    return PassCost(
        len(new), len(listed) - len(new), prompt, completion, model, price(settings, model, prompt, completion)
    )


def plan_cost(jobs: Iterable[ExtractJob], settings: Settings, store: ReplyStore) -> CostPlan:
    """What extracting these documents would send. Sends nothing; raises ConfigError when the schema is unreadable."""
    questions = Questions(settings)
    listed = list(jobs)
    sums = {"schema": _Sum(), "chunks": _Sum(), "texts": _Sum(), "inference": _Sum()}
    notes: list[str] = []
    to_discover = [job for job in listed if kept.kept_schema(settings, job.document.id) is None]
    if to_discover:
        own = settings.schema.discover == "document"
        for group in [[job] for job in to_discover] if own else [listed[: discovery.SAMPLED_DOCUMENTS]]:
            sums["schema"].add(discovery.discovery_ask(questions, [job.document for job in group]), store)
        notes.append("types are not discovered yet: chunk requests will differ from those counted here")
    for job in listed:
        words = vocabulary(kept.kept_schema(settings, job.document.id) or Schema(), settings)
        before = sums["chunks"].requests
        for chunk in job.chunks:
            sums["chunks"].add(chunk_ask(questions, words, chunk, job.language), store)
        if job.chunks and sums["chunks"].requests > before:
            _estimate_rest(sums, settings, job)
    return CostPlan(
        {name: part.cost(settings) for name, part in sums.items() if part.requests or part.stored}, tuple(notes)
    )


def _estimate_rest(sums: Mapping[str, _Sum], settings: Settings, job: ExtractJob) -> None:
    """Passes whose requests depend on replies: at most one for texts after an edit, more at the first time."""
    texts, inference = sums["texts"], sums["inference"]
    texts.model = settings.llm.discovery_model or Questions(settings).ask("language", "", None, passage="").model
    texts.requests += 1 + len(job.chunks) // 40
    texts.prompt += _TEXTS_PROMPT + 40 * len(job.chunks)
    texts.completion += _TEXTS_REPLY
    if settings.inference.enabled:
        inference.model = Questions(settings).ask("language", "", None, passage="").model
        inference.requests += _INFERENCE_REQUESTS
        inference.prompt += _INFERENCE_REQUESTS * _TEXTS_PROMPT
        inference.completion += _INFERENCE_REQUESTS * 600
