"""One source, whatever its kind, as a Document."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kgsite.errors import ReadError
from kgsite.model import NAMESPACE, Document, Source, SourceKind
from kgsite.readers import frontmatter
from kgsite.readers.blocks import Piece, first_heading, lay_out
from kgsite.readers.characters import clean, one_line
from kgsite.readers.encoding import declared_in_html, decode
from kgsite.readers.files import LIMITS, read_bytes
from kgsite.readers.sniff import HEAD, sniff
from kgsite.readers.web import Fetched, Fetcher, media_type, open_page

_COMMON = "read-1"  # what all readers share: cleaning, layout, front matter


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a format's reader gives: pieces, and what the source says of itself."""

    pieces: Sequence[Piece]
    title: str = ""
    language: str = ""
    n_pages: int | None = None
    warnings: tuple[str, ...] = ()


def read(source: Source, *, fetcher: Fetcher | None, snapshots: Path, refresh: bool = False) -> Document:
    """The text of a source with its map of blocks, marks and pages.

    Raises ReadError when it can't be read, FetchError when its URL can't be fetched or may not be, FrozenError
    when `fetcher` is None (offline) and there is no snapshot under `snapshots`. `refresh` fetches again.
    Documents without any text are no error: their text is "".
    """
    if source.kind == "web":
        reading = _web(source, fetcher, snapshots, refresh=refresh)
    elif source.kind == "graph":
        raise ReadError("a ready-made graph is imported, not read")
    elif source.file is None:
        raise ReadError("it has no file")
    else:
        data = read_bytes(source.file, LIMITS[source.kind])
        reading = read_data(data, source.kind, stated=source.meta.encoding)
    laid = lay_out(reading.pieces)
    warnings = (*source.warnings, *reading.warnings)
    if not laid.text:
        warnings = (*warnings, "it holds no text")
    return Document(
        id=str(uuid.uuid5(NAMESPACE, source.path)),
        source=source,
        text=laid.text,
        blocks=laid.blocks,
        marks=laid.marks,
        title=source.meta.title or first_heading(laid) or reading.title,
        language=source.meta.language or reading.language,
        meta=source.meta,
        n_pages=reading.n_pages,
        warnings=tuple(dict.fromkeys(one_line(warning, 500) for warning in warnings)),
    )


def version(kind: SourceKind) -> str:
    """A string that changes when the output of the readers for this kind changes."""
    from kgsite.readers import docx, html, markdown, pdf, rst, text, web

    parts = {
        "text": (text.VERSION,),
        "markdown": (markdown.VERSION,),
        "rst": (rst.VERSION, html.VERSION, markdown.VERSION),
        "html": (html.VERSION, markdown.VERSION),
        "pdf": (pdf.VERSION,),
        "docx": (docx.VERSION, html.VERSION, markdown.VERSION),
        "web": (web.VERSION, html.VERSION, markdown.VERSION, pdf.VERSION, text.VERSION),
        "graph": (),
    }
    return " ".join((_COMMON, *parts[kind]))


def read_data(
    data: bytes, kind: SourceKind, *, stated: str | None = None, declared: str | None = None, base: str = ""
) -> _Reading:
    """Bytes of a known kind. `declared` is the charset a server names, `base` the address of a web page."""
    if kind == "pdf":
        from kgsite.readers.pdf import read_pdf

        pdf = read_pdf(data)
        return _Reading(pdf.pieces, pdf.title, n_pages=pdf.n_pages, warnings=pdf.warnings)
    if kind == "docx":
        from kgsite.readers.docx import read_docx
        from kgsite.readers.markdown import read_markdown

        page = read_docx(data)
        return _Reading(read_markdown(page.markdown, html=False), page.title)
    found, what = sniff(data[:HEAD])
    if found not in {"text", "html", "empty"}:
        raise ReadError(f"not text but {_named(found, what)}")
    if kind == "html" and declared is None:
        declared = declared_in_html(data)
    decoded = decode(data, stated=stated, declared=declared)
    split = frontmatter.split(clean(decoded.text))
    reading = _text(split.body, kind, base)
    return _Reading(reading.pieces, reading.title, reading.language, None, (*decoded.warnings, *reading.warnings))


def _named(found: str, what: str) -> str:
    names = {"pdf": "a PDF", "zip": "a zip archive or Office file", "ole": "an old Office file"}
    return names.get(found) or (f"binary data ({what})" if what else "binary data")


def _text(body: str, kind: SourceKind, base: str) -> _Reading:
    """A decoded text without front matter."""
    if kind == "text":
        from kgsite.readers.text import read_text

        return _Reading(read_text(body))
    from kgsite.readers.markdown import read_markdown

    if kind == "markdown":
        return _Reading(read_markdown(body))
    if kind == "rst":
        from kgsite.readers.rst import read_rst

        result = read_rst(body)
        return _Reading(read_markdown(result.page.markdown, html=False), result.page.title, warnings=result.warnings)
    from kgsite.readers.html import read_html

    page = read_html(body)
    return _Reading(read_markdown(page.markdown, html=False, base=base), page.title, page.language)


def _web(source: Source, fetcher: Fetcher | None, snapshots: Path, *, refresh: bool) -> _Reading:
    if not source.url:
        raise ReadError("it names no web address")
    fetched = open_page(source.url, fetcher=fetcher, snapshots=snapshots, refresh=refresh)
    kind, charset = _kind_of(fetched)
    return read_data(
        fetched.body, kind, stated=source.meta.encoding, declared=charset, base=fetched.url if kind == "html" else ""
    )


def _kind_of(fetched: Fetched) -> tuple[SourceKind, str | None]:
    """What a fetched page is: by its bytes first, by the server's word among kinds of text."""
    stated, charset = media_type(fetched)
    found, what = sniff(fetched.body[:HEAD])
    if found == "pdf":
        return "pdf", None
    if found == "html" or stated in {"text/html", "application/xhtml+xml"}:
        return "html", charset
    if found == "zip" and "wordprocessingml" in stated:
        return "docx", None
    if found == "empty":
        raise ReadError("the page is empty")
    if found != "text":
        raise ReadError(f"the page is not text but {_named(found, what)}")
    if stated == "text/markdown" or fetched.url.lower().endswith((".md", ".markdown")):
        return "markdown", charset
    if stated in {
        "application/json",
        "application/xml",
        "text/xml",
        "text/css",
        "text/javascript",
        "application/javascript",
        "image/svg+xml",
    }:
        raise ReadError(f"the page is {stated}, not a text to read")
    return "text", charset
