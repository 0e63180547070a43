"""The declared schema over a whole document: for extractors that were not told of it, as the offline ones are.

Requests to a model offer the types and their rows are mapped chunk by chunk (`SchemaRules.apply`); here the same rules
work on the united draft, where a thing has seen all of its types.
"""

from __future__ import annotations

from collections import Counter

from kgsite.config.settings import Settings
from kgsite.extract.consolidate import Draft, Statement, Thing, predicate_key
from kgsite.extract.schema_rules import SchemaRules, declared_schema
from kgsite.model import Extraction, GraphSchema

OFF_TYPE = "entities of a type that the schema does not name"
OFF_PREDICATE = "relations that the schema does not name"
OFF_PATTERN = "relations between types that the schema does not connect"
TURNED = "relations turned round to fit the schema"
KEPT = " (kept)"


def schema_rules(settings: Settings, extraction: Extraction) -> SchemaRules | None:
    """The rules to apply to a draft; None when the extractor applied them itself, or there are none."""
    if extraction.entity_types or extraction.relation_types:
        return None
    schema = declared_schema(settings)
    if not schema and not settings.schema.synonyms:
        return None
    return SchemaRules(schema, settings.schema.synonyms, strict=settings.schema.strict)


def apply_schema(draft: Draft, rules: SchemaRules) -> None:
    """Map types and predicates, then enforce: with `strict` what breaks a rule goes, else it is counted and kept."""
    off = [key for key, thing in draft.things.items() if not _map_types(thing, rules)]
    if off:
        draft.dropped[OFF_TYPE if rules.strict else OFF_TYPE + KEPT] += len(off)
    if rules.strict:
        draft.remove(off)
    statements = draft.statements
    draft.statements = {}
    for statement in statements.values():
        if _fits(draft, statement, rules):
            draft.add(predicate_key(statement.predicate), statement)


def _map_types(thing: Thing, rules: SchemaRules) -> bool:
    """Whether the schema allows the thing; of several types those that it names count."""
    mapped: Counter[str] = Counter()
    allowed: Counter[str] = Counter()
    for name, times in thing.types.items():
        kind, known = rules.entity_type(name)
        mapped[kind] += times
        if known:
            allowed[kind] += times
    thing.types = allowed or mapped
    return bool(allowed) or not thing.types


def _fits(draft: Draft, statement: Statement, rules: SchemaRules) -> bool:
    """Whether a statement stays; it is mapped, and turned round where only the reverse is a pattern."""
    label, allowed = rules.predicate(statement.predicate)
    statement.predicates = Counter({label: max(1, statement.predicates.total())})
    reason = "" if allowed else OFF_PREDICATE
    if allowed:
        source, target = draft.things[statement.source].type, draft.things[statement.target].type
        if not rules.allows_ends(label, source, target):
            if source != target and rules.allows_ends(label, target, source):
                statement.source, statement.target = statement.target, statement.source
                draft.dropped[TURNED + KEPT] += 1
            else:
                reason = OFF_PATTERN
    if reason:
        draft.dropped[reason if rules.strict else reason + KEPT] += 1
    return not (reason and rules.strict)


def offered(rules: SchemaRules, used: GraphSchema) -> GraphSchema:
    """What the graph says of its schema: the declared types, else those in use."""
    kinds = tuple(kind.label for kind in rules.schema.entity_types)
    predicates = tuple(relation.label for relation in rules.schema.relation_types)
    reasoning = used.reasoning or rules.schema.reasoning
    return GraphSchema(kinds or used.entity_types, predicates or used.relation_types, reasoning)
