"""Dry runs, `kgsite check --llm`, presets and keys."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kgsite.config.settings import ExtractSettings, LlmSettings, SchemaSettings, Settings
from kgsite.errors import ConfigError
from kgsite.extract.llm import PRESETS, check_endpoint, literal_key, llm_extractor, plan_cost, uses_model
from kgsite.extract.llm.endpoint import resolve
from kgsite.extract.llm.faults import Fault, classify
from kgsite.extract.llm.quirks import QuirkMemory, initial
from kgsite.replystore import ReplyStore
from tests.llm.kit import ENVIRON, KEY, FakeTime, job, settings
from tests.llm.scripted import Exchange, Handler, completion, honest, serving

JOBS = [job("Ada Northgate founded Lumen Works.", "Bo Quist knows Ada Northgate.")]


def test_a_dry_run_counts_what_is_not_stored_and_prices_it(tmp_path: Path) -> None:
    with serving() as server:
        chosen = settings(tmp_path, server.url)
        store = ReplyStore(tmp_path / "r")
        plan = plan_cost(JOBS, chosen, store)
        assert (plan.passes["chunks"].requests, plan.passes["chunks"].stored) == (2, 0)
        assert plan.requests == 3
        assert plan.money is None
        assert "price unknown" in plan.lines()[-1]
        assert server.requests == []
        priced = replace(chosen, prices={"test-model": {"input": 2.0, "output": 8.0}})
        plan = plan_cost(JOBS, priced, store)
        assert plan.money == pytest.approx((plan.prompt_tokens * 2 + plan.completion_tokens * 8) / 1e6)
        with llm_extractor(chosen, store=store, environ=ENVIRON) as extractor:
            list(extractor.extract(JOBS))
            sent = extractor.usage.of("chunks").requests
        assert sent == 2
        plan = plan_cost(JOBS, priced, store)
        assert (plan.requests, plan.stored, plan.money) == (0, 2, 0)
        json.dumps(plan.as_json())
        changed = plan_cost(JOBS, replace(priced, llm=replace(chosen.llm, model="other")), store)
        assert changed.passes["chunks"].requests == 2


def test_a_schema_to_be_discovered_is_part_of_the_plan(tmp_path: Path) -> None:
    chosen = replace(settings(tmp_path, "http://localhost:9/v1"), schema=SchemaSettings(discover="site"))
    plan = plan_cost(JOBS, chosen, ReplyStore(tmp_path / "r"))
    assert plan.passes["schema"].requests == 1
    assert plan.notes


# ── check --llm ───────────────────────────────────────────────────────────────────────────────────
def levels(handler: Handler, tmp_path: Path, **llm: Any) -> dict[str, str]:
    with serving(handler) as server:
        report = check_endpoint(settings(tmp_path, server.url, **llm), environ=ENVIRON, world=FakeTime().world())
    assert KEY not in repr(report)
    return {finding.what: finding.level for finding in report.findings}


def with_models(*names: str, then: Handler = honest) -> Handler:
    def handle(exchange: Exchange) -> None:
        if exchange.path.endswith("/models"):
            exchange.send(
                200,
                {
                    "object": "list",
                    "data": [{"id": name, "object": "model", "created": 1, "owned_by": "x"} for name in names],
                },
            )
        elif "Passage:" in exchange.prompt:
            text = "The physicist Lise Meitner worked in Berlin"
            rows = {"entities": [{"text": "Lise Meitner", "label": "person"}, {"text": "Berlin", "label": "place"}],
                    "relations": [{"source": "Lise Meitner", "type": "work in", "target": "Berlin", "evidence": text}], "gist": "x"}  # fmt: skip
            exchange.send(200, completion(json.dumps(rows), usage=None))
        else:
            then(exchange)

    return handle


def reads(prompt_tokens: int) -> Handler:
    """A server that says how many tokens of the prompt it read."""
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": 5}
    return lambda exchange: exchange.send(200, completion("{}", usage=usage))


def test_a_good_endpoint_passes(tmp_path: Path) -> None:
    answer = reads(6000)
    assert levels(with_models("test-model", then=answer), tmp_path) == {"model": "ok", "sample": "ok", "context": "ok"}


def test_a_model_that_is_not_listed_is_named(tmp_path: Path) -> None:
    assert levels(with_models("a", "b"), tmp_path)["model"] == "warning"


def test_a_server_that_cuts_prompts_is_found_out(tmp_path: Path) -> None:
    answer = reads(2048)
    found = levels(with_models("test-model", then=answer), tmp_path)
    assert found["context"] == "error"


def test_a_model_without_json_fails_the_sample(tmp_path: Path) -> None:
    assert levels(lambda exchange: exchange.send(200, completion("Meitner was great.")), tmp_path)["sample"] == "error"


def test_no_server_and_no_model_are_findings(tmp_path: Path) -> None:
    report = check_endpoint(settings(tmp_path, "http://127.0.0.1:9/v1"), environ=ENVIRON)
    assert not report.ok
    assert "is the server running" in report.findings[0].message
    assert not check_endpoint(Settings(tmp_path), environ={}).ok


# ── endpoints ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("name", sorted(PRESETS))
def test_presets_fill_url_and_model_and_take_their_own_key(name: Any) -> None:
    keys = {preset.key_env: f"key-of-{preset.key_env}" for preset in PRESETS.values() if preset.key_env}
    endpoint = resolve(LlmSettings(preset=name), keys)
    assert endpoint.model == PRESETS[name].model
    assert endpoint.base_url == PRESETS[name].base_url
    assert endpoint.key == (keys[PRESETS[name].key_env] if PRESETS[name].key_env else "")
    assert resolve(LlmSettings(preset=name, model="mine"), keys).model == "mine"


def test_the_openai_key_is_not_sent_to_another_preset() -> None:
    with pytest.raises(ConfigError, match="GEMINI_API_KEY"):
        resolve(LlmSettings(preset="gemini"), ENVIRON)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:1234/v1",
        "http://localhost:1234/v1/",
        "http://localhost:1234/v1/chat/completions",
        " http://localhost:1234/v1/chat/completions/ ",
    ],
)
def test_base_urls_with_and_without_the_path(url: str) -> None:
    assert resolve(LlmSettings(model="m", base_url=url), {}).base_url == "http://localhost:1234/v1"


def test_mistakes_in_llm_are_named() -> None:
    with pytest.raises(ConfigError, match="no model"):
        resolve(LlmSettings(), ENVIRON)
    with pytest.raises(ConfigError, match="base_url"):
        resolve(LlmSettings(model="m", base_url="localhost:1234"), ENVIRON)
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        resolve(LlmSettings(model="m"), {})


def test_a_key_alone_chooses_no_model() -> None:
    assert not uses_model(LlmSettings())
    assert uses_model(LlmSettings(model="m"))
    assert uses_model(LlmSettings(preset="ollama"))
    assert literal_key(LlmSettings(api_key="sk-abc"))
    assert literal_key(LlmSettings(extra_headers={"Authorization": "Bearer x"}))
    assert not literal_key(LlmSettings(extra_headers={"X-Title": "kgsite", "X-Key": "env:KEY"}))


def test_what_looks_like_a_key_is_hidden() -> None:
    endpoint = resolve(LlmSettings(model="m", base_url="https://user:pa55word@example.org/v1"), ENVIRON)
    text = endpoint.redact(f"{KEY} pa55word sk-other-123456789 Bearer abcdefghijkl AIzaSyA0123456789abcdefghijk ok")
    assert text == "[key hidden] [key hidden] [key hidden] [key hidden] [key hidden] ok"
    assert KEY not in repr(endpoint)
    assert endpoint.place == "https://example.org/v1"


def test_quirks_survive_a_damaged_memory(tmp_path: Path) -> None:
    file = tmp_path / "endpoints.json"
    chosen = LlmSettings(model="m", base_url="http://localhost/v1")
    learnt = initial(chosen).learn(Fault("param", "", parameter="temperature"))
    assert learnt is not None
    QuirkMemory(file).remember("x", learnt, chosen)
    assert QuirkMemory(file).recall("x", chosen) == learnt
    whole = file.read_bytes()
    for size in range(len(whole)):
        file.write_bytes(whole[:size])
        assert QuirkMemory(file).recall("x", chosen) in (initial(chosen), learnt)
    assert QuirkMemory(file).recall("x", replace(chosen, json_mode="off")).json_mode == "off"


def test_learning_ends() -> None:
    quirks = initial(LlmSettings(model="m", base_url="http://localhost/v1"))
    for parameter in (
        "response_format",
        "response_format",
        "max_tokens",
        "max_completion_tokens",
        "temperature",
        "reasoning_effort",
    ):
        learnt = quirks.learn(Fault("param", "", parameter=parameter))
        assert learnt is not None
        quirks = learnt
    assert quirks.json_mode == "off"
    assert set(quirks.dropped) == {"length", "temperature", "reasoning_effort"}
    assert all(
        quirks.learn(Fault("param", "", parameter=name)) is None
        for name in ("response_format", "max_tokens", "temperature")
    )


@pytest.mark.parametrize(
    ("status", "body", "kind", "parameter"),
    [
        (400, {"error": {"message": "max_tokens is too large: 32768. This model's maximum context length is 4096 tokens and your request has 900 input tokens"}}, "param", "limit"),
        (400, {"error": {"code": 400, "message": "the request exceeds the available context size", "type": "exceed_context_size_error"}}, "context", ""),
        (413, {}, "context", ""),
        (403, {"error": {"message": "no"}}, "auth", ""),
        (402, {"error": {"message": "Insufficient credits"}}, "quota", ""),
        (429, [{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "slow", "details": [{"retryDelay": "21s"}]}}], "rate", ""),
        (422, {"detail": "odd"}, "bad_request", ""),
        (200, {"error": "boom"}, "server", ""),
        (200, {"choices": [{"error": {"code": 502, "message": "upstream"}}]}, "server", ""),
        (200, {"choices": [{"finish_reason": "MAX_TOKENS", "message": {"content": ""}}]}, "length", ""),
        (500, b"\xff\xfe<html>", "server", ""),
        (200, b"[" * 100_000, "page", ""),
    ],
)  # fmt: skip
def test_classifier(status: int, body: Any, kind: str, parameter: str) -> None:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with pytest.raises(Fault) as raised:
        classify(status, {}, data, now=0)
    assert (raised.value.kind, raised.value.parameter) == (kind, parameter)
    assert raised.value.limit == (3180 if parameter == "limit" else 0)
    assert raised.value.retry_after == (21 if kind == "rate" else None)


def test_content_in_parts_and_in_tool_calls() -> None:
    parts = completion(None, message={"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]})
    assert classify(200, {}, json.dumps(parts).encode(), now=0).content == "ab"
    call = completion(
        None, message={"tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}, model="/home/me/model.gguf"
    )
    answer = classify(200, {}, json.dumps(call).encode(), now=0)
    assert (answer.content, answer.served) == ("{}", "model.gguf")


def test_settings_of_extraction_have_switches() -> None:
    assert ExtractSettings().summarize
    assert ExtractSettings().merge_descriptions
