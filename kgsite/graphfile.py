"""The native document graph as a file: Knwler graph JSON with kgsite's additions (FORMATS.md, section 1).

`dump` writes the same bytes for equal graphs on every machine; `load` gives back an equal graph. The text of a
document is not stored a second time: it is put together from the chunks, and only what no chunk holds stands
beside them. Each record has one table of fields that serves both directions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

from kgsite.errors import ImportGraphError, Place
from kgsite.jsoncodec import (
    FLAG,
    INT,
    MAYBE_INT,
    MAYBE_TEXT,
    NUMBER,
    TEXT,
    TEXTS,
    Codec,
    Field,
    Misfit,
    clean_text,
    decode_fields,
    encode_fields,
    many,
    mapping,
    record,
    whole,
)
from kgsite.model import (
    Block,
    Chunk,
    Community,
    DocumentGraph,
    Entity,
    Evidence,
    FrontMatter,
    GraphChunk,
    GraphSchema,
    Mark,
    Provenance,
    Relation,
    SourcePath,
)

GRAPH_FORMAT = 1
"""`kgsite.format` of the files written; a file with a higher number is refused."""

_NEVER = object()  # a field that is always written, and may be missing in a file that is read
_LINE = 100  # a list or object whose compact form is not longer than this stands on one line
_TOP = ("id", "title", "summary", "url", "language", "schema", "stats", "graph", "chunks", "kgsite")


def _one_of(value: Any, allowed: tuple[str, ...]) -> Any:
    if value not in allowed:
        raise Misfit("one of " + ", ".join(allowed), value)
    return value


def _pair(value: Any) -> tuple[int, int]:
    if type(value) is not list or len(value) != 2:
        raise Misfit("a start and an end", value)
    return (whole(value[0]), whole(value[1]))


_EVIDENCE = record(
    Evidence,
    Field("text", TEXT),
    Field("chunk_id", TEXT),
    Field("start", MAYBE_INT),
    Field("end", MAYBE_INT),
    Field("verified", FLAG),
    Field("page", MAYBE_INT, None),
)
_ENTITY_FIELDS = (
    Field("name", TEXT),
    Field("type", TEXT),
    Field("description", TEXT),
    Field("id", TEXT, ""),
    Field("aliases", TEXTS, ()),
    Field("attributes", mapping(TEXT), {}),
)
_RELATION_FIELDS = (
    *(Field(name, TEXT) for name in ("source", "source_type", "target", "target_type", "type", "description")),
    Field("strength", NUMBER),
    Field("id", TEXT, ""),
    Field("evidence", many(_EVIDENCE), ()),
    Field("inferred", FLAG, False),
    Field("method", TEXT, ""),
    Field("via", TEXT, ""),
)
_ENTITY = record(
    Entity,
    *_ENTITY_FIELDS,
    Field("community_id", MAYBE_INT, _NEVER),  # null for none: readers of Knwler take it as given
    Field("chunk_ids", TEXTS),
)
_RELATION = record(Relation, *_RELATION_FIELDS, Field("chunk_ids", TEXTS))
_CANDIDATE = record(Entity, *_ENTITY_FIELDS, Field("community_id", MAYBE_INT, None), Field("chunk_ids", TEXTS, ()))
_STATEMENT = record(Relation, *_RELATION_FIELDS, Field("chunk_ids", TEXTS, ()))
_COMMUNITY = record(
    Community, Field("id", INT), Field("topics", TEXTS), Field("description", TEXT), Field("members", TEXTS)
)
_SCHEMA = record(GraphSchema, Field("entity_types", TEXTS), Field("relation_types", TEXTS), Field("reasoning", TEXT))
_CHUNK_FIELDS = (
    Field("id", TEXT),
    Field("chunk_idx", INT),
    Field("text", TEXT),
    Field("start", INT),
    Field("end", INT),
    Field("n_tokens", INT),
    Field("page_number", MAYBE_INT, None),
    Field("section", TEXT, ""),
    Field("own_start", INT),
)
_STATUS = Codec(str, lambda value: _one_of(value, ("ok", "empty", "failed")))
_FOUND_FIELDS = (
    Field("entities", many(_CANDIDATE)),
    Field("relations", many(_STATEMENT)),
    Field("status", _STATUS),
    Field("rephrase", TEXT),
)
_GRAPH_CHUNK = Codec(
    lambda part: encode_fields(_CHUNK_FIELDS, part.chunk) | encode_fields(_FOUND_FIELDS, part),
    lambda value: GraphChunk(Chunk(**decode_fields(_CHUNK_FIELDS, value)), **decode_fields(_FOUND_FIELDS, value)),
)
_BLOCK_KINDS = ("heading", "paragraph", "list", "quote", "code", "table", "footnote")
_SPAN = Codec(list, _pair)
_BLOCK = record(
    Block,
    Field("start", INT),
    Field("end", INT),
    Field("kind", Codec(str, lambda value: _one_of(value, _BLOCK_KINDS))),
    Field("level", INT, 0),
    Field("page", MAYBE_INT, None),
    Field("section", TEXT, ""),
    Field("ordered", FLAG, False),
    Field("cells", many(many(_SPAN)), ()),
)
_MARK = record(
    Mark,
    Field("start", INT),
    Field("end", INT),
    Field("kind", Codec(str, lambda value: _one_of(value, ("link", "emphasis", "strong", "code")))),
    Field("href", TEXT, ""),
)
_META = record(
    FrontMatter,
    *(Field(name, MAYBE_TEXT, None) for name in ("title", "date", "language")),
    Field("authors", TEXTS, ()),
    *(Field(name, MAYBE_TEXT, None) for name in ("url", "license", "slug", "summary", "encoding")),
    Field("tags", TEXTS, ()),
    Field("draft", FLAG, False),
    Field("extra", mapping(TEXT), {}),
)
_PROVENANCE_FIELDS = tuple(
    Field(name, TEXT) for name in ("source", "source_hash", "settings_hash", "extractor", "model", "added", "changed")
)
_HEAD_FIELDS = (
    *(Field(name, TEXT) for name in ("id", "title", "summary", "language")),
    Field("url", MAYBE_TEXT),
    Field("schema", _SCHEMA),
    Field("chunks", many(_GRAPH_CHUNK)),
)
_GRAPH_FIELDS = (
    Field("entities", many(_ENTITY)),
    Field("relations", many(_RELATION)),
    Field("communities", many(_COMMUNITY)),
)
_OWN_FIELDS = (
    Field("blocks", many(_BLOCK), ()),
    Field("marks", many(_MARK), ()),
    Field("meta", _META, FrontMatter()),
    Field("n_pages", MAYBE_INT, None),
    Field("notes", TEXTS, ()),
    Field("dropped", mapping(INT), {}),
)


# ── the text ──────────────────────────────────────────────────────────────────────────────────────
def _spare_text(text: str, chunks: tuple[GraphChunk, ...]) -> Any:
    """What has to be stored of `text` beside the chunks: the gaps between them, or all of it if a chunk differs."""
    gaps: list[list[Any]] = []
    reached = 0
    for chunk in sorted((part.chunk for part in chunks), key=lambda chunk: (chunk.start, chunk.end)):
        if chunk.start < 0 or text[chunk.start : chunk.end] != chunk.text or chunk.end - chunk.start != len(chunk.text):
            return clean_text(text)
        if chunk.start > reached:
            gaps.append([reached, clean_text(text[reached : chunk.start])])
        reached = max(reached, chunk.end)
    if reached < len(text):
        gaps.append([reached, clean_text(text[reached:])])
    return {"length": len(text), "gaps": gaps}


def _restore_text(stored: Any, chunks: tuple[GraphChunk, ...]) -> str:
    if type(stored) is str:
        return stored
    if type(stored) is not dict or type(stored.get("gaps")) is not list:
        raise Misfit("the text or its gaps", stored)
    pieces = [(part.chunk.start, part.chunk.text) for part in chunks]
    for gap in stored["gaps"]:
        if type(gap) is not list or len(gap) != 2 or type(gap[1]) is not str:
            raise Misfit("pairs of position and text", gap, ".gaps")
        pieces.append((whole(gap[0]), gap[1]))
    parts: list[str] = []
    reached = 0
    for start, text in sorted(pieces):
        if start > reached:
            break
        parts.append(text[reached - start :])
        reached += len(parts[-1])
    if reached != stored.get("length"):
        raise Misfit("chunks that follow on each other", stored)
    return "".join(parts)


# ── the file ──────────────────────────────────────────────────────────────────────────────────────
def dump(graph: DocumentGraph) -> bytes:
    """`graph` as strict JSON in UTF-8: top-level keys in the order of FORMATS.md, all others sorted, "\\n" at the end.

    Lone surrogates become U+FFFD and a strength that is no number becomes 5. Raises ImportGraphError for an
    integer that JSON readers can't hold.
    """
    try:
        tree = encode_fields(_HEAD_FIELDS, graph) | {"stats": []}
        tree["graph"] = encode_fields(_GRAPH_FIELDS, graph)
        own = own_part(graph)
    except Misfit as misfit:
        raise ImportGraphError(f"A document graph holds {misfit.found} that is not {misfit.expected}.") from None
    tree["kgsite"] = own | {"text": _spare_text(graph.text, graph.chunks)}
    tree["kgsite"]["checksum"] = _checksum(tree)
    lines = [f' "{key}": '.encode() + _pretty(tree[key], 1) for key in _TOP]
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def own_part(graph: DocumentGraph) -> dict[str, Any]:
    """The `kgsite` object of a graph's file, without its text and checksum."""
    own = encode_fields(_PROVENANCE_FIELDS, graph.provenance) | encode_fields(_OWN_FIELDS, graph)
    return own | {"format": GRAPH_FORMAT}


def load(data: bytes, *, name: str = "graph.json") -> DocumentGraph:
    """The document graph in `data`, a file written by `dump`; `name` is the file in error messages.

    Raises ImportGraphError when it is no JSON, not kgsite's own, from a newer kgsite, or changed after it was written.
    """
    tree = _parse(data, name)
    graph = from_tree(tree, name=name)
    if "checksum" in tree["kgsite"] and tree["kgsite"]["checksum"] != _checksum(tree):
        raise ImportGraphError(
            "This graph was changed after it was written.",
            at=Place(name),
            hint="`kgsite build` writes the file anew; it is not meant to be edited by hand",
        )
    return graph


def from_tree(tree: Any, *, name: str = "graph.json") -> DocumentGraph:
    """The document graph in parsed JSON of the native format; the whole text may stand as `kgsite.text`.

    Raises ImportGraphError when it is not kgsite's own, from a newer kgsite, or a value is not what the format says.
    """
    if type(tree) is not dict or type(tree.get("kgsite")) is not dict:
        raise ImportGraphError(
            "This is not a document graph that kgsite wrote.",
            at=Place(name),
            hint="Put graphs of other tools into content/: they are recognised there.",
        )
    own = tree["kgsite"]
    version = own.get("format")
    if type(version) is not int or version > GRAPH_FORMAT:
        raise ImportGraphError(f"This graph has format {version!r}; this kgsite reads {GRAPH_FORMAT}.", at=Place(name))
    try:
        return _assemble(tree, own)
    except Misfit as misfit:
        where = misfit.path.removeprefix(".") or "the file"
        raise ImportGraphError(f"{where}: expected {misfit.expected}, found {misfit.found}.", at=Place(name)) from None


def _assemble(tree: Mapping[str, Any], own: Mapping[str, Any]) -> DocumentGraph:
    head = decode_fields(_HEAD_FIELDS, tree)
    try:
        found = decode_fields(_GRAPH_FIELDS, tree.get("graph"))
    except Misfit as misfit:
        raise misfit.below(".graph") from None
    try:
        origin = decode_fields(_PROVENANCE_FIELDS, own)
        rest = decode_fields(_OWN_FIELDS, own)
        text = _restore_text(own.get("text"), head["chunks"])
        for kind in ("blocks", "marks"):
            for index, span in enumerate(rest.get(kind, ())):
                if not 0 <= span.start <= span.end <= len(text):
                    raise Misfit("a place inside the text", span.end, f".{kind}[{index}]")
    except Misfit as misfit:
        raise misfit.below(".kgsite") from None
    origin["source"] = SourcePath(origin["source"])
    return DocumentGraph(**head, **found, **rest, text=text, provenance=Provenance(**origin))


def _parse(data: bytes, name: str) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        place = Place(name, error.lineno, error.colno) if data else Place(name)
        raise ImportGraphError(f"This is not JSON: {error.msg}.", at=place) from None


def _checksum(tree: Mapping[str, Any]) -> str:
    """SHA-256 over the values, not the bytes: line ends and indentation may change on their way through git."""
    own = {key: value for key, value in tree["kgsite"].items() if key != "checksum"}
    canonical = orjson.dumps({**tree, "kgsite": own}, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(canonical).hexdigest()


_PLAIN = frozenset({str, int, float, bool, type(None)})


@lru_cache(maxsize=1024)
def _name(key: str) -> bytes:
    return orjson.dumps(key) + b": "


def _pretty(value: Any, depth: int) -> bytes:
    """`value` as JSON: short lists and objects on one line, others with one element a line, one space a level."""
    compact = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    if type(value) not in (dict, list) or not value or (depth > 1 and len(compact) <= _LINE):
        return compact
    if type(value) is dict:
        parts = [
            _name(key) + (orjson.dumps(part) if type(part) in _PLAIN else _pretty(part, depth + 1))
            for key, part in sorted(value.items())
        ]
        opening, closing = b"{\n", b"}"
    else:
        parts = [_pretty(part, depth + 1) for part in value]
        opening, closing = b"[\n", b"]"
    inner = b" " * (depth + 1)
    return opening + b",\n".join(inner + part for part in parts) + b"\n" + b" " * depth + closing
