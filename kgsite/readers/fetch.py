"""The fetcher that talks to the web: httpx over connections to checked addresses only.

The address is resolved and checked when the connection is made, and the connection goes to the checked
address, so nothing can change in between; httpx still sends the right Host and checks the certificate
against the name.
"""

from __future__ import annotations

import ssl
import time
import typing
import zlib
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import urljoin

import httpcore
import httpx

import kgsite
from kgsite.errors import FetchError
from kgsite.readers.addresses import checked_url, public_addresses, shown_url
from kgsite.readers.web import Fetched

_REDIRECTS = {301, 302, 303, 307, 308}
_MOST_REDIRECTS = 5
_KEPT_HEADERS = ("content-type", "content-language", "last-modified", "etag")
_STEP = 10.0  # seconds: the longest silence on a connection
_MOST_HEADER_BYTES = 65_536


class HttpFetcher:
    """Fetches public web pages. `max_bytes` counts decoded bytes; `seconds` is for the whole fetch, redirects included.

    `allow_private` is for tests with a local server; nothing in site.toml sets it.
    """

    def __init__(
        self,
        *,
        max_bytes: int = 64 << 20,
        seconds: float = 60.0,
        allow_private: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.max_bytes = max_bytes
        self.seconds = seconds
        self.allow_private = allow_private
        self.clock = clock

    def fetch(self, url: str) -> Fetched:
        """The page behind a URL. Raises FetchError with the reason; the address in it is without user names."""
        deadline = self.clock() + self.seconds
        address = checked_url(url, any_port=self.allow_private)
        with httpx.Client(
            transport=_Transport(self, deadline), trust_env=False, follow_redirects=False, timeout=_STEP
        ) as client:
            for _ in range(_MOST_REDIRECTS + 1):
                try:
                    done = self._hop(client, address, deadline)
                except httpx.TimeoutException as error:
                    raise FetchError(f"no answer in time from {shown_url(address)}") from error
                except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError, OSError) as error:
                    raise FetchError(f"can't be fetched: {_words(error)}") from error
                if isinstance(done, Fetched):
                    return done
                address = checked_url(done, any_port=self.allow_private)
        raise FetchError(f"more than {_MOST_REDIRECTS} redirects")

    def _hop(self, client: httpx.Client, address: str, deadline: float) -> Fetched | str:
        """One request: the page, or where it redirects to."""
        headers = {
            "User-Agent": f"kgsite/{kgsite.__version__} (static-site generator; fetches pages its publisher lists)",
            "Accept": "text/html,application/xhtml+xml,application/pdf,text/plain,text/markdown;q=0.9,*/*;q=0.1",
            "Accept-Encoding": "gzip, deflate",
        }
        with client.stream("GET", address, headers=headers) as response:
            if response.status_code in _REDIRECTS and response.headers.get("location"):
                return urljoin(address, response.headers["location"])
            if response.status_code != 200:
                raise FetchError(f"the server answered {response.status_code} for {shown_url(address)}")
            body = self._body(response, deadline)
            kept = {name: response.headers[name][:500] for name in _KEPT_HEADERS if name in response.headers}
            return Fetched(address, body, kept)

    def _body(self, response: httpx.Response, deadline: float) -> bytes:
        """Decoded bytes; reading stops at the limit, whatever the headers promise."""
        coding = response.headers.get("content-encoding", "identity").strip().lower()
        length = response.headers.get("content-length", "")
        if length.isascii() and length.isdigit() and int(length[:19]) > self.max_bytes:
            raise FetchError(f"refused: the page announces {int(length[:19]):,} bytes (at most {self.max_bytes:,})")
        parts: list[bytes] = []
        size = 0
        for part in _decoded(response.iter_raw(), coding, self.max_bytes):
            size += len(part)
            if size > self.max_bytes:
                raise FetchError(f"refused: the page is longer than {self.max_bytes:,} bytes when unpacked")
            if self.clock() > deadline:
                raise FetchError(f"took longer than {self.seconds:g} seconds")
            parts.append(part)
        return b"".join(parts)


def _decoded(parts: Iterable[bytes], coding: str, limit: int) -> Iterator[bytes]:
    """Undo gzip or deflate, never inflating more than a little over the limit."""
    if coding in {"identity", ""}:
        yield from parts
        return
    if coding not in {"gzip", "x-gzip", "deflate"}:
        raise FetchError(f"the page is packed in a way that was not asked for ({coding[:20]})")
    inflater: zlib._Decompress | None = None
    for part in parts:
        if inflater is None:
            zlib_header = coding == "deflate" and part[:1] == b"\x78"
            inflater = zlib.decompressobj(
                zlib.MAX_WBITS | 16 if coding != "deflate" else zlib.MAX_WBITS if zlib_header else -zlib.MAX_WBITS
            )
        try:
            yield inflater.decompress(part, limit + 1)
        except zlib.error as error:
            raise FetchError("the page is packed and damaged") from error
        if inflater.unconsumed_tail:
            raise FetchError(f"refused: the page is longer than {limit:,} bytes when unpacked")


def _words(error: Exception) -> str:
    text = str(error).strip().split("\n", 1)[0][:200]
    return text if text and "@" not in text else type(error).__name__


class _Transport(httpx.BaseTransport):
    """httpx over an httpcore pool whose connections are made by `_Backend`."""

    def __init__(self, fetcher: HttpFetcher, deadline: float) -> None:
        context = ssl.create_default_context()
        self.pool = httpcore.ConnectionPool(ssl_context=context, retries=0, network_backend=_Backend(fetcher, deadline))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        inner = httpcore.Request(
            method=request.method,
            url=httpcore.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            extensions=request.extensions,
        )
        try:
            answer = self.pool.handle_request(inner)
        except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise _as_httpx(error) from error
        if sum(len(name) + len(value) for name, value in answer.headers) > _MOST_HEADER_BYTES:
            answer.close()
            raise FetchError("refused: the answer's headers are too long")
        stream = _Body(typing.cast("Iterable[bytes]", answer.stream), answer.close)
        return httpx.Response(answer.status, headers=answer.headers, stream=stream, extensions=answer.extensions)

    def close(self) -> None:
        self.pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, parts: Iterable[bytes], close: Callable[[], None]) -> None:
        self.parts = parts
        self.shut = close

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self.parts
        except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise _as_httpx(error) from error

    def close(self) -> None:
        self.shut()


def _as_httpx(error: Exception) -> httpx.HTTPError:
    if isinstance(error, httpcore.TimeoutException):
        return httpx.ReadTimeout(str(error))
    return (
        httpx.ProtocolError(str(error)) if isinstance(error, httpcore.ProtocolError) else httpx.NetworkError(str(error))
    )


class _Backend(httpcore.NetworkBackend):
    """Resolves, checks, and connects to the address that was checked; every wait ends at the deadline."""

    def __init__(self, fetcher: HttpFetcher, deadline: float) -> None:
        self.inner = httpcore.SyncBackend()
        self.fetcher = fetcher
        self.deadline = deadline

    def left(self, timeout: float | None) -> float:
        """Seconds that this wait may take. Raises ReadTimeout when none are left."""
        remaining = self.deadline - self.fetcher.clock()
        if remaining <= 0:
            raise httpcore.ReadTimeout("the time for the whole fetch is over")
        return min(remaining, _STEP if timeout is None else timeout)

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        last: Exception = httpcore.ConnectError("no address")
        for address in public_addresses(host, port, private_too=self.fetcher.allow_private)[:4]:
            try:
                stream = self.inner.connect_tcp(address, port, self.left(timeout), local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last = error
            else:
                return _Stream(stream, self)
        raise last

    def connect_unix_socket(
        self,
        path: str,  # noqa: ARG002
        timeout: float | None = None,  # noqa: ARG002
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        raise httpcore.ConnectError("not a web address")


class _Stream(httpcore.NetworkStream):
    """A connection whose single waits are cut to what is left of the whole."""

    def __init__(self, inner: httpcore.NetworkStream, backend: _Backend) -> None:
        self.inner = inner
        self.backend = backend

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self.inner.read(max_bytes, self.backend.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.inner.write(buffer, self.backend.left(timeout))

    def close(self) -> None:
        self.inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self.inner.start_tls(ssl_context, server_hostname, self.backend.left(timeout)), self.backend)

    def get_extra_info(self, info: str) -> typing.Any:
        return self.inner.get_extra_info(info)
