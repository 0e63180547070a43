"""Texts about a whole document: title, summary, names of communities, descriptions that several passages give.

These are separate items with a key each, but what is not stored yet travels in one request. So an edit, which changes
the gist of a passage or two and the descriptions found in them, costs one request here and not one for each pass; and
a document that did not change costs none. Descriptions beyond a few dozen follow in requests of 20.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kgsite.extract.extractor import ExtractJob
from kgsite.extract.infer import by_name, fold
from kgsite.extract.llm.asking import ask_model
from kgsite.extract.llm.client import Ask, Client
from kgsite.extract.llm.context import NUMBER, TEXT, Questions, list_schema, object_schema
from kgsite.extract.llm.faults import Fault
from kgsite.extract.llm.prompts import filled
from kgsite.extract.replies import Reading, Shape, read_reply
from kgsite.extract.rows import text_of
from kgsite.model import Community, DocumentGraph, Entity
from kgsite.replystore import StoredReply

BATCH = 20
_RIDERS = 40  # descriptions that still travel with the overview
_GIST_CHARS = 9_000  # about 2,500 tokens: fits small local context sizes beside the rest
_MOST_COMMUNITIES = 30
_MEMBERS = 12
_MOST_DESCRIPTIONS = 8

_ROW = {
    "communities": object_schema({"id": NUMBER, "name": TEXT, "description": TEXT}),
    "descriptions": object_schema({"id": NUMBER, "description": TEXT}),
}


def _place(row: Any) -> str:
    if not isinstance(row, dict) or "id" not in row:
        return ""
    return "communities" if "name" in row else "descriptions" if "description" in row else ""


SHAPE = Shape(("title", "summary", "communities", "descriptions"), ("communities", "descriptions"), _place)


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to be written: `keys` of the answer, its part of the material, and the number of its rows."""

    keys: tuple[str, ...]
    material: str
    subjects: tuple[str, ...] = ()  # what the rows are about, for people and for giving answers back


@dataclass(frozen=True, slots=True)
class Written:
    """Answers by item; an item without an answer is missing."""

    answers: Mapping[Item, Mapping[str, Any]]
    notes: tuple[str, ...] = ()


def items_of(questions: Questions, job: ExtractJob, graph: DocumentGraph, gists: Sequence[str]) -> list[Item]:
    """What is to be written about a document, by its settings and what its publisher has stated."""
    settings = questions.settings
    items: list[Item] = []
    if settings.extract.summarize:
        items += _texts(job, graph, gists)
    if settings.visualization.name_communities:
        items += _communities(graph)
    if settings.extract.merge_descriptions:
        items += _descriptions(graph)
    return items


def _texts(job: ExtractJob, graph: DocumentGraph, gists: Sequence[str]) -> list[Item]:
    """Title and summary where nobody has stated them; nothing for a document of which nothing could be read."""
    document = job.document
    stated = {"title": document.title or document.meta.title, "summary": document.meta.summary}
    wanted = tuple(key for key, text in stated.items() if not text)
    if not wanted or not any(part.status != "failed" for part in graph.chunks):
        return []
    lines = "\n".join(f"- {line}" for line in spread(gists or _beginnings(graph)))
    # Named, so that two documents about the same thing do not share an answer.
    name = stated["title"] or document.source.path
    return [Item(wanted, f"What the passages of “{name}” are about:\n{lines}")]


def _communities(graph: DocumentGraph) -> list[Item]:
    groups = large_communities(graph)
    lines = [f"{number}. {', '.join(_member_names(group))}" for number, group in enumerate(groups, 1)]
    subjects = tuple(str(group.id) for group in groups)
    return [Item(("communities",), "Groups:\n" + "\n".join(lines), subjects)] if groups else []


def _descriptions(graph: DocumentGraph) -> list[Item]:
    return [
        Item(
            ("descriptions",),
            f"{entity.name} ({entity.type})\n" + "\n".join(f"   - {text}" for text in texts),
            (entity.id or entity.name,),
        )
        for entity, texts in differing_descriptions(graph)
    ]


def spread(lines: Sequence[str]) -> list[str]:
    """Lines from the first to the last that fit into the material: all, or evenly chosen ones."""
    lines = [line for line in lines if line]
    size = sum(len(line) + 3 for line in lines)
    if size <= _GIST_CHARS:
        return list(lines)
    keep = max(int(len(lines) * _GIST_CHARS / size), 2)
    chosen = [lines[round(index * (len(lines) - 1) / (keep - 1))] for index in range(keep)]
    while len(chosen) > 2 and sum(len(line) + 3 for line in chosen) > _GIST_CHARS:
        del chosen[len(chosen) // 2]
    return [line[:_GIST_CHARS] for line in chosen]


def _beginnings(graph: DocumentGraph) -> list[str]:
    return [" ".join(part.chunk.text.split())[:160] for part in graph.chunks]


def large_communities(graph: DocumentGraph) -> list[Community]:
    """The communities that the model names: at most 30, those with most members. The others keep their own names."""
    ranked = sorted(
        (group for group in graph.communities if len(group.members) > 1),
        key=lambda group: (-len(group.members), group.id),
    )
    return ranked[:_MOST_COMMUNITIES]


def _member_names(group: Community) -> list[str]:
    return [member.rpartition("::")[0] or member for member in group.members[:_MEMBERS]]


def differing_descriptions(graph: DocumentGraph) -> list[tuple[Entity, list[str]]]:
    """Entities that their chunks describe differently, with the descriptions in reading order."""
    names = by_name(graph.entities)
    found: dict[str, list[str]] = {}
    for part in graph.chunks:
        for candidate in part.entities:
            entity = names.get(fold(candidate.name))
            text = candidate.description.strip()
            if entity is None or not text:
                continue
            known = found.setdefault(fold(entity.name), [])
            plain = fold(text).rstrip(".")
            if len(known) < _MOST_DESCRIPTIONS and not any(plain in fold(other) for other in known):
                known[:] = [other for other in known if fold(other).rstrip(".") not in fold(text)]
                known.append(text[:400])
    return [(names[name], texts) for name, texts in sorted(found.items()) if len(texts) > 1]


# ── asking ────────────────────────────────────────────────────────────────────────────────────────
def overview_ask(questions: Questions, items: Sequence[Item], language: str) -> Ask:
    """One request for several items; descriptions are numbered through."""
    named = questions.language(language)
    keys = [key for key in SHAPE.keys if any(key in item.keys for item in items)]
    parts = [item.material for item in items if item.keys != ("descriptions",)]
    described = [item for item in items if item.keys == ("descriptions",)]
    if described:
        parts.append(
            "Things with several descriptions:\n"
            + "\n".join(f"{number}. {item.material}" for number, item in enumerate(described, 1))
        )
    schema = object_schema({key: list_schema(_ROW[key]) if key in _ROW else TEXT for key in keys})
    expected = 250 * ("summary" in keys) + 50 * len(described) + 60 * sum(len(item.subjects) for item in items)
    tasks = "\n".join(filled(key)[0] for key in keys)
    return questions.ask(
        "overview",
        "texts",
        schema,
        texts=True,
        expected=expected,
        language=named,
        tasks=tasks,
        material="\n\n".join(parts),
    )


def requests_for(items: Sequence[Item]) -> list[list[Item]]:
    """Items that are not stored, as requests: the texts first, with descriptions riding along."""
    texts = [item for item in items if item.keys != ("descriptions",)]
    described = [item for item in items if item.keys == ("descriptions",)]
    room = _RIDERS if len(described) <= _RIDERS else BATCH
    groups = [[*texts, *described[:room]]]
    groups += [described[at : at + BATCH] for at in range(room, len(described), BATCH)]
    return [group for group in groups if group]


def stored_answer(client_store: Any, questions: Questions, item: Item, language: str) -> Mapping[str, Any] | None:
    """The answer to an item that was written before."""
    stored = client_store.get(overview_ask(questions, [item], language).key)
    if stored is None:
        return None
    reading = read_reply(stored.content, SHAPE)
    return reading.value if reading.complete else None


async def write(client: Client, questions: Questions, items: Sequence[Item], language: str) -> Written:
    """Answers to all items, from the store or the model. Raises Halt."""
    answers: dict[Item, Mapping[str, Any]] = {}
    for item in items:
        if (known := stored_answer(client.store, questions, item, language)) is not None:
            answers[item] = known
            client.usage.of("texts").cached += 1
    notes: list[str] = []
    for group in requests_for([item for item in items if item not in answers]):
        await _write_group(client, questions, group, language, answers, notes)
    return Written(answers, tuple(notes))


async def _write_group(
    client: Client,
    questions: Questions,
    group: Sequence[Item],
    language: str,
    answers: dict[Item, Mapping[str, Any]],
    notes: list[str],
) -> None:
    ask = overview_ask(questions, group, language)
    try:
        outcome = await ask_model(client, ask, SHAPE)
    except Fault as fault:
        if fault.kind in ("context", "length") and len(group) > 1:
            for part in (group[: len(group) // 2], group[len(group) // 2 :]):
                await _write_group(client, questions, part, language, answers, notes)
            return
        notes.append(f"texts about the document could not be written: {client.endpoint.redact(fault.message)}")
        return
    for item, answer in shared_out(group, outcome.reading).items():
        answers[item] = answer
        key = overview_ask(questions, [item], language).key
        if key != ask.key:
            await client.keep_complete(
                key,
                StoredReply(
                    json.dumps(answer, ensure_ascii=False), model=ask.model, purpose="texts", extra={"part_of": ask.key}
                ),
            )
    if not outcome.reading.complete:
        notes.append("texts about the document are incomplete: the reply was unusable or cut")


def shared_out(group: Sequence[Item], reading: Reading) -> dict[Item, Mapping[str, Any]]:
    """The parts of one answer, each to its item; numbers are those of a request for that item alone."""
    value = reading.value
    rows = {_number(row.get("id")): row for row in value.get("descriptions") or () if isinstance(row, dict)}
    found: dict[Item, Mapping[str, Any]] = {}
    number = 0
    for item in group:
        if item.keys == ("descriptions",):
            number += 1
            text = text_of(rows.get(number, {}).get("description"))
            if text:
                found[item] = {"descriptions": [{"id": 1, "description": text}]}
        elif item.keys == ("communities",):
            if value.get("communities"):
                found[item] = {"communities": value["communities"]}
        elif all(text_of(value.get(key)) for key in item.keys):
            found[item] = {key: text_of(value[key], 4000) for key in item.keys}
    return found


def _number(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return -1


# ── applying ──────────────────────────────────────────────────────────────────────────────────────
def applied(graph: DocumentGraph, written: Written) -> DocumentGraph:
    """The graph with the texts in place."""
    title, summary = graph.title, graph.summary
    described: dict[str, str] = {}
    named: dict[int, tuple[str, str]] = {}
    for item, answer in written.answers.items():
        title = text_of(answer.get("title"), 200) or title if "title" in item.keys else title
        summary = text_of(answer.get("summary")) or summary if "summary" in item.keys else summary
        for row in answer.get("descriptions") or ():
            described[item.subjects[0]] = text_of(row.get("description"))
        for row in answer.get("communities") or ():
            place = _number(row.get("id")) - 1 if isinstance(row, dict) else -1
            if 0 <= place < len(item.subjects) and (name := text_of(row.get("name"), 80)):
                named[int(item.subjects[place])] = (name, text_of(row.get("description"), 600))
    entities = tuple(
        replace(entity, description=text) if (text := described.get(entity.id or entity.name)) else entity
        for entity in graph.entities
    )
    communities = tuple(_named(group, named.get(group.id)) for group in graph.communities)
    return replace(
        graph,
        title=title,
        summary=summary,
        entities=entities,
        communities=communities,
        notes=(*graph.notes, *written.notes),
    )


def _named(group: Community, name: tuple[str, str] | None) -> Community:
    if name is None:
        return group
    topics = tuple(dict.fromkeys((name[0], *group.topics)))
    return replace(group, topics=topics, description=name[1] or group.description)
