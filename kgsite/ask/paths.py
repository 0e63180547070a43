"""Shortest paths between the entities that a question mentions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from kgsite.ask.index import GraphIndex
from kgsite.ask.records import Path

LONGEST = 4
"""Facts of a path; longer ones say nothing about two things."""
_MOST_VISITED = 20_000  # entities looked at for one pair
_MOST_ENDS = 5  # seeds between which paths are looked for


def paths_between(index: GraphIndex, keys: Sequence[str]) -> tuple[Path, ...]:
    """One shortest path for each pair of the first few keys, in their order; stated facts before inferred ones."""
    found = (shortest(index, one, other) for one, other in combinations(list(dict.fromkeys(keys))[:_MOST_ENDS], 2))
    return tuple(path for path in found if path is not None)


def shortest(index: GraphIndex, start: str, end: str) -> Path | None:
    """A shortest path of at most `LONGEST` facts; always the same one."""
    came: dict[str, int] = {start: -1}
    level = [start]
    for _ in range(LONGEST):
        following: list[str] = []
        for key in level:
            for number in sorted(index.facts_of.get(key, ()), key=lambda n: _order(index, n)):
                fact = index.facts[number]
                other = fact.target if fact.source == key else fact.source
                if other in came:
                    continue
                came[other] = number
                if other == end:
                    return _walk(index, came, start, end)
                following.append(other)
            if len(came) > _MOST_VISITED:
                return None
        level = following
    return None


def _order(index: GraphIndex, number: int) -> tuple[bool, float, int]:
    fact = index.facts[number]
    return fact.inferred, -fact.strength, number


def _walk(index: GraphIndex, came: dict[str, int], start: str, end: str) -> Path:
    keys, facts, at = [end], [], end
    while at != start:
        fact = index.facts[came[at]]
        facts.append(fact)
        at = fact.source if fact.target == at else fact.target
        keys.append(at)
    return Path(tuple(reversed(keys)), tuple(reversed(facts)))
