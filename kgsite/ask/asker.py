"""Questions and answers over one collection: retrieve, ask the model if there is one, check what it says.

Made once for a conversation, a served site or a build, and closed after use. Without a model the answer is the ranked
facts themselves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from kgsite.ask.citing import Checked, check
from kgsite.ask.index import GraphIndex
from kgsite.ask.numbering import Numbering
from kgsite.ask.paths import LONGEST
from kgsite.ask.prompting import answer_messages, mention_messages, read_mentions
from kgsite.ask.reasons import Reason
from kgsite.ask.records import Answer, Mode, Retrieved, Turn, Usage
from kgsite.ask.retrieve import retrieve
from kgsite.config.settings import Settings
from kgsite.errors import ExtractError, KgsiteError
from kgsite.model import Collection
from kgsite.report import plural

if TYPE_CHECKING:
    from kgsite.ask.stream import StreamingClient
    from kgsite.extract.llm.background import Background
    from kgsite.extract.llm.budget import PassUsage
    from kgsite.extract.llm.client import Ask, World
    from kgsite.replystore import ReplyStore, StoredReply

PURPOSE = "ask"
_LEAST_NEAREST, _MOST_NEAREST = 3, 12
_MOST_UNSPOKEN = 6  # words that are named
OnText = Callable[[str], None]


class Asker:
    """Answers questions. One at a time: not to be called from two threads at once."""

    def __init__(
        self,
        collection: Collection,
        settings: Settings,
        *,
        store: ReplyStore,
        environ: Mapping[str, str],
        use_model: bool = True,
        world: World | None = None,
    ) -> None:
        """The model is used when [llm] names one and `use_model` does not forbid it. Raises ConfigError for a bad [llm]."""
        from kgsite.extract.llm.endpoint import uses_model

        self.index = GraphIndex(collection)
        self.settings = settings
        self.numbering = Numbering(self.index)
        self.client = self._client(store, environ, world) if use_model and uses_model(settings.llm) else None
        self._background: Background | None = None

    def _client(self, store: ReplyStore, environ: Mapping[str, str], world: World | None) -> StreamingClient:
        from kgsite.ask.stream import StreamingClient
        from kgsite.extract.llm.extractor import real_world
        from kgsite.extract.llm.quirks import QuirkMemory

        memory = QuirkMemory(self.settings.root / ".kgsite" / "cache" / "endpoints.json")
        return StreamingClient(self.settings, store, memory, world or real_world(), environ)

    @property
    def model(self) -> str:
        return self.client.endpoint.model if self.client else ""

    def usage(self) -> Usage:
        """What this asker has spent so far."""
        spent = self._spent()
        return Usage(spent.requests, spent.prompt_tokens, spent.completion_tokens, spent.cached) if spent else Usage()

    def _spent(self) -> PassUsage | None:
        return self.client.usage.of(PURPOSE) if self.client else None

    # ── answers ───────────────────────────────────────────────────────────────────────────────────
    def answer(self, question: str, *, history: Sequence[Turn] = (), on_text: OnText | None = None) -> Answer:
        """Answer a question. `on_text` gets the checked text so far, as often as it grows; "" begins it anew.

        Raises KgsiteError when the model can't be asked (endpoint down, budget spent, bad key).
        """
        if self.client:
            self.client.halted = None  # an endpoint that was down for the last question may be up for this one
        before = self.usage()
        known = len(self.client.warnings) if self.client else 0
        turns = tuple(history)[-self.settings.query.history_turns :] if self.settings.query.history_turns else ()
        found = self.find(question, turns)
        answer = self.from_model(found, turns, on_text) if self.client and found.facts else self.from_facts(found)
        now = self.usage()
        spent = Usage(*(getattr(now, name) - getattr(before, name) for name in Usage.__dataclass_fields__))
        warnings = tuple(list(self.client.warnings)[known:]) if self.client else ()
        return replace(answer, usage=spent, warnings=(*answer.warnings, *warnings))

    def find(self, question: str, history: Sequence[Turn] = ()) -> Retrieved:
        """The facts for a question; the model is asked what it names only when no name and no fact of it was found."""
        found = retrieve(self.index, question, self.settings.query, history=history)
        if not found.vague or not self.client or not self.index.facts:
            return found
        reply = self._reply(self._request(mention_messages(self.index, question), expected=40), None)
        named = read_mentions(self.index, reply)
        return retrieve(self.index, question, self.settings.query, history=history, named=named) if named else found

    def from_model(self, found: Retrieved, history: Sequence[Turn], on_text: OnText | None = None) -> Answer:
        """The model's answer from these facts, checked."""
        shown = self._shower(found, on_text) if on_text else None
        return self.read(found, self._reply(self.request(found, history), shown))

    def request(self, found: Retrieved, history: Sequence[Turn] = ()) -> Ask:
        """The request that answers a question; its key changes with question, facts, model and prompt."""
        return self._request(answer_messages(self.index, found, history), expected=300)

    def read(self, found: Retrieved, reply: str) -> Answer:
        """A reply of the model as an answer: only what is cited counts."""
        checked = check(reply, facts=len(found.facts), known=self._names(found))
        if checked.denied or not checked.cited:
            reason = Reason("unanswered" if checked.denied else "uncited")
            return self._answer(found, "unanswered", reason, removed=checked.removed)
        return self._answer(found, "answer", checked=checked)

    def from_facts(self, found: Retrieved) -> Answer:
        """The ranked facts themselves, and what of the question none of them speaks of."""
        if not found.facts:
            return self._answer(found, "unanswered", Reason("nothing"))
        words = (("words", ", ".join(f"“{word}”" for word in found.unspoken[:_MOST_UNSPOKEN])),)
        if found.unspoken and not any(item.spoken for item in found.facts):
            return self._answer(found, "unanswered", Reason("unspoken", words))
        reasons = [] if self.client else [Reason("largest" if found.broad and found.themes else "no_model")]
        reasons += [Reason("partly", words)] if found.unspoken else []
        return self._answer(found, "facts", *reasons, *_unconnected(found))

    def _answer(
        self,
        found: Retrieved,
        mode: Mode,
        *reasons: Reason,
        checked: Checked | None = None,
        removed: Mapping[str, int] | None = None,
    ) -> Answer:
        cited = checked.cited if checked else ()
        facts = self.numbering.numbered(found, cited)
        number = {id(citation.fact): citation.n for citation in facts}
        return Answer(
            question=found.question,
            text=checked.text if checked else "",
            mode=mode,
            reasons=reasons,
            seeds=found.seeds,
            facts=facts,
            cited=len(cited),
            nearest=_nearest(found),
            paths=tuple(tuple(number[id(fact)] for fact in path.facts if id(fact) in number) for path in found.paths),
            themes=found.themes,
            removed=dict(checked.removed if checked else removed or {}),
            model=self.model,
        )

    def _names(self, found: Retrieved) -> frozenset[str]:
        return frozenset(
            self.index.entities[key].name for item in found.facts for key in (item.fact.source, item.fact.target)
        )

    def _shower(self, found: Retrieved, on_text: OnText) -> OnText:
        """Hands on the part of a growing reply that is checked and cites something; nothing before that."""
        facts, names = len(found.facts), self._names(found)

        def show(reply: str) -> None:
            if not reply:
                on_text("")
                return
            checked = check(reply, facts=facts, known=names, partial=True)
            if checked.cited:
                on_text(checked.text)

        return show

    # ── requests ──────────────────────────────────────────────────────────────────────────────────
    def _request(self, messages: tuple[tuple[str, str], ...], *, expected: int) -> Ask:
        from kgsite.extract.llm.client import Ask

        llm = self.settings.llm
        return Ask(
            PURPOSE,
            messages,
            self.model,
            llm.temperature,
            llm.reasoning_effort,
            extra=llm.extra_body,
            room=llm.max_tokens,
            expected=expected,
        )

    def _reply(self, ask: Ask, show: OnText | None) -> str:
        """A stored reply, or a new one that is stored before it is read. Raises KgsiteError."""
        assert self.client is not None
        self.client.on_text = show
        try:
            outcome = self._loop().result(self._outcome(ask))
        except CancelledError:
            raise ExtractError("the question was stopped before the answer came") from None
        finally:
            self.client.on_text = None
        if isinstance(outcome, KgsiteError):
            raise outcome
        return outcome

    def replies(self, asks: Sequence[Ask], progress: Callable[[int, int], None]) -> list[str | KgsiteError]:
        """Replies to several requests, side by side, in their order; an error stands for one that could not be had."""
        if not asks:
            return []
        done: list[int] = []

        async def one(ask: Ask) -> str | KgsiteError:
            outcome = await self._outcome(ask)
            done.append(1)
            progress(len(done), len(asks))
            return outcome

        async def every() -> list[str | KgsiteError]:
            return list(await asyncio.gather(*(one(ask) for ask in asks)))

        return self._loop().result(every())

    async def _outcome(self, ask: Ask) -> str | KgsiteError:
        from kgsite.extract.llm.client import Halt
        from kgsite.extract.llm.faults import Fault

        assert self.client is not None
        stored = self.client.store.get(ask.key)
        if stored is not None:
            self.client.usage.of(PURPOSE).cached += 1
            return stored.content
        try:
            reply = await self._fetched(ask)
        except Halt as halt:
            return _for_asking(halt.error)
        except Fault as fault:
            return _for_asking(self.client.as_error(fault, ask.model))
        if reply.failure:
            return ExtractError(f"the model's answer was cut ({reply.failure})", hint="raise [llm] max_tokens")
        return reply.content

    async def _fetched(self, ask: Ask) -> StoredReply:
        """A new reply; a reasoning model that spent its room before the answer gets twice as much, once."""
        from kgsite.extract.llm.faults import Fault

        assert self.client is not None
        try:
            return await self.client.fetch(ask)
        except Fault as fault:
            if fault.kind != "length":
                raise
            return await self.client.fetch(ask, room=2 * ask.room)

    def _loop(self) -> Background:
        from kgsite.extract.llm.background import Background

        if self._background is None:
            self._background = Background()
        return self._background

    def close(self) -> None:
        """End what is in flight and the connection; may be called twice, and from another thread to stop an answer."""
        background, self._background = self._background, None
        if background is not None:
            background.close(self.client.close() if self.client else None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not KeyboardInterrupt:  # then the process ends at once; its daemon thread goes with it
            self.close()


def _unconnected(found: Retrieved) -> tuple[Reason, ...]:
    """That two things which the question names are not connected, when they are not."""
    named = [seed.name for seed in found.seeds if seed.how in ("exact", "alias", "folded")]
    if len(named) < 2 or found.paths:
        return ()
    return (Reason("no_path", (("count", str(LONGEST)), ("one", named[0]), ("other", named[1]))),)


def _nearest(found: Retrieved) -> int:
    """How many of the ranked facts are shown as they are: while they are about as close as the first one."""
    if not found.facts or found.broad:
        return min(len(found.facts), _MOST_NEAREST)
    close = sum(item.score >= found.facts[0].score * 0.5 for item in found.facts)
    return min(max(close, _LEAST_NEAREST), _MOST_NEAREST, len(found.facts))


def _for_asking(error: KgsiteError) -> KgsiteError:
    """An error of the client with a remedy that fits a question."""
    if "build" in error.hint or not error.hint:
        error.hint = "kgsite ask --no-model shows the facts without a model"
    return error


def turn_of(answer: Answer) -> Turn:
    """What a follow-up needs of an answer."""
    text = answer.text or answer.reason or plural(len(answer.facts), "fact")
    return Turn(answer.question, text, answer.seeds)
