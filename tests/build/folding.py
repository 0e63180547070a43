"""A disk that does not tell upper from lower case, for everything below one folder, made of Python's file functions."""

from __future__ import annotations

import builtins
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_ONE = ("stat", "lstat", "unlink", "remove", "rmdir", "chmod", "open", "scandir", "listdir", "utime", "access")


class FoldingDisk:
    """Names below `root` are looked up as if they were folded, and listed as they were first written.

    `respells` decides what a rename onto a file of another spelling leaves: the new spelling, or the one that was there.
    """

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch, *, respells: bool) -> None:
        self.root = str(root)
        self.respells = respells
        self.listdir = os.listdir
        for name in _ONE:
            monkeypatch.setattr(os, name, self._first(getattr(os, name)))
        monkeypatch.setattr(os, "mkdir", self._first(os.mkdir))
        for name in ("rename", "replace"):
            monkeypatch.setattr(os, name, self._both(getattr(os, name)))
        opened = self._first(io.open)
        monkeypatch.setattr(io, "open", opened)
        monkeypatch.setattr(builtins, "open", opened)

    def spelt(self, path: Any) -> Any:
        """The path as the disk lists it, as far as it is there."""
        text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else path
        if not isinstance(text, str) or not text.startswith(self.root + "/"):
            return path
        found, rest = self.root, text[len(self.root) + 1 :].split("/")
        for at, part in enumerate(rest):
            try:
                names = self.listdir(found)
            except OSError:
                return "/".join([found, *rest[at:]])
            found += "/" + next((name for name in names if name.casefold() == part.casefold()), part)
        return found

    def _first(self, call: Callable[..., Any]) -> Callable[..., Any]:
        return lambda path=".", *args, **named: call(self.spelt(path), *args, **named)

    def _both(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def moved(source: Any, target: Any, **named: Any) -> None:
            old, new = self.spelt(source), self.spelt(target)
            exact = Path(new).with_name(Path(target).name)
            call(old, new, **named)
            if self.respells or old == new:
                call(new, exact, **named)

        return moved
