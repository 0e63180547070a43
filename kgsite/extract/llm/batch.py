"""`kgsite build --batch`: chunk requests through the OpenAI Batch API, at half the price and within a day.

One call of `advance_batch` is one step: what is in the reply store is left out, the rest is uploaded as JSON Lines and
submitted; a later call, also in another process or after a crash, asks for the state and collects the replies into the
reply store. Lines that failed are submitted again. When nothing is missing, the ordinary build finds every reply
stored and makes the document-level requests itself.

`.kgsite/batch.json` names the batches under way. What is about to be submitted is written there first; a batch that was
created just before a crash is found again by its metadata.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

from kgsite.config.settings import Settings
from kgsite.errors import BudgetError, ExtractError
from kgsite.extract.extractor import ExtractJob
from kgsite.extract.llm import discovery, kept
from kgsite.extract.llm.chunks import chunk_ask
from kgsite.extract.llm.client import Ask, Client, Halt, World, request_body
from kgsite.extract.llm.context import Questions
from kgsite.extract.llm.extractor import real_world
from kgsite.extract.llm.faults import Answer, Fault, classify
from kgsite.extract.llm.quirks import QuirkMemory
from kgsite.extract.llm.vocabulary import vocabulary
from kgsite.extract.replies import read_reply
from kgsite.extract.schema import Schema
from kgsite.replystore import ReplyStore, StoredReply
from kgsite.store import sha256, write_atomic

LINES_PER_BATCH = 20_000  # the API takes 50,000 lines and 200 MB
BYTES_PER_BATCH = 150_000_000
MOST_TRIES = 3
_OVER = ("completed", "failed", "expired", "cancelled")

Step = Literal["nothing", "submitted", "waiting", "collected"]


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """Where a batch stands. `step` "nothing" means that every chunk is answered: go on with the build."""

    step: Step
    missing: int = 0  # requests without a stored reply
    submitted: int = 0  # lines in batches under way
    collected: int = 0  # replies stored by this call
    failed: int = 0  # lines that were given up after three tries; the ordinary build asks for them
    messages: tuple[str, ...] = ()


def state_file(settings: Settings) -> Path:
    return settings.root / ".kgsite" / "batch.json"


def advance_batch(
    jobs: Iterable[ExtractJob],
    settings: Settings,
    store: ReplyStore,
    *,
    environ: Mapping[str, str] | None = None,
    world: World | None = None,
) -> BatchProgress:
    """One step. Raises ConfigError (endpoint, key), ExtractError (the endpoint has no batches) or BudgetError."""
    memory = QuirkMemory(settings.root / ".kgsite" / "cache" / "endpoints.json")
    client = Client(settings, store, memory, world or real_world(), os.environ if environ is None else environ)
    batch, listed = _Batch(client, settings, store), list(jobs)
    try:
        # In a thread of its own: the caller may have an event loop running, as notebooks do.
        with ThreadPoolExecutor(max_workers=1) as pool:
            return pool.submit(lambda: asyncio.run(batch.step(listed))).result()
    except Halt as halt:
        raise halt.error from None


class _State:
    """The state file: batches under way and how often each request was tried."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.batches: dict[str, list[str]] = {}  # batch id → keys in it
        self.tries: dict[str, int] = {}
        self.pending: dict[str, list[str]] = {}  # digest → keys of a batch that may or may not have been created
        try:
            value = json.loads(file.read_bytes())
            self.batches = {str(name): [str(key) for key in keys] for name, keys in value["batches"].items()}
            self.tries = {str(key): int(number) for key, number in value["tries"].items()}
            self.pending = {str(name): [str(key) for key in keys] for name, keys in value["pending"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self.batches, self.tries, self.pending = {}, {}, {}

    def save(self) -> None:
        if not self.batches and not self.tries and not self.pending:
            self._file.unlink(missing_ok=True)
            return
        value = {"format": 1, "batches": self.batches, "tries": self.tries, "pending": self.pending}
        write_atomic(self._file, json.dumps(value, sort_keys=True, indent=1).encode() + b"\n")


class _Batch:
    def __init__(self, client: Client, settings: Settings, store: ReplyStore) -> None:
        self._client = client
        self._settings = settings
        self._store = store
        self._state = _State(state_file(settings))
        self._collected = 0
        self._messages: list[str] = []

    async def step(self, jobs: list[ExtractJob]) -> BatchProgress:
        try:
            asks = await self._asks(jobs)
            waiting = 0
            if self._state.pending:
                await self._adopt()
            if self._state.batches:
                waiting = await self._collect(asks)
            open_keys = {key for keys in self._state.batches.values() for key in keys}
            missing = {key: ask for key, ask in asks.items() if not self._answered(key)}
            given_up = [key for key in missing if self._state.tries.get(key, 0) >= MOST_TRIES and key not in open_keys]
            to_send = {key: ask for key, ask in missing.items() if key not in open_keys and key not in set(given_up)}
            if to_send:
                await self._submit(to_send)
            if not missing and not self._state.batches:
                self._state.tries.clear()
            self._state.save()
            step: Step = (
                "submitted" if to_send else "waiting" if waiting else "collected" if self._collected else "nothing"
            )
            under_way = sum(len(keys) for keys in self._state.batches.values())
            return BatchProgress(step, len(missing), under_way, self._collected, len(given_up), tuple(self._messages))
        except Fault as fault:
            raise self._client.as_error(fault, self._client.endpoint.model) from None
        finally:
            await self._client.close()

    async def _asks(self, jobs: list[ExtractJob]) -> dict[str, Ask]:
        """The request of every chunk; a schema that is not known yet is discovered first, by an ordinary request."""
        questions = Questions(self._settings)
        found: dict[str, Ask] = {}
        for job in jobs:
            schema = kept.kept_schema(self._settings, job.document.id)
            if schema is None:
                own = job.document.id if self._settings.schema.discover == "document" else ""
                documents = [job.document] if own else [other.document for other in jobs[: discovery.SAMPLED_DOCUMENTS]]
                schema = await discovery.discover(self._client, questions, documents) or Schema()
                if schema:
                    discovery.keep(schema, self._settings, own)
            words = vocabulary(schema, self._settings)
            for chunk in job.chunks:
                ask = chunk_ask(questions, words, chunk, job.language)
                found[ask.key] = ask
        return found

    def _answered(self, key: str) -> bool:
        stored = self._store.get(key)
        return stored is not None and read_reply(stored.content).complete

    # ── submitting ────────────────────────────────────────────────────────────────────────────────
    async def _submit(self, asks: Mapping[str, Ask]) -> None:
        self._check_budget(asks)
        for lines, keys in self._parts(asks):
            digest = sha256(lines)
            self._state.pending[digest] = keys
            self._state.save()
            file = ("kgsite.jsonl", BytesIO(lines))
            uploaded = await self._call(self._api().files.create(file=file, purpose="batch"))
            created = await self._call(
                self._api().batches.create(
                    input_file_id=uploaded.id,
                    endpoint="/v1/chat/completions",
                    completion_window="24h",
                    metadata={"kgsite": digest},
                )
            )
            self._under_way(str(created.id), digest)
            self._messages.append(f"batch of {len(keys)} requests submitted")

    def _under_way(self, name: str, digest: str) -> None:
        keys = self._state.pending.pop(digest)
        self._state.batches[name] = keys
        for key in keys:
            self._state.tries[key] = self._state.tries.get(key, 0) + 1
        self._state.save()

    async def _adopt(self) -> None:
        """Batches that were created just before a crash: found by the digest in their metadata."""
        listed = await self._call(self._api().batches.list(limit=100))
        for batch in listed.data or ():
            digest = (batch.metadata or {}).get("kgsite", "")
            if digest in self._state.pending and batch.id not in self._state.batches:
                self._under_way(str(batch.id), digest)
        self._state.pending.clear()
        self._state.save()

    def _parts(self, asks: Mapping[str, Ask]) -> Iterable[tuple[bytes, list[str]]]:
        lines: list[bytes] = []
        keys: list[str] = []
        size = 0
        for key, ask in asks.items():
            body = request_body(ask, self._client.quirks(ask.model), room=ask.room)
            line = json.dumps(
                {"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": body}, ensure_ascii=False
            )
            data = line.encode("utf-8", "replace") + b"\n"
            if lines and (len(lines) >= LINES_PER_BATCH or size + len(data) > BYTES_PER_BATCH):
                yield b"".join(lines), keys
                lines, keys, size = [], [], 0
            lines.append(data)
            keys.append(key)
            size += len(data)
        if lines:
            yield b"".join(lines), keys

    def _check_budget(self, asks: Mapping[str, Ask]) -> None:
        from kgsite.extract import tokens

        limits = self._settings.extract
        if limits.max_requests and len(asks) > limits.max_requests:
            raise BudgetError(f"the batch needs {len(asks)} requests, max_requests is {limits.max_requests}")
        if limits.max_tokens_total:
            needed = sum(ask.expected + sum(tokens.count(text) for _, text in ask.messages) for ask in asks.values())
            if needed > limits.max_tokens_total:
                raise BudgetError(
                    f"the batch needs about {needed} tokens, max_tokens_total is {limits.max_tokens_total}"
                )

    # ── collecting ────────────────────────────────────────────────────────────────────────────────
    async def _collect(self, asks: Mapping[str, Ask]) -> int:
        """Store what finished batches brought; returns the number of batches that are still running."""
        running = 0
        for name, keys in list(self._state.batches.items()):
            try:
                batch = await self._call(self._api().batches.retrieve(name))
            except Fault as fault:
                if fault.kind != "model":  # 404: the batch is gone, its requests are sent again
                    raise
                batch = None
            if batch is not None and batch.status not in _OVER:
                counts = batch.request_counts
                self._messages.append(
                    f"batch {batch.status}: {counts.completed if counts else 0} of {len(keys)} answered"
                )
                running += 1
                continue
            for file in (batch.output_file_id, batch.error_file_id) if batch is not None else ():
                if file:
                    content = await self._call(self._api().files.content(file))
                    await self._store_lines(content.content, asks)
            if batch is not None and batch.status != "completed":
                self._messages.append(f"a batch ended as {batch.status}; its open requests are sent again")
            del self._state.batches[name]
            self._state.save()
        return running

    async def _store_lines(self, data: bytes, asks: Mapping[str, Ask]) -> None:
        for line in data.splitlines():
            try:
                value = json.loads(line)
                key = str(value["custom_id"])
                response = value.get("response") or {}
                status, body = (
                    int(response.get("status_code") or 500),
                    response.get("body") or {"error": value.get("error") or {"message": "no response"}},
                )
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                continue
            ask = asks.get(key)
            if ask is None or self._answered(key):
                continue
            await self._store_one(key, ask, status, body)

    async def _store_one(self, key: str, ask: Ask, status: int, body: Any) -> None:
        try:
            answer: Answer = classify(status, {}, json.dumps(body).encode(), now=time.time())
        except Fault as fault:
            content = self._client.endpoint.redact(fault.raw or fault.message)
            self._store.put(
                key, StoredReply(content, model=ask.model, purpose="chunks", failure=fault.kind, room=ask.room)
            )
            return
        usage = self._client.usage.of("chunks")
        usage.prompt_tokens += answer.prompt_tokens or 0
        usage.completion_tokens += answer.completion_tokens or 0
        usage.requests += 1
        failure = "length" if answer.cut else ""
        reply = StoredReply(
            answer.content, answer.finish, ask.model, answer.served, "chunks", failure, ask.room,
            answer.prompt_tokens or 0, answer.completion_tokens or 0, answer.reasoning_chars,
        )  # fmt: skip
        self._store.put(key, self._client.without_secrets(reply))
        self._collected += self._answered(key)
        if not self._answered(key) and not failure:
            self._store.demote(key, "unreadable")

    # ── the API ───────────────────────────────────────────────────────────────────────────────────
    def _api(self) -> Any:
        return self._client.wire().client

    async def _call(self, call: Any) -> Any:
        import openai

        try:
            async with asyncio.timeout(self._settings.llm.timeout):
                return await call
        except TimeoutError:
            raise Fault("timeout", "the batch service did not answer in time") from None
        except openai.APIStatusError as error:
            if error.status_code in (404, 405) and not self._state.batches:
                raise ExtractError(
                    f"{self._client.endpoint.host} has no batch service", hint="build without --batch"
                ) from None
            classify(error.status_code, dict(error.response.headers), error.response.content, now=time.time())
            raise Fault("server", f"HTTP {error.status_code}") from None
        except openai.APIError as error:
            self._client.wire().explain(error)
