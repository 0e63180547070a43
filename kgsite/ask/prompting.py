"""What the model is given: the facts as data, one JSON object a line, and the question.

Every text of the graph stands inside a JSON string in which `<`, `>` and line ends are escaped, so that no name or
quote can close the list it stands in or begin a line of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from kgsite.ask.index import GraphIndex
from kgsite.ask.records import Retrieved, Turn
from kgsite.ask.words import LONGEST
from kgsite.jsoncodec import clean_text
from kgsite.model import Fact

FOLDER = Path(__file__).parent / "prompts"
NOT_IN_GRAPH = "NOT IN THE GRAPH"
_LONGEST_QUOTE = 400
_LONGEST_NAME = 200
_LONGEST_ANSWER = 1_500
_MOST_NAMES = 300
_ESCAPED = str.maketrans({"<": "\\u003c", ">": "\\u003e", "\u2028": "\\u2028", "\u2029": "\\u2029", "\x85": "\\u0085"})


def data(value: object) -> str:
    """A JSON value on one line that holds no angle bracket and no line end of any kind."""
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    return clean_text(text).translate(_ESCAPED)


@lru_cache(maxsize=4)
def prompt_text(name: str) -> str:
    """The text of a prompt file."""
    return (FOLDER / f"{name}.md").read_text("utf-8").replace("\r\n", "\n")


def answer_messages(index: GraphIndex, found: Retrieved, history: Sequence[Turn]) -> tuple[tuple[str, str], ...]:
    """(role, content) of the request that answers a question from the facts found."""
    return _messages(
        "answer",
        facts="\n".join(_fact_lines(index, [item.fact for item in found.facts])),
        themes="\n".join(
            data(_without_empty({"theme": t.name, "about": t.description[:_LONGEST_QUOTE], "members": list(t.members)}))
            for t in found.themes
        ),
        earlier="\n".join(
            data({"question": turn.question, "answer": turn.answer[:_LONGEST_ANSWER]}) for turn in history
        ),
        question=data(found.question[:LONGEST]),
    )


def mention_messages(index: GraphIndex, question: str) -> tuple[tuple[str, str], ...]:
    """(role, content) of the request that asks which entities a question means."""
    best = sorted(index.collection.entities, key=lambda e: (-e.degree, e.slug))[:_MOST_NAMES]
    names = "\n".join(data(entity.name[:_LONGEST_NAME]) for entity in best)
    return _messages("mentions", names=names, question=data(question[:LONGEST]))


def read_mentions(index: GraphIndex, reply: str) -> list[str]:
    """Entity keys of the names in a reply; what is no name of the graph is passed over."""
    found: dict[str, None] = {}
    for line in reply.splitlines()[:40]:
        name = line.strip().lstrip("-*0123456789. ").strip().strip('"`')
        if name and name.upper() != "NONE":
            seeds, left = index.names.named(name, frozenset())
            if len(seeds) == 1 and not left:
                found[seeds[0].key] = None
    return list(found)


def _messages(prompt: str, **values: str) -> tuple[tuple[str, str], ...]:
    from kgsite.extract.llm.prompts import fill

    system, user = fill(prompt_text(prompt), **values)
    return (("system", system), ("user", user))


def _fact_lines(index: GraphIndex, facts: Sequence[Fact]) -> list[str]:
    """Numbered facts; a quote that several facts share is written once."""
    shown: dict[str, int] = {}
    lines = []
    for n, fact in enumerate(facts, 1):
        row: dict[str, object] = {
            "n": n,
            "fact": [_name(index, fact.source), fact.predicate[:_LONGEST_NAME], _name(index, fact.target)],
            "kind": _kind(fact),
        }
        quote, title, page = _best_quote(index, fact)
        if quote in shown:
            row["same_quote_as"] = shown[quote]
        elif quote:
            shown[quote] = n
            row |= {"quote": quote[:_LONGEST_QUOTE], "document": title, "page": page}
        elif fact.description:
            row["description"] = fact.description[:_LONGEST_QUOTE]
        lines.append(data(_without_empty(row)))
    return lines


def _name(index: GraphIndex, key: str) -> str:
    return index.entities[key].name[:_LONGEST_NAME]


def _kind(fact: Fact) -> str:
    return f"inferred ({', '.join(fact.methods) or 'method not named'})" if fact.inferred else "stated"


def _best_quote(index: GraphIndex, fact: Fact) -> tuple[str, str, int | None]:
    """(quote, document title, page): a verified one where there is any."""
    ranked = sorted(fact.evidence, key=lambda item: not item.evidence.verified)
    if not ranked or not ranked[0].evidence.text.strip():
        return "", "", None
    graph = index.documents.get(ranked[0].document)
    return ranked[0].evidence.text, (graph.title if graph else "")[:_LONGEST_NAME], ranked[0].evidence.page


def _without_empty(row: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in row.items() if value not in ("", None, [], ())}
