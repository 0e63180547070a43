"""The collection, indexed for the views: who is linked with whom, and where each page lies."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import unquote, urlsplit

from markupsafe import Markup

from kgsite.collection.layout import DocumentPart, document_parts
from kgsite.config.settings import Settings
from kgsite.model import Block, Collection, CollectionEntity, Document, DocumentGraph, Fact, RelUrl, SitePath
from kgsite.site import urls
from kgsite.site.drawing import Drawings
from kgsite.site.escape import island_text, to_json
from kgsite.site.graphdata import GraphSource
from kgsite.site.links import Links, Origin
from kgsite.site.passages import Anchors, passages
from kgsite.site.records import BuildInfo
from kgsite.site.signs import community_colors, type_shape
from kgsite.site.views.records import EntityRef, LinkView, PageView, SiteView, TypeView
from kgsite.site.words import Words

if TYPE_CHECKING:
    from kgsite.site.search import SearchIndex

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where every page lies, settled by the plan before any view is made."""

    documents: Mapping[str, SitePath]  # document id → page
    explorers: Mapping[str, SitePath]  # document id → explorer
    entities: Mapping[str, SitePath]  # entity key → page
    communities: Mapping[int, SitePath]
    types: Mapping[str, SitePath]  # type → first page of its list
    sections: Mapping[str, SitePath]  # folder → page


NAV = (
    ("nav.documents", SitePath("documents/index.html")),
    ("nav.entities", SitePath("entities/index.html")),
    ("nav.communities", SitePath("communities/index.html")),
    ("nav.graph", SitePath("graph/index.html")),
    ("nav.about", SitePath("about/index.html")),
)
QUESTIONS = ("nav.questions", SitePath("questions/index.html"))
"""In the navigation of sites that have answers to show."""
SEARCH = SitePath("search/index.html")
FEED = SitePath("feed.xml")
HOME = SitePath("index.html")
NOT_FOUND = SitePath("404.html")
EXPLORER = NAV[3][1]


class SiteContext:
    """What views read. It is filled before rendering begins and never changed afterwards."""

    def __init__(
        self,
        collection: Collection,
        settings: Settings,
        words: Words,
        info: BuildInfo,
        addresses: Addresses,
        *,
        draws: bool = True,
    ) -> None:
        self.collection, self.settings, self.words, self.info = collection, settings, words, info
        self.addresses, self.draws = addresses, draws
        self.asks = False  # whether there are answers to show; the plan sets it
        self.links = Links((), {}, {})  # the plan sets it when all addresses are settled
        self.entities: dict[str, CollectionEntity] = {entity.key: entity for entity in collection.entities}
        self.communities = {community.id: community for community in collection.communities}
        self.documents: dict[str, DocumentGraph] = {graph.id: graph for graph in collection.documents}
        self.outgoing: dict[str, list[Fact]] = defaultdict(list)
        self.incoming: dict[str, list[Fact]] = defaultdict(list)
        self.facts_of_document: dict[str, list[Fact]] = defaultdict(list)
        for fact in collection.facts:
            if fact.source in self.entities and fact.target in self.entities:
                self.outgoing[fact.source].append(fact)
                self.incoming[fact.target].append(fact)
                for document in fact.documents:
                    self.facts_of_document[document].append(fact)
        self._colors = community_colors(collection)
        self.search: SearchIndex | None = None  # made by the plan
        self._refs: dict[tuple[str, str, str], EntityRef] = {}  # root, key, note: the same on all pages of a depth
        self._looks: dict[str, tuple[str, str, str, str] | None] = {}
        self.facts_in_twins: dict[int, bytes] = {}  # by identity, as below
        self._said: dict[int, str] = {}  # by identity: the collection lives as long as the context
        self.drawings = Drawings(collection, lambda: self.parts)
        self.anchors = Anchors(self.documents)
        self.graphs = GraphSource(
            collection, label=words.type, title=self.title, anchors=self.anchors, parts=lambda: self.parts
        )
        self.entities_of_document: dict[str, list[CollectionEntity]] = defaultdict(list)
        for entity in self.by_degree:
            for document in entity.documents:
                self.entities_of_document[document].append(entity)

    @property
    def nav(self) -> tuple[tuple[str, SitePath], ...]:
        """Key of the text, and page, of each link in the head."""
        return (*NAV[:-1], QUESTIONS, NAV[-1]) if self.asks else NAV

    @cached_property
    def by_degree(self) -> list[CollectionEntity]:
        """Entities, most connected first."""
        return sorted(self.collection.entities, key=lambda e: (-e.degree, e.slug))

    @cached_property
    def parts(self) -> dict[str, DocumentPart]:
        """What each document has of the collection."""
        return document_parts(self.collection)

    @cached_property
    def by_type(self) -> dict[str, list[CollectionEntity]]:
        """Type → its entities, most connected first; types with most entities first."""
        groups: dict[str, list[CollectionEntity]] = defaultdict(list)
        for entity in self.by_degree:
            groups[entity.type].append(entity)
        return dict(sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])))

    @cached_property
    def quotes(self) -> tuple[int, int]:
        """Verified quotes, and all quotes of the collection."""
        verified = total = 0
        for fact in self.collection.facts:
            total += len(fact.evidence)
            verified += sum(item.evidence.verified for item in fact.evidence)
        return verified, total

    # Caches that end with the context: one of the class would keep the contexts of earlier builds alive in serve.
    @cached_property
    def passages(self) -> Callable[[str], tuple[Block, ...]]:
        """The passages of a document, by its id."""
        return lru_cache(maxsize=64)(lambda document: passages(self.documents[document]))

    def origin(self, page: SitePath, text: Document | DocumentGraph) -> Origin:
        """A text and its page, for the links in it."""
        if isinstance(text, DocumentGraph):
            return Origin(page, text.provenance.source, text.text, self.passages(text.id))
        return Origin(page, text.source.path, text.text, text.blocks)

    def resolver(self, page: SitePath, text: Document | DocumentGraph) -> Callable[[str], RelUrl | None]:
        """What turns a relative link of `text` into a link from `page`; None for one that leads nowhere."""
        return partial(self.links.resolve, self.origin(page, text), self.root(page))

    # ── links ─────────────────────────────────────────────────────────────────────────────────
    def root(self, page: str) -> str:
        """The prefix from a page to the site root; absolute for 404.html, which is served at any address."""
        return self._absolute_root if page == NOT_FOUND else urls.root_of(page)

    @cached_property
    def _absolute_root(self) -> str:
        return urls.encode(unquote(urlsplit(self.settings.site.base_url).path.rstrip("/"))) + "/"

    def href(self, page: str, target: str, anchor: str = "") -> RelUrl:
        """The link from `page` to `target`; through the root, which needs no comparison of paths."""
        url = self.root(page) + urls.encode(target)
        return RelUrl(f"{url}#{anchor}" if anchor else url)

    def color(self, community: int | None) -> str:
        """The part of `--c<…>` for a community: the twelve largest have a colour, the others are grey."""
        color = self._colors.get(community) if community is not None else None
        return "x" if color is None else str(color)

    def ref(self, page: str, key: str, note: str = "") -> EntityRef:
        """A link to an entity's page."""
        root = self.root(page)
        made = self._refs.get((root, key, note))
        if made is None:
            made = self._refs[root, key, note] = self._ref(root, key, note)
        return made

    def _ref(self, root: str, key: str, note: str) -> EntityRef:
        entity = self.entities[key]
        href = RelUrl(root + urls.encode(self.addresses.entities[key]))
        label = self.words.type(entity.type)
        return EntityRef(entity.name, href, label, type_shape(entity.type), self.color(entity.community), note)

    def refs(self, page: str, entities: Iterable[CollectionEntity], *, degrees: bool = False) -> tuple[EntityRef, ...]:
        note = self.words.n
        return tuple(self.ref(page, e.key, note("count.links", e.degree) if degrees else "") for e in entities)

    def type(self, page: str, name: str, *, counted: bool = False) -> TypeView:
        """A type's badge; `counted` only where the number is shown, since a page is rendered again when it changes."""
        href = self.href(page, self.addresses.types[name])
        count = len(self.by_type.get(name, ())) if counted else 0
        return TypeView(name, self.words.type(name), type_shape(name), href, count)

    def title(self, document: DocumentGraph) -> str:
        return document.title or document.meta.title or str(document.provenance.source) or self.words.t("untitled")

    def document_link(self, page: str, document: str, note: str = "") -> LinkView:
        graph = self.documents[document]
        return LinkView(self.title(graph), self.href(page, self.addresses.documents[document]), note)

    # ── what stands for parts that are made later ─────────────────────────────────────────────
    def look(self, key: str) -> tuple[str, str, str, str] | None:
        """All that a link to an entity shows (`ref` without its note), as data; None for one that has no page."""
        if key not in self._looks:
            e = self.entities.get(key)
            self._looks[key] = (e.name, e.type, self.addresses.entities[key], self.color(e.community)) if e else None
        return self._looks[key]

    def said(self, fact: Fact) -> str:
        """A digest of all that any page says of a fact: its ends, its words, its documents and their quotes."""
        found = self._said.get(id(fact))
        if found is None:
            found = self._said[id(fact)] = hashlib.blake2b(to_json(self._all_of(fact)), digest_size=16).hexdigest()
        return found

    def _all_of(self, fact: Fact) -> list[object]:
        quotes = [
            (item.document, item.evidence.text, item.evidence.verified, item.evidence.page,
             self.anchors.anchor(item.document, item.evidence.start) if item.document in self.documents else "")
            for item in fact.evidence
        ]  # fmt: skip
        named = {*fact.documents, *(item.document for item in fact.evidence)}
        documents = sorted((name, *self.named(name)) for name in named if name in self.documents)
        ends = self.look(fact.source), self.look(fact.target)
        via = [(key, self.look(key)) for key in fact.via]
        said = (fact.predicate, fact.description, fact.inferred, fact.methods, len(fact.documents))
        return [ends, via, said, documents, quotes]

    @cached_property
    def named(self) -> Callable[[str], tuple[str, str, str]]:
        """All that a link to a document shows, and its language; by its id."""
        return cache(self._named)

    def _named(self, document: str) -> tuple[str, str, str]:
        graph = self.documents[document]
        return self.title(graph), graph.language, self.addresses.documents[document]

    # ── the frame of a page ───────────────────────────────────────────────────────────────────
    def page(
        self,
        path: SitePath,
        kind: str,
        title: str,
        description: str = "",
        *,
        active: str = "",
        twin: SitePath | None = None,
        jsonld: Mapping[str, object] | None = None,
        noindex: bool = False,
    ) -> PageView:
        """Head and navigation of the page at `path`."""
        site = self.settings.site
        words = self.words
        nav = tuple(
            LinkView(words.t(key), self.href(path, target), current=key == active or target == path)
            for key, target in self.nav
        )
        return PageView(
            kind=kind,
            title=title,
            full_title=title if kind == "landing" else f"{title} · {site.title}",
            description=excerpt(description or site.description or site.tagline or site.title, 160),
            root=self.root(path),
            home=self.href(path, HOME),
            nav=nav,
            search_href=self.href(path, SEARCH),
            about_href=self.href(path, NAV[4][1]),
            feed_href=self.href(path, FEED),
            language=site.language,
            canonical=urls.absolute(site.base_url, path),
            twin=self.href(path, twin) if twin else None,
            jsonld=self.jsonld(jsonld),
            noindex=noindex,
        )

    def jsonld(self, data: Mapping[str, object] | None) -> Markup | None:
        """A schema.org description as a data island; empty values left out."""
        if data is None:
            return None
        kept = {key: value for key, value in data.items() if value not in (None, "", [], ())}
        return island_text({"@context": "https://schema.org", **kept})

    def site(self) -> SiteView:
        site = self.settings.site
        return SiteView(
            title=site.title,
            tagline=site.tagline,
            language=site.language,
            author=site.author,
            license=site.license,
            license_url=license_url(site.license),
            repository=site.repository if urls.is_web(site.repository) else "",
            version=self.info.version,
            generated=self.words.date(self.info.generated) if self.info.generated else "",
            theme="" if self.settings.visualization.theme == "auto" else self.settings.visualization.theme,
        )


def excerpt(text: str, limit: int) -> str:
    """The beginning of a text on one line, cut at a word."""
    flat = " ".join(text[: limit * 8].split())
    if len(flat) <= limit:
        return flat
    cut = flat[: limit - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit // 2 else cut).rstrip(" ,;:.–-") + "…"


_LICENSES = {
    "mit": "https://opensource.org/license/mit",
    "apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0",
    "cc0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "cc-by-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "cc-by-sa-4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
    "cc-by-nc-4.0": "https://creativecommons.org/licenses/by-nc/4.0/",
    "cc-by-nd-4.0": "https://creativecommons.org/licenses/by-nd/4.0/",
    "cc-by-3.0": "https://creativecommons.org/licenses/by/3.0/",
    "cc-by-sa-3.0": "https://creativecommons.org/licenses/by-sa/3.0/",
}


def license_url(name: str) -> str:
    """Where a licence's text is: the licence itself when it is a URL, a well-known SPDX id's page, else `""`."""
    if urls.is_web(name):
        return name
    return _LICENSES.get(name.strip().lower().replace(" ", "-"), "")


def chunked(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """`items` in pages of `size`; one empty page for none."""
    return [items[start : start + size] for start in range(0, len(items), size)] or [items]
