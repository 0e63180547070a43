"""The library page: add documents or addresses, see what they cost, start, watch, cancel, land on the new page.

Served only, never built. Every request but the page itself needs the token of this run.
"""

from __future__ import annotations

import asyncio
import json
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tornado.web import HTTPError

from kgsite.errors import KgsiteError, UsageError
from kgsite.serve.guard import PREFIX
from kgsite.serve.inbox import LARGEST_FILE, SUFFIXES, Batch, Inbox
from kgsite.serve.pages import BaseHandler

if TYPE_CHECKING:
    from kgsite.serve.server import Server

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PLAN_TIMEOUT = 300.0  # seconds; a build may be running before


class Library:
    """The batches of this run and the one that is being built."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.inbox = Inbox(server.root / ".kgsite" / "cache" / "inbox")
        self.running: Batch | None = None
        self._plans: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._planned = 0

    # ── plan ──────────────────────────────────────────────────────────────────────────────────────
    async def plan(self, batch: Batch) -> dict[str, Any]:
        """Chunks, tokens and cost of a batch, from the worker's dry run. Raises UsageError when it can't say."""
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._planned += 1
        name = f"plan-{self._planned}"  # a batch may be planned again before its last plan has come
        self._plans[name] = future
        self.server.builder.order("plan", id=name, folder=str(batch.folder))
        try:
            async with asyncio.timeout(_PLAN_TIMEOUT):
                return await future
        except TimeoutError:
            raise UsageError(
                "the plan takes too long: a build is running", hint="wait for it, then ask again"
            ) from None
        finally:
            self._plans.pop(name, None)

    def planned(self, event: dict[str, Any]) -> bool:
        """Hand a plan (or its failure) to who waits for it; whether the event was one."""
        future = self._plans.get(str(event.get("id")))
        if future is None or future.done():
            return False
        if event["event"] == "planned":
            future.set_result(event)
        else:
            errors = event.get("errors") or [{"message": "the plan was stopped"}]
            future.set_exception(UsageError("; ".join(str(error["message"]) for error in errors)))
        return True

    # ── start and cancel ──────────────────────────────────────────────────────────────────────────
    def start(self, batch: Batch) -> list[str]:
        if self.running is not None:
            raise UsageError("another batch is being built", hint="wait for it or cancel it")
        if not batch.names():
            raise UsageError("there is nothing to add yet")
        placed = self.inbox.place(batch, self.server.content)
        batch.started, batch.outcome, batch.addresses = tuple(placed), "", {}
        self.running = batch
        self.server.changed(placed)
        return placed

    def cancel(self) -> None:
        """Stop the build of the batch; while it still waits for the one before, it just does not begin."""
        if self.running is None:
            return
        if self._waits(self.running):
            self._conclude(self.running, "stopped")
        else:
            self.server.builder.interrupt()

    def ended(self, addresses: dict[str, str], *, stopped: bool) -> None:
        """A build is over. After a stop, the documents that were not extracted leave content/ again."""
        batch = self.running
        if batch is None:
            return
        batch.addresses |= {name: page for name, page in addresses.items() if name in batch.placed}
        if not self._waits(batch):
            self._conclude(batch, "stopped" if stopped else str(self.server.channel.state["phase"]))

    def _waits(self, batch: Batch) -> bool:
        """Whether the build of this batch has not begun: one that was running before goes on."""
        return not self.server.waiting.isdisjoint(batch.placed)

    def _conclude(self, batch: Batch, outcome: str) -> None:
        self.running, batch.outcome = None, outcome
        if outcome == "stopped":
            self.inbox.take_back(batch, self._extracted(batch) | set(batch.addresses))
            self.server.changed(["library"])
        batch.placed.clear()

    def state(self, batch: Batch) -> dict[str, Any]:
        """What a page needs that was loaded again, or heard that a build is over."""
        return {
            "batch": batch.id,
            "files": batch.names(),
            "running": batch is self.running,
            "started": list(batch.started),
            "outcome": batch.outcome,
            "addresses": batch.addresses,
            "losses": self.server.channel.state.get("losses", []) if batch.outcome == "ready" else [],
        }

    def _extracted(self, batch: Batch) -> set[str]:
        from kgsite.model import SourcePath
        from kgsite.store import Store

        store = Store(self.server.root)
        return {name for name in batch.placed if store.graph_file(SourcePath(name)).is_file()}

    def close(self) -> None:
        self.inbox.close()


class LibraryPage(BaseHandler):
    """The page itself."""

    def get(self) -> None:
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Content-Security-Policy", CSP)
        self.write(_page(self.server))


class LibraryApi(BaseHandler):
    """add, url, drop, plan, start, cancel, state. The guard has seen the token; `library` is None on a network."""

    async def post(self, what: str) -> None:
        self.set_header("Content-Type", "application/json; charset=utf-8")
        library = self.server.library
        if library is None:
            raise HTTPError(404)
        try:
            answer = await self._do(library, what)
        except KgsiteError as error:
            self.set_status(400)
            answer = {"error": error.message, "hint": error.hint}
        self.finish(json.dumps(answer))

    async def _do(self, library: Library, what: str) -> dict[str, Any]:
        if what == "cancel":
            library.cancel()
            return {}
        batch = library.inbox.batch(self.get_query_argument("batch", ""))
        name = self.get_query_argument("name", "", strip=False)
        if what == "add":
            added = library.inbox.add(batch, name, self.request.body)
            return {"batch": batch.id, "added": added, "files": batch.names()}
        if what == "url":
            library.inbox.add(batch, *_shortcut(self.request.body), suffix_checked=True)
        elif what == "drop":
            library.inbox.drop(batch, name)
        elif what == "plan":
            return await library.plan(batch)
        elif what == "start":
            return {"paths": library.start(batch)}
        elif what == "state":
            return library.state(batch)
        else:
            raise HTTPError(404)
        return {"batch": batch.id, "files": batch.names()}


def _shortcut(body: bytes) -> tuple[str, bytes]:
    """Name and bytes of the `.url` file for an address. Raises FetchError when it is none that may be fetched."""
    from kgsite.readers.addresses import checked_url
    from kgsite.readers.listing import name_of

    url = checked_url(body.decode("utf-8", "replace").strip())
    name = name_of(url) or urlsplit(url).netloc
    return f"{name}.url", f"[InternetShortcut]\nURL={url}\n".encode()


def _page(server: Server) -> str:
    def t(key: str, **values: object) -> str:
        return escape(server.phrases.t(f"library.{key}", **values))

    accept = escape(",".join(SUFFIXES))
    intro = t("intro").replace("{folder}", "<code>content/</code>")
    limits = t("limits", kinds=" ".join(SUFFIXES), size=f"{LARGEST_FILE >> 20} MiB")
    return f"""<!doctype html>
<html lang="{server.phrases.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{t("title")}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{PREFIX}static/library.css">
</head>
<body>
<main>
<p><a href="{escape(server.mount)}">{t("back")}</a></p>
<h1>{t("title")}</h1>
<p>{intro}</p>
<label id="drop" for="files">{t("drop")}
<input id="files" type="file" multiple accept="{accept}" data-largest="{LARGEST_FILE}"></label>
<p class="note">{limits}</p>
<div class="fields">
<label for="text">{t("text")}</label>
<input id="title" placeholder="{t("name")}" aria-label="{t("name.label")}" maxlength="100">
<textarea id="text" rows="5"></textarea>
<button id="paste" type="button">{t("add_text")}</button>
<label for="url">{t("address")}</label>
<input id="url" type="url" placeholder="https://" inputmode="url">
<button id="fetch" type="button">{t("add_address")}</button>
</div>
<section aria-labelledby="plan-title">
<h2 id="plan-title">{t("plan")}</h2>
<ul id="documents"></ul>
<p id="cost" role="status">{t("nothing")}</p>
<p id="problems" role="alert"></p>
<button id="start" type="button" disabled>{t("start")}</button>
<button id="cancel" type="button" hidden>{t("cancel")}</button>
</section>
<section aria-labelledby="progress-title">
<h2 id="progress-title">{t("progress")}</h2>
<progress id="bar" max="1" value="0" hidden aria-labelledby="progress-title"></progress>
<p id="phase" role="status">{t("idle")}</p>
<ul id="pages"></ul>
</section>
</main>
{server.tag().decode()}
<script src="{PREFIX}static/library.js"></script>
</body>
</html>
"""
