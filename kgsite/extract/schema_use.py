"""The schema in force, and the one that graphs without a declared schema follow: the types in use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from kgsite.config.settings import Settings
from kgsite.extract.schema import EntityType, RelationType, Schema
from kgsite.extract.schema_rules import declared_schema
from kgsite.model import DocumentGraph

MOST_PREDICATES = 1_000
"""Of a schema of types in use: the most frequent ones."""


def schema_in_force(settings: Settings) -> Schema:
    """The declared schema, else the one that was discovered and kept; empty when there is none. Raises ConfigError."""
    declared = declared_schema(settings)
    if declared or not settings.schema.discover:
        return declared
    from kgsite.extract.llm.kept import kept_schema

    return kept_schema(settings) or Schema()


def published_schema(graphs: Sequence[DocumentGraph], settings: Settings) -> Schema:
    """What `data/schema.json` says: the schema in force, else the types in use under the site's title."""
    return schema_in_force(settings) or schema_in_use(graphs, name=settings.site.title)


def schema_in_use(graphs: Iterable[DocumentGraph], *, name: str = "") -> Schema:
    """Entity types and predicates of some graphs, most frequent first, each predicate with the pairs it connects."""
    kinds: Counter[str] = Counter()
    predicates: Counter[str] = Counter()
    pairs: dict[str, set[tuple[str, str]]] = {}
    for graph in graphs:
        types = {entity.name: entity.type for entity in graph.entities}
        kinds.update(entity.type or "unknown" for entity in graph.entities)
        for relation in graph.relations:
            source = relation.source_type or types.get(relation.source, "") or "unknown"
            target = relation.target_type or types.get(relation.target, "") or "unknown"
            predicate = relation.type or "related to"
            predicates[predicate] += 1
            pairs.setdefault(predicate, set()).add((source, target))
            kinds.update((source, target))
    chosen = sorted(predicates, key=lambda one: (-predicates[one], one))[:MOST_PREDICATES]
    return Schema(
        tuple(EntityType(one) for one in sorted(kinds, key=lambda one: (-kinds[one], one))),
        tuple(RelationType(one, tuple(sorted(pairs[one]))) for one in chosen),
        name,
        at="the types in use",
    )
