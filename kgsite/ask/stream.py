"""Replies piece by piece: a connection that asks for server-sent events and hands on their text as it comes.

The whole reply is put together as an endpoint would have sent it at once, so that everything behind it (what a status
means, budgets, retries, the reply store) stays the same. An endpoint that refuses to stream is asked without.
Source of the event format: WHATWG HTML, "Server-sent events"; of the pieces: OpenAI's chat completion chunks.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import httpx

from kgsite.extract.llm.client import Client
from kgsite.extract.llm.endpoint import HIDDEN, Endpoint
from kgsite.extract.llm.faults import Fault
from kgsite.extract.llm.transport import Wire, network

MAX_BYTES = 8 * 1024 * 1024
"""Most bytes of one answer, events and all."""
_REFUSALS = (400, 404, 405, 415, 422, 501)
OnText = Callable[[str], None]


class StreamingClient(Client):
    """A client whose replies are plain text and come in pieces. `on_text` gets the reply so far; "" begins anew."""

    on_text: OnText | None = None

    def connect(self) -> Wire:
        return StreamingWire(
            self.endpoint,
            self._heard,
            timeout=self._settings.timeout,
            connections=self._settings.concurrency,
        )

    def _heard(self, text: str) -> None:
        if self.on_text is None:
            return
        for secret in self.endpoint.secrets():  # as `without_secrets` does for what is kept
            text = text.replace(secret, HIDDEN)
        self.on_text(text)


class StreamingWire(Wire):
    """`on_text` hears of every request: it makes sense for one at a time."""

    def __init__(self, endpoint: Endpoint, on_text: OnText, *, timeout: float, connections: int) -> None:
        super().__init__(endpoint, timeout=timeout, connections=connections)
        self._on_text = on_text
        self._streams = True
        self._http = httpx.AsyncClient(
            transport=network(endpoint.base_url, connections),
            timeout=timeout,
            follow_redirects=False,
            headers={"Accept-Encoding": "identity"},
        )

    async def send(self, body: Mapping[str, Any]) -> tuple[int, dict[str, str], bytes]:
        """(status, headers, body) of a chat completion, as if it had come whole. Raises Fault when none came."""
        plain = {key: value for key, value in body.items() if key != "response_format"}
        try:
            async with asyncio.timeout(self._timeout):
                if self._streams:
                    asked = {**plain, "stream": True, "stream_options": {"include_usage": True}}
                    status, headers, reply = await self._exchange(asked)
                    if status not in _REFUSALS or b"stream" not in reply:
                        return status, headers, reply
                    self._streams = False
                return await self._exchange(plain)
        except TimeoutError:
            raise Fault("timeout", f"no complete reply within {self._timeout:g} s ([llm] timeout)") from None
        except (httpx.HTTPError, ValueError, zlib.error, OSError) as error:
            self.explain(error)

    async def _exchange(self, body: Mapping[str, Any]) -> tuple[int, dict[str, str], bytes]:
        self._on_text("")
        url = f"{self._endpoint.base_url}/chat/completions"
        headers = {"Authorization": f"Bearer {self._endpoint.key or 'none'}", **self._endpoint.headers}
        async with self._http.stream("POST", url, json=dict(body), headers=headers) as response:
            heads = dict(response.headers)
            if "text/event-stream" not in heads.get("content-type", ""):
                return response.status_code, heads, b"".join([part async for part in _capped(response)])
            return response.status_code, heads, await self._gather(response)

    async def _gather(self, response: httpx.Response) -> bytes:
        """The events of a streamed completion as one completion's JSON."""
        whole = Gathered()
        async for event in _events(response):
            if event == "[DONE]":
                break
            whole.take(event)
            if whole.grew:
                self._on_text(whole.text)
        return whole.completion()

    async def close(self) -> None:
        await self._http.aclose()
        await super().close()


class Gathered:
    """Pieces of a completion, put together."""

    def __init__(self) -> None:
        self.text = ""
        self.grew = False
        self._reasoning = self._refusal = ""
        self._head: dict[str, Any] = {}
        self._finish: str | None = None
        self._error: Any = None

    def take(self, event: str) -> None:
        """One event's data; what is no JSON object is passed over."""
        self.grew = False
        try:
            piece = json.loads(event)
        except (ValueError, RecursionError):
            return
        if not isinstance(piece, dict):
            return
        self._error = self._error or piece.get("error")
        for key in ("model", "usage"):
            if piece.get(key):
                self._head[key] = piece[key]
        choices = piece.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        self._finish = str(choice["finish_reason"]) if choice.get("finish_reason") else self._finish
        found = choice.get("delta")
        delta: dict[str, Any] = found if isinstance(found, dict) else {}
        self._reasoning += str(delta.get("reasoning_content") or delta.get("reasoning") or "")
        self._refusal += str(delta.get("refusal") or "")
        content = delta.get("content")
        if isinstance(content, str) and content:
            self.text += content
            self.grew = True

    def completion(self) -> bytes:
        """As `POST /chat/completions` would have answered without streaming."""
        if self._error:
            return json.dumps({"error": self._error}).encode()
        message: dict[str, Any] = {"role": "assistant", "content": self.text, "reasoning_content": self._reasoning}
        if self._refusal:
            message["refusal"] = self._refusal
        # A stream that ends without a reason was broken off: that is no complete reply.
        finish = self._finish or "error"
        return json.dumps(
            {**self._head, "choices": [{"index": 0, "finish_reason": finish, "message": message}]}
        ).encode()


async def _capped(response: httpx.Response) -> AsyncIterator[bytes]:
    size = 0
    async for part in response.aiter_bytes():  # no size: it would wait until so much has come
        size += len(part)
        if size > MAX_BYTES:
            raise Fault("too_big", f"the response is too big: more than {MAX_BYTES // 1024 // 1024} MB")
        yield part


async def _events(response: httpx.Response) -> AsyncIterator[str]:
    """The data of each event; lines end with LF or CRLF, several data lines are joined."""
    buffer = b""
    lines: list[str] = []
    async for part in _capped(response):
        *complete, buffer = (buffer + part).split(b"\n")
        for raw in complete:
            line = raw.rstrip(b"\r").decode("utf-8", "replace")
            if line.startswith("data:"):
                lines.append(line[5:].removeprefix(" "))
            elif not line and lines:
                yield "\n".join(lines)
                lines = []
    rest = buffer.rstrip(b"\r").decode("utf-8", "replace")
    if rest.startswith("data:"):
        lines.append(rest[5:].removeprefix(" "))
    if lines:
        yield "\n".join(lines)
