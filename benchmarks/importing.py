"""Time and memory of a ready-made graph on its way to a site: imported, stored, merged, laid out, rendered, published.

    python benchmarks/importing.py                 10,000 triples
    python benchmarks/importing.py 2000 10000

The triples are made up, with a fixed seed: names follow a power law as in real graphs, each triple has its sentence
and the text lies beside the file, a tenth is inferred, a hundredth repeats. Every stage runs in one process of its own,
so that the peak of memory is that of the whole way. Figures go to standard output as a table in Markdown.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_FIRST = [
    "ada",
    "ben",
    "cleo",
    "dora",
    "emil",
    "fritz",
    "gerda",
    "hugo",
    "ines",
    "jan",
    "karla",
    "lena",
    "mats",
    "nora",
    "oskar",
    "paula",
    "rosa",
    "sven",
    "tilda",
    "ute",
]
_LAST = [
    "north",
    "south",
    "stone",
    "field",
    "brook",
    "hill",
    "wood",
    "lake",
    "moor",
    "dale",
    "marsh",
    "ford",
    "port",
    "gate",
    "bridge",
    "well",
    "cross",
    "market",
]
_PREDICATES = [
    "founded",
    "works at",
    "located in",
    "wrote",
    "met",
    "studied with",
    "part of",
    "moved to",
    "owns",
    "discovered",
]
_TYPES = ["person", "organization", "place", "work", "event", "concept"]
_PER_CHUNK = 40


def write_triples(folder: Path, size: int) -> Path:
    """`size` triples with text and community names below `folder`."""
    chance = random.Random(7)
    names = [
        f"{_FIRST[n % 20]} {_LAST[n // 20 % 18]}{_LAST[n // 360 % 18]} {n}" for n in range(max(20, int(size * 0.4)))
    ]
    rows: list[dict[str, object]] = []
    sentences: list[str] = []
    while len(rows) < size:
        if rows and chance.random() < 0.01:
            rows.append(dict(chance.choice(rows)))
            continue
        one, other = (int(len(names) * chance.random() ** 2.2) for _ in range(2))
        predicate = chance.choice(_PREDICATES)
        row: dict[str, object] = {"subject": names[one], "predicate": predicate, "object": names[other]}
        if chance.random() < 0.1:
            row |= {"inferred": True, "method": "llm_bridge"}
        else:
            sentence = f"{names[one].title()} {predicate} {names[other].title()}, as report {len(sentences)} says."
            row |= {"subject_type": _TYPES[one % 6], "object_type": _TYPES[other % 6], "source": sentence}
            row["chunk"] = len(sentences) // _PER_CHUNK + 1
            sentences.append(sentence)
        rows.append(row)
    paragraphs = [" ".join(sentences[at : at + 8]) for at in range(0, len(sentences), 8)]
    (folder / "big.txt").write_text("\n\n".join(paragraphs), encoding="utf-8")
    tops = [{"id": n, "name": f"Around {names[n]}", "top": names[n : n + 1]} for n in range(20)]
    (folder / "big.meta.json").write_text(json.dumps({"communities": tops, "model": "none"}), encoding="utf-8")
    (folder / "big.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder / "big.json"


def measure(root: Path) -> dict[str, object]:
    """Seconds (wall and processor) of the import, and of a whole build of the project at `root`; peak memory in MB."""
    from kgsite.api import load_graph
    from kgsite.graphfile import dump

    began, used = time.perf_counter(), time.process_time()
    graph = load_graph(root / "content" / "big.json")
    found: dict[str, object] = {
        "entities": len(graph.entities),
        "relations": len(graph.relations),
        "import s": round(time.perf_counter() - began, 2),
        "import cpu s": round(time.process_time() - used, 2),
        "import MB": _peak(),
    }
    began = time.perf_counter()
    found["stored MB"] = round(len(dump(graph)) / 1e6, 1)
    found["dump s"] = round(time.perf_counter() - began, 2)
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "kgsite.cli", "build"], cwd=root, capture_output=True, text=True, check=False
    )
    found["build s"] = round(time.perf_counter() - began, 1)
    report = json.loads((root / ".kgsite" / "cache" / "report.json").read_text(encoding="utf-8"))
    found["stages"] = report.get("stages", report.get("seconds", {}))
    found["exit"] = done.returncode
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    found["build cpu s"] = round(children.ru_utime + children.ru_stime, 1)
    found["build MB"] = children.ru_maxrss // 1024
    site = [path.stat().st_size for path in (root / "_site").rglob("*") if path.is_file()]
    found["files"], found["site MB"] = len(site), round(sum(site) / 1e6, 1)
    return found


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main() -> None:
    """Measure every size in a process of its own."""
    if len(sys.argv) == 3 and sys.argv[1] == "--measure":
        print(json.dumps(measure(Path(sys.argv[2]))))
        return
    for size in [int(word) for word in sys.argv[1:]] or [10_000]:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "content").mkdir()
            (root / "site.toml").write_text('[site]\ntitle = "Triples"\n', encoding="utf-8")
            write_triples(root / "content", size)
            done = subprocess.run(
                [sys.executable, __file__, "--measure", folder], capture_output=True, text=True, check=True
            )
        print(f"\n| {size:,} triples | |\n|---|---|")
        for name, value in json.loads(done.stdout).items():
            print(f"| {name} | {value} |")


if __name__ == "__main__":
    main()
