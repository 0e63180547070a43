"""Statements of one sentence, read off its dependency tree.

Hypothetical clauses and questions state nothing and give nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgsite.extract.offline.english.mentions import SentenceMentions
from kgsite.extract.offline.english.nouns import NounReader
from kgsite.extract.offline.english.verbs import VerbReader

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_CLAUSE_VERBS = frozenset({"VERB", "AUX"})
_NO_CLAUSE = frozenset({"aux", "auxpass", "amod", "compound"})


def read_relations(span: Span, mentions: SentenceMentions) -> None:
    """Fills the links and notes of the sentence that `mentions` belongs to."""
    used: set[int] = set()
    verbs, nouns = VerbReader(mentions, used), NounReader(mentions, used)
    for token in span:
        if token.pos_ in _CLAUSE_VERBS and token.dep_ not in _NO_CLAUSE and not _hypothetical(token):
            verbs.read(token)
    for token in span:
        if token.pos_ in {"NOUN", "PROPN", "X"} or token.i in mentions.at:
            nouns.read(token)


def _hypothetical(verb: Token) -> bool:
    return any(child.dep_ == "mark" and child.lower_ in {"if", "unless", "whether", "lest"} for child in verb.children)
