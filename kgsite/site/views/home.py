"""The landing page: what this collection is, in ten seconds."""

from __future__ import annotations

from collections.abc import Sequence

from kgsite.model import Document, DocumentGraph, SitePath
from kgsite.site import urls
from kgsite.site.views import drawings, lists
from kgsite.site.views.context import EXPLORER, HOME, NAV, SiteContext
from kgsite.site.views.documents import content_text
from kgsite.site.views.records import LandingView, LinkView, Tile

DOCUMENTS = 9
COMMUNITIES = 6
TYPES = 6
ENTITIES_OF_TYPE = 6
NEWS = 5


def landing_page(context: SiteContext, landing: Document | None) -> LandingView:
    words = context.words
    documents = context.collection.documents
    site = context.settings.site
    shown = newest_first(documents)[:DOCUMENTS]
    rest = len(documents) - len(shown)
    return LandingView(
        page=context.page(
            HOME, "landing", site.title, site.description or site.tagline or _sentence(context), jsonld=_jsonld(context)
        ),
        lead=content_text(context, HOME, landing, site.title),
        tiles=_tiles(context),
        drawing=drawings.of_collection(context),
        graph_href=context.href(HOME, EXPLORER),
        sentence=_sentence(context),
        documents=tuple(lists.document_card(context, HOME, document) for document in shown),
        documents_href=context.href(HOME, NAV[0][1]),
        more_documents=words.n("all_documents", len(documents)) if rest > 0 else "",
        groups=lists.type_groups(context, HOME, context.by_degree, ENTITIES_OF_TYPE, TYPES),
        communities=tuple(
            lists.community_card(context, HOME, community)
            for community in context.collection.communities[:COMMUNITIES]
            if len(community.members) > 1
        ),
        communities_href=context.href(HOME, NAV[2][1]),
        news=_news(context, documents),
    )


def newest_first(documents: Sequence[DocumentGraph]) -> list[DocumentGraph]:
    """By the date their graph last changed, then by path."""
    ordered = sorted(documents, key=lambda d: d.provenance.source)
    return sorted(ordered, key=lambda d: d.provenance.changed, reverse=True)


def _tiles(context: SiteContext) -> tuple[Tile, ...]:
    words = context.words
    collection = context.collection
    counts: list[tuple[str, int, SitePath | None]] = [
        ("documents", len(collection.documents), NAV[0][1]),
        ("entities", len(collection.entities), NAV[1][1]),
        ("relations", len(collection.facts), EXPLORER),
        ("communities", len(collection.communities), NAV[2][1]),
        ("quotes", context.quotes[0], NAV[4][1]),
    ]
    return tuple(
        Tile(words.number(count), words.n(f"unit.{name}", count), context.href(HOME, target) if target else None)
        for name, count, target in counts
        if count
    )


def _sentence(context: SiteContext) -> str:
    """What the picture shows, in words: the number of themes, the largest, and who connects them.

    A theme is a community of two and more entities, as in the explorer (`isTheme` in static/js/summary.js).
    """
    words = context.words
    communities = [c for c in context.collection.communities if len(c.members) > 1]
    if not communities:
        return words.n("count.entities", len(context.collection.entities))
    largest = communities[0]
    text = words.n(
        "picture.themes",
        len(communities),
        entities=words.n("count.entities", len(largest.members)),
        name=lists.community_name(context, largest),
    )
    top = context.by_degree[0]
    reached = {
        context.entities[fact.target if fact.source == top.key else fact.source].community
        for fact in (*context.outgoing[top.key], *context.incoming[top.key])
    } & {community.id for community in communities}
    return f"{text} {words.n('picture.hub', len(reached), name=top.name)}" if len(reached) > 1 else text


def _news(context: SiteContext, documents: Sequence[DocumentGraph]) -> tuple[LinkView, ...]:
    words = context.words
    dated = [document for document in newest_first(documents) if document.provenance.changed]
    news: list[LinkView] = []
    for document in dated[:NEWS]:
        made = document.provenance
        key = "news.added" if made.added == made.changed else "news.changed"
        note = words.t(key, date=words.date(made.changed))
        news.append(context.document_link(HOME, document.id, note))
    return tuple(news)


def _jsonld(context: SiteContext) -> dict[str, object]:
    site = context.settings.site
    return {
        "@type": "Dataset",
        "name": site.title,
        "description": site.description or site.tagline or _sentence(context),
        "url": urls.absolute(site.base_url, HOME),
        "creator": {"@type": "Person", "name": site.author} if site.author else None,
        "license": site.license,
        "inLanguage": sorted({d.language for d in context.collection.documents if d.language}),
        "dateModified": context.info.generated,
        "distribution": {
            "@type": "DataDownload",
            "encodingFormat": "application/json",
            "contentUrl": urls.absolute(site.base_url, "data/graph.json") or "data/graph.json",
        },
    }
