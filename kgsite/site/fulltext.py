"""Full text over the documents: Pagefind (https://pagefind.app, MIT) run over the document pages before they are published.

Pagefind reads what is inside `data-pagefind-body` of the document pages and writes `pagefind/`: an ES module, a web
worker, WebAssembly and an index in small pieces, the same bytes for the same pages in any order. It must be served over
http: modules and fetch do not work from disk.

Pagefind sees a folder of its own with just those pages, beside the output and never in it. What it writes is staged,
recorded and pruned like every other file of the site, so that pages and index change places together.

WebAssembly runs in the worker, which a policy in the page's `<meta>` does not reach; only a server that sends the
policy as a header has to add `'wasm-unsafe-eval'` to `script-src`.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

from kgsite.errors import ConfigError, PublishError

FOLDER = "pagefind"
ENTRY = f"{FOLDER}/pagefind.js"
TIMEOUT = 1_800
"""Seconds; a thousand pages take about one."""
_MARK = b"data-pagefind-body"
_UNUSED = ("pagefind-ui.*", "pagefind-modular-ui.*", "pagefind-component-ui.*", "pagefind-highlight.*")


def full_text_version() -> str:
    """The version of Pagefind, on which its files depend. Raises ConfigError when the extra is not installed."""
    if importlib.util.find_spec("pagefind") is None or importlib.util.find_spec("pagefind_bin") is None:
        raise ConfigError(
            "[search] full_text = true needs Pagefind, which is not installed",
            hint='pip install "kgsite[search]", or set full_text = false',
        )
    return metadata.version("pagefind_bin")


def full_text_files(pages: Mapping[str, Path], folder: Path) -> Iterator[tuple[str, bytes]]:
    """The files of the full text search as (path from the site root, bytes), sorted by path.

    `pages` are document pages by their path from the site root, with the file that holds each now; pages without a
    text are left out. `folder` must not exist; it is used for the work and removed.
    Raises ConfigError when the extra `kgsite[search]` is not installed, PublishError when Pagefind fails.
    """
    full_text_version()
    try:
        if _gather(pages, folder):
            _run(folder)
        made = folder / FOLDER
        for file in sorted(made.rglob("*")):
            if file.is_file() and not any(file.match(pattern) for pattern in _UNUSED):  # the site has its own interface
                yield file.relative_to(folder).as_posix(), file.read_bytes()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _gather(pages: Mapping[str, Path], folder: Path) -> int:
    """Put the pages that have a text into a folder; returns how many these are."""
    gathered = 0
    for path, file in sorted(pages.items()):
        html = file.read_bytes()
        if _MARK in html:
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(html)
            gathered += 1
    return gathered


def _run(folder: Path) -> None:
    command = [sys.executable, "-m", "pagefind", "--site", str(folder), "--output-subdir", FOLDER]
    try:
        done = subprocess.run(  # our own interpreter, no shell
            [*command, "--keep-index-url", "--silent"],
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PublishError(f"Pagefind could not index the documents: {type(error).__name__}") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise PublishError(f"Pagefind could not index the documents: {said[-1] if said else done.returncode}")
