"""Word files → HTML → Markdown, in the view with all tracked changes accepted."""

from __future__ import annotations

from kgsite.errors import ReadError
from kgsite.readers.child import Limits, run_child
from kgsite.readers.html import Page, read_html
from kgsite.readers.sniff import sniff

VERSION = "docx-1"
LEGACY = "legacy or password-protected Word file"
LEGACY_HINT = "save it as .docx without a password"


def read_docx(data: bytes, limits: Limits | None = None) -> Page:
    """A Word file as Markdown, footnotes as `[^n]`. Raises ReadError: damaged, legacy, protected, beyond limits."""
    found, _ = sniff(data[:8192])
    if found == "ole":
        raise ReadError(LEGACY, hint=LEGACY_HINT)
    if found != "zip":
        raise ReadError(f"named like a Word file, but it is {'empty' if found == 'empty' else f'a {found} file'}")
    answer = run_child("kgsite.readers.docx_child", data, limits or Limits(seconds=60.0))
    page = read_html(f"<body>{answer.get('html', '')}</body>")
    return Page(page.markdown, str(answer.get("title", "")))
