"""Links and anchors of the built site, read from its pages."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

_DATA = re.compile(r"<(script|style)\b[^>]*>.*?</\1>", re.DOTALL)
_LINK = re.compile(r"""<[a-z][^<>]*?\s(?:href|src)\s*=\s*("[^"]*"|'[^']*')""")
_ID = re.compile(r"""\s(?:id|name)\s*=\s*("[^"]*"|'[^']*')""")
_STATE = re.compile(r"[a-z]+=")
"""How the fragment of an explorer's state begins: no anchor."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A link that leads nowhere."""

    page: str
    link: str
    why: str


class Pages:
    """All pages of an output folder: what they link and which anchors they have."""

    def __init__(self, output: Path, base_path: str = "/") -> None:
        self.files = {file.relative_to(output).as_posix() for file in output.rglob("*") if file.is_file()}
        self.base_path = base_path
        self.links: dict[str, tuple[str, ...]] = {}
        self.anchors: dict[str, frozenset[str]] = {}
        for name in sorted(self.files):
            if name.endswith(".html"):
                self._read(name, (output / name).read_text(encoding="utf-8", errors="replace"))

    def _read(self, name: str, text: str) -> None:
        tags = re.sub(r"<script\b[^>]*\ssrc[^>]*></script>", lambda found: found[0], text)
        bare = _DATA.sub(lambda found: found[0][: found[0].index(">") + 1], tags)
        self.links[name] = tuple(dict.fromkeys(html.unescape(link[1:-1]) for link in _LINK.findall(bare)))
        self.anchors[name] = frozenset(html.unescape(anchor[1:-1]) for anchor in _ID.findall(bare))

    def broken(self) -> Iterator[Broken]:
        """Internal links without a file or anchor, by page."""
        for page, links in self.links.items():
            for link in links:
                if why := self._why(page, link):
                    yield Broken(page, link, why)

    def outside(self) -> Mapping[str, str]:
        """Links to other sites → the first page that has them."""
        found: dict[str, str] = {}
        for page, links in self.links.items():
            for link in links:
                if link.startswith(("http://", "https://")):
                    found.setdefault(link, page)
        return found

    def _why(self, page: str, link: str) -> str:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            return ""
        path = unquote(parts.path)
        if path.startswith("/"):
            if page != "404.html":
                return "it begins at the root of the host"
            # Built with another --base-url, the page for unknown addresses begins elsewhere.
            target = path.removeprefix(self.base_path if path.startswith(self.base_path) else "/")
        else:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
        if target in ("", ".") or path.endswith("/"):
            target = posixpath.join(target if target != "." else "", "index.html")
        if target.startswith("../") or target not in self.files:
            return "there is no such file"
        fragment = parts.fragment
        if not fragment or _STATE.match(fragment) or target not in self.anchors:
            return ""
        known = self.anchors[target]
        return "" if fragment in known or unquote(fragment) in known else "the page has no such anchor"
