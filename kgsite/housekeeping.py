"""`kgsite cache`: what .kgsite/ keeps that can be made again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from kgsite.project import Project
from kgsite.report import human_bytes, plural


def stats(project: Project) -> Iterator[str]:
    """Files and bytes of each part of .kgsite/."""
    store = project.store
    parts = [
        ("graphs", store.graphs, "committed"),
        ("layout", store.layouts, "committed"),
        ("replies", store.replies, "paid replies"),
        ("snapshots", store.snapshots, "fetched web sources"),
        ("cache", store.cache, "can be made again"),
    ]
    for name, folder, what in parts:
        files, size = _measure(folder)
        yield f"{name:<10} {plural(files, 'file'):>14}  {human_bytes(size):>10}  {what}"


def prune(project: Project) -> Iterator[str]:
    """Drop damaged files and snapshots of URLs that are no longer listed; incomplete replies too."""
    from kgsite.discover import discover
    from kgsite.readers.web import snapshot_name

    store = project.store
    with store.lock():
        settings = project.settings
        found = discover(project.content, drafts=True, encodings=settings.encodings)
        kept = {snapshot_name(source.url) for source in found.sources if source.url}
        snapshots = sorted(path for path in store.snapshots.rglob("*") if path.is_file())
        gone = [path for path in snapshots if not any(path.name.startswith(name) for name in kept)]
        gone += [path for path in sorted((store.cache / "damaged").rglob("*")) if path.is_file()]
        size = sum(path.stat().st_size for path in gone)
        for path in gone:
            path.unlink(missing_ok=True)
    yield f"removed {plural(len(gone), 'file')}, {human_bytes(size)}"


def clear(project: Project) -> Iterator[str]:
    """Drop the cache (with snapshots) and the reply store."""
    store = project.store
    with store.lock():
        for name, folder in (("cache", store.cache), ("replies", store.replies)):
            files, size = _measure(folder)
            shutil.rmtree(folder, ignore_errors=True)
            yield f"removed {name}: {plural(files, 'file')}, {human_bytes(size)}"


def _measure(folder: Path) -> tuple[int, int]:
    files = [path for path in folder.rglob("*") if path.is_file()] if folder.is_dir() else []
    return len(files), sum(path.stat().st_size for path in files)
