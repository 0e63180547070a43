"""Who is answered: this machine, this Host, this Origin, these methods. Everything else is refused before a handler runs.

A page anywhere on the web can make a reader's browser send requests to a server on that reader's own machine, and a
hostile name can be made to resolve to 127.0.0.1 (DNS rebinding). So the Host must be one of ours, an Origin must be
that same Host, and what changes anything needs the token that only our own pages know.
"""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass
from urllib.parse import urlsplit

from tornado.httputil import HTTPServerRequest

PREFIX = "/-kgsite/"
TOKEN_HEADER = "X-Kgsite-Token"  # noqa: S105 - the name of a header
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not answered."""

    status: int
    reason: str


@dataclass(frozen=True, slots=True)
class Guard:
    """The rules of one server. `names` are the host names it answers to, besides IP addresses when `network`."""

    port: int
    token: str
    names: frozenset[str]
    network: bool = False  # other machines may ask: any IP address is a good Host, for it can't be rebound

    def refusal(self, request: HTTPServerRequest) -> Refusal | None:
        """Why this request is refused, or None."""
        if not (request.uri or "").startswith("/"):
            return Refusal(400, "the target of a request is a path")
        hosts = request.headers.get_list("Host")
        if len(hosts) != 1 or not self.knows(hosts[0]):
            return Refusal(403, "this Host is not served here")
        origins = request.headers.get_list("Origin")
        if len(origins) > 1 or (origins and origins[0] != f"http://{hosts[0]}"):
            return Refusal(403, "this Origin is not served here")
        if self._is_foreign(request):
            return Refusal(403, "asked by a page of another site")
        return self._method(request, bool(origins))

    def knows(self, host: str) -> bool:
        """Whether a Host header names this server, port included (the default port may be left out)."""
        name, colon, port = host.lower().rpartition(":")
        if not colon or port.endswith("]"):
            name, port = host.lower(), "80"
        if port != str(self.port):
            return False
        return name in self.names or (self.network and _is_address(name))

    def _is_foreign(self, request: HTTPServerRequest) -> bool:
        """What browsers say themselves (Fetch Metadata): only a person who follows a link may come from elsewhere."""
        site = request.headers.get("Sec-Fetch-Site", "none")
        if site in ("none", "same-origin"):
            return False
        mode, dest = request.headers.get("Sec-Fetch-Mode", ""), request.headers.get("Sec-Fetch-Dest", "")
        return not (request.method == "GET" and mode == "navigate" and dest == "document")

    def _method(self, request: HTTPServerRequest, has_origin: bool) -> Refusal | None:
        own = request.path.startswith(PREFIX)
        if "websocket" in request.headers.get("Upgrade", "").lower() and not (own and has_origin):
            return Refusal(403, "a websocket needs this Origin")
        if request.method in ("GET", "HEAD"):
            return None
        if not own or request.method not in ("POST", "PUT", "DELETE"):
            return Refusal(405, "only GET and HEAD")
        if not self.has_token(request):
            return Refusal(403, "the token of this run is missing")
        return None

    def has_token(self, request: HTTPServerRequest) -> bool:
        given = request.headers.get(TOKEN_HEADER, "")
        return secrets.compare_digest(given.encode("utf-8", "replace"), self.token.encode())


def make_guard(host: str, port: int, *, network: bool, machine: str = "") -> Guard:
    """The guard of a server bound to `host`; `machine` is this machine's own name, answered to on a network."""
    names = set(_LOOPBACK_NAMES)
    if network:
        names |= {name.lower() for name in (machine, f"{machine}.local" if machine else "", host) if name}
    return Guard(port, secrets.token_urlsafe(24), frozenset(names), network)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server bound to `host`."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def mount_of(base_url: str) -> str:
    """The path under which a site with this base_url lies: `/` or `/project/`."""
    path = urlsplit(base_url).path.strip("/")
    return f"/{path}/" if path else "/"
