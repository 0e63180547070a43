"""The reload channel: livereload's protocol over a websocket of this server.

`hello`, `info`, `reload` and `alert` are those of protocol 7 (livereload.com/protocols/official-7), so its clients
work. Our own page script reads a little more from the same messages: `build` (number of the site shown) and
`kgsite` (what the server is doing, and errors with their place).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from livereload.handlers import LiveReloadHandler
from tornado.escape import json_decode
from tornado.websocket import WebSocketClosedError

if TYPE_CHECKING:
    from kgsite.serve.guard import Guard

PROTOCOL = "http://livereload.com/protocols/official-7"
_LONGEST_MESSAGE = 16_384  # bytes; a browser sends its address, no more


class Channel:
    """The pages that listen, and the state that a page is told when it begins to listen."""

    def __init__(self) -> None:
        self.listeners: set[ReloadSocket] = set()
        self.build = 0  # raised with every published change
        self.state: dict[str, Any] = {"phase": "ready"}

    def tell(self, **state: Any) -> None:
        """Replace the state (phase, progress, errors) and tell it. Errors also go as livereload's `alert`."""
        self.state = state
        message: dict[str, Any] = {"command": "alert" if state.get("errors") else "kgsite", "kgsite": state}
        if state.get("errors"):
            message["message"] = "\n".join(f"{e['place']}: {e['message']}".strip(": ") for e in state["errors"])
        self._send(message)

    def reload(self, path: str) -> None:
        """Tell that the site changed: `*.css` when styles are all that did."""
        self.build += 1
        css = path.endswith(".css")
        self._send({"command": "reload", "path": path, "liveCSS": css, "liveImg": False, "build": self.build})

    def hello(self) -> dict[str, Any]:
        return {
            "command": "hello",
            "protocols": [PROTOCOL],
            "serverName": "kgsite",
            "build": self.build,
            "kgsite": self.state,
        }

    def _send(self, message: Mapping[str, Any]) -> None:
        for listener in list(self.listeners):
            listener.send(message)

    def close(self) -> None:
        for listener in list(self.listeners):
            listener.close(1001, "the server ends")
        self.listeners.clear()


class ReloadSocket(LiveReloadHandler):  # type: ignore[misc]
    """livereload's websocket with the checks that it leaves out; its shared lists and watcher are not used."""

    channel: Channel
    guard: Guard

    def initialize(self, channel: Channel, guard: Guard) -> None:
        self.channel, self.guard = channel, guard

    def check_origin(self, origin: str) -> bool:
        """The Origin of our own pages only; the guard of the application has looked before."""
        host = self.request.headers.get("Host", "")
        return self.guard.knows(host) and origin == f"http://{host}"

    def on_message(self, message: str | bytes) -> None:
        try:
            said = json_decode(message[:_LONGEST_MESSAGE])
            command = said.get("command")
        except (ValueError, AttributeError, RecursionError):
            self.close(1003, "not a message of the protocol")
            return
        if command == "hello":
            self.send(self.channel.hello())
            self.channel.listeners.add(self)

    def on_close(self) -> None:
        self.channel.listeners.discard(self)

    def send(self, message: Mapping[str, Any]) -> None:
        try:
            self.write_message(dict(message))
        except WebSocketClosedError:
            self.channel.listeners.discard(self)

    def on_pong(self, data: bytes) -> None:
        """Nothing to do: tornado closes sockets that do not answer."""
