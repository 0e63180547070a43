"""Names as segments of addresses: readable, total, safe on every file system.

A slug keeps the letters of its script (Latin ones without their accents), so that an address can be read and typed.
What it loses (case, punctuation, the end of a long name) is made up by `suffix`, which permalinks append on a clash.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

from kgsite.model import Slug

MAX_BYTES = 80
"""Of a slug without a suffix, in UTF-8."""

_SPECIAL = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i"})
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul", "conin", "conout", "clock", "index", "page"]
    + [f"{device}{number}" for device in ("com", "lpt") for number in range(10)]
)
_SHARP = re.compile(r"(?<=\w)#")


def suffix(text: str, length: int = 8) -> str:
    """The first hexadecimal digits of the SHA-256 of `text`: the same in every build."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def slugify(name: str) -> Slug:
    """An address segment for `name`: lower case, words joined by "-", at most MAX_BYTES and a suffix.

    Never empty, never a device name, no dot, no character that a file system or URL treats in its own way.
    Different names may share a slug: a registry (`Permalinks`) keeps them apart.
    """
    words = _words(name) or _words(_spelt_out(name))
    slug = "-".join(words)
    if not slug or unicodedata.category(slug[0])[0] == "M":  # a mark with nothing to stand on
        return Slug(f"entity-{suffix(name)}")
    if len(slug.encode()) > MAX_BYTES:
        return Slug(f"{_cut(slug)}-{suffix(name)}")
    return Slug(f"{slug}-{suffix(name)}" if slug in _RESERVED else slug)


def _words(name: str) -> list[str]:
    text = unicodedata.normalize("NFKC", name[:2000]).casefold().translate(_SPECIAL)
    text = _SHARP.sub(" sharp ", text.replace("+", " plus "))
    if not text.isascii():
        text = unicodedata.normalize("NFC", _without_accents(text))
    kept = [char if _belongs(char) else "" if _is_invisible(char) else " " for char in text]
    return "".join(kept).split()


def _belongs(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char)[0] == "M"


def _is_invisible(char: str) -> bool:
    return unicodedata.category(char) == "Cf" or char in "'’"


def _without_accents(text: str) -> str:
    """Latin letters lose their marks; marks of other scripts are part of the word and stay."""
    kept: list[str] = []
    on_latin = False
    for char in unicodedata.normalize("NFD", text):
        if unicodedata.category(char) == "Mn" and (on_latin or not kept):
            continue
        on_latin = char.isascii() or unicodedata.name(char, "").startswith("LATIN ")
        kept.append(char)
    return "".join(kept)


def _spelt_out(name: str) -> str:
    """The Unicode names of symbols, for names that consist of nothing else: "🚀" is "rocket"."""
    symbols = [char for char in name[:20] if unicodedata.category(char)[0] in "SP"]
    return " ".join(unicodedata.name(char, "") for char in symbols)


def _cut(slug: str) -> str:
    """The first MAX_BYTES of `slug`, ended before a combining mark's letter is torn from it, at a word if one is near."""
    end = len(slug.encode()[:MAX_BYTES].decode("utf-8", "ignore"))
    while end > 1 and unicodedata.category(slug[end])[0] == "M":
        end -= 1
    border = slug.rfind("-", 0, end + 1)
    return slug[: border if border > end * 2 // 3 else end].strip("-")
