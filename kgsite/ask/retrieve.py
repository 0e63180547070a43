"""Question → the facts of the graph that bear on it: seeds, what lies around them, what the question's words point to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kgsite.ask.index import GraphIndex
from kgsite.ask.names import by_key
from kgsite.ask.paths import paths_between
from kgsite.ask.records import How, Path, RankedFact, Retrieved, Seed, Theme, Turn
from kgsite.ask.words import (
    Token,
    bare,
    idle_stems,
    is_unspaced,
    languages_of,
    relations,
    stem,
    tokens,
    word_set,
    words,
)
from kgsite.config.settings import QuerySettings
from kgsite.site import urls

_HUB = 2_000  # facts; what an entity with more of them is linked with is not followed further
_POSTINGS = 3_000  # facts; a word that more have says nothing
_EARLIER = 4  # entities of an earlier question that a follow-up goes on with
_BY_FACTS = 4  # entities taken from facts whose words the question has
_HIT = 0.34  # share of the question's word weight that makes a fact a hit on its own
_FORMED = 6  # letters; shorter function words have no other forms that matter
_ELLIPSIS = 4  # words; a question as short as that goes on with the one before
_OTHER_FORM = 0.7  # worth of a word that only begins like the one asked for
_ANCHORS = 8  # best facts whose passages are looked at for more
_PLACES = 2  # quotes of each
_NEAR_BY = 400  # characters
_NAMED: frozenset[How] = frozenset({"exact", "alias", "folded", "earlier"})
_SURE = 0.4  # weight of what was found by words, from which on the question is about it
_THEMES = 8
_THEME_FACTS = 6
_DIGIT = re.compile(r"\d")
_PLAIN_KINDS = {"who": "person", "when": "date", "where": "place"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question as read: its telling words by weight, and the kinds of thing it asks for."""

    languages: tuple[str, ...]  # that it may be asked in
    stems: Mapping[str, float]  # stem → weight: the fewer facts have it, the more it tells
    spelt: Mapping[str, str]  # stem → word as asked
    having: Mapping[str, Mapping[int, float]]  # stem → fact number → how well it has that word (0–1)
    kinds: frozenset[str]  # person, date, place, amount
    broad: bool

    @property
    def known(self) -> float:
        """Share of the words' weight that lies on words which any fact has."""
        whole = sum(self.stems.values())
        return sum(weight for word, weight in self.stems.items() if self.having[word]) / whole if whole else 0.0

    @property
    def function(self) -> frozenset[str]:
        return word_set("function", self.languages)


def retrieve(
    index: GraphIndex, question: str, query: QuerySettings, *, history: Sequence[Turn] = (), named: Sequence[str] = ()
) -> Retrieved:
    """The subgraph for a question, best facts first.

    `named` are entity keys that the model found in the question; `history` are earlier turns, oldest first. Nothing
    found gives an empty result, never an error. Always the same for the same graph, question and history.
    """
    languages = languages_of(question, index.languages)
    whole, left = index.names.named(question, word_set("function", languages))
    wanted = _read(index, question, left, languages)
    seeds = _seeds(index, question, wanted, whole, left, history, named)[: query.max_seed_entities]
    if not seeds and (wanted.broad or not wanted.stems):
        return _about_everything(index, question, query)
    hits = _hits(wanted)
    if not seeds:
        hits = {number: score * wanted.known for number, score in hits.items()}
        seeds = _from_facts(index, hits)[: query.max_seed_entities]
    paths = paths_between(index, [seed.key for seed in seeds if seed.how not in ("facts", "earlier")])
    around = _around(index, seeds, query.hops)
    ranked = _rank(index, wanted, seeds, paths, around, hits)
    if query.hops:
        best = [item for item in ranked if item.distance <= 1][:_ANCHORS]
        ranked = _rank(index, wanted, seeds, paths, around, hits, _beside(index, best))
    chosen = _choose(ranked, paths, query.max_triples)
    return Retrieved(question, tuple(seeds), chosen, paths, unspoken=_unspoken(index, wanted, seeds, chosen))


# ── reading the question ──────────────────────────────────────────────────────────────────────────
def _read(index: GraphIndex, question: str, left: Sequence[Token], languages: tuple[str, ...]) -> Wanted:
    function = word_set("function", languages)
    broad = word_set("broad", languages)
    passed = function.union(broad, *(word_set(kind, languages) for kind in ("who", "when")))
    idle = {word for word in idle_stems(languages) if len(word) >= _FORMED}  # "connected" stands for "connects", too
    spelt: dict[str, str] = {}
    for token in left:
        for part in _parts(token.text, languages):
            for word in words(part):
                if word not in passed and stem(word) not in idle and len(word) > 1:
                    spelt.setdefault(stem(word), part if is_unspaced(part) or len(words(part)) == 1 else word)
    kinds = {name for asked, name in _PLAIN_KINDS.items() if _has(question, word_set(asked, languages))}
    if _has(question, word_set("amount", languages)):
        kinds.add("amount")
    having = {found: _having(index, found) for found in spelt}
    weights = {found: round(index.rarity(len(facts)), 6) for found, facts in having.items()}
    return Wanted(languages, weights, spelt, having, frozenset(kinds), _has(question, broad))


def _parts(text: str, languages: tuple[str, ...]) -> list[str]:
    """A run of a script without spaces, cut at the little words of the language."""
    if not is_unspaced(text):
        return [text]
    little = {word for kind in ("function", "who", "when", "where", "amount") for word in word_set(kind, languages)}
    cuts = sorted((word for word in little if is_unspaced(word)), key=lambda word: (-len(word), word))
    return [part for part in re.split("|".join(map(re.escape, cuts)), text) if part] if cuts else [text]


def _has(question: str, listed: Iterable[str]) -> bool:
    found = {word for token in tokens(question) for word in bare(token.text).split()}
    return any(word in question if is_unspaced(word) else word in found for word in listed)


# ── seeds ─────────────────────────────────────────────────────────────────────────────────────────
def _seeds(
    index: GraphIndex,
    question: str,
    wanted: Wanted,
    whole: Sequence[Seed],
    left: Sequence[Token],
    history: Sequence[Turn],
    named: Sequence[str],
) -> list[Seed]:
    by_words = index.names.by_words(left, lambda word: word in index.having, wanted.function, alone=not whole)
    if wanted.broad and not whole:
        by_words = []
    found = [*whole, *(by_key(index.entities[key], "model", 0.9) for key in named if key in index.entities), *by_words]
    first: dict[str, Seed] = {}
    for seed in found:
        first.setdefault(seed.key, seed)
    for seed in _earlier(index, question, wanted, history, found):
        first.setdefault(seed.key, seed)
    return sorted(first.values(), key=lambda seed: -seed.weight)


def _earlier(
    index: GraphIndex, question: str, wanted: Wanted, history: Sequence[Turn], found: Sequence[Seed]
) -> list[Seed]:
    """Entities that a follow-up goes on with: those that its pronouns mean, or all when it names nothing itself."""
    kept = next((turn.seeds for turn in reversed(history) if turn.seeds), ())
    kept = tuple(seed for seed in kept if seed.key in index.entities)[:_EARLIER]
    meant = {kind for kind in ("person", "thing", "group") if _has(question, word_set(kind, wanted.languages))}
    if wanted.broad and not meant & {"person", "group"}:
        return []  # "What is this about?" asks about the whole, whatever was asked before
    if not kept or (found and not meant and len(tokens(question)) > _ELLIPSIS):
        return []
    if meant == {"person"} and any(index.kind(seed.key) == "person" for seed in kept):
        kept = tuple(seed for seed in kept if index.kind(seed.key) == "person")
    if meant == {"thing"} and any(index.kind(seed.key) != "person" for seed in kept):
        kept = tuple(seed for seed in kept if index.kind(seed.key) != "person")
    return [by_key(index.entities[seed.key], "earlier", round(0.9 * seed.weight, 4)) for seed in kept]


def _from_facts(index: GraphIndex, hits: Mapping[int, float]) -> list[Seed]:
    """Entities of the facts that the question's words hit best."""
    ranked = sorted(hits.items(), key=lambda item: (-item[1], item[0]))
    best = ranked[0][1] if ranked else 0.0
    found: dict[str, Seed] = {}
    how: How = "facts"
    for number, score in ranked:
        if score < max(_HIT, best * 0.8) or len(found) >= _BY_FACTS:
            break
        for key in (index.facts[number].source, index.facts[number].target):
            found.setdefault(key, by_key(index.entities[key], how, round(0.5 * min(score, 1.0), 4)))
    return list(found.values())[:_BY_FACTS]


# ── facts ─────────────────────────────────────────────────────────────────────────────────────────
def _around(index: GraphIndex, seeds: Sequence[Seed], hops: int) -> dict[int, int]:
    """Fact number → steps from the nearest seed, for all facts fewer than `hops` steps away."""
    distance = {seed.key: 0 for seed in seeds}
    level = list(distance)
    facts: dict[int, int] = {}
    for step in range(hops):
        following: list[str] = []
        for key in level:
            numbers = index.facts_of.get(key, ())
            if step and len(numbers) > _HUB:
                continue
            for number in numbers:
                facts.setdefault(number, step)
                fact = index.facts[number]
                other = fact.target if fact.source == key else fact.source
                if other not in distance:
                    distance[other] = step + 1
                    following.append(other)
        level = following
    if not hops:
        keys = set(distance)
        facts = {n: 0 for key in distance for n in index.facts_of.get(key, ()) if _ends(index, n) <= keys}
    return facts


def _ends(index: GraphIndex, number: int) -> set[str]:
    return {index.facts[number].source, index.facts[number].target}


def _hits(wanted: Wanted) -> dict[int, float]:
    """Fact number → share that it has of the weight of those words of the question which any fact has."""
    known = sum(weight for word, weight in wanted.stems.items() if wanted.having[word])
    scores: dict[int, float] = {}
    for word, numbers in wanted.having.items():
        for number, quality in numbers.items():
            scores[number] = scores.get(number, 0.0) + wanted.stems[word] / known * quality
    return scores


def _having(index: GraphIndex, word: str) -> dict[int, float]:
    """Fact number → how well it has a word (0–1): says it, means the same relation, or has it in the text around."""
    found: dict[int, float] = {}
    for form in index.forms(word):
        share = 1.0 if form == word else _OTHER_FORM
        numbers = index.having.get(form, ())
        for number in numbers if len(numbers) <= _POSTINGS else ():
            quality = share * (1.0 if form in index.words[number].said else 0.45)
            found[number] = max(found.get(number, 0.0), quality)
    for name in relations(word):
        numbers = index.related.get(name, ())
        for number in numbers if len(numbers) <= _POSTINGS else ():
            found[number] = max(found.get(number, 0.0), 0.8)
    return found


def _beside(index: GraphIndex, ranked: Sequence[RankedFact]) -> frozenset[int]:
    """Facts that were read from the same passages as the best ones: what follows from them often stands there."""
    found: set[int] = set()
    for item in ranked:
        for evidence in item.fact.evidence[:_PLACES]:
            at = evidence.evidence.start
            for place, number in index.passages[evidence.document, evidence.evidence.chunk_id]:
                if at is None or place is None or abs(place - at) <= _NEAR_BY:
                    found.add(number)
    return frozenset(found)


def _rank(
    index: GraphIndex,
    wanted: Wanted,
    seeds: Sequence[Seed],
    paths: Sequence[Path],
    around: Mapping[int, int],
    hits: Mapping[int, float],
    beside: frozenset[int] = frozenset(),
) -> list[RankedFact]:
    weights = {seed.key: seed.weight for seed in seeds}
    on_path = {id(fact) for path in paths for fact in path.facts}
    named = _is_about(seeds)
    asked = _beside_names(index, wanted, seeds)
    numbers = set(around) | beside | {number for number, score in hits.items() if score >= _HIT}
    numbers |= {number for number, fact in enumerate(index.facts) if id(fact) in on_path} if on_path else set()
    ranked = []
    for number in sorted(numbers):
        said, kind = hits.get(number, 0.0), _kind_bonus(index, wanted, number, weights)
        close = max(_closeness(index, number, around.get(number), weights), 0.3 if number in beside else 0.0)
        off = named and not close
        if named and weights.keys().isdisjoint(_ends(index, number)):
            kind /= 2  # somebody beside the one that is named is seldom who was asked about
        fact = index.facts[number]
        score = (0.7 if off else 3.0) * said + close + kind + (1.0 if id(fact) in on_path else 0.0)
        score += 0.15 * (fact.strength - 1) / 9 - (0.15 if fact.inferred else 0.0)
        score += 0.1 if any(item.evidence.verified for item in fact.evidence) else 0.0
        has = sum(weight * wanted.having[word].get(number, 0.0) for word, weight in asked.items())
        spoken = (has >= _HIT * sum(asked.values()) > 0 and not off) or _ends(index, number) <= set(weights)
        ranked.append((round(score, 6), number, RankedFact(fact, round(score, 6), around.get(number, 9), spoken)))
    ranked.sort(key=lambda row: (-row[0], row[1]))
    return [row[2] for row in ranked]


def _is_about(seeds: Sequence[Seed]) -> bool:
    """Whether the question names something, so that a fact which is not near it says nothing about it."""
    return any(seed.how in _NAMED or (seed.how == "words" and seed.weight >= _SURE) for seed in seeds)


def _beside_names(index: GraphIndex, wanted: Wanted, seeds: Sequence[Seed]) -> dict[str, float]:
    """The question's words by weight without those by which a seed was found: what it asks about the seeds."""
    keys = {seed.key for seed in seeds if seed.how == "words"}
    return {
        word: weight
        for word, weight in wanted.stems.items()
        if keys.isdisjoint(index.names.having(wanted.spelt[word], lambda found: found in index.having))
    }


def _closeness(index: GraphIndex, number: int, steps: int | None, weights: Mapping[str, float]) -> float:
    touched = sorted((weights[key] for key in _ends(index, number) if key in weights), reverse=True)
    if touched:
        return 0.8 * touched[0] + (0.6 * touched[1] if len(touched) > 1 else 0.0)
    return {1: 0.25, 2: 0.1}.get(steps or 0, 0.0)


def _kind_bonus(index: GraphIndex, wanted: Wanted, number: int, weights: Mapping[str, float]) -> float:
    """Whether a fact holds what the question asks for: a person for "who", a date for "when", …"""
    others = [key for key in _ends(index, number) if key not in weights] or list(_ends(index, number))
    kinds = {index.kind(key) for key in others}
    digits = any(_DIGIT.search(index.entities[key].name) for key in others)
    dated = "date" in kinds or digits
    bonus = 0.5 if "person" in wanted.kinds & kinds else 0.0
    if "place" in wanted.kinds:
        placed = index.words_of_predicate(number) & word_set("at", wanted.languages + index.languages)
        bonus = max(bonus, 0.6 if "place" in kinds else 0.4 if placed and not dated else 0.0)
    if "date" in wanted.kinds and dated:
        bonus = max(bonus, 0.6)
    return max(bonus, 0.4) if "amount" in wanted.kinds and digits else bonus


def _choose(ranked: Sequence[RankedFact], paths: Sequence[Path], most: int) -> tuple[RankedFact, ...]:
    """The best `most` facts; those of a path between mentioned entities are among them."""
    needed = {id(fact) for path in paths for fact in path.facts}
    first = [item for item in ranked if id(item.fact) in needed][:most]
    kept = {id(item.fact) for item in first}
    rest = [item for item in ranked if id(item.fact) not in kept][: most - len(first)]
    kept |= {id(item.fact) for item in rest}
    return tuple(item for item in ranked if id(item.fact) in kept)


def _unspoken(
    index: GraphIndex, wanted: Wanted, seeds: Sequence[Seed], chosen: Sequence[RankedFact]
) -> tuple[str, ...]:
    """Words of the question that no fact has which was chosen and is about what it names, in any form recognised."""
    named = _is_about(seeds)
    chosen = [item for item in chosen if item.distance <= 1 or not named]
    numbers = {id(fact): number for number, fact in enumerate(index.facts)} if wanted.stems else {}
    seen: set[str] = set()
    meant: set[str] = set()
    for item in chosen:
        found = index.words[numbers[id(item.fact)]] if numbers else None
        if found is not None:
            seen |= found.said | found.around
            meant |= found.relations
    missing = [
        word
        for word in _beside_names(index, wanted, seeds)
        if seen.isdisjoint(index.forms(word)) and meant.isdisjoint(relations(word))
    ]
    return tuple(dict.fromkeys(wanted.spelt[word] for word in missing))


# ── the whole ─────────────────────────────────────────────────────────────────────────────────────
def _about_everything(index: GraphIndex, question: str, query: QuerySettings) -> Retrieved:
    """The largest communities and the strongest facts inside each, in turn."""
    themes: list[Theme] = []
    columns: list[list[RankedFact]] = []
    for community in index.collection.communities[:_THEMES]:
        members = [index.entities[key] for key in community.members if key in index.entities]
        names = tuple(entity.name for entity in members[:8])
        page = urls.community_page(community.slug)
        themes.append(Theme(community.name, community.description, names, page))
        inside = {entity.key for entity in members}
        numbers = {
            n for entity in members[:20] for n in index.facts_of.get(entity.key, ()) if _ends(index, n) <= inside
        }
        columns.append([RankedFact(index.facts[n], 0.0, 0) for n in sorted(numbers, key=lambda n: _telling(index, n))])
    rows = [column[at] for at in range(_THEME_FACTS) for column in columns if at < len(column)]
    if not columns:
        best = sorted(range(len(index.facts)), key=lambda n: _telling(index, n))
        rows = [RankedFact(index.facts[n], 0.0, 0) for n in best[: _THEMES * _THEME_FACTS]]
    return Retrieved(question, facts=tuple(rows[: query.max_triples]), themes=tuple(themes), broad=True)


def _telling(index: GraphIndex, number: int) -> tuple[bool, float, int]:
    fact = index.facts[number]
    degrees = index.entities[fact.source].degree + index.entities[fact.target].degree
    return fact.inferred, -round(fact.strength * (1 + min(degrees, 60)), 6), number
