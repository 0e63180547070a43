"""Questions that were answered while the site was built: one page, each answer with the facts it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kgsite.site import urls
from kgsite.site.escape import to_json
from kgsite.site.views import facts
from kgsite.site.views.context import QUESTIONS, SiteContext
from kgsite.site.views.records import FactView, LinkView, PageView

if TYPE_CHECKING:
    from kgsite.ask.records import Answer, Citation

PATH = QUESTIONS[1]
_CITED = re.compile(r"\[(\d+)\]")
_MOST_LINKED = 8  # things that a question is about, as links


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """A stretch of an answer: words, or a citation (then `href` leads to its fact on this page)."""

    text: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class NumberedFact:
    """A fact as an answer cites it."""

    number: int
    anchor: str
    fact: FactView


@dataclass(frozen=True, slots=True)
class QuestionView:
    """One question. `paragraphs` is empty when no model answered: then `note` says what the facts are."""

    anchor: str
    question: str
    paragraphs: tuple[tuple[AnswerPart, ...], ...]
    note: str
    facts: tuple[NumberedFact, ...]
    about: tuple[LinkView, ...]


@dataclass(frozen=True, slots=True)
class QuestionsView:
    """The page /questions/."""

    page: PageView
    summary: str
    contents: tuple[LinkView, ...]
    questions: tuple[QuestionView, ...]


def questions_page(context: SiteContext, answers: Sequence[Answer]) -> QuestionsView:
    """The view of the page."""
    words = context.words
    summary = words.t("questions.summary", count=words.n("count.questions", len(answers)))
    views = tuple(_question(context, number, answer) for number, answer in enumerate(answers, 1))
    return QuestionsView(
        page=context.page(
            PATH, "questions", words.t("questions.title"), summary, active=QUESTIONS[0], twin=urls.twin(PATH)
        ),
        summary=summary,
        contents=tuple(LinkView(view.question, context.href(PATH, PATH, view.anchor)) for view in views),
        questions=views,
    )


def _question(context: SiteContext, number: int, answer: Answer) -> QuestionView:
    anchor = f"q{number}"
    chosen = answer.citations if answer.mode == "answer" else answer.facts[: answer.nearest]
    seeds = [seed for seed in answer.seeds if seed.key in context.entities][:_MOST_LINKED]
    shown = [c for c in chosen if c.subject_key in context.entities and c.object_key in context.entities]
    numbers = frozenset(c.n for c in shown)
    return QuestionView(
        anchor,
        answer.question,
        tuple(tuple(_parts(line, anchor, numbers)) for line in answer.text.split("\n") if line.strip()),
        _note(context, answer),
        tuple(NumberedFact(c.n, f"{anchor}-{c.n}", facts.fact(context, PATH, c.fact, quotes=1)) for c in shown),
        (
            *(LinkView(seed.name, context.href(PATH, context.addresses.entities[seed.key])) for seed in seeds),
            *(LinkView(theme.name, context.href(PATH, theme.page)) for theme in answer.themes),
        ),
    )


def _parts(line: str, anchor: str, numbers: frozenset[int]) -> Iterator[AnswerPart]:
    """A line of an answer; the numbers of the facts below it are links, others are text."""
    at = 0
    for found in _CITED.finditer(line):
        if found.start() > at:
            yield AnswerPart(line[at : found.start()])
        number = int(found[1])
        yield AnswerPart(found[0], f"#{anchor}-{number}" if number in numbers else "")
        at = found.end()
    if at < len(line):
        yield AnswerPart(line[at:])


def _note(context: SiteContext, answer: Answer) -> str:
    """What the reader has to know of an answer that no model gave."""
    if answer.mode == "answer":
        return ""
    if answer.mode == "unanswered":
        return context.words.t("questions.unanswered" if answer.facts else "questions.nothing")
    return context.words.t("questions.facts_only")


# ── for machines ──────────────────────────────────────────────────────────────────────────────────
def questions_twin(context: SiteContext, answers: Sequence[Answer]) -> bytes:
    """The page as JSON: the shape of `kgsite ask --json`, without the facts that no answer shows."""
    rows = [_row(context, answer, number) for number, answer in enumerate(answers, 1)]
    return to_json({"format": 1, "questions": rows}, indent=True)


def _row(context: SiteContext, answer: Answer, number: int) -> dict[str, Any]:
    chosen = answer.citations if answer.mode == "answer" else answer.facts[: answer.nearest]
    return {
        "id": f"q{number}",
        "question": answer.question,
        "answer": answer.text,
        "mode": answer.mode,
        "note": _note(context, answer),
        "model": answer.model,
        "seeds": [
            {"name": seed.name, "type": seed.type, "href": urls.encode(context.addresses.entities[seed.key])}
            for seed in answer.seeds
            if seed.key in context.entities
        ],
        "citations" if answer.mode == "answer" else "facts": [_fact(context, citation) for citation in chosen],
    }


def _fact(context: SiteContext, citation: Citation) -> dict[str, Any]:
    paths = context.addresses.entities
    return {
        "n": citation.n,
        "subject": citation.subject,
        "predicate": citation.predicate,
        "object": citation.object,
        "kind": "inferred" if citation.inferred else "extracted",
        "methods": list(citation.methods),
        "href": urls.encode(paths[citation.subject_key]),
        "object_href": urls.encode(paths[citation.object_key]),
        "quotes": [
            {
                "text": quote.text,
                "document": quote.document,
                "page": quote.page,
                "verified": quote.verified,
                "href": quote.href,
            }
            for quote in citation.quotes
        ],
    }
