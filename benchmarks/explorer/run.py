"""The explorer side by side with vis-network on the same graphs, positions and machine, in one run.

    python benchmarks/explorer/run.py [--rounds 3] [--sizes 200,2000,10000] [--out benchmarks/explorer/RESULTS.md]

Headless Chromium without a GPU. Measured for each: milliseconds from navigation to the first final drawing (median of
the rounds), and the mean time of a frame while panning and while zooming (what the browser's own frame clock says).
vis-network is installed by npm into a temporary folder. Both draw all nodes; kgsite also as it opens above 3,000.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "explorer"))
import generate  # noqa: E402
import pages  # noqa: E402

VIS = "10"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-webgl", "--no-first-run", "--disable-background-networking"]
FRAMES = 40
MAP_SIZE = 50_000

_DRAWN = """(() => performance.getEntriesByName('first-drawing').concat(
  performance.getEntriesByName('explorer:first-drawing'))[0]?.startTime ?? null)()"""
_CLOCK = """() => { window.frames_ = []; let last = null; window.ticking = true;
  const tick = now => { if (last !== null) frames_.push(now - last); last = now; if (ticking) requestAnimationFrame(tick); };
  requestAnimationFrame(tick); }"""
_STOP = "() => { window.ticking = false; return window.frames_; }"


def install_vis(folder: Path) -> tuple[Path, str]:
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is needed to fetch vis-network")
    subprocess.run(
        [npm, "install", "--silent", "--no-audit", "--no-fund", f"vis-network@{VIS}"], cwd=folder, check=True
    )
    package = folder / "node_modules" / "vis-network"
    version = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
    return package / "standalone" / "umd" / "vis-network.min.js", version


VIS_SCRIPT = """
const COLOURS = ['#3f68d0','#d97f0a','#2c9f63','#d2425a','#8d5bc4','#1896a8','#a87a16','#c0509b','#5d6f83','#6f9020',
  '#9c6749','#3a7fb5'];
const SHAPES = ['dot','square','diamond','triangle','hexagon','star','triangleDown','square','hexagon','dot'];
fetch(document.body.dataset.graph).then(r => r.json()).then(g => {
  const n = g.nodes, unit = 7;
  const nodes = n.name.map((label, id) => ({id, label, x: n.x[id], y: n.y[id], shape: SHAPES[g.types[n.type[id]].shape],
    size: unit * Math.min(4, 1 + 0.4 * Math.sqrt(n.degree[id])), color: COLOURS[n.community[id]] || '#8b93a1'}));
  let source = 0;
  const edges = g.edges.target.map((to, i) => { source += g.edges.source[i];
    return {from: source, to, arrows: 'to', dashes: g.edges.method[i] > 0}; });
  const network = new vis.Network(document.getElementById('net'), {nodes, edges}, {physics: false, layout: {
    improvedLayout: false}, edges: {smooth: false, color: '#9aa0aa'}, interaction: {hideEdgesOnDrag: false}});
  window.network = network;
  network.once('afterDrawing', () => { network.fit(); network.once('afterDrawing', () => performance.mark('first-drawing')); });
});
"""


def write_pages(folder: Path, vis: Path, sizes: list[int]) -> None:
    pages.write_assets(folder)
    shutil.copy(vis, folder / "vis.js")
    (folder / "vis-run.js").write_text(VIS_SCRIPT, encoding="utf-8")
    for size in sizes:
        pages.write_json(folder / f"g{size}.json", generate.graph(size))
        (folder / f"g{size}.html").write_text(pages.explorer_page(f"g{size}.json"), encoding="utf-8")
        (folder / f"vis{size}.html").write_text(
            '<!doctype html><meta charset="utf-8"><style>body{margin:0}#net{width:800px;height:730px}</style>'
            f'<link rel="preload" as="fetch" crossorigin href="g{size}.json"><body data-graph="g{size}.json"><div id="net"></div><script src="vis.js"></script>'
            '<script src="vis-run.js"></script>',
            encoding="utf-8",
        )
    overview, files = generate.map_of(MAP_SIZE)
    pages.write_json(folder / "map.json", overview)
    pages.write_json(folder / "c" / "0.json", files["c/0.json"])
    (folder / "map.html").write_text(pages.explorer_page("map.json"), encoding="utf-8")


def first_drawing(page: Page, address: str) -> float:
    page.goto(address)
    for _ in range(1200):
        drawn = page.evaluate(_DRAWN)
        if drawn is not None:
            return float(drawn)
        page.wait_for_timeout(50)
    raise SystemExit(f"{address} never drew")


def frames(page: Page, box: tuple[float, float], *, zoom: bool) -> float:
    """Mean milliseconds of a frame during `FRAMES` steps of a drag or of the wheel."""
    x, y = box
    page.mouse.move(x, y)
    page.evaluate(_CLOCK)
    if zoom:
        for step in range(FRAMES):
            page.mouse.wheel(0, -40 if step < FRAMES / 2 else 40)
    else:
        page.mouse.down()
        for step in range(FRAMES):
            page.mouse.move(x + 3 * (step if step < FRAMES / 2 else FRAMES - step), y + step)
        page.mouse.up()
    found = page.evaluate(_STOP)
    return statistics.fmean(found) if found else float("nan")


def measure(browser: Browser, address: str, box: tuple[float, float], rounds: int) -> dict[str, float]:
    drawings, pans, zooms = [], [], []
    for _ in range(rounds):
        context = browser.new_context(viewport={"width": 1400, "height": 880})
        page = context.new_page()
        drawings.append(first_drawing(page, address))
        page.wait_for_timeout(400)
        pans.append(frames(page, box, zoom=False))
        page.wait_for_timeout(300)
        zooms.append(frames(page, box, zoom=True))
        context.close()
    return {name: statistics.median(values) for name, values in (("draw", drawings), ("pan", pans), ("zoom", zooms))}


def run(sizes: list[int], rounds: int) -> str:
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        vis, version = install_vis(folder)
        write_pages(folder, vis, sizes)
        server, base = pages.serve(folder)
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        first_drawing(browser.new_page(), f"{base}g{sizes[0]}.html")  # warm the browser up
        rows: list[tuple[str, dict[str, float], dict[str, float] | None]] = []
        for size in sizes:
            theirs = measure(browser, f"{base}vis{size}.html", (400, 365), rounds)
            ours = measure(browser, f"{base}g{size}.html#all=1", (660, 480), rounds)
            rows.append((f"{size:,}", ours, theirs))
            if size > 3_000:
                rows.append(
                    (
                        f"{size:,}, as it opens (2,000 shown)",
                        measure(browser, f"{base}g{size}.html", (660, 480), rounds),
                        theirs,
                    )
                )
            print(rows[-1], file=sys.stderr)
        rows.append((f"map of {MAP_SIZE:,}", measure(browser, f"{base}map.html", (660, 480), rounds), None))
        entered = measure(browser, f"{base}map.html#community=c0", (660, 480), rounds)
        rows.append((f"a community of {generate_size(folder):,} of that map", entered, None))
        text = report(rows, version, browser.version, rounds)
        browser.close()
        server.shutdown()
    return text


def generate_size(folder: Path) -> int:
    graph: dict[str, Any] = json.loads((folder / "c" / "0.json").read_text(encoding="utf-8"))
    return len(graph["nodes"]["name"])


def report(rows: list[Any], vis: str, chromium: str, rounds: int) -> str:
    lines = [
        "## The explorer",
        "",
        f"Chromium {chromium}, headless, no GPU, no WebGL; {platform.machine()}, {rounds} rounds, medians; both sides in one",
        f"run, same data, same positions, 1400 × 880. Times in ms; vis-network {vis} in brackets, then how many times faster.",
        "",
        "| nodes | navigation → first final drawing | frame while panning | frame while zooming |",
        "|---|---|---|---|",
    ]
    for name, ours, theirs in rows:
        cells = [_cell(ours[key], theirs[key] if theirs else None) for key in ("draw", "pan", "zoom")]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += [
        "",
        "A frame can't be shorter than the 16.7 ms of the screen's clock. Run it again with",
        "`python benchmarks/explorer/run.py`.",
    ]
    return "\n".join(lines) + "\n"


def _cell(ours: float, theirs: float | None) -> str:
    if theirs is None:
        return f"{ours:,.0f}"
    return f"{ours:,.0f} ({theirs:,.0f}; {theirs / ours:.1f}×)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", default="200,2000,10000")
    parser.add_argument("--out", type=Path, default=HERE / "RESULTS.md")
    options = parser.parse_args()
    text = run([int(size) for size in options.sizes.split(",")], options.rounds)
    options.out.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
