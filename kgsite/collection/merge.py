"""Document graphs → collection, in named steps. Pure but for `permalinks`, which learns the new addresses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from kgsite.collection.casing import LOWER_CASED, title_case
from kgsite.collection.communities import find_communities
from kgsite.collection.facts import Ends, find_facts
from kgsite.collection.identity import fold, plain
from kgsite.collection.lasting import CommunityMemory
from kgsite.collection.metrics import adjacency, betweenness, pagerank
from kgsite.collection.permalinks import Claim, Permalinks
from kgsite.collection.things import Thing, find_things
from kgsite.config.settings import Settings
from kgsite.model import Collection, CollectionCommunity, CollectionEntity, DocumentGraph, Fact, Slug

_NAMELESS_FILE = re.compile(r"(?:index|readme|document|untitled|_index)$", re.IGNORECASE)


def merge(
    graphs: Sequence[DocumentGraph],
    *,
    settings: Settings,
    permalinks: Permalinks,
    memory: CommunityMemory | None = None,
) -> Collection:
    """All `graphs` as one collection, without layouts; the order of `graphs` does not matter.

    Raises ConfigError when two documents choose the same slug. `permalinks` gets an entry for each new document,
    entity and community; `memory` is where the grouping starts from, and takes the new one.
    """
    documents = tuple(sorted(graphs, key=lambda graph: (graph.provenance.source, graph.id)))
    things, notes = find_things(
        documents,
        standardize=settings.standardization.enabled,
        is_known=lambda key: permalinks.slug("entities", key) is not None,
    )
    facts, loops = find_facts(documents, _ends(documents, things))
    if loops:
        notes.append(f"Left out as relations of a thing to itself: {loops}.")
    document_slugs = permalinks.assign("documents", [_document_claim(graph) for graph in documents])
    entity_slugs = permalinks.assign("entities", [Claim(thing.key, _slug_name(thing)) for thing in things])
    entities = [_entity(thing, documents, entity_slugs[thing.key]) for thing in things]
    entities = _cased(entities, documents, settings.visualization.title_case)
    entities, weights = _measured(entities, facts)
    communities = find_communities(
        entities, weights, permalinks, settings.site.language, memory if memory is not None else CommunityMemory()
    )
    community_of = {key: community.id for community in communities for key in community.members}
    entities = [replace(one, community=community_of.get(one.key)) for one in entities]
    return Collection(
        documents=documents,
        document_slugs=document_slugs,
        entities=tuple(sorted(entities, key=lambda one: one.slug)),
        facts=facts,
        communities=communities,
        entity_of={mention.entity.id: thing.key for thing in things for mention in thing.mentions if mention.entity.id},
        redirects=_redirects(things, communities, permalinks, documents),
        notes=tuple(notes),
    )


def _ends(documents: Sequence[DocumentGraph], things: Sequence[Thing]) -> list[Ends]:
    ends: list[dict[tuple[str, str], str]] = [{} for _ in documents]
    for thing in things:
        for mention in thing.mentions:
            keys = ends[mention.document]
            keys[mention.entity.name, mention.entity.type] = thing.key
            keys.setdefault((mention.entity.name, ""), thing.key)
    return [keys for keys in ends]  # noqa: C416 - a list of the read-only kind


def _document_claim(graph: DocumentGraph) -> Claim:
    """Front matter's slug, else the file's name; the title where that says nothing (index.md, a web address)."""
    path = PurePosixPath(graph.provenance.source)
    stem = path.name.removesuffix(path.suffix)
    vague = not stem or _NAMELESS_FILE.match(stem) or path.suffix == ".url" or "urls.txt" in path.parts[-2:]
    title = graph.title if vague or "://" in str(path) else ""
    return Claim(graph.id, title or stem or str(path), graph.meta.slug or "", str(path))


# ── entities ──────────────────────────────────────────────────────────────────────────────────────
def _shown_name(thing: Thing) -> str:
    """The spelling of most documents; of equals one with capitals, but not all in capitals."""
    spellings = {(" ".join(one.entity.name.split()), one.document) for one in thing.mentions}
    counts = Counter(name for name, _ in spellings)
    return min(counts, key=lambda name: (-counts[name], name.islower(), name.isupper() and len(name) > 5, name))


def _slug_name(thing: Thing) -> str:
    name = _shown_name(thing)
    return f"{name} {thing.apart}" if "#" in thing.key and thing.apart else name


def _majority_type(thing: Thing) -> tuple[str, tuple[str, ...]]:
    """The type of most documents, and the other ones; spellings of a type count together, "unknown" counts last."""
    if len({one.entity.type for one in thing.mentions}) == 1 and not any(
        one.entity.attributes for one in thing.mentions
    ):
        return thing.mentions[0].entity.type or "unknown", ()
    counts: Counter[str] = Counter()
    spelt: dict[str, Counter[str]] = {}
    for type_name, _ in sorted({(one.entity.type, one.document) for one in thing.mentions}):
        counts[plain(type_name)] += 1
        spelt.setdefault(plain(type_name), Counter())[type_name] += 1
    ranked = sorted(counts, key=lambda name: (name in ("", "unknown"), -counts[name], name))
    shown = [min(spelt[name], key=lambda one, of=spelt[name]: (-of[one], one)) for name in ranked]  # type: ignore[misc]
    listed = {part for one in thing.mentions for part in one.entity.attributes.get("other types", "").split(", ")}
    others = dict.fromkeys([*shown[1:], *sorted(listed)])
    seen = {plain(shown[0]), "", "unknown"}
    return shown[0] or "unknown", tuple(
        name
        for name in others
        if plain(name) not in seen and not seen.add(plain(name))  # type: ignore[func-returns-value]
    )


def _entity(thing: Thing, documents: Sequence[DocumentGraph], slug: Slug) -> CollectionEntity:
    name = _shown_name(thing)
    main, others = _majority_type(thing)
    mentions = sorted(thing.mentions, key=lambda one: (one.document, one.entity.name, one.entity.type, one.entity.id))
    descriptions: dict[str, tuple[str, str]] = {}
    attributes: dict[str, str] = {}
    for one in mentions:
        if one.entity.description:
            text = one.entity.description
            descriptions.setdefault(plain(text), (text, documents[one.document].id))
        for key, value in one.entity.attributes.items():
            if key != "other types":
                attributes.setdefault(key, value)
    return CollectionEntity(
        key=thing.key,
        slug=slug,
        name=name,
        type=main,
        other_types=others,
        aliases=_aliases(thing, name),
        descriptions=tuple(descriptions.values()),
        documents=tuple(dict.fromkeys(documents[one.document].id for one in mentions)),
        attributes=dict(sorted(attributes.items())),
    )


def _cased(
    entities: list[CollectionEntity], documents: Sequence[DocumentGraph], title_cased: bool | str
) -> list[CollectionEntity]:
    """Names in title case that are lower-cased in all their documents; with "auto" only where the source lower-cased
    every name, with False never."""
    languages = {
        graph.id: graph.language
        for graph in documents
        if title_cased is True or (title_cased and graph.provenance.extractor == LOWER_CASED)
    }
    return [
        replace(one, name=title_case(one.name, languages[one.documents[0]]))
        if one.documents and all(document in languages for document in one.documents)
        else one
        for one in entities
    ]


def _aliases(thing: Thing, name: str) -> tuple[str, ...]:
    found = {one.entity.name for one in thing.mentions} | {
        alias for one in thing.mentions for alias in one.entity.aliases
    }
    by_fold: dict[str, str] = {}
    for alias in sorted(found):
        by_fold.setdefault(plain(alias), alias)
    return tuple(by_fold[key] for key in sorted(by_fold) if key and key != plain(name))


def _measured(
    entities: list[CollectionEntity], facts: Sequence[Fact]
) -> tuple[list[CollectionEntity], dict[tuple[int, int], float]]:
    """The entities with degree, PageRank and betweenness; and the undirected edges between their indexes."""
    index = {one.key: number for number, one in enumerate(entities)}
    weights: dict[tuple[int, int], float] = {}
    for fact in facts:
        low, high = sorted((index[fact.source], index[fact.target]))
        weights[low, high] = weights.get((low, high), 0.0) + fact.strength
    neighbours = adjacency(len(entities), weights)
    ranks = pagerank(len(entities), weights)
    between = betweenness(neighbours)
    measured = [
        replace(one, degree=len(neighbours[number]), pagerank=ranks[number], betweenness=between[number])
        for number, one in enumerate(entities)
    ]
    return measured, weights


# ── former addresses ──────────────────────────────────────────────────────────────────────────────
def _redirects(
    things: Sequence[Thing],
    communities: Sequence[CollectionCommunity],
    permalinks: Permalinks,
    documents: Sequence[DocumentGraph],
) -> Mapping[str, str]:
    """Addresses that existed once → present ones: slugs that were chosen anew, names that were united or became
    aliases, communities that are no more, of which a member is in another."""
    found = {
        f"documents/{former}": f"documents/{slug}"
        for former, slug in permalinks.redirects("documents", [graph.id for graph in documents]).items()
    }
    present = {thing.key for thing in things}
    claims: dict[str, set[str]] = {}
    for thing in things:
        aliases = {fold(alias, one.language) for one in thing.mentions for alias in one.entity.aliases}
        names = {fold(one.entity.name, one.language) for one in thing.mentions}
        for former in (aliases | names | thing.keys) - present:
            claims.setdefault(former, set()).add(thing.key)
    for former, keys in claims.items():
        old = permalinks.slug("entities", former)
        if old is not None and len(keys) == 1:
            found[f"entities/{old}"] = f"entities/{permalinks.slug('entities', min(keys))}"
    in_use = {community.slug for community in communities}
    for community in communities:
        for member in community.members:
            old = permalinks.slug("communities", member)
            if old is not None and old not in in_use:
                found[f"communities/{old}"] = f"communities/{community.slug}"
    return dict(sorted(found.items()))
