"""Makes graph files of the browser's format at any size, seeded, with names of no real thing."""

from __future__ import annotations

import math
import random
from itertools import pairwise
from typing import Any

TYPES = [
    ("concept", "Concept", 0), ("person", "Person", 4), ("organization", "Organization", 3), ("place", "Place", 5),
    ("event", "Event", 2), ("product", "Product", 6), ("work", "Work", 7), ("date", "Date", 1),
]  # fmt: skip
PREDICATES = ["located in", "member of", "founded", "influenced", "works_for", "author of", "related to", "developed"]
METHODS = ["", "transitive", "lexical"]
QUOTES_A_FILE = 256
_SYLLABLES = ["am", "ba", "cor", "dor", "el", "fa", "gen", "har", "il", "jo", "kar", "lo", "mer", "nor", "or", "pal"]
_SYLLABLES += ["quo", "ren", "sti", "tur", "ul", "vin", "wes", "zu"]
_ENDINGS = ["", "", "", " Society", " Agency", " Institute", " Treaty", " Group", " of Palby", " University"]


def name(rng: random.Random) -> str:
    word = "".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(2, 4)))
    return word.capitalize() + rng.choice(_ENDINGS)


def graph(size: int, *, seed: int = 1, title: str = "A generated graph") -> dict[str, Any]:
    """A graph of `size` nodes in communities, about 1.9 facts a node, one of nine inferred, some parallel."""
    rng = random.Random(seed)
    member = _communities(rng, size)
    pairs = _pairs(rng, member)
    degree = [0] * size
    for a, b in {(min(a, b), max(a, b)) for a, b in pairs if a != b}:
        degree[a] += 1
        degree[b] += 1
    order = sorted(range(size), key=lambda node: (-degree[node], node))
    place = {node: rank for rank, node in enumerate(order)}
    x, y, discs = _positions(member)
    names = _names(rng, size)
    types = [rng.randrange(len(TYPES)) for _ in range(size)]
    facts = sorted(
        (place[a], place[b], rng.randrange(len(PREDICATES)), rng.choice([0] * 8 + [1, 2]), rng.randint(1, 10))
        for a, b in pairs
    )
    sources = [fact[0] for fact in facts]
    counts = [types.count(index) for index in range(len(TYPES))]
    used = sorted(range(len(TYPES)), key=lambda index: (-counts[index], TYPES[index][0]))
    of_type = {index: rank for rank, index in enumerate(used)}
    sizes = [member.count(community) for community in range(max(member, default=-1) + 1)] if size else []
    return {
        "format": 1, "scope": "document", "title": title, "root": "./",
        "types": [{"name": TYPES[i][0], "label": TYPES[i][1], "shape": TYPES[i][2], "count": counts[i]} for i in used],
        "communities": [
            {"id": i, "name": _community_name(order, member, names, i), "slug": f"community-{i}", "size": amount,
             "color": i if i < 12 else None, "top": [place[n] for n in order if member[n] == i][:5],
             "x": discs[i][0], "y": discs[i][1], "r": discs[i][2]}
            for i, amount in enumerate(sizes)
        ],
        "predicates": PREDICATES, "methods": METHODS,
        "documents": [{"slug": "a-text", "title": "A text"}, {"slug": "b-text", "title": "Another text"}],
        "nodes": {
            "slug": [f"e{place[node]}" for node in order], "name": [names[node] for node in order],
            "type": [of_type[types[node]] for node in order], "community": [member[node] for node in order],
            "degree": [degree[node] for node in order], "x": [x[node] for node in order],
            "y": [y[node] for node in order],
            "aliases": {"0": ["The Hub", "Zentrum"]} if size else {},
        },
        "edges": {
            "source": [b - a for a, b in pairwise([0, *sources])], "target": [fact[1] for fact in facts],
            "predicate": [fact[2] for fact in facts], "method": [fact[3] for fact in facts],
            "strength": [fact[4] for fact in facts], "quotes": [0 if fact[3] else 1 for fact in facts],
        },
        "total": {"nodes": size, "edges": len(facts)},
        "quotes": "q",
    }  # fmt: skip


def quotes(data: dict[str, Any]) -> dict[int, dict[str, list[dict[str, Any]]]]:
    """The quote shards of a graph: shard → edge index → quotes."""
    shards: dict[int, dict[str, list[dict[str, Any]]]] = {}
    source = 0
    names, edges = data["nodes"]["name"], data["edges"]
    for index, (step, target) in enumerate(zip(edges["source"], edges["target"], strict=True)):
        source += step
        if edges["quotes"][index]:
            text = f"{names[source]} {data['predicates'][edges['predicate'][index]]} {names[target]}, it is said."
            quote = {"text": text, "doc": 0, "page": 3, "chunk": "c1", "href": "documents/a-text/#p3", "verified": True}
            shards.setdefault(source // QUOTES_A_FILE, {})[str(index)] = [quote]
    return shards


def map_of(size: int, *, seed: int = 1) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """A map of `size` entities in communities, and the data file of each community by its name."""
    rng = random.Random(seed)
    sizes: list[int] = []
    while (left := size - sum(sizes)) > 0:
        sizes.append(min(left, max(20, int(size * 0.08 / (len(sizes) + 1) ** 0.72))))
    files, communities = {}, []
    discs = _pack([0.62 * 40 * math.sqrt(amount) for amount in sizes])
    for index, amount in enumerate(sizes):
        data = graph(amount, seed=seed + index + 1, title=name(rng)) if index < 40 else {}
        file = f"c/{index}.json"
        if data:
            data["scope"] = "community"
            files[file] = data
        communities.append({
            "id": index, "name": name(rng), "slug": f"c{index}", "size": amount, "color": index if index < 12 else None,
            "members": [[data["nodes"]["slug"][n], data["nodes"]["name"][n]] for n in range(min(5, amount))] if data else [],
            "top": [], "x": discs[index][0], "y": discs[index][1], "r": discs[index][2], "data": file,
        })  # fmt: skip
    links = sorted({(rng.randrange(min(40, len(sizes))), rng.randrange(len(sizes))) for _ in range(3 * len(sizes))})
    links = [(a, b) for a, b in links if a < b]
    return {
        "format": 1, "scope": "map", "title": "A large collection", "root": "./", "types": [], "predicates": [],
        "methods": [""], "documents": [], "communities": communities,
        "nodes": {"slug": [], "name": [], "type": [], "community": [], "degree": [], "x": [], "y": [], "aliases": {}},
        "edges": {"source": [], "target": [], "predicate": [], "method": [], "strength": [], "quotes": []},
        "links": {
            "source": [a for a, _ in links], "target": [b for _, b in links],
            "weight": [rng.randint(1, 60) for _ in links],
        },
        "total": {"nodes": size, "edges": 2 * size}, "quotes": "q",
    }, files  # fmt: skip


def _communities(rng: random.Random, size: int) -> list[int]:
    amount = max(1, min(60, round(math.sqrt(size) * 0.65)))
    weights = [1 / (index + 1.5) ** 0.8 for index in range(amount)]
    member = sorted(rng.choices(range(amount), weights, k=size))
    ranks = sorted(set(member), key=lambda community: (-member.count(community), community))
    return sorted(ranks.index(community) for community in member)


def _pairs(rng: random.Random, member: list[int]) -> list[tuple[int, int]]:
    first: dict[int, int] = {}
    pairs = []
    hubs: dict[int, list[int]] = {}
    for node, community in enumerate(member):
        if community not in first:
            first[community] = node
            hubs[community] = [node]
            if node:
                pairs.append((rng.choice(hubs[rng.randrange(community)] if community else [0]), node))
            continue
        start = first[community]
        pairs.append((start + int((node - start) * rng.random() ** 2.6), node))
        hubs[community].append(pairs[-1][0])
        if rng.random() < 0.55:
            pairs.append((node, rng.choice(hubs[community])))
        if rng.random() < 0.22:
            pairs.append((node, rng.choice(hubs[rng.randrange(community + 1)])))
        if rng.random() < 0.1:
            pairs.append(pairs[-1] if rng.random() < 0.5 else pairs[-1][::-1])
    return pairs


def _positions(member: list[int]) -> tuple[list[int], list[int], list[tuple[int, int, int]]]:
    amount = max(member, default=-1) + 1
    sizes = [member.count(community) for community in range(amount)]
    discs = _pack([40 * math.sqrt(size) + 30 for size in sizes])
    x, y, seen = [], [], [0] * amount
    for community in member:
        rank = seen[community]
        seen[community] += 1
        angle = rank * math.pi * (3 - math.sqrt(5))
        reach = 40 * math.sqrt(rank + 0.5)
        x.append(round(discs[community][0] + reach * math.cos(angle)))
        y.append(round(discs[community][1] + reach * math.sin(angle)))
    return x, y, discs


def _pack(radii: list[float]) -> list[tuple[int, int, int]]:
    """Discs without overlap, each as near to the middle as it can be on a spiral."""
    placed: list[tuple[float, float, float]] = []
    for radius in radii:
        step = 0
        while True:
            angle, reach = step * 0.35, 6.0 * step
            x, y = reach * math.cos(angle), reach * math.sin(angle)
            if all(math.hypot(x - px, y - py) > radius + r + 12 for px, py, r in placed):
                break
            step += 1
        placed.append((x, y, radius))
    return [(round(x), round(y), round(radius)) for x, y, radius in placed]


def _names(rng: random.Random, size: int) -> list[str]:
    seen: dict[str, int] = {}
    names = []
    for _ in range(size):
        word = name(rng)
        seen[word] = seen.get(word, 0) + 1
        names.append(word if seen[word] == 1 else f"{word} {seen[word]}")
    return names


def _community_name(order: list[int], member: list[int], names: list[str], community: int) -> str:
    return next(names[node] for node in order if member[node] == community)
