"""content/ → Source: what is there to be read, and what is not and why."""

from __future__ import annotations

import codecs
import contextlib
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgsite.errors import ConfigError, ImportGraphError, Place, ReadError
from kgsite.model import FrontMatter, Source, SourceKind, SourcePath
from kgsite.readers import frontmatter
from kgsite.readers.characters import clean
from kgsite.readers.docx import LEGACY, LEGACY_HINT
from kgsite.readers.encoding import decode
from kgsite.readers.files import LIMITS, read_bytes, too_large
from kgsite.readers.listing import listed, name_of
from kgsite.readers.sniff import HEAD, sniff
from kgsite.readers.walk import Folder, Skipped, printable_name, walk
from kgsite.warm import is_settled, stamp_of

if TYPE_CHECKING:
    from kgsite.warm import Memory

SKIP_CODES: Mapping[str, str] = {
    "link": "a symbolic link",
    "special": "a pipe, socket or device",
    "deep": "too many folders deep",
    "large": "larger than its kind may be",
    "unreadable": "the system does not let it be read",
    "binary": "named like a text, but its bytes are not text",
    "mismatch": "its content is not what its suffix says",
    "legacy": "an old or password-protected Office file",
    "unsupported": "a kind of file that kgsite does not read",
    "import": "a data file that is no graph kgsite knows",
    "url": "a line of a listing that is no web address",
    "clash": "two names that are the same after Unicode normalisation",
}
"""Code of a skipped file → what it means."""

SUFFIXES: Mapping[str, SourceKind] = {
    ".txt": "text", ".text": "text",
    ".md": "markdown", ".markdown": "markdown", ".mdown": "markdown", ".mkd": "markdown",
    ".rst": "rst", ".rest": "rst",
    ".html": "html", ".htm": "html", ".xhtml": "html",
    ".pdf": "pdf",
    ".docx": "docx", ".docm": "docx",
    ".url": "web",
    ".json": "graph", ".graphml": "graph", ".gexf": "graph", ".gml": "graph", ".jsonl": "graph",
}  # fmt: skip
"""Suffix (in any case) → kind of source."""

GRAPH_FORMATS = "Knwler, ai-knowledge-graph triples, plain entities and relations, node-link, Cytoscape, GraphML, GEXF, GML, GraphRAG tables"
_OLD_OFFICE = {".doc", ".dot", ".rtf", ".odt", ".pages", ".wpd"}
_COMPANIONS = (".meta.json", ".workspace.json")
_GRAPHRAG_LEFTOVERS = {"stats.json", "context.json"}
_TEXT_KINDS = {"text", "markdown", "rst", "html"}
_FRONT = 131_072  # bytes in which front matter is looked for
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Discovery:
    """All that lies in content/, each part by path."""

    sources: tuple[Source, ...]
    landing: Source | None = None  # content/index.md: the text of the landing page, no document
    sections: Mapping[str, Source] = field(default_factory=dict)  # folder ("" = content/) → its _index.md
    skipped: tuple[Skipped, ...] = ()
    drafts: tuple[SourcePath, ...] = ()  # left out because they are drafts


@dataclass(slots=True)
class _Findings:
    sources: list[Source] = field(default_factory=list)
    landing: Source | None = None
    sections: dict[str, Source] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    triples: set[SourcePath] = field(default_factory=set)  # path of the text that may lie beside a triples file
    memory: Memory | None = None

    def skip(self, path: SourcePath, code: str, reason: str) -> None:
        self.skipped.append(Skipped(path, code, reason))


def discover(content: Path, *, drafts: bool, encodings: Mapping[str, str], memory: Memory | None = None) -> Discovery:
    """Everything below `content`: sources with their front matter and hash, and what was left out and why.

    `encodings` maps content paths or globs to encodings. Links are not followed, and no file is read beyond
    the limit of its kind. A file that the last build of this process read and that has not been touched since is not
    read again. Raises ConfigError when the folder does not exist.
    """
    if not content.is_dir():
        raise ConfigError(
            "the content folder does not exist",
            at=Place(content.name),
            hint="make it, or name another one as `content` under [build]",
        )
    root = content.resolve()
    findings = _Findings(memory=memory)
    for folder in walk(root, findings.skipped):
        _folder(folder, findings, encodings)
    return _settled(findings, drafts=drafts)


def discover_file(file: Path, *, encodings: Mapping[str, str] | None = None) -> Discovery:
    """A single file as if it lay in content/ alone, with its sidecar: for `kgsite extract FILE`."""
    file = file.absolute()
    findings = _Findings()
    path = SourcePath(printable_name(file.name))
    try:
        size = file.lstat().st_size
    except OSError as error:
        raise ReadError("there is no such file", at=Place(path)) from error
    _file(path, file, size, {file.name}, findings, encodings or {})
    return _settled(findings, drafts=True)


def _settled(findings: _Findings, *, drafts: bool) -> Discovery:
    """Everything by path, each path once, drafts put aside."""
    kept: dict[SourcePath, Source] = {}
    left: list[SourcePath] = []
    for source in sorted(findings.sources, key=lambda source: source.path):
        if source.path in findings.triples:
            continue
        if source.path in kept:
            findings.skip(source.path, "clash", "another file has the same name after Unicode normalisation")
        elif source.meta.draft and not drafts:
            left.append(source.path)
        else:
            kept[source.path] = source
    landing = findings.landing
    if landing and landing.meta.draft and not drafts:
        left.append(landing.path)
        landing = None
    sections = {key: source for key, source in sorted(findings.sections.items()) if drafts or not source.meta.draft}
    skipped = sorted(findings.skipped, key=lambda item: (item.path, item.code, item.reason))
    return Discovery(tuple(kept.values()), landing, sections, tuple(skipped), tuple(sorted(left)))


# ── folders and files ─────────────────────────────────────────────────────────────────────────────
def _folder(folder: Folder, findings: _Findings, encodings: Mapping[str, str]) -> None:
    names = {file.name for _, file, _ in folder.files}
    tables = "entities.parquet" in names and _graph_folder(folder, findings)
    for path, file, size in folder.files:
        name = file.name
        if tables and (name.endswith(".parquet") or name in _GRAPHRAG_LEFTOVERS):
            continue
        if name.endswith(".toml") and name[: -len(".toml")] in names:
            continue  # a sidecar: read with its file
        if name.casefold().endswith(_COMPANIONS):
            continue
        _file(path, file, size, names, findings, encodings)


def _graph_folder(folder: Folder, findings: _Findings) -> bool:
    """A folder of GraphRAG tables is one source; its other files are sources of their own."""
    path = folder.path or SourcePath("entities.parquet")
    if not _recognised(path, folder.folder, findings):
        return False
    digest = hashlib.sha256()
    total = 0
    for _, file, size in folder.files:
        if not file.name.endswith(".parquet"):
            continue
        if size > LIMITS["graph"]:
            findings.skip(path, "large", f"{file.name}: {too_large(size, LIMITS['graph'])}")
            return True
        try:
            part, _ = _hashed(file, LIMITS["graph"])
        except ReadError as error:
            findings.skip(path, "unreadable", f"{file.name}: {error.message}")
            return True
        digest.update(file.name.encode("utf-8", "surrogateescape") + b"\0" + part.digest())
        total += size
    findings.sources.append(Source(path, "graph", folder.folder, None, total, digest.hexdigest()))
    return True


def _file(
    path: SourcePath, file: Path, size: int, names: Iterable[str], findings: _Findings, encodings: Mapping[str, str]
) -> None:
    """One regular file: a source, several (a listing), or skipped."""
    memory = findings.memory
    if memory is None:
        _read_file(path, file, size, names, findings, encodings)
        return
    stamps = (stamp_of(file), stamp_of(f"{file}.toml"))
    kept = memory.sources.get(path)
    if kept is not None and kept[0] == (file, stamps, encodings):
        _add(kept[1], findings)
        return
    source = _read_file(path, file, size, names, findings, encodings)
    if source is not None and is_settled(*stamps):
        memory.sources[path] = ((file, stamps, encodings), source)


def _read_file(
    path: SourcePath, file: Path, size: int, names: Iterable[str], findings: _Findings, encodings: Mapping[str, str]
) -> Source | None:
    """Add what a file is to the findings; returned when it is one source that depends on it and its sidecar alone."""
    kind = SUFFIXES.get(file.suffix.casefold())
    if file.name.casefold() == "urls.txt":
        kind = "web"
    if kind is None and file.suffix:
        findings.skip(path, "unsupported", _unsupported(file.suffix))
        return None
    limit = LIMITS[kind] if kind else max(LIMITS["pdf"], LIMITS["text"])
    if size > limit:
        findings.skip(path, "large", too_large(size, limit))
        return None
    try:
        digest, head = _hashed(file, limit)
        side = (
            read_bytes(file.with_name(file.name + ".toml"), _BLOCK)
            if file.name + ".toml" in names or _has_sidecar(file)
            else None
        )
    except ReadError as error:
        findings.skip(path, "unreadable", error.message)
        return None
    kind = kind or _sniffed_kind(head)
    problem = ("binary", _what(head)) if kind is None else _mismatch(kind, head)
    if problem or kind is None:
        if problem:
            findings.skip(path, *problem)
        return None
    if kind == "graph":
        if not _recognised(path, file, findings):
            return None
        _add_companions(digest, file)
    source = _source(Source(path, kind, file, None, size), head, side, encodings)
    if kind == "web":
        _list_web(source, file, side, findings)
        return None
    source = replace(source, sha256=_final_hash(digest, side, source.meta, path, encodings))
    _add(source, findings)
    return source if kind != "graph" else None


def _has_sidecar(file: Path) -> bool:
    side = file.with_name(file.name + ".toml")
    return side.is_file() and not side.is_symlink()


def _add_companions(digest: Any, file: Path) -> None:
    """A change of `x.meta.json` or `x.txt` is a change of the graph `x.json` beside them."""
    for suffix in (".meta.json", ".txt"):
        side = file.with_name(file.name.removesuffix(file.suffix) + suffix)
        if side.is_file() and not side.is_symlink():
            with contextlib.suppress(ReadError):
                digest.update(b"\0" + suffix.encode() + b"\0" + read_bytes(side, LIMITS["text"]))


def _add(source: Source, findings: _Findings) -> None:
    folder, _, name = source.path.rpartition("/")
    if source.path == "index.md":
        findings.landing = source
    elif name == "_index.md":
        findings.sections[folder] = source
    else:
        findings.sources.append(source)


def _hashed(file: Path, limit: int) -> tuple[Any, bytes]:
    """SHA-256 so far of a regular file, and its first bytes. Raises ReadError."""
    data = read_bytes(file, limit)
    return hashlib.sha256(data), data[:_FRONT]


def _final_hash(
    digest: Any, side: bytes | None, meta: FrontMatter, path: SourcePath, encodings: Mapping[str, str]
) -> str:
    """Of the file's bytes, its sidecar's, and an encoding that site.toml states for it: all that decides the text."""
    if side is not None:
        digest.update(b"\0sidecar\0" + side)
    if meta.encoding and meta.encoding == _encoding_for(path, encodings):
        digest.update(b"\0encoding\0" + meta.encoding.encode())
    return str(digest.hexdigest())


def _encoding_for(path: SourcePath, encodings: Mapping[str, str]) -> str | None:
    """The encoding that site.toml states for a path: by its whole path first, then by the first glob that fits."""
    if path in encodings:
        return encodings[path]
    return next((encoding for glob, encoding in encodings.items() if fnmatchcase(path, glob)), None)


def _source(source: Source, head: bytes, side: bytes | None, encodings: Mapping[str, str]) -> Source:
    """The source with what its sidecar, front matter and site.toml state, in this order of strength."""
    warnings: tuple[str, ...] = ()
    layers: list[Mapping[str, Any]] = []
    if side is not None:
        stated, warnings = frontmatter.sidecar(side)
        layers.append(stated)
    if source.kind in _TEXT_KINDS and _may_have_front_matter(head):
        encoding = layers[0].get("encoding") if layers else None
        split = frontmatter.split(
            clean(decode(_whole_lines(head), stated=encoding or _encoding_for(source.path, encodings)).text)
        )
        layers.append(split.stated)
        warnings += split.warnings
    given = _encoding_for(source.path, encodings)
    if given:
        layers.append({"encoding": given})
    return replace(source, meta=frontmatter.front_matter(*layers), warnings=warnings)


def _may_have_front_matter(head: bytes) -> bool:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        return True
    return head.removeprefix(codecs.BOM_UTF8).lstrip()[:3] in {b"---", b"+++"}


def _whole_lines(head: bytes) -> bytes:
    """Cut where a line ends, so that no character is halved."""
    if len(head) < _FRONT or head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        return head
    end = head.rfind(b"\n")
    return head[: end + 1] if end >= 0 else head


# ── kinds ─────────────────────────────────────────────────────────────────────────────────────────
def _unsupported(suffix: str) -> str:
    suffix = printable_name(suffix)[:20]
    if suffix.casefold() in _OLD_OFFICE:
        return f"{suffix} files are not read; save it as .docx or PDF"
    return f"{suffix} files are not read"


def _sniffed_kind(head: bytes) -> SourceKind | None:
    """Kind of a file without a suffix."""
    found, _ = sniff(head[:HEAD])
    kinds: Mapping[str, SourceKind] = {"pdf": "pdf", "html": "html", "text": "text", "empty": "text"}
    return "docx" if found == "zip" and b"[Content_Types].xml" in head else kinds.get(found)


def _mismatch(kind: SourceKind, head: bytes) -> tuple[str, str] | None:
    """Code and reason when the content is not what the name says."""
    found, _ = sniff(head[:HEAD])
    if kind == "docx" and found == "ole":
        return "legacy", f"{LEGACY}; {LEGACY_HINT}"
    if kind == "pdf" and found != "pdf":
        return "mismatch", f"named like a PDF, but it is {_what(head)}"
    if kind == "docx" and found != "zip":
        return "mismatch", f"named like a Word file, but it is {_what(head)}"
    if kind in (*_TEXT_KINDS, "web") and found not in {"text", "html", "empty"}:
        return "binary", f"named like a text, but it is {_what(head)}"
    return None


def _what(head: bytes) -> str:
    found, name = sniff(head[:HEAD])
    words = {
        "pdf": "a PDF",
        "zip": "a zip archive or Office file",
        "ole": "an old Office file",
        "html": "an HTML page",
        "text": "text",
        "empty": "empty",
    }
    return words.get(found) or (f"binary data ({name})" if name else "binary data")


def _recognised(path: SourcePath, file: Path, findings: _Findings) -> bool:
    """Whether a data file or folder is a ready-made graph; if not, it is skipped with the formats known."""
    from kgsite.importers import recognise

    try:
        found = recognise(file)
    except ImportGraphError as error:
        findings.skip(path, "import", error.message)
        return False
    if found is None:
        findings.skip(path, "import", f"not a graph that kgsite knows ({GRAPH_FORMATS})")
        return False
    name = found if isinstance(found, str) else getattr(found, "format", "")
    if "triples" in str(name):
        findings.triples.add(SourcePath(path.rpartition(".")[0] + ".txt"))
    return True


def _list_web(source: Source, file: Path, side: bytes | None, findings: _Findings) -> None:
    """A source for each address of a listing; lines that hold none are skipped with their number."""
    single = file.suffix.casefold() == ".url"
    try:
        data = read_bytes(file, LIMITS["web"])
    except ReadError as error:
        findings.skip(source.path, "unreadable", error.message)
        return
    for entry in listed(data, single=single):
        if entry.problem:
            findings.skip(source.path, "url", entry.problem if single else f"line {entry.line}: {entry.problem}")
            continue
        path = source.path if single else SourcePath(f"{source.path}/{name_of(entry.url)}")
        digest = hashlib.sha256(entry.url.encode("utf-8", "surrogatepass"))
        digest.update(b"\0sidecar\0" + side if side is not None else b"")
        findings.sources.append(replace(source, path=path, url=entry.url, sha256=digest.hexdigest()))
