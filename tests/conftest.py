"""What browser tests of all areas share: a Chromium, and a small web server."""

from __future__ import annotations

import contextlib
import functools
import http.server
import importlib.util
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.chromium import chromium_path

# A shell that runs the suite in the background ignores Ctrl-C, and so would every program that the tests start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    with contextlib.suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGINT, signal.default_int_handler)

CHROMIUM = chromium_path()
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-webgl", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium without GPU and WebGL.

    One for each module, not for the session: playwright keeps an event loop running in its thread, and allows one
    synchronous session at a time.
    """
    sync_api = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM.exists():
        pytest.skip("there is no chromium")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield started
        started.close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections stay open, as on any real server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        pass


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    handler = functools.partial(_Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def serve() -> Iterator[Callable[[Path], str]]:
    """Serves a folder on a free port until the test ends; returns the address."""
    with ExitStack() as stack:
        yield lambda folder: stack.enter_context(_served(folder))


@pytest.fixture(scope="session")
def make_graph() -> ModuleType:
    """The maker of made-up graphs that the benchmarks use."""
    path = Path(__file__).parents[1] / "benchmarks" / "make_graph.py"
    spec = importlib.util.spec_from_file_location("make_graph", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault("make_graph", module)
    spec.loader.exec_module(module)
    return module
