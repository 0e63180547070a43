"""Every paid model reply, by the hash of its whole request: `.kgsite/replies/ab/<sha256>.json`.

A reply is on disk (atomic, fsync'd) before anybody looks into it. Only complete replies are hits; cut ones,
refusals and errors are kept beside them as `<sha256>.failed.json`, so that a reader can see what came back. Every
record carries a checksum: a damaged one is set aside under `damaged/` and counts as a miss.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from kgsite.store import write_atomic

FORMAT = 1
KEPT_FAILURE_CHARS = 64_000
_FAILED = ".failed.json"


def canonical(value: Mapping[str, Any]) -> bytes:
    """One spelling of a JSON object: sorted keys, no spaces, UTF-8. Raises ValueError for NaN."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "surrogatepass")


def reply_key(request: Mapping[str, Any]) -> str:
    """The key of a request: SHA-256 of its canonical form (messages, model, sampling, response schema)."""
    return hashlib.sha256(canonical(request)).hexdigest()


@dataclass(frozen=True, slots=True)
class StoredReply:
    """What came back for one request."""

    content: str  # the model's text, as it came
    finish: str = ""  # finish_reason; "" when the server gave none
    model: str = ""  # the model asked for
    served: str = ""  # the model that the server says it used
    purpose: str = ""  # the pass that asked
    failure: str = ""  # "" = complete; else why it is no result: length, refusal, filter, server …
    room: int = 0  # most tokens that the reply was allowed
    prompt_tokens: int = 0  # 0 = not reported
    completion_tokens: int = 0
    reasoning_chars: int = 0
    attempts: int = 1
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoreStats:
    """What the reply store holds. Bytes are file sizes."""

    replies: int = 0
    failures: int = 0
    damaged: int = 0
    bytes: int = 0


class ReplyStore:
    """The replies of one project. Safe to use from several threads; two processes never share it (build lock)."""

    def __init__(self, folder: Path, *, read: bool = True, write: bool = True) -> None:
        """`folder` is `.kgsite/replies`. `read=False` is `--no-cache`: replies are stored but never reused."""
        self.folder = folder
        self.read = read
        self.write = write
        self.warnings: list[str] = []
        self._lock = threading.Lock()

    def path(self, key: str, *, failed: bool = False) -> Path:
        return self.folder / key[:2] / (key + (_FAILED if failed else ".json"))

    def get(self, key: str) -> StoredReply | None:
        """The complete reply to a request, or None."""
        return self._load(key, failed=False) if self.read else None

    def failure(self, key: str) -> StoredReply | None:
        """What went wrong the last time that this request was sent, or None."""
        return self._load(key, failed=True) if self.read else None

    def has(self, key: str) -> bool:
        """Whether a request is answered; damaged records do not count."""
        return self.get(key) is not None

    def put(self, key: str, reply: StoredReply) -> None:
        """Keep a reply: as a hit when it is complete, as a record of a failure otherwise. Raises StoreError."""
        if not self.write:
            return
        failed = bool(reply.failure)
        body = asdict(reply)
        if failed:
            body["content"] = body["content"][:KEPT_FAILURE_CHARS]
        record = {"format": FORMAT, "key": key, "reply": body}
        record["checksum"] = hashlib.sha256(canonical(record)).hexdigest()
        text = json.dumps(record, indent=1, sort_keys=True, ensure_ascii=True, allow_nan=False)
        write_atomic(self.path(key, failed=failed), text.encode() + b"\n")
        if not failed:
            with contextlib.suppress(OSError):
                self.path(key, failed=True).unlink()

    def demote(self, key: str, failure: str) -> None:
        """A reply that was complete for the server turned out to be unreadable: no longer a hit, but kept."""
        kept = self._load(key, failed=False)
        if kept is None or not self.write:
            return
        self.put(key, StoredReply(**{**_shallow(kept), "failure": failure}))
        with contextlib.suppress(OSError):
            self.path(key).unlink()

    def _load(self, key: str, *, failed: bool) -> StoredReply | None:
        path = self.path(key, failed=failed)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        reply = _parse(data, key)
        if reply is None or bool(reply.failure) != failed:
            self._set_aside(path)
            return None
        if not failed and self.write:
            with contextlib.suppress(OSError):
                os.utime(path)  # `prune` goes by last use
        return reply

    def _set_aside(self, path: Path) -> None:
        with self._lock, contextlib.suppress(OSError):
            target = self.folder / "damaged" / path.name
            if self.write:
                target.parent.mkdir(parents=True, exist_ok=True)
                path.replace(target)
            self.warnings.append(f"stored reply {path.name[:12]}… is damaged and was set aside; it will be asked again")

    # ── kgsite cache ──────────────────────────────────────────────────────────────────────────────
    def _files(self) -> Iterator[Path]:
        if self.folder.is_dir():
            for shard in sorted(self.folder.iterdir()):
                if shard.is_dir() and not shard.is_symlink():
                    yield from sorted(shard.iterdir())

    def stats(self) -> StoreStats:
        """Counts and size; unreadable entries are skipped."""
        replies = failures = damaged = size = 0
        for path in self._files():
            with contextlib.suppress(OSError):
                size += path.stat().st_size
            if path.parent.name == "damaged":
                damaged += 1
            elif path.name.endswith(_FAILED):
                failures += 1
            elif path.suffix == ".json":
                replies += 1
        return StoreStats(replies, failures, damaged, size)

    def prune(self, *, unused_days: float | None = None, clock: Callable[[], float] = time.time) -> int:
        """Remove failures, damaged and half-written files, and replies not used for `unused_days`. Returns the count."""
        removed = 0
        for path in self._files():
            spare = path.suffix == ".json" and not path.name.endswith(_FAILED) and path.parent.name != "damaged"
            try:
                if spare and (unused_days is None or clock() - path.stat().st_mtime <= unused_days * 86_400):
                    continue
                path.unlink()
                removed += 1
            except OSError:
                continue
        return removed

    def clear(self) -> int:
        """Remove all replies; they cost money again. Returns the count of files removed."""
        removed = 0
        for path in list(self._files()):
            with contextlib.suppress(OSError):
                path.unlink()
                removed += 1
        for shard in list(self.folder.iterdir()) if self.folder.is_dir() else []:
            with contextlib.suppress(OSError):
                shard.rmdir()
        return removed


def _shallow(reply: StoredReply) -> dict[str, Any]:
    return {part.name: getattr(reply, part.name) for part in fields(reply)}


def _parse(data: bytes, key: str) -> StoredReply | None:
    """The record of a file, or None when anything about it is not as it was written."""
    try:
        record = json.loads(data)
        checksum = record.pop("checksum")
        if record["format"] != FORMAT or record["key"] != key:
            return None
        if hashlib.sha256(canonical(record)).hexdigest() != checksum:
            return None
        return StoredReply(**record["reply"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
