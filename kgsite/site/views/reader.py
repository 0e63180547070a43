"""A document's text as a reader: blocks as headings, paragraphs, lists, tables; marks and mentions as inline tags."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup, escape

from kgsite.model import Block, GraphChunk, Mark, RelUrl
from kgsite.site.links import is_external
from kgsite.site.views.records import LinkView, Part, Passage, ReaderView

_TAGS = {"emphasis": "em", "strong": "strong", "code": "code"}
_MAX_DEPTH = 6
PAGE_LABEL = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Mention:
    """A verified mention of an entity: characters [start, end) of the text, and its page."""

    start: int
    end: int
    href: RelUrl
    title: str  # name and type, for the tooltip
    color: str


@dataclass(frozen=True, slots=True)
class _Span:
    """An inline element: `outer` ones (links) are opened once, inner ones may be reopened at every border."""

    start: int
    end: int
    open: str
    close: str
    outer: bool


def reader(
    text: str,
    blocks: Sequence[Block],
    marks: Sequence[Mark] = (),
    mentions: Sequence[Mention] = (),
    chunks: Sequence[GraphChunk] = (),
    *,
    title: str = "",
    first_heading: int = 2,
    resolve: Callable[[str], RelUrl | None] = lambda _href: None,
) -> ReaderView | None:
    """The text as passages. Block n (from 1) has the anchor `p<n>`; headings begin at `h<first_heading>`.

    `resolve` says where a relative link leads; one that leads nowhere is shown as text. A first heading that only repeats `title` keeps its anchor and is not shown. None for an empty text.
    """
    if not blocks:
        return None
    spans = _Spans(marks, mentions, resolve)
    parts = _parts(text, blocks, spans, title, first_heading)
    plain = [(chunk.chunk.own_start, chunk.chunk.end, chunk.rephrase) for chunk in chunks if chunk.rephrase.strip()]
    contents = tuple(
        LinkView(part.html.striptags(), RelUrl(f"#{part.anchor}"), str(part.level))
        for part, _ in parts
        if part.kind == "heading" and part.level <= first_heading + 1
    )
    return ReaderView(
        passages=_passages(parts, plain),
        contents=contents if len(contents) > 2 else (),
        has_plain=bool(plain),
        has_pages=any(part.page for part, _ in parts),
    )


def _passages(parts: list[tuple[Part, int]], plain: list[tuple[int, int, str]]) -> tuple[Passage, ...]:
    """Parts grouped by the chunk that has a plain-language version; the rest in groups without one."""
    groups: list[tuple[int, list[Part]]] = []
    index = 0
    for part, start in parts:
        while index < len(plain) and plain[index][1] <= start:
            index += 1
        key = index if index < len(plain) and plain[index][0] <= start else -1
        if not groups or groups[-1][0] != key:
            groups.append((key, []))
        groups[-1][1].append(part)
    return tuple(
        Passage(tuple(members), tuple(p.strip() for p in plain[key][2].split("\n\n") if p.strip()) if key >= 0 else ())
        for key, members in groups
    )


def _parts(text: str, blocks: Sequence[Block], spans: _Spans, title: str, first_heading: int) -> list[tuple[Part, int]]:
    """Each part with the offset where it starts."""
    parts: list[tuple[Part, int]] = []
    page: int | None = None
    level = first_heading - 1
    top = min((block.level for block in blocks if block.kind == "heading"), default=1)
    index = 0
    while index < len(blocks):
        block = blocks[index]
        shown = str(block.page) if block.page is not None and block.page != page else ""
        page = block.page if block.page is not None else page
        anchor = f"p{index + 1}"
        end = index + 1
        if block.kind == "list":
            while end < len(blocks) and blocks[end].kind == "list":
                end += 1
            part = Part("list", anchor, 0, shown, _list(text, blocks[index:end], index, spans))
        elif block.kind == "heading":
            if index == 0 and _same(text[block.start : block.end], title):
                part = Part("anchor", anchor, 0, shown, Markup())
            else:
                level = min(block.level - top + first_heading, level + 1, _MAX_DEPTH)
                part = Part("heading", anchor, level, shown, spans.html(text, block.start, block.end))
        elif block.kind == "table" and block.cells:
            part = Part("table", anchor, 0, shown, _table(text, block, spans))
        else:
            part = Part(block.kind, anchor, 0, shown, spans.html(text, block.start, block.end))
        parts.append((part, block.start))
        index = end
    return parts


def _same(heading: str, title: str) -> bool:
    return bool(title) and " ".join(heading.split()).casefold() == " ".join(title.split()).casefold()


def _list(text: str, items: Sequence[Block], first: int, spans: _Spans) -> Markup:
    """Consecutive items as nested lists; an item's depth may grow by one at a time."""
    out: list[str] = []
    stack: list[str] = []
    for number, item in enumerate(items):
        depth = max(1, min(item.level, len(stack) + 1, _MAX_DEPTH))
        tag = "ol" if item.ordered else "ul"
        while len(stack) > depth:
            out.append(f"</li></{stack.pop()}>")
        if len(stack) == depth:
            out.append("</li>")
            if stack[-1] != tag:
                out.append(f"</{stack.pop()}>")
        if len(stack) < depth:
            out.append(f"<{tag}>")
            stack.append(tag)
        anchor = f' id="p{first + number + 1}"' if number else ""  # the first item's anchor is the list's
        out.append(f'<li{anchor} dir="auto">{spans.html(text, item.start, item.end)}')
    while stack:
        out.append(f"</li></{stack.pop()}>")
    return Markup("".join(out))  # noqa: S704 - made of escaped text and own tags


def _table(text: str, block: Block, spans: _Spans) -> Markup:
    out: list[str] = []
    for number, row in enumerate(block.cells):
        tag = 'th scope="col"' if number == 0 else "td"
        cells = "".join(f'<{tag} dir="auto">{spans.html(text, a, b)}</{tag[:2]}>' for a, b in row)
        if number == 0:
            out.append(f"<thead><tr>{cells}</tr></thead><tbody>")
        else:
            out.append(f"<tr>{cells}</tr>")
    return Markup("".join(out) + "</tbody>")  # noqa: S704 - made of escaped text and own tags


class _Spans:
    """Marks and mentions in order of their start; asked for block after block."""

    def __init__(
        self, marks: Sequence[Mark], mentions: Sequence[Mention], resolve: Callable[[str], RelUrl | None]
    ) -> None:
        links = [_link(mark, resolve) for mark in marks if mark.kind == "link"]
        taken = sorted((span.start, span.end) for span in links)
        spans = [*links]
        spans += [
            _Span(m.start, m.end, f"<{_TAGS[m.kind]}>", f"</{_TAGS[m.kind]}>", False) for m in marks if m.kind in _TAGS
        ]
        spans += [_mention(m) for m in _apart(mentions, taken)]
        self._spans = sorted((span for span in spans if span.start < span.end), key=lambda s: (s.start, -s.end, s.open))
        self._position = 0

    def html(self, text: str, start: int, end: int) -> Markup:
        """The escaped text of [start, end) with its inline tags, properly nested."""
        inside = self._within(start, end)
        if not inside:
            return escape(text[start:end])
        borders = sorted({start, end, *(max(s.start, start) for s in inside), *(min(s.end, end) for s in inside)})
        out: list[str] = []
        outer: _Span | None = None
        active: list[_Span] = []
        waiting = 0
        for left, right in pairwise(borders):
            active = [span for span in active if span.end > left]
            while waiting < len(inside) and inside[waiting].start <= left:
                active.append(inside[waiting])
                waiting += 1
            link = next((span for span in active if span.outer and span.end > left), None)
            if link is not outer:
                out += [outer.close if outer else "", link.open if link else ""]
                outer = link
            inner = [span for span in active if not span.outer and span.end > left]
            out += [span.open for span in inner]
            out.append(str(escape(text[left:right])))
            out += [span.close for span in reversed(inner)]
        out.append(outer.close if outer else "")
        return Markup("".join(out))  # noqa: S704 - made of escaped text and own tags

    def _within(self, start: int, end: int) -> list[_Span]:
        """Spans that touch [start, end); blocks come in order, so what lies before is never looked at again."""
        spans = self._spans
        while self._position < len(spans) and spans[self._position].start < start:
            if spans[self._position].end > start:
                break
            self._position += 1
        found: list[_Span] = []
        index = self._position
        while index < len(spans) and spans[index].start < end:
            if spans[index].end > start:
                found.append(spans[index])
            index += 1
        return found


def _link(mark: Mark, resolve: Callable[[str], RelUrl | None]) -> _Span:
    """A link of the document: http, https and mailto as they are, a relative one to its page, the rest plain text."""
    if is_external(mark.href):
        href = escape(mark.href)
        return _Span(mark.start, mark.end, f'<a class="external" href="{href}" rel="nofollow noopener">', "</a>", True)
    target = resolve(mark.href)
    if target is None:
        return _Span(mark.start, mark.end, '<span class="dead-link">', "</span>", True)
    return _Span(mark.start, mark.end, f'<a href="{escape(target)}">', "</a>", True)


def _mention(mention: Mention) -> _Span:
    title = escape(mention.title)
    opening = f'<a class="mention c{mention.color}" href="{escape(mention.href)}" title="{title}">'
    return _Span(mention.start, mention.end, opening, "</a>", True)


def _apart(mentions: Sequence[Mention], taken: list[tuple[int, int]]) -> list[Mention]:
    """Mentions that overlap neither a link nor an earlier mention (the longer one first)."""
    kept: list[Mention] = []
    position = end = 0
    for mention in sorted(mentions, key=lambda m: (m.start, -m.end, m.href)):
        while position < len(taken) and taken[position][1] <= mention.start:
            position += 1
        clash = position < len(taken) and taken[position][0] < mention.end
        if not clash and mention.start >= end:
            kept.append(mention)
            end = mention.end
    return kept
