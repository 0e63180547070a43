"""Entity pages, A–Z, and lists by type."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import partial
from urllib.parse import urlencode

from kgsite.model import CollectionEntity, Fact, RelUrl, SitePath
from kgsite.site import urls
from kgsite.site.signs import type_shape
from kgsite.site.views import drawings, facts, lists
from kgsite.site.views.context import NAV, SiteContext, chunked, excerpt
from kgsite.site.views.documents import urls_host
from kgsite.site.views.records import (
    DescriptionView,
    EntitiesView,
    EntityGroup,
    EntityView,
    Later,
    LinkView,
    TypeListView,
)

PER_PAGE = 200
FACTS_PER_PAGE = 200
_SAME_AS = ("same_as", "sameas", "wikidata", "wikipedia")


def fact_pages(context: SiteContext, key: str) -> list[Sequence[Fact]]:
    """All facts of an entity, outgoing first, in pages; one empty page when there are none."""
    return chunked([*context.outgoing[key], *context.incoming[key]], FACTS_PER_PAGE)


def entity_page(context: SiteContext, key: str, number: int = 1) -> EntityView:
    """The page of one entity; `number` is the page of its facts, from 1."""
    entity = context.entities[key]
    first = context.addresses.entities[key]
    path = lists.page_path(first, number)
    words = context.words
    pages = fact_pages(context, key)
    shown = pages[number - 1]
    total = len(context.outgoing[key]) + len(context.incoming[key])
    summary = _summary(context, entity, total)
    description = entity.descriptions[0][0] if entity.descriptions else ""
    label = words.type(entity.type)
    drawing = drawings.of_entity(context, path, key) if number == 1 else None
    return EntityView(
        page=context.page(
            path,
            "entity",
            entity.name,
            capital(description) or f"{label}. {summary}",
            active=NAV[1][0],
            twin=urls.twin(first),
            jsonld=_jsonld(context, entity, description) if number == 1 else None,
            noindex=number > 1,
        ),
        type=context.type(path, entity.type),
        other_types=tuple(words.type(name) for name in entity.other_types),
        aliases=tuple(alias for alias in entity.aliases if alias != entity.name),
        descriptions=_descriptions(context, path, entity),
        community=_community(context, path, entity),
        color=context.color(entity.community),
        summary=summary,
        groups=_groups(context, path, key, shown),
        pager=lists.pager(context, first, number, len(pages)),
        documents=_documents(context, path, entity),
        attributes=tuple(
            (name.replace("_", " "), value) for name, value in sorted(entity.attributes.items()) if name not in _SAME_AS
        ),
        same_as=tuple(LinkView(urls_host(url), RelUrl(url)) for url in same_as(entity)),
        drawing=drawing,
        drawing_caption=words.n("drawing.neighbours", min(entity.degree, 40), name=entity.name),
        graph_href=RelUrl(f"{context.href(path, NAV[3][1])}#node={urls.encode(entity.slug)}"),
        cite=_cite(context, entity, first),
        report_href=_report_href(context, entity, first),
        first=number == 1,
    )


def _groups(context: SiteContext, path: SitePath, key: str, shown: Sequence[Fact]) -> Later:
    outgoing, incoming = [f for f in shown if f.source == key], [f for f in shown if f.source != key]
    inputs = [context.said(item) for item in (*outgoing, *incoming)]
    return Later([len(outgoing), inputs], partial(facts.grouped, context, path, outgoing, incoming))


def same_as(entity: CollectionEntity) -> list[str]:
    """URLs of the same thing elsewhere, from imported attributes."""
    found: list[str] = []
    for name in _SAME_AS:
        for url in entity.attributes.get(name, "").split():
            if urls.is_web(url) and url not in found:
                found.append(url)
    return found


def _summary(context: SiteContext, entity: CollectionEntity, total: int) -> str:
    words = context.words
    return words.t(
        "entity.summary",
        relations=words.n("count.relations", total),
        entities=words.n("with_entities", entity.degree),
        documents=words.n("in_documents", len(entity.documents)),
    )


def _descriptions(context: SiteContext, path: SitePath, entity: CollectionEntity) -> tuple[DescriptionView, ...]:
    several = len(entity.descriptions) > 1
    return tuple(
        DescriptionView(
            capital(text), context.document_link(path, document) if several and document in context.documents else None
        )
        for text, document in entity.descriptions
        if text.strip()
    )


def capital(text: str) -> str:
    """A phrase as a sentence begins; a word with a capital inside (`iPhone`) keeps its own spelling."""
    first = text.split(maxsplit=1)[0] if text.split() else ""
    return text[:1].upper() + text[1:] if first == first.lower() else text


def _community(context: SiteContext, path: SitePath, entity: CollectionEntity) -> LinkView | None:
    target = context.addresses.communities.get(entity.community) if entity.community is not None else None
    if target is None or entity.community is None:
        return None
    community = context.communities[entity.community]
    return LinkView(lists.community_name(context, community), context.href(path, target))


def _documents(context: SiteContext, path: SitePath, entity: CollectionEntity) -> Later:
    counts: dict[str, int] = {}
    for item in (*context.outgoing[entity.key], *context.incoming[entity.key]):
        for document in item.documents:
            counts[document] = counts.get(document, 0) + 1
    named = [(document, counts.get(document, 0)) for document in entity.documents if document in context.documents]
    inputs = [(context.named(document), count) for document, count in named]
    return Later(inputs, partial(_document_links, context, path, named))


def _document_links(context: SiteContext, path: SitePath, named: Sequence[tuple[str, int]]) -> tuple[LinkView, ...]:
    n = context.words.n
    return tuple(context.document_link(path, document, n("count.relations", count)) for document, count in named)


def _cite(context: SiteContext, entity: CollectionEntity, path: SitePath) -> str:
    """A reference in plain words: name, site, address or path, date of the graphs."""
    site = context.settings.site
    where = urls.absolute(site.base_url, path) or urls.encode(path.removesuffix("index.html"))
    date = f", {context.words.date(context.info.generated)}" if context.info.generated else ""
    author = f"{site.author}. " if site.author else ""
    return f"“{entity.name}”. {author}{site.title}{date}. {where}"


def _report_href(context: SiteContext, entity: CollectionEntity, path: SitePath) -> str:
    """Where a reader reports an error: a prefilled issue on GitHub, else the repository; `""` without one."""
    repository = context.settings.site.repository.rstrip("/")
    if not urls.is_web(repository):
        return ""
    if not repository.lower().startswith("https://github.com/"):
        return repository
    where = urls.absolute(context.settings.site.base_url, path) or path
    title = context.words.t("report.title", name=excerpt(entity.name, 80))
    body = context.words.t("report.body", url=where)
    query = urlencode({"title": title, "body": body}, errors="replace")
    return f"{repository}/issues/new?{query}"


_SCHEMA_TYPES = {
    "person": "Person",
    "organization": "Organization",
    "place": "Place",
    "location": "Place",
    "event": "Event",
    "product": "Product",
    "work": "CreativeWork",
}


def _jsonld(context: SiteContext, entity: CollectionEntity, description: str) -> dict[str, object]:
    return {
        "@type": _SCHEMA_TYPES.get(entity.type.lower(), "Thing"),
        "name": entity.name,
        "alternateName": list(entity.aliases),
        "description": excerpt(description, 400),
        "url": urls.absolute(context.settings.site.base_url, context.addresses.entities[entity.key]),
        "sameAs": same_as(entity),
    }


# ── lists ─────────────────────────────────────────────────────────────────────────────────────────
def sort_key(name: str) -> tuple[str, str]:
    """Alphabetical order without accents and case; what is no letter comes first."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    return bare.lstrip(" \"'“”«»‘’()[]{}<>-–—.,;:!?/\\*#&@"), name


def letter_of(name: str) -> str:
    """The heading of a name in A–Z: its first letter (of any script), `#` for digits and signs."""
    bare = sort_key(name)[0]
    return bare[0].upper()[:1] if bare and bare[0].isalpha() else "#"


def alphabetical(context: SiteContext) -> list[CollectionEntity]:
    return sorted(
        context.collection.entities,
        key=lambda e: (letter_of(e.name) != "#", letter_of(e.name), *sort_key(e.name), e.slug),
    )


def letters_of(pages: Sequence[Sequence[CollectionEntity]]) -> dict[str, int]:
    """Letter → number of the page where it begins."""
    found: dict[str, int] = {}
    for number, page in enumerate(pages, 1):
        for entity in page:
            found.setdefault(letter_of(entity.name), number)
    return found


def anchor_of_letter(letter: str) -> str:
    return (
        "l-" + "-".join(f"{ord(c):x}" for c in letter)
        if not letter.isascii() or letter == "#"
        else f"l-{letter.lower()}"
    )


def entities_page(
    context: SiteContext, number: int, pages: Sequence[Sequence[CollectionEntity]], letters: dict[str, int]
) -> EntitiesView:
    """Page `number` of A–Z."""
    first = NAV[1][1]
    path = lists.page_path(first, number)
    words = context.words
    summary = words.n("count.entities", len(context.collection.entities))
    return EntitiesView(
        page=context.page(path, "entities", words.t("nav.entities"), summary, active=NAV[1][0], noindex=number > 1),
        summary=summary,
        letters=tuple(
            LinkView(letter, context.href(path, lists.page_path(first, start), anchor_of_letter(letter)))
            for letter, start in letters.items()
        ),
        types=tuple(context.type(path, name, counted=True) for name in list(context.by_type)[:40]),
        groups=_by_letter(context, path, pages[number - 1], letters, number),
        pager=lists.pager(context, first, number, len(pages)),
    )


def _by_letter(
    context: SiteContext, path: SitePath, entities: Sequence[CollectionEntity], letters: dict[str, int], number: int
) -> tuple[EntityGroup, ...]:
    groups: dict[str, list[CollectionEntity]] = {}
    for entity in entities:
        groups.setdefault(letter_of(entity.name), []).append(entity)
    return tuple(
        EntityGroup(
            label=letter,
            anchor=anchor_of_letter(letter) if letters.get(letter) == number else "",
            href=None,
            shape=-1,
            count="",
            entities=context.refs(path, members, degrees=True),
        )
        for letter, members in groups.items()
    )


def type_page(
    context: SiteContext, name: str, number: int, pages: Sequence[Sequence[CollectionEntity]]
) -> TypeListView:
    """Page `number` of the entities of one type, most connected first."""
    first = context.addresses.types[name]
    path = lists.page_path(first, number)
    words = context.words
    members = context.by_type[name]
    named = ", ".join(entity.name for entity in members[:3])
    in_documents = words.n("in_documents", len({document for entity in members for document in entity.documents}))
    summary = f"{words.n('count.entities', len(members))} {in_documents}. {words.t('types.most', names=named)}"
    title = words.type(name)
    refs = context.refs(path, pages[number - 1], degrees=True)
    return TypeListView(
        page=context.page(path, "type", title, f"{title}: {summary}", active=NAV[1][0], noindex=number > 1),
        summary=summary,
        types=tuple(context.type(path, other, counted=True) for other in list(context.by_type)[:40]),
        shape=type_shape(name),
        groups=(EntityGroup("", "", None, -1, "", refs),),
        pager=lists.pager(context, first, number, len(pages)),
    )


def types_page(context: SiteContext) -> TypeListView:
    """All types with their most connected entities."""
    path = SitePath("types/index.html")
    words = context.words
    summary = words.n("count.types", len(context.by_type))
    return TypeListView(
        page=context.page(path, "types", words.t("types.title"), summary, active=NAV[1][0]),
        summary=summary,
        types=(),
        shape=-1,
        groups=lists.type_groups(context, path, context.by_degree, 8, types=500),
        pager=None,
    )


def pages_of(members: Sequence[CollectionEntity]) -> list[Sequence[CollectionEntity]]:
    return chunked(members, PER_PAGE)


def count_fact_pages(context: SiteContext, key: str) -> int:
    total = len(context.outgoing.get(key, ())) + len(context.incoming.get(key, ()))
    return max(1, -(-total // FACTS_PER_PAGE))
