"""Files that list web addresses: `*.url` (one address) and `urls.txt` (one a line)."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from kgsite.errors import FetchError
from kgsite.readers.addresses import checked_url
from kgsite.readers.encoding import decode

_MOST = 5_000
_INI_URL = re.compile(r"^\s*URL\s*=\s*(\S.*?)\s*$", re.IGNORECASE)
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of a listing: an address, or why it is none."""

    line: int  # from 1
    url: str = ""
    problem: str = ""


def listed(data: bytes, *, single: bool) -> list[Listed]:
    """Addresses in a listing. `single`: a `.url` file in Windows' form (`URL=…`) or with just an address in it.

    Blank lines and lines from `#` on are comments; a second mention of an address counts once.
    """
    text = decode(data).text.replace("\x00", "")
    found: list[Listed] = []
    seen: set[str] = set()
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if single:
            ini = _INI_URL.match(line)
            if not ini and (not line or line[0] in "[#;" or "=" in line.split("://", 1)[0]):
                continue
            line = ini[1] if ini else line
        elif not line or line.startswith("#"):
            continue
        else:
            line = re.split(r"\s+#", line, maxsplit=1)[0]
        entry = _entry(number, line)
        if entry.url and entry.url in seen:
            continue
        seen.add(entry.url)
        found.append(entry)
        if single or len(found) >= _MOST:
            break
    return found or ([Listed(1, problem="no web address in it")] if single else [])


def _entry(number: int, line: str) -> Listed:
    try:
        return Listed(number, checked_url(line))
    except FetchError as error:
        return Listed(number, problem=error.message)


def name_of(url: str) -> str:
    """A readable, unique file name for an address: host, end of the path, and 8 hex digits of its SHA-256."""
    parts = urlsplit(url)
    words = "-".join(part for part in (parts.hostname or "", parts.path.rstrip("/").rsplit("/", 1)[-1]) if part)
    digest = hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{_UNSAFE.sub('-', words)[:_LONGEST_NAME].strip('-.') or 'page'}-{digest}"
