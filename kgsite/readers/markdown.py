"""Markdown → pieces: the one path that md, html, rst and docx share.

CommonMark with tables (markdown-it-py), plus footnotes: `[^1]` in the text and `[^1]: …` at the start of a
paragraph. The mark is dropped from the text and the note follows the block that refers to it, so that both
are read together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from kgsite.model import BlockKind
from kgsite.readers.blocks import CELL_JOIN, Piece, Span
from kgsite.readers.characters import clean
from kgsite.readers.links import safe_href

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

VERSION = "markdown-1"
_MOST_SPECIAL = 20_000  # characters with a meaning in one paragraph: more are read as they stand
_MOST_UNMATCHED = 100  # opening brackets without a closing one in a paragraph: each costs a search
_ALL_UNMATCHED = 2_000  # and in a whole document
# Expressions of template languages are text; their stars and underscores are no emphasis.
_TEMPLATE = re.compile(r"\{\{[^{}\n]{0,300}\}\}|\{%[^%\n]{0,300}%\}|\$\{[^{}\n]{0,300}\}|<%[^%\n]{0,300}%>")
_SPECIAL = re.compile(r"[\[\]*_`<&!\\]")
_NOTE = re.compile(r"^[ ]{0,3}\[\^([^\]\s]{1,100})\]:[ \t]*", re.MULTILINE)
_NOTE_MARK = re.compile(r"\[\^([^\]\s]{1,100})\]")
_RAW_TAG = re.compile(r"<\s*(/?)\s*([a-zA-Z][a-zA-Z0-9]*)")
_SILENT = {"script", "style", "template", "noscript", "title", "textarea"}
_FENCE = re.compile(r"^ {0,3}(```|~~~)")


def read_markdown(text: str, *, html: bool = True, base: str = "") -> list[Piece]:
    """Pieces of a Markdown text (cleaned, without front matter).

    `html=False` takes `<` as text: for Markdown that was made from another format and is escaped already.
    `base` resolves relative links of web pages. Tags never survive, the text between them does.
    """
    body, notes = _take_notes(text)
    parser = _parser(html=html)
    walker = _Walker(base, {label: _note_pieces(parser, note, base) for label, note in notes.items()})
    walker.walk(_parse(parser, body))
    return walker.finish()


def _parser(*, html: bool) -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": html, "maxNesting": 40}).enable("table")
    parser.validateLink = _accept  # type: ignore[method-assign]  # safe_href decides; the words stay
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    if html:
        parser.inline.ruler.before("escape", "template", _template)
    return parser


def _template(state: StateInline, silent: bool) -> bool:
    """Inline rule: an expression of a template language, as it stands."""
    if state.src[state.pos] not in "{$<":
        return False
    found = _TEMPLATE.match(state.src, state.pos)
    if not found:
        return False
    if not silent:
        state.pending += found[0]
    state.pos = found.end()
    return True


def _accept(url: str) -> bool:  # noqa: ARG001
    return True


def _parse(parser: MarkdownIt, text: str) -> list[Token]:
    """Block tokens with inline children; a stretch too long for inline syntax keeps its characters as text."""
    from markdown_it.token import Token

    env: dict[str, object] = {}  # link definitions: found among the blocks, used by inline syntax
    parser.disable("inline")
    tokens = parser.parse(text, env)
    parser.enable("inline")
    unmatched = 0
    for token in tokens:
        if token.type != "inline":
            continue
        content = token.content
        missing = max(content.count("[") - content.count("]"), 0)
        unmatched += missing
        costly = missing > _MOST_UNMATCHED or (missing and unmatched > _ALL_UNMATCHED)
        if costly or (len(content) > _MOST_SPECIAL and len(_SPECIAL.findall(content)) > _MOST_SPECIAL):
            token.children = [Token("text", "", 0, content=content)]
        else:
            token.children = []
            parser.inline.parse(content, parser, env, token.children)
    return tokens


def _take_notes(text: str) -> tuple[str, dict[str, str]]:
    """The text without footnote definitions, and those by label; code fences are left alone."""
    if "[^" not in text:
        return text, {}
    kept: list[str] = []
    notes: dict[str, list[str]] = {}
    current: list[str] | None = None
    fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        found = None if fenced else _NOTE.match(line)
        if found:
            current = notes.setdefault(found[1], [])
            current.append(line[found.end() :])
        elif current is not None and line.strip() and (line.startswith(("    ", "\t")) or current[-1]):
            current.append(line.strip())
        elif current is not None and not line.strip():
            current.append("")
            kept.append(line)
        else:
            current = None
            kept.append(line)
    return "\n".join(kept), {label: "\n".join(lines).strip() for label, lines in notes.items()}


def _note_pieces(parser: MarkdownIt, note: str, base: str) -> list[Piece]:
    walker = _Walker(base, {})
    walker.walk(_parse(parser, note))
    return [Piece("footnote", p.text, spans=p.spans) for p in walker.finish() if not p.cells]


class _Walker:
    """Turns the flat token list into pieces; holds where it is (lists, quotes) and nothing else."""

    def __init__(self, base: str, notes: Mapping[str, Sequence[Piece]]) -> None:
        self.base = base
        self.notes = dict(notes)
        self.pieces: list[Piece] = []
        self.lists: list[bool] = []  # ordered, from the outside
        self.quotes = 0
        self.fresh_item = False
        self.heading = 0

    def walk(self, tokens: Sequence[Token]) -> None:
        position = 0
        while position < len(tokens):
            token = tokens[position]
            if token.type == "table_open":
                position = self._table(tokens, position)
            else:
                self._step(token)
            position += 1

    def finish(self) -> list[Piece]:
        """All pieces; notes that nothing refers to come last."""
        for note in self.notes.values():
            self.pieces.extend(note)
        self.notes = {}
        return self.pieces

    def _step(self, token: Token) -> None:
        kind = token.type
        if kind in {"bullet_list_open", "ordered_list_open"}:
            self.lists.append(kind.startswith("ordered"))
        elif kind in {"bullet_list_close", "ordered_list_close"}:
            self.lists.pop()
        elif kind == "list_item_open":
            self.fresh_item = True
        elif kind == "blockquote_open":
            self.quotes += 1
        elif kind == "blockquote_close":
            self.quotes -= 1
        elif kind == "heading_open":
            self.heading = int(token.tag[1])
        elif kind == "heading_close":
            self.heading = 0
        elif kind == "inline":
            self._inline(token)
        elif kind in {"fence", "code_block"}:
            self.pieces.append(Piece("code", clean(token.content)))
        elif kind == "html_block":
            self._raw(token.content)

    def _inline(self, token: Token) -> None:
        line = _Inline(self.base)
        line.read(token.children or [])
        text, spans = line.result()
        kind: BlockKind = "paragraph"
        level, ordered = 0, False
        if self.heading and not self.quotes:
            kind, level = "heading", self.heading
            text = text.replace("\n", " ")
        elif self.lists and self.fresh_item:
            kind, level, ordered = "list", len(self.lists), self.lists[-1]
            self.fresh_item = False
        elif self.quotes:
            kind = "quote"
        if text.strip():
            self.pieces.append(Piece(kind, text, level, ordered=ordered, spans=spans))
        self._notes_of(line.labels)

    def _notes_of(self, labels: Iterable[str]) -> None:
        for label in labels:
            self.pieces.extend(self.notes.pop(label, ()))

    def _raw(self, content: str) -> None:
        """A block of HTML: what a reader would see of it, a paragraph for each of its blocks."""
        from kgsite.readers.tidy import plain_text

        for paragraph in plain_text(content):
            self.pieces.append(Piece("quote" if self.quotes else "paragraph", clean(paragraph)))

    def _table(self, tokens: Sequence[Token], position: int) -> int:
        """Read one table from its opening token; the position of its closing one."""
        parts: list[str] = []
        spans: list[Span] = []
        rows: list[tuple[tuple[int, int], ...]] = []
        row: list[tuple[int, int]] = []
        labels: list[str] = []
        length = 0
        while tokens[position].type != "table_close":
            token = tokens[position]
            if token.type == "tr_open":
                row = []
            elif token.type == "tr_close":
                rows.append(tuple(row))
            elif token.type == "inline":
                line = _Inline(self.base)
                line.read(token.children or [])
                text, inner = line.result()
                text = text.replace("\n", " ")
                labels.extend(line.labels)
                joint = CELL_JOIN if row else "\n" if rows else ""
                start = length + len(joint)
                parts += (joint, text)
                spans.extend(Span(start + s.start, start + s.end, s.kind, s.href) for s in inner)
                row.append((start, start + len(text)))
                length = start + len(text)
            position += 1
        if any(end > start for cells in rows for start, end in cells):
            self.pieces.append(Piece("table", "".join(parts), spans=tuple(spans), cells=tuple(rows)))
        self._notes_of(labels)
        return position


class _Inline:
    """Builds the plain text of one block and remembers where formatting began."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.parts: list[str] = []
        self.length = 0
        self.spans: list[Span] = []
        self.open: list[tuple[int, str]] = []  # start and href of links and emphasis not closed yet
        self.labels: list[str] = []  # of the footnotes referred to
        self.silent = ""  # the raw tag whose content is not text

    def read(self, tokens: Sequence[Token]) -> None:
        for position, token in enumerate(tokens):
            if token.type == "html_inline":
                self._tag(token.content)
            elif not self.silent:
                self._token(token, tokens, position)

    def _token(self, token: Token, tokens: Sequence[Token], position: int) -> None:
        kind = token.type
        if kind in {"text", "text_special"}:
            self._add(_NOTE_MARK.sub(self._note, token.content) if "[^" in token.content else token.content)
        elif kind == "code_inline":
            start = self.length
            self._add(token.content)
            self.spans.append(Span(start, self.length, "code"))
        elif kind == "softbreak":
            self._add("" if self._between_ideographs(tokens, position) else " ")
        elif kind == "hardbreak":
            self._add("\n")
        elif kind == "image":
            self.read(token.children or [])
        elif kind in {"link_open", "em_open", "strong_open"}:
            self.open.append((self.length, str(token.attrs.get("href", ""))))
        elif kind in {"link_close", "em_close", "strong_close"} and self.open:
            self._close(kind)

    def _close(self, kind: str) -> None:
        start, href = self.open.pop()
        if self.length == start:
            return
        if kind == "link_close":
            target = safe_href(href, self.base)
            if target:
                self.spans.append(Span(start, self.length, "link", target))
        else:
            self.spans.append(Span(start, self.length, "emphasis" if kind == "em_close" else "strong"))

    def _tag(self, content: str) -> None:
        found = _RAW_TAG.match(content)
        name = found[2].lower() if found else ""
        if self.silent:
            if found and found[1] and name == self.silent:
                self.silent = ""
        elif name in _SILENT and found and not found[1]:
            self.silent = name
        elif name == "br" and self.parts and not self.parts[-1].endswith("\n"):
            self._add("\n")

    def _note(self, found: re.Match[str]) -> str:
        self.labels.append(found[1])
        return ""

    def _add(self, text: str) -> None:
        text = clean(text)
        self.parts.append(text)
        self.length += len(text)

    def _between_ideographs(self, tokens: Sequence[Token], position: int) -> bool:
        """Chinese and Japanese are written without spaces, also where a source line ends."""
        before = self.parts[-1][-1:] if self.parts else ""
        after = tokens[position + 1].content[:1] if position + 1 < len(tokens) else ""
        return bool(before and after) and all(
            unicodedata.east_asian_width(c) in "WF" and c.isalnum() for c in before + after
        )

    def result(self) -> tuple[str, tuple[Span, ...]]:
        """The text without white space at its ends, and the marks moved accordingly."""
        text = "".join(self.parts)
        cut = len(text) - len(text.lstrip())
        text = text.strip()
        spans = (Span(max(s.start - cut, 0), min(s.end - cut, len(text)), s.kind, s.href) for s in self.spans)
        return text, tuple(sorted((s for s in spans if s.end > s.start), key=lambda s: (s.start, -s.end, s.kind)))
