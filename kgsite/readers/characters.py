"""Which characters of a source may enter a document's text."""

from __future__ import annotations

import re

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-Z\\-_]")
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# C0 and C1 controls except tab and newline, DEL, bidi embeddings, overrides and isolates, the byte order mark
_UNWANTED = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BLANK = re.compile("[\\s\ufeff\u200b\u2060\u180e\u00ad]+")


def clean(text: str) -> str:
    """The text without controls (tab and newline stay), terminal sequences, bidi overrides and lone surrogates.

    Every kind of line end becomes a newline; a lone surrogate becomes U+FFFD. NFC is left to whoever compares.
    """
    text = _ANSI.sub("", text) if "\x1b" in text else text
    text = _LINE_END.sub("\n", text)
    text = _UNWANTED.sub("", text)
    return _SURROGATE.sub("\ufffd", text)


def one_line(text: str, limit: int = 300) -> str:
    """A title or name: cleaned, white space folded, cut with an ellipsis after `limit` characters."""
    text = " ".join(clean(text).split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def is_blank(text: str) -> bool:
    """Whether a text shows nothing: only white space of any script, zero-width and soft characters."""
    return _BLANK.fullmatch(text) is not None or not text
