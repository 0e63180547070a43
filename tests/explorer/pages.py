"""Small pages around the explorer, as the site makes them: classic scripts, no inline code, the site's CSP."""

from __future__ import annotations

import html
import json
import shutil
import threading
import tomllib
from collections.abc import Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from kgsite.site.assets import script_words, vendor_script
from kgsite.site.bundle import bundle
from kgsite.site.theme import _flatten
from kgsite.site.words import Words

THEME = Path(__file__).parents[2] / "themes" / "default"
STATIC = THEME / "static"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'"
)

_DARK = "--ink:#eceae4;--paper:#14171c;--muted:#9aa3b0;--line:#333a45;--accent:#7fb0ff;color-scheme:dark"
PAGE_STYLE = (
    ":root{--ink:#1d1d22;--paper:#fdfdfb;--muted:#5f6570;--line:#d9d8d2;--accent:#1f5fbf;color-scheme:light}"
    f":root[data-theme=dark]{{{_DARK}}}@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{_DARK}}}}}"
    "body{margin:0;font-family:system-ui;background:var(--paper);color:var(--ink)}"
    "h1{margin:0;padding:1.5rem 1rem;font-size:1.2rem}"
)


def modules() -> dict[str, str]:
    """All scripts of the theme, as the bundler wants them."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((STATIC / "js").glob("*.js"))}


def ui_words(language: str = "en") -> bytes:
    """The script with the words of the scripts."""
    texts = _flatten(tomllib.loads((THEME / "i18n" / f"{language}.toml").read_text(encoding="utf-8")))
    return script_words(Words(language, texts, {}))


def write_assets(folder: Path, entries: tuple[str, ...] = ("explorer",)) -> None:
    shutil.copytree(STATIC / "vendor", folder / "vendor", dirs_exist_ok=True)
    joined = vendor_script("explorer", lambda name: (STATIC / "vendor" / name).read_bytes())
    (folder / "vendor" / "explorer.js").write_bytes(joined)
    shutil.copytree(STATIC / "css", folder / "css", dirs_exist_ok=True)
    (folder / "ui-words.js").write_bytes(ui_words())
    (folder / "page.css").write_text(PAGE_STYLE, encoding="utf-8")
    for entry in entries:
        (folder / f"{entry}.js").write_text(bundle(f"{entry}.js", modules()), encoding="utf-8")


def island(name: str, data: Any) -> str:
    text = json.dumps(data).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return f'<script type="application/json" id="{name}">{text}</script>'


def explorer_page(
    graph_file: str = "graph.json",
    *,
    islands: str = "",
    theme: str = "",
    embedded: bool = False,
    above: str = "",
    search: str = "",
) -> str:
    """One page with an explorer, and with content after it so that the page itself scrolls."""
    return f"""<!doctype html><html lang="en"{f' data-theme="{theme}"' if theme else ""}><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{html.escape(CSP)}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>A graph</title>
<link rel="icon" href="data:,">{"" if islands else f'<link rel="preload" as="fetch" crossorigin href="{graph_file}">'}<link rel="stylesheet" href="page.css"><link rel="stylesheet" href="css/explorer.css">
<script defer src="vendor/explorer.js"></script><script defer src="ui-words.js"></script><script defer src="explorer.js"></script></head><body class="explorer-page"{f' data-search-index="{search}" data-search-engine="vendor/minisearch.js"' if search else ""}><h1>A graph</h1>{above}
<section id="explorer" class="explorer" data-graph="{graph_file}" data-root="./"{" data-embedded" if embedded else ""}>
</section>{islands}<details id="explorer-table"><summary>The graph as a table</summary></details></body></html>"""


def write_json(path: Path, data: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, separators=(",", ":")), encoding="utf-8")


def write_graph(folder: Path, data: Mapping[str, Any], shards: Mapping[int, Any], name: str = "graph.json") -> None:
    write_json(folder / name, data)
    for number, shard in shards.items():
        write_json(folder / "q" / f"{number}.json", shard)


def write_map_search(folder: Path, communities: list[dict[str, Any]]) -> None:
    """A search index (kgsite/site/search.py) of the entities of a map's first communities."""
    records = [
        {"t": "e", "n": name, "y": 0, "u": f"entities/{slug}/index.html", "w": degree, "g": number}
        for number, data in enumerate(communities)
        for slug, name, degree in list(zip(*(data["nodes"][key] for key in ("slug", "name", "degree")), strict=True))[
            :300
        ]
    ]
    about = {"format": 1, "types": [{"label": "Concept", "shape": 0}], "names": 1, "words": [], "texts": 0, "block": 1,
             "counts": {"names": len(records), "texts": 0, "left_out": 0}}  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in (("index", about), ("names-0", records)):
        (folder / f"{name}.js").write_text(f'kgsiteSearchShard("{name}",{json.dumps(data)});', encoding="utf-8")


class _Quiet(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections stay open, as on any real server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


def serve(folder: Path) -> tuple[ThreadingHTTPServer, str]:
    """A server of `folder` on a free port of this machine, in a thread: (server, address)."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}/"
