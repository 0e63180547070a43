"""Document → sentences with mentions and links, one spaCy pass, nothing of the parse kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgsite.extract.offline.english.mentions import SentenceMentions
from kgsite.extract.offline.english.passages import passages
from kgsite.extract.offline.english.records import Sentence
from kgsite.extract.offline.english.relations import RelationReader
from kgsite.model import Document

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

BATCH = 8
MAX_SENTENCE_TOKENS = 220
"""A "sentence" longer than that is a table or a list in disguise."""


def read(document: Document, nlp: Language) -> list[Sentence]:
    """The sentences of the document's prose that hold at least one mention, in reading order."""
    sentences: list[Sentence] = []
    with nlp.memory_zone():
        stream = ((passage.text, passage) for passage in passages(document))
        for doc, passage in nlp.pipe(stream, as_tuples=True, batch_size=BATCH):
            for span in doc.sents:
                sentence = _sentence(doc, span, passage.start, passage.block)
                if sentence is not None and sentence.mentions:
                    sentences.append(sentence)
    return sentences


def _sentence(doc: Doc, span: Span, offset: int, block: int) -> Sentence | None:
    if len(span) > MAX_SENTENCE_TOKENS or not any(token.is_alpha for token in span):
        return None
    text = span.text
    lead = len(text) - len(text.lstrip())
    start = offset + span.start_char + lead
    sentence = Sentence(start, start + len(text.strip()), block)
    mentions = SentenceMentions(doc, span, offset, sentence)
    if not text.rstrip().rstrip("\"')").endswith("?"):
        RelationReader(mentions).read(span)
    return sentence
