"""The path of a request → a file of the site, never one outside it."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote_to_bytes

_SHOWN_DOT_NAMES = frozenset({".nojekyll", ".well-known"})


@dataclass(frozen=True, slots=True)
class Found:
    """What a path leads to: a file, or the address with the slash that a folder needs."""

    file: Path | None = None
    redirect: str = ""


def locate(root: Path, mount: str, path: str) -> Found:
    """The file below `root` that `path` (still percent-encoded) names when the site lies at `mount`.

    A folder is its index.html. Links out of the site, device names of the parent (`..`), backslashes, NULs, encoded
    slashes and hidden files lead nowhere: both fields are empty.
    """
    if not path.startswith(mount):
        return Found()
    segments = _segments(path[len(mount) :])
    if segments is None:
        return Found()
    wanted = root.joinpath(*segments)
    try:
        mode = wanted.stat().st_mode
        if stat.S_ISDIR(mode):
            if segments and not path.endswith("/"):
                return Found(redirect=path + "/") if (wanted / "index.html").is_file() else Found()
            wanted /= "index.html"
            mode = wanted.stat().st_mode
        elif path.endswith("/"):
            return Found()
        inside = _is_inside(wanted, root)
    except (OSError, ValueError):
        return Found()
    return Found(wanted) if stat.S_ISREG(mode) and inside else Found()


def _segments(path: str) -> list[str] | None:
    """Decoded once; None when a segment is not a plain name."""
    segments: list[str] = []
    for number, raw in enumerate(parts := path.split("/")):
        if not raw and number == len(parts) - 1:
            break
        try:
            name = unquote_to_bytes(raw).decode("utf-8")
        except UnicodeDecodeError:
            return None
        if name in ("", ".", "..") or not _is_plain(name):
            return None
        segments.append(name)
    return segments


def _is_plain(name: str) -> bool:
    if name.startswith(".") and name not in _SHOWN_DOT_NAMES:
        return False
    return not any(sign in "/\\" or sign < " " or sign == "\x7f" for sign in name)


def _is_inside(file: Path, root: Path) -> bool:
    """Whether the file lies in the site after every link is followed (the site's own folder may be one)."""
    return Path(os.path.realpath(file)).is_relative_to(os.path.realpath(root))
