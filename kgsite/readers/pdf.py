"""PDF → pieces, read by a child process with limits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

from kgsite.errors import ReadError
from kgsite.model import BlockKind
from kgsite.readers.blocks import Piece
from kgsite.readers.characters import one_line
from kgsite.readers.child import Limits, run_child
from kgsite.readers.sniff import sniff

VERSION = "pdf-1"
_SHARE_OF_EMPTY = 0.2  # of the pages: above it the warning says what to do
_OCR = "run OCR on it first (for example ocrmypdf)"
_NO_TITLE = re.compile(
    r"^(untitled|unknown|title|document\d*|slide \d+|presentation|powerpoint presentation|no title|\W*)$|^microsoft (word|powerpoint)|"
    r"\.(docx?|odt|rtf|tex|dvi|indd|pdf|pptx?|qxd|ps|txt|md|html?|fm|pages)$|^[\w-]*\d{5,}[\w-]*$|^[a-z]:\\|^/",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PdfText:
    """The blocks of a PDF and what it says of itself."""

    pieces: tuple[Piece, ...]
    title: str
    n_pages: int
    warnings: tuple[str, ...]


def read_pdf(data: bytes, limits: Limits | None = None) -> PdfText:
    """Text of a PDF in reading order, each block with its page.

    Raises ReadError: not a PDF, damaged, password needed, no text at all, beyond limits.
    """
    found, _ = sniff(data[:8192])
    if found != "pdf":
        raise ReadError(
            f"named like a PDF, but it is {'empty' if found == 'empty' else f'a {found} file'}",
            hint="remove it or give it its right suffix",
        )
    limits = limits or Limits()
    answer = run_child("kgsite.readers.pdf_child", data, limits)
    pieces = tuple(piece for piece in map(_piece, _list(answer, "pieces")) if piece.text)
    n_pages = int(answer.get("n_pages", 0))
    if not pieces:
        if answer.get("repaired") or answer.get("broken"):
            raise ReadError("damaged or cut short: no text could be recovered")
        pages = "1 page" if n_pages == 1 else f"{n_pages:,} pages"
        raise ReadError(f"no text on its {pages}: a scan, or pictures only", hint=_OCR)
    return PdfText(
        pieces, sensible_title(str(answer.get("title", ""))), n_pages, tuple(_warnings(answer, n_pages, limits))
    )


def _piece(item: Any) -> Piece:
    if not isinstance(item, dict) or item.get("kind") not in get_args(BlockKind):
        raise ReadError("the process that reads it gave no usable answer")
    kind = cast(BlockKind, item["kind"])
    return Piece(kind, str(item["text"]), int(item["level"]), int(item["page"]), bool(item["ordered"]))


def _warnings(answer: Mapping[str, Any], n_pages: int, limits: Limits) -> list[str]:
    warnings: list[str] = []
    if not answer.get("copying", True):
        warnings.append("its owner restricts copying; it opens without a password and was read")
    if answer.get("repaired"):
        warnings.append("the file is damaged and was repaired; text may be missing")
    read = int(answer.get("read_pages", n_pages))
    if read < n_pages:
        warnings.append(f"only the first {read:,} of {n_pages:,} pages were read (limit {limits.pages:,})")
    empty = [int(page) for page in _list(answer, "empty")]
    if empty:
        advice = f"; {_OCR}" if len(empty) > _SHARE_OF_EMPTY * read else ""
        held = "page holds" if len(empty) == 1 else "pages hold"
        warnings.append(f"{len(empty):,} of {n_pages:,} {held} no text: {page_list(empty)}{advice}")
    broken = [int(page) for page in _list(answer, "broken")]
    if broken:
        warnings.append(f"damaged pages were left out: {page_list(broken)}")
    hidden = int(answer.get("hidden", 0))
    if hidden:
        pages = page_list([int(page) for page in _list(answer, "hidden_pages")])
        warnings.append(f"{hidden:,} characters of hidden text (white, tiny or invisible) were left out: {pages}")
    return warnings


def _list(answer: Mapping[str, Any], key: str) -> list[Any]:
    value = answer.get(key)
    return value if isinstance(value, list) else []


def page_list(pages: Sequence[int]) -> str:
    """`page 4`, `pages 1, 3–5, 9`; long lists end in "and n more"."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][1] + 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    shown = [str(a) if a == b else f"{a}–{b}" for a, b in runs[:20]]
    rest = sum(b - a + 1 for a, b in runs[20:])
    return ("page " if len(pages) == 1 else "pages ") + ", ".join(shown) + (f" and {rest:,} more" if rest else "")


def sensible_title(title: str) -> str:
    """The title that a PDF's metadata states, unless a program left a file name or a stop-gap there."""
    title = one_line(title)
    return "" if len(title) < 3 or _NO_TITLE.search(title) or not any(c.isalpha() for c in title) else title
