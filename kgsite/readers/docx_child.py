"""The child process that opens Word files: checks the archive, then mammoth makes HTML of it."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

from kgsite.errors import ReadError
from kgsite.readers.child import Limits, serve

_MOST_MEMBERS = 5_000
_MOST_BYTES = 512 << 20  # of all members together, inflated
_MOST_XML = 128 << 20  # of one part that is parsed
_HIGHEST_RATIO = 200  # inflated to packed, for members above a megabyte
_PARTS = re.compile(
    r"^(\[Content_Types\]\.xml|_rels/\.rels|docProps/core\.xml|word/(_rels/)?[A-Za-z0-9_.-]+\.(xml|rels))$"
)
_MAIN = "word/document.xml"
_DOCTYPE = re.compile(rb"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)
_DEEPEST = 400  # nested elements; the parser behind mammoth recurses
_TAG = re.compile(rb"<(/?)[A-Za-z_][^<>]*?(/?)>")
_TITLE = re.compile(r"<dc:title[^>]*>([^<]*)</dc:title>")
# Moved text in the accepted view: what moved here stays, what moved away goes; mammoth knows ins and del only.
_MOVES = (
    (re.compile(rb"<(/?)w:moveTo(?=[\s>/])"), rb"<\1w:ins"),
    (re.compile(rb"<(/?)w:moveFrom(?=[\s>/])"), rb"<\1w:del"),
)
_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => p:fresh
p[style-name='Quote'] => blockquote > p:fresh
p[style-name='Intense Quote'] => blockquote > p:fresh
comment-reference =>
"""


def convert(data: bytes, limits: Limits) -> dict[str, Any]:
    """`{"html": str, "title": str, "notes": [str]}` of a Word file. Raises ReadError with what is wrong."""
    import mammoth

    parts = _checked_parts(data)
    clean = io.BytesIO()
    with zipfile.ZipFile(clean, "w", zipfile.ZIP_STORED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    clean.seek(0)
    result = mammoth.convert_to_html(
        clean, style_map=_STYLES, convert_image=lambda _image: [], ignore_empty_paragraphs=True
    )
    if len(result.value) > limits.characters:
        raise ReadError(f"holds more than {limits.characters:,} characters")
    return {"html": result.value, "title": _title(parts.get("docProps/core.xml", b""))}


def _checked_parts(data: bytes) -> dict[str, bytes]:
    """The text parts of the archive by name; pictures, macros and strange paths never leave it."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
        raise ReadError("not a Word file, or a damaged one (the zip archive can't be opened)") from error
    with archive:
        members = archive.infolist()
        _check_members(members)
        names = {member.filename for member in members}
        if _MAIN not in names:
            raise ReadError("a zip archive, but not a Word file (word/document.xml is missing)")
        parts: dict[str, bytes] = {}
        total = 0
        for member in members:
            if _PARTS.match(member.filename) and member.filename not in parts:
                content = _inflate(archive, member)
                total += len(content)
                if total > _MOST_BYTES:
                    raise ReadError(f"inflates to more than {_MOST_BYTES >> 20:,} MiB")
                parts[member.filename] = _checked_xml(member.filename, content)
    return parts


def _check_members(members: list[zipfile.ZipInfo]) -> None:
    if len(members) > _MOST_MEMBERS:
        raise ReadError(f"refused: {len(members):,} members in the archive (at most {_MOST_MEMBERS:,})")
    if sum(member.file_size for member in members) > _MOST_BYTES:
        raise ReadError(f"refused: inflates to more than {_MOST_BYTES >> 20:,} MiB")
    for member in members:
        if member.flag_bits & 0x1:
            raise ReadError("password-protected archive", hint="save it without a password")
        if member.file_size > 1 << 20 and member.file_size > max(member.compress_size, 1) * _HIGHEST_RATIO:
            raise ReadError(f"refused: a member inflates to more than {_HIGHEST_RATIO} times its size")


def _inflate(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """One member, never more than its limit whatever its header says."""
    try:
        with archive.open(member) as stream:
            content = stream.read(_MOST_XML + 1)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError, RuntimeError) as error:
        raise ReadError("damaged Word file (a part of the archive can't be inflated)") from error
    except Exception as error:
        if type(error).__module__ == "zlib":
            raise ReadError("damaged Word file (a part of the archive can't be inflated)") from error
        raise
    if len(content) > _MOST_XML:
        raise ReadError(f"refused: a part inflates to more than {_MOST_XML >> 20:,} MiB")
    return content


def _checked_xml(name: str, content: bytes) -> bytes:
    """XML as UTF-8 without a document type. Word writes UTF-8 only; another encoding could hide one."""
    if content[:2] in {b"\xff\xfe", b"\xfe\xff"} or b"\x00" in content[:4]:
        try:
            content = content.decode("utf-16").encode("utf-8")
        except UnicodeDecodeError as error:
            raise ReadError("damaged Word file (a part is not valid XML)") from error
        content = re.sub(rb"^\s*<\?xml[^>]*\?>", b"", content.removeprefix(b"\xef\xbb\xbf"))
    if _DOCTYPE.search(content):
        raise ReadError(
            "refused: a document type or entity definition in the XML", hint="save it again with a word processor"
        )
    if _depth(content) > _DEEPEST:
        raise ReadError(f"refused: XML nested more than {_DEEPEST} levels deep")
    if name == _MAIN:
        for pattern, replacement in _MOVES:
            content = pattern.sub(replacement, content)
    return content


def _depth(content: bytes) -> int:
    depth = deepest = 0
    for found in _TAG.finditer(content):
        if found[1]:
            depth -= 1
        elif not found[2]:
            depth += 1
            deepest = max(deepest, depth)
    return deepest


def _title(core: bytes) -> str:
    from html import unescape

    found = _TITLE.search(core.decode("utf-8", "replace"))
    return unescape(found[1]).strip() if found else ""


def main(options: str) -> None:
    """Entry of the child; see kgsite.readers.child."""
    serve(convert, options)
