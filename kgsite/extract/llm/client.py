"""Requests with retries, shared waits, budgets and a memory for what the endpoint refuses. Every reply is stored first."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from kgsite.config.settings import Settings
from kgsite.errors import BudgetError, ConfigError, ExtractError, KgsiteError, Place
from kgsite.extract.llm.budget import Budget, Gate, Usage, readable
from kgsite.extract.llm.endpoint import HIDDEN, resolve
from kgsite.extract.llm.faults import FATAL, MISCONFIGURED, RETRIED, Answer, Fault, classify
from kgsite.extract.llm.quirks import QuirkMemory, Quirks
from kgsite.replystore import ReplyStore, StoredReply, reply_key

if TYPE_CHECKING:
    from kgsite.extract.llm.transport import Wire

_GIVE_UP_AFTER = 5
"""Requests in a row, each tried to its end, that the server itself failed: then it is taken to be down."""
_CUT_PROMPT = 0.5
"""A server that counts fewer prompt tokens than this share of ours has dropped part of the prompt."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One request as meant. What an endpoint makes us change (length parameter, JSON mode) is not part of its key."""

    purpose: str  # the pass
    messages: tuple[tuple[str, str], ...]  # (role, content)
    model: str
    temperature: float
    effort: str = ""
    schema: Mapping[str, Any] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    room: int = 32768  # most tokens of the reply; not in the key: a complete reply is the same under any cap
    expected: int = 800  # tokens that the reply will probably have, for the budget
    user_tokens: int = 0  # tokens of the user message when they are known; 0 = to be counted

    def canonical(self) -> dict[str, Any]:
        """What the key is made of: messages, model, sampling, response schema."""
        return {
            "messages": [list(message) for message in self.messages],
            "model": self.model,
            "temperature": self.temperature,
            "reasoning_effort": self.effort,
            "extra_body": dict(self.extra),
            "response_schema": self.schema,
        }

    @property
    def key(self) -> str:
        return reply_key(self.canonical())


@lru_cache(maxsize=16)
def _system_tokens(content: str) -> int:
    from kgsite.extract import tokens

    return tokens.count(content)


def _prompt_tokens(ask: Ask, more: tuple[tuple[str, str], ...]) -> int:
    """Tokens of a prompt. System texts are the same for every chunk of a document and counted once."""
    from kgsite.extract import tokens

    rest = [content for role, content in ask.messages if role != "system"]
    user = ask.user_tokens or sum(tokens.count(content) for content in rest)
    system = sum(_system_tokens(content) for role, content in ask.messages if role == "system")
    return system + user + sum(tokens.count(content) for _, content in more)


class Halt(Exception):  # noqa: N818 - carries the error to be shown
    """No further request can be made in this run."""

    def __init__(self, error: KgsiteError) -> None:
        super().__init__(str(error))
        self.error = error


@dataclass(frozen=True, slots=True)
class World:
    """Clocks and sleep, so that tests need not wait. `now` is the wall clock, `clock` the monotonic one (seconds)."""

    clock: Callable[[], float]
    now: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]


def request_body(ask: Ask, quirks: Quirks, *, room: int, more: tuple[tuple[str, str], ...] = ()) -> dict[str, Any]:
    """The JSON body of a chat completion, in the form that the endpoint takes."""
    body: dict[str, Any] = {
        "model": ask.model,
        "messages": [{"role": role, "content": content} for role, content in (*ask.messages, *more)],
    }
    if "temperature" not in quirks.dropped:
        body["temperature"] = ask.temperature
    if ask.effort and "reasoning_effort" not in quirks.dropped:
        body["reasoning_effort"] = ask.effort
    if "length" not in quirks.dropped:
        body[quirks.token_param] = min(room, quirks.room) if quirks.room else room
    if quirks.json_mode == "schema" and ask.schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": False, "schema": ask.schema},
        }
    elif quirks.json_mode != "off":
        body["response_format"] = {"type": "json_object"}
    return {**body, **ask.extra}


class Client:
    """One endpoint for one run. All methods belong to one event loop."""

    def __init__(
        self, settings: Settings, store: ReplyStore, memory: QuirkMemory, world: World, environ: Mapping[str, str]
    ) -> None:
        """Raises ConfigError when [llm] is incomplete; a missing key is an error only once a request is needed."""
        self.endpoint = resolve(settings.llm, environ, need_key=False)
        self.store = store
        self.usage = Usage()
        self.warnings: dict[str, None] = {}
        self.halted: Halt | None = None
        self.asking: dict[str, asyncio.Future[Any]] = {}  # questions that are being answered, by key
        self.budget = Budget(settings.extract.max_requests, settings.extract.max_tokens_total)
        self.gate = Gate(world.clock, world.sleep)
        self._settings = settings.llm
        self._environ = environ
        self._memory = memory
        self._world = world
        self._quirks: dict[str, Quirks] = {}
        self._slots = asyncio.Semaphore(settings.llm.concurrency)
        self._wire: Wire | None = None
        self._failed_in_a_row = 0

    def quirks(self, model: str) -> Quirks:
        if model not in self._quirks:
            self._quirks[model] = self._memory.recall(self.endpoint.identity(model), self._settings)
        return self._quirks[model]

    def wire(self) -> Wire:
        """The connection; openai is imported here, at the first request that no stored reply answers."""
        if self._wire is None:
            try:
                resolve(self._settings, self._environ)
            except ConfigError as error:
                self.halted = Halt(error)
                raise self.halted from None
            self._wire = self.connect()
        return self._wire

    def connect(self) -> Wire:
        """A new connection; a client that wants its replies piece by piece has another kind."""
        from kgsite.extract.llm.transport import Wire

        return Wire(self.endpoint, timeout=self._settings.timeout, connections=self._settings.concurrency)

    async def fetch(self, ask: Ask, *, room: int = 0, more: tuple[tuple[str, str], ...] = ()) -> StoredReply:
        """Send a request until it is answered or hopeless; what came back is on disk before this returns.

        `more` are messages after the request's own (a reminder). Raises Fault for this request alone, Halt when no
        further request makes sense.
        """
        async with self._slots:
            attempt = timeouts = 0
            while True:
                self._refuse_when_halted()
                await self.gate.green()
                quirks = self.quirks(ask.model)
                try:
                    return await self._once(ask, quirks, room or ask.room, more, attempt + 1)
                except Fault as fault:
                    await self._keep_failure(ask, fault, room or ask.room)
                    if fault.kind == "param":
                        self._adapt(ask.model, quirks, fault)
                        continue
                    timeouts += fault.kind == "timeout"
                    if fault.kind in FATAL:
                        raise self._halt(fault, ask.model) from None
                    if fault.kind not in RETRIED or attempt >= self._settings.max_retries or timeouts > 1:
                        self._count_failure(fault, ask.model)
                        raise
                    attempt += 1
                    await self._wait(fault, attempt, ask)

    async def _once(
        self, ask: Ask, quirks: Quirks, room: int, more: tuple[tuple[str, str], ...], attempt: int
    ) -> StoredReply:
        prompt = _prompt_tokens(ask, more)
        reserved = prompt + min(ask.expected, room)
        try:
            self.budget.reserve(reserved)
        except BudgetError as error:
            self.halted = self.halted or Halt(error)
            raise self.halted from None
        spent = self.usage.of(ask.purpose)
        spent.requests += 1
        used = 0
        try:
            status, headers, body = await self.wire().send(request_body(ask, quirks, room=room, more=more))
            answer = classify(status, headers, body, now=self._world.now())
            used = self._count_usage(ask, answer, prompt)
        except Fault as fault:
            used = sum(fault.usage)
            spent.prompt_tokens += fault.usage[0]
            spent.completion_tokens += fault.usage[1]
            raise
        finally:
            self.budget.settle(reserved, used)
        self.gate.succeeded()
        self._failed_in_a_row = 0
        reply = StoredReply(
            answer.content, answer.finish, ask.model, answer.served, ask.purpose, "length" if answer.cut else "", room,
            answer.prompt_tokens or 0, answer.completion_tokens or 0, answer.reasoning_chars, attempt,
        )  # fmt: skip
        reply = self.without_secrets(reply)
        await self._put(ask.key, reply)
        return reply

    async def _put(self, key: str, reply: StoredReply) -> None:
        # Shielded: what is paid for reaches the disk even when the build is interrupted meanwhile.
        await asyncio.shield(asyncio.to_thread(self.store.put, key, reply))

    async def keep_complete(self, key: str, reply: StoredReply) -> None:
        """A reply that the server calls cut turned out to hold its whole answer."""
        await self._put(key, replace(reply, failure=""))

    def without_secrets(self, reply: StoredReply) -> StoredReply:
        """A reply in which the server repeats a key must not carry it into files or pages."""
        content, served = reply.content, reply.served
        for secret in self.endpoint.secrets():
            content, served = content.replace(secret, HIDDEN), served.replace(secret, HIDDEN)
        return replace(reply, content=content, served=served)

    async def _keep_failure(self, ask: Ask, fault: Fault, room: int) -> None:
        if fault.kind == "param" or self.store.get(ask.key) is not None:
            return
        raw = self.endpoint.redact(fault.raw or fault.message)
        await self._put(ask.key, StoredReply(raw, model=ask.model, purpose=ask.purpose, failure=fault.kind, room=room))

    def _count_usage(self, ask: Ask, answer: Answer, prompt: int) -> int:
        spent = self.usage.of(ask.purpose)
        spent.prompt_tokens += answer.prompt_tokens or 0
        spent.completion_tokens += answer.completion_tokens or 0
        if answer.prompt_tokens is None or answer.completion_tokens is None:
            spent.unknown += 1
            return prompt + len(answer.content) // 4
        if 0 < answer.prompt_tokens < prompt * _CUT_PROMPT:
            self.warn(
                f"the server read only {answer.prompt_tokens} of about {prompt} prompt tokens: it cut the prompt; raise its context size"
                " (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx) or lower [chunking] max_tokens"
            )
        if answer.served and answer.served != ask.model and not answer.served.startswith(ask.model):
            self.warn(f"the endpoint answered with model {answer.served[:80]!r} instead of {ask.model!r}")
        return answer.prompt_tokens + answer.completion_tokens

    def warn(self, message: str) -> None:
        self.warnings[self.endpoint.redact(message)] = None

    def _adapt(self, model: str, sent: Quirks, fault: Fault) -> None:
        if self.quirks(model) != sent:
            return  # somebody else has learnt it meanwhile
        learnt = sent.learn(fault)
        if learnt is None:
            raise Fault("bad_request", fault.message, raw=fault.raw)
        self._quirks[model] = learnt
        self._memory.remember(self.endpoint.identity(model), learnt, self._settings)

    async def _wait(self, fault: Fault, attempt: int, ask: Ask) -> None:
        base = (2.0 if fault.kind == "rate" else 0.5) * 2 ** (attempt - 1)
        spread = int(hashlib.sha256(f"{ask.key}{attempt}".encode()).hexdigest()[:4], 16) / 0xFFFF
        seconds = min(base, 30.0) * (0.75 + 0.5 * spread) if fault.retry_after is None else fault.retry_after
        try:
            await self.gate.pause(seconds, everybody=fault.kind == "rate" or fault.retry_after is not None)
        except Fault as stop:
            raise self._halt(stop, ask.model) from None

    def _count_failure(self, fault: Fault, model: str) -> None:
        if fault.kind not in ("server", "timeout", "reset", "page", "rate"):
            return
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= _GIVE_UP_AFTER:
            raise self._halt(
                Fault("down", f"{self._failed_in_a_row} requests in a row failed, the last one with: {fault.message}"),
                model,
            )

    def _refuse_when_halted(self) -> None:
        if self.halted is not None:
            raise self.halted

    def _halt(self, fault: Fault, model: str) -> Halt:
        if self.halted is None:
            self.halted = Halt(self.as_error(fault, model))
        return self.halted

    def as_error(self, fault: Fault, model: str) -> KgsiteError:
        """A fault as people see it: what, and what to do. Never with a key in it."""
        said = self.endpoint.redact(fault.message)
        host, kept = self.endpoint.host, "all replies so far are kept; run the build again to go on"
        if fault.kind == "auth":
            name = self.endpoint.key_source
            hint = f"check the environment variable {name}" if name and name != "site.toml" else "check [llm] api_key"
            return ConfigError(f"{host} refuses the key ({said})", at=Place("site.toml"), hint=hint)
        if fault.kind == "model":
            return ConfigError(
                f"{host} has no model {model!r} at this address ({said})",
                at=Place("site.toml"),
                hint="check [llm] model and base_url; `kgsite check --llm` lists the models",
            )
        if fault.kind in MISCONFIGURED:
            return ConfigError(f"{host}: {said}", at=Place("site.toml"), hint="check [llm] base_url")
        if fault.kind == "quota":
            return ExtractError(f"the account at {host} has nothing left to spend ({said})", hint=f"top it up; {kept}")
        if fault.kind == "wait":
            return ExtractError(
                f"{host} is at its limit", hint=f"come back in {readable(fault.retry_after or 0)}; {kept}"
            )
        return ExtractError(said, hint=kept)

    async def close(self) -> None:
        if self._wire is not None:
            await self._wire.close()
            self._wire = None
