"""Russian names in the nominative: "в Москве" is about Москва, "с Робертом Бунзеном" about Роберт Бунзен.

A form is taken back only where that is sure: a listed place or first name in one of its cases, and with a first
name the surname in the same case. Of forms without that, those of one document that share a stem become the one
that looks like a nominative.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kgsite.extract.offline.lexicon import Lexicon
from kgsite.extract.offline.mentions import Mention

_CASES = ("genitive", "dative", "instrumental", "prepositional")
_HARD = ("а", "у", "ом", "е")
_SOFT = ("я", "ю", "ем", "е")
_VOWELS = "аеёиоуыэюя"
_CITY = re.compile(r"^(.{2,}(?:ск|град|бург|поль|город|цк|стер|тон|форд|берг|дам|порт|ленд|фурт))(?:а|у|ом|е)$")
_PATRONYMIC = re.compile(r"^(.{2,}(?:ович|евич|ьич|инич))(а|у|ем|е)$")
_SURNAME = {
    "genitive": ((r"(ск|цк)ого$", r"\1ий"), (r"([гкх])и$", r"\1а"), (r"(ов|ев|ёв|ин|ын)а$", r"\1"), (r"([бвгджзклмнпрстфхцчшщ])а$", r"\1")),
    "dative": ((r"(ск|цк)ому$", r"\1ий"), (r"(ов|ев|ёв|ин|ын)у$", r"\1"), (r"([бвгджзклмнпрстфхцчшщ])у$", r"\1")),
    "instrumental": ((r"(ск|цк)им$", r"\1ий"), (r"(ов|ев|ёв|ин|ын)ым$", r"\1"), (r"([бвгджзклмнпрстфхцчшщ])[ое]м$", r"\1")),
    "prepositional": ((r"(ск|цк)ом$", r"\1ий"), (r"(ов|ев|ёв|ин|ын)е$", r"\1"), (r"([бвгджзклмнпрстфхцчшщ])е$", r"\1")),
}  # fmt: skip
_WOMEN = ((r"(ов|ев|ёв|ин|ын)(?:ой|у)$", r"\1а"), (r"(ск|цк)(?:ой|ую)$", r"\1ая"))
_BOTH = frozenset(("Александра", "Евгения", "Валентина"))
_WOMAN = re.compile(r"(?:ова|ева|ёва|ина|ына|ская|цкая)$")
_ENDING = re.compile(r"(?:ией|ия|ии|ию|ей|ого|ому|ым|ом|ем|ой|ою|а|о|у|е|ы|и|я|ю|ь|й)$")
_ADJECTIVE = re.compile(r"(?:ий|ый|ой|ая|ое|ого|ому|ым|им|ом|ую)$")


@dataclass(frozen=True, slots=True)
class _Forms:
    places: Mapping[str, str]  # any case → nominative
    heads: Mapping[str, str]  # any case of a noun that ends names → nominative
    given: Mapping[str, tuple[str, str]]  # any case of a man's first name → nominative and the case


@lru_cache(maxsize=4)
def _forms(words: Lexicon) -> _Forms:
    places: dict[str, str] = {}
    for name in words.raw.get("places", "").split():
        for form in (name, *_declined(name).values()):
            places.setdefault(form, name)
    given: dict[str, tuple[str, str]] = {}
    for name in f"{words.raw.get('given', '')} {words.raw.get('given_women', '')}".split():
        given[name] = (name, "")
        for case, form in _declined(name).items():
            given.setdefault(form, (name, case))
    heads: dict[str, str] = {}
    for form in words.raw.get("heads", "").split():
        heads[form] = next((head for head in heads.values() if _stem(head) == _stem(form)), form)
    return _Forms(places, heads, given)


def _stem(word: str) -> str:
    return _ENDING.sub("", word)


def _declined(name: str) -> dict[str, str]:
    """The singular forms of a name, by case; none for one that doesn't change."""
    special = {"Павел": "Павл", "Пётр": "Петр", "Лев": "Льв"}.get(name)
    if name.endswith("ия"):
        return dict(zip(_CASES, (name[:-1] + "и", name[:-1] + "и", name[:-1] + "ей", name[:-1] + "и"), strict=True))
    if name.endswith("я"):
        endings = ("и", "е", "ёй" if name == "Илья" else "ей", "е")
        return {case: name[:-1] + ending for case, ending in zip(_CASES, endings, strict=True)}
    if name.endswith("а"):
        genitive = "и" if name[-2] in "гкхжшчщ" else "ы"
        return {"genitive": name[:-1] + genitive, "dative": name[:-1] + "е", "instrumental": name[:-1] + "ой",
                "prepositional": name[:-1] + "е", "accusative": name[:-1] + "у"}  # fmt: skip
    if name.endswith("ь"):
        feminine = name in ("Обь", "Пермь", "Казань", "Сибирь", "Беларусь")
        endings = ("и", "и", "ью", "и") if feminine else _SOFT
        return {case: name[:-1] + ending for case, ending in zip(_CASES, endings, strict=True)}
    if name.endswith("й"):
        endings = ("я", "ю", "ем", "и" if name.endswith("ий") else "е")
        return {case: name[:-1] + ending for case, ending in zip(_CASES, endings, strict=True)}
    if name[-1] in _VOWELS or name.isupper():
        return {}
    return {case: (special or name) + ending for case, ending in zip(_CASES, _HARD, strict=True)}


def settled(found: Sequence[list[Mention]], words: Lexicon) -> list[list[Mention]]:
    """The mentions of a document with their names in the nominative."""
    forms = _forms(words)
    counts = Counter(mention.name for row in found for mention in row if mention.kind == "name")
    names = {name: _nominative(name, forms) for name in counts}
    names = _together(names, counts, forms)
    return [[_renamed(mention, names, forms) for mention in row] for row in found]


def _renamed(mention: Mention, names: Mapping[str, str], forms: _Forms) -> Mention:
    if mention.kind != "name":
        return mention
    name = names[mention.name]
    kind = mention.type or ("place" if name in forms.places else "")
    kind = kind or ("person" if " " in name and name.split()[0] in forms.given else "")
    return replace(mention, name=name, type=kind)


def _nominative(name: str, forms: _Forms) -> str:
    tokens = name.split()
    if len(tokens) > 1 and tokens[0] in forms.heads:
        tokens[0] = forms.heads[tokens[0]]  # "аэропорту Толмачёво"
    head = forms.heads.get(tokens[-1].lower()) if len(tokens) > 1 else None
    if head:
        return _phrase(tokens, head.capitalize() if tokens[-1][0].isupper() else head)
    if len(tokens) == 1:
        if name in forms.places:
            return forms.places[name]
        if name in forms.given:
            return forms.given[name][0]
        city = _CITY.match(name)
        return city[1] if city else name
    if tokens[0] in _BOTH and _WOMAN.search(tokens[-1]):
        return " ".join(tokens)  # Александра Пахмутова, not a form of Александр
    first, case = forms.given.get(tokens[0], ("", ""))
    if not first or not case:
        return " ".join(tokens)
    woman = first[-1] in "ая" and first not in ("Илья", "Никита")
    return " ".join([first, *(_back(token, "" if woman else case) for token in tokens[1:])])


def _phrase(tokens: list[str], head: str) -> str:
    """Adjectives and the noun that they describe: Северном Ледовитом океане → Северный Ледовитый океан."""
    if not all(_ADJECTIVE.search(token) for token in tokens[:-1]):
        return " ".join(tokens)
    row = []
    for token in tokens[:-1]:
        stem = _ADJECTIVE.sub("", token)
        soft = stem[-1] in "гкхжшчщ"
        row.append(stem + ("ая" if head[-1] in "аяь" else "ое" if head[-1] in "ое" else "ий" if soft else "ый"))
    return " ".join([*row, head])


def _back(token: str, case: str) -> str:
    patronymic = _PATRONYMIC.match(token)
    if patronymic:
        return patronymic[1]
    for pattern, nominative in _SURNAME.get(case, _WOMEN):
        back, n = re.subn(pattern, nominative, token)
        if n:
            return back
    return token


def _together(names: Mapping[str, str], counts: Counter[str], forms: _Forms) -> dict[str, str]:
    """Single words that differ in their ending alone become the one that ends in a consonant, or the commonest."""
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    for name, back in names.items():
        if " " not in back and back not in forms.places and len(back) > 4:
            groups[_ENDING.sub("", back)][back] += counts[name]
    best = {}
    for group in groups.values():
        if len(group) > 1:
            chosen = min(group, key=lambda form: (form[-1] in _VOWELS, -group[form], form))
            best.update(dict.fromkeys(group, chosen))
    surnames = frozenset(back.split()[-1] for back in names.values() if " " in back)
    return {name: _surname(best.get(back, back), surnames) for name, back in names.items()}


def _surname(name: str, surnames: frozenset[str]) -> str:
    """A single word as the surname of which it is a form, where the document has one."""
    return name if " " in name else next((form for form in _without_ending(name) if form in surnames), name)


def _without_ending(name: str) -> list[str]:
    """What a surname in another case may be: Менделеева → Менделеев."""
    return [name, *(re.sub(pattern, to, name) for rules in _SURNAME.values() for pattern, to in rules)]
