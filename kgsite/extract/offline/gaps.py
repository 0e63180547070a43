"""What the words between two names say: a predicate, or nothing that can be relied on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kgsite.extract.offline.lexicon import Lexicon

_QUOTES = frozenset("'’‘\"“”„«»‹›*_")
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*|[^\s\w]")
_ADVERB = {"en": "ly", "es": "mente", "it": "mente", "pt": "mente", "fr": "ment"}
VERB_LAST = ("de", "nl")
"""Languages whose participle stands at the end of the clause."""
_WHERE = frozenset(("donde", "où", "dove", "onde", "wo", "waar", "где"))
_TITLE_NEXT = re.compile(r"\s([^\W\d_]+)\s?[«\"“„]\s?$")
_LONGEST = 70  # characters between two names that are read


@dataclass(frozen=True, slots=True)
class Gap:
    """How a name connects to the one after it."""

    kind: str  # "verb", "preposition", "conjunction", "copula", "" (nothing clear)
    predicate: str = ""  # verb and preposition, or the preposition alone
    verb: str = ""  # without the preposition
    loose: bool = False  # after a comma: about a name further back, perhaps
    carried: bool = False  # the subject is that of the verb before ("and moved to")


NOTHING = Gap("")


def read(text: str, words: Lexicon) -> Gap:
    """Read the text between two neighbouring names of a sentence.

    Clear are: a conjunction or comma; a preposition; a verb with auxiliaries, one adverb and one preposition
    around it, after a relative pronoun, "and" or a comma before a participle. Anything else gives `NOTHING`.
    """
    if len(text) > _LONGEST:
        return NOTHING
    noun = _TITLE_NEXT.search(text)
    if noun and not is_verb(noun[1].casefold(), words) and not words.idle(noun[1].casefold()):
        text = text[: noun.start()]  # "escribió la novela «…"
    row = [word.casefold() for word in _WORD.findall(text) if word not in _QUOTES]
    if not row:
        return NOTHING
    if all(word in words.conjunctions or word in {",", "&", "/"} or word in words.articles for word in row):
        if row[0] in words.articles and len(row) == 1:
            return Gap("preposition" if row[0] in words.prepositions else "article", row[0])
        return Gap("conjunction") if {",", "&", "/"}.union(words.conjunctions).intersection(row) else NOTHING
    comma = row[0] == ","
    row = row[comma:]
    carried = bool(row) and row[0] in words.conjunctions
    row = row[carried:]
    if row and row[0] in _WHERE:
        row, carried, comma = row[1:], True, False
    relative = bool(row) and row[0] in words.relative and (comma or row[0] not in words.articles)
    row = row[relative:]
    return _clause(row, words, carried=carried, loose=comma and not relative)


def _clause(row: list[str], words: Lexicon, *, carried: bool, loose: bool) -> Gap:
    helped = False
    had = bool(row) and row[0] in ("a", "ont", "avait")
    suffix = _ADVERB.get(words.language, "\0")
    while (
        row
        and (row[0] in words.auxiliaries or row[0].endswith(suffix))
        and not (row[0] in words.verbs and row[0] not in words.copulas)
    ):
        helped = helped or row[0] in words.copulas or row[0] in ("been", "was", "were")
        row = row[1:]
    row = _trimmed(row, words)
    if not row:
        return Gap("copula", "is", "is") if helped and not loose and not carried else NOTHING
    if helped and words.language in VERB_LAST and len(row) == 1 and row[0] in words.prepositions:
        return Gap("open", row[0])
    if row[0] in words.prepositions and len(row) <= 2 and all(word in words.prepositions for word in row):
        return Gap("preposition", " ".join(row)) if not helped and not loose and not carried else NOTHING
    base = words.verbs.get(row[0]) or _regular(row[0], words.language, had=had)
    if words.language == "de" and base is None and row[-1] in words.verbs:
        base, row = words.verbs[row[-1]], [row[-1], *row[:-1]]
    if base is None and not (words.language == "en" and helped and row[0].endswith("ed") and len(row[0]) > 4):
        return NOTHING
    if loose and helped:
        return NOTHING
    if loose and not (words.language != "en" or row[0].endswith(("ed", "en", "ing")) or row[0] in ("led", "known")):
        return NOTHING
    after = [word for word in row[1:] if not word.endswith(suffix) and word not in words.auxiliaries and word != "l"]
    if len(after) > 2 or not all(word in words.prepositions for word in after):
        return NOTHING
    finite = row[0].endswith(("ó", "ò", "aron", "ieron", "èrent"))
    passive = (
        (helped or loose)
        and not finite
        and base is not None
        and words.language in ("en", "de", "nl", "es", "fr", "it", "pt")
    )
    verb = row[0] if passive or base is None else base
    return Gap("verb", " ".join([verb, *after[:2]]), verb, loose, carried)


def _regular(form: str, language: str, *, had: bool) -> str | None:
    """The infinitive of a regular past tense that no other part of speech shares: cruzó → cruzar."""
    if len(form) < 5:
        return None
    if language == "es" and form.endswith("ó") and not form.endswith("ió"):
        return form[:-1] + "ar"
    if language == "es" and form.endswith("aron"):
        return form[:-4] + "ar"
    if language == "it" and form.endswith("ò"):
        return form[:-1] + "are"
    if language == "pt" and form.endswith("ou"):
        return form[:-2] + "ar"
    if language == "fr" and form.endswith("èrent"):
        return form[:-5] + "er"
    if language == "fr" and had and form.endswith("é"):
        return form[:-1] + "er"
    return None


def is_verb(form: str, words: Lexicon) -> bool:
    """Whether a lower-cased word is a form of a verb that the language's list or its regular endings know."""
    return form in words.verbs or _regular(form, words.language, had=False) is not None


def _trimmed(row: list[str], words: Lexicon) -> list[str]:
    """`row` without articles that are not prepositions at the same time, at its end and after its verb."""
    return [
        word
        for word in row
        if (word not in words.articles and word not in words.titles and word != ".") or word in words.prepositions
    ]


def after_verb(text: str, words: Lexicon) -> bool:
    """Whether a sentence begins with a verb form: its subject is that of the sentence before (Spanish, Italian)."""
    first = _WORD.match(text)
    return (
        bool(first)
        and first is not None
        and first[0].casefold() in words.verbs
        and first[0].casefold() not in words.auxiliaries
    )


def closing_verb(text: str, words: Lexicon) -> str:
    """The verb form that ends the clause which `text` continues: "… in Mühlburg geboren und"."""
    for match in _WORD.finditer(text[:160]):
        low = match[0].casefold()
        if low in {",", ";", ":", "und", "en"}:
            break
        if low in words.verbs and low not in words.auxiliaries:
            return low
    return ""
