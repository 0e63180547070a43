"""Addresses: the one place where paths become links, and the one registry of output paths.

Links are relative to the page they stand in and name `index.html` in full, so that the same bytes work at
`/`, under `/project/` and opened from disk. Absolute URLs (canonical, feed, sitemap) drop it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import quote

from kgsite.errors import PublishError
from kgsite.foldnames import fold_path
from kgsite.model import AbsUrl, RelUrl, SitePath

MAX_SEGMENT_BYTES = 200
"""Of one file or folder name; leaves room for temporary suffixes below the usual limit of 255."""

_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"] + [f"{d}{n}" for d in ("com", "lpt") for n in "123456789¹²³"]
)
_FORBIDDEN = frozenset('<>:"|?*\\') | {chr(code) for code in range(32)} | {"\x7f"}


@lru_cache(maxsize=1 << 17)
def is_safe(path: str) -> bool:
    """Whether `path` can be a file below the output root on every file system."""
    segments = path.split("/")
    return all(_segment_is_safe(segment) for segment in segments)


@lru_cache(maxsize=65_536)
def _segment_is_safe(segment: str) -> bool:
    if segment in ("", ".", "..") or segment[-1] in ". ":
        return False
    if len(segment.encode("utf-8", "surrogatepass")) > MAX_SEGMENT_BYTES or not _FORBIDDEN.isdisjoint(segment):
        return False
    return segment.split(".", maxsplit=1)[0].rstrip().casefold() not in _DEVICES


class PathRegistry:
    """Who owns which output path; no two owners share one, whatever the file system folds."""

    def __init__(self) -> None:
        self._files: dict[str, str] = {}
        self._folders: dict[str, str] = {}

    def claim(self, path: str, owner: str) -> SitePath:
        """Take `path` for `owner` (a sentence part for messages).

        Raises PublishError when another page has it (or a name that is the same after case and NFC folding,
        or a file where this one needs a folder), or when it can't be a file name.
        """
        if not is_safe(path):
            raise PublishError(f"{path!r} can't be a file of the site ({owner})")
        other = self._holder(path)
        if other is not None:
            raise PublishError(
                f"{owner} and {other} would share the address {path!r}",
                hint="give one of them another `slug` in its front matter",
            )
        self._take(path, owner)
        return SitePath(path)

    def claim_free(self, path: str, owner: str, spell: Callable[[str], SitePath]) -> SitePath:
        """Like `claim`, but on a clash take `spell(suffix)` with a suffix made of `owner`: stable, never silent loss.

        `spell("")` is `path`; `spell("-3f2a")` puts the suffix where the name may carry it.
        """
        if is_safe(path) and self._holder(path) is None:
            return self.claim(path, owner)
        suffix = "-" + hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        return self.claim(spell(suffix), owner)

    def _holder(self, path: str) -> str | None:
        key = fold_path(path)
        if key in self._files:
            return self._files[key]
        if key in self._folders:
            return self._folders[key]
        return next((self._files[parent] for parent in _parents(key) if parent in self._files), None)

    def _take(self, path: str, owner: str) -> None:
        key = fold_path(path)
        self._files[key] = owner
        for parent in _parents(key):
            self._folders.setdefault(parent, owner)


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(1, len(parts))]


@lru_cache(maxsize=64)
def root_of(path: str) -> str:
    """The prefix from a page to the site root: `""` for `index.html`, `"../../"` for `documents/a/index.html`."""
    return "../" * path.count("/")


@lru_cache(maxsize=1 << 17)
def encode(path: str) -> str:
    """Percent-encode a path once, at the edge."""
    return quote(path, safe="/")


def relative(page: str, target: str, anchor: str = "") -> RelUrl:
    """The link from `page` to `target` (both paths from the site root), percent-encoded."""
    here = page.split("/")
    there = target.split("/")
    common = 0
    while common < len(here) - 1 and common < len(there) - 1 and here[common] == there[common]:
        common += 1
    url = "../" * (len(here) - 1 - common) + encode("/".join(there[common:]))
    return RelUrl(f"{url}#{quote(anchor)}" if anchor else url)


def absolute(base_url: str, path: str) -> AbsUrl | None:
    """Where `path` is published; None while the site has no base_url."""
    if not base_url:
        return None
    if path == "index.html" or path.endswith("/index.html"):
        path = path[: -len("index.html")]
    return AbsUrl(base_url.rstrip("/") + "/" + encode(path))


def is_web(url: str | None) -> bool:
    """Whether a link from a document may be followed: http and https only."""
    return bool(url) and str(url).lower().startswith(("http://", "https://"))


def document_page(slug: str) -> SitePath:
    return SitePath(f"documents/{slug}/index.html")


def explorer_page(slug: str) -> SitePath:
    return SitePath(f"documents/{slug}/graph/index.html")


def entity_page(slug: str) -> SitePath:
    return SitePath(f"entities/{slug}/index.html")


def community_page(slug: str) -> SitePath:
    return SitePath(f"communities/{slug}/index.html")


def type_page(slug: str) -> SitePath:
    return SitePath(f"types/{slug}/index.html")


def twin(path: str) -> SitePath:
    """The `.json` beside a page."""
    return SitePath(path.removesuffix(".html") + ".json")
