"""Explorer pages: the drawing's data, and the same as tables for readers without it."""

from __future__ import annotations

from collections.abc import Sequence

from kgsite.model import CollectionCommunity, CollectionEntity, DocumentGraph, Fact, SitePath
from kgsite.site.escape import island_bytes
from kgsite.site.graphdata import EMBED_LIMIT, GraphData
from kgsite.site.views import facts, lists
from kgsite.site.views.communities import community_explorer
from kgsite.site.views.context import EXPLORER, HOME, NAV, SiteContext
from kgsite.site.views.records import ExplorerView, LinkView

MOST_ENTITIES = 500
MOST_RELATIONS = 1_000


def document_explorer(context: SiteContext, document: DocumentGraph) -> ExplorerView:
    path = context.addresses.explorers[document.id]
    entities = context.entities_of_document[document.id]
    data = context.graphs.document(document.id) if len(entities) <= EMBED_LIMIT else None
    own = context.facts_of_document[document.id]
    back = context.document_link(path, document.id)
    return _explorer(context, path, "document", context.title(document), back, data, entities, own, NAV[0][0])


def community_explorer_page(context: SiteContext, community: CollectionCommunity) -> ExplorerView:
    first = context.addresses.communities[community.id]
    path = community_explorer(first)
    members = [context.entities[key] for key in community.members if key in context.entities]
    keys = {entity.key for entity in members}
    inside = [fact for entity in members for fact in context.outgoing.get(entity.key, ()) if fact.target in keys]
    embed = len(members) <= EMBED_LIMIT and not context.graphs.is_map
    data = context.graphs.community(community) if embed else None
    name = lists.community_name(context, community)
    back = LinkView(name, context.href(path, first))
    return _explorer(context, path, "community", name, back, data, members, inside, NAV[2][0])


def collection_explorer(context: SiteContext) -> ExplorerView:
    entities = context.by_degree
    data = context.graphs.collection() if len(entities) <= EMBED_LIMIT else None
    site = context.settings.site.title
    back = LinkView(site, context.href(EXPLORER, HOME))
    return _explorer(context, EXPLORER, "collection", "", back, data, entities, context.collection.facts, NAV[3][0])


def _explorer(
    context: SiteContext,
    path: SitePath,
    scope: str,
    name: str,
    back: LinkView,
    data: GraphData | None,
    entities: Sequence[CollectionEntity],
    relations: Sequence[Fact],
    active: str,
) -> ExplorerView:
    words = context.words
    title = words.t("explorer.title", name=name) if name else words.t("explorer.collection")
    summary = words.t(
        "explorer.summary",
        entities=words.n("count.entities", len(entities)),
        relations=words.n("count.relations", len(relations)),
    )
    shown_entities = entities[:MOST_ENTITIES]
    shown_relations = relations[:MOST_RELATIONS]
    visualization = context.settings.visualization
    return ExplorerView(
        page=context.page(path, "explorer", title, f"{title}: {summary}", active=active),
        scope=scope,
        summary=summary,
        back=LinkView(words.t("explorer.back", name=back.text), back.href),
        graph_url=context.href(path, SitePath(path.removesuffix("index.html") + "data.json")),
        graph=island_bytes(data.graph_json()) if data else None,
        quotes=island_bytes(data.all_quotes_json()) if data else None,
        entities=context.refs(path, shown_entities, degrees=True),
        relations=tuple(facts.fact(context, path, item, quotes=0) for item in shown_relations),
        shown=_shown(context, len(shown_entities), len(entities), len(shown_relations), len(relations)),
        edge_labels=visualization.edge_labels,
        show_inferred=visualization.show_inferred,
        collapse_parallel=visualization.collapse_parallel_edges,
    )


def _shown(context: SiteContext, entities: int, all_entities: int, relations: int, all_relations: int) -> str:
    words = context.words
    parts = []
    if entities < all_entities:
        parts.append(words.t("explorer.shown", n=words.number(entities), total=words.number(all_entities)))
    if relations < all_relations:
        parts.append(words.t("explorer.shown_relations", n=words.number(relations), total=words.number(all_relations)))
    return " ".join(parts)
