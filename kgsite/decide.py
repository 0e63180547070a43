"""Which documents need an extraction, and why: compares hashes, reads no document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Literal

from kgsite.config import Settings
from kgsite.extract.extractor import Extractor
from kgsite.model import Source, SourceKind, SourcePath
from kgsite.renames import Rename
from kgsite.store import IndexEntry, Store, entry_of, sha256

Status = Literal["new", "changed", "renamed", "unchanged", "retry"]
Fingerprint = Callable[[Source, str], str]


@dataclass(frozen=True, slots=True)
class Decision:
    """What happens to one source in this build."""

    source: Source
    status: Status  # retry: unchanged, but chunks failed the last time; renamed: unchanged but for its path
    reason: str
    rename: Rename | None = None  # the stored graph of another path that is taken over first

    @property
    def needs_work(self) -> bool:
        return self.status not in ("unchanged", "renamed")


def fingerprinter(settings: Settings, extractor: Extractor) -> Fingerprint:
    """A function (source, language) → settings fingerprint: `part=hash` pairs, so that a change can be named.

    Keys, endpoint, timeouts and concurrency are in no part.
    """
    from kgsite.extract import assemble, chunk
    from kgsite.readers import version

    common = {
        "chunking": _digest({"version": chunk.CHUNKER_VERSION, **asdict(settings.chunking)}),
        "graph": _digest(
            {
                "version": assemble.ASSEMBLE_VERSION,
                "standardization": asdict(settings.standardization),
                "noise_filter": settings.extract.noise_filter,
                "strict_evidence": settings.extract.strict_evidence,
                "language": settings.extract.language,
                "schema": asdict(settings.schema),
                **_schema_file(settings),
            }
        ),
    }
    by_language: dict[str, str] = {}
    imported = _digest(asdict(settings.imports))

    def fingerprint(source: Source, language: str) -> str:
        if source.kind == "graph":
            from kgsite.importers import IMPORTER_VERSION

            return _joined({"importer": _digest(IMPORTER_VERSION), "import": imported})
        if language not in by_language:
            by_language[language] = _digest(dict(extractor.settings(language)))
        return _joined({"reader": _digest(version(source.kind)), **common, "extractor": by_language[language]})

    return fingerprint


def _schema_file(settings: Settings) -> dict[str, str]:
    """What the file of `[schema] path` says, when there is one."""
    if not settings.schema.path:
        return {}
    from kgsite.extract.schema_rules import declared_schema

    return {"schema file": repr(declared_schema(settings))}


_PART_WORDS: Mapping[str, str] = {
    "reader": "the reader of this kind of file",
    "chunking": "[chunking]",
    "graph": "[standardization], [schema] or [extract]",
    "extractor": "the extractor, its model, prompts or settings",
    "importer": "the importer",
    "import": "[import]",
}


def decide(
    sources: Iterable[Source],
    index: Mapping[SourcePath, IndexEntry],
    fingerprint: Fingerprint,
    *,
    force: bool = False,
    refetch: bool = False,
    only: frozenset[SourcePath] = frozenset(),
    renames: Mapping[SourcePath, Rename] = MappingProxyType({}),
) -> list[Decision]:
    """One decision for each source, in order. `only` leaves all others as they are when they have a graph.

    A source in `renames` is judged by the graph that it takes over.
    """
    decisions: list[Decision] = []
    for source in sources:
        rename = renames.get(source.path)
        entry = rename.entry if rename else index.get(source.path)
        why = "--no-cache" if force else "--refetch" if refetch and source.kind == "web" else ""
        decision = _decide(source, entry, fingerprint, force=why, only=only)
        decisions.append(_renamed(decision, rename) if rename else decision)
    return decisions


def _renamed(decision: Decision, rename: Rename) -> Decision:
    if rename.origin == decision.source.path:  # its graph only lay in another file than it should
        return replace(decision, rename=rename)
    reason = f"renamed from {rename.origin}"
    if decision.needs_work:
        return replace(decision, reason=f"{reason}; {decision.reason}", rename=rename)
    if decision.source.kind == "graph":  # costs nothing, and its ids may be made of what stands in the file
        return Decision(decision.source, "changed", f"{reason}; imported again", rename)
    return Decision(decision.source, "renamed", reason, rename)


def _decide(
    source: Source, entry: IndexEntry | None, fingerprint: Fingerprint, *, force: str, only: frozenset[SourcePath]
) -> Decision:
    if entry is None:
        return Decision(source, "new", "no graph is stored for it")
    if only and source.path not in only:
        return Decision(source, "unchanged", "left as it is by --only")
    if force:
        return Decision(source, "changed", f"{force} asks for it")
    if entry.source_hash != source.sha256:
        return Decision(source, "changed", "its content changed")
    present = fingerprint(source, entry.language)
    if entry.settings_hash != present:
        return Decision(source, "changed", _what_changed(entry.settings_hash, present))
    if entry.failed_chunks:
        return Decision(source, "retry", f"{entry.failed_chunks} of its chunks failed the last time")
    return Decision(source, "unchanged", "content and settings are as they were")


def _what_changed(before: str, now: str) -> str:
    old, new = (dict(part.split("=", 1) for part in text.split() if "=" in part) for text in (before, now))
    parts = [_PART_WORDS.get(name, name) for name in new if new.get(name) != old.get(name)]
    return "changed: " + ", ".join(parts) if parts and old else "settings changed"


def load_index(
    store: Store, paths: Iterable[SourcePath], warn: Callable[[str, str], None]
) -> dict[SourcePath, IndexEntry]:
    """Index entries of the stored graphs of these sources; graphs the index does not know are parsed once."""
    known = store.load_index()
    entries: dict[SourcePath, IndexEntry] = {}
    for path in paths:
        digest = store.graph_digest(path)
        if digest is None:
            continue
        if path in known and known[path].graph_hash == digest:
            entries[path] = known[path]
            continue
        graph = store.load_graph(path, lambda message, path=path: warn(path, message))  # type: ignore[misc]
        if graph is not None:
            entries[path] = entry_of(graph, digest)
    return entries


def kind_counts(sources: Iterable[Source]) -> dict[SourceKind, int]:
    """How many sources there are of each kind, most first."""
    counts: dict[SourceKind, int] = {}
    for source in sources:
        counts[source.kind] = counts.get(source.kind, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _digest(value: object) -> str:
    canonical = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str, separators=(",", ":"))
    return sha256(canonical.encode())[:12]


def _joined(parts: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in parts.items())
