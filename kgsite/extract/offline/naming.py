"""Which mentions of a document are one thing, and what kind of thing it is."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kgsite.extract.offline.lexicon import Lexicon
from kgsite.extract.offline.mentions import GERMAN_PLACE, SAINTS, Mention

_ACRONYM = re.compile(r"^\s?\(([^\W\d_][\w&-]{1,9})\)")
_PERSONAL = frozenset(["von", "van", "der", "den", "bin", "ibn"])
_PERSONAL_VERBS = frozenset(
    ("bear", "die", "marry", "nacer", "morir", "naître", "mourir", "sterben", "geboren", "nascer", "morrer", "nascere",
     "morire", "overlijden", "родиться", "умереть")
)  # fmt: skip
_LAST_CUE = ("en", "de", "nl")


@dataclass(frozen=True, slots=True)
class Naming:
    """Canonical name of each name written, its type, and the other names of each canonical one."""

    canonical: Mapping[str, str]
    types: Mapping[str, str]
    aliases: Mapping[str, tuple[str, ...]]
    main_person: str

    def of(self, name: str) -> tuple[str, str]:
        """(canonical name, type) of a name as written."""
        full = self.canonical.get(name, name)
        return full, self.types.get(full, "concept")


def settle(found: Iterable[tuple[str, list[Mention]]], words: Lexicon) -> Naming:
    """Look at all mentions of a document, each list with its sentence, and settle names and types."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    counts: Counter[str] = Counter()
    acronyms: dict[str, str] = {}
    for sentence, row in found:
        for mention in row:
            if mention.kind not in ("name", "term"):
                continue
            counts[mention.name] += 1
            if mention.kind == "term":
                votes[mention.name]["concept"] += 9
                continue
            if mention.type:
                votes[mention.name][mention.type] += 3
            short = _ACRONYM.match(sentence[mention.end :])
            if short and _abbreviates(short[1], mention.name):
                acronyms.setdefault(short[1], mention.name)
            _context_votes(votes[mention.name], sentence, mention, words)
    types = {name: _type(name, votes[name], words) for name in sorted(counts)}
    canonical = _persons(counts, types, words) | acronyms
    canonical = {name: full for name, full in canonical.items() if full not in canonical}
    aliases: dict[str, list[str]] = defaultdict(list)
    for name in sorted(canonical):
        if name in counts or name in acronyms:
            aliases[canonical[name]].append(name)
    totals: Counter[str] = Counter()
    for name, n in counts.items():
        full = canonical.get(name, name)
        if types.get(full) == "person":
            totals[full] += n
    main = min(totals, key=lambda name: (-totals[name], name)) if totals else ""
    return Naming(canonical, types, {name: tuple(also) for name, also in aliases.items()}, main)


def _abbreviates(short: str, name: str) -> bool:
    initials = "".join(word[0] for word in re.findall(r"\w+", name) if word[0].isupper()).casefold()
    return len(short) > 1 and short[0].isupper() and short.casefold() in (initials, initials + "s")


def _context_votes(votes: Counter[str], sentence: str, mention: Mention, words: Lexicon) -> None:
    before = re.findall(r"\w+|[^\w\s]", sentence[max(0, mention.start - 30) : mention.start].casefold())[-2:]
    after = re.findall(r"\w+|[^\w\s]", sentence[mention.end : mention.end + 30].casefold())[:2]
    if (
        before
        and before[-1] in words.place_prepositions
        and len([w for w in mention.name.split() if w[0].isupper()]) <= 2
    ):
        votes["place"] += 2
    if len(before) == 2 and before[0] in words.cues and before[1] in words.of:
        votes[words.cues[before[0]]] += 1
    if len(before) == 2 and before[0] in words.titles and before[1] in words.of:
        votes["person"] += 3
    if before and before[-1] in words.cues and words.language != "en":
        votes[words.cues[before[-1]]] += 1
    if before and before[-1] in words.articles and before[-1] not in words.prepositions:
        votes["no person"] += 2
    if before and before[-1].rstrip(".") in words.titles:
        votes["person"] += 4
    if after and after[0] not in words.conjunctions and any(words.verbs.get(word) in _PERSONAL_VERBS for word in after):
        votes["person"] += 2


def _type(name: str, votes: Counter[str], words: Lexicon) -> str:
    tokens = name.split()
    low = [token.casefold().strip(".") for token in tokens]
    scores = Counter({kind: n for kind, n in votes.items() if kind != "no person"})
    row = low[::-1] if words.language in _LAST_CUE else low
    if words.language == "en" and "of" in low:
        row = low[: low.index("of")][::-1] + row
    cued = next((words.cues[word] for word in row if word in words.cues), "")
    if not cued and words.language in ("de", "nl"):
        ends = [cue for word in row for cue in words.cues if len(cue) > 3 and word.endswith(cue)]
        longest = min(ends, key=lambda cue: (-len(cue), cue), default="")
        cued = words.cues[longest] if longest and not (len(tokens) > 1 and tokens[0] in words.given) else ""
    if cued:
        scores[cued] += 4
    if words.language == "de" and len(tokens) == 1 and GERMAN_PLACE.search(name):
        scores["place"] += 3
    if name in words.places:
        scores["place"] += 5
    if tokens[0] in words.given and not cued:
        scores["person"] += 5 if len(tokens) > 1 or words.language == "de" else 1
    elif len(tokens) in (2, 3, 4) and not cued and _person_like(tokens):
        scores["person"] += 2 - votes["no person"]
    if low[0] in SAINTS:
        scores["person"] -= 1  # Santa Marta is a town where the text says so
    if len(tokens) == 1 and name.isupper() and len(name) > 1:
        scores["organization"] += 2
    elif any(c.isdigit() for c in name):
        scores["technology"] += 2
    best = min(scores, key=lambda kind: (-scores[kind], kind)) if scores else ""
    return best if best and scores[best] > 0 else "concept"


def _person_like(tokens: list[str]) -> bool:
    if any(c.isdigit() for token in tokens for c in token) or any(t.isupper() and len(t) > 2 for t in tokens):
        return False
    capital = [token for token in tokens if token[0].isupper()]
    return len(capital) >= 2 and all(token[0].isupper() or token in _PERSONAL for token in tokens)


def _persons(counts: Counter[str], types: Mapping[str, str], words: Lexicon) -> dict[str, str]:
    """Surname or given name alone → the full name, when one person of the document stands out by it."""
    owners: dict[str, Counter[str]] = defaultdict(Counter)
    order = {name: index for index, name in enumerate(counts)}  # by first mention
    first = next((name for name in counts if types[name] == "person" and len(name.split()) > 1), "")
    for name in sorted(counts):
        tokens = name.split()
        if types[name] == "person" and len(tokens) > 1:
            for part in {tokens[0], tokens[-1]}:
                owners[part][name] += counts[name]
    result = {}
    for part, names in sorted(owners.items()):
        if part not in counts or part in words.places:
            continue
        ranked = sorted(names.items(), key=lambda item: (-item[1], order[item[0]]))
        leads = len(ranked) == 1 or ranked[0][1] >= 2 * ranked[1][1] or ranked[0][0] == first
        if leads:
            result[part] = ranked[0][0]
    return result
