"""One question to the model: from the store when it was answered before, otherwise asked, read, and asked again once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kgsite.extract.llm.client import Ask, Client
from kgsite.extract.llm.faults import Fault
from kgsite.extract.llm.prompts import filled
from kgsite.extract.replies import Reading, Shape, read_reply

_PROBLEMS = {
    "ambiguous": "it held more than one different answer",
    "schema": "it repeated the schema instead of filling it",
    "refusal": "it held no answer",
    "reasoning": "it held only reasoning",
    "cut": "it was incomplete",
    "deep": "it was nested too deeply",
}
_SPLIT_KINDS = ("length", "context")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a question gave. `reading` may be incomplete; then `too_long` says that asking about less could help."""

    reading: Reading
    cached: bool = False
    too_long: bool = False
    note: str = ""

    @property
    def value(self) -> Mapping[str, Any]:
        return self.reading.value


async def ask_model(client: Client, ask: Ask, shape: Shape) -> Outcome:
    """Answer a question. Raises Fault when no reply could be had for it, Halt when nothing can be asked any more.

    Equal questions that are asked at the same time (the same passage in two documents) are paid for once.
    """
    key = ask.key
    running = client.asking.get(key)
    if running is None:
        running = asyncio.ensure_future(_answer(client, ask, key, shape))
        client.asking[key] = running
        running.add_done_callback(lambda done: _over(client, key, done))
    outcome: Outcome = await asyncio.shield(running)
    return outcome


def _over(client: Client, key: str, done: asyncio.Future[Outcome]) -> None:
    client.asking.pop(key, None)
    if not done.cancelled():
        done.exception()  # looked at, so that asyncio does not complain when all who waited were cancelled


async def _answer(client: Client, ask: Ask, key: str, shape: Shape) -> Outcome:
    stored = client.store.get(key)
    if stored is not None:
        reading = read_reply(stored.content, shape)
        if reading.complete:
            client.usage.of(ask.purpose).cached += 1
            return Outcome(reading, cached=True)
        client.store.demote(key, reading.reason or "unreadable")
    if (known := _known_to_be_too_long(client, ask, shape)) is not None:
        return known
    try:
        reply = await client.fetch(ask)
    except Fault as fault:
        if fault.kind != "length":
            raise
        # A reasoning model that spent its budget before the answer: twice the room, once.
        reply = await client.fetch(ask, room=2 * ask.room)
    cut = bool(reply.failure)
    reading = read_reply(reply.content, shape, cut=cut)
    if reading.complete and (not cut or reading.how in ("strict", "scanned")):
        if cut:  # the object was whole; only white space or prose after it was cut
            await client.keep_complete(key, reply)
        return Outcome(reading, note=_how(reading))
    if cut or reading.how == "truncated":
        if not cut:
            client.store.demote(key, "length")
        return Outcome(reading, too_long=True, note=_how(reading))
    return await ask_again(client, ask, shape, reading)


def _known_to_be_too_long(client: Client, ask: Ask, shape: Shape) -> Outcome | None:
    """A request that was cut, or did not fit, with at least this much room, is not paid for a second time."""
    failed = client.store.failure(ask.key)
    if failed is None or failed.failure not in _SPLIT_KINDS or failed.room < ask.room:
        return None
    reading = (
        read_reply(failed.content, shape, cut=True) if failed.failure == "length" else Reading("failed", reason="cut")
    )
    return Outcome(reading, cached=True, too_long=True, note="known to be too long")


async def ask_again(client: Client, ask: Ask, shape: Shape, first: Reading) -> Outcome:
    """One more try with a reminder. A complete reply is kept under the question's own key."""
    problem = _PROBLEMS.get(first.reason, "it was not one JSON object")
    client.store.demote(ask.key, first.reason or "unreadable")
    reminder = () if first.reason == "page" else (("user", filled("again", problem=problem)[0]),)
    reply = await client.fetch(ask, more=reminder)
    reading = read_reply(reply.content, shape, cut=bool(reply.failure))
    if reading.complete and not reply.failure:
        return Outcome(reading, note=f"asked twice; {_how(reading)}".rstrip("; "))
    client.store.demote(ask.key, reading.reason or "unreadable")
    best = max((first, reading), key=lambda found: sum(len(found.value.get(key, ())) for key in shape.lists))
    return Outcome(best, note=f"asked twice: {_PROBLEMS.get(reading.reason, 'no usable JSON came')}")


def _how(reading: Reading) -> str:
    if reading.how == "repaired":
        return "the reply had to be repaired"
    if reading.how == "truncated":
        return "the reply was cut; its complete rows are kept" + (
            ", it had begun to repeat itself" if _repeats(reading) else ""
        )
    return f"{reading.lost} rows could not be trusted" if reading.lost else ""


def _repeats(reading: Reading) -> bool:
    rows = [repr(row) for value in reading.value.values() if isinstance(value, list) for row in value]
    return len(rows) >= 10 and max(Counter(rows).values(), default=0) > len(rows) // 3
