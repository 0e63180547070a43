"""Parts of views that are made later: whatever changes one of them changes what stands for it in the fingerprint."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from kgsite.config.settings import Settings, SiteSettings
from kgsite.errors import KgsiteError
from kgsite.model import Collection, Mark
from kgsite.site import build_info, load_theme, plan
from kgsite.site.escape import to_json
from kgsite.site.rendering import _inputs
from kgsite.site.theme import Theme
from kgsite.site.views.records import Later
from kgsite.warm import Memory
from tests.site.collections import small

Step = str | int
Place = tuple[Step, ...]
Pages = dict[str, tuple[bytes, bytes]]  # path → what stands for the view, the view with all its parts


def test_what_stands_for_a_part_changes_with_it(tmp_path: Path) -> None:
    settings = Settings(root=tmp_path, site=SiteSettings(title="Small"))
    theme, memory = load_theme(settings), Memory()  # of the static files
    collection = _rich(small())
    before = _pages(collection, settings, theme, memory)
    changed: set[str] = set()
    for place in _chosen(collection):
        try:
            after = _pages(_altered(collection, place), settings, theme, memory)
        except (KgsiteError, LookupError, ValueError, TypeError):
            continue  # no collection that merging could have made
        moved = {path for path in before.keys() & after.keys() if before[path][1] != after[path][1]}
        assert not {path for path in moved if before[path][0] == after[path][0]}, place
        changed |= {_field(place)} if moved else set()
    assert changed >= {
        "name",
        "type",
        "degree",
        "community",
        "predicate",
        "verified",
        "text",
        "rephrase",
        "x",
        "topics",
    }


def _rich(collection: Collection) -> Collection:
    """With a link, a plain-language version, an alias, an inferred fact and a page number in it."""
    first = collection.documents[0]
    chunk = replace(first.chunks[0], rephrase="In plain words.")
    marks = (Mark(0, 4, "strong"), Mark(5, 9, "link", "ships.md"))
    document = replace(first, marks=marks, chunks=(chunk, *first.chunks[1:]))
    fact = next(fact for fact in collection.facts if fact.evidence)
    quote = replace(fact.evidence[0], evidence=replace(fact.evidence[0].evidence, page=3))
    told = replace(fact, evidence=(quote, *fact.evidence[1:]), via=(collection.entities[0].key,), methods=("lexical",))
    return replace(
        collection,
        documents=(document, *collection.documents[1:]),
        facts=tuple(told if one is fact else one for one in collection.facts),
        entities=(replace(collection.entities[0], aliases=("Other name",)), *collection.entities[1:]),
    )


def _pages(collection: Collection, settings: Settings, theme: Theme, memory: Memory) -> Pages:
    info = build_info(collection)
    made = plan(collection, settings, landing=None, sections={}, theme=theme, build_info=info, memory=memory)
    views = {page.path: page.make() for page in made.pages}
    return {path: (to_json(view, _inputs), to_json(view, _whole)) for path, view in views.items()}


def _whole(value: Any) -> object:
    if isinstance(value, Later):
        return str(value.made) if hasattr(value.made, "__html__") else value.made
    return dict(value)


# ── one change anywhere ───────────────────────────────────────────────────────────────────────────
def _chosen(collection: Collection) -> list[Place]:
    """Three places of each field of each kind of record."""
    by_field: dict[tuple[str, ...], list[Place]] = {}
    for place in _places(collection):
        by_field.setdefault(tuple(step for step in place if isinstance(step, str)), []).append(place)
    rng = random.Random(5)
    return [place for places in by_field.values() for place in rng.sample(places, min(3, len(places)))]


def _places(value: object, place: Place = ()) -> Iterator[Place]:
    if is_dataclass(value):
        for field in fields(value):
            yield from _places(getattr(value, field.name), (*place, field.name))
    elif isinstance(value, (tuple, list)):
        for number, item in enumerate(value):
            yield from _places(item, (*place, number))
    elif isinstance(value, Mapping):
        for number, item in enumerate(value.values()):
            yield from _places(item, (*place, number))
    elif value is not None:
        yield place


def _field(place: Place) -> str:
    return [step for step in place if isinstance(step, str)][-1]


def _altered(value: Any, place: Place) -> Any:
    if not place:
        return _other(value)
    step, rest = place[0], place[1:]
    if isinstance(step, str):
        return replace(value, **{step: _altered(getattr(value, step), rest)})
    if isinstance(value, Mapping):
        at = list(value)[step]
        return {key: _altered(item, rest) if key == at else item for key, item in value.items()}
    return type(value)(_altered(item, rest) if number == step else item for number, item in enumerate(value))


def _other(value: object) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    return f"{value}x" if isinstance(value, str) else 1
