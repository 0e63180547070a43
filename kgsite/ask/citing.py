"""A model's reply → the text that is shown: plain, with citations that exist, without images and foreign links.

The same function serves the whole reply and the part of it that has arrived (`partial`), so that what a terminal has
shown while the reply came is the beginning of what is shown in the end.
"""

from __future__ import annotations

import re
from collections.abc import Collection as Values
from dataclasses import dataclass, field

from kgsite.ask.prompting import NOT_IN_GRAPH

_NUMBERS = r"(?:fact\s*|facts\s*|#|\^)?\d{1,4}"
_CITATION = re.compile(rf"[ \t]?[\[【]\s*({_NUMBERS}(?:\s*(?:,|;|–|-|and|&)\s*{_NUMBERS})*)\s*[\]】]", re.IGNORECASE)
_RANGE = re.compile(r"(\d{1,4})\s*[–-]\s*(?:fact\s*|#)?(\d{1,4})")
_LONGEST_RANGE = 20
_THINK = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_IMAGE = re.compile(r"!\[[^\]\n]{0,300}\](?:\([^)\n]{0,2000}\)?|\[[^\]\n]{0,300}\])?")
_LINK = re.compile(r"\[([^\]\n]{1,300})\]\([^)\n]{0,2000}\)?")
_DEFINITION = re.compile(r"^[ \t]{0,3}\[[^\]\n]{1,200}\]:[ \t]*\S.*$", re.MULTILINE)
_TAG = re.compile(r"</?[A-Za-z!?][^<>]{0,2000}>")
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]{0,20}:/{1,2}|www\.|//(?=\w))[^\s<>\"'，。；）\]]+"
    r"|(?:javascript|vbscript|(?<![a-z])(?:data|mailto|file|blob)):[^\s]+",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"\*\*|^#{1,6}[ \t]+|^[ \t]*(?:```|~~~).*$|`", re.MULTILINE)
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2028\u2029\u2060-\u2069\ufeff\ud800-\udfff]"
)
_HOLD = 400  # characters that an open bracket may keep the stream waiting for its end
_SPACES = re.compile(r"(?<=\S)[ \t]{2,}")
_ROUNDS = 6
_JOINED = re.compile(r"[:/<>!\[\]()]+")
"""What is left of a reply that keeps hiding one thing in another loses all signs that could mean anything."""
_LONGEST = 20_000  # characters of a reply that are read
_PAIRS = (("[", "]"), ("【", "】"), ("<", ">"))
REMOVED_LINK = "[address removed]"


@dataclass(frozen=True, slots=True)
class Checked:
    """A reply as it is shown."""

    text: str  # citations as [1], [2] … in the order of their first use
    cited: tuple[int, ...] = ()  # number in the prompt of each of them: citation n is fact cited[n - 1]
    denied: bool = False  # the model says that the facts do not answer
    removed: dict[str, int] = field(default_factory=dict)  # citations, links, images, markup


def check(reply: str, *, facts: int, known: Values[str] = (), partial: bool = False) -> Checked:
    """Clean a reply that may cite the facts 1 … `facts`.

    `known` are the names in these facts: an address that is one of them is kept as a word, without its scheme, all
    others are taken out. With `partial` the end that could still change is held back.
    """
    text = _THINK.sub("", reply[:_LONGEST].replace("\r\n", "\n"), count=1)
    text = _settled(text) if partial else text
    first = text.strip().split("\n", 1)[0].strip(" .*\"'`")
    if first.upper().startswith(NOT_IN_GRAPH) or (partial and NOT_IN_GRAPH.startswith(first.upper())):
        return Checked("", denied=not partial)
    removed: dict[str, int] = {}
    text = _CONTROL.sub("", text)
    for _ in range(_ROUNDS):  # what is taken out may join what stood around it
        before, text = text, _without_false(_plain(text, known, removed), facts, removed)
        if text == before:
            break
    else:
        text = _JOINED.sub(" ", text)
    text, cited = _renumbered(text)
    text = "\n".join(_SPACES.sub(" ", line.rstrip()) for line in text.split("\n"))
    text = re.sub(r"\n{3,}", "\n\n", text).lstrip("\n ")
    return Checked(text if partial else text.strip(), tuple(cited), removed=removed)


def _settled(text: str) -> str:
    """The beginning of a growing text that later pieces can't change: up to a space outside of brackets."""
    end = len(text)
    while end > 0:
        end = max(text.rfind(" ", 0, end), text.rfind("\n", 0, end), 0)
        inside = [
            text.rfind(sign, max(0, end - _HOLD), end) for sign, close in _PAIRS if _is_open(text, sign, close, end)
        ]
        if not inside:
            break
        end = min(inside)
    return text[:end].rstrip()


def _is_open(text: str, sign: str, close: str, end: int) -> bool:
    at = text.rfind(sign, max(0, end - _HOLD), end)
    return at >= 0 and close not in text[at:end]


def _plain(text: str, known: Values[str], removed: dict[str, int]) -> str:
    """Text without markup, images and addresses."""

    def drop(kind: str, keep: str = "") -> str:
        removed[kind] = removed.get(kind, 0) + 1
        return keep

    text = _IMAGE.sub(lambda _: drop("images"), text)
    text = _LINK.sub(lambda found: drop("links", found[1]), text)
    text = _DEFINITION.sub(lambda _: drop("links"), text)
    text = _TAG.sub(lambda found: drop("images" if found[0][1:4].lower() == "img" else "markup"), text)

    def address(found: re.Match[str]) -> str:
        word = found[0].rstrip(".,;:!?")
        rest = found[0][len(word) :]
        if word in known:
            return re.sub(r"^(?:[a-z][a-z0-9+.-]*:)?/*", "", word, flags=re.IGNORECASE) + rest
        return drop("links", REMOVED_LINK) + rest

    return _MARKUP.sub("", _ADDRESS.sub(address, text))


def _without_false(text: str, facts: int, removed: dict[str, int]) -> str:
    """Text without the citations of facts that were not given; the true ones stay as they are written."""

    def keep(found: re.Match[str]) -> str:
        numbers = _numbers(found[1])
        good = [number for number in numbers if 1 <= number <= facts]
        if len(good) == len(numbers):
            return found[0]
        removed["citations"] = removed.get("citations", 0) + len(numbers) - len(good)
        space = " " if found[0][:1].isspace() and good else ""
        return space + "".join(f"[{number}]" for number in good)

    return _CITATION.sub(keep, text)


def _renumbered(text: str) -> tuple[str, list[int]]:
    """Citations as [1], [2] … by first use, and the number in the prompt of each."""
    order: dict[int, int] = {}

    def replace(found: re.Match[str]) -> str:
        numbers = dict.fromkeys(_numbers(found[1]))
        marks = "".join(f"[{order.setdefault(number, len(order) + 1)}]" for number in numbers)
        return (" " if found[0][:1].isspace() else "") + marks

    return _CITATION.sub(replace, text), list(order)


def _numbers(text: str) -> list[int]:
    """The numbers of one citation; a short range stands for all in it."""
    found: list[int] = []
    at = 0
    for part in _RANGE.finditer(text):
        found += [int(n) for n in re.findall(r"\d+", text[at : part.start()])]
        low, high = int(part[1]), int(part[2])
        found += range(low, high + 1) if low <= high < low + _LONGEST_RANGE else [low, high]
        at = part.end()
    return found + [int(n) for n in re.findall(r"\d+", text[at:])]


CITED = re.compile(r"\[(\d+)\]")
"""A citation in checked text."""
