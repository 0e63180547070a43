"""Facts → numbered citations with their quotes and links, and the JSON shape of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kgsite.ask.index import GraphIndex
from kgsite.ask.records import Answer, Citation, Quote, Retrieved
from kgsite.model import Fact, FactEvidence
from kgsite.site import urls
from kgsite.site.passages import Anchors

_MOST_QUOTES = 3
_LONGEST_QUOTE = 600


class Numbering:
    """Makes citations for one collection; links are those that the site gives its pages."""

    def __init__(self, index: GraphIndex) -> None:
        self._index = index
        self._anchors = Anchors(index.documents)

    def citation(self, n: int, fact: Fact) -> Citation:
        """A fact under number `n`; verified quotes first."""
        entities = self._index.entities
        ranked = sorted(
            (item for item in fact.evidence if item.evidence.text.strip()), key=lambda item: not item.evidence.verified
        )
        return Citation(
            n,
            entities[fact.source].name,
            " ".join(fact.predicate.replace("_", " ").split()),
            entities[fact.target].name,
            fact.source,
            fact.target,
            fact.inferred,
            fact.methods,
            tuple(entities[key].name if key in entities else key for key in fact.via),
            round(fact.strength, 2),
            tuple(self._quote(item) for item in ranked[:_MOST_QUOTES]),
            fact,
        )

    def _quote(self, item: FactEvidence) -> Quote:
        document = self._index.documents.get(item.document)
        evidence = item.evidence
        title = (document.title or document.meta.title or str(document.provenance.source)) if document else ""
        text = " ".join(evidence.text.split())[:_LONGEST_QUOTE]
        return Quote(text, title, item.document, evidence.page, evidence.verified, self._href(item) if document else "")

    def _href(self, item: FactEvidence) -> str:
        slug = self._index.collection.document_slugs.get(item.document)
        if slug is None:
            return ""
        anchor = self._anchors.anchor(item.document, item.evidence.start)
        return urls.encode(urls.document_page(slug)) + (f"#{anchor}" if anchor else "")

    def numbered(self, found: Retrieved, cited: Sequence[int] = ()) -> tuple[Citation, ...]:
        """All facts found, the cited ones first: `cited` are their numbers (from 1) in the order of their first use."""
        order = [number - 1 for number in cited]
        order += [at for at in range(len(found.facts)) if at + 1 not in set(cited)]
        return tuple(self.citation(n, found.facts[at].fact) for n, at in enumerate(order, 1))


# ── JSON ──────────────────────────────────────────────────────────────────────────────────────────
def as_json(answer: Answer, index: GraphIndex, *, facts: bool = True) -> dict[str, Any]:
    """An answer for programs. `citations` are the facts that the text cites, `facts` all that it could have cited."""
    value: dict[str, Any] = {
        "format": 1,
        "question": answer.question,
        "answer": answer.text,
        "mode": answer.mode,
        "reason": answer.reason,
        "seeds": [
            {
                "name": seed.name,
                "type": seed.type,
                "how": seed.how,
                "weight": round(seed.weight, 3),
                "href": _entity_href(index, seed.key),
            }
            for seed in answer.seeds
        ],
        "citations": [citation_json(citation, index) for citation in answer.citations],
        "facts": [citation_json(citation, index) for citation in answer.facts],
        "nearest": answer.nearest,
        "paths": [list(path) for path in answer.paths],
        "themes": [
            {
                "name": theme.name,
                "description": theme.description,
                "members": list(theme.members),
                "href": urls.encode(theme.page),
            }
            for theme in answer.themes
        ],
        "removed": dict(sorted(answer.removed.items())),
        "model": answer.model,
        "usage": answer.usage.as_json(),
        "warnings": list(answer.warnings),
    }
    if not facts:
        del value["facts"]
    return value


def citation_json(citation: Citation, index: GraphIndex) -> dict[str, Any]:
    """One numbered fact; `kind` is "extracted" or "inferred", never left open."""
    return {
        "n": citation.n,
        "subject": citation.subject,
        "predicate": citation.predicate,
        "object": citation.object,
        "kind": "inferred" if citation.inferred else "extracted",
        "methods": list(citation.methods),
        "via": list(citation.via),
        "strength": citation.strength,
        "href": _entity_href(index, citation.subject_key),
        "object_href": _entity_href(index, citation.object_key),
        "quotes": [
            {
                "text": quote.text,
                "document": quote.document,
                "page": quote.page,
                "verified": quote.verified,
                "href": quote.href,
            }
            for quote in citation.quotes
        ],
    }


def _entity_href(index: GraphIndex, key: str) -> str:
    entity = index.entities.get(key)
    return urls.encode(urls.entity_page(entity.slug)) if entity else ""
