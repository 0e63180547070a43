"""What a file is by its first bytes, whatever its name says."""

from __future__ import annotations

import codecs
import re
from typing import Literal

Found = Literal["pdf", "zip", "ole", "html", "text", "binary", "empty"]

HEAD = 8192  # bytes looked at
_BINARY = (
    (b"\x89PNG", "PNG picture"), (b"\xff\xd8\xff", "JPEG picture"), (b"GIF8", "GIF picture"), (b"BM", ""), (b"II*\x00", "TIFF picture"),
    (b"MM\x00*", "TIFF picture"), (b"\x1f\x8b", "gzip archive"), (b"BZh", "bzip2 archive"), (b"\xfd7zXZ", "xz archive"), (b"7z\xbc\xaf", "7z archive"),
    (b"Rar!", "RAR archive"), (b"\x28\xb5\x2f\xfd", "zstd archive"), (b"\x7fELF", "program"), (b"MZ", ""), (b"\xca\xfe\xba\xbe", "program"),
    (b"\xcf\xfa\xed\xfe", "program"), (b"OggS", "audio or video"), (b"ID3", "audio"), (b"fLaC", "audio"), (b"\x1aE\xdf\xa3", "video"),
    (b"SQLite format 3\x00", "SQLite database"), (b"PAR1", "Parquet table"), (b"wOFF", "font"), (b"wOF2", "font"), (b"\x00\x01\x00\x00", "font"),
)  # fmt: skip
_TEXT_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
_HTML = re.compile(
    rb"^\s*(<!--.{0,500}?-->\s*)*<(!doctype\s+html|html[\s>]|head[\s>]|body[\s>])", re.IGNORECASE | re.DOTALL
)
_CONTROLS = bytes(sorted({*range(0x20), 0x7F} - {0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1A, 0x1B}))
_MANY, _SOME = 0.3, 0.04  # shares of controls that make binary: of valid UTF-8, of anything else


def sniff(head: bytes) -> tuple[Found, str]:
    """Kind by content, and for binary data what it is ("PNG picture", or "" when unknown)."""
    if not head:
        return "empty", ""
    if b"%PDF-" in head[:1024] and not _HTML.match(head[:1024]):
        return "pdf", ""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip", ""
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return "ole", ""
    if head.startswith(_TEXT_MARKS):
        return ("html" if _HTML.match(head.removeprefix(codecs.BOM_UTF8)) else "text"), ""
    for magic, name in _BINARY:
        if head.startswith(magic) and (name or _is_binary(head)):
            return "binary", name
    if head[4:8] == b"ftyp":
        return "binary", "video"
    if head[:4] == b"RIFF" and head[8:12] in {b"WEBP", b"WAVE", b"AVI "}:
        return "binary", "picture, audio or video"
    if _HTML.match(head):
        return "html", ""
    return ("binary" if _is_binary(head) else "text"), ""


def _is_binary(head: bytes) -> bool:
    sample = head[:HEAD]
    if _wide(sample):
        return False
    share = (len(sample) - len(sample.translate(None, _CONTROLS))) / len(sample)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return share > _SOME
    return share > _MANY


def _wide(sample: bytes) -> bool:
    """UTF-16 without a mark: zeros in nearly every second place and hardly any in the others."""
    half = len(sample) // 2
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    return half >= 4 and max(even, odd) > half * 0.6 and min(even, odd) < half * 0.1
