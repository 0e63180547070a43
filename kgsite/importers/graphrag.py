"""GraphRAG tables (FORMATS.md section 4), of 2.x and 3.x → `Found`. Needs pyarrow (extra `kgsite[graphrag]`)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kgsite.errors import ImportGraphError, Place
from kgsite.importers import wording
from kgsite.importers.found import Found, Group, Passage, Statement, Tally, Text, Thing
from kgsite.importers.rows import evidence_of, first, statement_of, statements_of, thing_of, things_of
from kgsite.importers.values import name_of, prose_of, ref_of, refs_of, text_of, texts_of, whole_of

_FILE_NAME = re.compile(r"\.\w{1,5}$")
_ENTITY_COLUMNS = frozenset(
    ["id", "human_readable_id", "title", "type", "description", "text_unit_ids", "frequency", "degree", "x", "y"]
)
_RELATION_COLUMNS = frozenset(["id", "human_readable_id", "combined_degree", "rank"])
_MOST_ROWS = 5_000_000
_SHORTEST_NAME = 4
_MOST_PASSAGES = 8
_MOST_SPELLINGS = 50


def read_graphrag(folder: Path, name: str) -> Found:
    """The tables of `folder`. Raises ImportGraphError: no pyarrow, a damaged table, no entities."""
    found = Found("graphrag")
    tally = found.tally
    found.things = [thing for row in table_rows(folder, "entities", name) if (thing := _thing(row, tally))]
    for number, row in enumerate(table_rows(folder, "relationships", name), 1):
        statement = _statement(row, tally)
        if statement is None:
            tally.add(wording.ENDLESS, example=f"row {number}")
        else:
            found.statements.append(statement)
    found.groups = _groups(folder, name, tally)
    found.passages = list(_passages(table_rows(folder, "text_units", name), tally))
    _documents(found, table_rows(folder, "documents", name))
    _spell(found)
    _claims(found, table_rows(folder, "covariates", name))
    return found


def table_rows(folder: Path, table: str, name: str) -> list[dict[str, Any]]:
    """Rows of a table in their order; none when it is not there. Raises ImportGraphError: no pyarrow, a damaged table."""
    file = folder / f"{table}.parquet"
    if not file.is_file() or file.is_symlink():
        return []
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ImportGraphError(
            "GraphRAG tables need pyarrow, which is not installed",
            at=Place(name),
            hint='pip install "kgsite[graphrag]"',
        ) from None
    try:
        opened = pq.ParquetFile(file)
        if opened.metadata.num_rows > _MOST_ROWS:
            raise ImportGraphError(f"{file.name} has more than {_MOST_ROWS:,} rows", at=Place(name))
        rows: list[dict[str, Any]] = opened.read().to_pylist()
    except (pa.ArrowException, OSError, ValueError, UnicodeDecodeError) as error:
        said = str(error).replace(str(folder), "").splitlines() or [""]
        raise ImportGraphError(f"{file.name} can't be read: {said[0][:200]}", at=Place(name)) from None
    return sorted(rows, key=lambda row: whole_of(row.get("human_readable_id")) or 0)


def _thing(row: Mapping[str, Any], tally: Tally) -> Thing | None:
    extra = {key: value for key, value in row.items() if key not in _ENTITY_COLUMNS}
    extra["attributes"] = unpacked(extra.get("attributes"))
    thing = thing_of(
        {
            **extra,
            "name": first(row, ("name", "title")),
            "type": row.get("type"),
            "description": row.get("description"),
            "id": row.get("id"),
            "chunk_ids": row.get("text_unit_ids"),
        },
        tally,
    )
    if thing is None:
        tally.add(wording.NAMELESS, example=ref_of(row.get("human_readable_id")) or ref_of(row.get("id")))
    return thing


def _statement(row: Mapping[str, Any], tally: Tally) -> Statement | None:
    kept = {key: value for key, value in row.items() if key not in _RELATION_COLUMNS}
    kept |= {"source": first(row, ("source_name", "source")), "target": first(row, ("target_name", "target"))}
    kept["evidence"] = None
    statement = statement_of(kept, tally)
    if statement is not None:
        statement.evidence = tuple(evidence_of(unpacked(row.get("evidence")) or []))
    return statement


def unpacked(value: Any) -> Any:
    """A struct, or JSON text that stands for one."""
    if isinstance(value, list) and value and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
        return dict(value)  # a map column
    if isinstance(value, str) and value[:1] in "[{":
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value


# ── communities ───────────────────────────────────────────────────────────────────────────────────
def _groups(folder: Path, name: str, tally: Tally) -> list[Group]:
    """All levels; an entity's own community is the one of the coarsest level, which covers every entity once."""
    reports = {ref_of(row.get("community")): row for row in table_rows(folder, "community_reports", name)}
    groups = []
    rows = table_rows(folder, "communities", name)
    coarsest = min((whole_of(row.get("level")) or 0 for row in rows), default=0)
    for row in rows:
        key = ref_of(first(row, ("community", "human_readable_id", "id")))
        report = reports.pop(key, {})
        titles = [name_of(part.get("title"), tally) for part in (report, row)]
        topics = (*titles[:1], *texts_of(row.get("topics") or [], tally)) if titles[0] else titles[1:]
        groups.append(
            Group(
                key=key,
                topics=tuple(dict.fromkeys(filter(None, topics))),
                description=_described(report, tally) or prose_of(row.get("description"), tally),
                members=refs_of(row.get("entity_ids") or []),
                leads=(whole_of(row.get("level")) or 0) == coarsest,
            )
        )
    for key in reports:
        tally.add(wording.UNMATCHED_GROUPS, example=f"report of community {key}")
    return groups


def _described(report: Mapping[str, Any], tally: Tally) -> str:
    """The summary of a report, and its findings as paragraphs."""
    parts = [prose_of(report.get("summary"), tally)]
    findings = report.get("findings")
    parts += [
        " ".join(filter(None, (prose_of(finding.get(key), tally) for key in ("summary", "explanation"))))
        for finding in (findings if isinstance(findings, list) else [])
        if isinstance(finding, Mapping)
    ]
    return "\n\n".join(filter(None, parts))


# ── text ──────────────────────────────────────────────────────────────────────────────────────────
def _passages(rows: list[dict[str, Any]], tally: Tally) -> Iterator[Passage]:
    for row in rows:
        about = unpacked(row.get("attributes"))
        about = about if isinstance(about, Mapping) else {}
        documents = refs_of(row.get("document_id")) or refs_of(row.get("document_ids") or [])
        yield Passage(
            keys=tuple(filter(None, (ref_of(row.get("id")),))),
            text=text_of(row.get("text")),
            document=documents[0] if documents else "",
            start=whole_of(about.get("start")),
            end=whole_of(about.get("end")),
            page=whole_of(about.get("page_number", row.get("page_number"))) or None,
            section=name_of(about.get("section", row.get("section")), tally),
            rephrase=prose_of(about.get("rephrase", row.get("rephrase")), tally),
            failed=about.get("status") == "failed",
            things=tuple(things_of(about.get("entities"), Tally())),
            statements=tuple(statements_of(about.get("relations"), Tally())),
        )


def _documents(found: Found, rows: list[dict[str, Any]]) -> None:
    tally = found.tally
    texts: dict[str, Text] = {}
    for row in rows:
        key = ref_of(row.get("id"))
        texts[key] = Text(key, name_of(row.get("title"), tally), text_of(row.get("text")))
    for passage in found.passages:
        texts.setdefault(passage.document, Text(passage.document))
    found.texts = list(texts.values())
    found.several = max(1, len(texts))
    if len(rows) == 1:
        title = found.texts[0].title
        found.title = "" if _FILE_NAME.search(title) else title
        about = unpacked(first(rows[0], ("metadata", "raw_data")))
        if isinstance(about, Mapping):
            found.language = name_of(about.get("language"), tally)
            found.url = name_of(about.get("url"), tally)
            found.license = name_of(about.get("license"), tally)
            found.summary = prose_of(about.get("summary"), tally)


def _spell(found: Found) -> None:
    """GraphRAG writes titles in capitals; how the text writes them becomes an alias, so that it is found there."""
    texts = {key: passage.text for passage in found.passages for key in passage.keys}
    lowered = {key: text.lower() for key, text in texts.items()}
    for thing in found.things:
        wanted = thing.name.lower()
        if thing.name != thing.name.upper() or thing.name == wanted or len(wanted) < _SHORTEST_NAME:
            continue
        written: Counter[str] = Counter()
        for key in thing.passages[:_MOST_PASSAGES]:
            lower, text = lowered.get(key, ""), texts.get(key, "")
            at = lower.find(wanted) if len(lower) == len(text) else -1
            while at >= 0 and written.total() < _MOST_SPELLINGS:
                end = at + len(wanted)
                if not (lower[at - 1 : at].isalnum() or lower[end : end + 1].isalnum()):
                    written[text[at:end]] += 1
                at = lower.find(wanted, end)
        if written:
            best = min(written, key=lambda spelling: (-written[spelling], spelling))
            thing.aliases = tuple(dict.fromkeys((*thing.aliases, best)))


def _claims(found: Found, rows: list[dict[str, Any]]) -> None:
    """Covariates become attributes of their subject, "claim: …" → what is claimed, of whom, and its status."""
    by_name = {thing.name: thing for thing in found.things}
    for row in rows:
        thing = by_name.get(name_of(row.get("subject_id"), found.tally))
        said = prose_of(row.get("description"), found.tally)
        if thing is None or not said:
            found.tally.add(wording.VALUES, example=f"claim {ref_of(row.get('human_readable_id'))}")
            continue
        details = [ref_of(row.get(key)) for key in ("object_id", "status", "start_date", "end_date")]
        details = [part for part in details if part and part.upper() != "NONE"]
        label = f"{name_of(row.get('covariate_type'), found.tally) or 'claim'}: {name_of(row.get('type'), found.tally).lower()}"
        text = f"{said} ({', '.join(details)})" if details else said
        before = thing.attributes.get(label)
        thing.attributes[label] = f"{before} — {text}" if before else text
