"""Communities from a few known members each: everybody else joins the one it is most bound to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

_MOST_ROUNDS = 30  # two names may go on to swap their labels for ever


def grow(names: Sequence[str], edges: Iterable[tuple[str, str]], seeds: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Name → community. The seeds stay where they are; names without a path to any seed are in none.

    In each round every other name joins the community of most of its neighbours (label propagation, Raghavan et al.
    2007, with fixed labels); of equals the one it is in, else the first in the order of `seeds`. All names of a round
    see the labels of the round before, so that their order does not matter.
    """
    neighbours: dict[str, Counter[str]] = {name: Counter() for name in names}
    for one, other in edges:
        if one != other and one in neighbours and other in neighbours:
            neighbours[one][other] += 1
            neighbours[other][one] += 1
    order = {key: number for number, key in enumerate(seeds)}
    fixed: dict[str, str] = {}
    for key, members in seeds.items():
        for member in members:
            fixed.setdefault(member, key)
    labels = dict(fixed)
    changed = list(fixed)
    for _round in range(_MOST_ROUNDS):
        touched = dict.fromkeys(other for name in changed for other in neighbours.get(name, ()) if other not in fixed)
        found = {name: _majority(neighbours[name], labels, order, labels.get(name)) for name in touched}
        changed = [name for name, label in found.items() if label is not None and label != labels.get(name)]
        if not changed:
            break
        labels.update({name: label for name in changed if (label := found[name]) is not None})
    return labels


def _majority(
    neighbours: Mapping[str, int], labels: Mapping[str, str], order: Mapping[str, int], present: str | None
) -> str | None:
    votes: Counter[str] = Counter()
    for name, weight in neighbours.items():
        if name in labels:
            votes[labels[name]] += weight
    if not votes:
        return present
    return min(votes, key=lambda key: (-votes[key], key != present, order[key]))
