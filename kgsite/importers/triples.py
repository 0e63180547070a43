"""ai-knowledge-graph triples with `.meta.json` and `.txt` beside them (FORMATS.md section 3) → `Found`.

Triples are the only thing the file holds: entities are what they name, with the type that most of them state. The
tool lower-cases names; where the sentence of a triple writes a name with capitals (NASA), that spelling is taken.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kgsite.collection.casing import title_case
from kgsite.collection.identity import plain
from kgsite.errors import ImportGraphError, ReadError
from kgsite.importers import wording
from kgsite.importers.found import Found, Group, Passage, Statement, Tally, Text, Thing
from kgsite.importers.jsonsafe import load_json
from kgsite.importers.rows import evidence_of, short_triple
from kgsite.importers.seeded import grow
from kgsite.importers.values import name_of, number_of, ref_of, rows_of, text_of, texts_of, types_of
from kgsite.model import Evidence

LOWER_CASED = "triples"
"""Format of a file whose names are all in lower case; `kgsite.collection` shows those in title case."""

_SHORTEST_QUOTE = 12  # characters: shorter ones stand anywhere in a text


@dataclass(slots=True)
class _Name:
    """What all triples say of one name."""

    name: str
    types: Counter[str] = field(default_factory=Counter)
    spellings: Counter[str] = field(default_factory=Counter)
    passages: dict[str, None] = field(default_factory=dict)
    aliases: dict[str, None] = field(default_factory=dict)


def read_triples(tree: Any, file: Path) -> Found:
    """The triples of `tree`; the sidecars of `file` are read where they exist."""
    found = Found(LOWER_CASED)
    rows = tree["triples"] if isinstance(tree, Mapping) else tree
    if isinstance(tree, Mapping):
        for key in sorted(set(tree) - {"triples"}):
            found.tally.add(wording.BLOCKS, example=name_of(key, found.tally)[:40])
    names: dict[str, _Name] = {}
    for position, row in rows_of(rows, found.tally, triples=True):
        statement = _statement(row, position, names, found.tally)
        if statement is not None:
            found.statements.append(statement)
    if any(entry.name != entry.name.lower() for entry in names.values()):
        found.format = "triples-cased"
    shown = {key: _spelling(entry) for key, entry in names.items()}
    for statement in found.statements:
        statement.source, statement.target = shown[plain(statement.source)], shown[plain(statement.target)]
        statement.via = shown.get(plain(statement.via), statement.via)
    found.things = [_thing(entry, shown[key]) for key, entry in names.items()]
    meta = _meta(file, found.tally)
    _about(found, meta)
    found.title = found.title or _named_after(file, shown, found.language)
    _communities(found, meta, shown)
    text = _text(file, found.tally)
    found.texts = [Text("", "", text)] if text else []
    found.passages = list(_passages(found.statements, text))
    return found


# ── rows ──────────────────────────────────────────────────────────────────────────────────────────
def _statement(row: Any, position: int, names: dict[str, _Name], tally: Tally) -> Statement | None:
    if isinstance(row, list):
        short = short_triple(row, position, tally)
        if short is not None:
            for name in (short.source, short.target):
                names.setdefault(plain(name), _Name(name))
            if not plain(short.source) or not plain(short.target):
                return None
        return short
    if not isinstance(row, Mapping):
        tally.add(wording.ODD_ROWS, example=f"row {position}")
        return None
    subject, target = name_of(row.get("subject"), tally), name_of(row.get("object"), tally)
    if not plain(subject) or not plain(target):
        tally.add(wording.ENDLESS, example=f"row {position}")
        return None
    chunk = ref_of(row.get("chunk"))
    if row.get("document") not in (None, ""):
        chunk = f"{name_of(row['document'], tally)}:{chunk}"
    quotes = _quotes(row, chunk)
    for side, name in (("subject", subject), ("object", target)):
        entry = names.setdefault(plain(name), _Name(name))
        kind = types_of(row.get(f"{side}_type"), tally)[0]
        if kind:
            entry.types[kind] += 1
        entry.passages.update({chunk: None} if chunk else {})
        entry.aliases.update(dict.fromkeys(texts_of(row.get(f"{side}_aliases") or [], tally)))
        for quote in quotes:
            _spell(entry, quote.text)
    return Statement(
        source=subject,
        target=target,
        predicate=name_of(row.get("predicate"), tally),
        source_type=types_of(row.get("subject_type"), tally)[0],
        target_type=types_of(row.get("object_type"), tally)[0],
        description=_circumstances(row, tally),
        strength=number_of(row.get("strength")),
        passages=(chunk,) if chunk else (),
        evidence=quotes,
        inferred=row.get("inferred") is True,
        method=name_of(row.get("method"), tally),
        via=name_of(row.get("via"), tally),
    )


def _quotes(row: Mapping[str, Any], chunk: str) -> tuple[Evidence, ...]:
    """`evidence[]` of newer files, else the sentence in `source`."""
    quotes = tuple(evidence_of(row.get("evidence") or []))
    sentence = text_of(row.get("source")).strip()
    return quotes or ((Evidence(sentence, chunk),) if sentence else ())


def _circumstances(row: Mapping[str, Any], tally: Tally) -> str:
    """What newer files say beside the triple: when, who says so, and whether it is denied."""
    said = []
    for key in ("time", "attribution", "polarity"):
        value = name_of(row.get(key), tally)
        if value and (key, value.lower()) not in (("polarity", "positive"), ("polarity", "affirmed")):
            said.append(f"{key}: {value}")
    return "; ".join(said)


def _spell(entry: _Name, sentence: str) -> None:
    """Count how `sentence` writes the name; at its beginning a capital says nothing."""
    lower = sentence.lower()
    wanted = entry.name.lower()
    if len(lower) != len(sentence) or not wanted:
        return
    at = lower.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        alone = not (lower[at - 1 : at].isalnum() or lower[end : end + 1].isalnum())
        if alone:
            written = sentence[at:end]
            if at or sum(char.isupper() for char in written) > 1:
                entry.spellings[written] += 1
            return
        at = lower.find(wanted, end)


def _spelling(entry: _Name) -> str:
    """The name as most sentences write it, when that has capitals; else as the file has it."""
    if entry.name != entry.name.lower() or not entry.spellings:
        return entry.name
    best = min(entry.spellings, key=lambda text: (-entry.spellings[text], text))
    return best if best != best.lower() else entry.name


def _thing(entry: _Name, shown: str) -> Thing:
    ranked = sorted(entry.types, key=lambda kind: (-entry.types[kind], kind))
    attributes = {"other types": ", ".join(ranked[1:])} if len(ranked) > 1 else {}
    return Thing(
        name=shown,
        type=ranked[0] if ranked else "",
        passages=tuple(entry.passages),
        aliases=tuple(entry.aliases),
        attributes=attributes,
    )


# ── sidecars ──────────────────────────────────────────────────────────────────────────────────────
def _beside(file: Path, suffix: str, tally: Tally) -> bytes | None:
    from kgsite.readers.files import LIMITS, read_bytes

    side = file.with_name(file.name.removesuffix(file.suffix) + suffix)
    if not side.is_file() or side.is_symlink():
        return None
    try:
        return read_bytes(side, LIMITS["text"])
    except ReadError as error:
        tally.add(wording.SIDECAR, example=f"{suffix}: {error.message}")
        return None


def _meta(file: Path, tally: Tally) -> Mapping[str, Any]:
    data = _beside(file, ".meta.json", tally)
    if data is None:
        return {}
    try:
        meta = load_json(data, ".meta.json", tally)
    except ImportGraphError as error:
        tally.add(wording.SIDECAR, example=error.message)
        return {}
    return meta if isinstance(meta, Mapping) else {}


def _text(file: Path, tally: Tally) -> str:
    from kgsite.readers.characters import clean
    from kgsite.readers.encoding import decode

    data = _beside(file, ".txt", tally)
    return clean(decode(data).text) if data else ""


def _about(found: Found, meta: Mapping[str, Any]) -> None:
    tally = found.tally
    found.title = name_of(meta.get("title"), tally)
    found.summary = text_of(meta.get("summary")).strip()
    found.language = name_of(meta.get("language"), tally)
    found.license = name_of(meta.get("license"), tally)
    found.url = name_of(meta.get("url"), tally)
    found.model = name_of(meta["model"], tally) if isinstance(meta.get("model"), str) else ""


def _communities(found: Found, meta: Mapping[str, Any], shown: Mapping[str, str]) -> None:
    """The communities of the meta file, grown from their top members: the triples do not say who belongs where."""
    names = meta.get("community_names")
    names = names if isinstance(names, Mapping) else {}
    seeds: dict[str, list[str]] = {}
    for _position, row in rows_of(meta.get("communities"), found.tally):
        if not isinstance(row, Mapping):
            continue
        key = ref_of(row.get("id")) or f"#{len(found.groups)}"
        title = name_of(row.get("name") or names.get(key), found.tally)
        tops = [plain(name) for name in texts_of(row.get("top") or [], found.tally)]
        known = [shown[name] for name in tops if name in shown]
        if known:
            seeds[key] = known
            found.groups.append(Group(key, tuple(dict.fromkeys(filter(None, (title, *known))))))
        else:
            found.tally.add(wording.UNMATCHED_GROUPS, example=title[:60])
    if seeds:
        edges = [(statement.source, statement.target) for statement in found.statements]
        member_of = grow([thing.name for thing in found.things], edges, seeds)
        for thing in found.things:
            thing.group = member_of.get(thing.name, "")


def _named_after(file: Path, shown: Mapping[str, str], language: str) -> str:
    """The thing that the file is named after, in title case: "marie-curie.json" → "Marie Curie"."""
    name = shown.get(plain(re.sub(r"[-_.\s]+", " ", file.name.removesuffix(file.suffix))), "")
    return title_case(name, language or "en")


# ── text ──────────────────────────────────────────────────────────────────────────────────────────
def _passages(statements: list[Statement], text: str) -> Iterator[Passage]:
    """The chunks that triples number, with their place in the text: from the first sentence that is quoted of each
    to where the next one begins. Without a text they are numbers only; when their order makes no sense there are none.
    """
    numbers = sorted({key for statement in statements for key in statement.passages}, key=_natural)
    if not text:
        for key in numbers:
            yield Passage((key,))
        return
    spans = _spans(statements, text)
    known = [key for key in numbers if key in spans]
    starts = [0, *(spans[key][0] for key in known[1:])]
    if not known or any(":" in key for key in known) or starts != sorted(set(starts)):
        return
    for number, key in enumerate(known):
        following = starts[number + 1] if number + 1 < len(known) else len(text)
        last = min(spans[key][1], starts[number + 2] if number + 2 < len(known) else len(text))
        yield Passage((key,), start=starts[number], end=max(following, last))


def _natural(key: str) -> tuple[str, int, str]:
    head, _, tail = key.rpartition(":")
    return (head, int(tail), "") if re.fullmatch(r"\d{1,9}", tail) else (head, 0, tail)


def _spans(statements: list[Statement], text: str) -> dict[str, tuple[int, int]]:
    from kgsite.extract.evidence import FoldedText

    folded = FoldedText(text)
    places: dict[str, tuple[int, int] | None] = {}
    spans: dict[str, tuple[int, int]] = {}
    near = 0
    for statement in statements:
        for quote in statement.evidence:
            if not quote.chunk_id or len(quote.text) < _SHORTEST_QUOTE:
                continue
            if quote.text not in places:
                # Rows mostly follow the text: looking onwards first keeps the search short.
                places[quote.text] = folded.find(quote.text, near) or folded.find(quote.text)
            place = places[quote.text]
            near = place[0] if place else near
            if place is not None:
                start, end = spans.get(quote.chunk_id, place)
                spans[quote.chunk_id] = (min(start, place[0]), max(end, place[1]))
    return spans
