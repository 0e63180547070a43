"""Files for machines: sitemap, robots, feed, llms.txt, CNAME, and the JSON twins of pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit
from xml.sax.saxutils import escape, quoteattr

import orjson

from kgsite.model import CollectionEntity, DocumentGraph, Fact, SitePath
from kgsite.site import urls
from kgsite.site.escape import to_json
from kgsite.site.views.context import SiteContext, excerpt
from kgsite.site.views.home import newest_first

SITEMAP_LIMIT = 50_000
"""URLs in one sitemap file. Source: sitemaps.org."""
FEED_ENTRIES = 50
_FACTS_KEPT = 20_000
_SHARED_HOSTS = (".github.io", ".gitlab.io", ".pages.dev", ".netlify.app", ".localhost")
_XML = '<?xml version="1.0" encoding="utf-8"?>\n'


def xml_text(text: str) -> str:
    """Escaped for XML 1.0; characters that XML can't hold become U+FFFD."""
    return escape("".join(c if _is_xml(ord(c)) else "\ufffd" for c in text))


def _is_xml(code: int) -> bool:
    return code in (9, 10, 13) or 32 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000


def sitemaps(base_url: str, pages: Sequence[tuple[SitePath, str]]) -> list[tuple[SitePath, bytes]]:
    """sitemap.xml for (page, last change as ISO date or ""); an index of shards above 50,000 pages."""
    shards = [pages[start : start + SITEMAP_LIMIT] for start in range(0, len(pages), SITEMAP_LIMIT)] or [pages]
    if len(shards) == 1:
        return [(SitePath("sitemap.xml"), _sitemap(base_url, shards[0]))]
    files = [(SitePath(f"sitemap-{n}.xml"), _sitemap(base_url, shard)) for n, shard in enumerate(shards, 1)]
    entries = "".join(f"<sitemap><loc>{urls.absolute(base_url, path)}</loc></sitemap>\n" for path, _ in files)
    index = f'{_XML}<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</sitemapindex>\n'
    return [(SitePath("sitemap.xml"), index.encode()), *files]


def _sitemap(base_url: str, pages: Iterable[tuple[SitePath, str]]) -> bytes:
    lines = [_XML, '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n']
    for path, changed in pages:
        date = f"<lastmod>{xml_text(changed)}</lastmod>" if changed else ""
        lines.append(f"<url><loc>{xml_text(str(urls.absolute(base_url, path)))}</loc>{date}</url>\n")
    lines.append("</urlset>\n")
    return "".join(lines).encode()


def robots(base_url: str) -> bytes:
    sitemap = f"Sitemap: {urls.absolute(base_url, 'sitemap.xml')}\n" if base_url else ""
    return f"User-agent: *\nAllow: /\n{sitemap}".encode()


def own_domain(base_url: str) -> str:
    """The domain for CNAME, which GitHub Pages serves whole; `""` when the site is not all of a domain of its own."""
    parts = urlsplit(base_url)
    host = (parts.hostname or "").rstrip(".")
    if "." not in host or f".{host}".endswith(_SHARED_HOSTS) or host.replace(".", "").isdigit():
        return ""
    return host if parts.path in ("", "/") and parts.port is None else ""


def feed(context: SiteContext) -> bytes:
    """Atom feed of the documents, newest first; dates are those on which a document's graph last changed.

    Entry ids are the documents' uuids, so a feed reader recognises an entry when the address moves.
    """
    site = context.settings.site
    home = urls.absolute(site.base_url, "index.html")
    documents = [d for d in newest_first(context.collection.documents) if d.provenance.changed][:FEED_ENTRIES]
    updated = documents[0].provenance.changed if documents else "1970-01-01"
    lines = [
        _XML,
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang={quoteattr(site.language)}>\n',
        f"<title>{xml_text(site.title)}</title>\n",
        f"<id>{xml_text(home) if home else 'urn:kgsite:' + xml_text(urls.encode(site.title))}</id>\n",
        f"<updated>{_instant(updated)}</updated>\n",
        f"<author><name>{xml_text(site.author or site.title)}</name></author>\n",
    ]
    if home:
        feed_url = urls.absolute(site.base_url, "feed.xml")
        lines.append(f'<link href={quoteattr(home)}/>\n<link rel="self" href={quoteattr(str(feed_url))}/>\n')
    lines += [_entry(context, document) for document in documents]
    lines.append("</feed>\n")
    return "".join(lines).encode("utf-8", "replace")


def _entry(context: SiteContext, document: DocumentGraph) -> str:
    path = context.addresses.documents[document.id]
    where = urls.absolute(context.settings.site.base_url, path) or urls.encode(path)
    made = document.provenance
    published = f"<published>{_instant(made.added)}</published>" if made.added else ""
    return (
        f"<entry><title>{xml_text(context.title(document))}</title><id>urn:uuid:{xml_text(document.id)}</id>"
        f"<link href={quoteattr(where)}/>{published}<updated>{_instant(made.changed)}</updated>"
        f"<summary>{xml_text(excerpt(document.summary or document.text, 400))}</summary></entry>\n"
    )


def _instant(date: str) -> str:
    return xml_text(date if "T" in date else f"{date}T00:00:00Z")


def llms_txt(context: SiteContext) -> bytes:
    """What a language model needs to use the site. Source: llmstxt.org."""
    site = context.settings.site
    words = context.words

    def where(path: str) -> str:
        return urls.absolute(site.base_url, path) or urls.encode(path)

    lines = [f"# {_line(site.title)}", "", f"> {_line(site.description or site.tagline or site.title)}", ""]
    lines += [
        words.n("count.documents", len(context.collection.documents))
        + ", "
        + words.n("count.entities", len(context.collection.entities))
        + ", "
        + words.n("count.relations", len(context.collection.facts))
        + ".",
        "",
        f"## {words.t('download.data')}",
        "",
        f"- [data/graph.json]({where('data/graph.json')})",
        "",
        f"## {words.t('nav.documents')}",
        "",
    ]
    for document in context.collection.documents[:200]:
        target = where(urls.twin(context.addresses.documents[document.id]))
        lines.append(f"- [{_line(context.title(document))}]({target}): {_line(excerpt(document.summary, 160))}")
    lines += ["", f"## {words.t('nav.entities')}", ""]
    for entity in context.by_degree[:100]:
        target = where(urls.twin(context.addresses.entities[entity.key]))
        lines.append(f"- [{_line(entity.name)}]({target}): {_line(words.type(entity.type))}")
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _line(text: str) -> str:
    return " ".join(text.split()).translate({ord("["): "(", ord("]"): ")"})


# ── JSON twins ────────────────────────────────────────────────────────────────────────────────────
def entity_twin(context: SiteContext, entity: CollectionEntity) -> bytes:
    """All that an entity's page says, as JSON. Links are paths from the site root."""
    facts = [*context.outgoing[entity.key], *context.incoming[entity.key]]
    return to_json(
        {
            "name": entity.name,
            "type": entity.type,
            "other_types": entity.other_types,
            "aliases": entity.aliases,
            "description": entity.descriptions[0][0] if entity.descriptions else "",
            "descriptions": [
                {"text": text, "document": _document_path(context, document)} for text, document in entity.descriptions
            ],
            "degree": entity.degree,
            "community": context.communities[entity.community].name
            if entity.community in context.communities
            else None,
            "attributes": dict(sorted(entity.attributes.items())),
            "documents": [_document_path(context, document) for document in entity.documents],
            "facts": [_fact(context, fact) for fact in facts],
        },
        indent=True,
    )


def _document_path(context: SiteContext, document: str) -> str | None:
    path = context.addresses.documents.get(document)
    return urls.encode(path.removesuffix("index.html")) if path else None


def _entity(context: SiteContext, key: str) -> dict[str, str]:
    name, kind, path, _ = context.look(key) or ("", "", "", "")
    return {"name": name, "type": kind, "href": urls.encode(path.removesuffix("index.html"))}


def _fact(context: SiteContext, fact: Fact) -> orjson.Fragment:
    """A fact as it stands in the list of a twin; kept, since it stands in those of both entities and each document."""
    kept = context.facts_in_twins
    data = kept.get(id(fact))
    if data is None:
        if len(kept) >= _FACTS_KEPT:
            kept.clear()
        data = kept[id(fact)] = _indented(_fact_record(context, fact))
    return orjson.Fragment(data)


def _indented(record: dict[str, object]) -> bytes:
    """JSON two levels inside a file; strings hold no line ends, they are escaped."""
    return to_json(record, indent=True).rstrip(b"\n").replace(b"\n", b"\n    ")


def _fact_record(context: SiteContext, fact: Fact) -> dict[str, object]:
    return {
        "subject": _entity(context, fact.source),
        "predicate": fact.predicate,
        "object": _entity(context, fact.target),
        "description": fact.description,
        "strength": fact.strength,
        "inferred": fact.inferred,
        "methods": fact.methods,
        "via": fact.via,
        "quotes": [
            {
                "text": item.evidence.text,
                "verified": item.evidence.verified,
                "page": item.evidence.page,
                "href": _passage(context, item.document, item.evidence.start),
            }
            for item in fact.evidence
        ],
    }


def _passage(context: SiteContext, document: str, start: int | None) -> str | None:
    path = _document_path(context, document)
    if path is None:
        return None
    anchor = context.anchors.anchor(document, start)
    return f"{path}#{anchor}" if anchor else path


def document_twin(context: SiteContext, document: DocumentGraph) -> bytes:
    """All that a document's page says, as JSON, without the graph itself (which is at `graph`)."""
    meta = document.meta
    slug_path = context.addresses.documents[document.id].removesuffix("index.html")
    return to_json(
        {
            "title": context.title(document),
            "summary": meta.summary or document.summary,
            "language": document.language,
            "date": meta.date,
            "authors": meta.authors,
            "url": meta.url or document.url,
            "license": meta.license,
            "tags": meta.tags,
            "added": document.provenance.added,
            "changed": document.provenance.changed,
            "extractor": document.provenance.extractor,
            "model": document.provenance.model,
            "graph": f"data/{urls.encode(slug_path)}graph.json",
            "entities": [_entity(context, entity.key) for entity in context.entities_of_document[document.id]],
            "facts": [_fact(context, fact) for fact in context.facts_of_document[document.id]],
            "passages": [
                {
                    "anchor": f"p{number}",
                    "kind": block.kind,
                    "page": block.page,
                    "text": document.text[block.start : block.end],
                }
                for number, block in enumerate(context.passages(document.id), 1)
            ],
        },
        indent=True,
    )
