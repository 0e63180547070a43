"""Document → sentences with mentions and links, one spaCy pass, nothing of the parse kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgsite.extract.offline.english import possessives
from kgsite.extract.offline.english.mentions import SentenceMentions
from kgsite.extract.offline.english.passages import Passage, passages
from kgsite.extract.offline.english.records import Sentence
from kgsite.extract.offline.english.relations import read_relations
from kgsite.model import Document

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

BATCH = 4
MAX_SENTENCE_TOKENS = 220
"""A "sentence" longer than that is a table or a list in disguise."""


def read(document: Document, nlp: Language, left_out: list[int] | None = None) -> list[Sentence]:
    """The sentences of the document's prose that hold at least one mention, in reading order.

    `left_out` gets the lengths of pieces that were too much of a text without sentences.
    """
    sentences: list[Sentence] = []
    names = possessives.whole_names(document.text)
    with nlp.memory_zone():
        stream = ((passage.text, passage) for passage in passages(document, left_out))
        for doc, passage in nlp.pipe(stream, as_tuples=True, batch_size=BATCH):
            possessives.join(doc, names)
            chunks = list(doc.noun_chunks)  # once: a span's own `noun_chunks` reads the whole text each time
            position = 0
            for span in doc.sents:
                first = position
                while position < len(chunks) and chunks[position].start < span.end:
                    position += 1
                sentence = _sentence(doc, span, chunks[first:position], passage)
                if sentence is not None and sentence.mentions:
                    sentences.append(sentence)
    return sentences


def _sentence(doc: Doc, span: Span, chunks: list[Span], passage: Passage) -> Sentence | None:
    if len(span) > MAX_SENTENCE_TOKENS or not any(token.is_alpha for token in span):
        return None
    text = span.text
    first = span.start_char + len(text) - len(text.lstrip())
    start, end = passage.span(first, first + len(text.strip()))
    sentence = Sentence(start, end, passage.block)
    mentions = SentenceMentions(doc, span, chunks, passage, sentence)
    if not text.rstrip().rstrip("\"')").endswith("?"):
        read_relations(span, mentions)
    return sentence
