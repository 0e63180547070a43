"""How long a build takes and how much memory: `python benchmarks/build.py [10 200 1000] [--peer PYTHON]`.

For each number of documents: the first build, the second one (nothing changed) and one with one sentence edited, each a
process of its own: seconds of the clock, seconds of processors and the peak of memory (children included, each by
itself). With `--peer` (a Python that has mkdocs), mkdocs builds as many pages of the same text in the same run: only the
ratio means something on another machine, and kgsite's first build reads and draws graphs that mkdocs doesn't have.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from make_site import make


@dataclass(frozen=True, slots=True)
class Cost:
    """One process: wall and processor seconds, peak memory in MB, exit code."""

    seconds: float
    processor: float
    memory: int
    code: int

    def row(self) -> str:
        return f"{self.seconds:8.2f} {self.processor:8.2f} {self.memory:8d}"


def run(command: Sequence[str], folder: Path) -> Cost:
    """Run a command to its end and measure it."""
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=quiet())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - began
    scale = 1024 if sys.platform != "darwin" else 1024 * 1024
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // scale, process.returncode)


def quiet() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", ""), "HOME": os.environ.get("HOME", ""), "LANG": "C.UTF-8"}


def edit(folder: Path) -> None:
    """Change one sentence of one document."""
    file = folder / "content/00000.md"
    file.write_text(file.read_text(encoding="utf-8").replace(" traf ", " heilte ", 1), encoding="utf-8")


def mkdocs_site(folder: Path, pages: int) -> None:
    """As many Markdown pages as kgsite makes, of the text of its documents."""
    sources = sorted((folder / "content").glob("*.md"))
    docs = folder / "peer/docs"
    docs.mkdir(parents=True)
    for number in range(pages):
        text = sources[number % len(sources)].read_text(encoding="utf-8")
        (docs / f"{number:05}.md").write_text(text, encoding="utf-8")
    (folder / "peer/mkdocs.yml").write_text("site_name: Peer\nplugins: []\n", encoding="utf-8")


def measure(documents: int, peer: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, documents)
        build = [sys.executable, "-m", "kgsite.cli", "build", "--quiet"]
        first = run(build, folder)
        pages = sum(1 for _ in (folder / "_site").rglob("*.html"))
        print(f"\n{documents} documents, {pages} pages       seconds  processor  MB", flush=True)
        print(f"  first build          {first.row()}", flush=True)
        print(f"  nothing changed      {run(build, folder).row()}", flush=True)
        edit(folder)
        print(f"  one sentence edited  {run(build, folder).row()}", flush=True)
        if peer:
            mkdocs_site(folder, pages)
            other = run([peer, "-m", "mkdocs", "build", "--quiet"], folder / "peer")
            ratio = first.processor / other.processor
            print(f"  mkdocs, {pages} pages  {other.row()}   kgsite takes {ratio:.2f} times as much", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=int, nargs="*", default=[10, 200, 1000])
    parser.add_argument("--peer", default="", metavar="PYTHON")
    given = parser.parse_args()
    for documents in given.documents:
        measure(documents, given.peer)
    print(f"\npeak of this script itself: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
