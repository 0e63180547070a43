"""The built site: links, sizes, and whether it can be published as it is."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from kgsite.checking.findings import Finding, at_most
from kgsite.checking.links import Pages
from kgsite.project import Project

MB = 1_000_000
SITE_WARNING, SITE_LIMIT, FILE_LIMIT = 500 * MB, 1_000 * MB, 100 * MB
"""GitHub Pages: 1 GB a site; git: 100 MB a file."""
PAGE_BUDGET, EXPLORER_BUDGET = 100_000, 400_000
"""Compressed bytes of a page, without and with the explorer."""
_SAMPLED = 40
_MOST = 50


def check(project: Project) -> Iterator[Finding]:
    """Everything about the output folder; only a warning when there is none."""
    output = project.output
    if not (output / "index.html").is_file():
        hint = "kgsite build makes it"
        yield Finding("publishing", "warning", "there is no built site to check", project.settings.build.output, hint)
        return
    yield from _links(project, output)
    yield from _sizes(output)
    yield from _publishing(project, output)


def _links(project: Project, output: Path) -> Iterator[Finding]:
    pages = Pages(output, unquote(urlsplit(project.settings.site.base_url).path.rstrip("/")) + "/")
    broken = [Finding("links", "error", f"{one.link[:200]}: {one.why}", one.page) for one in pages.broken()]
    yield from at_most(broken, _MOST, "links", "error", "broken links")
    if not broken:
        count = sum(len(links) for links in pages.links.values())
        yield Finding("links", "ok", f"{count:,} links and anchors in {len(pages.links):,} pages lead somewhere")


# ── sizes ─────────────────────────────────────────────────────────────────────────────────────────
def _sizes(output: Path) -> Iterator[Finding]:
    sizes = {file: file.stat().st_size for file in output.rglob("*") if file.is_file()}
    total = sum(sizes.values())
    if total > SITE_LIMIT:
        yield Finding("size", "error", f"the site has {total / MB:,.0f} MB; GitHub Pages takes 1,000 MB")
    elif total > SITE_WARNING:
        yield Finding("size", "warning", f"the site has {total / MB:,.0f} MB; GitHub Pages takes 1,000 MB")
    for file, size in sorted(sizes.items()):
        if size > FILE_LIMIT:
            name = file.relative_to(output).as_posix()
            yield Finding("size", "error", f"{size / MB:,.0f} MB; hosts refuse files above 100 MB", name)
    yield from _heavy_pages(output, sizes)
    yield Finding("size", "ok", f"{len(sizes):,} files, {total / MB:,.1f} MB")


def _heavy_pages(output: Path, sizes: dict[Path, int]) -> Iterator[Finding]:
    """The largest pages, compressed as a server sends them; downloads below data/ are none."""
    data = output / "data"
    pages = [file for file in sizes if file.suffix == ".html" and not file.is_relative_to(data)]
    for file in sorted(pages, key=lambda one: (-sizes[one], one))[:_SAMPLED]:
        name = file.relative_to(output).as_posix()
        budget = EXPLORER_BUDGET if "graph/" in name else PAGE_BUDGET
        if sizes[file] <= budget:
            continue
        packed = len(gzip.compress(file.read_bytes(), 6))
        if packed > budget:
            yield Finding(
                "size", "warning", f"{packed / 1000:,.0f} kB compressed; at most {budget // 1000} kB is good", name
            )


# ── publishing ────────────────────────────────────────────────────────────────────────────────────
def _publishing(project: Project, output: Path) -> Iterator[Finding]:
    for name, why in (("404.html", "unknown addresses"), (".nojekyll", "GitHub Pages would leave out files")):
        if not (output / name).is_file():
            yield Finding("publishing", "error", f"it is missing ({why})", name, "kgsite build makes it")
    for file in sorted(output.rglob("*")):
        if file.is_symlink():
            yield Finding("publishing", "error", "a link to another file", file.relative_to(output).as_posix())
    yield from _foreign(output)
    yield from _changed(project, output)
    yield from _secrets(project, output)


_LOADED = re.compile(
    rb"""<(?:script|img|iframe|source|audio|video|embed|object)\b[^>]*\s(?:src|data)\s*=\s*["']?\s*(?:https?:)?//"""
    rb"""|<link\b[^>]*\srel=["']?(?:stylesheet|preload|icon)[^>]*\shref\s*=\s*["']?(?:https?:)?//"""
)


def _foreign(output: Path) -> Iterator[Finding]:
    for file in sorted(output.rglob("*.html")):
        if _LOADED.search(file.read_bytes()):
            yield Finding(
                "publishing", "error", "the page loads from another site", file.relative_to(output).as_posix()
            )


def _changed(project: Project, output: Path) -> Iterator[Finding]:
    """Files that are not as the last build left them."""
    from kgsite.site import load_manifest

    entries = load_manifest(project.store.manifest_file).entries
    gone = [path for path in sorted(entries) if not (output / path).is_file()]
    moved = [p for p in sorted(entries) if p not in gone and (output / p).stat().st_size != entries[p].size]
    for path, why in ((gone, "deleted"), (moved, "changed")):
        for name in path[:_MOST]:
            yield Finding("publishing", "error", f"it was {why} after the build", name, "kgsite build repairs it")


def _secrets(project: Project, output: Path) -> Iterator[Finding]:
    from kgsite.site.scan import scan, secrets_of

    files = (file for file in sorted(output.rglob("*")) if file.is_file())
    texts = ((file.relative_to(output).as_posix(), file.read_bytes()) for file in files)
    found = list(scan(texts, secrets_of(project.world.environ, project.root, Path.home())))
    for one in found:
        yield Finding(
            "publishing", "error", f"it holds {one.what}", one.path, "take it out of its source and build again"
        )
    if not found:
        yield Finding("publishing", "ok", "no key and no path of this machine is published")
