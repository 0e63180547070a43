"""One HTTP exchange through the openai package: decoded bytes capped, total deadline, its own retries off.

Measured on openai 3.57: it has no total deadline and inflates a gzip bomb, so both limits are here.
Heavy: imports openai and httpx. Only to be imported when a request is really needed.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import urllib.request
import zlib
from collections.abc import Mapping
from typing import Any, NoReturn
from urllib.parse import urlsplit

import httpx
import openai

from kgsite.extract.llm.endpoint import Endpoint
from kgsite.extract.llm.faults import Fault

MAX_BODY = 32 * 1024 * 1024
"""Most decoded bytes of one response; the longest replies that models can write are below 2 MB."""


class _TooBig(Exception):  # noqa: N818 - becomes a Fault
    pass


class CappedTransport(httpx.AsyncBaseTransport):
    """Reads responses whole, decodes them itself and stops at `limit` decoded bytes."""

    def __init__(self, inner: httpx.AsyncBaseTransport, limit: int = MAX_BODY) -> None:
        self._inner = inner
        self._limit = limit

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.headers["Accept-Encoding"] = "gzip, deflate"
        response = await self._inner.handle_async_request(request)
        try:
            body = await self._read(response)
        finally:
            await response.aclose()
        kept = [
            (key, value)
            for key, value in response.headers.raw
            if key.lower() not in (b"content-encoding", b"content-length", b"transfer-encoding")
        ]
        return httpx.Response(
            response.status_code, headers=kept, content=body, request=request, extensions=response.extensions
        )

    async def _read(self, response: httpx.Response) -> bytes:
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ("identity", "", "gzip", "x-gzip", "deflate"):
            raise _TooBig(f"encoding {encoding[:20]} was not asked for")
        decoder = zlib.decompressobj(47) if encoding not in ("identity", "") else None
        parts: list[bytes] = []
        size = 0
        stream = response.stream
        if not isinstance(stream, httpx.AsyncByteStream):
            raise httpx.ReadError("not an asynchronous stream")
        async for piece in stream:
            data = decoder.decompress(piece, self._limit + 1 - size) if decoder else piece
            size += len(data)
            if size > self._limit or (decoder and decoder.unconsumed_tail):
                raise _TooBig(f"more than {self._limit // 1024 // 1024} MB")
            parts.append(data)
        return b"".join(parts)

    async def aclose(self) -> None:
        await self._inner.aclose()


def network(base_url: str, connections: int) -> httpx.AsyncHTTPTransport:
    """The real transport, through the proxy that the environment names for this host, if any."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    proxy = None if urllib.request.proxy_bypass(host) else urllib.request.getproxies().get(parts.scheme)
    limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
    return httpx.AsyncHTTPTransport(limits=limits, proxy=proxy)


class Wire:
    """Sends request bodies to one endpoint. To be used inside one event loop."""

    def __init__(self, endpoint: Endpoint, *, timeout: float, connections: int) -> None:
        self._endpoint = endpoint
        self._timeout = timeout
        http = httpx.AsyncClient(
            transport=CappedTransport(network(endpoint.base_url, connections)), follow_redirects=False
        )
        self.client = openai.AsyncOpenAI(
            api_key=endpoint.key or "none",
            base_url=endpoint.base_url,
            max_retries=0,
            timeout=timeout,
            http_client=http,  # type: ignore[arg-type, unused-ignore]  # openai 3 takes httpx and httpx2 clients
            default_headers=dict(endpoint.headers) or None,
        )
        self._create = self.client.chat.completions.with_raw_response.create

    async def send(self, body: Mapping[str, Any]) -> tuple[int, dict[str, str], bytes]:
        """(status, headers, decoded body) of a chat completion. Raises Fault when no response came."""
        # The whole body goes through `extra_body`: walking typed messages costs the package 4 ms a request.
        try:
            async with asyncio.timeout(self._timeout):
                response = (await self._create(model=body["model"], messages=[], extra_body=dict(body))).http_response
                return response.status_code, dict(response.headers), response.content
        except TimeoutError:
            raise Fault("timeout", f"no complete reply within {self._timeout:g} s ([llm] timeout)") from None
        except openai.APIStatusError as error:
            return error.response.status_code, dict(error.response.headers), error.response.content
        except openai.APITimeoutError:
            raise Fault("timeout", f"no complete reply within {self._timeout:g} s ([llm] timeout)") from None
        except openai.APIError as error:
            self.explain(error)
        except (httpx.HTTPError, ValueError, zlib.error, _TooBig, OSError) as error:
            self.explain(error)

    def explain(self, error: BaseException) -> NoReturn:
        """Raise the Fault that a failed exchange means, by what is behind the exception."""
        chain: list[BaseException] = []
        found: BaseException | None = error
        while found is not None and len(chain) < 12:
            chain.append(found)
            found = found.__cause__ or found.__context__
        where = self._endpoint.place
        names = {type(link).__name__ for link in chain}
        texts = " ".join(str(link) for link in chain)
        if any(isinstance(link, _TooBig) for link in chain):
            raise Fault(
                "too_big", f"the response is too big: {next(str(link) for link in chain if isinstance(link, _TooBig))}"
            ) from None
        if any(isinstance(link, ssl.SSLError) for link in chain) or "CERTIFICATE_VERIFY" in texts or "[SSL" in texts:
            raise Fault("tls", f"the certificate of {where} can't be trusted") from None
        if (
            any(isinstance(link, socket.gaierror) for link in chain)
            or "Name or service not known" in texts
            or "getaddrinfo" in texts
        ):
            raise Fault("dns", f"there is no host {self._endpoint.host}") from None
        if (
            any(isinstance(link, ConnectionRefusedError) for link in chain)
            or "ConnectError" in names
            or "All connection attempts failed" in texts
        ):
            raise Fault("connect", f"nothing answers at {where}: is the server running?") from None
        raise Fault("reset", f"the connection to {self._endpoint.host} broke off") from None

    async def models(self) -> list[str]:
        """Names of the models that the endpoint offers. Raises Fault."""
        try:
            async with asyncio.timeout(min(self._timeout, 30)):
                page = await self.client.models.list()
                return [model.id for model in page.data or []]
        except TimeoutError:
            raise Fault("timeout", "the list of models did not come in time") from None
        except openai.APIStatusError as error:
            kind = "auth" if error.status_code in (401, 403) else "bad_request"
            raise Fault(
                "auth" if kind == "auth" else "bad_request", f"HTTP {error.status_code} for the list of models"
            ) from None
        except openai.APIError as error:
            self.explain(error)

    async def close(self) -> None:
        await self.client.close()
