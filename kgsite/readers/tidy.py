"""HTML of any quality → small, balanced HTML that holds only what a reader would see.

One pass over the tokens of html.parser with a stack of open elements: end tags that HTML lets authors omit
are put in, nesting is cut at a fixed depth, hidden elements and those that are not text are dropped, and so
are all attributes but a few. Nothing here recurses, whatever the nesting.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser

MAX_DEPTH = 60  # elements; browsers stop at 512, and the converter after this one recurses
_VOID = frozenset("area base br col embed frame hr img input link meta param source track wbr keygen".split())  # noqa: SIM905
_GONE = frozenset(
    [
        "script",
        "style",
        "template",
        "noscript",
        "noembed",
        "noframes",
        "head",
        "iframe",
        "frameset",
        "object",
        "embed",
        "applet",
        "svg",
        "math",
        "canvas",
        "audio",
        "video",
        "map",
        "select",
        "textarea",
        "button",
        "datalist",
        "dialog",
        "menuitem",
        "progress",
        "meter",
        "input",
        "colgroup",
        "col",
        "title",
    ]
)
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "html",
        "li",
        "main",
        "menu",
        "nav",
        "ol",
        "p",
        "pre",
        "search",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
        "caption",
    ]
)
_INLINE = frozenset(
    "a b strong i em code br sup sub span cite kbd samp tt q small big u s del ins mark abbr time var dfn".split()  # noqa: SIM905
)
_KEPT_ATTRIBUTES = ("id", "class", "role", "href", "rel", "colspan", "lang", "start")
_HIDING_STYLE = re.compile(
    r"(display\s*:\s*none|visibility\s*:\s*(hidden|collapse)|font-size\s*:\s*0(?![.\d]*[1-9]))", re.IGNORECASE
)
_UNSEEN = frozenset(("sr-only", "visually-hidden", "screen-reader-text", "noprint"))
_UNREAD = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_SPACE = re.compile(r"[ \t\n\r]+")
_RUN = re.compile(r"([ \t\n])\1{99,}")  # in preformatted text only such runs are cut
_MOST_COLUMNS = 50

# What a start tag closes, and the elements at which the search for it stops.
_CLOSES: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset(("li",)), frozenset(("ul", "ol", "menu", "dir"))),
    "dt": (frozenset(("dt", "dd")), frozenset(("dl",))),
    "dd": (frozenset(("dt", "dd")), frozenset(("dl",))),
    "tr": (frozenset(("tr",)), frozenset(("table",))),
    "td": (frozenset(("td", "th")), frozenset(("table", "tr"))),
    "th": (frozenset(("td", "th")), frozenset(("table", "tr"))),
    "tbody": (frozenset(("thead", "tbody", "tfoot")), frozenset(("table",))),
    "thead": (frozenset(("thead", "tbody", "tfoot")), frozenset(("table",))),
    "tfoot": (frozenset(("thead", "tbody", "tfoot")), frozenset(("table",))),
    "option": (frozenset(("option",)), frozenset(("select", "datalist"))),
}
_SCOPES = frozenset(("table", "td", "th", "caption", "html", "body", "template", "object", "blockquote", "div"))


@dataclass(slots=True)
class Tidied:
    """The cleaned body and what the document says of itself."""

    html: str
    title: str = ""
    language: str = ""
    meta: dict[str, str] = field(default_factory=dict)  # <meta name|property> → content, of the head


@dataclass(slots=True)
class _Open:
    tag: str
    visible: bool
    written: bool


class _Tidier(HTMLParser):
    """Writes balanced HTML while it reads tokens."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []
        self.stack: list[_Open] = []
        self.counts: dict[str, int] = {}
        self.title: list[str] = []
        self.language = ""
        self.meta: dict[str, str] = {}

    # ── tokens ────────────────────────────────────────────────────────────────────────────────────
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in reversed(attrs)}
        if tag == "html" and not self.language:
            self.language = given.get("lang", "") or given.get("xml:lang", "")
        if tag == "meta":
            self._meta(given)
        if tag in _BLOCKS and self.counts.get("head"):
            self._pop_to("head")  # the body has begun, whether or not somebody closed the head
        self._imply(tag)
        visible = self._visible() and tag not in _GONE and not _hidden(given)
        if tag in _VOID:
            if visible and tag in {"br", "hr"}:
                self.out.append(f"<{tag}>")
            elif visible and tag == "img" and given.get("alt", "").strip():
                self.out.append(f" {escape(given['alt'].strip(), quote=False)} ")
            return
        written = visible and (tag in _BLOCKS or tag in _INLINE) and len(self.stack) < MAX_DEPTH
        if written:
            self.out.append(_start_tag(tag, given))
        self.stack.append(_Open(tag, visible, written))
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID and tag in {"svg", "math", "path", "iframe"}:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "p" and not self.counts.get("p"):
            return
        if self.counts.get(tag):
            self._pop_to(tag)

    def handle_data(self, data: str) -> None:
        if self.stack and self.stack[-1].tag == "title" and not self.counts.get("svg"):
            self.title.append(data)
        elif self._visible():
            data = _RUN.sub(r"\1", data) if self.counts.get("pre") else _SPACE.sub(" ", data)
            self.out.append(escape(data, quote=False))

    # ── the stack ─────────────────────────────────────────────────────────────────────────────────
    def _visible(self) -> bool:
        return not self.stack or self.stack[-1].visible

    def _pop_to(self, tag: str) -> None:
        while self.stack:
            top = self._pop()
            if top == tag:
                return

    def _pop(self) -> str:
        top = self.stack.pop()
        self.counts[top.tag] -= 1
        if top.written:
            self.out.append(f"</{top.tag}>")
        elif top.visible and top.tag in _BLOCKS and self.out and self.out[-1] != " ":
            self.out.append(" ")
        return top.tag

    def _imply(self, tag: str) -> None:
        """Close what the start of `tag` ends: a paragraph by any block, an item by the next one."""
        if tag in _BLOCKS and self.counts.get("p"):
            self._close_within(frozenset(("p",)), _SCOPES)
        if tag in _CLOSES:
            closed, scope = _CLOSES[tag]
            if any(self.counts.get(name) for name in closed):
                self._close_within(closed, scope)

    def _close_within(self, names: frozenset[str], scope: frozenset[str]) -> None:
        for depth in range(len(self.stack) - 1, max(-1, len(self.stack) - 1 - MAX_DEPTH), -1):
            tag = self.stack[depth].tag
            if tag in names:
                while len(self.stack) > depth:
                    self._pop()
                return
            if tag in scope:
                return

    def _meta(self, given: Mapping[str, str]) -> None:
        name = (given.get("name") or given.get("property") or "").lower()
        if name and given.get("content") and len(self.meta) < 100:
            self.meta.setdefault(name, given["content"])

    def finish(self) -> str:
        """Everything written, with all elements closed."""
        self.close()
        while self.stack:
            self._pop()
        return "".join(self.out)


def _fit_to_parse(html: str) -> str:
    """Without comments, scripts and styles, and with a lone `<` at the end as text: html.parser searches
    the whole rest for the end of each of them, which is quadratic when there is none.
    """
    html = _UNREAD.sub(" ", html)
    last = html.rfind(">") + 1
    return html[:last] + html[last:].replace("<", "&lt;")


def _hidden(given: Mapping[str, str]) -> bool:
    if "hidden" in given or given.get("aria-hidden", "").lower() == "true":
        return True
    if "style" in given and _HIDING_STYLE.search(given["style"]):
        return True
    return bool(_UNSEEN.intersection(given.get("class", "").split()))


def _start_tag(tag: str, given: Mapping[str, str]) -> str:
    parts = [tag]
    for name in _KEPT_ATTRIBUTES:
        value = given.get(name, "")
        if name == "colspan" and not (value.isascii() and value.isdigit() and 1 < int(value[:4]) <= _MOST_COLUMNS):
            continue
        if value:
            parts.append(f'{name}="{escape(value)}"')
    return f"<{' '.join(parts)}>"


def tidy(html: str) -> Tidied:
    """The visible part of a page as balanced HTML, with its title, language and meta data."""
    tidier = _Tidier()
    tidier.feed(_fit_to_parse(html))
    body = tidier.finish()
    return Tidied(body, " ".join("".join(tidier.title).split()), tidier.language, tidier.meta)


class _Paragraphs(_Tidier):
    """Collects plain text, a paragraph for each block element."""

    def paragraphs(self) -> list[str]:
        text = re.sub(r"</?(?:" + "|".join(sorted(_BLOCKS)) + r"|br)(?:\s[^>]*)?>", "\n", self.finish())
        lines = (" ".join(_unescape(re.sub(r"<[^>]*>", "", line)).split()) for line in text.split("\n"))
        return [line for line in lines if line]


def _unescape(text: str) -> str:
    return (
        text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", '"')
        .replace("&#x27;", "'")
        .replace("&amp;", "&")
    )


def plain_text(html: str) -> list[str]:
    """What a reader would see of a fragment, by paragraph; unclosed and broken markup is fine."""
    reader = _Paragraphs()
    reader.feed(_fit_to_parse(html))
    return reader.paragraphs()
