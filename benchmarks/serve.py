"""How long a saved file takes to be on the page: `python benchmarks/serve.py [documents…]` (default 20 and 1,000).

A project with that many documents is made in a temporary folder and served to a real browser (chromium); then a file is
saved and the clock runs until the page shows it. Saved are the text of the landing page, a style sheet, the page's
template (broken: until the overlay is there; mended: until the page is back), and a document, extraction included.
Medians of six, in milliseconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from playwright.async_api import Error, Page, async_playwright

LANDING = """{% extends "parent:landing.html" %}
{% block head %}{{ super() }}<link rel="stylesheet" href="{{ asset("css/extra.css") }}">{% endblock %}
"""
ROUNDS = 6
PAUSE = 1.5  # seconds between two saves
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
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
    (templates / "landing.html").write_text(LANDING)
    (styles / "extra.css").write_text("body { color: #111 }\n")
    (root / "content/index.md").write_text("# Welcome\n")
    for number in range(documents):
        (root / f"content/note-{number:04}.md").write_text(document(rng, number))


async def measure(root: Path, tell: Callable[[str, float], None]) -> None:
    """Tell what is saved, and the median of milliseconds until the browser shows it."""
    command = [sys.executable, "-m", "kgsite.cli", "-C", str(root), "serve", "--port", "0"]
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    assert process.stderr is not None
    url = ""
    while line := (await process.stderr.readline()).decode():
        if found := re.search(r"http://127\.0\.0\.1:\d+/", line):
            url = found[0]
        if re.match(r"[\d,]+ documents?, ", line):
            break
    drain = asyncio.create_task(process.stderr.read())
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name, (address, save, shown) in _saves(root).items():
            page = await browser.new_page()
            await page.goto(url + address)
            tell(name, await _median(page, save, shown))
            await page.close()
        await browser.close()
    began = time.perf_counter()
    process.send_signal(signal.SIGINT)
    await process.wait()
    await drain
    tell("Ctrl-C to the end", 1000 * (time.perf_counter() - began))


Save = Callable[[int], object]
Shown = Callable[[int], str]


def _saves(root: Path) -> dict[str, tuple[str, Save, Shown]]:
    """Name → page, how version n is saved, and the JavaScript that says whether the page shows it."""
    rng = random.Random(11)
    landing, style = root / "themes/mine/templates/landing.html", root / "themes/mine/static/css/extra.css"
    note = root / "content/note-0003.md"
    body = note.read_text()
    people = [f"{rng.choice(FIRST)} {rng.choice(LAST)} met {rng.choice(FIRST)} {rng.choice(LAST)}" for _ in range(9)]

    def text(n: int) -> str:
        return f"document.body.innerText.includes('Version {n}.')"

    def template(n: int) -> None:
        landing.write_text(LANDING if n % 2 else "{% if %}\n")

    def overlay(n: int) -> str:
        overlay_is = "document.querySelector('.kgsite-overlay')?.hidden ==="
        return f"{overlay_is} true" if n % 2 else f"{overlay_is} false"

    return {
        "text of the landing page": (
            "",
            lambda n: (root / "content/index.md").write_text(f"# Welcome\n\nVersion {n}.\n"),
            text,
        ),
        "style sheet, no reload": (
            "",
            lambda n: style.write_text(f"body {{ outline: {n + 1}px solid red }}\n"),
            lambda n: f"getComputedStyle(document.body).outlineWidth === '{n + 1}px'",
        ),
        "template broken, then mended": ("", template, overlay),
        "sentence in a document, extracted": (
            "documents/note-0003/",
            lambda n: note.write_text(f"{body}\n{people[n]} in Oslo, Version {n}.\n"),
            text,
        ),
    }


async def _median(page: Page, save: Save, shown: Shown) -> float:
    times: list[float] = []
    for number in range(ROUNDS):
        await asyncio.sleep(PAUSE)
        began = time.perf_counter()
        save(number)
        while not await _is_shown(page, shown(number)):  # noqa: ASYNC110 - the page is another process
            await asyncio.sleep(0.02)
        times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times)


async def _is_shown(page: Page, script: str) -> bool:
    """Asked from outside: the page's own policy lets no function be made of a string."""
    with contextlib.suppress(Error):  # in the middle of a reload
        return bool(await page.evaluate(script))
    return False


def main() -> None:
    for documents in [int(number) for number in sys.argv[1:]] or [20, 1000]:

        def tell(name: str, taken: float, documents: int = documents) -> None:
            print(f"{documents:>6,} documents  {name:<34} {taken:>8,.0f} ms", flush=True)

        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder), documents)
            asyncio.run(measure(Path(folder), tell))


if __name__ == "__main__":
    main()
