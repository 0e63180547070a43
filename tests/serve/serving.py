"""A real `kgsite serve` over a small project, for tests: started, asked, ended by its own id."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

TEXTS = {
    "curie.md": "# Marie Curie\n\nMarie Curie arbeitete an der Sorbonne. Marie Curie heiratete Pierre Curie.\n"
    "Pierre Curie arbeitete mit Marie Curie in Paris.\n",
    "meitner.md": "# Lise Meitner\n\nLise Meitner arbeitete mit Otto Hahn in Berlin. Otto Hahn leitete das Institut.\n",
}
PATIENCE = 240.0


def make_project(root: Path, texts: dict[str, str] | None = None, base_url: str = "") -> Path:
    """A project in German, so that the quick core extractor reads it."""
    content = root / "content"
    content.mkdir(parents=True)
    (root / "site.toml").write_text(f'[site]\ntitle = "Probe"\nbase_url = "{base_url}"\n\n[extract]\nlanguage = "de"\n')
    (content / "index.md").write_text("# Anfang\n\nDas erste Wort.\n")
    for name, text in (TEXTS if texts is None else texts).items():
        path = content / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\nlanguage: de\n---\n{text}")
    return root


@dataclass
class Served:
    """A running server."""

    root: Path
    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)
    port: int = 0
    mount: str = "/"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.mount}"

    def get(self, path: str, **headers: str) -> tuple[int, str]:
        """Status and body of a path below the mount."""
        status, _, body = self.raw("GET", self.mount + path, headers)
        return status, body.decode("utf-8", "replace")

    def raw(
        self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b""
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(
                method, path, body or None, {key.replace("_", "-"): v for key, v in (headers or {}).items()}
            )
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    @property
    def token(self) -> str:
        found = re.search(r'data-token="([^"]+)"', self.get("")[1])
        assert found is not None
        return found[1]

    def send(self, data: bytes) -> bytes:
        """What comes back for these bytes, in whole."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.sendall(data)
            parts = [connection.recv(65_536)]
            connection.settimeout(0.5)  # a refused upgrade keeps the connection
            while parts[-1]:
                try:
                    parts.append(connection.recv(65_536))
                except TimeoutError:
                    break
        return b"".join(parts)

    @property
    def builds(self) -> int:
        return sum(bool(re.match(r"[\d,]+ documents?, ", line)) for line in self.lines)

    def until(self, happened: Callable[[], object], what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not happened():
            assert time.monotonic() < end, f"{what} did not come about:\n" + "\n".join(self.lines)
            assert self.process.poll() is None, "\n".join(self.lines)
            time.sleep(0.05)

    def until_page(self, path: str, *, has: str = "", status: int = 200) -> None:
        def seen() -> bool:
            got, body = self.get(path)
            return got == status and has in body

        self.until(seen, f"{path} with {has!r} and status {status}")

    def is_quiet(self, seconds: float = 2.0, patience: int = 10) -> bool:
        """Whether builds stop ending when nothing is touched: an endless loop never does."""
        for _ in range(patience):  # on a slow machine a change may still be under way
            before = self.builds
            time.sleep(seconds)
            if self.builds == before:
                return True
        return False

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=20)


@contextmanager
def served(root: Path, *flags: str, wait: bool = True) -> Iterator[Served]:
    """`kgsite serve` on a free port, ended at the end."""
    command = [sys.executable, "-m", "kgsite.cli", "-C", str(root), "serve", "--port", "0", *flags]
    environ = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environ)
    server = Served(root, process)

    def read() -> None:
        assert process.stderr is not None
        for line in process.stderr:
            server.lines.append(line.rstrip("\n"))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        server.until(lambda: any(line.startswith("serving ") for line in server.lines), "the first line")
        line = next(line for line in server.lines if line.startswith("serving "))
        found = re.search(r"http://[^/]+:(\d+)(/\S*)", line)
        assert found is not None
        server.port, server.mount = int(found[1]), found[2]
        if wait:
            server.until(lambda: server.builds, "the first build")
        yield server
    finally:
        if process.poll() is None:
            server.end()
        reader.join()
        assert process.stderr is not None
        process.stderr.close()
