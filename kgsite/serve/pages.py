"""Handlers of the site itself: the bytes on disk, with one tag added to HTML on the wire."""

from __future__ import annotations

import asyncio
import contextlib
import mimetypes
import re
from collections.abc import AsyncIterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tornado.web import RequestHandler

from kgsite.serve.guard import PREFIX
from kgsite.serve.paths import Found, locate

if TYPE_CHECKING:
    from kgsite.serve.server import Server

_FINGERPRINTED = re.compile(r"/static/.*\.[0-9a-f]{10}\.[a-z0-9]+$")
_WAIT_FOR_SWAP = 10.0  # seconds that a request waits for a publish to end
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".xml": "application/xml; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".jsonld": "application/ld+json",
    ".graphml": "application/xml",
    ".gexf": "application/xml",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
}


def content_type(name: str) -> str:
    """The type that a static host sends for a file of this name; text is UTF-8."""
    suffix = Path(name).suffix.lower()
    return _TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"


class Gate:
    """Holds requests back while a publish changes the output, and a publish until running requests have read."""

    def __init__(self) -> None:
        self._open = asyncio.Event()
        self._open.set()
        self._free = asyncio.Event()
        self._free.set()
        self._inside = 0

    @contextlib.asynccontextmanager
    async def reading(self) -> AsyncIterator[None]:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_WAIT_FOR_SWAP):
                await self._open.wait()
        self._inside += 1
        self._free.clear()
        try:
            yield
        finally:
            self._inside -= 1
            if not self._inside:
                self._free.set()

    async def close(self) -> None:
        """Let nobody in, and wait until everybody is out."""
        self._open.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_WAIT_FOR_SWAP):
                await self._free.wait()

    def open(self) -> None:
        self._open.set()


class BaseHandler(RequestHandler):
    """What every answer of this server has in common."""

    server: Server

    def initialize(self, server: Server, **_more: Any) -> None:
        self.server = server

    def set_default_headers(self) -> None:
        self.set_header("Server", "kgsite")
        self.set_header("Cache-Control", "no-cache")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("X-Frame-Options", "SAMEORIGIN")
        self.set_header("Cross-Origin-Resource-Policy", "same-origin")
        self.set_header("Referrer-Policy", "same-origin")

    def write_error(self, status_code: int, **_more: Any) -> None:
        """One plain line; no traceback and nothing of the request in it."""
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(f"{status_code} {self._reason}\n")


class Refused(BaseHandler):
    """The answer to whom the guard refuses: a status and a reason, nothing of the site."""

    def initialize(self, server: Server, status: int = 403, reason: str = "", **_more: Any) -> None:
        self.server, self.status, self.why = server, status, reason

    def prepare(self) -> None:
        self.set_status(self.status)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(f"{self.status} {self.why}\n")

    def check_xsrf_cookie(self) -> None:
        """There are no cookies."""


class StaticHandler(BaseHandler):
    """Scripts and styles of the preview itself, below /-kgsite/."""

    FOLDER = Path(__file__).parent / "static"

    def get(self, name: str) -> None:
        file = self.FOLDER / name
        if not file.is_file():
            self.send_error(404)
            return
        self.set_header("Content-Type", content_type(name))
        self.write(file.read_bytes())


class SiteHandler(BaseHandler):
    """A file of the published site, or its 404.html."""

    async def get(self, _decoded: str) -> None:
        server, path = self.server, self.request.path  # decoded once, by `locate`
        mount = server.mount
        if path == "/" and mount != "/":
            self.redirect(mount)
            return
        async with server.gate.reading():
            found, data = self._read(path)
            if data is None and not found.redirect and await self._publishing_elsewhere():
                found, data = self._read(path)
            missing = None
            if data is None and not found.redirect:
                missing = self._bytes(server.output / "404.html")
        if found.redirect:
            query = f"?{self.request.query}" if self.request.query else ""
            self.redirect(found.redirect + query)
        elif data is not None and found.file is not None:
            if _FINGERPRINTED.search(path):  # another content has another name: a reload need not ask for it again
                self.set_header("Cache-Control", "max-age=31536000, immutable")
            self._answer(found.file.name, data)
        else:
            server.build_lost_site(path)
            self.set_status(404)
            self._answer("404.html", missing if missing is not None else self._placeholder())

    head = get

    def _read(self, path: str) -> tuple[Found, bytes | None]:
        found = locate(self.server.output, self.server.mount, path)
        return found, self._bytes(found.file) if found.file is not None else None

    def _bytes(self, file: Path) -> bytes | None:
        try:
            return file.read_bytes()
        except OSError:
            return None

    async def _publishing_elsewhere(self) -> bool:
        """Wait while a `kgsite build` outside this server swaps the output; whether there was one."""
        output = self.server.output
        journal = output.parent / f".{output.name}.kgsite" / "journal.json"
        waited = False
        for _ in range(40):
            if not journal.exists():
                break
            waited = True
            await asyncio.sleep(0.05)
        return waited

    def _answer(self, name: str, data: bytes) -> None:
        kind = content_type(name)
        self.set_header("Content-Type", kind)
        self.write(with_tag(data, self.server.tag()) if kind.startswith("text/html") else data)

    def _placeholder(self) -> bytes:
        """Shown until the first build has made a site: the channel reloads it."""
        phrases = self.server.phrases
        words = "404" if self.server.has_site else phrases.t("corner.building")
        return (
            f'<!doctype html><html lang="{phrases.language}"><head><meta charset="utf-8"><title>kgsite</title></head>'
            f"<body><p>{escape(words)}</p></body></html>"
        ).encode()


def with_tag(page: bytes, tag: bytes) -> bytes:
    """A page with `tag` before the end of its body, or at its end; everything else stays byte for byte."""
    at = page.lower().rfind(b"</body>")
    return page[:at] + tag + page[at:] if at >= 0 else page + tag


def page_tag(*, token: str, build: int, mount: str, library: bool, extra: tuple[str, ...], words: str) -> bytes:
    """The tag that a served page gets: external script and style, as its content security policy wants them.

    `extra` are further names without suffix (the Ask panel): both `<name>.css` and `<name>.js` are loaded. `words` is
    the JSON of what the scripts say, safe to stand in a page.
    """
    data = f'data-token="{escape(token)}" data-build="{build}" data-mount="{escape(mount)}"'
    data += ' data-library="1"' if library else ""
    tags = f'<link rel="stylesheet" href="{PREFIX}static/serve.css">'
    tags += f'<script id="kgsite-words" type="application/json">{words}</script>'
    tags += f'<script id="kgsite-serve" src="{PREFIX}static/serve.js" {data}></script>'
    for name in extra:
        tags += (
            f'<link rel="stylesheet" href="{PREFIX}static/{name}.css"><script src="{PREFIX}static/{name}.js"></script>'
        )
    return tags.encode()
