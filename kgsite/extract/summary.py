"""Title and summary of a document from its own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from kgsite.model import Block, Document, Entity, Relation

LONGEST = 400
"""Characters of a summary."""

_MOST_SENTENCES = 60  # of the beginning; a summary is not found on page 200
_MOST_SENTENCES_TAKEN = 3
_LEAST_LETTERS = 0.6
_ENDS = re.compile(r"[.!?。！？।؟…][\"'”’»)\]]*$")
_WIDE = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_BOILERPLATE = re.compile(
    r"©|\(c\) ?\d{4}|https?://|www\.|@|\blicen[cs]|\blizenz|\blicencia|\blicenza|\blicença|copyright|urheberrecht"
    r"|rights reserved|creative commons|\bcc[- ]by|public domain|gutenberg|cookie|terms of use|all rights|subscribe"
    r"|table of contents|inhaltsverzeichnis|版权|许可|\bISBN\b|\bdoi\b|^\s*[\w-]{2,20}:\s",
    re.IGNORECASE,
)
_SEPARATORS = re.compile(r"[\s_\-.+]+")


def title_of(document: Document, proposed: str) -> str:
    """Front matter, else the source's own title, else what the extractor proposes, else the file name made readable."""
    for title in (document.meta.title, document.title, proposed):
        if title and title.strip():
            return " ".join(title.split())
    return readable(document.source.path)


def readable(content_path: str) -> str:
    """The file name as a title: "atlantic-cable.pdf" is "Atlantic cable"."""
    path = PurePosixPath(content_path)
    words = _SEPARATORS.sub(" ", path.name.removesuffix(path.suffix)).strip() or path.name or str(path)
    return words[:1].upper() + words[1:]


def summary_of(
    document: Document, language: str, entities: Sequence[Entity], relations: Sequence[Relation], proposed: str
) -> str:
    """Front matter, else what the extractor proposes, else one to three sentences of the text (LONGEST characters).

    Sentences are taken from prose only. Early ones and ones that name well-connected entities come first; they
    stand in the order of the text.
    """
    for summary in (document.meta.summary, proposed):
        if summary and summary.strip():
            return " ".join(summary.split())
    sentences = _prose(document, language)
    if not sentences:
        return ""
    weights = _weights(entities, relations)
    scores = [_score(sentence, place, weights) for place, sentence in enumerate(sentences)]
    ranked = sorted(range(len(sentences)), key=lambda place: (-scores[place], place))
    taken: list[int] = []
    room = LONGEST
    for place in ranked[:12]:
        if len(taken) < _MOST_SENTENCES_TAKEN and len(sentences[place]) < room:
            taken.append(place)
            room -= len(sentences[place]) + 1
    if not taken:
        return shorten(sentences[ranked[0]], LONGEST)
    joiner = "" if _WIDE.match(sentences[taken[0]]) else " "
    return joiner.join(sentences[place] for place in sorted(taken))


def shorten(text: str, limit: int) -> str:
    """`text` in at most `limit` characters, cut between words and marked with "…"."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    space = head.rfind(" ")
    return head[: space if space > limit // 2 else limit - 1].rstrip(" ,;:–—-") + "…"


def _prose(document: Document, language: str) -> list[str]:
    from kgsite.extract.sentences import sentences

    found: list[str] = []
    blocks: Sequence[Block] = document.blocks or (Block(0, len(document.text), "paragraph"),)
    for kinds in (("paragraph",), ("paragraph", "quote", "list")):
        for block in blocks:
            if block.kind not in kinds:
                continue
            part = document.text[block.start : min(block.end, block.start + 20_000)]
            for start, end in sentences(part, language):
                sentence = " ".join(part[start:end].split())
                if _is_prose(sentence):
                    found.append(sentence)
            if len(found) >= _MOST_SENTENCES:
                break
        if found:
            break
    return found[:_MOST_SENTENCES]


def _is_prose(sentence: str) -> bool:
    shortest = 10 if _WIDE.search(sentence) else 30
    if len(sentence) < shortest or not (_ENDS.search(sentence) or "\u0e00" <= sentence[-1] <= "\u0eff"):
        return False
    letters = sum(char.isalpha() or "\u0e31" <= char <= "\u0e4e" for char in sentence)
    spaces = sentence.count(" ")
    if letters < _LEAST_LETTERS * (len(sentence) - spaces) or sentence.isupper():
        return False
    return not _BOILERPLATE.search(sentence)


def _weights(entities: Sequence[Entity], relations: Sequence[Relation]) -> dict[str, float]:
    """Name → share of all relation ends that it is, for the most connected names."""
    degree: dict[str, int] = {}
    for relation in relations:
        for name in (relation.source, relation.target):
            degree[name] = degree.get(name, 0) + 1
    top = sorted(degree, key=lambda name: (-degree[name], name))[:40]
    known = {entity.name for entity in entities}
    most = max(degree.values(), default=1)
    return {name: degree[name] / most for name in top if name in known and len(name) > 1}


def _score(sentence: str, place: int, weights: dict[str, float]) -> float:
    folded = sentence.casefold()
    central = sum(weight for name, weight in weights.items() if name.casefold() in folded)
    length = len(sentence) * (2 if _WIDE.search(sentence) else 1)
    handy = 1.0 if length <= 220 else 220 / length
    return round((2.0 / (1 + place) + min(central, 2.5)) * handy, 6)
