"""`kgsite ask` as people run it: arguments, a conversation, JSON lines, Ctrl-C."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from kgsite.cli import main
from kgsite.model import Provenance, SourcePath
from kgsite.store import Store
from tests.ask.samples import DATA, samples
from tests.ask.scripted_model import Given, answering
from tests.llm.scripted import Exchange, Handler, Server, serving

BORN = "Where was Marie Curie born?"


def born(asked: Given) -> str:
    return f"Marie Curie was born in Warsaw [{asked.number('marie curie', 'born in', 'warsaw')}]. \x1b[31mAnd [900]."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The samples with their graphs stored, as a build leaves them."""
    (tmp_path / "content").mkdir()
    (tmp_path / "site.toml").write_text("")
    for name in ("marie-curie.json", "apollo-program.json"):
        shutil.copy(DATA / name, tmp_path / "content")
    store = Store(tmp_path)
    for graph in samples().documents:
        store.save_graph(replace(graph, provenance=Provenance(SourcePath(Path(graph.provenance.source).name))))
    return tmp_path


@pytest.fixture
def run(project: Path) -> CliRunner:
    return CliRunner(env={"OPENAI_API_KEY": None, "NO_PROXY": "127.0.0.1"})


def use_model(project: Path, server: Server) -> None:
    text = f'[llm]\nmodel = "test-model"\nbase_url = "{server.url}"\n[extract]\nextractor = "offline"\n'
    (project / "site.toml").write_text(text)


def files(project: Path) -> set[str]:
    return {path.relative_to(project).as_posix() for path in project.rglob("*") if path.is_file()}


def test_facts_are_shown_with_their_quotes_and_places(project: Path, run: CliRunner) -> None:
    before = files(project)
    result = run.invoke(main, ["-C", str(project), "ask", *BORN.split()])
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0].startswith("These are the facts nearest to the question; no model is set up")
    assert lines[1] == "[1] Marie Curie · born in · Warsaw"
    assert lines[2].startswith("    “Marie Curie was born Maria Skłodowska in Warsaw")
    assert lines[3].endswith("→ documents/marie-curie/index.html#p1")
    assert "    same passage as [1]" in lines
    assert files(project) == before  # asking writes nothing


def test_a_path_is_drawn_in_words(project: Path, run: CliRunner) -> None:
    result = run.invoke(main, ["-C", str(project), "ask", "How are Wernher von Braun and Huntsville connected?"])
    assert (
        "Wernher von Braun ←developed under— saturn v —developed at→ Marshall Space Flight Center —located in→ Huntsville"
        in result.output.replace("Saturn V", "saturn v").replace("Saturn v", "saturn v")
    )


def test_a_models_answer_is_shown_once_and_checked(project: Path, run: CliRunner) -> None:
    with serving(answering(born)) as server:
        use_model(project, server)
        result = run.invoke(main, ["-C", str(project), "ask", BORN])
        again = run.invoke(main, ["-C", str(project), "ask", BORN])
        fresh = run.invoke(main, ["-C", str(project), "ask", "--no-cache", BORN])
        plain = run.invoke(main, ["-C", str(project), "ask", "--no-model", BORN])
        assert len(server.chats()) == 2
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[0] == "Marie Curie was born in Warsaw [1]. [31mAnd."
    assert result.output.count("Marie Curie was born in Warsaw [1]") == 1
    assert "\x1b" not in result.output
    assert "removed from the model's reply: 1 citation of no given fact" in result.output
    assert "1 request, 900 + 40 tokens" in result.output
    assert "from the reply store" in again.output
    assert "1 request" in fresh.output
    assert plain.output.startswith("These are the facts") or "[1] Marie Curie · born in · Warsaw" in plain.output


def test_no_facts_leaves_the_answer(project: Path, run: CliRunner) -> None:
    with serving(answering(born)) as server:
        use_model(project, server)
        result = run.invoke(main, ["-C", str(project), "ask", "--no-facts", BORN])
    assert "·" not in result.output.splitlines()[0]
    assert "“" not in result.output


def test_json_is_one_line_for_each_question(project: Path, run: CliRunner) -> None:
    asked = f"{BORN}\n\nWho was her husband?\n"
    result = run.invoke(main, ["-C", str(project), "ask", "--json"], input=asked)
    rows = [json.loads(line) for line in result.output.splitlines()]
    assert [row["question"] for row in rows] == [BORN, "Who was her husband?"]
    assert [seed["how"] for seed in rows[1]["seeds"]] == ["earlier"]
    assert {"question", "answer", "seeds", "facts", "citations", "mode", "usage"} <= set(rows[0])
    alone = run.invoke(main, ["-C", str(project), "ask", "--json", "--no-facts", BORN])
    assert "facts" not in json.loads(alone.output)


def test_a_project_without_graphs_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    result = CliRunner().invoke(main, ["-C", str(tmp_path), "ask", "Who?"])
    assert result.exit_code == 2
    assert "kgsite build" in result.output


def test_an_error_of_the_endpoint_is_one_line_and_the_conversation_goes_on(project: Path, run: CliRunner) -> None:
    replies: list[Handler] = [lambda exchange: exchange.send(401, {"error": {"message": "bad key"}}), answering(born)]
    with serving(lambda exchange: replies[min(exchange.number, 1)](exchange)) as server:
        use_model(project, server)
        result = run.invoke(main, ["-C", str(project), "ask"], input=f"Who was Marie Curie?\n{BORN}\n")
    assert "refuses the key" in result.stderr
    assert "Marie Curie was born in Warsaw [1]" in result.stdout


# ── a terminal ────────────────────────────────────────────────────────────────────────────────────
class Terminal:
    """`kgsite ask` on a pseudo-terminal."""

    def __init__(self, project: Path, *arguments: str) -> None:
        parent, child = pty.openpty()
        environ = {**os.environ, "PYTHONUNBUFFERED": "1", "TERM": "dumb"}
        environ.pop("OPENAI_API_KEY", None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kgsite.cli", "-C", str(project), "ask", *arguments],
            stdin=child, stdout=child, stderr=child, env=environ, start_new_session=True,
        )  # fmt: skip
        os.close(child)
        self.fd = parent
        self.text = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self.fd, 4096)
            except OSError:
                return
            if not data:
                return
            self.text += data.decode("utf-8", "replace")

    def until(self, text: str) -> None:
        end = time.monotonic() + 60
        while text not in self.text:
            assert time.monotonic() < end, self.text
            time.sleep(0.02)

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def end(self) -> int:
        try:
            return self.process.wait(timeout=30)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            os.close(self.fd)
            self._reader.join(timeout=5)


def test_a_conversation_ends_at_control_d(project: Path) -> None:
    terminal = Terminal(project)
    terminal.until("ask> ")
    terminal.type("Who was Marie Curie?\n")
    terminal.until("facts about Marie Curie")
    terminal.type("/facts\n")
    terminal.until("[100] ")
    terminal.type("Where was she born?\n")
    terminal.until("· born in · Warsaw")
    terminal.until("ask> ")
    for _ in range(6):  # typed before the line editor has taken over the terminal, it is lost
        terminal.type("\x04")
        with contextlib.suppress(subprocess.TimeoutExpired):
            terminal.process.wait(5)
            break
    assert terminal.end() == 0


def waits_for_ever(started: threading.Event) -> Handler:
    def handle(exchange: Exchange) -> None:
        head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
        piece = {"choices": [{"index": 0, "delta": {"content": "Marie Curie [1] was born in "}}]}
        exchange.connection.sendall(f"{head}data: {json.dumps(piece)}\n\n".encode())
        started.set()
        time.sleep(60)

    return handle


def test_control_c_ends_a_question_within_two_seconds(project: Path) -> None:
    started = threading.Event()
    with serving(waits_for_ever(started)) as server:
        use_model(project, server)
        before = files(project)
        terminal = Terminal(project, BORN)
        terminal.until("Marie Curie [1] was born")
        began = time.monotonic()
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.end() == 130
        assert time.monotonic() - began < 2.0
    assert files(project) == before  # nothing half-written


def test_control_c_stops_an_answer_and_the_conversation_goes_on(project: Path) -> None:
    started = threading.Event()
    with serving(waits_for_ever(started)) as server:
        use_model(project, server)
        terminal = Terminal(project)
        terminal.until("ask> ")
        terminal.type(f"{BORN}\n")
        terminal.until("Marie Curie [1] was born")
        terminal.process.send_signal(signal.SIGINT)
        terminal.until("stopped")
        terminal.until("ask> ")
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.end() == 130
