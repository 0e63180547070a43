"""How long a saved file takes to be on the page: `python benchmarks/serve.py [documents…]` (default 20 and 1,000).

A project with that many documents is made in a temporary folder and served; then a file is saved and the clock runs until the
reload message comes over the websocket of a page. Saved are the text of the landing page, its template,
a style sheet, and a document (extraction included). Medians of five, in milliseconds.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

ROUNDS = 5
FIRST = [
    "Ada",
    "Boris",
    "Clara",
    "Dmitri",
    "Elena",
    "Farid",
    "Greta",
    "Hugo",
    "Irene",
    "Jonas",
    "Karin",
    "Luca",
    "Mara",
    "Nils",
    "Olga",
    "Pavel",
]
LAST = [
    "Anders",
    "Bergmann",
    "Castello",
    "Dvorak",
    "Eklund",
    "Fischer",
    "Gruber",
    "Hansen",
    "Ivanov",
    "Jansen",
    "Keller",
    "Lindqvist",
]
PLACES = ["Vienna", "Prague", "Lisbon", "Oslo", "Krakow", "Turin", "Geneva", "Leiden", "Uppsala", "Bologna"]


def document(rng: random.Random, number: int) -> str:
    """Three paragraphs of four sentences about made-up people."""
    paragraphs = [f"# Notes {number}"]
    for _ in range(3):
        people = [f"{rng.choice(FIRST)} {rng.choice(LAST)}" for _ in range(8)]
        pairs = zip(people[::2], people[1::2], strict=True)
        paragraphs.append(" ".join(f"{one} met {other} in {rng.choice(PLACES)}." for one, other in pairs))
    return "\n\n".join(paragraphs) + "\n"


def make(root: Path, documents: int) -> None:
    """The project."""
    rng = random.Random(7)
    templates, styles = root / "themes/mine/templates", root / "themes/mine/static/css"
    for folder in (root / "content", templates, styles):
        folder.mkdir(parents=True)
    (root / "site.toml").write_text('[site]\ntitle = "Benchmark"\ntheme = "mine"\n')
    (root / "themes/mine/theme.toml").write_text('name = "mine"\nextends = "default"\n')
    (templates / "landing.html").write_text('{% extends "parent:landing.html" %}\n')
    (styles / "extra.css").write_text("body { color: #111 }\n")
    (root / "content/index.md").write_text("# Welcome\n")
    for number in range(documents):
        (root / f"content/note-{number:04}.md").write_text(document(rng, number))


async def measure(root: Path) -> dict[str, float]:
    """Kind of file → median milliseconds from the save to the reload message."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "kgsite.cli", "-C", str(root), "serve", "--port", "0", stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    port = 0
    while line := (await process.stderr.readline()).decode():
        if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
            port = int(found[1])
        if re.match(r"[\d,]+ documents?, ", line):
            break
    drain = asyncio.create_task(process.stderr.read())
    headers = {"Origin": f"http://127.0.0.1:{port}"}
    socket = await websocket_connect(HTTPRequest(f"ws://127.0.0.1:{port}/-kgsite/livereload", headers=headers))
    await socket.write_message(json.dumps({"command": "hello"}))
    times = {name: await _median(socket, save) for name, save in _saves(root).items()}
    socket.close()
    began = time.perf_counter()
    process.send_signal(signal.SIGINT)
    await process.wait()
    await drain
    return {**times, "Ctrl-C to the end": 1000 * (time.perf_counter() - began)}


def _saves(root: Path) -> dict[str, Callable[[int], object]]:
    rng = random.Random(11)
    landing = root / "themes/mine/templates/landing.html"
    return {
        "landing text": lambda n: (root / "content/index.md").write_text(f"# Welcome\n\nVersion {n}.\n"),
        "landing template": lambda n: landing.write_text(f'{{% extends "parent:landing.html" %}}\n{{# {n} #}}\n'),
        "style sheet": lambda n: (root / "themes/mine/static/css/extra.css").write_text(
            f"body {{ color: #11{n}{n} }}\n"
        ),
        "document, extracted offline": lambda n: (root / "content/note-0003.md").write_text(document(rng, n)),
    }


async def _median(socket: WebSocketClientConnection, save: Callable[[int], object]) -> float:
    times: list[float] = []
    for number in range(ROUNDS):
        await asyncio.sleep(1.0)
        began = time.perf_counter()
        save(number)
        while True:
            message = await socket.read_message()
            assert isinstance(message, str)
            if json.loads(message)["command"] == "reload":
                break
        times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times)


def main() -> None:
    for documents in [int(number) for number in sys.argv[1:]] or [20, 1000]:
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder), documents)
            for name, time_taken in asyncio.run(measure(Path(folder))).items():
                print(f"{documents:>6,} documents  {name:<28} {time_taken:>8,.0f} ms")


if __name__ == "__main__":
    main()
