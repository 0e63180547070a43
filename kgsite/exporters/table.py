"""One graph as rows: what every flat format (GraphML, CSV, Cypher, …) is written from.

A collection gives its merged things and facts, a document graph its own entities and relations. All that is unsafe
in every format (control characters, lone surrogates) is cleaned here, once.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kgsite.config.settings import Settings
from kgsite.model import Collection, DocumentGraph, Entity, Evidence, Layout, Relation

_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""What XML 1.0 forbids or discourages, and what is never text: each becomes U+FFFD."""


@dataclass(frozen=True, slots=True)
class Node:
    """An entity."""

    id: str  # unique in the table
    name: str
    type: str
    description: str = ""
    community: int | None = None
    community_name: str = ""
    degree: int = 0  # different neighbours in this graph
    aliases: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()  # titles
    document_ids: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    path: str = ""  # of its page, from the site root; "" when it has none
    place: tuple[int, int] | None = None  # in the layout, y downwards
    other_types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote for an edge."""

    text: str
    document: str  # id
    chunk: str = ""
    page: int | None = None
    start: int | None = None
    end: int | None = None
    verified: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation between two nodes of the table."""

    id: str
    source: str
    target: str
    predicate: str
    description: str = ""
    strength: float = 5.0
    inferred: bool = False
    method: str = ""
    via: str = ""
    quotes: tuple[Quote, ...] = ()
    documents: tuple[str, ...] = ()  # titles
    document_ids: tuple[str, ...] = ()
    chunks: tuple[str, ...] = ()  # ids


@dataclass(frozen=True, slots=True)
class Group:
    """A community."""

    id: int
    name: str
    topics: tuple[str, ...]
    description: str
    members: tuple[str, ...]  # node ids
    path: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A document that the graph was read from."""

    id: str
    title: str
    path: str  # of its page, from the site root
    graph: DocumentGraph


class Directory:
    """Addresses and places that a site gives to the entities of its documents; made once for many exports."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self._slugs = {entity.key: str(entity.slug) for entity in collection.entities}

    def of_document(self, graph: DocumentGraph) -> dict[str, tuple[str, tuple[int, int] | None]]:
        """Entity id → (path of its page, place in the document's drawing)."""
        places = _places(self.collection.layouts.get(graph.id))
        keys = {entity.id: self.collection.entity_of.get(entity.id, "") for entity in graph.entities}
        return {
            number: (f"entities/{self._slugs[key]}/", places.get(key))
            for number, key in keys.items()
            if key in self._slugs
        }


@dataclass(frozen=True, slots=True)
class Table:
    """A whole graph."""

    title: str
    description: str
    language: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    groups: tuple[Group, ...]
    texts: tuple[Text, ...]
    subject: Collection | DocumentGraph
    directory: Directory | None  # of the collection that the subject is or is part of
    dangling: int = 0  # relations left out because an end is no entity


def clean(text: str) -> str:
    """`text` without characters that no format can hold."""
    return text if text.isascii() and text.isprintable() else _CONTROLS.sub("\ufffd", text)


def title_of(graph: DocumentGraph) -> str:
    """What a document is called."""
    return clean(graph.meta.title or graph.title or str(graph.provenance.source) or graph.id)


def table_of(subject: Collection | DocumentGraph, settings: Settings, directory: Directory | None = None) -> Table:
    """The rows of a collection or of one document graph."""
    if isinstance(subject, Collection):
        return _of_collection(subject, settings, directory or Directory(subject))
    return _of_document(subject, directory)


# ── a collection ──────────────────────────────────────────────────────────────────────────────────
def _of_collection(collection: Collection, settings: Settings, directory: Directory) -> Table:
    titles = {graph.id: title_of(graph) for graph in collection.documents}
    slugs = {entity.key: str(entity.slug) for entity in collection.entities}
    facts = [fact for fact in collection.facts if fact.source in slugs and fact.target in slugs]
    degrees = _degrees((slugs[fact.source], slugs[fact.target]) for fact in facts)
    names = {community.id: clean(community.name) for community in collection.communities}
    places = _places(collection.layouts.get("collection"))
    names_of = {entity.key: clean(entity.name) for entity in collection.entities}
    nodes = tuple(
        Node(
            id=clean(entity.slug),
            name=clean(entity.name),
            type=clean(entity.type),
            description=clean("\n".join(text for text, _ in entity.descriptions)),
            community=entity.community,
            community_name=names.get(entity.community, "") if entity.community is not None else "",
            degree=degrees[entity.slug],
            aliases=tuple(clean(alias) for alias in entity.aliases),
            documents=tuple(titles[one] for one in entity.documents if one in titles),
            document_ids=tuple(one for one in entity.documents if one in titles),
            attributes=_clean_map(entity.attributes),
            path=f"entities/{entity.slug}/",
            place=places.get(entity.key),
            other_types=tuple(clean(name) for name in entity.other_types),
        )
        for entity in collection.entities
    )
    edges = tuple(
        Edge(
            id=_fact_id(slugs[fact.source], fact.predicate, slugs[fact.target]),
            source=clean(slugs[fact.source]),
            target=clean(slugs[fact.target]),
            predicate=clean(fact.predicate),
            description=clean(fact.description),
            strength=fact.strength,
            inferred=fact.inferred,
            method=clean(", ".join(fact.methods)),
            via=clean(", ".join(names_of.get(key, key) for key in fact.via)),
            quotes=tuple(_quote(item.evidence, item.document) for item in fact.evidence),
            documents=tuple(titles[one] for one in fact.documents if one in titles),
            document_ids=tuple(one for one in fact.documents if one in titles),
            chunks=tuple(dict.fromkeys(item.evidence.chunk_id for item in fact.evidence if item.evidence.chunk_id)),
        )
        for fact in facts
    )
    groups = tuple(
        Group(
            community.id,
            clean(community.name),
            tuple(clean(topic) for topic in community.topics),
            clean(community.description),
            tuple(clean(slugs[key]) for key in community.members if key in slugs),
            f"communities/{community.slug}/",
        )
        for community in collection.communities
    )
    site = settings.site
    return Table(
        clean(site.title),
        clean(site.description or site.tagline),
        site.language,
        nodes,
        edges,
        groups,
        tuple(_text(graph, directory) for graph in collection.documents),
        collection,
        directory,
        len(collection.facts) - len(facts),
    )


# ── a document ────────────────────────────────────────────────────────────────────────────────────
def _of_document(graph: DocumentGraph, directory: Directory | None) -> Table:
    ids = _node_ids(graph.entities)
    ends = _ends(graph.entities, ids)
    pairs = [(relation, _end(ends, relation, "source"), _end(ends, relation, "target")) for relation in graph.relations]
    kept = [(relation, source, target) for relation, source, target in pairs if source and target]
    degrees = _degrees((source, target) for _, source, target in kept)
    groups = _groups(graph, ends, ids)
    names = {group.id: group.name for group in groups}
    title = title_of(graph)
    known = directory.of_document(graph) if directory else {}
    nodes = tuple(
        Node(
            id=number,
            name=clean(entity.name),
            type=clean(entity.type),
            description=clean(entity.description),
            community=entity.community_id,
            community_name=names.get(entity.community_id, "") if entity.community_id is not None else "",
            degree=degrees[number],
            aliases=tuple(clean(alias) for alias in entity.aliases),
            documents=(title,),
            document_ids=(graph.id,),
            attributes=_clean_map(entity.attributes),
            path=known.get(entity.id, ("", None))[0],
            place=known.get(entity.id, ("", None))[1],
        )
        for entity, number in zip(graph.entities, ids, strict=True)
    )
    edge_ids = _unique(relation.id or f"r{number}" for number, (relation, _, _) in enumerate(kept))
    edges = tuple(
        Edge(
            id=number,
            source=source,
            target=target,
            predicate=clean(relation.type),
            description=clean(relation.description),
            strength=relation.strength,
            inferred=relation.inferred,
            method=clean(relation.method),
            via=clean(relation.via),
            quotes=tuple(_quote(evidence, graph.id) for evidence in relation.evidence),
            documents=(title,),
            document_ids=(graph.id,),
            chunks=relation.chunk_ids,
        )
        for (relation, source, target), number in zip(kept, edge_ids, strict=True)
    )
    summary = clean(graph.meta.summary or graph.summary)
    text = _text(graph, directory)
    language = graph.language or "en"
    dangling = len(graph.relations) - len(kept)
    return Table(title, summary, language, nodes, edges, groups, (text,), graph, directory, dangling)


def _node_ids(entities: Sequence[Entity]) -> list[str]:
    return _unique(entity.id or f"e{number}" for number, entity in enumerate(entities))


def _ends(entities: Sequence[Entity], ids: Sequence[str]) -> dict[tuple[str, str], str]:
    """(name, type) → node id; (name, "") → the first node of that name."""
    ends: dict[tuple[str, str], str] = {}
    for entity, number in zip(entities, ids, strict=True):
        ends.setdefault((entity.name, entity.type), number)
        ends.setdefault((entity.name, ""), number)
    return ends


def _end(ends: Mapping[tuple[str, str], str], relation: Relation, side: str) -> str:
    name, kind = getattr(relation, side), getattr(relation, f"{side}_type")
    return ends.get((name, kind)) or ends.get((name, ""), "")


def _groups(graph: DocumentGraph, ends: Mapping[tuple[str, str], str], ids: Sequence[str]) -> tuple[Group, ...]:
    members: dict[int, list[str]] = {}
    for entity, number in zip(graph.entities, ids, strict=True):
        if entity.community_id is not None:
            members.setdefault(entity.community_id, []).append(number)
    made = []
    for community in graph.communities:
        named = []
        for member in community.members:
            name, _, kind = member.rpartition("::") if "::" in member else (member, "", "")
            named.append(ends.get((name, kind)) or ends.get((name, ""), ""))
        ordered = tuple(dict.fromkeys(one for one in named if one)) or tuple(members.get(community.id, ()))
        topics = tuple(clean(topic) for topic in community.topics)
        name = topics[0] if topics else f"{community.id}"
        made.append(Group(community.id, name, topics, clean(community.description), ordered))
    return tuple(made)


def _text(graph: DocumentGraph, directory: Directory | None) -> Text:
    slug = directory.collection.document_slugs.get(graph.id) if directory else None
    return Text(graph.id, title_of(graph), f"documents/{slug}/" if slug else "", graph)


def _fact_id(*parts: str) -> str:
    """An id that stays when other facts come and go."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


# ── small parts ───────────────────────────────────────────────────────────────────────────────────
def _quote(evidence: Evidence, document: str) -> Quote:
    return Quote(
        clean(evidence.text),
        document,
        evidence.chunk_id,
        evidence.page,
        evidence.start,
        evidence.end,
        verified=evidence.verified,
    )


def _degrees(pairs: Iterable[tuple[str, str]]) -> Counter[str]:
    """Different neighbours of each node; a loop is none."""
    return Counter(end for pair in {(min(p), max(p)) for p in pairs if p[0] != p[1]} for end in pair)


def _places(layout: Layout | None) -> dict[str, tuple[int, int]]:
    return {key: (x, y) for key, x, y in zip(layout.keys, layout.x, layout.y, strict=True)} if layout else {}


def _clean_map(values: Mapping[str, str]) -> dict[str, str]:
    return {clean(key): clean(value) for key, value in sorted(values.items())}


def _unique(names: Iterable[str]) -> list[str]:
    """Each name, with a number where it was there before."""
    seen: set[str] = set()
    made: list[str] = []
    for name in map(clean, names):
        free, number = name, 1
        while free in seen:
            number += 1
            free = f"{name}-{number}"
        seen.add(free)
        made.append(free)
    return made
