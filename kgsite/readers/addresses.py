"""Which web addresses may be fetched, and which machines may be talked to."""

from __future__ import annotations

import ipaddress
import re
import socket
from urllib.parse import urlsplit, urlunsplit

from kgsite.errors import FetchError

PORTS = (80, 443, 8080, 8443)
"""Ports on which the web is served; anything else is some other service."""

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_CONTROL = re.compile(r"[\x00-\x20\x7f\\]")
_LONGEST = 2_000


def checked_url(url: str, *, any_port: bool = False) -> str:
    """The URL as it will be asked for: http or https, a host, no user name, a port of the web, no fragment.

    Raises FetchError; its sentence never repeats what stands before an `@`.
    """
    url = url.strip()
    if len(url) > _LONGEST or _CONTROL.search(url):
        raise FetchError("not a web address: it is too long, or holds spaces, control characters or back slashes")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise FetchError("not a web address") from error
    if parts.scheme.lower() not in {"http", "https"}:
        raise FetchError(
            f"refused: only http and https are fetched, not {parts.scheme.lower()[:20] or 'an address without a scheme'}"
        )
    if not host:
        raise FetchError("not a web address: the host is missing")
    if "@" in parts.netloc:
        raise FetchError("refused: a user name or password in the address", hint="kgsite does not log in anywhere")
    if port is not None and port not in PORTS and not any_port:
        raise FetchError(f"refused: port {port} is not one of the web's ({', '.join(map(str, PORTS))})")
    return urlunsplit((parts.scheme.lower(), parts.netloc, parts.path or "/", parts.query, ""))


def shown_url(url: str) -> str:
    """The URL for a message: without user name, password, and fragment, and cut."""
    try:
        parts = urlsplit(url.strip())
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return "(not a web address)"
    shown = urlunsplit((parts.scheme, host, parts.path, parts.query, ""))
    shown = _CONTROL.sub("", shown)
    return shown if len(shown) <= 200 else shown[:199] + "…"


def is_public(address: str) -> bool:
    """Whether an IP address is on the open internet; addresses that carry another one inside count as that one."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is None and ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is None and int(ip) >> 32 == 0:
            return False  # unspecified, loopback and the old IPv4-compatible form
        if inner is not None:
            return is_public(str(inner))
        if ip.is_site_local:
            return False
    return ip.is_global and not (
        ip.is_multicast or ip.is_reserved or ip.is_loopback or ip.is_link_local or ip.is_unspecified
    )


def public_addresses(host: str, port: int, *, private_too: bool = False) -> list[str]:
    """IP addresses of a host, in the resolver's order. Raises FetchError when it has none, or any that is not public.

    One private address among public ones is enough to refuse: a name that answers both is not to be trusted.
    """
    try:
        found = socket.getaddrinfo(host.rstrip(".") or host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise FetchError(f"the host {host[:100]} can't be found") from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not private_too and not all(is_public(address) for address in addresses):
        raise FetchError(
            f"refused: {host[:100]} is not a public address", hint="only pages on the open internet are fetched"
        )
    return addresses
