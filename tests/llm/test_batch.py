"""The Batch API, played by a server: submit, poll, collect, crash and resume, partial failures."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kgsite.errors import BudgetError, ExtractError
from kgsite.extract.llm import advance_batch, llm_extractor
from kgsite.extract.llm.batch import state_file
from kgsite.model import Extraction
from kgsite.replystore import ReplyStore
from tests.llm.kit import ENVIRON, KEY, chunks_only, job, settings, with_extract
from tests.llm.scripted import Exchange, Server, completion, honest, honest_reply, serving

JOBS = [job("Ada Northgate founded Lumen Works.", "Bo Quist knows Ada Northgate.", "Cy Marrow built Port Ellen.")]


@dataclass
class Service:
    """Files and batches in memory. `failing`: how often each line still fails."""

    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    done: bool = False
    failing: dict[str, int] = field(default_factory=dict)
    lose_answer: bool = False  # the batch is created but the answer never arrives
    end: str = "completed"

    def handle(self, exchange: Exchange) -> None:
        path = exchange.path.removeprefix("/v1").partition("?")[0]
        if path == "/files":
            name = f"file-{len(self.files)}"
            self.files[name] = re.search(rb"\r\n\r\n(\{.*?\})\r?\n?\r\n--", exchange.raw, re.DOTALL)[1]  # type: ignore[index]
            exchange.send(
                200,
                {
                    "id": name,
                    "object": "file",
                    "bytes": 1,
                    "created_at": 1,
                    "filename": "x",
                    "purpose": "batch",
                    "status": "processed",
                },
            )
        elif path == "/batches" and exchange.raw:
            name = f"batch-{len(self.batches)}"
            self.batches[name] = {"input": exchange.body["input_file_id"], "metadata": exchange.body["metadata"]}
            exchange.reset() if self.lose_answer else exchange.send(200, self.batch(name))
        elif path == "/batches":
            exchange.send(
                200, {"object": "list", "data": [self.batch(name) for name in self.batches], "has_more": False}
            )
        elif path.startswith("/batches/"):
            exchange.send(200, self.batch(path.rpartition("/")[2]))
        elif path.endswith("/content"):
            exchange.send(200, self.output(path.split("/")[2]))
        else:
            honest(exchange)

    def batch(self, name: str) -> dict[str, Any]:
        one = self.batches[name]
        return {"id": name, "object": "batch", "endpoint": "/v1/chat/completions", "input_file_id": one["input"], "completion_window": "24h",
                "created_at": 1, "metadata": one["metadata"], "status": self.end if self.done else "in_progress",
                "output_file_id": f"out-{one['input']}" if self.done else None,
                "request_counts": {"total": 3, "completed": 1, "failed": 0}}  # fmt: skip

    def output(self, name: str) -> bytes:
        lines = []
        for line in self.files[name.removeprefix("out-")].splitlines():
            request = json.loads(line)
            prompt = "\n".join(message["content"] for message in request["body"]["messages"])
            broken = next((part for part, left in self.failing.items() if part in prompt and left > 0), None)
            if broken is not None:
                self.failing[broken] -= 1
                response = {"status_code": 500, "body": {"error": {"message": f"failed with {KEY}"}}}
            else:
                response = {"status_code": 200, "body": completion(json.dumps(honest_reply(prompt)))}
            lines.append(
                json.dumps({"id": "r", "custom_id": request["custom_id"], "response": response, "error": None})
            )
        return ("\n".join(lines) + "\nnot json\n").encode()


@pytest.fixture
def service() -> Iterator[tuple[Service, Server]]:
    found = Service()
    with serving(found.handle) as server:
        yield found, server


def extracted(chosen: Any, store: ReplyStore) -> Extraction:
    with llm_extractor(chosen, store=store, environ=ENVIRON) as extractor:
        outcome = next(extractor.extract(JOBS))[1]
    assert isinstance(outcome, Extraction)
    return outcome


def test_submit_poll_collect_and_build(service: tuple[Service, Server], tmp_path: Path) -> None:
    played, server = service
    chosen, store = chunks_only(settings(tmp_path, server.url)), ReplyStore(tmp_path / "r")
    step = advance_batch(JOBS, chosen, store, environ=ENVIRON)
    assert (step.step, step.missing, step.submitted) == ("submitted", 3, 3)
    assert advance_batch(JOBS, chosen, store, environ=ENVIRON).step == "waiting"
    played.done = True
    step = advance_batch(JOBS, chosen, store, environ=ENVIRON)
    assert (step.step, step.collected, step.missing) == ("collected", 3, 0)
    assert advance_batch(JOBS, chosen, store, environ=ENVIRON).step == "nothing"
    assert not state_file(chosen).exists()
    assert [chunk.status for chunk in extracted(chosen, store).chunks] == ["ok"] * 3
    assert server.chats() == []
    assert len(played.batches) == 1


def test_lines_that_failed_are_sent_again_and_given_up_after_three_tries(
    service: tuple[Service, Server], tmp_path: Path
) -> None:
    played, server = service
    chosen, store = chunks_only(settings(tmp_path, server.url)), ReplyStore(tmp_path / "r")
    played.done = True
    played.failing = {"Bo Quist": 1, "Cy Marrow": 9}
    steps = [advance_batch(JOBS, chosen, store, environ=ENVIRON) for _ in range(5)]
    assert [step.collected for step in steps] == [0, 1, 1, 0, 0]
    assert steps[-1].failed == 1
    assert [data.count(b"custom_id") for data in played.files.values()] == [3, 2, 1]
    assert [chunk.status for chunk in extracted(chosen, store).chunks] == ["ok"] * 3
    assert len(server.chats()) == 1
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()


def test_a_batch_created_just_before_a_crash_is_found_again(service: tuple[Service, Server], tmp_path: Path) -> None:
    played, server = service
    chosen, store = chunks_only(settings(tmp_path, server.url)), ReplyStore(tmp_path / "r")
    played.lose_answer = True
    with pytest.raises(ExtractError):
        advance_batch(JOBS, chosen, store, environ=ENVIRON)
    played.lose_answer = False
    assert len(played.batches) == 1
    assert advance_batch(JOBS, chosen, store, environ=ENVIRON).step == "waiting"
    played.done = True
    assert advance_batch(JOBS, chosen, store, environ=ENVIRON).collected == 3
    assert len(played.batches) == 1


def test_an_expired_batch_keeps_what_it_has(service: tuple[Service, Server], tmp_path: Path) -> None:
    played, server = service
    chosen, store = chunks_only(settings(tmp_path, server.url)), ReplyStore(tmp_path / "r")
    advance_batch(JOBS, chosen, store, environ=ENVIRON)
    played.done, played.end, played.failing = True, "expired", {"Ada Northgate founded": 1}
    step = advance_batch(JOBS, chosen, store, environ=ENVIRON)
    assert (step.step, step.collected, step.submitted) == ("submitted", 2, 1)
    assert any("expired" in message for message in step.messages)


def test_budgets_hold_for_batches(service: tuple[Service, Server], tmp_path: Path) -> None:
    played, server = service
    chosen = with_extract(settings(tmp_path, server.url), max_requests=2)
    with pytest.raises(BudgetError, match="3 requests"):
        advance_batch(JOBS, chosen, ReplyStore(tmp_path / "r"), environ=ENVIRON)
    assert not played.batches


def test_an_endpoint_without_batches_says_so(tmp_path: Path) -> None:
    with (
        serving(lambda exchange: exchange.send(404, {"error": "no such route"})) as server,
        pytest.raises(ExtractError, match="batch"),
    ):
        advance_batch(JOBS, settings(tmp_path, server.url), ReplyStore(tmp_path / "r"), environ=ENVIRON)
