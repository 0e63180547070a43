"""The list of documents, sections, and the page of one document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from kgsite.model import Community, Document, DocumentGraph, RelUrl, SitePath
from kgsite.site import urls
from kgsite.site.downloads import document_downloads
from kgsite.site.links import is_external
from kgsite.site.views import drawings, facts, lists
from kgsite.site.views.context import NAV, SiteContext, excerpt, license_url
from kgsite.site.views.reader import Mention, reader
from kgsite.site.views.records import (
    CommunityCard,
    DocumentsView,
    DocumentView,
    Later,
    LinkView,
    ReaderView,
    SectionView,
    Tile,
)
from kgsite.site.words import RTL

PER_PAGE = 60
OWN_COMMUNITIES = 12
KEY_FACTS = 8
ENTITIES_OF_TYPE = 60


def content_text(context: SiteContext, page: SitePath, document: Document | None, title: str) -> ReaderView | None:
    """The text of `index.md` or `_index.md`, shown on `page`."""
    if document is None:
        return None
    resolve = context.resolver(page, document)
    return reader(document.text, document.blocks, document.marks, title=title, resolve=resolve)


def documents_page(
    context: SiteContext,
    first: SitePath,
    number: int,
    pages: Sequence[Sequence[DocumentGraph]],
    section: tuple[str, Document] | None,
    sections: Sequence[tuple[str, str]],
) -> DocumentsView:
    """Page `number` of the documents of the site, or of one section (`(folder, _index.md)`)."""
    path = lists.page_path(first, number)
    words = context.words
    title = section[1].title or section[1].meta.title or section[0] if section else words.t("nav.documents")
    total = sum(len(page) for page in pages)
    summary = words.n("count.documents", total)
    groups: list[SectionView] = []
    if number == 1 and sections:
        groups.append(SectionView("", None, ()))
    cards = tuple(lists.document_card(context, path, document) for document in pages[number - 1])
    section_links = tuple(
        SectionView(name, context.href(path, context.addresses.sections[folder]), ()) for folder, name in sections
    )
    return DocumentsView(
        page=context.page(path, "documents", title, summary, active=NAV[0][0], noindex=number > 1),
        summary=summary,
        lead=content_text(context, path, section[1], title) if section and number == 1 else None,
        sections=(*section_links, SectionView("", None, cards)),
        pager=lists.pager(context, first, number, len(pages)),
    )


def document_page(context: SiteContext, document: DocumentGraph) -> DocumentView:
    """The page of one document: what it says in short, its graph, and its whole text."""
    path = context.addresses.documents[document.id]
    words = context.words
    title = context.title(document)
    own_facts = context.facts_of_document[document.id]
    entities = context.entities_of_document[document.id]
    url = document.meta.url or document.url or ""
    license_ = document.meta.license or ""
    return DocumentView(
        page=context.page(
            path,
            "document",
            title,
            document.summary or excerpt(document.text, 160),
            active=NAV[0][0],
            twin=urls.twin(path),
            jsonld=_jsonld(context, document, title, url),
        ),
        lang=document.language,
        rtl=document.language in RTL,
        facts_line=_facts_line(context, document),
        summary=document.meta.summary or document.summary,
        tiles=_tiles(context, path, document),
        drawing=drawings.of_document(context, document.id),
        graph_href=lists.graph_href(context, path, document.id),
        key_facts=facts.later(context, path, facts.telling(context, own_facts, KEY_FACTS), quotes=1),
        communities=_communities(context, path, document),
        groups=lists.type_groups(context, path, entities, ENTITIES_OF_TYPE, degrees=False),
        reader=_reader(context, path, document),
        source=LinkView(urls_host(url), RelUrl(url)) if urls.is_web(url) else None,
        license=license_,
        license_url=license_url(license_),
        downloads=_downloads(context, path, document),
        made=_made(context, document),
        notes=document.notes,
        dropped=tuple(
            words.t("dropped", n=words.number(count), reason=reason.replace("_", " "))
            for reason, count in sorted(document.dropped.items())
            if count
        ),
        tags=document.meta.tags,
        own_communities=_own_communities(context, path, document),
    )


def urls_host(url: str) -> str:
    """The host of a URL, as a link's text."""
    host = url.split("://", 1)[-1].split("/", 1)[0]
    return host.rsplit("@", 1)[-1].removeprefix("www.") or url


def _facts_line(context: SiteContext, document: DocumentGraph) -> tuple[str, ...]:
    words = context.words
    line = [", ".join(document.meta.authors)]
    if document.meta.date:
        line.append(words.date(document.meta.date))
    if document.language:
        line.append(lists.language_name(context, document.language))
    if document.n_pages:
        line.append(words.n("count.pages", document.n_pages))
    count = len(document.text.split())
    if count:
        line.append(words.n("count.words", count))
    return tuple(item for item in line if item)


def _tiles(context: SiteContext, path: SitePath, document: DocumentGraph) -> tuple[Tile, ...]:
    words = context.words
    own = context.facts_of_document[document.id]
    entities = len(context.entities_of_document[document.id])
    quotes = sum(i.evidence.verified for fact in own for i in fact.evidence if i.document == document.id)
    graph = lists.graph_href(context, path, document.id)
    listed = context.href(path, path, "entities") if entities else None  # without entities there is no list of them
    tiles = [
        Tile(words.number(entities), words.n("unit.entities", entities), listed),
        Tile(words.number(len(own)), words.n("unit.relations", len(own)), graph),
        Tile(words.number(quotes), words.n("unit.quotes", quotes)),
    ]
    return tuple(tiles)


def _communities(context: SiteContext, path: SitePath, document: DocumentGraph) -> tuple[CommunityCard, ...]:
    """Communities of the collection with entities in this document, most first; pairs only where there is no group."""
    counts: dict[int, int] = {}
    for entity in context.entities_of_document[document.id]:
        if entity.community is not None:
            counts[entity.community] = counts.get(entity.community, 0) + 1
    known = sorted((c for c in counts if c in context.communities and counts[c] > 1), key=lambda c: (-counts[c], c))
    groups = [c for c in known if counts[c] > 2] or known
    return tuple(lists.community_card(context, path, context.communities[c], members=4) for c in groups[:6])


def _own_communities(context: SiteContext, path: SitePath, document: DocumentGraph) -> tuple[CommunityCard, ...]:
    """Communities of two and more entities that an imported file names, largest first; none where the collection has
    them all under the same names."""
    if not document.provenance.extractor.startswith("import:") or context.settings.imports.recompute:
        return ()
    keys = {f"{e.name}::{e.type}": context.collection.entity_of.get(e.id, "") for e in document.entities}
    graph = context.href(path, context.addresses.explorers[document.id])
    cards = []
    for community in sorted(document.communities, key=lambda one: (-len(one.members), one.id)):
        members = dict.fromkeys(key for name in community.members if (key := keys.get(name, "")) in context.entities)
        if len(members) > 1 and _named(community, document.language):
            shown = tuple(context.ref(path, key) for key in list(members)[:4])
            count = context.words.n("count.entities", len(members))
            text = excerpt(community.description, 180)
            cards.append(CommunityCard(community.topics[0], graph, context.color(None), count, text, shown))
    merged = {community.name for community in context.collection.communities}
    known = all(card.name in merged for card in cards)
    return () if known else tuple(cards[:OWN_COMMUNITIES])


def _named(community: Community, language: str) -> bool:
    """Whether the source named a community: kgsite's own names follow from the members."""
    from kgsite.collection.grouping import topics

    members = [member.rpartition("::") for member in community.members]
    made = topics([name for name, _, _ in members], [kind for _, _, kind in members], language)
    return bool(community.topics) and community.topics != made


def _reader(context: SiteContext, path: SitePath, document: DocumentGraph) -> Later | None:
    """The whole text; what stands for it are the texts, and where their links and the names in them lead."""
    if not context.passages(document.id):
        return None
    resolve = context.resolver(path, document)
    key_of = context.collection.entity_of.get
    keys = [key_of(entity.id, "") for entity in document.entities]
    inputs = [
        context.title(document),
        document.text,
        context.passages(document.id),
        document.marks,
        [resolve(mark.href) for mark in document.marks if mark.kind == "link" and not is_external(mark.href)],
        [(e.name, e.aliases, key, context.look(key)) for e, key in zip(document.entities, keys, strict=True)],
        [(c.chunk.own_start, c.chunk.end, c.rephrase) for c in document.chunks if c.rephrase],
    ]
    return Later(inputs, partial(_made_reader, context, path, document, resolve))


def _made_reader(
    context: SiteContext, path: SitePath, document: DocumentGraph, resolve: Callable[[str], RelUrl | None]
) -> ReaderView | None:
    return reader(
        document.text,
        context.passages(document.id),
        document.marks,
        _mentions(context, path, document),
        document.chunks,
        title=context.title(document),
        first_heading=3,
        resolve=resolve,
    )


def _mentions(context: SiteContext, path: SitePath, document: DocumentGraph) -> list[Mention]:
    """Verified mentions as links: the first one of each entity in each block."""
    from kgsite.collection.mentions import mentions

    found: list[Mention] = []
    seen: set[tuple[int, str]] = set()
    for mention in mentions(document, context.collection):
        if mention.key not in context.entities:
            continue
        spot = (context.anchors.number(document.id, mention.start), mention.key)
        if spot in seen:
            continue
        seen.add(spot)
        ref = context.ref(path, mention.key)
        found.append(Mention(mention.start, mention.end, ref.href, f"{ref.name} · {ref.type}", ref.color))
    return found


def _downloads(context: SiteContext, path: SitePath, document: DocumentGraph) -> tuple[LinkView, ...]:
    words = context.words
    links = [
        LinkView(words.t("download.graph"), context.href(path, data_path(context, document.id)), "JSON"),
        LinkView(words.t("download.page"), context.href(path, urls.twin(path)), "JSON"),
    ]
    more = document_downloads(context.collection, document, context.settings)
    links += [LinkView(one.text, context.href(path, one.path), one.note) for one in more]
    return tuple(links)


def data_path(context: SiteContext, document: str) -> SitePath:
    """Where the document's graph file is published."""
    slug = context.addresses.documents[document].removeprefix("documents/").removesuffix("/index.html")
    return SitePath(f"data/documents/{slug}/graph.json")


def _made(context: SiteContext, document: DocumentGraph) -> str:
    """One sentence on how the graph was made."""
    made = document.provenance
    words = context.words
    how = extractor_words(context, made.extractor)
    parts = [words.t("made.by", how=how, model=f" ({made.model})" if made.model else "")] if how else []
    if made.changed:
        parts.append(words.t("made.changed", date=words.date(made.changed)))
    return " ".join(parts)


def extractor_words(context: SiteContext, name: str) -> str:
    """What an extractor is called in words."""
    family = name.split(":", maxsplit=1)[0]
    for key in (f"extractor.{name}", f"extractor.{family}"):
        if context.words.has(key):
            return context.words.t(key, name=name.partition(":")[2])
    return name


def _jsonld(context: SiteContext, document: DocumentGraph, title: str, url: str) -> dict[str, object]:
    path = context.addresses.documents[document.id]
    return {
        "@type": "CreativeWork",
        "name": title,
        "url": urls.absolute(context.settings.site.base_url, path),
        "inLanguage": document.language,
        "datePublished": document.meta.date,
        "dateModified": document.provenance.changed,
        "author": [{"@type": "Person", "name": name} for name in document.meta.authors],
        "license": license_url(document.meta.license or ""),
        "isBasedOn": url if urls.is_web(url) else None,
        "abstract": excerpt(document.summary, 400),
        "about": [{"@type": "Thing", "name": e.name} for e in context.entities_of_document[document.id][:8]],
    }
