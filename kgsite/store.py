"""The .kgsite folder: one build at a time, atomic files, document graphs, layouts, permalinks, the index.

Committed: graphs/, layout/, permalinks.json, communities.json. Not committed: cache/, replies/, lock. A damaged file is set aside
under cache/damaged/ and counts as missing; it never stops a build.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgsite.errors import KgsiteError, StoreError
from kgsite.foldnames import fold_path
from kgsite.model import DocumentGraph, Layout, SourcePath

if TYPE_CHECKING:
    from kgsite.collection import CommunityMemory, Permalinks
    from kgsite.warm import Memory

FORMAT = 1
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\%\ud800-\udfff]')
_LONGEST_SEGMENT = 180  # bytes; leaves room for .json and a temporary suffix below 255
_TEMPORARY = ".tmp-"
Warn = Callable[[str], None]


def sha256(data: bytes) -> str:
    """Hex digest of bytes."""
    return hashlib.sha256(data).hexdigest()


def write_atomic(path: Path, data: bytes) -> bool:
    """Write bytes so that readers see the old file or the new one, also after a crash.

    Temporary file in the same folder, fsync, rename, fsync of the folder. A file that holds these bytes already is
    not touched; returns whether anything was written.
    """
    with contextlib.suppress(OSError):
        if path.stat().st_size == len(data) and path.read_bytes() == data:
            return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=_TEMPORARY, dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise
        _sync_folder(path.parent)
    except OSError as error:
        message = f"{path.name} can't be written: {error.strerror}"
        raise StoreError(message, hint="check free space and permissions; nothing that was there is lost") from error
    return True


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@lru_cache(maxsize=1 << 16)
def state_name(path: str) -> str:
    """A content path as a path below graphs/: reversible for ordinary names, hashed where it would not fit."""
    return "/".join(_segment(part) for part in path.split("/"))


def _segment(part: str) -> str:
    safe = _UNSAFE.sub(lambda found: f"%{ord(found.group()):02X}", part)
    if safe in {".", ".."}:
        safe = safe.replace(".", "%2E")
    if len(safe.encode()) > _LONGEST_SEGMENT:
        cut = safe.encode()[: _LONGEST_SEGMENT - 20].decode("utf-8", "ignore")
        safe = f"{cut}~{sha256(part.encode('utf-8', 'surrogatepass'))[:16]}"
    return safe


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """What the decision "unchanged" needs of a stored graph, without parsing it."""

    graph_hash: str
    source_hash: str
    settings_hash: str
    language: str
    failed_chunks: int = 0
    notes: tuple[str, ...] = ()  # what reading and repairing it left to be said, at every build


def entry_of(graph: DocumentGraph, graph_hash: str) -> IndexEntry:
    """The entry of a stored graph whose file has this SHA-256."""
    return IndexEntry(
        graph_hash,
        graph.provenance.source_hash,
        graph.provenance.settings_hash,
        graph.language,
        sum(chunk.status == "failed" for chunk in graph.chunks),
        graph.notes,
    )


class Store:
    """State of one project."""

    def __init__(self, root: Path, memory: Memory | None = None) -> None:
        self.root = root
        self.memory = memory
        self.folder = root / ".kgsite"
        self.graphs = self.folder / "graphs"
        self.spares = self.graphs / "%spare"  # no content path is stored under such a name
        self.layouts = self.folder / "layout"
        self.cache = self.folder / "cache"
        self.replies = self.folder / "replies"
        self.permalinks = self.folder / "permalinks.json"
        self.communities = self.folder / "communities.json"
        self.index_file = self.cache / "index.json"
        self.manifest_file = self.cache / "manifest.json"
        self.report_file = self.cache / "report.json"
        self.log_file = self.cache / "build.log"
        self.snapshots = self.cache / "snapshots"

    @contextlib.contextmanager
    def lock(self, *, wait: float = 0.0) -> Iterator[None]:
        """Hold the project for one build; the kernel frees it when the process dies. Raises StoreError."""
        from filelock import FileLock, Timeout

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            held = FileLock(self.folder / "lock", timeout=wait)
            held.acquire()
        except Timeout:
            message = "another kgsite is building this project"
            raise StoreError(message, hint="wait for it to end, or stop it; its lock goes with it") from None
        except OSError as error:
            message = f".kgsite can't be used: {error.strerror}"
            raise StoreError(message, hint="the project folder must be writable") from error
        try:
            yield
        finally:
            held.release()

    def sweep(self) -> None:
        """Remove the temporary files that a killed run left; only under the lock. Replies are left to `cache prune`."""
        for folder, below, names in os.walk(self.folder):
            if folder == str(self.folder) and self.replies.name in below:
                below.remove(self.replies.name)
            for name in names:
                if name.startswith(_TEMPORARY):
                    with contextlib.suppress(OSError):
                        Path(folder, name).unlink()

    # ── document graphs ───────────────────────────────────────────────────────────────────────────
    def graph_file(self, path: SourcePath) -> Path:
        return self.graphs / f"{state_name(path)}.json"

    def graph_bytes(self, path: SourcePath) -> bytes | None:
        try:
            return self.graph_file(path).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            message = f"a stored graph can't be read: {error.strerror}"
            raise StoreError(message) from error

    def digest(self, file: Path) -> str:
        """SHA-256 of a file. Raises OSError."""
        return self.memory.digest(file) if self.memory is not None else sha256(file.read_bytes())

    def graph_digest(self, path: SourcePath) -> str | None:
        """SHA-256 of the stored graph, or None when there is none. Raises StoreError."""
        if self.memory is not None:
            with contextlib.suppress(OSError):
                return self.memory.digest(self.graph_file(path))
        data = self.graph_bytes(path)
        return None if data is None else sha256(data)

    def load_graph(self, path: SourcePath, warn: Warn) -> DocumentGraph | None:
        """The stored graph, or None when there is none or it is damaged (then set aside, with a warning)."""
        if self.memory is None:
            return self._load_graph(path, warn)
        digest = self.graph_digest(path)
        kept = self.memory.graphs.get(path)
        if kept is not None and kept[0] == digest:
            return kept[1]
        graph = self._load_graph(path, warn)
        if graph is not None and digest is not None:
            self.memory.graphs[path] = (digest, graph)
        return graph

    def _load_graph(self, path: SourcePath, warn: Warn) -> DocumentGraph | None:
        from kgsite.graphfile import load

        data = self.graph_bytes(path)
        if data is None:
            return None
        try:
            graph = load(data)
        except KgsiteError as error:
            self.set_aside(self.graph_file(path))
            warn(f"the stored graph was damaged and is set aside: {error.message}")
            return None
        if graph.provenance.source != path:
            if fold_path(graph.provenance.source) != fold_path(path):  # else it was renamed where case does not count
                warn(f"the stored graph belongs to {graph.provenance.source} and is not used")
            return None
        return graph

    def load_graph_file(self, file: Path) -> DocumentGraph | None:
        """The graph in one of `stored_graphs`, whoever's it is; None when it is damaged."""
        from kgsite.graphfile import load

        try:
            return load(file.read_bytes())
        except (KgsiteError, OSError):
            return None

    def spare_graph(self, file: Path) -> Path:
        """Keep a stored graph a second time, under a name that no source has; a later build finds it as an orphan."""
        data = file.read_bytes()
        spare = self.spares / f"{sha256(data)[:32]}.json"
        write_atomic(spare, data)
        return spare

    def save_graph(self, graph: DocumentGraph) -> bytes:
        """Write a document graph; returns its bytes."""
        from kgsite.graphfile import dump

        data = dump(graph)
        write_atomic(self.graph_file(graph.provenance.source), data)
        return data

    def drop_spare(self, spare: Path) -> None:
        """Take away what `spare_graph` made."""
        spare.unlink(missing_ok=True)
        _remove_empty(self.spares, self.graphs)

    def stored_graphs(self) -> list[Path]:
        """All graph files, sorted."""
        return sorted(self.graphs.rglob("*.json")) if self.graphs.is_dir() else []

    def orphans(self, paths: Iterable[SourcePath], unread: Iterable[str] = ()) -> list[Path]:
        """Graph files of other sources than these, sorted; not those below `unread` folders, which may hold anything."""
        keep = {self.graph_file(path) for path in paths}
        unknown = tuple(f"{self.graphs / state_name(folder)}{os.sep}" for folder in unread)
        return [file for file in self.stored_graphs() if file not in keep and not str(file).startswith(unknown)]

    def prune_graphs(self, orphans: Iterable[Path], paths: Iterable[SourcePath]) -> list[Path]:
        """Delete the `orphans`, but not the graphs of these sources; returns what is gone.

        Where the disk does not tell upper from lower case, the graph of a source may be listed under another spelling.
        """
        gone: list[Path] = []
        spelt: dict[str, Path] | None = None
        for file in orphans:
            if spelt is None:
                spelt = {fold_path(str(kept)): kept for kept in map(self.graph_file, paths)}
            if not _respelt(file, spelt.get(fold_path(str(file)))):
                file.unlink(missing_ok=True)
                _remove_empty(file.parent, self.graphs)
                gone.append(file)
        return gone

    def set_aside(self, path: Path) -> None:
        """Move a damaged file to cache/damaged/, so that it can be looked at and is in nobody's way."""
        target = self.cache / "damaged" / state_name(path.relative_to(self.folder).as_posix()).replace("/", "%2F")
        with contextlib.suppress(OSError):
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)

    # ── the index ─────────────────────────────────────────────────────────────────────────────────
    def load_index(self) -> dict[SourcePath, IndexEntry]:
        """Content path → entry; empty when missing or damaged (it is only a short cut)."""
        content = self.load_checked(self.index_file)
        try:
            entries = content.get("graphs", {}).items()
            return {
                SourcePath(path): IndexEntry(**{**entry, "notes": tuple(entry["notes"])}) for path, entry in entries
            }
        except (TypeError, AttributeError, KeyError):
            return {}

    def save_index(self, entries: Mapping[SourcePath, IndexEntry]) -> None:
        graphs = {
            path: {name: getattr(entry, name) for name in IndexEntry.__dataclass_fields__}
            for path, entry in sorted(entries.items())
        }
        self.save_checked(self.index_file, {"graphs": graphs})

    def load_checked(self, path: Path) -> dict[str, Any]:
        """A JSON file of ours with a checksum; {} when it is missing, damaged or of another version."""
        import orjson

        try:
            head, _, body = path.read_bytes().partition(b"\n")
            if head != f"kgsite {FORMAT} {sha256(body)}".encode():
                return {}
            content = orjson.loads(body)
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}

    def save_checked(self, path: Path, content: Mapping[str, Any]) -> None:
        import orjson

        body = orjson.dumps(content, option=orjson.OPT_SORT_KEYS)
        write_atomic(path, f"kgsite {FORMAT} {sha256(body)}\n".encode() + body)

    def save_permalinks(self, permalinks: Permalinks) -> None:
        write_atomic(self.permalinks, permalinks.dump())

    def save_communities(self, memory: CommunityMemory) -> None:
        write_atomic(self.communities, memory.dump())

    # ── layouts ───────────────────────────────────────────────────────────────────────────────────
    def layout_file(self, name: str) -> Path:
        return self.layouts / f"{state_name(name)}.json"

    def load_layouts(self, names: list[str], warn: Warn) -> dict[str, Layout]:
        """The stored positions of these graphs; damaged ones are set aside."""
        from kgsite.collection.layout import load_layout

        found: dict[str, Layout] = {}
        for name in names:
            try:
                found[name] = load_layout(self.layout_file(name).read_bytes())
            except (FileNotFoundError, NotADirectoryError):
                continue
            except (OSError, ValueError) as error:
                self.set_aside(self.layout_file(name))
                warn(f"the stored layout of {name} was damaged and is made anew: {error}")
        return found

    def save_layouts(self, layouts: Mapping[str, Layout]) -> None:
        """Write positions that changed and delete those of graphs that are gone."""
        from kgsite.collection.layout import dump_layout

        for name, layout in layouts.items():
            write_atomic(self.layout_file(name), dump_layout(layout))
        keep = {self.layout_file(name) for name in layouts}
        for path in sorted(self.layouts.rglob("*.json")) if self.layouts.is_dir() else []:
            if path not in keep:
                path.unlink(missing_ok=True)
                _remove_empty(path.parent, self.layouts)


def _respelt(file: Path, kept: Path | None) -> bool:
    """Whether `file` is the file `kept` under another spelling; it then gets this one, as far as the system does that."""
    if kept is None or not (kept.exists() and file.exists() and kept.samefile(file)):
        return False
    with contextlib.suppress(OSError):
        file.replace(kept)
    return True


def _remove_empty(folder: Path, stop: Path) -> None:
    while folder != stop and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
