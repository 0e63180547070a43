"""The output manifest: what the last publish wrote, so that the next one writes only what differs.

`.kgsite/cache/manifest.json`: a checksum line, then JSON. Damaged, missing or from another version: empty, and
everything is rendered and compared again. Which files are kgsite's is also listed in the output folder itself
(`.kgsite-files`), because a lost cache must not turn old pages into files that nobody dares to prune.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from kgsite.errors import PublishError
from kgsite.site.urls import is_safe
from kgsite.warm import Stamp, stamp_of

MARKER = ".kgsite-files"
_MARKER_HEAD = "# Written by kgsite. Builds replace and remove the files listed here, and no others.\n"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One file as it was published."""

    digest: str
    size: int
    mtime_ns: int
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Files of the last publish by path; `damaged` when a manifest was there and could not be used."""

    entries: Mapping[str, Entry] = field(default_factory=dict)
    damaged: bool = False
    output: str = ""  # the folder it describes, relative to the manifest: it says nothing about any other


def load_manifest(file: Path) -> Manifest:
    """Read a manifest; whatever is wrong with it makes it empty.

    A build asks for it in several places: the one that was read last is kept as long as its file is the same.
    """
    global _last  # noqa: PLW0603
    stamp = stamp_of(file)
    if _last is not None and _last[:2] == (file, stamp):
        return _last[2]
    manifest = _read_manifest(file)
    _last = file, stamp, manifest
    return manifest


_last: tuple[Path, Stamp, Manifest] | None = None


def _read_manifest(file: Path) -> Manifest:
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return Manifest()
    except OSError:
        return Manifest(damaged=True)
    checksum, _, body = data.partition(b"\n")
    if checksum.decode("ascii", "replace") != hashlib.sha256(body).hexdigest():
        return Manifest(damaged=True)
    try:
        raw = orjson.loads(body)
        if raw["version"] != _VERSION:
            return Manifest()
        entries = {path: Entry(str(d), int(s), int(m), str(f)) for path, (d, s, m, f) in raw["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return Manifest(damaged=True)
    safe = {path: entry for path, entry in entries.items() if is_safe(path)}
    return Manifest(safe, output=str(raw.get("output", "")))


def place_of(output: Path, file: Path) -> str:
    """How the manifest at `file` names its output folder: relative, so that a project may be moved."""
    return os.path.relpath(output, file.parent)


def save_manifest(file: Path, entries: Mapping[str, Entry], output: Path | None = None) -> None:
    """Write a manifest beside and rename it into place. Raises PublishError when the cache can't be written."""
    rows = {path: (e.digest, e.size, e.mtime_ns, e.fingerprint) for path, e in sorted(entries.items())}
    body = orjson.dumps(
        {"version": _VERSION, "output": place_of(output, file) if output else "", "files": rows},
        option=orjson.OPT_INDENT_2,
    )
    part = file.with_name(file.name + ".part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        part.replace(file)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise PublishError(f"the output manifest can't be written: {error.strerror}") from error


def marker_bytes(paths: Iterable[str]) -> bytes:
    """The list of kgsite's files that lies in the output folder."""
    return (_MARKER_HEAD + "".join(f"{path}\n" for path in sorted(paths))).encode("utf-8", "replace")


def owned_paths(output: Path) -> frozenset[str] | None:
    """Files that the marker in `output` lists; None when there is no marker."""
    try:
        text = (output / MARKER).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    if not text.startswith("# Written by kgsite."):
        return None
    return frozenset(line for line in text.splitlines()[1:] if line and is_safe(line))
