"""The child process that opens PDFs: MuPDF's lines of text, without those that nobody can see.

What the lines mean (columns, paragraphs, headings) is pdf_layout's part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from kgsite.errors import ReadError
from kgsite.readers.child import Limits, serve
from kgsite.readers.pdf_layout import compose
from kgsite.readers.pdf_lines import Line

_MAY_COPY = 1 << 4  # bit 5 of the permissions, PDF 32000-1 table 22
_TINY = 2.0  # points: smaller text can't be read on paper
_PALE = 0xE6  # of 0xFF in each channel: paler text needs a darker ground to be seen
_CONTRAST = 24  # of 255 between the darkest and the brightest dot where a pale text stands
_INK = 16 | 32  # char_flags: filled, stroked; neither is render mode 3
_NOTE_MARK = re.compile(r"^\s*\d{1,3}(\s*,\s*\d{1,3})*\s*$")
_AFTER_WORD = re.compile(r"([^\W\d_]{4}|[^\w\s])\s?$")
_LARGEST_PICTURE = 1500  # dots on the longer side, when a page has to be drawn
_SCAN = 0.5  # share of the page under pictures: invisible text over it is the words of a scan


@dataclass(slots=True)
class _Hidden:
    """How many characters were left out, and where."""

    characters: int = 0
    pages: list[int] = field(default_factory=list)

    def add(self, page: int, text: str) -> None:
        self.characters += len(text.strip())
        if page not in self.pages:
            self.pages.append(page)


def _mupdf() -> Any:
    """PyMuPDF, whose annotations are incomplete; 0.35 s to import, so only in the child."""
    return import_module("pymupdf")


def convert(data: bytes, limits: Limits) -> dict[str, Any]:
    """`{"pieces": [...], "title", "n_pages", "read_pages", "empty": [page], "scanned": [page], "hidden": …}`.

    Raises ReadError with what is wrong.
    """
    pymupdf = _mupdf()

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    document = _opened(data)
    n_pages = document.page_count
    if n_pages < 1:
        raise ReadError("damaged or cut short: it has no pages")
    hidden = _Hidden()
    empty: list[int] = []
    broken: list[int] = []
    pages: list[list[Line]] = []
    heights: list[float] = []
    total = 0
    for number in range(1, min(n_pages, limits.pages) + 1):
        lines, height = _page(document, number, hidden, broken)
        total += sum(len(line.text) for line in lines)
        if total > limits.characters:
            raise ReadError(f"holds more than {limits.characters:,} characters")
        pages.append(lines)
        heights.append(height)
        if not any(line.text.strip() for line in lines):
            empty.append(number)
    return {
        "pieces": compose(pages, heights),
        "title": (document.metadata or {}).get("title") or "",
        "n_pages": n_pages,
        "read_pages": len(pages),
        "empty": empty,
        "broken": broken,
        "hidden": hidden.characters,
        "hidden_pages": hidden.pages,
        "repaired": bool(document.is_repaired),
        "copying": bool(document.permissions & _MAY_COPY),
    }


def _opened(data: bytes) -> Any:
    pymupdf = _mupdf()

    try:
        document = pymupdf.open(stream=data, filetype="pdf")
    except Exception as error:
        raise ReadError("damaged: it can't be opened as a PDF") from error
    if document.needs_pass:
        raise ReadError("password needed", hint="save a copy without a password")
    if not document.is_pdf:
        raise ReadError("not a PDF")
    return document


def _page(document: Any, number: int, hidden: _Hidden, broken: list[int]) -> tuple[list[Line], float]:
    """The visible lines of one page in the order of the file, and the page's height in points."""
    pymupdf = _mupdf()

    try:
        page = document[number - 1]
        flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
        content = page.get_text("dict", flags=flags)
        sight = _Sight(page)
        lines = [line for block in content["blocks"] for line in _lines(block, number, sight, hidden)]
        return lines, float(page.rect.height)
    except MemoryError:
        raise
    except Exception:  # one page that MuPDF can't read does not cost the others
        broken.append(number)
        return [], 0.0


def _lines(block: dict[str, Any], number: int, sight: _Sight, hidden: _Hidden) -> Iterator[Line]:
    for line in block.get("lines", ()):
        seen: list[dict[str, Any]] = []
        for span in line["spans"]:
            if span["text"].strip() and not sight.sees(span):
                hidden.add(number, span["text"])
            else:
                seen.append(span)
        seen = _without_note_marks(seen)
        text = "".join(span["text"] for span in seen)
        if not text.strip():
            continue
        inked = [span for span in seen if span["text"].strip()]
        main = max(inked, key=lambda span: len(span["text"]))
        bold = all(span["flags"] & 16 or "bold" in span["font"].lower() for span in inked)
        x0, y0 = min(s["bbox"][0] for s in inked), min(s["bbox"][1] for s in inked)
        x1, y1 = max(s["bbox"][2] for s in inked), max(s["bbox"][3] for s in inked)
        level = abs(line["dir"][1]) < 0.1 and line["dir"][0] > 0
        yield Line(text, x0, y0, x1, y1, round(main["size"] * 2) / 2, bold, number, level)


def _without_note_marks(spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without raised numbers after a word: they refer to footnotes and would become part of names.

    After a digit or a short word (10², km²) a raised number is a part of what is said.
    """
    kept: list[dict[str, Any]] = []
    for span in spans:
        before = "".join(other["text"] for other in kept)[-6:]
        raised = span["flags"] & 1 and bool(_NOTE_MARK.match(span["text"]))
        if not (raised and _AFTER_WORD.search(before)):
            kept.append(span)
    return kept


class _Sight:
    """Whether a reader of the page could see a span; the page is drawn only when a pale one asks for it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self._picture: Any | None = None
        self._scanned: bool | None = None
        self._scale = 1.0

    def sees(self, span: dict[str, Any]) -> bool:
        if span["size"] < _TINY:
            return False
        if not span.get("char_flags", _INK) & _INK:
            return self._is_scan()
        if span.get("alpha", 255) < 8:
            return False
        color = span["color"]
        if min(color >> 16 & 0xFF, color >> 8 & 0xFF, color & 0xFF) >= _PALE:
            return self._contrast(span["bbox"])
        return True

    def _is_scan(self) -> bool:
        if self._scanned is None:
            area = abs(self.page.rect.width * self.page.rect.height) or 1.0
            covered = sum(_area(info["bbox"]) for info in self.page.get_image_info())
            self._scanned = covered > area * _SCAN
        return self._scanned

    def _contrast(self, box: tuple[float, float, float, float]) -> bool:
        pymupdf = _mupdf()

        if self._picture is None:
            self._scale = min(1.0, _LARGEST_PICTURE / max(self.page.rect.width, self.page.rect.height, 1.0))
            matrix = pymupdf.Matrix(self._scale, self._scale)
            self._picture = self.page.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY, alpha=False)
        picture = self._picture
        left, top = max(int(box[0] * self._scale), 0), max(int(box[1] * self._scale), 0)
        right, bottom = (
            min(int(box[2] * self._scale) + 1, picture.width),
            min(int(box[3] * self._scale) + 1, picture.height),
        )
        if right <= left or bottom <= top:
            return False
        rows = (
            picture.samples_mv[row * picture.stride + left : row * picture.stride + right] for row in range(top, bottom)
        )
        darkest, brightest = 255, 0
        for row in rows:
            darkest, brightest = min(darkest, *row), max(brightest, *row)
        return brightest - darkest >= _CONTRAST


def _area(box: tuple[float, float, float, float]) -> float:
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def main(options: str) -> None:
    """Entry of the child; see kgsite.readers.child."""
    serve(convert, options)
