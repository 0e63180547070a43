"""Bytes → text: by what is stated, by byte order mark, as UTF-8, and only then by a guess that is named."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_MARKS = (  # UTF-32 first: its little-endian mark begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
_DECLARED = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_XML_DECLARED = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_SAMPLE = 65_536  # bytes looked at for a guess
_NAMED_OFFSETS = 3
_UNSURE = 0.5
_ADVICE = 'if it is wrong, set encoding = "…" in the front matter, the sidecar or [encodings] of site.toml'


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text, the encoding it was read in (Python's name), and sentences for the log."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes, *, stated: str | None = None, declared: str | None = None) -> Decoded:
    """Text of a file's bytes; never raises.

    `stated` is the publisher's word and wins; `declared` is the document's own (HTML meta, HTTP header) and
    counts after a byte order mark. Bytes that do not fit become U+FFFD, with a warning that gives their offsets.
    """
    notes: list[str] = []
    if stated:
        name = text_codec(stated)
        if name:
            return _with(data, name, notes)
        notes.append(f"unknown encoding {stated!r}: it was found out from the bytes instead")
    for mark, name, shown in _MARKS:
        if data.startswith(mark):
            if shown != "UTF-8":
                notes.append(f"read as {shown}, by its byte order mark")
            return _with(data[len(mark) :], name, notes, base=len(mark))
    if declared and (name := text_codec(declared)):
        return _with(data, name, notes)
    wide = _wide_without_mark(data)  # as UTF-8 it would be valid, with a NUL after each letter
    if wide:
        return _with(data, wide, [*notes, f"no byte order mark; guessed {wide}; {_ADVICE}"])
    try:
        return Decoded(data.decode("utf-8"), "utf-8", tuple(notes))
    except UnicodeDecodeError:
        return _guess(data, notes)


def declared_in_html(data: bytes) -> str | None:
    """The charset that a page's `<meta>` or XML declaration names in its first 4,096 bytes.

    A page whose declaration could be read as ASCII is not UTF-16, whatever it says: then UTF-8, as browsers do.
    """
    found = _XML_DECLARED.search(data[:512]) or _DECLARED.search(data[:4096])
    if not found:
        return None
    name = found[1].decode("ascii").lower()
    return "utf-8" if name.startswith(("utf-16", "utf-32", "ucs-2")) else name


def text_codec(name: str) -> str:
    """Python's name of a text encoding, with the web's meaning of Latin-1 (windows-1252); "" when unknown."""
    try:
        info = codecs.lookup(name.strip())
    except (LookupError, ValueError):
        return ""
    if not getattr(info, "_is_text_encoding", True) or info.name in {
        "idna",
        "punycode",
        "unicode_escape",
        "raw_unicode_escape",
        "undefined",
        "utf-7",
    }:
        return ""
    return "cp1252" if info.name in {"iso8859-1", "ascii"} else info.name


def _with(data: bytes, name: str, notes: list[str], base: int = 0) -> Decoded:
    try:
        return Decoded(data.decode(name), name, tuple(notes))
    except UnicodeDecodeError:
        pass
    offsets: list[int] = []

    def replace(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeDecodeError):
            raise error
        offsets.append(error.start + base)
        return "\ufffd", max(error.end, error.start + 1)

    codecs.register_error("kgsite-replace", replace)
    text = data.decode(name, "kgsite-replace")
    return Decoded(text, name, (*notes, _replaced(offsets, name)))


def _replaced(offsets: list[int], name: str) -> str:
    places = ", ".join(f"{offset:,}" for offset in offsets[:_NAMED_OFFSETS])
    more = f" and {len(offsets) - _NAMED_OFFSETS:,} more" if len(offsets) > _NAMED_OFFSETS else ""
    if len(offsets) == 1:
        return f"1 byte is not valid {name} and was replaced (byte offset {places})"
    return f"{len(offsets):,} bytes are not valid {name} and were replaced (byte offsets {places}{more})"


def _guess(data: bytes, notes: list[str]) -> Decoded:
    if _damaged_utf8(data):
        return _with(data, "utf-8", notes)
    name, confidence = _best_guess(_undecodable_sample(data))
    doubt = ", low" if confidence < _UNSURE else ""
    notes.append(f"not UTF-8; guessed {name} (confidence {confidence:.0%}{doubt}); {_ADVICE}")
    return _with(data, name, notes)


def _wide_without_mark(data: bytes) -> str:
    """UTF-16 without a mark: nearly every second byte of Western text is zero."""
    sample = data[:4096]
    if len(sample) < 8:
        return ""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > half * 0.6 and even < half * 0.1:
        return "utf-16-le"
    return "utf-16-be" if even > half * 0.6 and odd < half * 0.1 else ""


def _damaged_utf8(data: bytes) -> bool:
    """UTF-8 with a few bad bytes: more good multi-byte characters than bad bytes, or one byte that is no letter."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = sum(1 for character in text if character > "\x7f") - bad
    if good >= bad and good > 0:
        return True
    if bad != 1 or good:
        return False
    place = text.index("\ufffd")
    letter = bytes([next(byte for byte in data if byte > 0x7F)]).decode("cp1252", "replace")
    beside = text[max(place - 1, 0) : place] + text[place + 1 : place + 2]
    return not (letter.isalpha() and letter not in "ÿþ" and any(c.isalpha() for c in beside))


def _undecodable_sample(data: bytes) -> bytes:
    """Where the first foreign byte is, with what stands around it."""
    try:
        data.decode("utf-8")
        start = 0
    except UnicodeDecodeError as error:
        start = max(error.start - _SAMPLE // 2, 0)
    return data[start : start + _SAMPLE]


def _best_guess(sample: bytes) -> tuple[str, float]:
    """Name and confidence (0–1: how clean the text is times how much it looks like a language)."""
    from charset_normalizer import from_bytes

    matches = list(from_bytes(sample, preemptive_behaviour=False))
    matches = [match for match in matches if text_codec(match.encoding)]
    if not matches:
        return "cp1252", 0.0
    best = matches[0]
    western = next((match for match in matches if "cp1252" in {match.encoding, *match.could_be_from_charset}), None)
    # On the web windows-1252 is a hundred times as common as its neighbours, which differ from it in a few letters.
    if (
        western
        and western.chaos <= best.chaos + 0.1
        and western.coherence > 0
        and western.coherence >= best.coherence - 0.05
    ):
        return "cp1252", (1 - western.chaos) * western.coherence
    return text_codec(best.encoding), (1 - best.chaos) * best.coherence
