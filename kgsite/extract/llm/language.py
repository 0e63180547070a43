"""Asking the model for a text's language, when front matter and local detection leave it open."""

from __future__ import annotations

from typing import Any

from kgsite.extract.llm.asking import ask_model
from kgsite.extract.llm.client import Ask, Client
from kgsite.extract.llm.context import TEXT, Questions, object_schema
from kgsite.extract.llm.discovery import samples
from kgsite.extract.llm.faults import Fault
from kgsite.extract.replies import Shape
from kgsite.extract.rows import text_of

_SHAPE = Shape(("language",), (), lambda _: "")


def language_ask(questions: Questions, text: str) -> Ask:
    """The request: a piece of the text's middle, where a foreign title or imprint is unlikely."""
    parts = samples(text)
    passage: Any = parts[len(parts) // 2][:1_500]
    return questions.ask(
        "language", "language", object_schema({"language": TEXT}), texts=True, expected=20, passage=passage
    )


async def ask_language(client: Client, questions: Questions, text: str) -> str:
    """ISO 639-1 code, or "" when no usable answer came. Raises Halt."""
    try:
        outcome = await ask_model(client, language_ask(questions, text), _SHAPE)
    except Fault:
        return ""
    code = text_of(outcome.value.get("language"), 10).lower().partition("-")[0]
    return code if len(code) == 2 and code.isascii() and code.isalpha() else ""
