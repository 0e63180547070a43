"""Every fault of data/http-faults.json, played by a server on a real socket: what is sent, kept, waited and said."""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from kgsite.errors import BudgetError, ConfigError, ExtractError, KgsiteError
from kgsite.extract.llm import llm_extractor
from kgsite.model import Extraction
from kgsite.replystore import ReplyStore
from tests.llm.kit import ENVIRON, KEY, FakeTime, chunks_only, job, settings, with_extract
from tests.llm.scripted import Exchange, Handler, Server, completion, extraction_of, honest, one_after_another, serving

FAULTS = {
    fault["id"]: fault for fault in json.loads((Path(__file__).parent / "data" / "http-faults.json").read_text("utf-8"))
}
PASSAGE = "Ada Northgate founded Lumen Works."
GOOD = json.dumps(extraction_of(PASSAGE))
covered: set[str] = set()


@dataclass
class Run:
    """What one extraction led to."""

    outcome: Extraction | KgsiteError | None
    raised: KgsiteError | None
    server: Server
    time: FakeTime
    store: ReplyStore
    warnings: tuple[str, ...] = ()
    usage: Any = None
    bodies: list[dict[str, Any]] = field(default_factory=list)

    @property
    def status(self) -> str:
        return self.outcome.chunks[0].status if isinstance(self.outcome, Extraction) else "none"

    @property
    def note(self) -> str:
        return self.outcome.chunks[0].note if isinstance(self.outcome, Extraction) else ""

    @property
    def names(self) -> list[str]:
        return (
            [entity.name for entity in self.outcome.chunks[0].entities] if isinstance(self.outcome, Extraction) else []
        )


@pytest.fixture
def play(tmp_path: Path) -> Callable[..., Run]:
    def run(fault: str, handler: Handler, *, passage: str = PASSAGE, url: str = "", again: str = "", **llm: Any) -> Run:
        covered.add(fault)
        assert fault in FAULTS or fault.startswith("extra-")
        fake = FakeTime()
        with serving(handler) as server:
            chosen = chunks_only(settings(tmp_path, url or server.url, **llm))
            store = ReplyStore(tmp_path / ".kgsite" / "replies")
            outcome: Any = None
            raised = None
            with llm_extractor(chosen, store=store, environ=ENVIRON, world=fake.world()) as extractor:
                try:
                    outcome = next((outcome for _, outcome in extractor.extract([job(passage)])), None)
                except KgsiteError as error:
                    raised = error
                for text in (str(raised), str(outcome), *extractor.warnings):
                    assert KEY not in text
            if again:  # a second run against the same endpoint
                with llm_extractor(chosen, store=store, environ=ENVIRON, world=fake.world()) as second:
                    list(second.extract([job(again)]))
            return Run(
                outcome,
                raised,
                server,
                fake,
                store,
                extractor.warnings,
                extractor.usage,
                [e.body for e in server.chats()],
            )

    return run


def fails(status: int, body: Any = None, headers: dict[str, str] | None = None) -> Handler:
    return lambda exchange: exchange.send(
        status, {"error": {"message": "as scripted"}} if body is None else body, headers
    )


def replies(content: str | None, **more: Any) -> Handler:
    return lambda exchange: exchange.send(200, completion(content, **more))


def test_a_normal_reply_is_one_call_and_stored(play: Callable[..., Run]) -> None:
    run = play("ok", honest)
    assert (run.status, len(run.bodies), run.store.stats().replies, run.time.slept) == ("ok", 1, 1, [])
    assert run.names == ["Ada Northgate", "Lumen Works"]


@pytest.mark.parametrize(
    ("fault", "headers", "least"),
    [
        ("429-ra-2", {"Retry-After": "2"}, 2.0),
        ("429-ra-date", {"Retry-After": formatdate(1_700_000_002, usegmt=True)}, 2.0),
        ("429-ra-ms", {"retry-after-ms": "1500"}, 1.5),
    ],
)
def test_the_server_says_how_long_to_wait(
    play: Callable[..., Run], fault: str, headers: dict[str, str], least: float
) -> None:
    run = play(fault, one_after_another(fails(429, headers=headers), honest))
    assert run.status == "ok"
    assert len(run.bodies) == 2
    assert least <= sum(run.time.slept) < least + 0.5


def test_a_wait_of_hours_stops_the_run_and_says_when_to_come_back(play: Callable[..., Run]) -> None:
    run = play("429-ra-9999", fails(429, headers={"Retry-After": "9999"}))
    assert isinstance(run.outcome, ExtractError)
    assert "2.8 hours" in run.outcome.hint
    assert run.time.slept == []
    assert len(run.bodies) == 1


def test_a_used_up_quota_is_not_retried(play: Callable[..., Run]) -> None:
    run = play(
        "429-quota", fails(429, {"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}})
    )
    assert isinstance(run.outcome, ExtractError)
    assert len(run.bodies) == 1
    assert run.time.slept == []


def test_a_storm_of_429_is_bounded(play: Callable[..., Run]) -> None:
    run = play("429-storm", fails(429))
    assert run.status == "failed"
    assert len(run.bodies) == 4
    assert 0 < sum(run.time.slept) < 60


@pytest.mark.parametrize(
    ("fault", "script", "calls"),
    [
        ("500x2-ok", [fails(500), fails(500), honest], 3),
        ("529", [fails(529), honest], 2),
        ("408", [fails(408), honest], 2),
        ("200-error-body", [fails(200, {"error": {"code": 429, "message": "slow down"}}), honest], 2),
        ("200-choices-empty", [fails(200, {"choices": []}), honest], 2),
        ("200-choices-null", [fails(200, {"choices": None}), honest], 2),
        ("200-content-null", [replies(None), honest], 2),
        ("200-finish-error", [replies("half", finish="error"), honest], 2),
        ("200-not-json", [fails(200, b"<html><body>gateway</body></html>", {"Content-Type": "text/html"}), honest], 2),
        ("reset-before", [lambda exchange: exchange.reset(), honest], 2),
    ],
)
def test_what_may_pass_is_tried_again(play: Callable[..., Run], fault: str, script: list[Handler], calls: int) -> None:
    run = play(fault, one_after_another(*script))
    assert (run.status, len(run.bodies)) == ("ok", calls)
    assert run.store.stats().replies == 1
    assert run.store.stats().failures == 0


def test_a_server_that_stays_away_is_given_up_in_a_bounded_time(play: Callable[..., Run]) -> None:
    run = play("503-forever", fails(503))
    assert run.status == "failed"
    assert len(run.bodies) == 4
    assert sum(run.time.slept) < 10
    assert run.store.stats().replies == 0


def test_a_refused_key_fails_at_once_and_names_the_variable(play: Callable[..., Run]) -> None:
    run = play("401", fails(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}))
    assert isinstance(run.raised, ConfigError)
    assert "OPENAI_API_KEY" in run.raised.hint
    assert len(run.bodies) == 1


def test_an_unknown_model_fails_at_once_and_is_named(play: Callable[..., Run]) -> None:
    run = play("404-model", fails(404, {"error": {"message": "model 'test-model' not found"}}))
    assert isinstance(run.raised, ConfigError)
    assert "test-model" in run.raised.message
    assert len(run.bodies) == 1


LONG = " ".join(f"Person A{n} founded Works B{n}." for n in range(60))


def test_a_chunk_that_does_not_fit_is_halved(play: Callable[..., Run]) -> None:
    too_long = {"error": {"code": "context_length_exceeded", "message": "maximum context length is 400 tokens"}}

    def handle(exchange: Exchange) -> None:
        fails(400, too_long)(exchange) if len(exchange.prompt.rsplit("Passage:", 1)[1]) > 1000 else honest(exchange)

    run = play("400-context", handle, passage=LONG.replace("Person A", "Person ").replace("Works B", "Works "))
    assert len(run.bodies) == 3
    assert run.status in ("ok", "empty")


def test_halving_ends(play: Callable[..., Run]) -> None:
    run = play("400-context", fails(400, {"error": {"message": "context window exceeded"}}), passage=LONG)
    assert run.status == "failed"
    assert len(run.bodies) == 7  # 1 + 2 + 4


@pytest.mark.parametrize(
    ("fault", "message", "gone", "kept"),
    [
        ("400-max-tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
         "max_tokens", "max_completion_tokens"),
        ("400-temperature", "Unsupported value: 'temperature' does not support 0.2 with this model.", "temperature", "max_tokens"),
    ],
)  # fmt: skip
def test_a_refused_parameter_is_left_out_and_remembered(
    play: Callable[..., Run], tmp_path: Path, fault: str, message: str, gone: str, kept: str
) -> None:
    def handle(exchange: Exchange) -> None:
        fails(400, {"error": {"message": message}})(exchange) if gone in exchange.body else honest(exchange)

    run = play(fault, handle, again="Bo Quist knows Ada Northgate.")
    assert [gone in body for body in run.bodies] == [True, False, False]
    assert run.status == "ok"
    assert kept in run.bodies[1]
    assert KEY not in (tmp_path / ".kgsite" / "cache" / "endpoints.json").read_text("utf-8")


def test_response_formats_are_tried_in_order_and_remembered(play: Callable[..., Run]) -> None:
    message = "'response_format.type' must be 'json_schema' or 'text'"

    def handle(exchange: Exchange) -> None:
        asked = exchange.body.get("response_format", {}).get("type")
        fails(400, {"error": message})(exchange) if asked == "json_object" else honest(exchange)

    run = play("400-response-format", handle, json_mode="object")
    assert [body.get("response_format", {}).get("type") for body in run.bodies] == ["json_object", "json_schema"]

    def text_only(exchange: Exchange) -> None:
        fails(400, {"error": {"message": "response_format is not supported"}})(
            exchange
        ) if "response_format" in exchange.body else honest(exchange)

    run = play("400-response-format", text_only, passage="Bo Quist knows Ada Northgate.")
    assert [body.get("response_format", {}).get("type") for body in run.bodies] == ["json_schema", "json_object", None]


def test_too_much_room_is_lowered_to_what_the_server_allows(play: Callable[..., Run]) -> None:
    message = (
        "max_tokens is too large: 2000. This model supports at most 1024 completion tokens, whereas you provided 2000."
    )

    def handle(exchange: Exchange) -> None:
        fails(400, {"error": {"message": message}})(exchange) if exchange.body["max_tokens"] > 1024 else honest(
            exchange
        )

    run = play("extra-limit", handle)
    assert [body["max_tokens"] for body in run.bodies] == [2000, 1024]


def test_another_400_is_not_retried(play: Callable[..., Run]) -> None:
    run = play("400-unknown", fails(400, {"error": {"message": "something else"}}))
    assert (run.status, len(run.bodies)) == ("failed", 1)
    assert "something else" in run.note


def test_reasoning_that_eats_the_budget_gets_twice_the_room_once(play: Callable[..., Run]) -> None:
    eaten = replies(
        "",
        finish="length",
        message={"reasoning_content": "hm " * 1400},
        usage={"prompt_tokens": 700, "completion_tokens": 2000},
    )
    run = play("200-length-empty", one_after_another(eaten, honest))
    assert [body["max_tokens"] for body in run.bodies] == [2000, 4000]
    assert run.status == "ok"
    run = play("200-length-empty", eaten, passage="Bo Quist knows Ada Northgate.")
    assert run.status == "failed"
    assert "2000 tokens" in run.note
    assert "4,200 characters of reasoning" in run.note
    assert len(run.bodies) == 2


@pytest.mark.parametrize(("fault", "finish"), [("200-length-partial", "length"), ("200-length-lie", "stop")])
def test_a_cut_reply_keeps_its_rows_and_the_chunk_is_halved(play: Callable[..., Run], fault: str, finish: str) -> None:
    passage = PASSAGE + " " + "It was a long winter. " * 40 + "Bo Quist knows Ada Northgate."

    def handle(exchange: Exchange) -> None:
        content = json.dumps(extraction_of(exchange.prompt))
        cut = (
            "long winter" in exchange.prompt
            and "Bo Quist" in exchange.prompt
            and "founded" in exchange.prompt.rsplit("Passage:", 1)[1]
        )
        replies(content[: len(content) // 2], finish=finish)(exchange) if cut else honest(exchange)

    run = play(fault, handle, passage=passage)
    assert len(run.bodies) == 3
    assert run.status == "ok"
    assert run.names == ["Ada Northgate", "Lumen Works", "Bo Quist"]
    again = play(fault, handle, passage=passage)
    assert again.bodies == []  # the cut reply is remembered as too long, its halves are stored


def test_a_short_cut_reply_is_marked(play: Callable[..., Run]) -> None:
    run = play("200-length-partial", replies(GOOD[: GOOD.index('"relations"')], finish="length"))
    assert run.names == ["Ada Northgate", "Lumen Works"]
    assert "cut" in run.note
    assert isinstance(run.outcome, Extraction)
    assert run.outcome.warnings
    assert run.store.stats().replies == 0


@pytest.mark.parametrize(
    ("fault", "handler"),
    [
        ("200-filter", replies("", finish="content_filter")),
        ("200-SAFETY", replies("", finish="SAFETY")),
        ("200-refusal", replies(None, message={"refusal": "I can't help with that."})),
    ],
)
def test_filters_and_refusals_are_listed_and_not_retried(
    play: Callable[..., Run], fault: str, handler: Handler
) -> None:
    run = play(fault, handler)
    assert (run.status, len(run.bodies)) == ("failed", 1)
    assert isinstance(run.outcome, Extraction)
    assert len(run.outcome.warnings) == 1
    assert run.store.stats().replies == 0


def test_a_missing_finish_reason_is_no_fault(play: Callable[..., Run]) -> None:
    assert play("200-finish-null", replies(GOOD, finish=None)).status == "ok"


def test_missing_usage_is_unknown_and_not_zero(play: Callable[..., Run]) -> None:
    run = play("200-usage-missing", replies(GOOD, usage=None))
    assert run.status == "ok"
    assert run.usage.total().unknown == 1


def test_another_model_than_asked_is_a_warning(play: Callable[..., Run]) -> None:
    run = play("200-model-other", replies(GOOD, model="other-7b"))
    assert run.status == "ok"
    assert any("other-7b" in warning for warning in run.warnings)
    stored = next(iter(run.store._files()))
    assert json.loads(stored.read_text("utf-8"))["reply"]["served"] == "other-7b"


def test_a_prompt_that_the_server_cut_is_a_warning(play: Callable[..., Run]) -> None:
    run = play("200-prompt-truncated", replies(GOOD, usage={"prompt_tokens": 256, "completion_tokens": 50}))
    assert any("cut the prompt" in warning for warning in run.warnings)


def test_only_content_is_used_of_a_reasoning_reply(play: Callable[..., Run]) -> None:
    thought = '{"entities":[{"name":"Decoy","type":"x"}]}'
    run = play("200-reasoning-field", replies(GOOD, message={"reasoning_content": thought}))
    assert run.names == ["Ada Northgate", "Lumen Works"]


def test_bad_utf8_does_not_crash(play: Callable[..., Run]) -> None:
    data = json.dumps(completion(GOOD)).encode().replace(b"About", b"Ab\xff\xfeut")
    run = play("200-bad-utf8", fails(200, data))
    assert run.status == "ok"


def test_decoded_bytes_are_capped(play: Callable[..., Run]) -> None:
    bomb = gzip.compress(b" " * 200_000_000, 1)
    run = play("200-gzip-bomb", fails(200, bomb, {"Content-Encoding": "gzip"}))
    assert run.status == "failed"
    assert "too big" in run.note


def test_slow_headers_end_at_the_timeout(play: Callable[..., Run]) -> None:
    run = play("slow-headers", lambda exchange: time.sleep(3), timeout=0.4, max_retries=0)
    assert run.status == "failed"
    assert "0.4 s" in run.note


def test_a_drip_ends_at_the_total_deadline(play: Callable[..., Run]) -> None:
    def drip(exchange: Exchange) -> None:
        exchange.connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n"
        )
        for _ in range(40):
            exchange.connection.sendall(b" ")
            time.sleep(0.1)

    run = play("slow-drip", drip, timeout=0.5, max_retries=3)
    assert run.status == "failed"
    assert len(run.bodies) == 2  # a timeout is tried once more, not three times


@pytest.mark.parametrize("fault", ["reset-mid", "short-body"])
def test_a_broken_body_is_tried_again_and_not_stored(play: Callable[..., Run], fault: str) -> None:
    def broken(exchange: Exchange) -> None:
        exchange.connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n" + b'{"choices": ['
        )
        if fault == "reset-mid":
            time.sleep(0.05)
            exchange.reset()
        else:
            exchange.connection.shutdown(socket.SHUT_WR)
            exchange.closed = True

    run = play(fault, one_after_another(broken, honest))
    assert (run.status, len(run.bodies)) == ("ok", 2)


def test_no_server_fails_fast_and_asks_whether_it_runs(play: Callable[..., Run]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    run = play("refuse", honest, url=f"http://127.0.0.1:{port}/v1")
    assert isinstance(run.outcome, ExtractError)
    assert f"http://127.0.0.1:{port}/v1" in run.outcome.message
    assert "is the server running" in run.outcome.message
    assert run.time.slept == []


def test_an_unknown_host_fails_fast(play: Callable[..., Run]) -> None:
    run = play("dns", honest, url="http://no-such-host.invalid/v1")
    assert isinstance(run.outcome, ExtractError)
    assert "no host" in run.outcome.message
    assert run.time.slept == []


def test_a_bad_certificate_fails_without_advice_to_ignore_it(play: Callable[..., Run], tmp_path: Path) -> None:
    run = play("tls", lambda exchange: None, url=_tls_server(tmp_path))
    error = run.raised or run.outcome
    assert isinstance(error, KgsiteError)
    assert "certificate" in str(error)
    assert "insecure" not in str(error).lower()
    assert run.time.slept == []


def _tls_server(folder: Path) -> str:
    """A TLS server with a certificate that nobody signed; the base URL of it."""
    import subprocess
    import threading

    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2",
         "-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")], capture_output=True, check=False,
    )  # fmt: skip
    if made.returncode:
        pytest.skip("openssl is not installed")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    listener = socket.create_server(("127.0.0.1", 0))
    port: int = listener.getsockname()[1]

    def serve() -> None:
        with listener:
            connection, _ = listener.accept()
            try:
                context.wrap_socket(connection, server_side=True).close()
            except OSError:
                connection.close()

    threading.Thread(target=serve, daemon=True).start()
    return f"https://127.0.0.1:{port}/v1"


def test_a_redirect_is_not_followed(play: Callable[..., Run]) -> None:
    with serving() as other:
        run = play("redirect-http", fails(302, {}, {"Location": f"{other.url}/chat/completions"}))
        assert other.requests == []
    assert isinstance(run.raised, ConfigError)
    assert "base_url" in run.raised.hint


def test_a_server_that_dies_keeps_what_it_answered(tmp_path: Path) -> None:
    covered.add("crash-server")
    passages = [f"Person {chr(65 + n)}x founded Works {chr(65 + n)}x." for n in range(10)]

    def run(handler: Handler) -> tuple[int, Any]:
        with serving(handler) as server:
            chosen = chunks_only(settings(tmp_path, server.url, concurrency=1, max_retries=0))
            with llm_extractor(
                chosen, store=ReplyStore(tmp_path / "replies"), environ=ENVIRON, world=FakeTime().world()
            ) as extractor:
                outcomes = [outcome for _, outcome in extractor.extract([job(*passages)])]
            return len(server.chats()), outcomes[0]

    def dies_after_four(exchange: Exchange) -> None:
        honest(exchange) if exchange.number < 4 else exchange.reset()

    sent, outcome = run(dies_after_four)
    assert not isinstance(outcome, Extraction) or any(chunk.status == "failed" for chunk in outcome.chunks)
    assert ReplyStore(tmp_path / "replies").stats().replies == 4
    sent, outcome = run(honest)
    assert sent == 6
    assert [chunk.status for chunk in outcome.chunks] == ["ok"] * 10


def test_budgets_stop_before_more_is_sent_and_keep_what_is_paid(play: Callable[..., Run], tmp_path: Path) -> None:
    passages = [f"Person {chr(65 + n)}x founded Works {chr(65 + n)}x." for n in range(6)]
    with serving() as server:
        chosen = with_extract(chunks_only(settings(tmp_path, server.url, concurrency=2)), max_requests=4)
        store = ReplyStore(tmp_path / "r")
        with (
            llm_extractor(chosen, store=store, environ=ENVIRON) as extractor,
            pytest.raises(BudgetError, match="max_requests = 4"),
        ):
            list(extractor.extract([job(*passages)]))
        assert len(server.chats()) == 4
        assert store.stats().replies == 4
        chosen = with_extract(chosen, max_requests=0, max_tokens_total=1)
        with (
            llm_extractor(chosen, store=store, environ=ENVIRON) as extractor,
            pytest.raises(BudgetError, match="max_tokens_total"),
        ):
            list(extractor.extract([job(*passages)]))
        assert len(server.chats()) == 4


PLAYED = {
    "ok", "429-ra-2", "429-ra-date", "429-ra-ms", "429-ra-9999", "429-quota", "429-storm", "500x2-ok", "503-forever", "529", "408",
    "401", "404-model", "400-context", "400-response-format", "400-max-tokens", "400-temperature", "400-unknown", "200-error-body",
    "200-choices-empty", "200-choices-null", "200-content-null", "200-length-empty", "200-length-partial", "200-length-lie",
    "200-filter", "200-SAFETY", "200-refusal", "200-finish-error", "200-finish-null", "200-usage-missing", "200-model-other",
    "200-prompt-truncated", "200-reasoning-field", "200-not-json", "200-bad-utf8", "200-gzip-bomb", "slow-headers", "slow-drip",
    "reset-before", "reset-mid", "short-body", "refuse", "dns", "tls", "redirect-http", "crash-server",
}  # fmt: skip


def test_every_listed_fault_is_played() -> None:
    assert set(FAULTS) == PLAYED
    source = Path(__file__).read_text("utf-8")
    assert [name for name in FAULTS if source.count(f'"{name}"') < 2] == []
