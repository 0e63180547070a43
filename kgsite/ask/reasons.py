"""Why an answer is no answer of a model, or not all of one: a code, what fills it in, and the sentence in English.

The preview says the same in the language of the site: its words have `preview.why.<code>`.
"""

from __future__ import annotations

from dataclasses import dataclass

SENTENCES = {
    "nothing": "Nothing that the question names is in this graph.",
    "unanswered": "The facts of this graph do not answer the question.",
    "uncited": "The model's reply cited none of the facts it was given, so it is not shown.",
    "no_model": "These are the facts nearest to the question; no model is set up to put them into words.",
    "largest": "These are the largest groups of this graph and facts from each; no model is set up to put them into words.",
    "unspoken": "No fact of this graph speaks of {words}. The facts below are about the things that the question names.",
    "partly": "None of them speaks of {words}.",
    "no_path": "No path of up to {count} facts connects {one} with {other}.",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """One sentence that an answer needs."""

    code: str  # a key of SENTENCES
    values: tuple[tuple[str, str], ...] = ()  # what fills it in

    def __str__(self) -> str:
        return SENTENCES[self.code].format_map(dict(self.values))
