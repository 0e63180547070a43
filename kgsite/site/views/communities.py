"""Communities: the list, and one page for each."""

from __future__ import annotations

from collections.abc import Sequence

from kgsite.model import CollectionCommunity, CollectionEntity, SitePath
from kgsite.site.views import drawings, facts, lists
from kgsite.site.views.context import NAV, SiteContext, chunked
from kgsite.site.views.records import CommunitiesView, CommunityView, EntityGroup

PER_PAGE = 100
MEMBERS_PER_PAGE = 200
KEY_FACTS = 6


def community_pages(context: SiteContext) -> list[Sequence[CollectionCommunity]]:
    return chunked(context.collection.communities, PER_PAGE)


def member_pages(context: SiteContext, community: CollectionCommunity) -> list[Sequence[CollectionEntity]]:
    members = [context.entities[key] for key in community.members if key in context.entities]
    return chunked(members, MEMBERS_PER_PAGE)


def communities_page(
    context: SiteContext, number: int, pages: Sequence[Sequence[CollectionCommunity]]
) -> CommunitiesView:
    first = NAV[2][1]
    path = lists.page_path(first, number)
    words = context.words
    count = words.n("count.communities", len(context.collection.communities))
    return CommunitiesView(
        page=context.page(path, "communities", words.t("nav.communities"), count, active=NAV[2][0], noindex=number > 1),
        summary=words.t("communities.summary", count=count),
        communities=tuple(lists.community_card(context, path, community, 8) for community in pages[number - 1]),
        pager=lists.pager(context, first, number, len(pages)),
    )


def community_page(context: SiteContext, community: CollectionCommunity, number: int = 1) -> CommunityView:
    first = context.addresses.communities[community.id]
    path = lists.page_path(first, number)
    words = context.words
    pages = member_pages(context, community)
    members = set(community.members)
    inside = [f for key in community.members for f in context.outgoing.get(key, ()) if f.target in members]
    summary = words.t(
        "community.summary",
        entities=words.n("count.entities", sum(len(page) for page in pages)),
        relations=words.n("count.relations", len(inside)),
    )
    name = lists.community_name(context, community)
    return CommunityView(
        page=context.page(
            path,
            "community",
            name,
            community.description or f"{name}: {summary}",
            active=NAV[2][0],
            noindex=number > 1,
        ),
        color=context.color(community.id),
        summary=summary,
        description=community.description,
        topics=tuple(topic for topic in community.topics if topic != name),
        drawing=drawings.of_community(context, path, community.id) if number == 1 else None,
        graph_href=context.href(path, community_explorer(first)),
        groups=_groups(context, path, pages[number - 1]),
        key_facts=tuple(facts.fact(context, path, item, quotes=1) for item in facts.telling(context, inside, KEY_FACTS))
        if number == 1
        else (),
        pager=lists.pager(context, first, number, len(pages)),
    )


def community_explorer(page: SitePath) -> SitePath:
    """The explorer of the community whose page is `page`."""
    return SitePath(page.removesuffix("index.html") + "graph/index.html")


def _groups(context: SiteContext, path: SitePath, members: Sequence[CollectionEntity]) -> tuple[EntityGroup, ...]:
    return lists.type_groups(context, path, members, MEMBERS_PER_PAGE)
