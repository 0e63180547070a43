"""Web sources: fetched once, kept as a snapshot, and read from there."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from kgsite.errors import FetchError, FrozenError
from kgsite.readers.addresses import checked_url, shown_url

VERSION = "web-1"
_LARGEST = 256 << 20  # bytes of a snapshot


@dataclass(frozen=True, slots=True)
class Fetched:
    """The bytes behind a URL, decoded from transport, and the headers that say what they are."""

    url: str  # after redirects
    body: bytes
    headers: Mapping[str, str] = field(
        default_factory=dict
    )  # lower-case names: content-type, content-language, last-modified, etag


class Fetcher(Protocol):
    """Whoever brings pages: HttpFetcher in earnest, a dictionary in tests."""

    def fetch(self, url: str) -> Fetched:
        """The page behind a URL. Raises FetchError."""
        ...


def open_page(url: str, *, fetcher: Fetcher | None, snapshots: Path, refresh: bool = False) -> Fetched:
    """The page from its snapshot, or fetched now and kept.

    `refresh` fetches although there is a snapshot; when that fails, the error is raised and the snapshot stays.
    Raises FetchError, and FrozenError when there is neither a snapshot nor a fetcher.
    """
    kept = None if refresh and fetcher else load_snapshot(url, snapshots)
    if kept is not None:
        return kept
    if fetcher is None:
        raise FrozenError(
            f"{shown_url(url)} has never been fetched", hint="build once with the network, without --frozen"
        )
    fetched = fetcher.fetch(url)
    _keep(url, fetched, snapshots)
    return fetched


def snapshot_name(url: str) -> str:
    """File name (without suffix) of a URL's snapshot: the first 32 hex digits of its SHA-256."""
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def snapshot_hash(url: str, snapshots: Path) -> str | None:
    """SHA-256 of the bytes kept for a URL, or None: for those who must notice that a page was fetched anew."""
    kept = load_snapshot(url, snapshots)
    return hashlib.sha256(kept.body).hexdigest() if kept else None


def load_snapshot(url: str, snapshots: Path) -> Fetched | None:
    """What was kept for a URL; None when there is nothing or it is damaged (it is then fetched again)."""
    name = snapshot_name(url)
    try:
        about = json.loads((snapshots / f"{name}.json").read_bytes())
        with (snapshots / f"{name}.bin").open("rb") as stream:
            body = stream.read(_LARGEST + 1)
    except (OSError, ValueError, RecursionError):
        return None
    if (
        not isinstance(about, dict)
        or about.get("url") != url
        or about.get("sha256") != hashlib.sha256(body).hexdigest()
    ):
        return None
    headers = about.get("headers")
    kept = {str(key): str(value) for key, value in headers.items()} if isinstance(headers, dict) else {}
    try:
        final = checked_url(str(about.get("final_url", url)), any_port=True)
    except FetchError:
        return None
    return Fetched(final, body, kept)


def _keep(url: str, fetched: Fetched, snapshots: Path) -> None:
    """Bytes first, then the description that makes them valid; each file whole or not at all."""
    snapshots.mkdir(parents=True, exist_ok=True)
    name = snapshot_name(url)
    about = {
        "url": url,
        "final_url": fetched.url,
        "sha256": hashlib.sha256(fetched.body).hexdigest(),
        "headers": dict(sorted(fetched.headers.items())),
    }
    _write(snapshots / f"{name}.bin", fetched.body)
    _write(snapshots / f"{name}.json", (json.dumps(about, indent=1, sort_keys=True) + "\n").encode())


def _write(file: Path, data: bytes) -> None:
    new = file.with_name(f".{file.name}.{os.getpid()}.new")
    with new.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    new.replace(file)


def media_type(fetched: Fetched) -> tuple[str, str | None]:
    """The media type that the server states, and its charset if it names one."""
    parts = fetched.headers.get("content-type", "").split(";")
    charset = next(
        (p.split("=", 1)[1].strip(" \"'") for p in parts[1:] if p.strip().lower().startswith("charset=")), None
    )
    return parts[0].strip().lower(), charset
