"""Web addresses of the configuration: what may stand where, in one spelling.

The address of the site becomes part of canonical links, feed, sitemap and CNAME. It is brought into the form that
those need: lower-case scheme and host, the host in punycode (UTS 46, as browsers do it), the path percent-encoded once.
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import SplitResult, quote, urlsplit, urlunsplit

_HOST = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*\.?")
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNENCODED = "/%:@!$&'()*+,;=~"
_DEFAULT_PORTS = {"http": 80, "https": 443}
EXAMPLE = 'write it whole, as "https://example.org/project/"'


class AddressError(ValueError):
    """What is wrong with an address and what to do. Neither quotes what may be a password."""

    def __init__(self, problem: str, hint: str = EXAMPLE) -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint


def endpoint(value: str) -> str:
    """The address of a service: http or https with a host; anything may follow. Raises AddressError."""
    _parts(value)
    return value


def public_page(value: str) -> str:
    """An address that the site shows to its readers: like `endpoint`, without a user name. Raises AddressError."""
    _no_user(_parts(value))
    return value


def published_site(value: str) -> str:
    """The address of the site in its one spelling: `HTTPS://Bücher.example/a b` → `https://xn--bcher-kva.example/a%20b`.

    Raises AddressError for a user name, a query, a fragment, or a host that can't be one.
    """
    parts = _parts(value)
    _no_user(parts)
    for name, there in (("query", "?" in value), ("fragment", "#" in value)):
        if there:
            mark = "?" if name == "query" else "#"
            raise AddressError(f"the address of a site has no {name}", f"leave out `{mark}` and what follows it")
    port = parts.port
    host = _ascii_host(parts.hostname or "")
    shown_port = f":{port}" if port is not None and port != _DEFAULT_PORTS[parts.scheme] else ""
    path = quote(_STRAY_PERCENT.sub("%25", parts.path), safe=_UNENCODED)
    return urlunsplit((parts.scheme, host + shown_port, path, "", ""))


def _parts(value: str) -> SplitResult:
    try:
        parts = urlsplit(value)
        whole = parts.scheme in _DEFAULT_PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets that don't match, a port that is no number
        whole = False
    if not whole or re.search(r"[\s\x00-\x1f\\]", parts.netloc) or value != value.strip():
        raise AddressError(f"{_shown(value)} is not a web address")
    return parts


def _shown(value: str) -> str:
    if "@" in value:
        return "this"
    return f'"{value if len(value) <= 60 else value[:59] + "…"}"'


def _no_user(parts: SplitResult) -> None:
    if "@" in parts.netloc:
        raise AddressError(
            "user name and password do not belong into an address that is published", "leave out all up to the `@`"
        )


def _ascii_host(host: str) -> str:
    """Lower case and punycode; an IPv6 address in brackets."""
    if ":" in host:
        try:
            return f"[{ipaddress.IPv6Address(host).compressed}]"
        except ValueError:
            raise AddressError(f"{_shown(host)} is not the name of a host") from None
    if not host.isascii():
        import idna

        try:
            host = idna.encode(host, uts46=True).decode("ascii")
        except idna.IDNAError:
            raise AddressError(f"{_shown(host)} is not the name of a host") from None
    if len(host) > 253 or not _HOST.fullmatch(host):
        raise AddressError(f"{_shown(host)} is not the name of a host")
    return host
