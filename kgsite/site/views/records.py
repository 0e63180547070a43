"""The views that templates see: frozen, links resolved relative to their page, texts in the site's language."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from kgsite.model import AbsUrl, RelUrl


class Later:
    """A part of a view that is made when a template shows it, since most pages turn out to be unchanged.

    `inputs` is plain data that changes whenever the part would: it stands for the part in the page's fingerprint.
    In templates it is what it stands for: a drawing, a sequence, or a record.
    """

    __slots__ = ("_made", "_make", "inputs")

    def __init__(self, inputs: object, make: Callable[[], Any]) -> None:
        self.inputs = inputs
        self._make = make
        self._made: Any = _NOT_YET

    @property
    def made(self) -> Any:
        if self._made is _NOT_YET:
            self._made = self._make()
        return self._made

    def __html__(self) -> str:
        return str(self.made or "")

    def __bool__(self) -> bool:
        return bool(self.made)

    def __len__(self) -> int:
        return len(self.made)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.made)

    def __getitem__(self, at: int) -> Any:
        return self.made[at]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)  # a question about the class, not about the part
        return getattr(self.made, name)


_NOT_YET = object()


@dataclass(frozen=True, slots=True)
class LinkView:
    text: str
    href: RelUrl
    note: str = ""
    current: bool = False


@dataclass(frozen=True, slots=True)
class SiteView:
    """What all pages share."""

    title: str
    tagline: str
    language: str
    author: str
    license: str
    license_url: str
    repository: str
    version: str
    generated: str  # in words
    theme: str  # light, dark, or "" to follow the reader's system


@dataclass(frozen=True, slots=True)
class PageView:
    """Head and frame of one page."""

    kind: str  # landing, document, entity, explorer, …
    title: str  # the h1
    full_title: str  # of <title>
    description: str
    root: str  # "../../"
    home: RelUrl
    nav: tuple[LinkView, ...]
    search_href: RelUrl
    about_href: RelUrl
    feed_href: RelUrl
    language: str
    canonical: AbsUrl | None = None
    twin: RelUrl | None = None
    jsonld: Markup | None = None
    noindex: bool = False


@dataclass(frozen=True, slots=True)
class TypeView:
    """A type's badge: word, shape 0–9 and nothing that only colour says."""

    name: str
    label: str
    shape: int
    href: RelUrl
    count: int = 0


@dataclass(frozen=True, slots=True)
class EntityRef:
    """An entity as a link."""

    name: str
    href: RelUrl
    type: str  # label
    shape: int
    color: str  # "0" … "11", or "x": a custom property --c<color>
    note: str = ""  # "31 relations"


@dataclass(frozen=True, slots=True)
class QuoteView:
    text: str
    href: RelUrl | None  # the passage
    document: str
    page: str  # "p. 3" or ""
    verified: bool


@dataclass(frozen=True, slots=True)
class FactView:
    """A fact as a sentence: subject, predicate, object."""

    subject: EntityRef
    predicate: str
    object: EntityRef
    description: str
    inferred: str  # "" or in words: "inferred by transitivity via Paris"
    documents: str  # "in 4 documents", or "" for one
    quotes: tuple[QuoteView, ...]
    more_quotes: str  # "and 3 more quotes", or ""


@dataclass(frozen=True, slots=True)
class FactGroup:
    """Facts of one predicate in one direction."""

    predicate: str
    incoming: bool
    count: str
    facts: tuple[FactView, ...]


@dataclass(frozen=True, slots=True)
class DocumentCard:
    title: str
    href: RelUrl
    graph_href: RelUrl | None  # None where it would be empty
    summary: str
    date: str  # in words
    iso_date: str
    language: str
    kind: str
    counts: tuple[str, ...]
    drawing: Markup | Later | None


@dataclass(frozen=True, slots=True)
class CommunityCard:
    name: str
    href: RelUrl
    color: str
    count: str
    description: str
    members: tuple[EntityRef, ...]


@dataclass(frozen=True, slots=True)
class EntityGroup:
    """Entities under one heading: a type or a letter."""

    label: str
    anchor: str
    href: RelUrl | None
    shape: int
    count: str
    entities: tuple[EntityRef, ...]
    more: str = ""  # "and 40 more"


@dataclass(frozen=True, slots=True)
class Pager:
    """Where a list goes on."""

    pages: tuple[LinkView, ...]
    previous: RelUrl | None
    next: RelUrl | None
    summary: str  # "Page 2 of 9"


@dataclass(frozen=True, slots=True)
class Tile:
    """A number with its unit."""

    number: str
    label: str
    href: RelUrl | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the reader: a block, or a whole list. `html` is escaped text with inline tags."""

    kind: str  # heading, paragraph, list, quote, code, table, footnote, anchor
    anchor: str
    level: int
    page: str  # page number where a new page begins, else ""
    html: Markup


@dataclass(frozen=True, slots=True)
class Passage:
    """Parts that were extracted together, with their plain-language version when there is one."""

    parts: tuple[Part, ...]
    plain: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReaderView:
    passages: tuple[Passage, ...]
    contents: tuple[LinkView, ...]  # headings; `note` is the level
    has_plain: bool
    has_pages: bool


@dataclass(frozen=True, slots=True)
class LandingView:
    page: PageView
    lead: ReaderView | None
    tiles: tuple[Tile, ...]
    drawing: Markup | None
    graph_href: RelUrl
    sentence: str  # what the picture shows, in words
    documents: tuple[DocumentCard, ...]
    documents_href: RelUrl
    more_documents: str
    groups: tuple[EntityGroup, ...]
    communities: tuple[CommunityCard, ...]
    communities_href: RelUrl
    news: tuple[LinkView, ...]


@dataclass(frozen=True, slots=True)
class SectionView:
    """A folder with `_index.md`, or the documents outside of one (title "")."""

    title: str
    href: RelUrl | None
    cards: tuple[DocumentCard, ...]


@dataclass(frozen=True, slots=True)
class DocumentsView:
    page: PageView
    summary: str
    lead: ReaderView | None
    sections: tuple[SectionView, ...]
    pager: Pager | None


@dataclass(frozen=True, slots=True)
class DocumentView:
    page: PageView
    lang: str
    rtl: bool
    facts_line: tuple[str, ...]  # date, authors, pages, language
    summary: str
    tiles: tuple[Tile, ...]
    drawing: Markup | Later | None
    graph_href: RelUrl | None  # None where it would be empty
    key_facts: tuple[FactView, ...] | Later
    communities: tuple[CommunityCard, ...]
    groups: tuple[EntityGroup, ...]
    reader: ReaderView | Later | None
    source: LinkView | None
    license: str
    license_url: str
    downloads: tuple[LinkView, ...]
    made: str  # how the graph was made, in words
    notes: tuple[str, ...]
    dropped: tuple[str, ...]
    tags: tuple[str, ...]
    own_communities: tuple[CommunityCard, ...] = ()  # of an imported file, where they differ from the collection's


@dataclass(frozen=True, slots=True)
class DescriptionView:
    text: str
    document: LinkView | None


@dataclass(frozen=True, slots=True)
class EntityView:
    page: PageView
    type: TypeView
    other_types: tuple[str, ...]
    aliases: tuple[str, ...]
    descriptions: tuple[DescriptionView, ...]
    community: LinkView | None
    color: str
    summary: str  # "31 relations with 12 entities in 4 documents"
    groups: tuple[FactGroup, ...] | Later
    pager: Pager | None
    documents: tuple[LinkView, ...] | Later
    attributes: tuple[tuple[str, str], ...]
    same_as: tuple[LinkView, ...]
    drawing: Later | None
    drawing_caption: str
    graph_href: RelUrl
    cite: str
    report_href: str
    first: bool  # page 1 of its facts


@dataclass(frozen=True, slots=True)
class EntitiesView:
    page: PageView
    summary: str
    letters: tuple[LinkView, ...]
    types: tuple[TypeView, ...]
    groups: tuple[EntityGroup, ...]
    pager: Pager | None


@dataclass(frozen=True, slots=True)
class TypeListView:
    page: PageView
    summary: str
    types: tuple[TypeView, ...]
    shape: int
    groups: tuple[EntityGroup, ...]
    pager: Pager | None


@dataclass(frozen=True, slots=True)
class CommunitiesView:
    page: PageView
    summary: str
    communities: tuple[CommunityCard, ...]
    pager: Pager | None


@dataclass(frozen=True, slots=True)
class CommunityView:
    page: PageView
    color: str
    summary: str
    description: str
    topics: tuple[str, ...]
    drawing: Markup | None
    graph_href: RelUrl
    groups: tuple[EntityGroup, ...]
    key_facts: tuple[FactView, ...]
    pager: Pager | None


@dataclass(frozen=True, slots=True)
class ExplorerView:
    page: PageView
    scope: str
    summary: str
    back: LinkView
    graph_url: RelUrl
    graph: Markup | Later | None  # embedded data island, or None when it is loaded
    quotes: Markup | Later | None
    entities: tuple[EntityRef, ...]
    relations: tuple[FactView, ...] | Later
    shown: str  # "the 500 most connected of 3,204 entities", or ""
    edge_labels: str
    show_inferred: bool
    collapse_parallel: bool


@dataclass(frozen=True, slots=True)
class SearchView:
    page: PageView
    index_url: RelUrl
    entities_href: RelUrl
    groups: tuple[EntityGroup, ...]  # for readers without JavaScript
    full_text: RelUrl | None  # the script with which the full text search begins


@dataclass(frozen=True, slots=True)
class AboutRow:
    label: str
    value: str
    href: RelUrl | None = None


@dataclass(frozen=True, slots=True)
class AboutTable:
    title: str
    rows: tuple[AboutRow, ...]


@dataclass(frozen=True, slots=True)
class AboutView:
    page: PageView
    intro: str
    tables: tuple[AboutTable, ...]
    documents: tuple[AboutRow, ...]
    cite: str
    notes: tuple[str, ...]
    data: tuple[LinkView, ...]
    repository: str


@dataclass(frozen=True, slots=True)
class SimpleView:
    """404 and redirect pages."""

    page: PageView
    target: RelUrl | None = None
    target_text: str = ""
