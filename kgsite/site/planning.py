"""Collection → every page and file of the site, with their addresses; nothing is rendered or written here."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kgsite.config.settings import Settings
from kgsite.errors import PublishError
from kgsite.model import Collection, Document, DocumentGraph, SitePath
from kgsite.site import feeds, graphs, naming, urls
from kgsite.site.assets import collect_assets
from kgsite.site.downloads import download_files
from kgsite.site.links import Links, dead_links, leads
from kgsite.site.records import Asset, BuildInfo, DataFile, Page, SitePlan
from kgsite.site.theme import Theme
from kgsite.site.views import about, communities, documents, entities, explorer, home, lists, questions
from kgsite.site.views.context import EXPLORER, HOME, NAV, NOT_FOUND, QUESTIONS, SEARCH, Addresses, SiteContext, chunked

if TYPE_CHECKING:
    from kgsite.ask.records import Answer
    from kgsite.warm import Memory

SEARCH_INDEX = SitePath("search/index.js")
"""The file with which the search begins; a page loads it as a script, so that it works from disk."""


def plan(
    collection: Collection,
    settings: Settings,
    *,
    landing: Document | None,
    sections: Mapping[str, Document],
    theme: Theme,
    build_info: BuildInfo,
    answers: Sequence[Answer] = (),
    memory: Memory | None = None,
) -> SitePlan:
    """Settle all addresses, then list pages, data files and assets.

    Raises PublishError when two documents claim one address, ThemeError for static files that are missing.
    Views are made later, page by page, by the process that renders them.
    """
    collection = naming.shown(collection, settings.visualization, theme.words)
    registry = urls.PathRegistry()
    notes: list[str] = []
    fixed = [HOME, NOT_FOUND, SEARCH, SitePath("types/index.html"), *(target for _, target in NAV)]
    fixed += [QUESTIONS[1]] if answers else []
    for path in fixed:
        registry.claim(path, f"the page {path}")
    assets = _assets(theme, memory)
    for asset in assets:
        registry.claim(asset.path, f"the static file {asset.name}")
    addresses = _addresses(collection, sections, registry, notes)
    context = _context(collection, settings, theme, build_info, addresses, memory)
    context.asks = bool(answers)
    pages = [
        *_pages(context, landing, sections),
        *_question_pages(context, answers),
        *_redirects(context, registry, notes),
    ]
    files = [
        *_twins(context),
        *_question_twins(context, answers),
        *graphs.files(context),
        *download_files(collection, settings),
        *_search_files(context, notes),
    ]
    files += _machine_files(context, pages)
    _claim_rest(registry, pages, files, fixed)
    notes += _link_texts(context, landing, sections, [*(p.path for p in pages), *(f.path for f in files)], memory)
    return SitePlan(
        tuple(pages),
        tuple(files),
        assets,
        context.site(),
        theme.words,
        tuple(notes),
        full_text=settings.search.full_text,
    )


def _assets(theme: Theme, memory: Memory | None) -> tuple[Asset, ...]:
    """The static files of the theme; a theme that is still the same object has the same ones."""
    if memory is not None and memory.assets[0] is theme:
        return memory.assets[1]
    assets = collect_assets(theme)
    if memory is not None:
        memory.assets = (theme, assets)
    return assets


def _context(
    collection: Collection,
    settings: Settings,
    theme: Theme,
    info: BuildInfo,
    addresses: Addresses,
    memory: Memory | None,
) -> SiteContext:
    """What views read; that of the last build of this process when it is made of the same things."""
    draws = bool(theme.options.get("drawings", True))
    words = theme.words
    key = (settings, words.language, words.texts, info, addresses, draws)
    kept = memory.context if memory is not None and memory.context_key == key else None
    if kept is not None and kept.collection is collection:
        return kept
    context = SiteContext(collection, settings, words, info, addresses, draws=draws)
    if memory is not None:
        memory.context, memory.context_key = context, key
    return context


# ── addresses ─────────────────────────────────────────────────────────────────────────────────────
def _addresses(
    collection: Collection, sections: Mapping[str, Document], registry: urls.PathRegistry, notes: list[str]
) -> Addresses:
    document_paths: dict[str, SitePath] = {}
    explorer_paths: dict[str, SitePath] = {}
    for document in collection.documents:
        slug = collection.document_slugs[document.id]
        owner = f"document {document.provenance.source}"
        document_paths[document.id] = registry.claim(urls.document_page(slug), owner)
        explorer_paths[document.id] = registry.claim(urls.explorer_page(slug), owner)
    entity_paths: dict[str, SitePath] = {}
    for entity in collection.entities:
        wanted = urls.entity_page(entity.slug)
        owner = f"entity {entity.key}"
        path = registry.claim_free(wanted, owner, partial(_spelt, urls.entity_page, entity.slug))
        if path != wanted:
            notes.append(f"the address {wanted!r} was taken; {owner} has {path!r}")
        entity_paths[entity.key] = path
    community_paths = {
        community.id: registry.claim_free(
            urls.community_page(community.slug),
            f"community {community.id}",
            partial(_spelt, urls.community_page, community.slug),
        )
        for community in collection.communities
    }
    return Addresses(
        document_paths,
        explorer_paths,
        entity_paths,
        community_paths,
        _named(registry, sorted({entity.type for entity in collection.entities}), "types"),
        _named(registry, sorted(sections), "sections"),
    )


def _named(registry: urls.PathRegistry, names: list[str], folder: str) -> dict[str, SitePath]:
    """Addresses below `folder/` for names that have no remembered slug."""
    from kgsite.collection.slugs import slugify

    found: dict[str, SitePath] = {}
    for name in names:
        slug = slugify(name)
        spell = partial(_spelt, lambda text: SitePath(f"{folder}/{text}/index.html"), slug)
        found[name] = registry.claim_free(spell(""), f"{folder} {name}", spell)
    return found


def _spelt(page: Callable[[str], SitePath], slug: str, suffix: str) -> SitePath:
    """The address of a page whose slug carries a suffix."""
    return page(slug + suffix)


def _claim_rest(registry: urls.PathRegistry, pages: list[Page], files: list[DataFile], fixed: list[SitePath]) -> None:
    """Everything that has no address of its own yet: later pages of lists, twins, data."""
    taken = set(fixed) | {page.path for page in pages if page.kind in _SETTLED and page.path.endswith("/index.html")}
    rest = [(page.path, page.kind) for page in pages] + [(file.path, file.kind) for file in files]
    for path, kind in rest:
        if path not in taken:
            registry.claim(path, f"{kind} {path}")


_SETTLED = frozenset({"document", "explorer", "entity", "community", "type", "section", "moved"})


def _link_texts(
    context: SiteContext,
    landing: Document | None,
    sections: Mapping[str, Document],
    files: list[SitePath],
    memory: Memory | None,
) -> Iterator[str]:
    """Let the texts link to everything that the site will hold; yields a warning for each text with dead links.

    A page whose text has not changed is made anew when its links lead elsewhere: to a heading that another text got.
    """
    addresses = context.addresses
    texts: list[tuple[SitePath, Document | DocumentGraph]] = [(HOME, landing)] if landing else []
    texts += [(addresses.sections[folder], sections[folder]) for folder in sorted(addresses.sections)]
    texts += [(addresses.documents[document.id], document) for document in context.collection.documents]
    origins = {page: context.origin(page, text) for page, text in texts}
    sources = {folder: page for folder, page in addresses.sections.items() if folder}
    sources |= {unicodedata.normalize("NFC", origin.source): page for page, origin in origins.items()}
    before, context.links = context.links, Links(frozenset(files), sources, origins)
    for page, text in texts:
        origin, marks = origins[page], text.marks
        if memory is not None and leads(before, origin, marks) != leads(context.links, origin, marks):
            memory.forget(page)
        yield from dead_links(context.links, origin, marks)


# ── pages ─────────────────────────────────────────────────────────────────────────────────────────
def _pages(context: SiteContext, landing: Document | None, sections: Mapping[str, Document]) -> Iterator[Page]:
    yield Page(HOME, "landing.html", "landing", partial(home.landing_page, context, landing))
    yield from _document_pages(context, sections)
    yield from _entity_pages(context)
    yield from _community_pages(context)
    yield Page(EXPLORER, "explorer.html", "collection explorer", partial(explorer.collection_explorer, context))
    search_make = partial(about.search_page, context, SEARCH, SEARCH_INDEX)
    yield Page(SEARCH, "search.html", "search", search_make)
    yield Page(about.PATH, "about.html", "about", partial(about.about_page, context))
    yield Page(NOT_FOUND, "404.html", "404", partial(about.simple_page, context, NOT_FOUND, "missing"))


def _document_pages(context: SiteContext, sections: Mapping[str, Document]) -> Iterator[Page]:
    names = [
        (folder, sections[folder].title or sections[folder].meta.title or folder)
        for folder in sorted(sections)
        if folder and folder in context.addresses.sections
    ]
    ordered = sorted(context.collection.documents, key=lambda d: entities.sort_key(context.title(d)))
    yield from _document_list(context, NAV[0][1], ordered, None, names)
    for folder in sorted(context.addresses.sections):
        inside = [d for d in ordered if d.provenance.source.startswith(f"{folder}/")] if folder else ordered
        first = context.addresses.sections[folder]
        yield from _document_list(context, first, inside, (folder, sections[folder]), [])
    for document in context.collection.documents:
        path = context.addresses.documents[document.id]
        yield Page(path, "document.html", "document", partial(documents.document_page, context, document))
        path = context.addresses.explorers[document.id]
        yield Page(path, "explorer.html", "explorer", partial(explorer.document_explorer, context, document))


def _document_list(
    context: SiteContext,
    first: SitePath,
    members: list[DocumentGraph],
    section: tuple[str, Document] | None,
    names: list[tuple[str, str]],
) -> Iterator[Page]:
    pages = chunked(members, documents.PER_PAGE)
    for number in range(1, len(pages) + 1):
        make = partial(documents.documents_page, context, first, number, pages, section, names)
        kind = "section" if section else "documents"
        yield Page(lists.page_path(first, number), "documents.html", kind, make)


def _entity_pages(context: SiteContext) -> Iterator[Page]:
    pages = entities.pages_of(entities.alphabetical(context))
    letters = entities.letters_of(pages)
    for number in range(1, len(pages) + 1):
        make = partial(entities.entities_page, context, number, pages, letters)
        yield Page(lists.page_path(NAV[1][1], number), "entities.html", "entities", make)
    yield Page(SitePath("types/index.html"), "types.html", "types", partial(entities.types_page, context))
    for name, members in context.by_type.items():
        parts = entities.pages_of(members)
        for number in range(1, len(parts) + 1):
            path = lists.page_path(context.addresses.types[name], number)
            yield Page(path, "types.html", "type", partial(entities.type_page, context, name, number, parts))
    for entity in context.collection.entities:
        for number in range(1, entities.count_fact_pages(context, entity.key) + 1):
            path = lists.page_path(context.addresses.entities[entity.key], number)
            yield Page(path, "entity.html", "entity", partial(entities.entity_page, context, entity.key, number))


def _community_pages(context: SiteContext) -> Iterator[Page]:
    pages = communities.community_pages(context)
    for number in range(1, len(pages) + 1):
        path = lists.page_path(NAV[2][1], number)
        yield Page(
            path, "communities.html", "communities", partial(communities.communities_page, context, number, pages)
        )
    for community in context.collection.communities:
        first = context.addresses.communities[community.id]
        for number in range(1, len(communities.member_pages(context, community)) + 1):
            path = lists.page_path(first, number)
            make = partial(communities.community_page, context, community, number)
            yield Page(path, "community.html", "community", make)
        path = communities.community_explorer(first)
        yield Page(
            path, "explorer.html", "community explorer", partial(explorer.community_explorer_page, context, community)
        )


def _question_pages(context: SiteContext, answers: Sequence[Answer]) -> Iterator[Page]:
    if answers:
        yield Page(questions.PATH, "questions.html", "questions", partial(questions.questions_page, context, answers))


def _redirects(context: SiteContext, registry: urls.PathRegistry, notes: list[str]) -> Iterator[Page]:
    """A page at each former address (`entities/<slug>`), where no present page has it."""
    for former, present in sorted(context.collection.redirects.items()):
        target = SitePath(f"{present}/index.html")
        path = f"{former}/index.html"
        try:
            claimed = registry.claim(path, f"the former address {former}")
        except PublishError:
            notes.append(f"the former address {former!r} is used by another page now")
            continue
        make = partial(about.simple_page, context, claimed, "moved", target)
        yield Page(claimed, "moved.html", "moved", make)


# ── files ─────────────────────────────────────────────────────────────────────────────────────────
def _twins(context: SiteContext) -> Iterator[DataFile]:
    for document in context.collection.documents:
        path = context.addresses.documents[document.id]
        yield DataFile(urls.twin(path), "twin", partial(feeds.document_twin, context, document))
    for entity in context.collection.entities:
        path = context.addresses.entities[entity.key]
        yield DataFile(urls.twin(path), "twin", partial(feeds.entity_twin, context, entity))


def _question_twins(context: SiteContext, answers: Sequence[Answer]) -> Iterator[DataFile]:
    if answers:
        yield DataFile(urls.twin(questions.PATH), "twin", partial(questions.questions_twin, context, answers))


def _search_files(context: SiteContext, notes: list[str]) -> Iterator[DataFile]:
    from kgsite.site.search import search_index

    def entity(key: str) -> str:
        return urls.encode(context.addresses.entities[key])

    if context.search is None:  # it depends on nothing else, and takes long
        context.search = search_index(context.collection, label=context.words.type, title=context.title, entity=entity)
    index = context.search
    notes.extend(index.notes)
    for path, data in index.files.items():
        yield DataFile(SitePath(path), "search", partial(bytes, data))


def _machine_files(context: SiteContext, pages: list[Page]) -> Iterator[DataFile]:
    base_url = context.settings.site.base_url
    yield DataFile(SitePath(".nojekyll"), "feed", lambda: b"")
    yield DataFile(SitePath("robots.txt"), "feed", partial(feeds.robots, base_url))
    yield DataFile(SitePath("feed.xml"), "feed", partial(feeds.feed, context))
    yield DataFile(SitePath("llms.txt"), "feed", partial(feeds.llms_txt, context))
    domain = feeds.own_domain(base_url)
    if domain:
        yield DataFile(SitePath("CNAME"), "feed", f"{domain}\n".encode)
    if base_url:
        changed = {
            context.addresses.documents[document.id]: document.provenance.changed
            for document in context.collection.documents
        }
        listed = [(p.path, changed.get(p.path, "")) for p in pages if p.kind not in _UNLISTED]
        for path, data in feeds.sitemaps(base_url, listed):
            yield DataFile(path, "feed", partial(bytes, data))


_UNLISTED = frozenset({"404", "moved", "search"})
