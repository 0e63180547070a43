"""When two names are one thing: folding, plain plurals, kinds of types, look-alike letters.

Nothing here decides alone. `fold` is the identity; `singulars`, `kind` and `skeleton` are what the standardisation
of a document and the merge of a collection ask before they unite two folded names, or say that they did not.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import product

from kgsite.collection.permalinks import Permalinks
from kgsite.collection.slugs import slugify
from kgsite.jsoncodec import clean_text

__all__ = [
    "Permalinks",
    "compatible",
    "digits",
    "fold",
    "kind",
    "plain",
    "singulars",
    "skeleton",
    "slugify",
    "without_article",
]

_ARTICLES = {
    "en": "the a an",
    "de": "der die das den dem des ein eine einen einem einer eines",
    "fr": "le la les un une des",
    "es": "el la los las un una unos unas",
    "nl": "de het een",
    "it": "il lo la i gli le un uno una",
    "pt": "o a os as um uma uns umas",
}
_ARTICLE = {
    language: re.compile(rf"(?:{'|'.join(words.split())})\s+(?=\S)", re.IGNORECASE)
    for language, words in _ARTICLES.items()
} | {
    "fr": re.compile(r"(?:(?:le|la|les|une?|des)\s+|l')(?=\S)", re.IGNORECASE),
    "it": re.compile(r"(?:(?:il|lo|la|i|gli|le|un|uno|una)\s+|l'|un')(?=\S)", re.IGNORECASE),
}
_SHORTEST_LEFT = 4  # "The Who" and "La Paz" keep their article, or they would be WHO and Paz
_INVISIBLE = re.compile("[\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_SPELLINGS = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "‐": "-", "‑": "-", "–": "-", "−": "-"}
)
_KINDS = {
    "person": "person people human individual character scientist author politician researcher artist persona personne "
    "pessoa persoon 人物 人",
    "place": "place location city country region state gpe loc town village river mountain island continent "
    "geographic geo ort stadt land lugar ciudad país lieu ville pays luogo città plaats cidade 地点 地名 国家 城市",
    "organization": "organization organisation company institution agency university organisation corporation org "
    "norp business school firma unternehmen organización empresa entreprise azienda organizzazione organisatie "
    "organização 组织 机构 公司",
    "date": "date time year period day month century duration datum jahr zeit fecha año année data anno jaar ano "
    "日期 时间 年份",
}
_KIND_OF = {word: name for name, words in _KINDS.items() for word in words.split()}
_LOOK_ALIKE = str.maketrans(
    "авеёкмнорстухіјѕԁԛԝһӏαβγεηικνορτυχϲϳ",
    "abeekmhopctyxijsdqwhlabyenikvoptuxcj",
)


@lru_cache(maxsize=1 << 17)
def plain(name: str) -> str:
    """`name` without what never makes a difference: Unicode form, case, kind of quote or dash, runs of spaces."""
    if name.isascii():
        return " ".join(name.lower().split())
    text = unicodedata.normalize("NFKC", name)
    if not text.isascii():
        text = clean_text(_INVISIBLE.sub("", text).translate(_SPELLINGS))
    return " ".join(unicodedata.normalize("NFKC", text.casefold()).split())


def without_article(name: str, language: str) -> str:
    """`name` without its leading article in `language` (ISO 639-1), unless too little would be left."""
    pattern = _ARTICLE.get(language)
    found = pattern.match(name) if pattern else None
    if found is None:
        return name
    rest = name[found.end() :]
    return rest if len(rest) >= _SHORTEST_LEFT else name


@lru_cache(maxsize=1 << 17)
def fold(name: str, language: str) -> str:
    """The identity of `name`: NFKC, case, spaces and a leading article of `language` do not matter.

    Never empty unless nothing of the name can be seen.
    """
    return without_article(plain(name), language)


# ── plurals ───────────────────────────────────────────────────────────────────────────────────────
_ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("sses", "ss"), ("ves", "f"), ("s", "")),
    "de": (("en", ""), ("n", ""), ("e", ""), ("s", "")),
    "fr": (("eaux", "eau"), ("aux", "al"), ("s", ""), ("x", "")),
    "es": (("ces", "z"), ("es", ""), ("s", "")),
    "nl": (("en", ""), ("s", "")),
    "it": (("i", "o"), ("i", "e"), ("e", "a"), ("chi", "co"), ("ghi", "go"), ("che", "ca"), ("ghe", "ga")),
    "pt": (("ões", "ão"), ("ais", "al"), ("ns", "m"), ("es", ""), ("s", "")),
}
_NO_PLURAL = re.compile(r"(?:ss|us|is|ics|ous)$")
_AGREEING = frozenset({"fr", "es", "it", "pt"})  # adjectives take the plural too
_SHORTEST_PLURAL = 4


def _word_singulars(word: str, language: str) -> list[str]:
    if len(word) < _SHORTEST_PLURAL or not word.isalpha() or (language == "en" and _NO_PLURAL.search(word)):
        return []
    return [word[: len(word) - len(end)] + new for end, new in _ENDINGS.get(language, ()) if word.endswith(end)]


def singulars(folded: str, language: str) -> tuple[str, ...]:
    """Folded names of which `folded` may be the plural: guesses, to be believed only when the name exists.

    Names of people, places, organisations and dates are not to be asked about (William and Williams).
    """
    words = folded.split(" ")
    found = [" ".join([*words[:-1], last]) for last in _word_singulars(words[-1], language)]
    if language in _AGREEING and 1 < len(words) <= 3:
        choices = [[*_word_singulars(word, language), word] for word in words]
        found += [" ".join(choice) for choice in product(*choices)]
    return tuple(dict.fromkeys(name for name in found if name != folded))


# ── types ─────────────────────────────────────────────────────────────────────────────────────────
def kind(type_name: str) -> str:
    """What a type says about identity: person, place, organization, date, or "" for all others."""
    folded = plain(type_name).replace("_", " ")
    return _KIND_OF.get(folded) or _KIND_OF.get(folded.rpartition(" ")[2], "")


def compatible(one: str, other: str, name: str = "") -> bool:
    """Whether two kinds can be meant by one folded `name`.

    Only a bare word is trusted to be two things (Jordan, Washington): a person is then no place, and neither is
    a date. A longer name under two types is more often one thing that somebody mistyped.
    """
    if one == other or not one or not other or " " in name:
        return True
    return {one, other} not in ({"person", "place"}, {"person", "date"}, {"place", "date"})


# ── letters ───────────────────────────────────────────────────────────────────────────────────────
def skeleton(folded: str) -> str:
    """`folded` with Cyrillic and Greek letters that look Latin made Latin: equal for names that look alike."""
    return folded if folded.isascii() else folded.translate(_LOOK_ALIKE)


def digits(folded: str) -> str:
    """The digits of a name in order: names that differ in them are never one thing."""
    return "".join(char for char in folded if char.isdigit())
