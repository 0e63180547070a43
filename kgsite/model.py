"""The records that flow between the stages, in the order in which they come to life.

    Source → Document → Chunk → Extraction → DocumentGraph → Collection

All are frozen and slotted: a stage makes new records, it never edits those of another stage.
Text positions are offsets in characters (Unicode code points, half-open) into `Document.text`,
never bytes, tokens or UTF-16 units.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NewType

SourcePath = NewType("SourcePath", str)
"""Where a source lies below content/: POSIX separators, NFC, no leading slash (`reports/2024/a.pdf`)."""
Slug = NewType("Slug", str)
"""One segment of an address: not empty, safe on every file system, unique in its registry."""
SitePath = NewType("SitePath", str)
"""A file below the output root: `entities/ada/index.html`."""
RelUrl = NewType("RelUrl", str)
"""A link as it stands in a page: relative to that page, percent-encoded."""
AbsUrl = NewType("AbsUrl", str)
"""A whole http(s) URL."""

NAMESPACE = uuid.UUID("5a1f6c1e-0d3b-5e0a-9c53-6f1d6a4b7f10")
"""Root of every uuid5 that kgsite makes; changing it would renumber every committed graph."""

SourceKind = Literal["text", "markdown", "rst", "html", "pdf", "docx", "web", "graph"]
BlockKind = Literal["heading", "paragraph", "list", "quote", "code", "table", "footnote"]
MarkKind = Literal["link", "emphasis", "strong", "code"]
ChunkStatus = Literal["ok", "empty", "failed"]


# ── read ──────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a publisher states about a document: front matter of the file or its `*.toml` sidecar."""

    title: str | None = None
    date: str | None = None  # ISO 8601 date of the document, as stated: YYYY, YYYY-MM or YYYY-MM-DD
    language: str | None = None  # ISO 639-1
    authors: tuple[str, ...] = ()
    url: str | None = None  # where the original is published (http or https)
    license: str | None = None
    tags: tuple[str, ...] = ()
    draft: bool = False
    slug: str | None = None
    summary: str | None = None
    encoding: str | None = None  # of the file's bytes, when the publisher knows better than the guess
    extra: Mapping[str, str] = field(default_factory=dict)  # keys kgsite does not know, as text


@dataclass(frozen=True, slots=True)
class Source:
    """A file or URL found under content/: not opened yet, except to hash it."""

    path: SourcePath
    kind: SourceKind
    file: Path | None  # absolute; the listing file for kind "web"
    url: str | None = None  # kind "web" only
    size: int = 0  # bytes
    sha256: str = ""  # of the source's bytes and its sidecar's; for "web" of the URL and its settings
    meta: FrontMatter = field(default_factory=FrontMatter)  # sidecar over the file's own front matter
    warnings: tuple[str, ...] = ()  # about its front matter and sidecar; the reader passes them on


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph-like stretch of `Document.text`; blocks are in order and do not overlap."""

    start: int
    end: int
    kind: BlockKind
    level: int = 0  # heading 1–6; nesting depth of a list item from 1; else 0
    page: int | None = None  # from 1, where the source has pages
    section: str = ""  # headings above it, outermost first, joined by " › "
    ordered: bool = False  # list item of a numbered list
    cells: tuple[tuple[tuple[int, int], ...], ...] = ()  # table only: rows of (start, end); first row = header


@dataclass(frozen=True, slots=True)
class Mark:
    """Inline formatting inside one block."""

    start: int
    end: int
    kind: MarkKind
    href: str = ""  # kind "link": only http, https, mailto or relative, checked by the reader


@dataclass(frozen=True, slots=True)
class Document:
    """A source read as text. Blocks are separated by blank lines in `text`; nothing else is between them."""

    id: str  # uuid5 of the content path
    source: Source
    text: str  # NFC kept as in the source; no NUL, no C0 controls but tab and newline, no bidi overrides
    blocks: tuple[Block, ...]
    marks: tuple[Mark, ...] = ()
    title: str = ""  # front matter, else the source's own (first heading, PDF or HTML title), else ""
    language: str = ""  # ISO 639-1, from front matter or the source's own declaration; "" = to be detected
    meta: FrontMatter = field(default_factory=FrontMatter)  # sidecar over the file's own front matter
    n_pages: int | None = None
    warnings: tuple[str, ...] = ()  # sentences for the log and report.json, without the path


# ── extract ───────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of a document that one extraction request sees (GraphRAG's text unit)."""

    id: str  # uuid5 of document id and the chunk's own text, with an occurrence number where it repeats
    chunk_idx: int  # from 0
    text: str  # document.text[start:end], overlap with the chunk before included
    start: int
    end: int
    n_tokens: int
    page_number: int | None = None  # of the chunk's first own block
    section: str = ""
    own_start: int = 0  # where the text not shared with the chunk before begins; start ≤ own_start < end


@dataclass(frozen=True, slots=True)
class Evidence:
    """The verbatim passage that a relation was read from."""

    text: str
    chunk_id: str = ""
    start: int | None = None  # in Document.text; None when the quote was not found there
    end: int | None = None
    verified: bool = False  # the quote occurs in the source (after NFKC, ligature, hyphen, whitespace folding)
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing that a document names. Candidates of one chunk have id, chunk_ids and community still empty."""

    name: str  # as the text writes it
    type: str
    description: str = ""
    id: str = ""  # uuid5 of document id + folded name + type
    chunk_ids: tuple[str, ...] = ()
    community_id: int | None = None
    aliases: tuple[str, ...] = ()  # other names the document uses for it
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Relation:
    """A directed, typed statement about two entities, both named by (name, type)."""

    source: str
    source_type: str
    target: str
    target_type: str
    type: str  # the predicate: base-form verb or preposition phrase, "developed at"
    description: str = ""
    strength: float = 5.0  # 1–10
    id: str = ""
    chunk_ids: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    inferred: bool = False  # added by a named method, not found in the text
    method: str = ""  # llm_bridge, llm_hub, llm_within, taxonomy, transitive, lexical, …
    via: str = ""  # transitive only: the entity in the middle


@dataclass(frozen=True, slots=True)
class Community:
    """A densely connected group of entities in one document graph."""

    id: int
    topics: tuple[str, ...] = ()  # the first one is its name
    description: str = ""
    members: tuple[str, ...] = ()  # "name::type"


@dataclass(frozen=True, slots=True)
class ChunkExtraction:
    """What an extractor found in one chunk, before anything is merged."""

    chunk_id: str
    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    status: ChunkStatus = "ok"
    note: str = ""  # why it failed, or how the reply had to be read
    seconds: float = 0.0
    rephrase: str = ""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor says about one document: candidates by chunk, and texts if it writes any."""

    chunks: tuple[ChunkExtraction, ...]
    title: str = ""
    summary: str = ""
    entity_types: tuple[str, ...] = ()  # the schema offered, if there was one
    relation_types: tuple[str, ...] = ()
    reasoning: str = ""
    community_names: Mapping[int, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    usage: Mapping[str, int] = field(default_factory=dict)  # requests, prompt_tokens, completion_tokens, cached


@dataclass(frozen=True, slots=True)
class GraphSchema:
    """The types that a document graph uses, as the Knwler format stores them."""

    entity_types: tuple[str, ...] = ()
    relation_types: tuple[str, ...] = ()
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class GraphChunk:
    """A stored chunk: its span, its text and what was found in it."""

    chunk: Chunk
    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    status: ChunkStatus = "ok"
    rephrase: str = ""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a document graph came from; the `kgsite` object of the stored file."""

    source: SourcePath
    source_hash: str = ""
    settings_hash: str = ""
    extractor: str = ""  # "openai", "offline-en", "offline", "import:knwler-1.1", …
    model: str = ""
    added: str = ""  # ISO date on which the document first had a graph, under this path or one it had before
    changed: str = ""  # ISO date on which its source or settings hash last changed


@dataclass(frozen=True, slots=True)
class DocumentGraph:
    """The graph of one document: the unit that is stored in .kgsite/graphs/ and committed.

    It holds all that the site shows of the document (text, structure, metadata), so that a site can be
    built from committed graphs alone.
    """

    id: str
    title: str
    summary: str
    language: str  # ISO 639-1
    url: str | None
    schema: GraphSchema
    entities: tuple[Entity, ...]  # by folded name, then type
    relations: tuple[Relation, ...]  # by source, target, type
    communities: tuple[Community, ...]  # by id
    chunks: tuple[GraphChunk, ...]  # by chunk_idx
    provenance: Provenance
    text: str = ""  # restored from the chunks and blocks when loaded
    blocks: tuple[Block, ...] = ()
    marks: tuple[Mark, ...] = ()
    meta: FrontMatter = field(default_factory=FrontMatter)
    n_pages: int | None = None
    notes: tuple[str, ...] = ()  # what was repaired, dropped or doubtful: sentences for the document's page
    dropped: Mapping[str, int] = field(default_factory=dict)  # noise filter and repairs: reason → count


# ── merge ─────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class CollectionEntity:
    """A thing, merged over all documents that name it."""

    key: str  # identity in the collection: its folded name, plus "#n" when homonyms are kept apart
    slug: Slug
    name: str  # the spelling most documents use
    type: str  # the majority type
    other_types: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    descriptions: tuple[tuple[str, str], ...] = ()  # (description, document id), equal texts once
    documents: tuple[str, ...] = ()  # ids of the documents that name it, in collection order
    degree: int = 0  # different neighbours
    pagerank: float = 0.0
    betweenness: float = 0.0  # estimated above about 1,000 nodes
    community: int | None = None  # id of its CollectionCommunity
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FactEvidence:
    """A quote for a fact, with the document it comes from."""

    document: str  # document id
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation of the collection: same source, target and predicate over all documents."""

    source: str  # CollectionEntity.key
    target: str
    predicate: str
    documents: tuple[str, ...]
    strength: float = 5.0  # mean over the documents
    description: str = ""
    evidence: tuple[FactEvidence, ...] = ()
    inferred: bool = False  # True only when no document states it
    methods: tuple[str, ...] = ()  # of the inferred ones
    via: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CollectionCommunity:
    """A densely connected group of things in the whole collection."""

    id: int  # lasting: kept while the community lives
    slug: Slug
    name: str
    topics: tuple[str, ...]
    description: str
    members: tuple[str, ...]  # CollectionEntity.key, most connected first


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions of one graph: integers on a square of ±32,767, y downwards."""

    keys: tuple[str, ...]
    x: tuple[int, ...]
    y: tuple[int, ...]
    unit: int = 0  # discs of this radius times the node's relative size do not overlap; 0 = not known
    digest: str = ""  # of the graph it was made for: equal digests need no new layout


@dataclass(frozen=True, slots=True)
class Collection:
    """All document graphs merged: what the site shows."""

    documents: tuple[DocumentGraph, ...]  # by content path
    document_slugs: Mapping[str, Slug]  # document id → slug
    entities: tuple[CollectionEntity, ...]  # by slug
    facts: tuple[Fact, ...]  # by source, target, predicate
    communities: tuple[CollectionCommunity, ...]  # by id
    entity_of: Mapping[str, str]  # Entity.id of any document graph → CollectionEntity.key
    layouts: Mapping[str, Layout] = field(default_factory=dict)  # "collection", document id, "community/<slug>"
    redirects: Mapping[str, str] = field(default_factory=dict)  # former "entities/<slug>" → present one
    notes: tuple[str, ...] = ()
