"""From a stretch of text to a name fit for publication, or nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgsite.extract.offline.english import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Token

MAX_WORDS = 6
MAX_CHARS = 80

_SPACES = re.compile(r"\s+")
_LEADING = re.compile(r"^(?:(?:the|a|an|this|that|these|those|its|his|her|their|our|my|your)\s+)+", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:1\d{3}|20\d{2}|21\d{2})s?\b")
_CENTURY = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)\b.*\bcentur(?:y|ies)\b|\b\w+ century\b", re.IGNORECASE)
_DAY_MONTH = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)?\b")
_REFERENCE = re.compile(
    r"^(?:sections?|figures?|figs?|tables?|pages?|pp?|chapters?|equations?|eq|appendix|annex|ref|refs|step|part|no|vol"
    r"|items?|schedules?|exhibits?|clauses?|articles?|paragraphs?|footnotes?|notes?)\.?(?:\s+[a-z]?[\divxlc]*(?:[.\-–]\w+)*|\d[\w.\-–]*)?$",
    re.IGNORECASE,
)
_CITATION = re.compile(r"et al|https?:|www\.|@|\bibid\b|\bdoi\b|[<>{}|\\=^~#]|\[\d|\d\]|::|\(\d{4}")
_WEEKDAY = re.compile(
    r"^(?:(?:last|next|early|late) )?(?:mon|tues|wednes|thurs|fri|satur|sun)day(?: (?:morning|afternoon|evening|night|noon))?s?$",
    re.IGNORECASE,
)
_EDGE = " \t.,;:!?\"'`´()[]{}«»–—-_*/•·…"
_IRREGULAR = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "businessmen": "businessman",
    "businesswomen": "businesswoman", "statesmen": "statesman", "phenomena": "phenomenon", "criteria": "criterion",
    "bacteria": "bacterium", "species": "species", "series": "series", "wives": "wife", "lives": "life", "knives": "knife",
}  # fmt: skip
_DATE_LEAD = re.compile(
    r"^(?:(?:the|in|on|by|since|from|between|during|around|about|until|till|approximately|circa|c\.|early in|late in|only|just|that|this)\s+)+",
    re.IGNORECASE,
)


def tidy(text: str) -> str:
    """One line, single spaces, no quotes or brackets at the edges, no possessive ending.

    >>> tidy('"The  Times"\\'s ')
    'The Times'
    """
    name = _SPACES.sub(" ", text).strip(_EDGE)
    name = re.sub(r"['’]s?$", "", name.rsplit(": ", 1)[-1]).strip(_EDGE)
    if name.count("(") != name.count(")"):
        name = re.split(r"[()]", name)[0].strip(_EDGE)
    return name


def without_article(name: str) -> str:
    return _LEADING.sub("", name)


def is_nonsense(name: str) -> bool:
    """True for what no reader would look up: numbers, single letters, references, citations, bare vague words."""
    letters = sum(1 for char in name if char.isalpha())
    if letters < 2 or len(name) > MAX_CHARS or letters < 0.5 * len(name.replace(" ", "")):
        return True
    if _REFERENCE.match(name) or _CITATION.search(name) or _WEEKDAY.match(name):
        return True
    lower = name.casefold()
    if lower in lexicon.VAGUE or lower in lexicon.QUANTIFIERS or lower in lexicon.PREPOSITIONS:
        return True
    return len(name) == 2 and name.islower()


def date_name(text: str) -> str:
    """A date that stands on its own, trimmed; "" for relative ones ("the next day", "last year").

    >>> date_name("the late 18th century"), date_name("20 July"), date_name("weeks after")
    ('late 18th century', '20 July', '')
    """
    name = _DATE_LEAD.sub("", tidy(text))
    words = {word.strip(",.").casefold() for word in name.split()}
    if len(words) > 7 or words & {"ago", "old", "later", "earlier", "last", "next", "than", "after", "before"}:
        return ""
    if _YEAR.search(name):
        return name if letters_or_year(name) else ""
    if words & lexicon.MONTHS and (_DAY_MONTH.search(name) or name[:1].isupper()):
        return re.sub(r"\s+of (?:that|this|the same) year$", "", name) if len(name) > 3 else ""
    return name if _CENTURY.search(name) and len(words) <= 6 and words.isdisjoint({"this", "a", "half"}) else ""


def letters_or_year(name: str) -> bool:
    """False for ranges and counts that only look like years ("1,500 people")."""
    return bool(re.fullmatch(r"[\w\s,./–\-']+", name)) and "," not in re.sub(r",\s", "", name)


def trim_left(tokens: list[Token]) -> list[Token]:
    """Drops determiners, quantifiers, adverbs and empty adjectives before a noun; capitalised words stay."""
    index = 0
    while index < len(tokens) - 1:
        token = tokens[index]
        lower = token.lower_
        if tokens[index + 1].text == "-" and token.idx + len(token.text) == tokens[index + 1].idx:
            break  # "e-commerce", "well-known", "large-scale"
        if lower in {"term", "word"} and index and tokens[index - 1].lower_ == "the":
            index += 1
            continue
        if token.pos_ in {"DET", "PRON", "PUNCT", "ADP", "CCONJ", "SCONJ", "INTJ", "SYM", "AUX", "PART", "SPACE"} or (
            token.pos_ == "NUM" and not (token.ent_type_ and token.shape_.startswith("X"))
        ):
            index += 1
        elif token.pos_ == "PROPN" and token.shape_[:1] == "X":
            break
        elif token.pos_ == "ADJ" and token.is_title and not token.is_sent_start and tokens[index + 1].shape_[:1] == "X":
            break  # "the Great Eastern"
        elif token.tag_ in {"JJS", "RBS"} and tokens[-1].dep_ == "attr":
            break  # "the most powerful rocket", "the driest desert": what is said of a thing keeps its degree
        elif token.tag_ in {"RB", "RBR", "RBS", "JJS", "JJR", "PDT", "CD"} or lower in lexicon.QUANTIFIERS:
            index += 1
        else:
            break
    return tokens[index:]


def shorten(tokens: list[Token], root: Token) -> list[Token]:
    """At most MAX_WORDS words of a common noun phrase: its end, from a word border that is no hyphen."""
    words = [token for token in tokens if not token.is_punct]
    if len(words) <= MAX_WORDS:
        return tokens
    kept = [token for token in tokens if token.i <= root.i][-4:]
    while len(kept) > 1 and (kept[0].is_punct or kept[0].pos_ in {"CCONJ", "ADP", "DET", "PART"}):
        kept = kept[1:]
    return kept


def singular(noun: str) -> str:
    """A plain English singular of one lower-case word; only for comparing and for "is a" targets."""
    if len(noun) < 4 or not noun.endswith("s") or noun.endswith(("ss", "us", "is", "ics", "ous")):
        return noun
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("ches", "shes", "xes", "sses", "zes")):
        return noun[:-2]
    return noun[:-1]


def singular_phrase(name: str) -> str:
    """A plural common noun phrase in the singular: "steam engines" → "steam engine"."""
    *before, last = name.split() or [""]
    return " ".join([*before, _IRREGULAR.get(last, singular(last))])


def fold(name: str) -> str:
    """The identity of a name inside one document: case, article, hyphens and a plain plural do not matter."""
    words = without_article(name).casefold().replace("-", " ").replace("’", "'").split()
    if words and not (name[:1].isupper() and len(words) > 1 and name.rsplit(maxsplit=1)[-1][:1].isupper()):
        words[-1] = singular(words[-1])
    return " ".join(words)
