"""Explorer pages: the drawing's data, and the same as tables for readers without it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import partial

from kgsite.model import CollectionCommunity, CollectionEntity, DocumentGraph, Fact, SitePath
from kgsite.site.escape import island_bytes, to_json
from kgsite.site.graphdata import EMBED_LIMIT, GraphData, strength_of
from kgsite.site.views import facts, lists
from kgsite.site.views.communities import community_explorer
from kgsite.site.views.context import EXPLORER, HOME, NAV, SiteContext
from kgsite.site.views.records import ExplorerView, Later, LinkView

MOST_ENTITIES = 500
MOST_RELATIONS = 1_000


def document_explorer(context: SiteContext, document: DocumentGraph) -> ExplorerView:
    path = context.addresses.explorers[document.id]
    entities = context.entities_of_document[document.id]
    embed = len(entities) <= EMBED_LIMIT
    own = context.facts_of_document[document.id]
    groups = context.parts[document.id].communities
    named = [(community.id, community.topics[:1]) for community in document.communities]
    inputs = _graph_inputs(context, entities, own, document.id, (context.named(document.id), groups, named))
    data = (inputs, partial(context.graphs.document, document.id))
    back = context.document_link(path, document.id)
    return _explorer(
        context, path, "document", context.title(document), back, data if embed else None, entities, own, NAV[0][0]
    )


def community_explorer_page(context: SiteContext, community: CollectionCommunity) -> ExplorerView:
    first = context.addresses.communities[community.id]
    path = community_explorer(first)
    members = [context.entities[key] for key in community.members if key in context.entities]
    keys = {entity.key for entity in members}
    inside = [fact for entity in members for fact in context.outgoing.get(entity.key, ()) if fact.target in keys]
    embed = len(members) <= EMBED_LIMIT and not context.graphs.is_map
    inputs = _graph_inputs(context, members, inside, f"community/{community.slug}", (community.name, community.slug))
    data = (inputs, partial(context.graphs.community, community))
    name = lists.community_name(context, community)
    back = LinkView(name, context.href(path, first))
    return _explorer(context, path, "community", name, back, data if embed else None, members, inside, NAV[2][0])


def collection_explorer(context: SiteContext) -> ExplorerView:
    entities = context.by_degree
    embed = len(entities) <= EMBED_LIMIT
    named = [(community.id, community.name, community.slug) for community in context.collection.communities]
    inputs = _graph_inputs(context, entities, context.collection.facts, "collection", named)
    data = (inputs, context.graphs.collection)
    site = context.settings.site.title
    back = LinkView(site, context.href(EXPLORER, HOME))
    return _explorer(
        context,
        EXPLORER,
        "collection",
        "",
        back,
        data if embed else None,
        entities,
        context.collection.facts,
        NAV[3][0],
    )


def _explorer(
    context: SiteContext,
    path: SitePath,
    scope: str,
    name: str,
    back: LinkView,
    data: tuple[str, Callable[[], GraphData]] | None,
    entities: Sequence[CollectionEntity],
    relations: Sequence[Fact],
    active: str,
) -> ExplorerView:
    words = context.words
    graph, quotes = _islands(*data) if data else (None, None)
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
        graph=graph,
        quotes=quotes,
        entities=context.refs(path, shown_entities, degrees=True),
        relations=facts.later(context, path, shown_relations, quotes=0),
        shown=_shown(context, len(shown_entities), len(entities), len(shown_relations), len(relations)),
        edge_labels=visualization.edge_labels,
        show_inferred=visualization.show_inferred,
        collapse_parallel=visualization.collapse_parallel_edges,
    )


def _graph_inputs(
    context: SiteContext, entities: Sequence[CollectionEntity], relations: Sequence[Fact], layout: str, more: object
) -> str:
    """A digest of all that a graph file is made of."""
    place = context.collection.layouts.get(layout)
    slugs: dict[int | None, str] = {one.id: one.slug for one in context.collection.communities}
    nodes = [(e.key, e.slug, context.look(e.key), e.aliases, e.community, slugs.get(e.community)) for e in entities]
    edges = [
        (f.source, f.target, context.said(f), strength_of(f), [item.evidence.chunk_id for item in f.evidence])
        for f in relations
    ]
    where = place and (place.keys, place.x, place.y, place.unit)
    return hashlib.sha256(to_json([nodes, edges, where, more])).hexdigest()


def _islands(inputs: str, make: Callable[[], GraphData]) -> tuple[Later, Later]:
    """The data islands of the graph and of its quotes, of which the graph itself is made once."""
    made = Later(inputs, make)
    return (
        Later(inputs, lambda: island_bytes(made.graph_json())),
        Later(inputs, lambda: island_bytes(made.all_quotes_json())),
    )


def _shown(context: SiteContext, entities: int, all_entities: int, relations: int, all_relations: int) -> str:
    words = context.words
    parts = []
    if entities < all_entities:
        parts.append(words.t("explorer.shown", n=words.number(entities), total=words.number(all_entities)))
    if relations < all_relations:
        parts.append(words.t("explorer.shown_relations", n=words.number(relations), total=words.number(all_relations)))
    return " ".join(parts)
