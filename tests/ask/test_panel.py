"""The Ask panel over a real `kgsite serve`: who may ask, what it costs, and the panel in a real browser."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import http.client
import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tornado.web import Application

from kgsite.errors import ExtractError
from kgsite.serve.ask_routes import AskHandler
from tests.ask.scripted_model import Given, answering, given
from tests.ask.test_static import TRIPLES
from tests.llm.scripted import Exchange, Handler, Server, serving
from tests.serve.serving import Served, served

ADDRESS = "/-kgsite/ask"
SWITCHES = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
ASKED = "Who founded Lumen Works?"


def reply(asked: Given) -> str:
    n = asked.number("ada", "founded")
    return f"Ada Northgate founded it [{n}]. <img src=https://evil.example/x> ![x](https://evil.example/y) See [400] https://evil.example/z."


@contextmanager
def preview(root: Path, handler: Handler, *, most: int = 0, language: str = "en") -> Iterator[tuple[Served, Server]]:
    with serving(handler) as model:
        (root / "content").mkdir()
        (root / "content" / "lumen.json").write_text(json.dumps(TRIPLES))
        limit = f"max_requests = {most}\n" if most else ""
        (root / "site.toml").write_text(
            f'[site]\nlanguage = "{language}"\nbase_url = "https://example.org/lumen/"\n[extract]\nextractor = "offline"\n{limit}'
            f'[llm]\nmodel = "test-model"\nbase_url = "{model.url}"\nmax_retries = 0\n'
        )
        with served(root) as server:
            yield server, model


def post(server: Served, question: Any, token: str | None = None, **more: Any) -> tuple[int, dict[str, Any]]:
    headers = {"X_Kgsite_Token": server.token if token is None else token, "Content_Type": "application/json"}
    body = question if isinstance(question, bytes) else json.dumps({"question": question, **more}).encode()
    status, _, data = server.raw("POST", ADDRESS, headers, body)
    return status, json.loads(data) if data.startswith(b"{") else {}


def broken_off(server: Served) -> None:
    with contextlib.suppress(OSError, http.client.HTTPException):
        post(server, ASKED)


def test_asking_needs_the_token_and_has_a_budget(tmp_path: Path) -> None:
    with preview(tmp_path, answering(reply), most=2) as (server, model):
        assert post(server, ASKED, "wrong")[0] == 403
        assert server.raw("GET", ADDRESS)[0] == 403
        for body in (b"", b"[]", b'{"question": ""}', b"{" * 5000, json.dumps({"question": "x" * 3000}).encode()):
            assert post(server, body)[0] == 400
        assert model.chats() == []
        status, value = post(server, ASKED, conversation="one")
        assert status == 200
        assert value["answer"] == "Ada Northgate founded it [1]. See [address removed]."
        assert value["removed"] == {"citations": 1, "images": 2, "links": 1}
        assert value["budget"] == {"requests": 1, "max_requests": 2, "tokens": 940, "max_tokens": 0}
        assert len(value["facts"]) == len(value["citations"]) == 1
        status, value = post(server, "Where is it located?", conversation="one")
        assert [seed["how"] for seed in value["seeds"]] == ["earlier"] * len(value["seeds"])
        status, value = post(server, "And who worked there?", conversation="one")
        assert status == 502
        assert "max_requests = 2" in value["error"]
        assert len(model.chats()) == 2


def test_one_question_at_a_time_and_it_can_be_stopped(tmp_path: Path) -> None:
    started, release = threading.Event(), threading.Event()

    def slow(exchange: Exchange) -> None:
        started.set()
        release.wait(60)

    with preview(tmp_path, slow) as (server, model):
        outcome: list[tuple[int, dict[str, Any]]] = []
        first = threading.Thread(target=lambda: outcome.append(post(server, ASKED)))
        first.start()
        assert started.wait(60)
        status, value = post(server, "Another one about Lumen Works?")
        assert (status, value["error"]) == (409, "another question is being answered")
        assert server.raw("DELETE", ADDRESS, {"X_Kgsite_Token": server.token})[0] == 200
        first.join(20)
        assert outcome[0][0] == 502
        assert "stopped" in outcome[0][1]["error"]
        release.set()
        assert len(model.chats()) == 1


# ── streaming ─────────────────────────────────────────────────────────────────────────────────────
class InTwoParts:
    """A model whose reply waits in the middle until it is let go; `hung_up` tells that nobody listens any more."""

    def __init__(self) -> None:
        self.go_on, self.hung_up = threading.Event(), threading.Event()

    def __call__(self, exchange: Exchange) -> None:
        n = given(exchange).number("ada", "founded")

        def event(text: str, finish: str | None = None) -> None:
            choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
            exchange.connection.sendall(f"data: {json.dumps({'choices': [choice]})}\n\n".encode())

        head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
        exchange.connection.sendall(head.encode())
        event(f"Ada Northgate founded it [{n}]. <b>It</b> lies ")
        exchange.connection.settimeout(0.05)
        while not self.go_on.is_set():
            try:
                if not exchange.connection.recv(100):
                    self.hung_up.set()
                    return
            except TimeoutError:
                continue
            except OSError:
                self.hung_up.set()
                return
        exchange.connection.settimeout(10)
        event(f"in Larvik [{n}][77].", "stop")
        exchange.connection.close()
        exchange.closed = True


def streamed(server: Served, question: str, hear: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """The lines of a streamed answer; hangs up when `hear` says so."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    headers = {"X-Kgsite-Token": server.token, "Content-Type": "application/json"}
    connection.request("POST", ADDRESS, json.dumps({"question": question, "stream": True}), headers)
    answer = connection.getresponse()
    assert answer.status == 200
    lines = []
    try:
        while line := answer.readline():
            lines.append(json.loads(line))
            if hear(lines[-1]):
                break
    finally:
        answer.close()
        connection.close()
    return lines


def test_an_answer_comes_as_it_grows_and_is_checked_at_the_end(tmp_path: Path) -> None:
    model = InTwoParts()

    def hear(event: dict[str, Any]) -> bool:
        if event.get("text"):
            model.go_on.set()
        return False

    with preview(tmp_path, model) as (server, _):
        *grown, last = streamed(server, ASKED, hear)
        assert grown[0] == {"text": ""}
        assert "Ada Northgate founded it [1]. It lies" in [event["text"] for event in grown]
        assert last["answer"] == "Ada Northgate founded it [1]. It lies in Larvik [1]."
        assert last["removed"] == {"citations": 1, "markup": 2}
        assert last["budget"]["requests"] == 1
        assert post(server, ASKED, conversation="new")[1]["usage"]["cached"] == 1


def test_hanging_up_ends_the_request_and_the_next_question_is_answered(tmp_path: Path) -> None:
    model = InTwoParts()
    with preview(tmp_path, model) as (server, _):
        streamed(server, ASKED, lambda event: bool(event.get("text")))
        assert model.hung_up.wait(20)
        model.go_on.set()
        server.until(lambda: state(server)["busy"] is False, "the end of the question")
        *_, last = streamed(server, ASKED, lambda event: False)
        assert last["mode"] == "answer"
        assert [line for line in server.lines if "Traceback" in line or "exception" in line] == []


class Talking:
    """A panel whose answer still grows after the reader has hung up, and then fails, as that of a stopped question does."""

    def __init__(self) -> None:
        self.busy = self.stopped = False
        self.ended = asyncio.Event()

    def stop(self) -> None:
        self.stopped = True

    async def ask(self, _question: str, _conversation: str, heard: Callable[[str], None]) -> dict[str, Any]:
        while not self.stopped:
            heard("x" * 20_000)
            await asyncio.sleep(0.001)
        for number in range(20):
            heard("y" * number)
            await asyncio.sleep(0.001)
        self.ended.set()
        raise ExtractError("stopped")


def test_hanging_up_while_the_answer_grows_leaves_no_complaint(caplog: pytest.LogCaptureFixture) -> None:
    async def hang_up() -> None:
        panel = Talking()
        token = SimpleNamespace(has_token=lambda _request: True)
        more = {"server": SimpleNamespace(guard=token, network=False), "panel": panel}
        listening = Application([("/", AskHandler, more)]).listen(0, "127.0.0.1")
        port = next(iter(listening._sockets.values())).getsockname()[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        body = json.dumps({"question": ASKED, "stream": True})
        writer.write(f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        assert await reader.readuntil(b"xx")
        writer.transport.abort()
        await asyncio.wait_for(panel.ended.wait(), 60)
        await asyncio.sleep(0)
        listening.stop()

    asyncio.run(hang_up())
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []


def state(server: Served) -> dict[str, Any]:
    return dict(json.loads(server.raw("GET", ADDRESS, {"X_Kgsite_Token": server.token})[2]))


def test_errors_come_as_the_last_line(tmp_path: Path) -> None:
    with preview(tmp_path, lambda exchange: exchange.send(401, {"error": {"message": "no"}})) as (server, _):
        *_, last = streamed(server, ASKED, lambda event: False)
        assert set(last) == {"error", "hint", "budget"}


def test_an_answer_on_its_way_does_not_hold_up_the_end(tmp_path: Path) -> None:
    started, release = threading.Event(), threading.Event()

    def slow(exchange: Exchange) -> None:
        started.set()
        release.wait(60)

    with preview(tmp_path, slow) as (server, _):
        asking = threading.Thread(target=lambda: broken_off(server), daemon=True)
        asking.start()
        assert started.wait(60)
        assert server.end() in (0, 130)  # within its 20 seconds of patience, not the reply's 300
        release.set()


def test_the_panel_is_in_served_pages_only(tmp_path: Path) -> None:
    with preview(tmp_path, answering(reply)) as (server, _):
        assert "ask.js" in server.get("")[1]
        built = [path for path in (tmp_path / "_site").rglob("*.html") if "-kgsite" in path.read_text("utf-8")]
        assert built == []


@pytest.mark.browser
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")
def test_the_panel_in_a_browser(tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    with preview(tmp_path, answering(reply)) as (server, _), sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=SWITCHES)
        page = browser.new_page()
        asked: list[str] = []
        faults: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(server.url)
        page.click(".kgsite-ask-open")
        page.wait_for_selector("text=requests 0 of 100")
        page.fill(".kgsite-ask textarea", f"{ASKED} <img src=https://evil.example/q onerror=alert(1)>")
        page.keyboard.press("Enter")
        page.wait_for_selector(".kgsite-ask-answer a")
        assert page.inner_text(".kgsite-ask-answer") == "Ada Northgate founded it [1]. See [address removed]."
        assert page.locator(".kgsite-ask img").count() == 0
        assert "requests 1 of 100" in page.inner_text(".kgsite-ask-budget")
        page.click(".kgsite-ask-answer a")
        assert page.locator(".kgsite-ask-lit").count() == 1
        links = page.eval_on_selector_all(".kgsite-ask a", "all => all.map(one => one.href)")
        assert all(link.startswith(server.url) for link in links)
        page.click("text=In the graph")
        page.wait_for_url("**/graph/**node=ada-northgate")
        assert page.inner_text(".kgsite-ask-answer").startswith("Ada Northgate founded it")  # it came along
        page.click(".kgsite-ask-links >> text=In the text")
        page.wait_for_url("**/documents/lumen/**")
        page.focus(".kgsite-ask textarea")
        page.keyboard.press("Escape")
        assert page.locator(".kgsite-ask").is_hidden()
        browser.close()
    assert faults == []
    assert [url for url in asked if not url.startswith(f"http://127.0.0.1:{server.port}/")] == []


@pytest.mark.browser
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")
def test_the_answer_grows_in_the_panel_and_can_be_stopped_closed_and_left(tmp_path: Path) -> None:
    """In German, so that no word of it comes from anywhere but the theme's lists."""
    from playwright.sync_api import expect, sync_playwright

    model = InTwoParts()
    with preview(tmp_path, model, language="de") as (server, _), sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=SWITCHES)
        page = browser.new_page(viewport={"width": 390, "height": 700})
        page.set_default_timeout(30_000)
        expect.set_options(timeout=30_000)
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(server.url)
        page.get_by_role("button", name="Den Graphen fragen").click()
        expect(page.locator(".kgsite-ask-budget")).to_contain_text("Anfragen 0 von 100")

        def ask() -> None:
            page.get_by_label("Ihre Frage").fill(ASKED)
            page.keyboard.press("Enter")
            expect(page.locator(".kgsite-ask-answer").last).to_have_text("Ada Northgate founded it [1]. It lies")

        def ended() -> None:
            assert model.hung_up.wait(20)
            model.hung_up.clear()
            server.until(lambda: state(server)["busy"] is False, "the end of the question")

        ask()
        assert page.locator(".kgsite-ask-answer a").count() == 0  # not checked to the end yet
        assert page.get_by_role("button", name="Fragen", exact=True).is_disabled()
        page.get_by_role("button", name="Anhalten").click()
        expect(page.locator(".kgsite-ask-bad")).to_have_text("Angehalten.")
        expect(page.locator(".kgsite-ask-budget")).to_contain_text("Anfragen 1 von 100")
        ended()
        ask()
        page.get_by_label("Ihre Frage").press("Escape")
        ended()
        page.get_by_role("button", name="Den Graphen fragen").click()
        ask()
        page.reload()
        expect(page.locator(".kgsite-ask-bad").last).to_contain_text("verlassen, bevor")
        ended()
        model.go_on.set()
        page.get_by_label("Ihre Frage").fill(ASKED)
        page.keyboard.press("Enter")
        expect(page.locator(".kgsite-ask-answer a").first).to_be_visible()
        expect(page.locator(".kgsite-ask-answer")).to_have_text("Ada Northgate founded it [1]. It lies in Larvik [1].")
        expect(page.locator(".kgsite-ask")).to_contain_text("Aus der Antwort des Modells entfernt")
        expect(page.locator(".kgsite-ask-links").first).to_contain_text("Im Graphen")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        corner, panel = page.locator(".kgsite-corner").bounding_box(), page.locator(".kgsite-ask").bounding_box()
        assert corner is not None
        assert panel is not None
        assert panel["y"] >= 0
        assert panel["y"] + panel["height"] <= corner["y"]
        question, log = (
            page.locator(".kgsite-ask-turn h3").last.bounding_box(),
            page.locator(".kgsite-ask-log").bounding_box(),
        )
        assert question is not None
        assert log is not None
        assert log["y"] - 1 <= question["y"] < log["y"] + log["height"]  # the answer is read from its beginning
        browser.close()
    assert faults == []


def test_every_reason_has_words_in_every_language() -> None:
    from kgsite.ask.reasons import SENTENCES
    from kgsite.site.theme import packaged_words
    from kgsite.site.words import LANGUAGES

    for language in LANGUAGES:
        words = packaged_words(language)
        for code, sentence in SENTENCES.items():
            places = set(re.findall(r"\{\w+\}", sentence))
            assert set(re.findall(r"\{\w+\}", words.t(f"preview.why.{code}"))) == places


def test_every_word_that_the_scripts_say_is_in_the_lists() -> None:
    import kgsite.serve
    from kgsite.site.theme import packaged_words

    texts = packaged_words("en").texts
    folder = Path(str(kgsite.serve.__file__)).parent
    said = {
        key
        for file in ("ask.js", "serve.js", "library.js")
        for key in re.findall(r'\bt\("([a-z_.]+)"', (folder / "static" / file).read_text("utf-8"))
    }
    for file, call in (("static/library.js", "say"), ("library.py", "t")):
        said |= {f"library.{key}" for key in re.findall(rf'\b{call}\("([a-z_.]+)"', (folder / file).read_text("utf-8"))}
    assert len(said) > 50
    assert [key for key in sorted(said) if f"preview.{key}" not in texts] == []
