"""What one build may leave in memory for the next build of the same process (`kgsite serve`).

Nothing here decides what a site looks like: every entry is used only where its inputs are equal, so a build with a
memory and one without give the same bytes (a test compares them).
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Container
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgsite.model import Collection, DocumentGraph, Source
    from kgsite.site.records import Asset, DataFile, Output, Page
    from kgsite.site.theme import Theme
    from kgsite.site.views.context import SiteContext

Stamp = tuple[int, int, int, int]
"""Inode, size, and the times (ns) of the last change to content and to anything; all zeros where there is no file."""

_NO_FILE: Stamp = (0, 0, 0, 0)
_SETTLED = 2_000_000_000  # ns: a younger file may be written again without its times moving
_DEEPEST = 4  # partials within partials


@dataclass
class Memory:
    """Hashes of files, parsed graphs, the merged collection, the theme, the views' context, outputs with their makers."""

    digests: dict[str, tuple[Stamp, str]] = field(default_factory=dict)  # file → stamp, sha256
    sources: dict[str, tuple[Any, Source]] = field(default_factory=dict)  # file → stamps and encodings, source
    graphs: dict[str, tuple[str, DocumentGraph]] = field(default_factory=dict)  # file → sha256, graph
    merged_from: str = ""
    filling: bool = False  # this build is there to fill the memory: it makes everything though nothing changed
    collection: Collection | None = None
    theme: Theme | None = None
    theme_key: Any = None
    assets: tuple[Theme | None, tuple[Asset, ...]] = (None, ())  # of which theme
    context: SiteContext | None = None
    context_key: Any = None
    outputs: dict[str, tuple[Any, bytes, Output]] = field(default_factory=dict)  # path → maker, what it shares, output

    def digest(self, file: Path) -> str:
        """SHA-256 of a file, read only when its inode, size or a time of it moved. Raises OSError."""
        stamp = stamp_of(file)
        kept = self.digests.get(str(file))
        if kept is not None and kept[0] == stamp:
            return kept[1]
        made = hashlib.sha256(file.read_bytes()).hexdigest()
        if is_settled(stamp):
            self.digests[str(file)] = (stamp, made)
        return made

    def output_of(self, made: Page | DataFile, shared: bytes) -> Output | None:
        """The output of the last build, when this page or file is made of the very same things."""
        kept = self.outputs.get(made.path)
        if kept is None or kept[1] != shared or not same_maker(kept[0], made.make):
            return None
        return kept[2]

    def keep(self, made: Page | DataFile, shared: bytes, output: Output) -> None:
        self.outputs[made.path] = (made.make, shared, output)

    def forget_gone(self, sources: Container[str], pages: Container[str]) -> None:
        """Let go of sources and pages that are no more, with all that they were made of."""
        self.sources = {path: kept for path, kept in self.sources.items() if path in sources}
        self.graphs = {path: kept for path, kept in self.graphs.items() if path in sources}
        self.outputs = {path: kept for path, kept in self.outputs.items() if path in pages}

    def forget(self, path: str) -> None:
        """Have the page at `path` made again, since it shows something that its maker does not name."""
        self.outputs.pop(path, None)


def stamp_of(file: Path | str) -> Stamp:
    """What tells one state of a file from another."""
    try:
        seen = os.stat(file)  # noqa: PTH116 - called for every file
    except OSError:
        return _NO_FILE
    return seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns


def is_settled(*stamps: Stamp) -> bool:
    """Whether files with these stamps are old enough for another write to be seen in the times."""
    return time.time_ns() - max(max(stamp[2:]) for stamp in stamps) > _SETTLED


def same_maker(one: Any, other: Any, depth: int = 0) -> bool:
    """Whether two makers of a page or file give the same: partials of one function over the same or equal things.

    Things without an equality of their own (the context) are the same only when they are the very same object.
    """
    if one is other:
        return True
    if not isinstance(one, partial) or not isinstance(other, partial) or depth > _DEEPEST:
        return False
    if one.func != other.func or len(one.args) != len(other.args) or one.keywords.keys() != other.keywords.keys():
        return False
    pairs = [*zip(one.args, other.args, strict=True), *((one.keywords[k], other.keywords[k]) for k in one.keywords)]
    return all(_same(left, right, depth) for left, right in pairs)


def _same(left: Any, right: Any, depth: int) -> bool:
    if left is right:
        return True
    if isinstance(left, partial):
        return same_maker(left, right, depth + 1)
    return type(left) is type(right) and bool(left == right)
