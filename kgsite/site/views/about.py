"""About this graph: how it was made, what is in it, how far it can be trusted, how to cite it."""

from __future__ import annotations

from collections import Counter

from kgsite.model import SitePath
from kgsite.site import urls
from kgsite.site.downloads import collection_downloads
from kgsite.site.fulltext import ENTRY as FULL_TEXT
from kgsite.site.views import lists
from kgsite.site.views.context import HOME, NAV, SiteContext
from kgsite.site.views.documents import extractor_words
from kgsite.site.views.records import AboutRow, AboutTable, AboutView, LinkView, SearchView, SimpleView

PATH = NAV[4][1]
MOST_DOCUMENTS = 500


def about_page(context: SiteContext) -> AboutView:
    words = context.words
    site = context.settings.site
    tables = (_made(context), _counts(context), _quality(context), _licences(context))
    return AboutView(
        page=context.page(PATH, "about", words.t("about.title"), words.t("about.intro"), active=NAV[4][0]),
        intro=words.t("about.intro"),
        tables=tuple(table for table in tables if table.rows),
        documents=tuple(
            AboutRow(
                context.title(document),
                " · ".join(
                    part
                    for part in (
                        document.meta.license or "",
                        extractor_words(context, document.provenance.extractor),
                        document.provenance.model,
                        words.date(document.provenance.changed) if document.provenance.changed else "",
                    )
                    if part
                ),
                context.href(PATH, context.addresses.documents[document.id]),
            )
            for document in context.collection.documents[:MOST_DOCUMENTS]
        ),
        cite=_cite(context),
        notes=context.collection.notes[:100],
        data=tuple(
            LinkView(one.path, context.href(PATH, one.path), one.note) for one in collection_downloads(context.settings)
        ),
        repository=site.repository if urls.is_web(site.repository) else "",
    )


def _made(context: SiteContext) -> AboutTable:
    words = context.words
    info = context.info
    rows = [
        AboutRow(_capital(extractor_words(context, name)), words.n("count.documents", count))
        for name, count in info.extractors.items()
    ]
    rows += [
        AboutRow(words.t("about.model", name=name), words.n("count.documents", count))
        for name, count in info.models.items()
    ]
    if info.generated:
        rows.append(AboutRow(words.t("about.changed"), words.date(info.generated)))
    if info.version:
        rows.append(AboutRow(words.t("about.version"), f"kgsite {info.version}"))
    return AboutTable(words.t("about.made"), tuple(rows))


def _counts(context: SiteContext) -> AboutTable:
    words = context.words
    collection = context.collection
    inferred = sum(fact.inferred for fact in collection.facts)
    rows = [
        AboutRow(_capital(words.n("unit.documents", 2)), words.number(len(collection.documents))),
        AboutRow(_capital(words.n("unit.entities", 2)), words.number(len(collection.entities))),
        AboutRow(_capital(words.n("unit.types", 2)), words.number(len(context.by_type))),
        AboutRow(words.t("about.stated"), words.number(len(collection.facts) - inferred)),
        AboutRow(words.t("about.inferred"), words.number(inferred)),
        *_methods(context),
        AboutRow(_capital(words.n("unit.communities", 2)), words.number(len(collection.communities))),
    ]
    return AboutTable(words.t("about.counts"), tuple(rows))


def _methods(context: SiteContext) -> list[AboutRow]:
    """How many relations each method of inference added."""
    words = context.words
    counts = Counter(method for fact in context.collection.facts if fact.inferred for method in fact.methods)
    return [
        AboutRow(
            _capital(words.t("fact.inferred_by", method=_method(context, method))),
            words.number(count),
        )
        for method, count in sorted(counts.items())
    ]


def _method(context: SiteContext, name: str) -> str:
    return context.words.t(f"method.{name}") if context.words.has(f"method.{name}") else name.replace("_", " ")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _quality(context: SiteContext) -> AboutTable:
    words = context.words
    verified, total = context.quotes
    facts = context.collection.facts
    quoted = sum(any(item.evidence.verified for item in fact.evidence) for fact in facts)
    rows = [
        AboutRow(
            words.t("quality.verified"),
            f"{words.number(verified)} / {words.number(total)} ({words.percent(verified, total)})",
        ),
        AboutRow(
            words.t("quality.quoted"),
            f"{words.number(quoted)} / {words.number(len(facts))} ({words.percent(quoted, len(facts))})",
        ),
    ]
    dropped: dict[str, int] = {}
    failed = 0
    for document in context.collection.documents:
        failed += sum(chunk.status == "failed" for chunk in document.chunks)
        for reason, count in document.dropped.items():
            dropped[reason] = dropped.get(reason, 0) + count
    rows += [
        AboutRow(words.t("quality.dropped", reason=reason.replace("_", " ")), words.number(count))
        for reason, count in sorted(dropped.items())
    ]
    if failed:
        rows.append(AboutRow(words.t("quality.failed"), words.number(failed)))
    return AboutTable(words.t("about.quality"), tuple(rows))


def _licences(context: SiteContext) -> AboutTable:
    words = context.words
    counts: dict[str, int] = {}
    for document in context.collection.documents:
        name = document.meta.license or words.t("license_unknown")
        counts[name] = counts.get(name, 0) + 1
    rows = (
        [AboutRow(words.t("license_collection"), context.settings.site.license)]
        if context.settings.site.license
        else []
    )
    rows += [AboutRow(name, words.n("count.documents", count)) for name, count in sorted(counts.items())]
    return AboutTable(words.t("about.licenses"), tuple(rows) if context.collection.documents else ())


def _cite(context: SiteContext) -> str:
    site = context.settings.site
    date = f" {context.words.date(context.info.generated)}." if context.info.generated else ""
    where = urls.absolute(site.base_url, HOME)
    return f"{site.author + '. ' if site.author else ''}{site.title}.{date}{f' {where}' if where else ''}"


def search_page(context: SiteContext, path: SitePath, index: SitePath) -> SearchView:
    words = context.words
    return SearchView(
        page=context.page(path, "search", words.t("search.title"), words.t("search.intro"), noindex=True),
        index_url=context.href(path, index),
        entities_href=context.href(path, NAV[1][1]),
        groups=lists.type_groups(context, path, context.by_degree, 12, 8),
        full_text=context.href(path, SitePath(FULL_TEXT)) if context.settings.search.full_text else None,
    )


def simple_page(context: SiteContext, path: SitePath, kind: str, target: SitePath | None = None) -> SimpleView:
    """The page at a former address (`kind` "moved")."""
    words = context.words
    title = words.t(f"{kind}.title")
    page = context.page(path, kind, title, title, noindex=True)
    href = context.href(path, target) if target else None
    return SimpleView(page, href, words.t("moved.link") if target else "")
