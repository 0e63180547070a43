"""Names, dates and terms in one sentence, for scripts that have capital letters.

A name is a run of capitalised words, joined by the words that the language puts inside names (of, de la, von).
What begins a sentence is doubtful, and so is every noun in German: `survey` gathers, over the whole document,
which words are capitalised where a capital means something, and `mentions` relies on that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from kgsite.extract.offline import dates
from kgsite.extract.offline.lexicon import Lexicon

_ELISION = r"(?:[ldsncjmtLDSNCJMT]|qu|Qu|dell|dall|nell|all|sull|un|Dell|All|Un)['’](?=\w)"
_WORD = r"(?<!\w)[^\W\d_]\.(?=\s?[^\W\d_a-z])|[^\W_]+(?:[-'’.&][^\W_]+)*"
_TOKENS = {True: re.compile(_ELISION + "|" + _WORD), False: re.compile(_WORD)}
_QUOTED = re.compile(r"[“„«]\s?([^“”„«»\"]{3,60}?)\s?[”“»]|(?<!\w)\"([^\"]{3,60}?)\"(?!\w)")
GERMAN_PLACE = re.compile(
    r"[a-zäöüß]{2}(?:burg|berg|stadt|statt|furt|heim|hausen|ingen|dorf|bach|ien|brück|kirchen|hagen|itz|haven|münde|hafen|rode|weiler|born)$"
)
_GENERIC_PLACES = frozenset(
    [
        "stadt",
        "gemeinde",
        "ort",
        "dorf",
        "insel",
        "ciudad",
        "ville",
        "città",
        "cidade",
        "stad",
        "provincia",
        "province",
        "isla",
        "île",
        "estado",
        "état",
        "stato",
        "reino",
        "royaume",
        "regno",
        "república",
        "république",
        "mer",
        "mar",
        "río",
        "город",
        "города",
        "городе",
        "река",
        "реки",
        "реке",
        "село",
        "деревня",
        "компания",
        "компании",
        "газета",
    ]
)
_NOBLE = frozenset(("von", "van", "der", "den", "af", "ibn", "bin", "zu"))
SAINTS = frozenset(("san", "santa", "santo", "são", "sao", "saint", "sainte", "sankt", "sint"))
_PARTICLES = frozenset(("von", "van", "de", "der", "da", "di", "du", "la", "al", "bin"))
_RUSSIAN_ADJECTIVE = re.compile(r"(?:[сц]к|н|льн|в|ч)(?:ий|ый|ой|ая|ое|ого|ому|ым|им|ом|ую|ые|ие|ых|их)$")
_ROMAN = re.compile(r"^[IVXL]+$")
_GERMAN_NOUN = re.compile(
    r"(?:ung|ungen|heit|keit|schaft|schaften|ion|ionen|tät|täten|ismus|nis|ling|chen|tum|ment|er|ern|in|innen)$"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of a sentence that names something; offsets are within the sentence."""

    start: int
    end: int
    name: str
    type: str = ""  # "" = undecided
    kind: str = "name"  # name, date, term (lower-case), pronoun


@dataclass(frozen=True, slots=True)
class Survey:
    """What the whole document says about its words."""

    capitals: Counter[str] = field(default_factory=Counter)  # capitalised inside a sentence
    lower: Counter[str] = field(default_factory=Counter)
    bare: Counter[str] = field(default_factory=Counter)  # capitalised after a bare preposition, or beside a name


class _Token(NamedTuple):
    start: int
    end: int
    text: str
    low: str
    capital: bool


def survey(sentences: Iterable[str], words: Lexicon) -> Survey:
    """Count how each word is written, sentence beginnings left out."""
    found = Survey()
    for sentence in sentences:
        row = _tokens(sentence, words)
        for index, token in enumerate(row):
            if not token.capital:
                found.lower[token.text] += 1
            elif not index and len(row) > 1 and row[1].capital and sentence[token.end : row[1].start] == " ":
                found.capitals[token.text] += not words.idle(token.low)
            elif index:
                found.capitals[token.text] += 1
                before = row[index - 1]
                beside = (
                    before.capital
                    and (index > 1 or before.text in words.given)
                    and sentence[before.end : token.start] == " "
                )
                noble = before.low in ("von", "van") and index > 1 and row[index - 2].text in words.given
                found.bare[token.text] += 2 * noble
                if beside or (before.low in words.prepositions and before.low not in words.articles):
                    found.bare[token.text] += 1
    return found


def mentions(sentence: str, words: Lexicon, seen: Survey) -> list[Mention]:
    """Names, dates and pronouns of `sentence` by position; they do not overlap."""
    row = _tokens(sentence, words)
    if sum(token.text.isupper() and len(token.text) > 1 for token in row) * 2 > max(len(row), 6):
        return []  # a line in capitals tells nothing
    found = [
        Mention(start, end, " ".join(sentence[start:end].split()), "date", "date")
        for start, end in dates.spans(sentence, words)
    ]
    found += _quoted(sentence)
    taken = [False] * (len(sentence) + 1)
    for mention in found:
        taken[mention.start : mention.end] = [True] * (mention.end - mention.start)
    at = 0
    while at < len(row):
        token = row[at]
        if taken[token.start]:
            at += 1
        elif token.low in words.pronouns and token.text.islower() | (at == 0):
            found.append(Mention(token.start, token.end, token.text, "person", "pronoun"))
            at += 1
        elif token.capital:
            stop = _run(sentence, row, at, words, taken)
            named = _name(sentence, row, at, stop, words, seen)
            if named:
                found.append(named)
            at = stop
        else:
            at += 1
    return sorted(found, key=lambda mention: mention.start)


def _tokens(sentence: str, words: Lexicon) -> list[_Token]:
    row = []
    english = words.language == "en"
    for match in _TOKENS[words.language in ("fr", "it", "ca")].finditer(sentence):
        text = match[0]
        if english and text[-2:] in ("'s", "’s"):
            text = text[:-2]
        end = match.start() + len(text)
        text = text.rstrip("'’") or text
        capital = text[0].isupper() or (text[1:2].isupper() and len(text) < 8 and text[0].islower())
        row.append(_Token(match.start(), end, text, text.casefold(), capital))
    return row


def _run(sentence: str, row: list[_Token], at: int, words: Lexicon, taken: list[bool]) -> int:
    """Index after the last token of the name that begins at `at`."""
    stop = at + 1
    if _office(sentence, row, at, words):
        stop += 2
    while stop < len(row):
        after = stop
        while after < len(row) and after - stop < 3 and _touch(sentence, row, after) and _joins(row[after].low, words):
            after += 1
        if after >= len(row) or not _touch(sentence, row, after) or taken[row[after].start]:
            break
        joined = row[stop:after]
        token = row[after]
        if not (token.capital or (not joined and _number(token.text))):
            break
        if joined and not (_may_join(row[at:stop], joined, words) or _two_surnames(row, at, stop, after, words)):
            break
        if words.language == "ru" and stop == at + 1 and row[at].text in words.places:
            break  # "в Беркли Гленном Сиборгом"
        if words.language == "de" and token.text in words.given and row[at].text not in words.given:
            break  # "dort traf Goethe Friedrich Schiller"
        stop = after + 1
    head = stop
    while (
        words.language == "ru"
        and head < min(len(row), stop + 2)
        and _adjective(row[head])
        and _touch(sentence, row, head)
    ):
        head += 1
    if (
        head < len(row)
        and head - at < 5
        and words.heads
        and row[head].low in words.heads
        and _touch(sentence, row, head)
    ):
        return head + 1
    return stop


def _office(sentence: str, row: list[_Token], at: int, words: Lexicon) -> bool:
    """Cour de cassation, Consiglio dei ministri: a capital for the body, its business in small letters."""
    if (
        words.language not in ("es", "fr", "it", "pt")
        or at + 2 >= len(row)
        or words.cues.get(row[at].low) != "organization"
    ):
        return False
    of, business = row[at + 1], row[at + 2]
    joined = of.low in words.of or of.low in ("des", "dei", "dos", "d", "delle", "degli")
    return (
        joined
        and not business.capital
        and len(business.text) > 4
        and not words.idle(business.low)
        and _touch(sentence, row, at + 1)
    )


def _adjective(token: _Token) -> bool:
    """A lower-case adjective: Новосибирский *государственный* университет."""
    return not token.capital and bool(_RUSSIAN_ADJECTIVE.search(token.low))


def _joins(low: str, words: Lexicon) -> bool:
    return low in words.join or (low in _NOBLE and words.language in ("es", "fr", "it", "pt"))


def _two_surnames(row: list[_Token], at: int, stop: int, after: int, words: Lexicon) -> bool:
    """Spanish "Santiago Ramón y Cajal nació": the verb is singular, so this is one person."""
    if words.language != "es" or row[stop].low != "y" or after + 1 >= len(row):
        return False
    known = row[at].text in words.given and row[after].text not in words.given
    return known and row[after + 1].low in words.verbs and row[after + 1].low.endswith("ó")


def _touch(sentence: str, row: list[_Token], index: int) -> bool:
    between = sentence[row[index - 1].end : row[index].start]
    return between in (" ", "\n", "\u00a0", "") or (between == " & ")


def _number(text: str) -> bool:
    return (text.isdigit() and len(text) <= 3) or bool(re.fullmatch(r"\d{1,3}[A-Za-z]?|[A-Z]-?\d{1,4}", text))


def _may_join(left: list[_Token], joined: list[_Token], words: Lexicon) -> bool:
    low = [token.low for token in joined]
    if left[0].text in words.given and any(word in words.join_after_cue for word in low):
        return False
    if words.language == "de" and low[0] in ("von", "van", "zu", "der", "des"):
        return left[0].text in words.given or left[0].low in words.titles or any(t.low in words.cues for t in left)
    if words.language != "en" and low[-1] in words.articles and low[0] in words.articles and low[0] not in words.of:
        return False  # two noun phrases side by side
    if words.language in ("es", "fr", "it", "pt") and all(word in _NOBLE for word in low):
        return len(left) < 3  # Ursula von der Leyen
    if low == ["in"]:
        return left[-1].low in ("prize", "prizes", "award")  # Nobel Prize in Physics
    if low == ["and"]:
        return (
            left[0].low in words.cues and len(left) > 2 and left[1].low in words.of
        )  # School of Physics and Chemistry
    if all(word in ("the", "y", "e", "et", "und", "en") for word in low):
        return False
    if words.language == "en" and all(word in _PARTICLES for word in low):
        return True
    if any(word in words.join_after_cue for word in low):
        return any(token.low in words.cues for token in left)
    return words.language != "en" or any(token.low in words.cues for token in left)


def _name(sentence: str, row: list[_Token], at: int, stop: int, words: Lexicon, seen: Survey) -> Mention | None:
    first = at
    kind = ""
    while first < stop and (
        _idle(row[first], words) or (first == 0 and words.language == "en" and row[0].text.endswith("ing") and stop > 1)
    ):
        first += 1
    while stop - first > 1 and row[first].low.rstrip(".") in words.titles - SAINTS:
        first, kind = first + 1, "person"
    if stop - first > 1 and row[first].low in _GENERIC_PLACES and row[first + 1].capital:
        first, kind = first + 1, "place"  # "die Stadt Weimar"
    while (
        stop > first
        and not (stop == first + 3 and _office(sentence, row, first, words))
        and not row[stop - 1].capital
        and not _number(row[stop - 1].text)
        and row[stop - 1].low not in words.heads
    ):
        stop -= 1
    if first >= stop:
        return None
    if kind and words.language == "ru" and stop - first > 1 and row[first].text not in words.given:
        first += row[first + 1].text in words.given  # "дочь Менделеева Любовь"
    if not kind and first == at and words.language in ("es", "fr", "it", "pt", "nl", "ru"):
        first = _with_noun(sentence, row, first, words)
    tokens = row[first:stop]
    name = sentence[tokens[0].start : tokens[-1].end]
    before = row[first - 1].low if first else ""
    if len(tokens) == 1 and not _alone(tokens[0], first == 0, before, words, seen):
        return None
    if len(tokens) > 1 and words.language == "de" and not _german_pair(tokens, words, seen, first == 0):
        return None
    if sum(c.isalpha() for c in name) < 2 or len(name) > 80:
        return None
    if not kind and len(tokens) == 1 and before.rstrip(".") in words.titles:
        kind = "person"
    return Mention(tokens[0].start, tokens[-1].end, " ".join(name.split()), kind)


def _with_noun(sentence: str, row: list[_Token], first: int, words: Lexicon) -> int:
    """Index of the lower-case noun that belongs to the name: tour Eiffel, bataille d'Austerlitz."""
    for back in (1, 2):
        noun = first - back
        if noun < 0 or not all(
            _touch(sentence, row, index) or row[index - 1].low in ("d", "l") for index in range(noun + 1, first + 1)
        ):
            break
        if back == 2 and row[first - 1].low not in words.of:
            break
        fits = words.language != "ru" or (words.cues.get(row[noun].low) == "place" and back == 1)
        if fits and row[noun].low in words.cues and row[noun].low not in _GENERIC_PLACES and not row[noun].capital:
            return noun
    return first


def _idle(token: _Token, words: Lexicon) -> bool:
    return words.idle(token.low) and not (token.text.isupper() and 2 <= len(token.text) <= 6)


def _alone(token: _Token, initial: bool, before: str, words: Lexicon, seen: Survey) -> bool:
    """Whether a single capitalised word is a name."""
    text = token.text
    if (
        len(text) < 2
        or token.low in words.adjectives
        or token.low in words.titles
        or token.low in words.months
        or _ROMAN.match(text)
    ):
        return False
    if text in words.places or text in words.given:
        return True
    if text.isupper() and len(text) <= 8 and text.isalpha():
        return len(text) > 1
    if token.low in words.cues and words.language != "en":
        return False
    if words.language == "ru" and _RUSSIAN_ADJECTIVE.search(token.low) and not _surname(token, seen):
        return False
    if words.language == "de":
        return _german_single(token, initial, before, words, seen)
    if seen.lower[token.low] > seen.capitals[text]:
        return False
    if initial:
        return seen.capitals[text] > 0
    return not (token.low in words.cues and seen.lower[token.low])


def _surname(token: _Token, seen: Survey) -> bool:
    """Whether a word that looks like an adjective stands beside other capitalised words: Скринский."""
    return token.low.endswith(("ский", "цкий", "ская", "ского", "цкого")) and seen.bare[token.text] > 0


def _german_single(token: _Token, initial: bool, before: str, words: Lexicon, seen: Survey) -> bool:
    if _GERMAN_NOUN.search(token.text) and seen.bare[token.text] < 2:
        return False
    if initial or before in words.articles:
        return seen.bare[token.text] > 1 and seen.bare[token.text] * 2 > seen.capitals[token.text]
    if before in ("in", "nach", "aus", "bei") and GERMAN_PLACE.search(token.text):
        return True
    return len(token.text) > 3 and seen.bare[token.text] > 1 and seen.bare[token.text] * 2 > seen.capitals[token.text]


def _german_pair(tokens: list[_Token], words: Lexicon, seen: Survey, initial: bool) -> bool:
    """Two German nouns side by side are a name when one of them is known to belong to names."""
    for index, token in enumerate(tokens):
        if (
            token.text in words.given
            or token.text in words.places
            or token.low in words.cues
            or _ROMAN.match(token.text)
        ):
            return True
        if token.low.endswith(tuple(words.cues)) and len(token.text) > 6 and index == len(tokens) - 1:
            return True
    return not initial and all(token.text[0].isupper() for token in tokens) and seen.bare[tokens[-1].text] > 1


def _quoted(sentence: str) -> list[Mention]:
    """Titles of works in quotation marks: a capital first, no sentence."""
    found = []
    for match in _QUOTED.finditer(sentence):
        group = 1 if match[1] else 2
        text = match[group]
        if text[0].isupper() and text[-1] not in ".!?,;:" and 1 < len(text.split()) <= 8:
            found.append(Mention(match.start(group), match.end(group), text, "work"))
    return found
