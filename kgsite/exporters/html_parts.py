"""What stands below the explorer of a one-file page: entities, communities and texts, with their anchors."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from kgsite.exporters.table import Edge, Node, Quote, Table, Text, clean

if TYPE_CHECKING:
    from kgsite.site.words import Words

_MOST_NAMED = 60


@dataclass(frozen=True, slots=True)
class Link:
    """A place in the page."""

    anchor: str
    name: str
    predicate: str = ""


@dataclass(frozen=True, slots=True)
class ShownQuote:
    text: str
    anchor: str  # of the passage, or of the document
    document: str
    page: int | None
    verified: bool


@dataclass(frozen=True, slots=True)
class Said:
    """An outgoing fact."""

    subject: str
    predicate: str
    object: str
    target: str  # anchor of the object
    inferred: str
    quotes: tuple[ShownQuote, ...]


@dataclass(frozen=True, slots=True)
class Thing:
    anchor: str
    name: str
    type: str
    description: str
    aliases: tuple[str, ...]
    facts: tuple[Said, ...]
    named_by: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class FoundGroup:
    anchor: str
    name: str
    size: int
    description: str
    members: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class ShownBlock:
    anchor: str
    kind: str
    html: Markup


@dataclass(frozen=True, slots=True)
class FoundText:
    anchor: str
    title: str
    language: str
    summary: str
    blocks: tuple[ShownBlock, ...]


class Parts:
    """The parts of one table; several nodes with one address are one entry."""

    def __init__(self, table: Table, words: Words) -> None:
        self.table, self.words = table, words
        self.anchor = {node.id: node.path.strip("/") or f"entities/{node.id}" for node in table.nodes}
        self.name = {node.id: node.name for node in table.nodes}
        self.said: dict[str, list[Edge]] = {}
        self.heard: dict[str, list[Edge]] = {}
        for edge in table.edges:
            self.said.setdefault(self.anchor[edge.source], []).append(edge)
            self.heard.setdefault(self.anchor[edge.target], []).append(edge)
        self.text = {text.id: (text, self._starts(text)) for text in table.texts}

    def counts(self) -> tuple[str, ...]:
        words, table = self.words, self.table
        return (
            words.n("count.documents", len(table.texts)),
            words.n("count.entities", len(set(self.anchor.values()))),
            words.n("count.relations", len(table.edges)),
        )

    # ── entities ──────────────────────────────────────────────────────────────────────────────
    def things(self) -> tuple[Thing, ...]:
        """By name."""
        first: dict[str, Node] = {}
        for node in self.table.nodes:
            first.setdefault(self.anchor[node.id], node)
        ordered = sorted(first.items(), key=lambda item: (item[1].name.casefold(), item[0]))
        return tuple(self._thing(anchor, node) for anchor, node in ordered)

    def _thing(self, anchor: str, node: Node) -> Thing:
        heard = {(self.anchor[edge.source], edge.predicate): edge for edge in self.heard.get(anchor, ())}
        return Thing(
            anchor,
            node.name,
            self.words.type(node.type),
            node.description,
            node.aliases,
            tuple(self._said(edge) for edge in self.said.get(anchor, ())),
            tuple(
                Link(source, self.name[edge.source], predicate)
                for (source, predicate), edge in list(heard.items())[:_MOST_NAMED]
            ),
        )

    def _said(self, edge: Edge) -> Said:
        inferred = ""
        if edge.inferred:
            method = edge.method.replace("_", " ")
            inferred = self.words.t("fact.inferred_by", method=method) if method else self.words.t("fact.inferred")
        return Said(
            self.name[edge.source],
            edge.predicate.replace("_", " "),
            self.name[edge.target],
            self.anchor[edge.target],
            inferred,
            tuple(self._quote(quote) for quote in edge.quotes if quote.text.strip()),
        )

    def _quote(self, quote: Quote) -> ShownQuote:
        found = self.text.get(quote.document)
        if found is None:
            return ShownQuote(quote.text, "main", "", quote.page, quote.verified)
        text, starts = found
        anchor = text_anchor(text)
        number = bisect_right(starts, quote.start) if quote.start is not None else 0
        return ShownQuote(
            quote.text, f"{anchor}/p{number}" if number else anchor, text.title, quote.page, quote.verified
        )

    # ── communities ───────────────────────────────────────────────────────────────────────────
    def groups(self) -> tuple[FoundGroup, ...]:
        return tuple(
            FoundGroup(
                group.path.strip("/") or f"communities/{group.id}",
                group.name,
                len(group.members),
                group.description,
                tuple(Link(self.anchor[one], self.name[one]) for one in group.members if one in self.anchor),
            )
            for group in self.table.groups
        )

    # ── texts ─────────────────────────────────────────────────────────────────────────────────
    @staticmethod
    def _starts(text: Text) -> list[int]:
        from kgsite.site.passages import passages

        return [block.start for block in passages(text.graph)]

    def texts(self) -> tuple[FoundText, ...]:
        quoted: dict[str, set[tuple[int, int]]] = {}
        for edge in self.table.edges:
            for quote in edge.quotes:
                if quote.verified and quote.start is not None and quote.end is not None:
                    quoted.setdefault(quote.document, set()).add((quote.start, quote.end))
        return tuple(
            FoundText(
                text_anchor(text),
                text.title,
                text.graph.language,
                clean(text.graph.meta.summary or text.graph.summary) if len(self.table.texts) > 1 else "",
                tuple(_blocks(text, sorted(quoted.get(text.id, ())))),
            )
            for text in self.table.texts
        )


def text_anchor(text: Text) -> str:
    return text.path.strip("/") or f"documents/{text.id}"


def _blocks(text: Text, quotes: list[tuple[int, int]]) -> Iterator[ShownBlock]:
    """The passages with the quoted stretches marked."""
    from kgsite.site.passages import passages

    spans = _united(quotes)
    at = 0
    for number, block in enumerate(passages(text.graph), 1):
        while at < len(spans) and spans[at][1] <= block.start:
            at += 1
        end = at
        while end < len(spans) and spans[end][0] < block.end:
            end += 1
        html = _marked(text.graph.text, block.start, block.end, spans[at:end])
        yield ShownBlock(f"{text_anchor(text)}/p{number}", block.kind, html)


def _united(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted spans without overlap."""
    made: list[tuple[int, int]] = []
    for start, end in spans:
        if made and start <= made[-1][1]:
            made[-1] = (made[-1][0], max(made[-1][1], end))
        else:
            made.append((start, end))
    return made


def _marked(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> Markup:
    pieces: list[Markup] = []
    at = start
    for first, last in spans:
        first, last = max(first, at), min(last, end)  # noqa: PLW2901
        if first < last:
            pieces += [escape(clean(text[at:first])), Markup("<mark>{}</mark>").format(clean(text[first:last]))]
            at = last
    return Markup("").join([*pieces, escape(clean(text[at:end]))])
