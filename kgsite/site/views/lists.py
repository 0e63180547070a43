"""Pieces that many pages share: cards, groups of entities, pagers."""

from __future__ import annotations

from collections.abc import Sequence

from kgsite.model import CollectionCommunity, CollectionEntity, DocumentGraph, RelUrl, SitePath
from kgsite.site.signs import type_shape
from kgsite.site.views import drawings
from kgsite.site.views.context import SiteContext, excerpt
from kgsite.site.views.records import CommunityCard, DocumentCard, EntityGroup, LinkView, Pager


def language_name(context: SiteContext, code: str) -> str:
    """A language in the site's words; its code when there is no word for it."""
    key = f"language.{code}"
    return context.words.t(key) if context.words.has(key) else code.upper()


def document_card(context: SiteContext, page: str, document: DocumentGraph, *, drawing: bool = True) -> DocumentCard:
    words = context.words
    entities = len(context.entities_of_document[document.id])
    facts = len(context.facts_of_document[document.id])
    return DocumentCard(
        title=context.title(document),
        href=context.href(page, context.addresses.documents[document.id]),
        graph_href=graph_href(context, page, document.id),
        summary=excerpt(document.summary or document.text, 220),
        date=words.date(document.meta.date) if document.meta.date else "",
        iso_date=document.meta.date or "",
        language=language_name(context, document.language) if document.language else "",
        kind="",
        counts=(words.n("count.entities", entities), words.n("count.relations", facts)),
        drawing=drawings.of_card(context, document.id) if drawing else None,
    )


def graph_href(context: SiteContext, page: str, document: str) -> RelUrl | None:
    """The explorer of a document; None where it would be empty."""
    if not context.entities_of_document[document]:
        return None
    return context.href(page, context.addresses.explorers[document])


def community_name(context: SiteContext, community: CollectionCommunity) -> str:
    return community.name or context.words.t("community.unnamed", n=community.id + 1)


def community_card(context: SiteContext, page: str, community: CollectionCommunity, members: int = 5) -> CommunityCard:
    known = [key for key in community.members if key in context.entities]
    return CommunityCard(
        name=community_name(context, community),
        href=context.href(page, context.addresses.communities[community.id]),
        color=context.color(community.id),
        count=context.words.n("count.entities", len(known)),
        description=excerpt(community.description, 180),
        members=tuple(context.ref(page, key) for key in known[:members]),
    )


def type_groups(
    context: SiteContext,
    page: str,
    entities: Sequence[CollectionEntity],
    most: int,
    types: int = 100,
    *,
    degrees: bool = True,
) -> tuple[EntityGroup, ...]:
    """Entities by type, largest types first, `most` of each."""
    by_type: dict[str, list[CollectionEntity]] = {}
    for entity in entities:
        by_type.setdefault(entity.type, []).append(entity)
    ordered = sorted(by_type.items(), key=lambda item: (-len(item[1]), item[0]))[:types]
    words = context.words
    return tuple(
        EntityGroup(
            label=words.type(name),
            anchor="",
            href=context.href(page, context.addresses.types[name]),
            shape=type_shape(name),
            count=words.n("count.entities", len(members)),
            entities=context.refs(page, members[:most], degrees=degrees),
            more=words.n("more", len(members) - most) if len(members) > most else "",
        )
        for name, members in ordered
    )


def page_path(first: SitePath, number: int) -> SitePath:
    """Page `number` (from 1) of the list that begins at `first` (…/index.html)."""
    return first if number == 1 else SitePath(first.removesuffix("index.html") + f"page-{number}.html")


def pager(context: SiteContext, first: SitePath, number: int, count: int) -> Pager | None:
    """Links between the pages of a list: the ends, and a window around the present one."""
    if count < 2:
        return None
    here = page_path(first, number)
    shown = sorted({1, count, *range(max(1, number - 3), min(count, number + 3) + 1)})
    links = tuple(
        LinkView(context.words.number(n), context.href(here, page_path(first, n)), current=n == number) for n in shown
    )
    return Pager(
        pages=links,
        previous=context.href(here, page_path(first, number - 1)) if number > 1 else None,
        next=context.href(here, page_path(first, number + 1)) if number < count else None,
        summary=context.words.t("pager_summary", n=context.words.number(number), total=context.words.number(count)),
    )
