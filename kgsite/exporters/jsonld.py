"""JSON-LD 1.1 in the words of schema.org and SKOS; each fact once as a triple and once reified with its quotes.

`@id`s are the site's own addresses. While the site has none ([site] base_url), they are `urn:kgsite:` names.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from kgsite.config.settings import Settings
from kgsite.exporters.table import Edge, Node, Quote, Table, Text
from kgsite.model import DocumentGraph
from kgsite.site.urls import is_web

_TYPES = {
    "person": "schema:Person",
    "organization": "schema:Organization",
    "organisation": "schema:Organization",
    "company": "schema:Organization",
    "place": "schema:Place",
    "location": "schema:Place",
    "event": "schema:Event",
    "product": "schema:Product",
    "work": "schema:CreativeWork",
}
_SAME_AS = ("same_as", "sameas", "wikidata", "wikipedia")
_CONTEXT: dict[str, Any] = {
    "schema": "https://schema.org/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "name": "schema:name",
    "alternateName": "schema:alternateName",
    "description": "schema:description",
    "sameAs": {"@id": "schema:sameAs", "@type": "@id"},
    "subjectOf": {"@id": "schema:subjectOf", "@type": "@id"},
    "prefLabel": "skos:prefLabel",
    "altLabel": "skos:altLabel",
    "member": {"@id": "skos:member", "@type": "@id"},
    "subject": {"@id": "rdf:subject", "@type": "@id"},
    "predicate": {"@id": "rdf:predicate", "@type": "@id"},
    "object": {"@id": "rdf:object", "@type": "@id"},
    "citation": "schema:citation",
    "text": "schema:text",
    "isPartOf": {"@id": "schema:isPartOf", "@type": "@id"},
    "page": "schema:pagination",
    "inLanguage": "schema:inLanguage",
    "license": "schema:license",
    "url": {"@id": "schema:url", "@type": "@id"},
}


def write(table: Table, settings: Settings) -> dict[str, bytes]:
    """One document with an `@graph`."""
    from kgsite.site.escape import to_json

    names = _Names(settings.site.base_url, table)
    context = {**_CONTEXT, **names.terms}
    graph = [
        *(_document(text, names) for text in table.texts),
        *(_entity(node, names) for node in table.nodes),
        *(_relations(table, names)),
        *(_statement(edge, names) for edge in table.edges),
        *(_community(group.id, group.name, group.description, group.members, names) for group in table.groups),
        *(
            {"@id": names.predicate(label), "@type": "rdf:Property", "prefLabel": label}
            for label in sorted({edge.predicate for edge in table.edges})
        ),
    ]
    return {"graph.jsonld": to_json({"@context": context, "@graph": graph}, indent=True)}


class _Names:
    """Every `@id` of the file."""

    def __init__(self, base_url: str, table: Table) -> None:
        self._base = base_url.rstrip("/") + "/" if base_url else "urn:kgsite:"
        self._vocabulary = f"{self._base}vocabulary#" if base_url else "urn:kgsite:vocabulary:"
        self._paths = {node.id: node.path for node in table.nodes}
        self._texts = {text.id: text for text in table.texts}
        self._scope = table.texts[0].id if isinstance(table.subject, DocumentGraph) else ""
        self.terms = {
            "inferred": {"@id": f"{self._vocabulary}inferred", "@type": "xsd:boolean"},
            "method": f"{self._vocabulary}method",
            "via": f"{self._vocabulary}via",
            "strength": {"@id": f"{self._vocabulary}strength", "@type": "xsd:double"},
            "verified": {"@id": f"{self._vocabulary}verified", "@type": "xsd:boolean"},
        }

    def _place(self, path: str) -> str:
        return self._base + quote(path.rstrip("/"), safe="/") + ("/" if self._base.startswith("http") else "")

    def entity(self, number: str) -> str:
        return self._place(self._paths.get(number) or f"entities/{number}")

    def document(self, number: str) -> str:
        text = self._texts.get(number)
        return self._place(text.path if text and text.path else f"documents/{number}")

    def community(self, number: int) -> str:
        return self._place(f"communities/{self._scope}/{number}" if self._scope else f"communities/{number}")

    def fact(self, edge: Edge) -> str:
        return f"{self._vocabulary}fact-{quote(edge.id, safe='')}"

    def predicate(self, label: str) -> str:
        return self._vocabulary + "p-" + quote("-".join(label.split()) or "related", safe="")


def _document(text: Text, names: _Names) -> dict[str, Any]:
    graph = text.graph
    made: dict[str, Any] = {"@id": names.document(text.id), "@type": "schema:CreativeWork", "name": text.title}
    if graph.language:
        made["inLanguage"] = graph.language
    if graph.meta.license:
        made["license"] = graph.meta.license
    if is_web(graph.url):
        made["url"] = _iri(str(graph.url))
    return made


def _entity(node: Node, names: _Names) -> dict[str, Any]:
    own = _TYPES.get(node.type.casefold(), "schema:DefinedTerm")
    made: dict[str, Any] = {
        "@id": names.entity(node.id),
        "@type": [own, "skos:Concept"],
        "name": node.name,
        "prefLabel": node.name,
        "schema:additionalType": node.type,
    }
    if node.aliases:
        made["alternateName"] = made["altLabel"] = list(node.aliases)
    if node.description:
        made["description"] = node.description
    same = [_iri(url) for key in _SAME_AS for url in node.attributes.get(key, "").split() if is_web(url)]
    if same:
        made["sameAs"] = sorted(set(same))
    made["subjectOf"] = [names.document(number) for number in node.document_ids]
    return made


def _relations(table: Table, names: _Names) -> list[dict[str, Any]]:
    """The facts as plain triples, by subject."""
    found: dict[str, dict[str, list[dict[str, str]]]] = {}
    for edge in table.edges:
        target = {"@id": names.entity(edge.target)}
        targets = found.setdefault(edge.source, {}).setdefault(names.predicate(edge.predicate), [])
        if target not in targets:
            targets.append(target)
    return [{"@id": names.entity(source), **facts} for source, facts in found.items()]


def _statement(edge: Edge, names: _Names) -> dict[str, Any]:
    made: dict[str, Any] = {
        "@id": names.fact(edge),
        "@type": "rdf:Statement",
        "subject": names.entity(edge.source),
        "predicate": names.predicate(edge.predicate),
        "object": names.entity(edge.target),
        "inferred": edge.inferred,
        "strength": float(edge.strength),
    }
    for key in ("description", "method", "via"):
        if getattr(edge, key):
            made[key] = getattr(edge, key)
    if edge.quotes:
        made["citation"] = [_quotation(found, names) for found in edge.quotes]
    return made


def _quotation(found: Quote, names: _Names) -> dict[str, Any]:
    made: dict[str, Any] = {
        "@type": "schema:Quotation",
        "text": found.text,
        "isPartOf": names.document(found.document),
        "verified": found.verified,
    }
    if found.page is not None:
        made["page"] = str(found.page)
    return made


def _community(number: int, label: str, description: str, members: tuple[str, ...], names: _Names) -> dict[str, Any]:
    made: dict[str, Any] = {"@id": names.community(number), "@type": "skos:Collection", "prefLabel": label}
    if description:
        made["description"] = description
    made["member"] = [names.entity(member) for member in members]
    return made


def _iri(url: str) -> str:
    """A URL with what an IRI may not hold percent-encoded."""
    return quote(url, safe=":/?#[]@!$&'()*+,;=%-._~")
