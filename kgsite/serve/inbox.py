"""Documents on their way into content/: kept aside until their cost is known, then put there under safe names."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from kgsite.errors import UsageError
from kgsite.foldnames import fold_path
from kgsite.site.urls import is_safe

SUFFIXES = (".txt", ".md", ".markdown", ".rst", ".html", ".htm", ".pdf", ".docx")
MOST_FILES = 200
MOST_BYTES = 512 << 20
LARGEST_FILE = 64 << 20
_RESERVED = frozenset({"index.md", "_index.md", "urls.txt"})  # these mean something in content/
_LONGEST_STEM = 100  # bytes
_UNWANTED = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\/%#\u202a-\u202e\u2066-\u2069\ud800-\udfff]+')


def safe_name(given: str) -> str:
    """A file name for content/ made of a name from outside: letters of any script stay, paths and tricks go.

    Raises UsageError when its kind is not one that can be added.
    """
    name = unicodedata.normalize("NFC", given).replace("\\", "/").rsplit("/", 1)[-1].strip()
    stem, dot, suffix = name.rpartition(".")
    suffix = f".{suffix.lower()}"
    if not dot or suffix not in SUFFIXES:
        raise UsageError(f"{given[-80:]!r} can't be added", hint=f"these can: {' '.join(SUFFIXES)}")
    stem = re.sub(r"\s+", " ", _UNWANTED.sub(" ", stem)).strip(" .~-_$")
    stem = stem.encode()[:_LONGEST_STEM].decode("utf-8", "ignore").strip() or "document"
    made = f"{stem}{suffix}"
    return made if is_safe(made) and made.lower() not in _RESERVED else f"document {made}"


def free_name(name: str, taken: set[str]) -> str:
    """`name`, or `name-2`, `name-3`, … when one of the same folded name is taken."""
    stem, _, suffix = name.rpartition(".")
    number, free = 1, name
    while fold_path(free) in taken:
        number += 1
        free = f"{stem}-{number}.{suffix}"
    return free


@dataclass
class Batch:
    """The documents of one visit to the library page."""

    id: str
    folder: Path
    placed: dict[str, Path] = field(default_factory=dict)  # name in content/ → file, while they are built
    started: tuple[str, ...] = ()  # their names in content/
    outcome: str = ""  # ready, failed or stopped, when their build has ended
    addresses: dict[str, str] = field(default_factory=dict)  # name in content/ → page, of those that were extracted

    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())

    def size(self) -> int:
        return sum(path.stat().st_size for path in self.folder.iterdir())


class Inbox:
    """All batches of a run, below `.kgsite/cache/inbox/`; gone when the server ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.batches: dict[str, Batch] = {}
        shutil.rmtree(folder, ignore_errors=True)

    def batch(self, name: str = "") -> Batch:
        """The batch called `name`, or a new one. Raises UsageError for a name that is not ours."""
        if name:
            if name not in self.batches:
                raise UsageError("there is no such batch", hint="load the page again")
            return self.batches[name]
        made = Batch(secrets.token_hex(8), self.folder / secrets.token_hex(8))
        made.folder.mkdir(parents=True)
        self.batches[made.id] = made
        return made

    def add(self, batch: Batch, given: str, data: bytes, *, suffix_checked: bool = False) -> str:
        """Keep a document; returns its name. Raises UsageError beyond the limits."""
        names = batch.names()
        if len(names) >= MOST_FILES:
            raise UsageError(f"at most {MOST_FILES} documents at once")
        if len(data) > LARGEST_FILE or batch.size() + len(data) > MOST_BYTES:
            raise UsageError(
                f"too large: at most {LARGEST_FILE >> 20} MiB a document and {MOST_BYTES >> 20} MiB at once",
                hint="copy bigger documents into content/ yourself",
            )
        name = free_name(given if suffix_checked else safe_name(given), {fold_path(other) for other in names})
        (batch.folder / name).write_bytes(data)
        return name

    def drop(self, batch: Batch, name: str) -> None:
        """Forget a document of a batch; only its own names count."""
        if name in batch.names():
            (batch.folder / name).unlink()

    def place(self, batch: Batch, content: Path) -> list[str]:
        """Put the documents into content/; nothing there is overwritten. Returns their names there."""
        content.mkdir(parents=True, exist_ok=True)
        taken = {fold_path(entry.name) for entry in content.iterdir()}
        for name in batch.names():
            while True:
                free = free_name(name, taken)
                taken.add(fold_path(free))
                try:
                    _move(batch.folder / name, content / free)
                except FileExistsError:
                    continue
                batch.placed[free] = content / free
                break
        return sorted(batch.placed)

    def take_back(self, batch: Batch, kept: set[str]) -> None:
        """Undo `place` for all but `kept`: the documents lie in the batch again."""
        for name, file in sorted(batch.placed.items()):
            if name not in kept and file.is_file():
                file.replace(batch.folder / name)
        batch.placed.clear()

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _move(source: Path, target: Path) -> None:
    """Rename that fails when the target exists."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:  # another file system, or one without hard links
        with target.open("xb") as file:
            file.write(source.read_bytes())
    source.unlink()
