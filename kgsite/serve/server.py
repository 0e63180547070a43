"""`kgsite serve`: the application, the builds that changes ask for, and the life of the process."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import importlib
import logging
import os
import signal
import socket
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.httputil import HTTPServerRequest
from tornado.web import Application

from kgsite.errors import ConfigError, KgsiteError, UsageError
from kgsite.report import plural, printable
from kgsite.serve.builder import Builder
from kgsite.serve.channel import Channel, ReloadSocket
from kgsite.serve.faults import faults_of
from kgsite.serve.guard import PREFIX, is_loopback, make_guard, mount_of
from kgsite.serve.inbox import LARGEST_FILE
from kgsite.serve.library import Library, LibraryApi, LibraryPage
from kgsite.serve.pages import Gate, Refused, SiteHandler, StaticHandler, page_tag
from kgsite.serve.phrases import Phrases
from kgsite.serve.watch import Watched, Watcher

DEFAULT_PORT = 8000
_PORTS_TRIED = 50
_LOCKED_RETRY = 1.0  # seconds until a build is tried again that another kgsite kept out
_CLOSING = 0.2  # seconds for open answers to end

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Flags of `kgsite serve`."""

    root: Path
    env: str = ""
    host: str = "127.0.0.1"
    port: int | None = None  # None: the first free one from DEFAULT_PORT
    open_browser: bool = False
    poll: bool = False
    drafts: bool | None = None
    allow_network: bool = False


def serve(options: ServeOptions, say: Say) -> int:
    """Serve until Ctrl-C; returns the exit code: 0, or 130 when that cut work short. Raises UsageError."""
    if not is_loopback(options.host) and not options.allow_network:
        raise UsageError(
            f"--host {options.host} would let other machines in",
            hint="add --allow-network; the Ask panel and the library page are off then",
        )
    logging.getLogger("tornado.general").setLevel(logging.ERROR)  # broken requests are nobody's news
    sockets, port = bind(options.host, options.port, say)
    try:
        server = Server(options, port, say)
    except BaseException:
        for each in sockets:
            each.close()
        raise
    return asyncio.run(server.run(sockets))


def bind(host: str, port: int | None, say: Say) -> tuple[list[socket.socket], int]:
    """Take the port before anything is built: the chosen one or none, the next free one by default."""
    if port is not None:
        try:
            taken = _listen(host, port)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise UsageError(f"port {port} can't be used: {why}", hint="leave --port out to take a free one") from error
        return [taken], taken.getsockname()[1]
    for candidate in range(DEFAULT_PORT, DEFAULT_PORT + _PORTS_TRIED):
        try:
            taken = _listen(host, candidate)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise UsageError(f"--host {host} is no address of this machine") from error
            continue
        if candidate != DEFAULT_PORT:
            say(f"port {DEFAULT_PORT} is taken, so this is {candidate}")
        return [taken], candidate
    raise UsageError(f"no port from {DEFAULT_PORT} to {DEFAULT_PORT + _PORTS_TRIED - 1} is free", hint="use --port")


def _listen(host: str, port: int) -> socket.socket:
    """A listening socket. Raises OSError."""
    address = "127.0.0.1" if host.lower() == "localhost" else host.strip("[]")
    family, kind, protocol, _, where = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
    made = socket.socket(family, kind, protocol)
    try:
        if os.name != "nt":  # there it would let two servers share a port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(where)
        made.listen(128)
        made.setblocking(False)
    except BaseException:
        made.close()
        raise
    return made


class Guarded(Application):
    """Asks the guard before any handler is chosen, so that no route can be forgotten."""

    def __init__(self, server: Server, routes: Sequence[Any]) -> None:
        self.server = server
        super().__init__(list(routes), websocket_ping_interval=20, websocket_max_message_size=65_536)

    def find_handler(self, request: HTTPServerRequest, **kwargs: Any) -> Any:
        refusal = self.server.guard.refusal(request)
        if refusal is not None:
            arguments = {"server": self.server, "status": refusal.status, "reason": refusal.reason}
            return self.get_handler_delegate(request, Refused, arguments)
        return super().find_handler(request, **kwargs)

    def log_request(self, handler: Any) -> None:
        """Requests are nobody's news."""


class Server:
    """The state of one run. Panels (`ask_routes`) are given it and may use every public name here."""

    def __init__(self, options: ServeOptions, port: int, say: Say) -> None:
        self.options, self.port, self.say = options, port, say
        self.root = options.root.resolve()
        self.env = options.env
        self.flags: dict[str, Any] = {} if options.drafts is None else {"build.drafts": options.drafts}
        self.network = not is_loopback(options.host)
        self.guard = make_guard(options.host, port, network=self.network, machine=socket.gethostname())
        self.token = self.guard.token
        self.phrases = Phrases(self.root, self.env, self.flags)
        self.channel = Channel()
        self.gate = Gate()
        self.mount, self.content, self.output = "/", self.root / "content", self.root / "_site"
        self.library = None if self.network else Library(self)
        self.builder = Builder(self.root, self.env, self.flags, self._hear)
        self.panels: tuple[str, ...] = ()  # names of panels' scripts and styles
        self.after_build: list[Callable[[], None]] = []  # called when a new site was published
        self.building = False
        self.warming = False  # the running build changes nothing and is told to nobody
        self.waiting: set[str] = set()  # changed since the running build began
        self.unpublished: set[str] = set()  # changed since the last good site
        self._end = asyncio.Event()
        self._code = 0
        self._published: Any = None  # which site the pages show: another kgsite may publish between two builds
        self._told: list[str] = []
        self._first_settings()

    def _first_settings(self) -> None:
        """Mount and output before the first build. A broken site.toml is told by that build, in the page."""
        from kgsite.project import open_project
        from kgsite.serve.worker import settings_for_server

        with contextlib.suppress(ConfigError):
            self._take(settings_for_server(open_project(self.root, env=self.env, flags=self.flags)))

    # ── what the pages get ────────────────────────────────────────────────────────────────────────
    @property
    def has_site(self) -> bool:
        return (self.output / "index.html").is_file()

    @property
    def url(self) -> str:
        host = self.options.host if self.network and self.options.host not in ("0.0.0.0", "::") else "127.0.0.1"  # noqa: S104
        return f"http://{host}:{self.port}{self.mount}"

    def tag(self) -> bytes:
        """The tag added to HTML on the wire."""
        token = "" if self.network else self.token
        return page_tag(
            token=token,
            build=self.channel.build,
            mount=self.mount,
            library=self.library is not None,
            extra=self.panels,
            words=self.phrases.island(),
        )

    def routes(self) -> list[Any]:
        here = {"server": self}
        own: list[Any] = [
            (rf"{PREFIX}livereload", ReloadSocket, {"channel": self.channel, "guard": self.guard}),
            (rf"{PREFIX}static/([a-z]+\.(?:js|css))", StaticHandler, here),
        ]
        if self.library is not None:
            own.append((rf"{PREFIX}library", LibraryPage, here))
            own.append((rf"{PREFIX}api/library/([a-z]+)", LibraryApi, here))
            own += self._panel_routes()
        own.append((rf"{PREFIX}.*", Refused, {**here, "status": 404, "reason": "there is no such page"}))
        own.append((r"(/.*)", SiteHandler, here))
        return own

    def _panel_routes(self) -> list[Any]:
        """Routes of the Ask panel, when it is installed."""
        try:
            module = importlib.import_module("kgsite.serve.ask_routes")
        except ModuleNotFoundError as error:
            if error.name != "kgsite.serve.ask_routes":
                raise
            return []
        self.panels = ("ask",)
        return list(module.routes(self))

    # ── builds ────────────────────────────────────────────────────────────────────────────────────
    def changed(self, paths: list[str]) -> None:
        """Something differs from what the site was made of: build, now or when the running build has ended."""
        self.waiting.update(paths)
        if self.warming:
            self.channel.tell(phase="building")
        self._next()

    def build_lost_site(self, asked: str) -> None:
        """Build when a page is asked for and the site is gone from under the server."""
        if asked.endswith(("/", ".html")) and not self.has_site and not self.building:
            self.changed([self.output.name])

    def _next(self) -> None:
        if self.building or not self.waiting:
            return
        self.building = True
        self.unpublished |= self.waiting
        self.waiting.clear()
        self.channel.tell(phase="building")
        self.builder.order("build")

    def _hear(self, event: dict[str, Any]) -> None:
        """One event of the worker."""
        name = event["event"]
        if name in ("planned", "failed", "stopped") and self.library is not None and self.library.planned(event):
            return
        heard = getattr(self, f"_on_{name}", None)
        if heard is not None:
            heard(event)

    def _on_settings(self, event: dict[str, Any]) -> None:
        self._take(event)

    def _take(self, settings: dict[str, Any]) -> None:
        self.content, self.output = Path(settings["content"]), Path(settings["output"])
        self.mount = mount_of(settings["base_url"])

    def _on_publishing(self, _event: dict[str, Any]) -> None:
        async def let_go() -> None:
            await self.gate.close()
            self.builder.order("go")

        self._letting = asyncio.ensure_future(let_go())

    def _on_stage(self, event: dict[str, Any]) -> None:
        self.channel.tell(phase="building", stage=event["stage"])

    def _on_progress(self, event: dict[str, Any]) -> None:
        keys = ("stage", "done", "total", "unit", "label", "left")
        self.channel.tell(phase="building", **{key: event.get(key) for key in keys})

    def _on_built(self, event: dict[str, Any]) -> None:
        self._finish()
        losses = event["notices"][: event["losses"]]
        changed = event["changed"] or self._published not in (None, event["site"])
        self._published = event["site"]
        if event["warm"] and not changed:
            self._next()
            return
        if changed:
            styles = bool(self.unpublished) and all(path.endswith(".css") for path in self.unpublished)
            self.channel.reload("*.css" if styles else "*")
        self.unpublished.clear()
        self._said(event)
        self.channel.tell(phase="ready", losses=losses, addresses=event["addresses"], seconds=event["seconds"])
        if self.library is not None:
            self.library.ended(event["addresses"], stopped=False)
        for call in self.after_build if changed else ():
            call()
        self._next()
        if event["cold"] and not self.building:
            self.building = self.warming = True
            self.builder.order("warm")

    def _said(self, event: dict[str, Any]) -> None:
        totals = event["totals"]
        pages = plural(totals.get("rendered") or 0, "page")
        change = f"{pages} rendered" if event["changed"] else "nothing changed"
        self.say(f"{plural(totals.get('documents') or 0, 'document')}, {change} ({event['seconds']:.2f} s)")
        for line in event["notices"]:
            if line not in self._told:
                self.say(f"  {printable(line)}")
        self._told = event["notices"]

    def _on_failed(self, event: dict[str, Any]) -> None:
        self._finish()
        errors = event["errors"]
        if any(error["code"] == "store" and "another kgsite" in error["message"] for error in errors):
            self.channel.tell(phase="waiting", message="another kgsite is building this project")
            asyncio.get_running_loop().call_later(_LOCKED_RETRY, self.changed, ["."])
            return
        for error in errors:
            place = f"{printable(error['place'])}: " if error["place"] else ""
            self.say(f"error: {place}{printable(error['message'])}")
        self.channel.tell(phase="failed", errors=errors)
        if self.library is not None:
            self.library.ended({}, stopped=False)
        self._next()

    def _on_stopped(self, _event: dict[str, Any]) -> None:
        self._finish()
        self.say("stopped; finished documents and replies are kept")
        self.channel.tell(phase="stopped")
        if self.library is not None:
            self.library.ended({}, stopped=True)
        self._next()

    def _on_died(self, event: dict[str, Any]) -> None:
        error = KgsiteError(f"the building process ended unexpectedly (code {event['code']})")
        self._on_failed({"errors": faults_of(error, self.root)})

    def _finish(self) -> None:
        self.building = self.warming = False
        self.gate.open()

    # ── life ──────────────────────────────────────────────────────────────────────────────────────
    def _watched(self) -> Watched:
        return Watched(
            self.root,
            (self.content, self.root / "themes"),
            ("site.toml", "site.*.toml"),
            (self.output, self.root / ".kgsite"),
        )

    async def run(self, sockets: list[socket.socket]) -> int:
        """Serve until a signal; returns the exit code."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(number, self.end)
        http = HTTPServer(Guarded(self, self.routes()), max_body_size=LARGEST_FILE, max_buffer_size=2 * LARGEST_FILE)
        http.add_sockets(sockets)
        watcher = Watcher(self._watched, self.changed, poll=self.options.poll, say=self.say)
        watching = asyncio.create_task(watcher.run())
        try:
            await self.builder.start()
            self.say(f"serving {self.url} (Ctrl-C ends it)")
            self.changed(["."])
            if self.options.open_browser:
                await asyncio.to_thread(webbrowser.open, self.url)
            await self._end.wait()
        finally:
            await self._close(http, watching)
        return self._code

    def end(self) -> None:
        """Begin to end: what Ctrl-C does."""
        if self.building and not self.warming:
            self._code = 130
            self.say("interrupted: every finished document and reply is kept; the next build goes on from there")
        self._end.set()

    async def _close(self, http: HTTPServer, watching: asyncio.Task[None]) -> None:
        http.stop()
        self.channel.close()
        watching.cancel()
        self.gate.open()
        await self.builder.stop()
        if self.library is not None:
            self.library.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CLOSING):
                await http.close_all_connections()
        await asyncio.wait([watching], timeout=_CLOSING)
