"""The small drawings on pages, with their links resolved; None where there is nothing to draw or the theme wants none."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from markupsafe import Markup

from kgsite.site.views.context import HOME, SiteContext
from kgsite.site.views.records import Later

FEWEST = 2
"""Neighbours below which a drawing says no more than the sentence beside it."""


def of_entity(context: SiteContext, page: str, key: str) -> Later | None:
    """An entity and its neighbours, drawn only when the page is rendered: there are thousands of them."""
    if not context.draws or context.entities[key].degree < FEWEST:
        return None
    facts = (*context.outgoing[key], *context.incoming[key])
    inputs = [(f.source, f.target, f.predicate, f.inferred, len(f.documents)) for f in facts]
    others = {fact.target if fact.source == key else fact.source for fact in facts}
    looks = [
        (e.slug, e.name, e.type, e.degree, context.color(e.community))
        for e in (context.entities[other] for other in sorted(others | {key}))
    ]
    make: Callable[[], Markup | None] = partial(context.drawings.one_hop, key, href=partial(_entity, context, page))
    return Later((inputs, looks), make)


def of_card(context: SiteContext, document: str) -> Later | None:
    """A document's graph in small; it has no links and no names."""
    inputs = context.drawings.document_inputs(document) if context.draws else None
    return Later(inputs, partial(context.drawings.thumbnail, document)) if inputs else None


def of_document(context: SiteContext, document: str) -> Later | None:
    """A document's graph with its most connected names; it has no links."""
    inputs = context.drawings.document_inputs(document) if context.draws else None
    names = [(entity.key, entity.name) for entity in context.entities_of_document[document]]
    return Later((inputs, names), partial(context.drawings.document, document)) if inputs else None


def of_community(context: SiteContext, page: str, community: int) -> Markup | None:
    if not context.draws:
        return None
    return context.drawings.community(community, href=partial(_entity, context, page))


def of_collection(context: SiteContext) -> Markup | None:
    """The communities of the collection, for the landing page."""
    if not context.draws:
        return None

    def href(community: int) -> str:
        return context.href(HOME, context.addresses.communities[community])

    return context.drawings.overview(name=context.settings.site.title, href=href)


def _entity(context: SiteContext, page: str, key: str) -> str:
    return context.href(page, context.addresses.entities[key])
