"""What a build may spend, what it has spent by pass, and how long it waits for a busy endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from kgsite.errors import BudgetError
from kgsite.extract.llm.faults import Fault

LONGEST_WAIT = 120.0
"""Seconds. A server that asks for more is not waited for: the run stops and says when to come back."""
PATIENCE = 300.0
"""Seconds that all workers together wait without a single reply coming through."""


@dataclass(slots=True)
class PassUsage:
    """Requests and tokens of one pass. `unknown` counts replies whose server reported no usage."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached: int = 0
    unknown: int = 0


@dataclass(slots=True)
class Usage:
    """What was spent, by pass."""

    passes: dict[str, PassUsage] = field(default_factory=dict)

    def of(self, purpose: str) -> PassUsage:
        return self.passes.setdefault(purpose, PassUsage())

    def total(self) -> PassUsage:
        parts = list(self.passes.values())
        return PassUsage(*(sum(getattr(part, name) for part in parts) for name in PassUsage.__slots__))


class Budget:
    """Stops before more is spent than `[extract] max_requests` and `max_tokens_total` allow (0 = no limit)."""

    def __init__(self, max_requests: int, max_tokens: int) -> None:
        self._max_requests = max_requests
        self._max_tokens = max_tokens
        self.requests = 0
        self.tokens = 0
        self._reserved = 0

    def reserve(self, tokens: int) -> None:
        """Account for a request that is about to be sent and may use `tokens`. Raises BudgetError."""
        if self._max_requests and self.requests + 1 > self._max_requests:
            message = f"max_requests = {self._max_requests} is used up"
            raise BudgetError(message, hint="all replies are kept: raise the limit and build again to go on from here")
        if self._max_tokens and self.tokens + self._reserved + tokens > self._max_tokens:
            message = f"max_tokens_total = {self._max_tokens} would be passed ({self.tokens} used)"
            raise BudgetError(message, hint="all replies are kept: raise the limit and build again to go on from here")
        self.requests += 1
        self._reserved += tokens

    def settle(self, reserved: int, used: int) -> None:
        """The request is over and cost `used` tokens."""
        self._reserved -= reserved
        self.tokens += used


class Gate:
    """One traffic light for all workers: when the endpoint asks for a pause, everybody pauses."""

    def __init__(self, clock: Callable[[], float], sleep: Callable[[float], Awaitable[None]]) -> None:
        self._clock = clock
        self._sleep = sleep
        self._until = 0.0
        self._waited = 0.0
        self.waits: list[float] = []  # what was waited, for the log

    async def green(self) -> None:
        """Wait until nobody asks for a pause."""
        while (left := self._until - self._clock()) > 0:
            await self._sleep(left)

    async def pause(self, seconds: float, *, everybody: bool) -> None:
        """Wait before another try. Raises Fault "wait" above two minutes, "down" when patience has run out."""
        if seconds > LONGEST_WAIT:
            raise Fault("wait", f"the endpoint asks to come back in {readable(seconds)}", retry_after=seconds)
        now = self._clock()
        until = now + seconds
        added = max(0.0, until - max(now, self._until))
        if self._waited + added > PATIENCE:
            raise Fault("down", f"the endpoint has let nothing through for {readable(self._waited)} of waiting")
        self._waited += added
        self.waits.append(seconds)
        if everybody:
            self._until = max(self._until, until)
        await self._sleep(seconds)

    def succeeded(self) -> None:
        self._waited = 0.0


def readable(seconds: float) -> str:
    """A span as people say it: "45 s", "12 minutes", "3 hours"."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"


async def real_sleep(seconds: float) -> None:
    await asyncio.sleep(seconds)
