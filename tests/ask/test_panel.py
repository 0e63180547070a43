"""The Ask panel over a real `kgsite serve`: who may ask, what it costs, and the panel in a real browser."""

from __future__ import annotations

import contextlib
import http.client
import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.ask.scripted_model import Given, answering
from tests.ask.test_static import TRIPLES
from tests.llm.scripted import Exchange, Handler, Server, serving
from tests.serve.serving import Served, served

ADDRESS = "/-kgsite/ask"
ASKED = "Who founded Lumen Works?"


def reply(asked: Given) -> str:
    n = asked.number("ada", "founded")
    return f"Ada Northgate founded it [{n}]. <img src=https://evil.example/x> ![x](https://evil.example/y) See [400] https://evil.example/z."


@contextmanager
def preview(root: Path, handler: Handler, *, most: int = 0) -> Iterator[tuple[Served, Server]]:
    with serving(handler) as model:
        (root / "content").mkdir()
        (root / "content" / "lumen.json").write_text(json.dumps(TRIPLES))
        limit = f"max_requests = {most}\n" if most else ""
        (root / "site.toml").write_text(
            f'[site]\nbase_url = "https://example.org/lumen/"\n[extract]\nextractor = "offline"\n{limit}'
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

    switches = [
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ]
    with preview(tmp_path, answering(reply)) as (server, _), sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=switches)
        page = browser.new_page()
        asked: list[str] = []
        faults: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(server.url)
        page.click(".kgsite-ask-open")
        page.wait_for_selector("text=0 of 100 requests")
        page.fill(".kgsite-ask textarea", f"{ASKED} <img src=https://evil.example/q onerror=alert(1)>")
        page.keyboard.press("Enter")
        page.wait_for_selector(".kgsite-ask-answer a")
        assert page.inner_text(".kgsite-ask-answer") == "Ada Northgate founded it [1]. See [address removed]."
        assert page.locator(".kgsite-ask img").count() == 0
        assert "1 of 100 requests" in page.inner_text(".kgsite-ask-budget")
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
