"""Relative links of texts: what `other.md`, `entities/marie-curie/` and `#findings` lead to on the site.

A text names the files beside it, as they lie in content/, or pages of the site, as they lie in the output. What leads
nowhere is no link: the page shows its words, and the build tells the publisher.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from kgsite.model import Block, Mark, RelUrl, SitePath
from kgsite.site import urls

_ANCHOR = re.compile(r"p([1-9][0-9]{0,6})")
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")
_SHOWN = 5
"""Dead links that one warning names; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The text that holds a link: its page, its content path, and its passages for links within."""

    page: SitePath
    source: str
    text: str
    passages: Sequence[Block]


class Links:
    """Resolves the relative links of all texts of a site."""

    def __init__(
        self, files: Container[str], sources: Mapping[str, SitePath], texts: Mapping[SitePath, Origin]
    ) -> None:
        """`files`: every page and file of the output. `sources`: content path (NFC) → page. `texts`: page → text."""
        self._files, self._sources, self._texts = files, sources, texts

    def resolve(self, origin: Origin, root: str, href: str) -> RelUrl | None:
        """The link as it stands in the page of `origin`, whose prefix to the site root is `root`; None for a dead one.

        A path is looked up beside the source first, then from the site root. Links name `index.html`.
        """
        if href.startswith("#"):
            anchor = _anchor(origin, href[1:])
            return RelUrl(f"#{anchor}") if anchor else None
        path, hash_, fragment = href.partition("#")
        target = self._target(origin.source, unquote(path.partition("?")[0]))
        if target is None:
            return None
        text = self._texts.get(target)
        if fragment and text is not None:
            fragment = _anchor(text, fragment)
        return RelUrl(root + urls.encode(target) + (f"{hash_}{fragment}" if fragment else ""))

    def misses_its_heading(self, origin: Origin, href: str) -> bool:
        """Whether a link leads to the page of another text, which has no such heading or passage."""
        path, _, fragment = href.partition("#")
        if not path or not fragment:
            return False
        target = self._target(origin.source, unquote(path.partition("?")[0]))
        text = self._texts.get(target) if target is not None else None
        return text is not None and not _anchor(text, fragment)

    def _target(self, source: str, path: str) -> SitePath | None:
        folder = source.rpartition("/")[0]
        beside = _normal(path if path.startswith("/") else f"{folder}/{path}")
        from_root = _normal(path)
        for wanted in (beside, from_root):
            if wanted is not None and wanted in self._sources:
                return self._sources[wanted]
        for wanted in (from_root, beside):
            if wanted is not None:
                for file in (wanted, f"{wanted}/index.html" if wanted else "index.html"):
                    if file in self._files:
                        return SitePath(file)
        return None


def _normal(path: str) -> str | None:
    """A path from the root without `.` and `..`, NFC; None when it leads out of it."""
    parts: list[str] = []
    for part in unicodedata.normalize("NFC", path).split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _anchor(origin: Origin, fragment: str) -> str:
    """The anchor of a passage that a fragment names: `p12`, or a heading as GitHub spells it; `""` for none."""
    number = _ANCHOR.fullmatch(fragment)
    if number:
        return fragment if int(number[1]) <= len(origin.passages) else ""
    wanted = _slug(unquote(fragment))
    for index, block in enumerate(origin.passages):
        if block.kind == "heading" and _slug(origin.text[block.start : block.end]) == wanted:
            return f"p{index + 1}"
    return ""


def _slug(heading: str) -> str:
    """Lower case, spaces as hyphens, other signs dropped. Source: GitHub's anchors of headings."""
    return _NOT_IN_ANCHORS.sub("", unicodedata.normalize("NFC", heading).strip().lower()).replace(" ", "-")


def is_external(href: str) -> bool:
    """Whether a link leaves the site: http, https and mailto."""
    return urls.is_web(href) or href.lower().startswith("mailto:")


def _inner(marks: Iterable[Mark]) -> list[str]:
    """Where the links of a text point that stay on the site, each once."""
    return list(dict.fromkeys(mark.href for mark in marks if mark.kind == "link" and not is_external(mark.href)))


def leads(links: Links, origin: Origin, marks: Iterable[Mark]) -> list[RelUrl | None]:
    """Where each link of a text leads that stays on the site; None for a dead one."""
    return [links.resolve(origin, "", href) for href in _inner(marks)]


def dead_links(links: Links, origin: Origin, marks: Iterable[Mark]) -> Iterator[str]:
    """A sentence about the links of a text that lead nowhere, and one about those that miss their heading."""
    hrefs = _inner(marks)
    dead = [href for href in hrefs if links.resolve(origin, "", href) is None]
    if dead:
        what = "a link leads nowhere and is" if len(dead) == 1 else f"{len(dead)} links lead nowhere and are"
        yield f"{origin.source}: {what} shown as text: {_named(dead)}"
    astray = [href for href in hrefs if links.misses_its_heading(origin, href)]
    if astray:
        what = "a link names a heading that is not there and leads"
        if len(astray) > 1:
            what = f"{len(astray)} links name headings that are not there and lead"
        yield f"{origin.source}: {what} to the top of the page: {_named(astray)}"


def _named(hrefs: Sequence[str]) -> str:
    rest = f" and {len(hrefs) - _SHOWN} more" if len(hrefs) > _SHOWN else ""
    return ", ".join(repr(href[:80]) for href in hrefs[:_SHOWN]) + rest
