"""The files below a folder, without following a link, and names that are safe to print."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kgsite.model import SourcePath
from kgsite.readers.files import reason

MAX_DEPTH = 32  # folders below content/
_IGNORED_FOLDERS = frozenset(("node_modules", "__pycache__", "__MACOSX", "lost+found"))
_IGNORED_FILES = frozenset(("thumbs.db", "desktop.ini", "icon\r"))
_IGNORED_ENDS = ("~", ".swp", ".swo", ".swx", ".tmp", ".bak", ".orig", ".rej", ".part", ".crdownload", ".lock")
# C0 and C1, zero-width and bidi controls, line separators, surrogates, noncharacters, tags
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufffe\uffff\U000e0000-\U000e007f]"
)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file below content/ that is no source, and why; `code` is one of `SKIP_CODES`."""

    path: SourcePath
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Folder:
    """One folder: its regular files by name, those ignored left out."""

    path: SourcePath  # "" for content/ itself
    folder: Path
    files: tuple[tuple[SourcePath, Path, int], ...]  # path below content/, absolute file, bytes


def printable_name(name: str) -> str:
    """A name in NFC with all that can't be shown percent-encoded: bytes that are not UTF-8, controls, bidi overrides."""
    return _UNPRINTABLE.sub(_percent, unicodedata.normalize("NFC", name))


def _percent(found: re.Match[str]) -> str:
    character = found[0]
    raw = (
        bytes([ord(character) - 0xDC00])
        if "\udc80" <= character <= "\udcff"
        else character.encode("utf-8", "surrogatepass")
    )
    return "".join(f"%{byte:02X}" for byte in raw)


def is_ignored(name: str, *, folder: bool = False) -> bool:
    """Hidden files, editor backups, lock and owner files: never a source and not worth a word."""
    if name.startswith((".", "~$")) or (name.startswith("#") and name.endswith("#")):
        return True
    low = name.casefold()
    return name in _IGNORED_FOLDERS if folder else low in _IGNORED_FILES or low.endswith(_IGNORED_ENDS)


def walk(root: Path, skipped: list[Skipped]) -> Iterator[Folder]:
    """Folders from the top, by name. Links, special files and what can't be listed are added to `skipped`."""
    waiting: list[tuple[SourcePath, Path, int]] = [(SourcePath(""), root, 0)]
    while waiting:
        path, folder, depth = waiting.pop()
        if depth > MAX_DEPTH:
            skipped.append(Skipped(path, "deep", f"more than {MAX_DEPTH} folders deep"))
            continue
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            skipped.append(
                Skipped(path or SourcePath("."), "unreadable", f"the folder can't be listed: {reason(error)}")
            )
            continue
        files: list[tuple[SourcePath, Path, int]] = []
        below: list[tuple[SourcePath, Path, int]] = []
        for entry in entries:
            _sort(entry, path, depth, root, files, below, skipped)
        waiting.extend(reversed(below))
        yield Folder(path, folder, tuple(files))


def _sort(
    entry: os.DirEntry[str],
    parent: SourcePath,
    depth: int,
    root: Path,
    files: list[tuple[SourcePath, Path, int]],
    below: list[tuple[SourcePath, Path, int]],
    skipped: list[Skipped],
) -> None:
    """Put one entry where it belongs."""
    name = printable_name(entry.name)
    path = SourcePath(f"{parent}/{name}" if parent else name)
    file = Path(entry.path)
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError as error:
        skipped.append(Skipped(path, "unreadable", f"can't be looked at: {reason(error)}"))
        return
    is_folder = stat.S_ISDIR(status.st_mode)
    if is_ignored(entry.name, folder=is_folder):
        return
    if stat.S_ISLNK(status.st_mode) or _is_junction(entry):
        skipped.append(Skipped(path, "link", _link_reason(file, root)))
    elif is_folder:
        below.append((path, file, depth + 1))
    elif stat.S_ISREG(status.st_mode):
        files.append((path, file, status.st_size))
    else:
        skipped.append(Skipped(path, "special", f"not a regular file but {_special(status.st_mode)}"))


def _is_junction(entry: os.DirEntry[str]) -> bool:
    check = getattr(entry, "is_junction", None)  # Windows, Python 3.12
    return bool(check and check())


def _link_reason(file: Path, root: Path) -> str:
    try:
        target = file.resolve(strict=True)
    except (OSError, RuntimeError):
        return "a symbolic link that leads nowhere"
    if target.is_relative_to(root):
        return "a symbolic link inside content/: what it points to is read in its own place"
    return "a symbolic link out of content/: not followed"


def _special(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device"
