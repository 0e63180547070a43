"""Facts as sentences, with their quotes and links to the passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from kgsite.model import DocumentGraph, Fact, FactEvidence, RelUrl
from kgsite.site.phrasing import spoken
from kgsite.site.views.context import SiteContext, excerpt
from kgsite.site.views.records import FactGroup, FactView, Later, QuoteView

MOST_QUOTES = 3
"""Quotes shown with one fact; the rest is counted."""
_LONGEST_QUOTE = 600


def passage_href(context: SiteContext, page: str, item: FactEvidence) -> RelUrl | None:
    """The link to the passage that a quote was read from; to the document when the place is unknown."""
    target = context.addresses.documents.get(item.document)
    if target is None:
        return None
    return context.href(page, target, context.anchors.anchor(item.document, item.evidence.start))


def quote(context: SiteContext, page: str, item: FactEvidence) -> QuoteView:
    document = context.documents.get(item.document)
    number = item.evidence.page
    return QuoteView(
        text=excerpt(item.evidence.text, _LONGEST_QUOTE),
        href=passage_href(context, page, item),
        document=_named(context, page, document),
        page=context.words.t("page.short", n=number) if number is not None else "",
        verified=item.evidence.verified,
    )


def _named(context: SiteContext, page: str, document: DocumentGraph | None) -> str:
    """What a link to a passage is called: the document, or "in the text" on the document's own page."""
    if document is None:
        return ""
    own = context.addresses.documents.get(document.id) == page
    return context.words.t("quote.here") if own else context.title(document)


def inferred_words(context: SiteContext, fact: Fact) -> str:
    """How a fact was inferred, in words; `""` for one that a document states."""
    if not fact.inferred:
        return ""
    words = context.words
    names = [
        words.t(f"method.{method}") if words.has(f"method.{method}") else method.replace("_", " ")
        for method in fact.methods
    ]
    text = words.t("fact.inferred_by", method=", ".join(names)) if names else words.t("fact.inferred")
    via = ", ".join(context.entities[key].name if key in context.entities else key for key in fact.via)
    return f"{text}, {words.t('fact.via', name=via)}" if via else text


def fact(context: SiteContext, page: str, item: Fact, *, quotes: int = MOST_QUOTES) -> FactView:
    """One fact; verified quotes first."""
    shown = _quotes(context, page, item, quotes) if quotes else ()
    rest = len(item.evidence) - quotes if shown else 0
    words = context.words
    return FactView(
        subject=context.ref(page, item.source),
        predicate=_spoken(context, item) or words.t("fact.related"),
        object=context.ref(page, item.target),
        description=item.description,
        inferred=inferred_words(context, item),
        documents=words.n("in_documents", len(item.documents)) if len(item.documents) > 1 else "",
        quotes=shown,
        more_quotes=words.n("more_quotes", rest) if rest > 0 else "",
    )


def later(context: SiteContext, page: str, items: Sequence[Fact], *, quotes: int) -> Later:
    """These facts, made when they are shown."""

    def make() -> tuple[FactView, ...]:
        return tuple(fact(context, page, item, quotes=quotes) for item in items)

    return Later([context.said(item) for item in items], make)


def _quotes(context: SiteContext, page: str, item: Fact, most: int) -> tuple[QuoteView, ...]:
    evidence: Sequence[FactEvidence] = item.evidence
    if len(evidence) > 1:
        evidence = sorted(evidence, key=lambda e: not e.evidence.verified)[:most]
    return tuple([quote(context, page, e) for e in evidence if e.evidence.text.strip()])


def _spoken(context: SiteContext, item: Fact) -> str:
    """The predicate in words, as it follows its subject in the language of its documents."""
    languages = {context.documents[d].language for d in item.documents if d in context.documents}
    language = languages.pop() if len(languages) == 1 else ""
    return _phrase(item.predicate, context.entities[item.source].name, language)


@lru_cache(maxsize=1 << 15)
def _phrase(predicate: str, subject: str, language: str) -> str:
    return spoken(" ".join(predicate.replace("_", " ").split()), subject, language)


def grouped(
    context: SiteContext, page: str, outgoing: Sequence[Fact], incoming: Sequence[Fact]
) -> tuple[FactGroup, ...]:
    """Facts by predicate: outgoing first, then incoming; the predicates with most facts first."""
    groups: list[FactGroup] = []
    for facts, is_incoming in ((outgoing, False), (incoming, True)):
        by_predicate: dict[str, list[Fact]] = {}
        for item in facts:
            by_predicate.setdefault(item.predicate, []).append(item)
        ordered = sorted(by_predicate.items(), key=lambda entry: (-len(entry[1]), entry[0]))
        for predicate, members in ordered:
            views = tuple(fact(context, page, item) for item in members)
            count = context.words.n("count.relations", len(members)) if len(members) > 1 else ""
            groups.append(FactGroup(views[0].predicate or predicate, is_incoming, count, views))
    return tuple(groups)


def telling(context: SiteContext, facts: Iterable[Fact], most: int) -> list[Fact]:
    """The facts that say most: stated, quoted, strong, between well connected entities; two of a subject at most."""

    def weight(item: Fact) -> tuple[bool, bool, float, str, str, str]:
        verified = any(e.evidence.verified for e in item.evidence)
        rank = context.entities[item.source].degree + context.entities[item.target].degree
        score = round(item.strength * (1 + min(rank, 60)) * (1 + 0.5 * min(len(item.documents), 4)), 6)
        return item.inferred, not verified, -score, item.source, item.target, item.predicate

    chosen: list[Fact] = []
    seen: dict[str, int] = {}
    pairs: set[tuple[str, ...]] = set()
    for item in sorted(facts, key=weight):
        pair = tuple(sorted((item.source, item.target)))
        if seen.get(item.source, 0) >= 2 or pair in pairs:
            continue
        seen[item.source] = seen.get(item.source, 0) + 1
        pairs.add(pair)
        chosen.append(item)
        if len(chosen) == most:
            break
    return chosen
