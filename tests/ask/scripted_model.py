"""A scripted model behind a real socket that reads the facts of its prompt, and the ways in which it answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.llm.scripted import Exchange, Handler, completion

Reply = Callable[["Given"], str]


@dataclass(frozen=True)
class Given:
    """What a request of `kgsite ask` holds."""

    system: str
    user: str

    @property
    def facts(self) -> dict[int, dict[str, Any]]:
        """Number → fact, read line by line as the prompt promises them."""
        rows = [json.loads(line) for line in self.block("facts").splitlines()]
        return {row["n"]: row for row in rows}

    @property
    def question(self) -> str:
        return str(json.loads(self.user.rsplit("as a JSON string: ", 1)[1]))

    @property
    def earlier(self) -> list[dict[str, str]]:
        return [json.loads(line) for line in self.block("earlier").splitlines()]

    def block(self, name: str) -> str:
        found = re.findall(rf"^<{name}>\n(.*?)\n?^</{name}>$", self.user, re.DOTALL | re.MULTILINE)
        assert len(found) == 1, f"{len(found)} blocks {name}"
        return str(found[0])

    def number(self, *words: str) -> int:
        """The fact whose subject, predicate and object hold these words in turn."""
        wanted = [word.casefold() for word in words]
        for n, row in self.facts.items():
            if all(word in part.casefold() for word, part in zip(wanted, row["fact"], strict=False)):
                return n
        raise AssertionError(f"no fact {words} among {len(self.facts)}")


def given(exchange: Exchange) -> Given:
    messages = exchange.body["messages"]
    assert [message["role"] for message in messages] == ["system", "user"]
    return Given(messages[0]["content"], messages[1]["content"])


def stream(exchange: Exchange, text: str, *, pieces: int = 7, end: bool = True, usage: bool = True) -> None:
    """Server-sent events of a few characters each; without `end` the connection breaks off."""
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n\r\n"
    exchange.connection.sendall(head.encode())

    def event(value: Any) -> None:
        exchange.connection.sendall(f"data: {json.dumps(value)}\n\n".encode())

    exchange.connection.sendall(b": a comment, as some servers send it\n\n")
    for at in range(0, len(text), pieces):
        event({"model": "test-model", "choices": [{"index": 0, "delta": {"content": text[at : at + pieces]}}]})
    if end:
        event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        if usage:
            event({"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 40}})
        exchange.connection.sendall(b"data: [DONE]\n\n")
    exchange.connection.close()
    exchange.closed = True


def answering(reply: Reply | str, *, streams: bool = True) -> Handler:
    """Answers each question with `reply`, in pieces when it is asked to stream and `streams`."""

    def handle(exchange: Exchange) -> None:
        text = reply if isinstance(reply, str) else reply(given(exchange))
        if streams and exchange.body.get("stream"):
            stream(exchange, text)
        else:
            exchange.send(200, completion(text))

    return handle
