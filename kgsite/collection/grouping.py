"""Densely connected groups of a graph (Louvain), and words for them.

Used for one document and for the collection. The outcome depends on the graph alone: nodes are numbered in the
caller's order, edges are inserted sorted, the seed is 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

_AROUND = {
    "en": ("{n} entities around {names}", "1 entity: {names}", " and "),
    "de": ("{n} Entitäten um {names}", "1 Entität: {names}", " und "),
    "fr": ("{n} entités autour de {names}", "1 entité : {names}", " et "),
    "es": ("{n} entidades en torno a {names}", "1 entidad: {names}", " y "),
    "nl": ("{n} entiteiten rond {names}", "1 entiteit: {names}", " en "),
    "it": ("{n} entità intorno a {names}", "1 entità: {names}", " e "),
    "pt": ("{n} entidades em torno de {names}", "1 entidade: {names}", " e "),
    "zh": ("以{names}为中心的 {n} 个实体", "1 个实体：{names}", "和"),
}
_TOP = 3
LARGE = 3_000
"""Edges from which networkx' Louvain takes too long (5.5 s for 30,000 nodes, against 0.7 s)."""


def louvain(size: int, weights: Mapping[tuple[int, int], float]) -> list[list[int]]:
    """Groups of the nodes 0 … `size` - 1, largest first, then by smallest member; each in ascending order.

    `weights` is the strength of each undirected edge (low, high). Nodes without an edge are groups of one.
    Method: Blondel et al. 2008; networkx' code, from LARGE edges on our own.
    """
    linked = sorted({node for edge in weights for node in edge})
    groups = [[node] for node in sorted(set(range(size)) - set(linked))]
    if len(linked) <= 2:
        groups += [linked] if linked else []
    else:
        groups += _large(linked, weights) if len(weights) >= LARGE else _small(linked, weights)
    return sorted(groups, key=lambda group: (-len(group), group[0]))


def _small(linked: Sequence[int], weights: Mapping[tuple[int, int], float]) -> list[list[int]]:
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(linked)
    graph.add_weighted_edges_from((low, high, weight) for (low, high), weight in sorted(weights.items()))
    return [sorted(group) for group in nx.community.louvain_communities(graph, seed=0)]


def _large(linked: Sequence[int], weights: Mapping[tuple[int, int], float]) -> list[list[int]]:
    from kgsite.collection.louvain import groups_of

    groups: dict[int, list[int]] = {}
    found = groups_of(linked[-1] + 1, weights)
    for node in linked:
        groups.setdefault(found[node], []).append(node)
    return list(groups.values())


def join_names(names: Sequence[str], language: str) -> str:
    """ "Marie Curie, radium and Paris" in `language` (English where kgsite has no words)."""
    last = _AROUND.get(language, _AROUND["en"])[2]
    comma = "、" if language == "zh" else ", "
    return comma.join(names[:-1]) + last + names[-1] if len(names) > 1 else "".join(names)


def describe(size: int, names: Sequence[str], language: str) -> str:
    """What a group of `size` entities is, in words; `names` are those of its top members."""
    many, one, _ = _AROUND.get(language, _AROUND["en"])
    return (many if size > 1 else one).format(n=size, names=join_names(names[:_TOP], language))


def topics(names: Sequence[str], types: Sequence[str], language: str) -> tuple[str, ...]:
    """The group's name, then the top members, then the most frequent type; from members in order of importance."""
    if not names:
        return ()
    top = list(dict.fromkeys(names))[:_TOP]
    counts = Counter(types)
    common = min(counts, key=lambda name: (-counts[name], name)) if counts else ""
    title = join_names(top[:2], language)
    return tuple(dict.fromkeys(part for part in (title, *top, common) if part))
