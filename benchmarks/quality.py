"""How good the offline extractors are: `python benchmarks/quality.py [FOLDER] [--show N]`.

FOLDER (default: content/, else benchmarks/data/triples) holds `<name>.txt` with `<name>.json`, a list of triples
{subject, predicate, object, …}. Of them the extracted ones count, not the inferred. Scored is what a document
graph would hold: entities that stand in at least one relation.

Names are normalised (case, accents, articles, punctuation, plain plurals) and matched leniently: equal, or all
words of the shorter in the longer, or half of their words in common. A relation is found when a pair of its two
entities matches in either direction, whatever the predicate.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import re
import resource
import subprocess
import sys
import time
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgsite.extract.extractor import ExtractJob, Extractor
from kgsite.model import Block, Chunk, Document, Extraction, Relation, Source, SourcePath

HERE = Path(__file__).resolve().parent
EXTRACTORS = {
    "english": ("kgsite.extract.offline.english", "EnglishExtractor"),
    "core": ("kgsite.extract.offline.core", "CoreExtractor"),
}
_SMALL = frozenset(
    ["the", "a", "an", "of", "and", "in", "for", "to", "on", "at", "by", "with", "its", "his", "her", "their"]
)

Pair = tuple[frozenset[str], frozenset[str]]


# ── names ─────────────────────────────────────────────────────────────────────────────────────────
def words(name: str) -> frozenset[str]:
    """The normalised content words of a name."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    plain = plain.replace("ł", "l").replace("'s", " ").replace("’s", " ")
    found = [_singular(word) for word in re.findall(r"[^\W_]+", plain)]
    return frozenset(word for word in found if word not in _SMALL) or frozenset(found)


def _singular(word: str) -> str:
    if len(word) > 3 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def same(first: frozenset[str], second: frozenset[str]) -> bool:
    """True when two normalised names match leniently."""
    if not first or not second:
        return False
    common = len(first & second)
    return common == min(len(first), len(second)) or 2 * common >= len(first | second)


def _pair(first: str, second: str) -> Pair:
    a, b = sorted((words(first), words(second)), key=sorted)
    return a, b


def pair_matches(first: Pair, second: Pair) -> bool:
    (a, b), (c, d) = first, second
    return (same(a, c) and same(b, d)) or (same(a, d) and same(b, c))


# ── scores ────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Score:
    entity_recall: float
    entity_precision: float
    relation_recall: float
    relation_precision: float
    entities: int
    relations: int


def _share(hits: int, total: int) -> float:
    return hits / total if total else 0.0


def score(found: Iterable[tuple[str, str]], gold: Iterable[tuple[str, str]]) -> Score:
    """Recall and precision of pairs of names against the pairs of the sample graph."""
    ours = {_pair(a, b) for a, b in found}
    theirs = {_pair(a, b) for a, b in gold}
    our_names = {name for pair in ours for name in pair}
    their_names = {name for pair in theirs for name in pair}
    return Score(
        _share(sum(any(same(g, o) for o in our_names) for g in their_names), len(their_names)),
        _share(sum(any(same(g, o) for g in their_names) for o in our_names), len(our_names)),
        _share(sum(any(pair_matches(g, o) for o in ours) for g in theirs), len(theirs)),
        _share(sum(any(pair_matches(g, o) for g in theirs) for o in ours), len(ours)),
        len(our_names),
        len(ours),
    )


# ── documents ─────────────────────────────────────────────────────────────────────────────────────
def document(path: Path) -> Document:
    """A text file as a document of paragraphs (blank lines between them)."""
    text = re.sub(r"[ \t]+\n", "\n", path.read_text(encoding="utf-8").replace("\r\n", "\n")).strip() + "\n"
    blocks = tuple(Block(m.start(), m.end(), "paragraph") for m in re.finditer(r"[^\n]+(?:\n[^\n]+)*", text))
    source = Source(SourcePath(path.name), "text", path)
    return Document(id=path.name, source=source, text=text, blocks=blocks, language="en")


def chunks(item: Document) -> tuple[Chunk, ...]:
    """kgsite's own chunks where the chunker is there, else one for each paragraph."""
    try:
        chunker = importlib.import_module("kgsite.extract.chunk")
    except ModuleNotFoundError:
        return tuple(
            Chunk(
                f"{item.id}-{k}",
                k,
                item.text[b.start : b.end],
                b.start,
                b.end,
                (b.end - b.start) // 4,
                own_start=b.start,
            )
            for k, b in enumerate(item.blocks)
        )
    made: tuple[Chunk, ...] = chunker.chunk(item, max_tokens=400, overlap_tokens=50)
    return made


def load_extractor(name: str) -> Extractor | None:
    """The extractor of that name, or None when it is not there or can't be used (the reason goes to stderr)."""
    module, cls = EXTRACTORS[name]
    try:
        extractor: Any = getattr(importlib.import_module(module), cls)()
    except (ModuleNotFoundError, AttributeError):
        return None
    reason = extractor.available() if hasattr(extractor, "available") else None
    if reason:
        print(f"{name}: {reason}", file=sys.stderr)
        return None
    loaded: Extractor = extractor
    return loaded


def extract(extractor: Extractor, item: Document, parts: tuple[Chunk, ...] | None = None) -> Extraction:
    parts = chunks(item) if parts is None else parts
    for _, outcome in extractor.extract([ExtractJob(item, parts, "en")]):
        if isinstance(outcome, Extraction):
            return outcome
        raise outcome
    raise RuntimeError("the extractor gave no outcome")


def relations(extraction: Extraction) -> list[Relation]:
    return [relation for chunk in extraction.chunks for relation in chunk.relations]


def gold_pairs(path: Path) -> list[tuple[str, str]]:
    data = json.loads(path.read_text(encoding="utf-8"))
    triples = data["triples"] if isinstance(data, dict) else data
    return [(t["subject"], t["object"]) for t in triples if not t.get("inferred")]


def samples(folder: Path) -> list[Path]:
    """Texts with a list of triples beside them."""
    found = []
    for path in sorted(folder.rglob("*.txt")):
        graph = path.with_suffix(".json")
        if graph.exists() and '"subject"' in graph.read_text(encoding="utf-8")[:2000]:
            found.append(path)
    return found


# ── the table ─────────────────────────────────────────────────────────────────────────────────────
def _speed(name: str, texts: Sequence[Path]) -> dict[str, float]:
    """Start time, words a second and peak memory, measured in a process of its own."""
    command = [sys.executable, __file__, "--speed", name, *map(str, texts)]
    measured: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return measured


def _whole(item: Document) -> tuple[Chunk, ...]:
    """One chunk, so that the chunker's tokeniser is not measured with the extractor."""
    return (Chunk("whole", 0, item.text, 0, len(item.text), 1),)


def measure(name: str, texts: Sequence[Path]) -> dict[str, float]:
    """The body of `_speed`: start is wall time up to the first sentence; then all texts ten times over.

    Words are counted a second of processor time, which a busy machine changes little.
    """
    began = time.perf_counter()
    extractor = load_extractor(name)
    if extractor is None:
        raise SystemExit(f"{name} can't be used")
    first = Document("s", Source(SourcePath("s"), "text", None), "Ada wrote notes.", (Block(0, 16, "paragraph"),))
    extract(extractor, first, _whole(first))
    start = time.perf_counter() - began
    items = [document(path) for path in texts] * 10
    total = sum(len(item.text.split()) for item in items)
    began = time.process_time()
    for item in items:
        extract(extractor, item, _whole(item))
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"start": start, "words": total / seconds, "memory": peak}


def show(name: str, texts: Sequence[Path], number: int, seed: int) -> None:
    """Prints triples drawn at random (fixed seed) with their sentences, to be judged by a reader."""
    extractor = load_extractor(name)
    if extractor is None:
        return
    drawn = [(path.stem, relation) for path in texts for relation in relations(extract(extractor, document(path)))]
    for place, (stem, relation) in enumerate(random.Random(seed).sample(drawn, min(number, len(drawn))), 1):
        print(f"{place:3} [{stem}] {relation.source} ({relation.source_type}) — {relation.type} → "
              f"{relation.target} ({relation.target_type}) {relation.strength:.0f}")  # fmt: skip
        print(f"      {relation.evidence[0].text if relation.evidence else '(no evidence)'}")


def table(folder: Path) -> None:
    texts = samples(folder)
    if not texts:
        raise SystemExit(f"no <name>.txt with <name>.json below {folder}")
    for name in EXTRACTORS:
        extractor = load_extractor(name)
        if extractor is None:
            continue
        print(f"{name:10} {'entities':>8} {'recall':>7} {'prec.':>6}   {'relations':>9} {'recall':>7} {'prec.':>6}")
        rows = []
        for path in texts:
            pairs = [(r.source, r.target) for r in relations(extract(extractor, document(path)))]
            row = score(pairs, gold_pairs(path.with_suffix(".json")))
            rows.append(row)
            print(f"{path.stem[:24]:24} {row.entities:4} {row.entity_recall:6.2f} {row.entity_precision:6.2f}"
                  f"   {row.relations:9} {row.relation_recall:7.2f} {row.relation_precision:6.2f}")  # fmt: skip
        mean = [sum(getattr(row, key) for row in rows) / len(rows) for key in Score.__slots__[:4]]
        print(f"{'mean':24}      {mean[0]:6.2f} {mean[1]:6.2f}             {mean[2]:7.2f} {mean[3]:6.2f}")
        speed = _speed(name, texts)
        print(f"{speed['words']:,.0f} words/s · start {speed['start']:.1f} s · peak memory {speed['memory']:.0f} MB\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="folder with <name>.txt and <name>.json")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N random triples instead of the table")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--extractor", default="english", choices=sorted(EXTRACTORS))
    parser.add_argument("--texts", nargs="*", type=Path, help="with --show: texts without graphs")
    parser.add_argument("--speed", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.speed:
        print(json.dumps(measure(arguments.speed[0], [Path(path) for path in arguments.speed[1:]])))
        return
    folder = arguments.folder
    if folder is None:
        folder = HERE.parent / "content"
        if not folder.is_dir() or not samples(folder):
            folder = HERE / "data" / "triples"
    if arguments.show:
        show(arguments.extractor, arguments.texts or samples(folder), arguments.show, arguments.seed)
    else:
        table(folder)


if __name__ == "__main__":
    main()
