"""Kill -9 at random moments: only requests in flight are paid again.

The processes that are killed are forked from one that has imported everything, so that twenty kills take seconds.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kgsite.replystore import ReplyStore
from tests.llm.scripted import Server, serving, slow

KILLS = 20
CONCURRENCY = 4
CHUNKS = 120

PARENT = """
import os, sys
from pathlib import Path
import kgsite.extract.llm.transport
from kgsite.extract import tokens
from kgsite.extract.assemble import assemble
from kgsite.extract.llm import llm_extractor
from kgsite.model import Provenance
from kgsite.replystore import ReplyStore
from tests.llm.kit import ENVIRON, job, settings

def build(root, url, chunks, concurrency):
    chosen = settings(root, url, concurrency=concurrency)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    passages = [f"Ada Northgate founded Works {letters[n % 26]}{letters[n // 26].lower()}." for n in range(chunks)]
    jobs = [job(*passages[at : at + 30], path=f"{at}.md") for at in range(0, chunks, 30)]
    with llm_extractor(chosen, store=ReplyStore(root / "replies"), environ=ENVIRON) as extractor:
        for done, outcome in extractor.extract(jobs):
            provenance = Provenance(done.document.source.path)
            extractor.enrich(done, assemble(done, outcome, settings=chosen, provenance=provenance))

tokens.count("warm")
print("ready", flush=True)
for line in sys.stdin:
    root, url, chunks, concurrency = line.rstrip().split("|")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            build(Path(root), url, int(chunks), int(concurrency))
            status = 0
        finally:
            os._exit(status)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Builds:
    """Starts builds in processes of their own."""

    def __init__(self, parent: subprocess.Popen[str]) -> None:
        assert parent.stdin is not None
        assert parent.stdout is not None
        self._in, self._out = parent.stdin, parent.stdout
        assert self._out.readline() == "ready\n"

    def start(self, root: Path, server: Server) -> int:
        """The process id of a new build."""
        self._in.write(f"{root}|{server.url}|{CHUNKS}|{CONCURRENCY}\n")
        self._in.flush()
        return int(self._out.readline())

    def end(self) -> int:
        """Its exit code; a negative one is a signal."""
        return int(self._out.readline())


@contextmanager
def builds() -> Iterator[Builds]:
    arguments = [sys.executable, "-c", PARENT]
    with subprocess.Popen(
        arguments, cwd=Path(__file__).parents[2], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        yield Builds(parent)


def test_twenty_kills_cost_at_most_what_was_in_flight(tmp_path: Path) -> None:
    rng = random.Random(4)
    with builds() as worker:
        with serving(slow(0.02)) as server:
            worker.start(tmp_path / "plain", server)
            assert worker.end() == 0
            plain = len(server.chats())
        assert plain >= CHUNKS
        with serving(slow(0.02)) as server:
            killed = 0
            while killed < KILLS:
                seen = len(server.chats())
                process = worker.start(tmp_path / "killed", server)
                # Random in the work done, not in start-up time: some requests, then a little more.
                wanted, deadline = rng.randrange(0, 7), time.monotonic() + 60
                while len(server.chats()) - seen < wanted and time.monotonic() < deadline:
                    time.sleep(0.001)
                time.sleep(rng.random() * 0.03)
                os.kill(process, signal.SIGKILL)
                killed += worker.end() == -signal.SIGKILL
            worker.start(tmp_path / "killed", server)
            assert worker.end() == 0
            total = len(server.chats())
    assert plain <= total <= plain + CONCURRENCY * killed
    stats = ReplyStore(tmp_path / "killed" / "replies").stats()
    assert stats.damaged == 0
    assert stats.replies == ReplyStore(tmp_path / "plain" / "replies").stats().replies
