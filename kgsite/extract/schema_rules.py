"""A schema at work on extracted rows: synonyms mapped, types and patterns enforced or reported."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kgsite.extract.schema import Schema, accepted_ends, load_schema
from kgsite.model import Entity, Relation

if TYPE_CHECKING:
    from kgsite.config.settings import Settings


def fold_type(name: str) -> str:
    """Spellings of one type or predicate as one key: `WORKS_FOR`, `works for` and `Works-For` are the same."""
    folded = re.sub(r"[\s_\-]+", " ", unicodedata.normalize("NFKC", name)).strip()
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", folded).casefold()


def declared_schema(settings: Settings) -> Schema:
    """The schema that site.toml declares: the file of `[schema] path`, and the types in place added to it.

    Raises ConfigError when the file or a type can't be read.
    """
    base = load_schema(settings.root / settings.schema.path) if settings.schema.path else Schema()
    if not settings.schema.entity_types and not settings.schema.relation_types:
        return base
    own = load_schema(
        {"entity_types": list(settings.schema.entity_types), "relation_types": list(settings.schema.relation_types)},
        at="site.toml",
    )
    if not base:
        return own
    kinds = {kind.label: kind for kind in (*own.entity_types, *base.entity_types)}
    relations = {relation.label: relation for relation in (*own.relation_types, *base.relation_types)}
    return Schema(tuple(kinds.values()), tuple(relations.values()), base.name, base.version, base.reasoning, base.at)


@dataclass(slots=True)
class Enforced:
    """Rows after the schema, and how often each rule was broken. With `strict` the breaking rows are gone."""

    entities: list[Entity] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    broken: dict[str, int] = field(default_factory=dict)

    def report(self, rule: str) -> None:
        self.broken[rule] = self.broken.get(rule, 0) + 1


class SchemaRules:
    """One schema with its synonyms, ready to be applied to many chunks."""

    def __init__(self, schema: Schema, synonyms: Mapping[str, str] | None = None, *, strict: bool = False) -> None:
        self.schema = schema
        self.strict = strict
        self._synonyms = {fold_type(key): value for key, value in (synonyms or {}).items()}
        self._kinds = {fold_type(kind.label): kind.label for kind in schema.entity_types}
        self._predicates = {fold_type(relation.label): relation for relation in schema.relation_types}
        self._ends = {relation.label: accepted_ends(relation, schema) for relation in schema.relation_types}

    def _mapped(self, name: str) -> str:
        return self._synonyms.get(fold_type(name), name)

    def entity_type(self, name: str) -> tuple[str, bool]:
        """(the type to use, whether the schema allows it); any type is allowed while none is declared."""
        mapped = self._mapped(name)
        known = self._kinds.get(fold_type(mapped))
        return (known, True) if known is not None else (mapped, not self._kinds)

    def predicate(self, name: str) -> tuple[str, bool]:
        """(the predicate to use, whether the schema allows it); any is allowed while none is declared."""
        mapped = self._mapped(name)
        known = self._predicates.get(fold_type(mapped))
        return (known.label, True) if known is not None else (mapped, not self._predicates)

    def allows_ends(self, predicate: str, source_type: str, target_type: str) -> bool:
        """Whether a declared pattern has these types, children of its types and symmetric reversals included."""
        ends = self._ends.get(predicate)
        return not ends or target_type in ends.get(source_type, ())

    def apply(self, entities: Sequence[Entity], relations: Sequence[Relation]) -> Enforced:
        """Map synonyms, then enforce. A relation that fits only in reverse is turned round."""
        found = Enforced()
        dropped: set[tuple[str, str]] = set()
        for entity in entities:
            kind, allowed = self.entity_type(entity.type)
            if not allowed:
                found.report(f"entity type {kind!r} is not in the schema")
                if self.strict:
                    dropped.add((entity.name, entity.type))
                    continue
            found.entities.append(replace(entity, type=kind))
        for relation in relations:
            if {(relation.source, relation.source_type), (relation.target, relation.target_type)} & dropped:
                continue
            if (kept := self._relation(relation, found)) is not None:
                found.relations.append(kept)
        return found

    def _relation(self, relation: Relation, found: Enforced) -> Relation | None:
        predicate, allowed = self.predicate(relation.type)
        source, target = self.entity_type(relation.source_type)[0], self.entity_type(relation.target_type)[0]
        mapped = replace(relation, type=predicate, source_type=source, target_type=target)
        if not allowed:
            found.report(f"relation type {predicate!r} is not in the schema")
            return None if self.strict else mapped
        if self.allows_ends(predicate, source, target):
            return mapped
        if source != target and self.allows_ends(predicate, target, source):
            found.report(f"{predicate}: source and target were exchanged to fit the schema")
            return replace(
                mapped, source=relation.target, target=relation.source, source_type=target, target_type=source
            )
        found.report(f"{predicate}: {source} → {target} is no pattern of the schema")
        return None if self.strict else mapped


def broken_rules(schema: Schema, entities: Sequence[Entity], relations: Sequence[Relation]) -> list[str]:
    """What a whole graph breaks, for `kgsite check`: undeclared types, patterns, max_per_source and max_per_target.

    Symmetric relations count both ways. Sentences, sorted.
    """
    rules = SchemaRules(schema)
    messages = {
        f"{entity.name}: entity type {entity.type!r} is not in the schema"
        for entity in entities
        if not rules.entity_type(entity.type)[1]
    }
    partners: dict[tuple[str, str, str], set[str]] = {}
    for relation in relations:
        predicate, allowed = rules.predicate(relation.type)
        line = f"{relation.source} –{relation.type}→ {relation.target}"
        if not allowed:
            messages.add(f"{line}: relation type is not in the schema")
            continue
        kinds = rules.entity_type(relation.source_type)[0], rules.entity_type(relation.target_type)[0]
        if not rules.allows_ends(predicate, *kinds):
            messages.add(f"{line}: {kinds[0]} → {kinds[1]} is no pattern of {predicate}")
        partners.setdefault((predicate, "source", relation.source), set()).add(relation.target)
        partners.setdefault((predicate, "target", relation.target), set()).add(relation.source)
        if any(kind.label == predicate and kind.symmetric for kind in schema.relation_types):
            partners.setdefault((predicate, "source", relation.target), set()).add(relation.source)
            partners.setdefault((predicate, "target", relation.source), set()).add(relation.target)
    for kind in schema.relation_types:
        for side, limit in (("source", kind.max_per_source), ("target", kind.max_per_target)):
            for (predicate, end, name), others in partners.items():
                if predicate == kind.label and end == side and limit is not None and len(others) > limit:
                    messages.add(f"{name}: {len(others)} × {predicate} as {side}, at most {limit} allowed")
    return sorted(messages)
