"""The Ask panel's end in the preview: one question at a time, a budget, and the token of this run for everything.

GET /-kgsite/ask gives model, budget and whether a question is being answered; POST asks; DELETE stops the answer that
is on its way, and so does hanging up. Answers have the shape of `kgsite ask --json`, with links below the site's root
only. With `"stream": true` the answer comes as lines of JSON: {"text": …} with the checked text so far, as often as it
grows, and the answer or {"error": …} at the end.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from tornado.iostream import StreamClosedError

from kgsite.errors import ExtractError, KgsiteError, UsageError
from kgsite.serve.guard import PREFIX
from kgsite.serve.pages import BaseHandler

if TYPE_CHECKING:
    from kgsite.ask.asker import Asker
    from kgsite.ask.records import Answer, Turn
    from kgsite.serve.server import Server

OnText = Callable[[str], None]
T = TypeVar("T")
DEFAULT_REQUESTS = 100
"""Requests that one run of the preview may spend on questions when `[extract] max_requests` says nothing."""
LONGEST_QUESTION = 2_000
_CONVERSATIONS = 20  # kept, the latest ones


def routes(server: Server) -> list[tuple[str, type[BaseHandler], dict[str, Any]]]:
    """The handlers of the panel, for the server's application."""
    return [(rf"{PREFIX}ask", AskHandler, {"server": server, "panel": AskPanel(server)})]


class AskPanel:
    """Questions of one run: the asker over the stored graphs, what it may spend, and the conversations."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.busy = False
        self._stopped = False
        self._asker: Asker | None = None
        self._stale = True
        self._conversations: OrderedDict[str, list[Turn]] = OrderedDict()
        server.after_build.append(self._forget)

    def _forget(self) -> None:
        """The site changed: the next question is answered from the new graphs."""
        self._stale = True

    # ── answers ───────────────────────────────────────────────────────────────────────────────────
    async def ask(self, question: str, conversation: str, on_text: OnText | None = None) -> dict[str, Any]:
        """An answer as JSON data; `on_text` gets the checked text so far, in another thread.

        Raises UsageError when another one is on its way, KgsiteError when it fails.
        """
        if self.busy:
            raise UsageError("another question is being answered", hint="wait for it, or stop it")
        self.busy, self._stopped = True, False
        try:
            return await _in_thread(lambda: self._answer(question, conversation, on_text))
        finally:
            self.busy = False

    def _answer(self, question: str, conversation: str, on_text: OnText | None) -> dict[str, Any]:
        from kgsite.ask import as_json, turn_of

        asker = self._current()
        if self._stopped:
            raise ExtractError("the question was stopped before the answer came")
        history = self._conversations.setdefault(conversation, [])
        self._conversations.move_to_end(conversation)
        while len(self._conversations) > _CONVERSATIONS:
            self._conversations.popitem(last=False)
        answer = asker.answer(question, history=history, on_text=on_text)
        history.append(turn_of(answer))
        del history[: -max(1, asker.settings.query.history_turns)]
        value = as_json(answer, asker.index)
        value["facts"] = value["facts"][: _shown(answer)]
        value["more"] = len(answer.facts) - len(value["facts"])
        value["reasons"] = [{"code": reason.code, "values": dict(reason.values)} for reason in answer.reasons]
        return value

    def _current(self) -> Asker:
        """The asker over the graphs of the last build; what was spent goes on counting after a build."""
        if self._asker is not None and not self._stale:
            return self._asker
        from kgsite.ask.asker import Asker
        from kgsite.ask.opening import stored_collection
        from kgsite.project import open_project
        from kgsite.replystore import ReplyStore
        from kgsite.report import Report

        self._stale = False
        project = open_project(self.server.root, env=self.server.env, flags=self.server.flags)
        settings = project.settings
        allowed = settings.extract.max_requests or DEFAULT_REQUESTS
        settings = replace(settings, extract=replace(settings.extract, max_requests=allowed))
        collection = stored_collection(project, Report())
        made = Asker(collection, settings, store=ReplyStore(project.store.replies), environ=project.world.environ)
        before, self._asker = self._asker, made
        if before is not None:
            if before.client is not None and made.client is not None:
                made.client.budget.requests, made.client.budget.tokens = (
                    before.client.budget.requests,
                    before.client.budget.tokens,
                )
            before.close()
        return made

    def stop(self) -> None:
        """End the answer that is on its way; what was spent on it is spent."""
        self._stopped = True
        if self._asker is not None and self.busy:
            threading.Thread(target=self._asker.close, daemon=True).start()

    # ── what the panel shows ──────────────────────────────────────────────────────────────────────
    async def state(self) -> dict[str, Any]:
        """Model and budget. Raises KgsiteError while there is no graph or [llm] is wrong."""
        asker = self._asker if self._asker is not None and not self._stale else None
        if asker is None and not self.busy:
            asker = await _in_thread(self._current)
        return {"busy": self.busy, "model": asker.model if asker else "", "budget": self.budget()}

    def budget(self) -> dict[str, int]:
        """What this run has spent on questions, and the most that it may; 0 = no limit."""
        client = self._asker.client if self._asker else None
        if client is None or self._asker is None:
            return {"requests": 0, "max_requests": 0, "tokens": 0, "max_tokens": 0}
        limits = self._asker.settings.extract
        return {
            "requests": client.budget.requests,
            "max_requests": limits.max_requests,
            "tokens": client.budget.tokens,
            "max_tokens": limits.max_tokens_total,
        }


class AskHandler(BaseHandler):
    """GET, POST and DELETE of /-kgsite/ask."""

    def initialize(self, server: Server, panel: AskPanel, **_more: Any) -> None:  # type: ignore[override]
        super().initialize(server)
        self.panel = panel
        self._asking = self._streaming = False

    def prepare(self) -> None:
        self.set_header("Content-Type", "application/json; charset=utf-8")
        if not self.server.guard.has_token(self.request):
            self._tell({"error": "the token of this run is missing", "hint": "reload the page"}, 403)

    async def get(self) -> None:
        await self._answer(self.panel.state())

    async def post(self) -> None:
        try:
            asked = json.loads(self.request.body)
            question, conversation = " ".join(str(asked["question"]).split()), str(asked.get("conversation", ""))[:64]
            streams = asked.get("stream") is True
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            self._tell({"error": "a question is expected", "hint": ""}, 400)
            return
        if not question or len(question) > LONGEST_QUESTION:
            self._tell({"error": f"a question has 1 to {LONGEST_QUESTION} characters", "hint": ""}, 400)
            return
        self._asking = not self.panel.busy
        if streams and self._asking:
            await self._stream(question, conversation)
        else:
            await self._answer(self.panel.ask(question, conversation))

    async def _stream(self, question: str, conversation: str) -> None:
        """Lines of JSON while the answer grows; texts that come faster than they are read are left out."""
        self._streaming = True
        self.set_header("Content-Type", "application/x-ndjson; charset=utf-8")
        loop, grown = asyncio.get_running_loop(), asyncio.Event()
        latest = [""]

        def heard(text: str) -> None:
            latest[0] = text
            with contextlib.suppress(RuntimeError):  # the server has ended meanwhile
                loop.call_soon_threadsafe(grown.set)

        answer = asyncio.ensure_future(self.panel.ask(question, conversation, heard))
        try:
            while not answer.done():
                growing = asyncio.ensure_future(grown.wait())
                await asyncio.wait({answer, growing}, return_when=asyncio.FIRST_COMPLETED)
                growing.cancel()
                if grown.is_set():
                    grown.clear()
                    await self._line({"text": latest[0]})
            await self._answer(answer)
        except StreamClosedError:
            with contextlib.suppress(KgsiteError):  # nobody is there to be told
                await answer

    async def _line(self, value: dict[str, Any]) -> None:
        from kgsite.site.escape import to_json

        self.write(to_json(value) + b"\n")
        await self.flush()

    def on_connection_close(self) -> None:
        """Nobody listens any more: the question is stopped, so that it costs nothing further."""
        if self._asking:
            self.panel.stop()

    def delete(self) -> None:
        self.panel.stop()
        self._tell({})

    async def _answer(self, work: Any) -> None:
        try:
            value = await work
        except UsageError as error:
            self._tell({"error": error.message, "hint": error.hint}, 409)
        except KgsiteError as error:
            self._tell({"error": error.message, "hint": error.hint}, 502)
        else:
            self._tell(value)

    def _tell(self, value: dict[str, Any], status: int = 200) -> None:
        from kgsite.site.escape import to_json

        if not self._streaming:
            self.set_status(status)
        self.finish(to_json({**value, "budget": value.get("budget", self.panel.budget())}))

    def check_xsrf_cookie(self) -> None:
        """There are no cookies; the token of the run stands in a header that no other site can set."""


def _shown(answer: Answer) -> int:
    return answer.cited if answer.mode == "answer" else answer.nearest


async def _in_thread(work: Callable[[], T]) -> T:
    """Run blocking work beside the event loop, in a daemon thread: an answer on its way never holds up the end."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def tell(setter: Callable[[Any], None], outcome: Any) -> None:
        def settle() -> None:
            if not done.done():
                setter(outcome)

        with contextlib.suppress(RuntimeError):  # the server has ended meanwhile
            loop.call_soon_threadsafe(settle)

    def run() -> None:
        try:
            value = work()
        except BaseException as error:  # handed to who waits
            tell(done.set_exception, error)
        else:
            tell(done.set_result, value)

    threading.Thread(target=run, name="kgsite-ask", daemon=True).start()
    return await done
