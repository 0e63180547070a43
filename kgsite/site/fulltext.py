"""Full text over the documents: Pagefind (https://pagefind.app, MIT) run over the built pages.

Pagefind reads what is inside `data-pagefind-body` of the document pages and writes `pagefind/`: an ES module, a web
worker, WebAssembly and an index in small pieces. It must be served over http: modules and fetch do not work from disk.
WebAssembly runs in the worker, which a policy in the page's `<meta>` does not reach; only a server that sends the
policy as a header has to add `'wasm-unsafe-eval'` to `script-src`.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

from kgsite.errors import ConfigError, PublishError

FOLDER = "pagefind"
PAGES = "documents/*/index.html"
TIMEOUT = 1_800
"""Seconds; a thousand pages take about one."""
_UNUSED = ("pagefind-ui.*", "pagefind-modular-ui.*", "pagefind-component-ui.*", "pagefind-highlight.*")


def full_text_index(output: Path) -> None:
    """Write `pagefind/` into a built site, from its document pages.

    Raises ConfigError when the extra `kgsite[search]` is not installed, PublishError when Pagefind fails.
    """
    if importlib.util.find_spec("pagefind") is None or importlib.util.find_spec("pagefind_bin") is None:
        raise ConfigError(
            "[search] full_text = true needs Pagefind, which is not installed",
            hint='pip install "kgsite[search]", or set full_text = false',
        )
    command = [sys.executable, "-m", "pagefind", "--site", str(output), "--output-subdir", FOLDER, "--glob", PAGES]
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
    for pattern in _UNUSED:  # its own user interface: the site has one
        for file in (output / FOLDER).glob(pattern):
            file.unlink()
