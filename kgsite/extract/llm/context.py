"""What all passes of one run share: settings, the client, and how a question is put."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kgsite.config.settings import Settings
from kgsite.extract.llm.client import Ask
from kgsite.extract.llm.endpoint import model_names
from kgsite.extract.llm.prompts import filled, language_name
from kgsite.extract.schema_rules import SchemaRules


@dataclass(frozen=True, slots=True)
class Questions:
    """Puts questions in the form that settings ask for: model, sampling, room. Touches nothing."""

    settings: Settings

    def language(self, detected: str) -> str:
        """The language that descriptions are written in, as prompts name it."""
        chosen = self.settings.extract.language
        return language_name(detected if chosen in ("auto", "") else chosen)

    def ask(
        self,
        prompt: str,
        purpose: str,
        schema: Mapping[str, Any] | None,
        *,
        texts: bool = False,
        expected: int = 800,
        **values: str,
    ) -> Ask:
        """A question from a prompt file. `texts`: for the model of discovery and texts."""
        llm = self.settings.llm
        model, discovery = model_names(llm)
        system, user = filled(prompt, **values)
        return Ask(
            purpose=purpose,
            messages=(("system", system), ("user", user)),
            model=discovery if texts else model,
            temperature=llm.temperature,
            effort=llm.reasoning_effort,
            schema=schema,
            extra=llm.extra_body,
            room=llm.max_tokens,
            expected=expected,
        )


def object_schema(properties: Mapping[str, Any], required: tuple[str, ...] | None = None) -> dict[str, Any]:
    """A JSON Schema object without further properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required if required is not None else properties),
        "additionalProperties": False,
    }


def list_schema(items: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON Schema list."""
    return {"type": "array", "items": dict(items)}


TEXT: Mapping[str, Any] = {"type": "string"}
NUMBER: Mapping[str, Any] = {"type": "integer"}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The schema that chunks are read with, and the response schema made of it."""

    rules: SchemaRules
    response: Mapping[str, Any]
    types: str  # sentence for the prompt
    predicates: str
