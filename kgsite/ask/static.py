"""Questions of site.toml, answered while the site is built: `.kgsite/answers.json` and the page /questions/.

The file holds the model's replies by the hash of their request (question, facts, prompt, model, sampling). It is
committed state like the graphs: with it, another machine builds the same page without a model, also under --frozen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kgsite.ask.asker import Asker
from kgsite.ask.records import Answer, Retrieved
from kgsite.ask.retrieve import retrieve
from kgsite.collection import Permalinks, merge
from kgsite.errors import FrozenError, KgsiteError, UsageError
from kgsite.jsoncodec import clean_text
from kgsite.model import Collection
from kgsite.project import Project
from kgsite.replystore import ReplyStore
from kgsite.report import Report, plural
from kgsite.store import write_atomic

if TYPE_CHECKING:
    from kgsite.extract.llm.cost import PassCost

FORMAT = 1
_LONGEST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class StaticAnswers:
    """Answers in the order of site.toml. `whole` is off when the model could not be asked for one of them."""

    answers: tuple[Answer, ...] = ()
    whole: bool = True


def answers_file(project: Project) -> Path:
    """The committed replies of a project."""
    return project.store.folder / "answers.json"


def asked_questions(project: Project) -> list[str]:
    """The questions of site.toml, each once, in their order."""
    return list(dict.fromkeys(text for asked in project.settings.questions if (text := " ".join(asked.split()))))


def answer_questions(
    project: Project, collection: Collection, report: Report, *, frozen: bool = False, no_cache: bool = False
) -> StaticAnswers:
    """Answer `[questions] ask`. Stored replies are used first; what the model can't be asked for is told as a loss.

    Raises FrozenError when `frozen` and a reply is missing, ConfigError for an incomplete [llm].
    """
    file = answers_file(project)
    questions = asked_questions(project)
    if not questions:
        file.unlink(missing_ok=True)
        return StaticAnswers()
    store = ReplyStore(project.store.replies, read=not no_cache)
    with Asker(collection, project.settings, store=store, environ=project.world.environ) as asker:
        found = [retrieve(asker.index, question, project.settings.query) for question in questions]
        if asker.client is None:
            file.unlink(missing_ok=True)
            return StaticAnswers(tuple(asker.from_facts(one) for one in found))
        kept = {} if no_cache else _load(project, report)
        replies, whole = _replies(asker, found, kept, report, frozen=frozen)
        _save(project, asker, found, replies)
        _count(asker, report)
        answers = [
            asker.read(one, reply) if (reply := replies.get(one.question)) is not None else asker.from_facts(one)
            for one in found
        ]
    return StaticAnswers(tuple(answers), whole)


def _replies(
    asker: Asker, found: Sequence[Retrieved], kept: Mapping[str, str], report: Report, *, frozen: bool
) -> tuple[dict[str, str], bool]:
    """(question → the model's reply, whether none is missing)."""
    asks = {one.question: asker.request(one) for one in found if one.facts}
    replies = {question: kept[ask.key] for question, ask in asks.items() if ask.key in kept}
    missing = [question for question in asks if question not in replies]
    if frozen and missing:
        lines = "\n".join(f"    {_short(question)}" for question in missing)
        message = f"--frozen: {plural(len(missing), 'question')} would need the model\n{lines}"
        raise FrozenError(message, hint="run kgsite build where that may happen, and commit .kgsite/answers.json")
    whole = True
    done = asker.replies(
        [asks[question] for question in missing], lambda n, total: report.progress(n, total, "questions")
    )
    for question, reply in zip(missing, done, strict=True):
        if isinstance(reply, KgsiteError):
            whole = False
            reply.message = f"“{_short(question)}” is answered with facts only: {reply.message}"
            reply.hint = "build again to ask the model for it"
            report.lose(reply, file="site.toml")
        else:
            replies[question] = reply
    return replies, whole


def _count(asker: Asker, report: Report) -> None:
    usage = asker.usage()
    if usage.requests or usage.cached:
        report.extra["questions"] = usage.as_json()
    for warning in asker.client.warnings if asker.client else ():
        report.warn(warning, code="llm")


def _short(question: str) -> str:
    return question if len(question) <= _LONGEST_SHOWN else question[: _LONGEST_SHOWN - 1] + "…"


# ── what they would cost ──────────────────────────────────────────────────────────────────────────
def questions_cost(project: Project, report: Report, *, settled: bool, no_cache: bool) -> PassCost | None:
    """What `[questions]` would cost in the next build; None when the model is not asked. Sends and writes nothing.

    Unless `settled`, the facts may change before: then every question counts as asked anew. Raises ConfigError.
    """
    from kgsite.ask.opening import stored_collection
    from kgsite.extract.llm.cost import cost_of
    from kgsite.extract.llm.endpoint import uses_model

    questions = asked_questions(project)
    if not questions or not uses_model(project.settings.llm):
        return None
    try:
        collection = stored_collection(project, Report())
    except UsageError:
        collection = merge((), settings=project.settings, permalinks=Permalinks())
    store = ReplyStore(project.store.replies, read=not no_cache)
    kept = {} if no_cache else _load(project, report)
    with Asker(collection, project.settings, store=store, environ=project.world.environ) as asker:
        found = [retrieve(asker.index, question, project.settings.query) for question in questions]
        asks = [asker.request(one) for one in found if one.facts or not settled]
        return cost_of(asks, project.settings, lambda key: settled and (key in kept or store.has(key)))


# ── the file ──────────────────────────────────────────────────────────────────────────────────────
def _load(project: Project, report: Report) -> dict[str, str]:
    """Request key → reply; a damaged file is set aside with a warning, and asked for again."""
    try:
        value = json.loads(answers_file(project).read_bytes())
        if value["format"] != FORMAT:
            return {}
        return {str(key): _text(entry["reply"]) for key, entry in value["answers"].items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        project.store.set_aside(answers_file(project))
        report.warn("answers.json was damaged and is made anew", code="store")
        return {}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _save(project: Project, asker: Asker, found: Iterable[Retrieved], replies: Mapping[str, str]) -> None:
    """Only the replies that are in use: a question that is not asked any more leaves nothing behind."""
    rows = {
        asker.request(one).key: {
            "question": one.question,
            "model": asker.model,
            "reply": clean_text(replies[one.question]),
        }
        for one in found
        if one.question in replies
    }
    body = json.dumps(
        {"format": FORMAT, "answers": rows}, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False
    )
    write_atomic(answers_file(project), clean_text(body).encode() + b"\n")
