"""Relations that are not in the text but follow from it: found by rule, or proposed by a model and accepted by rule.

The methods and their caps are those of ai-knowledge-graph. Candidates are accepted in the order bridge, hub, within,
taxonomy, transitive, lexical; a pair that is connected already is never connected again; all together stay below
`max_inferred_ratio` of the extracted relations. Every accepted relation says `inferred`, its method and `via`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kgsite.config.settings import InferenceSettings
from kgsite.extract.rows import text_of
from kgsite.model import DocumentGraph, Entity, Relation

METHODS = ("llm_bridge", "llm_hub", "llm_within", "taxonomy", "transitive", "lexical")
_MOST_SHARING = 3
"""A word that more names than this share is no rare word: it connects nothing."""

Names = Mapping[str, Entity]


def fold(name: str) -> str:
    """Names as they are compared."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def by_name(entities: Iterable[Entity]) -> dict[str, Entity]:
    """Folded name or alias → entity; names win over aliases."""
    entities = tuple(entities)
    found = {fold(entity.name): entity for entity in entities}
    for entity in entities:
        for alias in entity.aliases:
            found.setdefault(fold(alias), entity)
    return found


def neighbours(relations: Iterable[Relation]) -> dict[str, set[str]]:
    """Folded name → folded names that it is related to."""
    found: dict[str, set[str]] = {}
    for relation in relations:
        source, target = fold(relation.source), fold(relation.target)
        if source != target:
            found.setdefault(source, set()).add(target)
            found.setdefault(target, set()).add(source)
    return found


def components(graph: DocumentGraph) -> list[list[Entity]]:
    """Connected groups of entities, largest first; members by degree, then name."""
    near = neighbours(graph.relations)
    names = by_name(graph.entities)
    left = {fold(entity.name) for entity in graph.entities}
    groups: list[list[str]] = []
    for start in sorted(left):
        if start not in left:
            continue
        group = [start]
        left.discard(start)
        for name in group:  # grows while it is walked
            fresh = sorted(near.get(name, set()) & left)
            left.difference_update(fresh)
            group += fresh
        groups.append(sorted(group, key=lambda name: (-len(near.get(name, ())), name)))
    groups.sort(key=lambda group: (-len(group), group[0]))
    return [[names[name] for name in group] for group in groups]


def hubs(graph: DocumentGraph, number: int) -> list[Entity]:
    """The most connected entities."""
    near = neighbours(graph.relations)
    ranked = sorted(graph.entities, key=lambda entity: (-len(near.get(fold(entity.name), ())), fold(entity.name)))
    return [entity for entity in ranked[:number] if fold(entity.name) in near]


def proposed(rows: Iterable[Any], names: Names, method: str) -> list[Relation]:
    """Rows of a model as inferred relations: only between two different entities that exist."""
    found: list[Relation] = []
    for row in rows:
        if not isinstance(row, dict):
            continue
        source = names.get(fold(text_of(row.get("source"))))
        target = names.get(fold(text_of(row.get("target"))))
        predicate = text_of(row.get("type", row.get("predicate")), 100)
        if source is None or target is None or source is target or not predicate:
            continue
        about = text_of(row.get("description"), 500)
        found.append(
            Relation(
                source.name, source.type, target.name, target.type, predicate, about, 3.0, inferred=True, method=method
            )
        )
    return found


def transitive(graph: DocumentGraph, settings: InferenceSettings) -> list[Relation]:
    """a → b → c over predicates of one group gives a → c, `via` b. Middles with many neighbours are skipped."""
    near = neighbours(graph.relations)
    names = by_name(graph.entities)
    extracted = [relation for relation in graph.relations if not relation.inferred]
    found: list[Relation] = []
    for group in settings.transitive_predicate_groups:
        members = {fold(predicate) for predicate in group}
        steps: dict[str, list[Relation]] = {}
        for relation in extracted:
            if fold(relation.type) in members:
                steps.setdefault(fold(relation.source), []).append(relation)
        for source in sorted(steps):
            found += _chains(source, steps, near, names, settings)
    return found


def _chains(
    source: str,
    steps: Mapping[str, list[Relation]],
    near: Mapping[str, set[str]],
    names: Names,
    settings: InferenceSettings,
) -> list[Relation]:
    found: dict[str, Relation] = {}
    for first in sorted(steps[source], key=lambda relation: (fold(relation.target), relation.type)):
        middle = fold(first.target)
        if middle == source or len(near.get(middle, ())) > settings.transitive_max_hub_degree:
            continue
        for second in sorted(steps.get(middle, ()), key=lambda relation: (fold(relation.target), relation.type)):
            end = fold(second.target)
            start, target = names.get(source), names.get(end)
            if (
                end in (source, middle)
                or start is None
                or target is None
                or len(found) >= settings.transitive_max_per_subject
            ):
                continue
            found.setdefault(
                end,
                Relation(
                    start.name, start.type, target.name, target.type, second.type,
                    strength=2.0, inferred=True, method="transitive", via=first.target,
                ),
            )  # fmt: skip
    return list(found.values())


def lexical(graph: DocumentGraph, settings: InferenceSettings) -> list[Relation]:
    """Entities of one type whose names share a rare word are "related to" each other."""
    words: dict[tuple[str, str], list[Entity]] = {}
    for entity in sorted(graph.entities, key=lambda entity: (fold(entity.name), entity.type)):
        for word in sorted(set(re.findall(r"[^\W\d_]+", fold(entity.name)))):
            if len(word) >= settings.lexical_min_word_length:
                words.setdefault((word, entity.type), []).append(entity)
    found: list[Relation] = []
    for (word, _), sharing in sorted(words.items(), key=lambda item: item[0]):
        if not 2 <= len(sharing) <= _MOST_SHARING:
            continue
        for index, first in enumerate(sharing):
            for second in sharing[index + 1 :]:
                about = f"Both names contain “{word}”."
                found.append(
                    Relation(
                        first.name,
                        first.type,
                        second.name,
                        second.type,
                        "related to",
                        about,
                        1.0,
                        inferred=True,
                        method="lexical",
                    )
                )
    return found


def accepted(
    graph: DocumentGraph, candidates: Mapping[str, Sequence[Relation]], settings: InferenceSettings
) -> tuple[Relation, ...]:
    """The candidates that enter the graph, by method in the fixed order, within the cap."""
    extracted = sum(not relation.inferred for relation in graph.relations)
    left = int(extracted * settings.max_inferred_ratio) - sum(relation.inferred for relation in graph.relations)
    linked = {frozenset((fold(relation.source), fold(relation.target))) for relation in graph.relations}
    chosen: list[Relation] = []
    for method in METHODS:
        limit = settings.hub_max_new if method == "llm_hub" else left
        for relation in candidates.get(method, ()):
            pair = frozenset((fold(relation.source), fold(relation.target)))
            if left <= 0 or limit <= 0 or pair in linked or len(pair) < 2:
                continue
            linked.add(pair)
            chosen.append(relation)
            left -= 1
            limit -= 1
    return tuple(chosen)
