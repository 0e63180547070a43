"""Data files of graphs: the downloads below `data/`, and what the explorer loads when its page does not embed it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial

from kgsite.model import (
    Collection,
    CollectionCommunity,
    Community,
    DocumentGraph,
    Entity,
    Evidence,
    GraphSchema,
    Provenance,
    Relation,
    SitePath,
    SourcePath,
)
from kgsite.site.escape import to_json
from kgsite.site.graphdata import EMBED_LIMIT, QUOTES_A_FILE, GraphData
from kgsite.site.records import DataFile
from kgsite.site.views.communities import community_explorer
from kgsite.site.views.context import EXPLORER, SiteContext
from kgsite.site.views.documents import data_path

DATA = "data.json"
"""The graph file of an explorer page that does not embed it, beside the page; quotes are in `q/` beside it."""


def files(context: SiteContext) -> Iterator[DataFile]:
    """All data files of graphs, with their addresses."""
    yield DataFile(SitePath("data/graph.json"), "data", partial(collection_graph, context))
    for document in context.collection.documents:
        yield DataFile(data_path(context, document.id), "data", partial(_dump, document), partial(_inputs, document))
        size = len(context.entities_of_document[document.id])
        if not is_embedded(size):
            make = _once(partial(context.graphs.document, document.id))
            yield from _explorer_files(context.addresses.explorers[document.id], make, size)
    yield from _community_files(context)
    size = len(context.collection.entities)
    if context.graphs.is_map:
        yield DataFile(_beside(EXPLORER, DATA), "data", lambda: _collection(context).graph_json())
    elif not is_embedded(size):
        yield from _explorer_files(EXPLORER, _once(partial(context.graphs.collection)), size)


def is_embedded(nodes: int) -> bool:
    """Whether an explorer page brings its graph itself and so works from disk."""
    return nodes <= EMBED_LIMIT


def _collection(context: SiteContext) -> GraphData:
    """The map; each community's file lies beside its own explorer page."""

    def where(community: CollectionCommunity) -> str:
        page = community_explorer(context.addresses.communities[community.id])
        return str(context.href(EXPLORER, _beside(page, DATA)))

    return context.graphs.collection(data=where)


def _community_files(context: SiteContext) -> Iterator[DataFile]:
    """Files of communities: all of them below a map (which opens them), else only the big ones."""
    for community in context.collection.communities:
        size = len(community.members)
        if context.graphs.is_map or not is_embedded(size):
            page = community_explorer(context.addresses.communities[community.id])
            yield from _explorer_files(page, _once(partial(context.graphs.community, community)), size)


def _explorer_files(page: SitePath, make: partial[GraphData], size: int) -> Iterator[DataFile]:
    yield DataFile(_beside(page, DATA), "data", lambda: make().graph_json())
    for number in range(-(-size // QUOTES_A_FILE)):
        yield DataFile(_beside(page, f"q/{number}.json"), "quotes", partial(_shard, make, number))


def _shard(make: partial[GraphData], number: int) -> bytes:
    data = make()
    return data.shard_json(number) if number in data.quotes else b"{}"


_recent = lru_cache(maxsize=1)(lambda make: make())
"""The last graph made: its files are written one after the other, and a second graph is never kept beside it."""


def _once(make: partial[GraphData]) -> partial[GraphData]:
    return partial(_recent, make)


def _beside(page: SitePath, name: str) -> SitePath:
    return SitePath(page.removesuffix("index.html") + name)


def _inputs(document: DocumentGraph) -> bytes:
    """All of a document graph as compact JSON: ten times quicker than the readable file."""
    return to_json(document, dict)


def _dump(document: DocumentGraph) -> bytes:
    from kgsite.graphfile import dump

    return dump(document)


# ── the collection in the native format ───────────────────────────────────────────────────────────
def collection_graph(context: SiteContext) -> bytes:
    """The whole collection as one graph file that readers of document graphs can read; without texts."""
    from kgsite.graphfile import dump

    site = context.settings.site
    return dump(as_graph(context.collection, site.title, site.description or site.tagline, site.language))


def _without_place(quote: Evidence) -> Evidence:
    return Evidence(quote.text, quote.chunk_id, verified=quote.verified, page=quote.page)


def as_graph(collection: Collection, title: str, summary: str, language: str) -> DocumentGraph:
    """A collection as one DocumentGraph: entities by their merged names, facts with all their quotes."""
    types = {entity.key: (entity.name, entity.type) for entity in collection.entities}
    entities = tuple(
        Entity(
            name=entity.name,
            type=entity.type,
            description=" ".join(text for text, _ in entity.descriptions),
            id=entity.slug,
            community_id=entity.community,
            aliases=entity.aliases,
            attributes=entity.attributes,
        )
        for entity in collection.entities
    )
    relations = tuple(
        Relation(
            source=types[fact.source][0],
            source_type=types[fact.source][1],
            target=types[fact.target][0],
            target_type=types[fact.target][1],
            type=fact.predicate,
            description=fact.description,
            strength=fact.strength,
            id=f"r{number}",
            evidence=tuple([_without_place(item.evidence) for item in fact.evidence]),
            inferred=fact.inferred,
            method=", ".join(fact.methods),
            via=", ".join(types[key][0] if key in types else key for key in fact.via),
        )
        for number, fact in enumerate(collection.facts)
        if fact.source in types and fact.target in types
    )
    communities = tuple(
        Community(
            id=community.id,
            topics=community.topics or (community.name,),
            description=community.description,
            members=tuple("::".join(types[key]) for key in community.members if key in types),
        )
        for community in collection.communities
    )
    schema = GraphSchema(
        tuple(sorted({entity.type for entity in collection.entities})),
        tuple(sorted({fact.predicate for fact in collection.facts})),
    )
    newest = max((d.provenance.changed for d in collection.documents), default="")
    provenance = Provenance(source=SourcePath(""), extractor="merge", changed=newest)
    return DocumentGraph(
        id="collection",
        title=title,
        summary=summary,
        language=language,
        url=None,
        schema=schema,
        entities=entities,
        relations=relations,
        communities=communities,
        chunks=(),
        provenance=provenance,
    )
