"""Graphs as the explorer reads them: one columnar JSON object for each, quotes apart.

Format 1 of a graph file (integers and strings only; a reader ignores keys it does not know):

    {"format": 1, "scope": "document" | "community" | "collection" | "map", "title": str,
     "unit": int,                      # radius of a node without neighbours; node radius = unit·min(4, 1 + 0.4·√degree)
     "types": [{"name", "label", "shape": 0…9, "count"}],                      # most frequent first, then by name
     "communities": [{"id": int, "name": str, "slug": str | null, "size": int, "color": 0…11 | null,
                      "top": [node, …], "x": int, "y": int, "r": int, "data": file}],      # color null = grey
     "predicates": [str], "methods": ["", …],                                  # methods[0] = "" = extracted
     "documents": [{"slug": str, "title": str}],
     "nodes": {"slug": [], "name": [], "type": [], "community": [], "degree": [], "x": [], "y": [],
               "aliases": {"<node>": [str]}},                                  # by degree, then slug; community -1 = none
     "edges": {"source": [], "target": [], "predicate": [], "method": [], "strength": [], "quotes": []},
     "total": {"nodes": int, "edges": int},                                    # of the graph that this is all or a part of
     "quotes": folder}

Nodes and communities are named by index or id; `degree` counts neighbours within the file. Every fact is one edge;
edges are sorted by source, target, predicate, and `source` is delta-coded: each number is the difference to the one
before, the first to 0. `quotes` counts the quotes of a fact. x and y are at most ±32,767, y downwards.

Scope "map" (collections above 10,000 entities): the columns of `nodes` and `edges` are empty, each community names the
file of its own graph in `data` and its most connected entities as [slug, name] in `members`, and "links": {"source": [],
"target": [], "weight": []} counts the facts between communities (indexes into `communities`, sorted). Files named in `data` and `quotes` are relative to the graph file.

Quotes lie in `<folder>/<n>.json`, n = source node // 256:

    {"<edge>": [{"text", "doc": document index, "page": int | null, "chunk": id, "href", "verified": bool}]}

`href` is the passage, `documents/<slug>/#p<N>` from the site root (N: block from 1), without fragment when the place
is not known. At most 50 quotes of a fact are listed, verified ones first; `edges.quotes` has the full number.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from urllib.parse import quote

from kgsite.collection.layout import MAP_LIMIT, DocumentPart, community_links, document_parts, map_size
from kgsite.model import (
    Collection,
    CollectionCommunity,
    CollectionEntity,
    DocumentGraph,
    Fact,
    FactEvidence,
    Layout,
    Slug,
)
from kgsite.site.escape import to_json
from kgsite.site.passages import Anchors
from kgsite.site.signs import community_colors, community_homes, document_colors, type_shape

FORMAT = 1
EMBED_LIMIT = 3_000
"""Graphs of up to this many nodes are embedded in their page, so that it works from disk."""
QUOTES_A_FILE = 256
QUOTES_A_FACT = 50
TOP_MEMBERS = 5

__all__ = ["EMBED_LIMIT", "FORMAT", "GraphData", "GraphSource", "community_colors", "type_shape"]


@dataclass(frozen=True, slots=True)
class GraphData:
    """One graph file and its quotes, as plain data."""

    graph: dict[str, object]
    quotes: Mapping[int, dict[str, list[dict[str, object]]]]  # shard → edge → quotes

    @property
    def size(self) -> int:
        """Nodes in the file."""
        nodes = self.graph["nodes"]
        return len(nodes["slug"]) if isinstance(nodes, dict) else 0

    def graph_json(self) -> bytes:
        return to_json(self.graph)

    def shard_json(self, number: int) -> bytes:
        return to_json(self.quotes[number])

    def all_quotes_json(self) -> bytes:
        """All shards in one object, for the data island `quote-data`."""
        return to_json({edge: found for number in sorted(self.quotes) for edge, found in self.quotes[number].items()})


class GraphSource:
    """Makes the graph files of a collection; what several of them need is worked out once.

    `label` gives the words for an entity type, `title` those for a document. `anchors` and `parts` of the same
    collection may be shared with others.
    """

    def __init__(
        self,
        collection: Collection,
        *,
        label: Callable[[str], str] | None = None,
        title: Callable[[DocumentGraph], str] | None = None,
        anchors: Anchors | None = None,
        parts: Callable[[], Mapping[str, DocumentPart]] | None = None,
    ) -> None:
        self._collection = collection
        self._label = label or _plain_label
        self._title = title or _plain_title
        self._entities = {entity.key: entity for entity in collection.entities}
        self._documents = {document.id: document for document in collection.documents}
        self._parts = parts or cache(partial(document_parts, collection))
        self._inside: dict[int, list[Fact]] | None = None
        self._anchors = anchors or Anchors(self._documents)
        self._addresses: dict[str, str] = {}
        self._colors = community_colors(collection)
        self._slugs = {community.id: community.slug for community in collection.communities}

    @property
    def is_map(self) -> bool:
        """Whether the collection is so large that its explorer opens on a map of communities."""
        return len(self._collection.entities) > MAP_LIMIT

    def document(self, document: str, *, quotes: str = "q/") -> GraphData:
        """The graph of a document, by id, with the document's own communities."""
        part = self._parts()[document]
        graph = self._documents[document]
        groups = [part.communities.get(entity.key, -1) for entity in part.entities]
        names = {c.id: (c.topics[0] if c.topics else "") for c in graph.communities}
        builder = _Columns(self, part.entities, part.facts, groups, self._layout(document), only=document)
        homes = community_homes(part.entities, groups)
        slugs = {group: self._slugs[home] for group, home in homes.items() if home in self._slugs}
        communities = builder.communities(names, slugs, document_colors(homes, self._colors))
        return builder.data("document", self._title(graph), communities, quotes)

    def community(self, community: CollectionCommunity, *, quotes: str = "q/") -> GraphData:
        """The graph inside a community of the collection."""
        members = [self._entities[key] for key in community.members if key in self._entities]
        facts = self._facts_inside().get(community.id, [])
        layout = self._layout(f"community/{community.slug}")
        builder = _Columns(self, members, facts, [community.id] * len(members), layout)
        return builder.data("community", community.name, self._described(builder), quotes)

    def collection(self, *, data: Callable[[CollectionCommunity], str] | None = None, quotes: str = "q/") -> GraphData:
        """The graph of the collection, or the map; `data` names the file of a community, relative to the map's."""
        collection, layout = self._collection, self._layout("collection")
        if self.is_map:
            return self._map(layout, data or (lambda community: f"{community.slug}.json"))
        groups = [-1 if entity.community is None else entity.community for entity in collection.entities]
        facts = [f for f in collection.facts if f.source in self._entities and f.target in self._entities]
        builder = _Columns(self, collection.entities, facts, groups, layout)
        return builder.data("collection", "", self._described(builder), quotes)

    # ── parts ─────────────────────────────────────────────────────────────────────────────────
    def _layout(self, name: str) -> Layout:
        return self._collection.layouts.get(name) or Layout((), (), ())

    def _facts_inside(self) -> dict[int, list[Fact]]:
        if self._inside is None:
            self._inside = {}
            for fact in self._collection.facts:
                source, target = self._entities.get(fact.source), self._entities.get(fact.target)
                if source and target and source.community is not None and source.community == target.community:
                    self._inside.setdefault(source.community, []).append(fact)
        return self._inside

    def _described(self, builder: _Columns) -> list[dict[str, object]]:
        communities = self._collection.communities
        names = {community.id: community.name for community in communities}
        return builder.communities(names, {c.id: c.slug for c in communities}, self._colors)

    def _map(self, layout: Layout, data: Callable[[CollectionCommunity], str]) -> GraphData:
        collection = self._collection
        place = {key: (x, y) for key, x, y in zip(layout.keys, layout.x, layout.y, strict=True)}
        communities: list[dict[str, object]] = []
        for community in collection.communities:
            x, y = place.get(str(community.slug), (0, 0))
            record = _community(community.id, community.name, community.slug, len(community.members), self._colors)
            radius = round(layout.unit * map_size(len(community.members)))
            members = [self._entities[key] for key in community.members[:TOP_MEMBERS] if key in self._entities]
            names = [[entity.slug, entity.name] for entity in members]
            disc = {"members": names, "top": [], "x": x, "y": y, "r": radius, "data": data(community)}
            communities.append({**record, **disc})
        links = community_links(collection)
        columns = _Columns(self, (), (), (), layout)
        found = columns.data("map", "", communities, "q/")
        found.graph["links"] = {
            "source": [pair[0] for pair in links],
            "target": [pair[1] for pair in links],
            "weight": list(links.values()),
        }
        found.graph["types"] = self.types(collection.entities)
        found.graph["total"] = {"nodes": len(collection.entities), "edges": len(collection.facts)}
        return found

    def types(self, entities: Iterable[CollectionEntity]) -> list[dict[str, object]]:
        """The types of some entities, most frequent first."""
        counts = Counter(entity.type for entity in entities)
        order = sorted(counts, key=lambda name: (-counts[name], name))
        return [{"name": n, "label": self._label(n), "shape": type_shape(n), "count": counts[n]} for n in order]

    def document_record(self, document: str) -> dict[str, object]:
        graph = self._documents[document]
        return {"slug": self._collection.document_slugs.get(document, ""), "title": self._title(graph)}

    def href(self, document: str, start: int | None) -> str:
        """The passage at a character of a document, from the site root."""
        address = self._addresses.get(document)
        if address is None:
            address = f"documents/{quote(self._collection.document_slugs.get(document, ''), safe='')}/"
            self._addresses[document] = address
        number = self._anchors.number(document, start)
        return f"{address}#p{number}" if number else address


def _plain_label(name: str) -> str:
    words = " ".join(name.replace("_", " ").split())
    return words[:1].upper() + words[1:]


def _plain_title(document: DocumentGraph) -> str:
    return document.title or document.meta.title or str(document.provenance.source)


def _community(number: int, name: str, slug: str | None, size: int, colors: Mapping[int, int]) -> dict[str, object]:
    return {"id": number, "name": name, "slug": slug, "size": size, "color": colors.get(number)}


class _Columns:
    """Entities and facts in the order of the file."""

    def __init__(
        self,
        source: GraphSource,
        entities: Sequence[CollectionEntity],
        facts: Sequence[Fact],
        groups: Sequence[int],
        layout: Layout,
        *,
        only: str | None = None,
    ) -> None:
        self.source, self.only, self.layout = source, only, layout
        neighbours: dict[str, set[str]] = {entity.key: set() for entity in entities}
        for fact in facts:
            if fact.source != fact.target:
                neighbours[fact.source].add(fact.target)
                neighbours[fact.target].add(fact.source)
        group_of = {entity.key: group for entity, group in zip(entities, groups, strict=True)}
        self.entities = sorted(entities, key=lambda entity: (-len(neighbours[entity.key]), entity.slug))
        self.degree = [len(neighbours[entity.key]) for entity in self.entities]
        self.group = [group_of[entity.key] for entity in self.entities]
        self.at = {entity.key: index for index, entity in enumerate(self.entities)}
        self.facts = sorted(facts, key=lambda fact: (self.at[fact.source], self.at[fact.target], fact.predicate))
        place = {key: (x, y) for key, x, y in zip(layout.keys, layout.x, layout.y, strict=True)}
        self.place = [place.get(entity.key, (0, 0)) for entity in self.entities]

    def communities(
        self, names: Mapping[int, str], slugs: Mapping[int, Slug], colors: Mapping[int, int]
    ) -> list[dict[str, object]]:
        """The communities that have nodes here, largest first."""
        members: dict[int, list[int]] = {}
        for index, group in enumerate(self.group):
            if group >= 0:
                members.setdefault(group, []).append(index)
        found = []
        for group in sorted(members, key=lambda g: (-len(members[g]), g)):
            nodes = members[group]
            name = names.get(group) or self.entities[nodes[0]].name
            record = _community(group, name, slugs.get(group), len(nodes), colors)
            found.append({**record, "top": nodes[:TOP_MEMBERS], **self._disc(nodes)})
        return found

    def _disc(self, nodes: Sequence[int]) -> dict[str, object]:
        """Middle and radius of the circle that an even disc with the same spread would have."""
        x = sum(self.place[node][0] for node in nodes) / len(nodes)
        y = sum(self.place[node][1] for node in nodes) / len(nodes)
        spread = sum((self.place[node][0] - x) ** 2 + (self.place[node][1] - y) ** 2 for node in nodes) / len(nodes)
        return {"x": round(x), "y": round(y), "r": round(math.sqrt(2 * spread)) + 2 * self.layout.unit}

    def data(self, scope: str, title: str, communities: list[dict[str, object]], quotes: str) -> GraphData:
        types = self.source.types(self.entities)
        type_at = {record["name"]: index for index, record in enumerate(types)}
        shards, documents = self._quotes()
        graph: dict[str, object] = {
            "format": FORMAT,
            "scope": scope,
            "title": title,
            "unit": self.layout.unit,
            "types": types,
            "communities": communities,
            **self._edges(),
            "documents": [self.source.document_record(document) for document in documents],
            "nodes": {
                "slug": [entity.slug for entity in self.entities],
                "name": [entity.name for entity in self.entities],
                "type": [type_at[entity.type] for entity in self.entities],
                "community": self.group,
                "degree": self.degree,
                "x": [x for x, _ in self.place],
                "y": [y for _, y in self.place],
                "aliases": {str(i): list(e.aliases) for i, e in enumerate(self.entities) if e.aliases},
            },
            "total": {"nodes": len(self.entities), "edges": len(self.facts)},
            "quotes": quotes,
        }
        return GraphData(graph, shards)

    def _edges(self) -> dict[str, object]:
        predicates = sorted({fact.predicate for fact in self.facts})
        methods = ["", *sorted({_method(fact) for fact in self.facts} - {""})]
        predicate_at = {name: index for index, name in enumerate(predicates)}
        method_at = {name: index for index, name in enumerate(methods)}
        sources = [self.at[fact.source] for fact in self.facts]
        edges = {
            "source": [now - before for before, now in zip([0, *sources], sources, strict=False)],
            "target": [self.at[fact.target] for fact in self.facts],
            "predicate": [predicate_at[fact.predicate] for fact in self.facts],
            "method": [method_at[_method(fact)] for fact in self.facts],
            "strength": [strength_of(fact) for fact in self.facts],
            "quotes": [len(self._evidence(fact)) for fact in self.facts],
        }
        return {"predicates": predicates, "methods": methods, "edges": edges}

    def _evidence(self, fact: Fact) -> list[FactEvidence]:
        """The quotes of a fact (in this document), verified ones first."""
        known = self.source._documents
        found = [e for e in fact.evidence if e.evidence.text and e.document in known]
        return sorted((e for e in found if self.only in (None, e.document)), key=lambda e: not e.evidence.verified)

    def _quotes(self) -> tuple[dict[int, dict[str, list[dict[str, object]]]], list[str]]:
        """The shards, and the documents that they name in the order of first use."""
        documents: dict[str, int] = {}
        if self.only is not None:
            documents[self.only] = 0
        shards: dict[int, dict[str, list[dict[str, object]]]] = {}
        for number, fact in enumerate(self.facts):
            rows: list[dict[str, object]] = []
            for item in self._evidence(fact)[:QUOTES_A_FACT]:
                evidence = item.evidence
                rows.append(
                    {
                        "text": evidence.text,
                        "doc": documents.setdefault(item.document, len(documents)),
                        "page": evidence.page,
                        "chunk": evidence.chunk_id,
                        "href": self.source.href(item.document, evidence.start),
                        "verified": evidence.verified,
                    }
                )
            if rows:
                shards.setdefault(self.at[fact.source] // QUOTES_A_FILE, {})[str(number)] = rows
        return shards, list(documents)


def _method(fact: Fact) -> str:
    return (fact.methods[0] if fact.methods else "inferred") if fact.inferred else ""


def strength_of(fact: Fact) -> int:
    """A fact's strength as graph files have it: 1 to 10."""
    return round(min(10.0, max(1.0, fact.strength))) if math.isfinite(fact.strength) else 5
