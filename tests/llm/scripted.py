"""A scripted chat-completions server on a real socket, and a model that reads triples off simple sentences."""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

Handler = Callable[["Exchange"], None]
_SENTENCE = re.compile(
    r"([A-Z][\w'é]+(?: [A-Z][\w'é]+)*) (founded|visited|knows|built) ([A-Z][\w'é]+(?: [A-Z][\w'é]+)*)"
)


@dataclass
class Exchange:
    """One request, and the means to answer it well or badly."""

    connection: socket.socket
    number: int  # from 0, over the server's life
    path: str
    headers: dict[str, str]
    raw: bytes
    closed: bool = False

    @property
    def body(self) -> dict[str, Any]:
        return json.loads(self.raw) if self.raw else {}

    @property
    def prompt(self) -> str:
        return "\n".join(message["content"] for message in self.body["messages"])

    def send(
        self, status: int, body: bytes | dict[str, Any] | list[Any], headers: dict[str, str] | None = None
    ) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = {"Content-Type": "application/json", "Content-Length": str(len(data)), **(headers or {})}
        head = f"HTTP/1.1 {status} X\r\n" + "".join(f"{key}: {value}\r\n" for key, value in lines.items()) + "\r\n"
        self.connection.sendall(head.encode() + data)

    def reset(self) -> None:
        """RST instead of an orderly end."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.closed = True


def completion(content: str | None, *, finish: str | None = "stop", **more: Any) -> dict[str, Any]:
    """A chat completion; `message=`, `usage=` and `model=` change its parts."""
    message = {"role": "assistant", "content": content, **more.pop("message", {})}
    return {
        "id": "x",
        "object": "chat.completion",
        "model": more.pop("model", "test-model"),
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": 700, "completion_tokens": 50, "total_tokens": 750},
        **more,
    }


def extraction_of(passage: str) -> dict[str, Any]:
    """What an honest model would read from sentences like "Ada Northgate founded Lumen Works"."""
    entities: dict[str, dict[str, str]] = {}
    relations = []
    for match in _SENTENCE.finditer(passage):
        source, verb, target = match.groups()
        for name in (source, target):
            entities.setdefault(name, {"text": name, "label": "thing", "description": f"{name}, as told here."})
        relations.append({"source": source, "source_label": "thing", "type": verb, "target": target, "target_label": "thing",
                          "evidence": match.group(), "description": "", "strength": 7})  # fmt: skip
    return {"entities": list(entities.values()), "relations": relations, "gist": f"About {len(relations)} facts."}


def honest(exchange: Exchange) -> None:
    """Answers every pass of kgsite plausibly."""
    exchange.send(200, completion(json.dumps(honest_reply(exchange.prompt), ensure_ascii=False)))


def honest_reply(prompt: str) -> dict[str, Any]:
    if "Passage:\n\n" in prompt:
        return extraction_of(prompt.rsplit("Passage:\n\n", 1)[1])
    if '"entity_types"' in prompt:
        return {
            "entity_types": [{"label": "thing", "description": "Anything."}],
            "relation_types": [{"label": "founded", "description": ""}],
            "reasoning": "Simple.",
        }
    if "ISO 639-1" in prompt:
        return {"language": "de"}
    if '"groups"' in prompt:
        return {"groups": []}
    if '"relations"' in prompt:
        return {"relations": []}
    return overview_reply(prompt)


def overview_reply(prompt: str) -> dict[str, Any]:
    reply: dict[str, Any] = {}
    if "`title`" in prompt:
        reply["title"] = "A tale of founders"
    if "`summary`" in prompt:
        reply["summary"] = f"Told in {len(prompt)} characters."
    if "`communities`" in prompt:
        groups = prompt.partition("Groups:\n")[2].partition("\n\n")[0]
        reply["communities"] = [
            {"id": n, "name": f"Circle {n}", "description": "People."} for n in range(1, groups.count("\n") + 2)
        ]
    if "`descriptions`" in prompt:
        things = re.findall(r"^(\d+)\. (.*)", prompt.partition("Things with several descriptions:\n")[2], re.MULTILINE)
        reply["descriptions"] = [{"id": int(n), "description": f"All about {name}."} for n, name in things]
    return reply


@dataclass
class Server:
    """Serves until closed. `requests` are the exchanges so far; `inflight` the most at once."""

    handler: Handler
    requests: list[Exchange] = field(default_factory=list)
    most_inflight: int = 0

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._inflight = 0
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._socket.getsockname()[1]
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def chats(self) -> list[Exchange]:
        return [exchange for exchange in self.requests if exchange.path.endswith("/chat/completions")]

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._open.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        reader = connection.makefile("rb")
        try:
            while line := reader.readline():
                path = line.split()[1].decode()
                headers: dict[str, str] = {}
                while (head := reader.readline().strip()) and b":" in head:
                    name, _, value = head.decode().partition(":")
                    headers[name.lower()] = value.strip()
                length = int(headers.get("content-length", "0"))
                raw = reader.read(length)
                if len(raw) < length:  # the client died while it was sending
                    return
                with self._lock:
                    exchange = Exchange(connection, len(self.requests), path, headers, raw)
                    self.requests.append(exchange)
                    self._inflight += 1
                    self.most_inflight = max(self.most_inflight, self._inflight)
                try:
                    self.handler(exchange)
                finally:
                    with self._lock:
                        self._inflight -= 1
                if exchange.closed:
                    return
        except (OSError, ValueError, IndexError):
            return
        finally:
            reader.close()
            connection.close()
            self._open.discard(connection)

    def close(self) -> None:
        self._socket.close()
        for connection in list(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


@contextmanager
def serving(handler: Handler = honest) -> Iterator[Server]:
    server = Server(handler)
    try:
        yield server
    finally:
        server.close()


def one_after_another(*handlers: Handler) -> Handler:
    """The first request gets the first handler; the last one answers all that follow."""
    return lambda exchange: handlers[min(exchange.number, len(handlers) - 1)](exchange)


def slow(seconds: float, then: Handler = honest) -> Handler:
    def handle(exchange: Exchange) -> None:
        time.sleep(seconds)
        then(exchange)

    return handle
