"""The entities that a question mentions: by name, other name, folded name, then by rare words, prefixes and typos."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from kgsite.ask.records import How, Seed
from kgsite.ask.words import Token, bare, is_unspaced, stem, tokens
from kgsite.collection.identity import fold, kind, plain, singulars
from kgsite.model import Collection, CollectionEntity

_LONGEST_NAME = 12  # words of a question that one name may span
_LEAST_PREFIX = 4
_LEAST_COVER = 0.4  # share of a name's word weight that a question must have, when only words match
_PER_WORD = 3  # entities that one word of a question may bring in
_MOST_SURNAMED = 50  # entities that share a word; more of them say nothing
_SURNAMED = 0.5
_WEIGHTS: dict[How, float] = {"exact": 1.0, "alias": 1.0, "folded": 0.95, "words": 0.6}


class NameIndex:
    """Names of a collection, to be found in questions. Built once, about 20 µs an entity."""

    def __init__(self, collection: Collection, languages: tuple[str, ...]) -> None:
        """`languages` (ISO 639-1) say which articles and word lists count."""
        self._languages = languages
        self._entities = {entity.key: entity for entity in collection.entities}
        self._plain: dict[str, dict[str, How]] = defaultdict(dict)
        self._bare: dict[str, dict[str, How]] = defaultdict(dict)
        self._words: dict[str, list[str]] = defaultdict(list)
        self._longest_unspaced = 0
        for entity in collection.entities:
            for name in (entity.name, *entity.aliases):
                self._add(entity.key, name, "exact" if name == entity.name else "alias")
            for word in sorted({word for name in (entity.name, *entity.aliases) for word in bare(name).split()}):
                self._words[word].append(entity.key)
        self._vocabulary = sorted(self._words)

    def _add(self, key: str, name: str, how: How) -> None:
        for folded in {plain(name), *(fold(name, code) for code in self._languages)}:
            self._plain[folded].setdefault(key, how)
        self._bare[bare(name)].setdefault(key, how)
        if is_unspaced(name):
            self._longest_unspaced = max(self._longest_unspaced, len(plain(name)))

    # ── names ─────────────────────────────────────────────────────────────────────────────────────
    def named(self, question: str, function: frozenset[str]) -> tuple[list[Seed], list[Token]]:
        """(entities whose whole name stands in the question, in order; the words that belong to no name).

        `function`: the words that carry no content in the question's language.
        """
        row = tokens(question)
        seeds: list[Seed] = []
        left: list[Token] = []
        spans: list[tuple[int, int]] = []
        at = 0
        while at < len(row):
            if is_unspaced(row[at].text):
                found, spare = self._in_unspaced(row[at])
                seeds += found
                left += spare
                at += 1
                continue
            length, found = self._longest(question, row, at, function)
            seeds += found
            if length == 1:
                seeds += self._surnamed(row[at])
            elif length:
                spans.append((at, length))
            else:
                left.append(row[at])
            at += max(length, 1)
        for begin, length in spans:
            for token, found in self._shared(question, row, begin, length, function):
                if token in left:
                    left.remove(token)
                    seeds += found
        return _unique(seeds), left

    def _longest(
        self, question: str, row: Sequence[Token], at: int, function: frozenset[str]
    ) -> tuple[int, list[Seed]]:
        for length in range(min(_LONGEST_NAME, len(row) - at), 0, -1):
            if length == 1 and not _may_name(row[at], function, first=at == 0):
                continue
            found = self._lookup(question[row[at].start : row[at + length - 1].end])
            if found:
                return length, found
        return 0, []

    def _surnamed(self, token: Token) -> list[Seed]:
        """Those whose name ends with a word that is a whole name itself: "Curie" may mean the unit, or Marie Curie."""
        word = bare(token.text.removesuffix("'s").removesuffix("’s"))
        keys = self._words.get(word, ())
        if not word.isalpha() or not token.text[:1].isupper() or len(keys) > _MOST_SURNAMED:
            return []
        meant = [self._entities[key] for key in keys]
        meant = [entity for entity in meant if kind(entity.type) == "person" and bare(entity.name).endswith(f" {word}")]
        meant.sort(key=lambda entity: (-entity.degree, entity.key))
        return [self._seed(entity.key, "words", _SURNAMED) for entity in meant[:_PER_WORD]]

    def _shared(
        self, question: str, row: Sequence[Token], begin: int, length: int, function: frozenset[str]
    ) -> Iterator[tuple[Token, list[Seed]]]:
        """Words that share a part of a name: "the First and the Third Industrial Revolution", "Apollo 11 and 12"."""
        end = begin + length
        before = _beyond(row, begin - 1, -1, function)
        if before is not None:
            for kept in range(begin + 1, end):
                if found := self._lookup(f"{before.text} {question[row[kept].start : row[end - 1].end]}"):
                    yield before, found
                    break
        after = _beyond(row, end, 1, function)
        if after is not None:
            for kept in range(end - 1, begin, -1):
                if found := self._lookup(f"{question[row[begin].start : row[kept - 1].end]} {after.text}"):
                    yield after, found
                    break

    def _lookup(self, text: str) -> list[Seed]:
        unowned = text.removesuffix("'s").removesuffix("’s").rstrip("'’")
        for spelling in dict.fromkeys((text, unowned)):
            for folded in dict.fromkeys((plain(spelling), *(fold(spelling, code) for code in self._languages))):
                if found := self._plain.get(folded):
                    return [self._seed(key, self._how(key, spelling, how)) for key, how in found.items()]
        if found := self._bare.get(bare(unowned) or "\0"):
            return [self._seed(key, "folded") for key in found]
        for code in self._languages:
            for single in singulars(plain(unowned), code):
                if found := self._plain.get(single):
                    return [self._seed(key, "folded") for key in found]
        return []

    def _how(self, key: str, spelling: str, how: How) -> How:
        if how == "alias":
            return "alias"
        return "exact" if spelling == self._entities[key].name else "folded"

    def _in_unspaced(self, token: Token) -> tuple[list[Seed], list[Token]]:
        """Longest names inside a run of a script without spaces, left to right; what is between them."""
        text, at, began = token.text, 0, 0
        seeds: list[Seed] = []
        spare: list[Token] = []

        def close(end: int) -> None:
            if end > began:
                spare.append(Token(text[began:end], token.start + began, token.start + end))

        while at < len(text):
            for end in range(min(len(text), at + self._longest_unspaced), at, -1):
                if end - at == 1 and len(text) > 1:
                    continue  # one character inside a longer run is no name
                if found := self._plain.get(plain(text[at:end])):
                    close(at)
                    seeds += [self._seed(key, self._how(key, text[at:end], how)) for key, how in found.items()]
                    at = began = end
                    break
            else:
                at += 1
        close(len(text))
        return seeds, spare

    def _seed(self, key: str, how: How, weight: float = 0.0) -> Seed:
        entity = self._entities[key]
        return Seed(key, entity.name, entity.type, how, weight or _WEIGHTS[how])

    # ── words ─────────────────────────────────────────────────────────────────────────────────────
    def by_words(
        self, left: Iterable[Token], known: Callable[[str], bool], function: frozenset[str], *, alone: bool
    ) -> list[Seed]:
        """Entities whose names have rare words of the question; the best first.

        `known(stem)` says whether facts have a word: then it is not taken for a slip. `alone`: nothing was found by
        name, so that the words have to carry the question and must cover more of a name.
        """
        scores: dict[str, float] = defaultdict(float)
        for token in left:
            for word in bare(token.text).split():
                if word in function or (len(word) < 3 and not is_unspaced(word)):
                    continue
                for hit, quality in self._hits(word, known):
                    keys = self._words[hit]
                    for key in keys if len(keys) <= 50 else ():
                        scores[key] += self._rarity(hit) * quality
        ranked = []
        for key, score in scores.items():
            cover = score / max(sum(self._rarity(word) for word in bare(self._entities[key].name).split()), 0.001)
            if cover >= (_LEAST_COVER if alone else 0.5):
                ranked.append((round(score * min(cover, 1.0), 6), min(cover, 1.0), key))
        ranked.sort(key=lambda row: (-row[0], -self._entities[row[2]].degree, row[2]))
        best = ranked[0][0] if ranked else 0.0
        kept = [row for row in ranked if row[0] >= best * 0.5]
        share = 1.0 if alone else 0.8
        return [
            self._seed(key, "words", round(_WEIGHTS["words"] * share * (0.5 + cover / 2), 4))
            for _, cover, key in kept[: 2 * _PER_WORD]
        ]

    def having(self, word: str, known: Callable[[str], bool]) -> frozenset[str]:
        """Keys of the entities that `by_words` may find by this word."""
        hits = (hit for part in bare(word).split() for hit, _ in self._hits(part, known))
        return frozenset(key for hit in hits for key in self._words[hit])

    def _rarity(self, word: str) -> float:
        return math.log(1 + len(self._entities) / (1 + len(self._words.get(word, ()))))

    def _hits(self, word: str, known: Callable[[str], bool]) -> list[tuple[str, float]]:
        """(words of names, how well each fits 0–1) for a word of a question."""
        if word in self._words:
            return [(word, 1.0)]
        same = [other for other in self._starting(word[:_LEAST_PREFIX]) if stem(other) == stem(word)]
        if same:
            return [(other, 0.9) for other in same[:_PER_WORD]]
        if len(word) >= _LEAST_PREFIX:
            longer = [other for other in self._starting(word) if len(other) <= 2 * len(word)]
            if longer:
                return [(other, 0.7) for other in longer[:_PER_WORD]]
        if len(word) < 5 or known(stem(word)) or is_unspaced(word):
            return []
        allowed = 1 if len(word) < 8 else 2
        near = [(distance, other) for other in self._vocabulary if (distance := slips(word, other, allowed)) <= allowed]
        near.sort()
        return [(other, 0.8 / distance) for distance, other in near[:_PER_WORD] if distance == near[0][0]]

    def _starting(self, prefix: str) -> list[str]:
        at = bisect_left(self._vocabulary, prefix)
        found: list[str] = []
        while at < len(self._vocabulary) and self._vocabulary[at].startswith(prefix) and len(found) < 200:
            found.append(self._vocabulary[at])
            at += 1
        return found


def slips(one: str, other: str, most: int) -> int:
    """Edits between two words (insert, delete, replace, swap of neighbours), or `most` + 1 when there are more.

    Optimal string alignment; words that differ in their first two letters count as different.
    """
    if abs(len(one) - len(other)) > most or one[:1] not in other[:2] or other[:1] not in one[:2]:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]


def _may_name(token: Token, function: frozenset[str], *, first: bool) -> bool:
    """A single function word names something only where it is written like a name: WHO, It (in a sentence)."""
    if bare(token.text) not in function:
        return True
    return token.text.isupper() and len(token.text) > 1 and not first


def _beyond(row: Sequence[Token], at: int, step: int, function: frozenset[str]) -> Token | None:
    """The word on the other side of one to three little words ("and the"), or None."""
    for away in range(4):
        if not 0 <= at < len(row):
            return None
        if bare(row[at].text) not in function:
            return row[at] if away else None
        at += step
    return None


def _unique(seeds: Iterable[Seed]) -> list[Seed]:
    first: dict[str, Seed] = {}
    for seed in seeds:
        first.setdefault(seed.key, seed)
    return list(first.values())


def by_key(entity: CollectionEntity, how: How, weight: float) -> Seed:
    """An entity as a seed."""
    return Seed(entity.key, entity.name, entity.type, how, weight)
