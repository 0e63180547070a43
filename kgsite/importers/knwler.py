"""Knwler graphs of all versions (FORMATS.md sections 1 and 2) and flat ones → `Found`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kgsite.importers import wording
from kgsite.importers.found import Found, Passage, Tally, Text
from kgsite.importers.rows import first, groups_of, statements_of, things_of
from kgsite.importers.values import name_of, prose_of, ref_of, refs_of, rows_of, text_of, texts_of, whole_of
from kgsite.model import GraphSchema

_KNOWN = frozenset(
    [
        "id",
        "title",
        "summary",
        "url",
        "language",
        "schema",
        "stats",
        "graph",
        "chunks",
        "consolidated",
        "communities",
        "clusters",
        "entities",
        "relations",
        "documents",
        "content",
        "path",
        "kgsite",
        "relationships",
        "edges",
        "nodes",
        "triples",
        "license",
        "model",
    ]
)
_MOST_RUNS = 1_000


def read_knwler(tree: Mapping[str, Any], form: str) -> Found:
    """All of a Knwler file, or of a flat object of entities and relations."""
    found = Found(form)
    tally = found.tally
    graph = next((tree[key] for key in ("graph", "consolidated") if isinstance(tree.get(key), Mapping)), tree)
    _head(found, tree)
    found.things = list(things_of(first(graph, ("entities", "nodes")), tally))
    found.statements = list(statements_of(first(graph, ("relations", "relationships", "edges", "triples")), tally))
    groups = next((part[key] for part in (graph, tree) for key in ("communities", "clusters") if part.get(key)), None)
    found.groups = list(groups_of(groups, tally))
    found.passages = list(_passages(tree.get("chunks"), tally))
    _texts(found, tree)
    unknown = sorted(key for key in tree if key not in _KNOWN)
    for key in unknown:
        tally.add(wording.BLOCKS, example=name_of(key, tally)[:40])
    return found


def _head(found: Found, tree: Mapping[str, Any]) -> None:
    tally = found.tally
    found.title = name_of(tree.get("title"), tally)
    found.summary = prose_of(tree.get("summary"), tally)
    found.language = name_of(tree.get("language"), tally)
    found.url = name_of(tree.get("url"), tally)
    found.license = name_of(tree.get("license"), tally)
    schema = tree.get("schema")
    if isinstance(schema, Mapping):
        found.schema = GraphSchema(
            texts_of(schema.get("entity_types") or [], tally),
            texts_of(schema.get("relation_types") or [], tally),
            prose_of(schema.get("reasoning"), tally),
        )
    stats = tree.get("stats")
    runs = [_run(part) for part in (stats if isinstance(stats, list) else [stats])[:_MOST_RUNS]]
    runs = [run for run in runs if run]
    if runs:
        found.model = name_of(runs[-1].get("extraction_model"), tally)
        found.overlap = whole_of(runs[-1].get("overlap_tokens"))
    found.model = found.model or (name_of(tree["model"], tally) if isinstance(tree.get("model"), str) else "")


def _run(part: Any) -> Mapping[str, Any]:
    run = part.get("run") if isinstance(part, Mapping) else None
    return run if isinstance(run, Mapping) else {}


def _passages(value: Any, tally: Tally) -> Iterator[Passage]:
    """Chunks by document, in their order; only `id` is unique in augmented files, in 0.1 there is none."""
    seen: set[tuple[str, str, str]] = set()
    for position, entry in rows_of(value, tally):
        row = {"text": entry} if isinstance(entry, str) else entry
        if not isinstance(row, Mapping):
            tally.add(wording.ODD_ROWS, example=f"chunk {position}")
            continue
        document = row.get("document", row.get("document_id"))
        key = ref_of(document.get("id") if isinstance(document, Mapping) else document)
        own = ref_of(row.get("id"))
        number = ref_of(row.get("chunk_idx")) or str(position - 1)
        text = text_of(row.get("text"))
        twin = (key, own or number, text)
        if twin in seen and text:
            tally.add(wording.PASSAGES_TWICE)
            continue
        seen.add(twin)
        yield Passage(
            keys=tuple(filter(None, (own, number))),
            text=text,
            document=key,
            start=whole_of(row.get("start")),
            end=whole_of(row.get("end")),
            page=whole_of(row.get("page_number")) or None,
            section=name_of(row.get("section"), tally),
            rephrase=prose_of(row.get("rephrase"), tally),
            failed=row.get("status") == "failed",
            things=tuple(things_of(row.get("entities"), Tally())),
            statements=tuple(statements_of(row.get("relations"), Tally())),
        )


def _texts(found: Found, tree: Mapping[str, Any]) -> None:
    """The documents of the file: listed ones first, then those that only chunks name."""
    tally = found.tally
    texts: dict[str, Text] = {}
    listed = tree.get("documents")
    if isinstance(listed, Mapping):
        listed = [{"id": key, **row} if isinstance(row, Mapping) else {"id": key} for key, row in listed.items()]
    for _position, row in rows_of(listed, tally):
        if isinstance(row, Mapping):
            title = name_of(first(row, ("title", "name")), tally)
            key = next(iter(refs_of(first(row, ("id", "document_id", "title")))), "") or title
            texts.setdefault(key, Text(key, title, text_of(first(row, ("content", "text")))))
    for passage in found.passages:
        texts.setdefault(passage.document, Text(passage.document))
    content = text_of(tree.get("content"))
    if content and len(texts) <= 1:
        key = next(iter(texts), "")
        texts[key] = Text(key, texts[key].title if texts else "", content)
    found.texts = list(texts.values())
    found.several = max(1, len(texts))
    if len(texts) == 1:
        found.title = found.title or found.texts[0].title
