"""reStructuredText → HTML → Markdown, with docutils' doors to files and raw output shut."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kgsite.errors import ReadError
from kgsite.readers.html import Page, read_html

VERSION = "rst-1"
_LONGEST = 2_000_000  # characters; docutils is slow and its parser holds many times the text
_DEEPEST = 60  # nested block quotes: docutils recurses
_MESSAGE = re.compile(r'<(aside|div) class="system-message.*?</\1>', re.DOTALL)
_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "report_level": 5,
    "halt_level": 5,
    "embed_stylesheet": False,
    "stylesheet_path": "",
    "input_encoding": "unicode",
    "output_encoding": "unicode",
    "doctitle_xform": True,
    "initial_header_level": 2,
    "smart_quotes": False,
    "math_output": "LaTeX",
    "syntax_highlight": "none",
    "line_length_limit": 1_000_000,
    "footnote_references": "superscript",
}


@dataclass(frozen=True, slots=True)
class RstPage:
    """The page as Markdown, and what docutils said about it."""

    page: Page
    warnings: tuple[str, ...] = ()


def read_rst(text: str) -> RstPage:
    """A reStructuredText as Markdown. Raises ReadError when it is too long or nested too deeply.

    `include`, `raw`, `csv-table :file:` and `literalinclude` do nothing; unknown directives are left out.
    """
    from docutils.core import publish_parts
    from docutils.utils import SystemMessage

    if len(text) > _LONGEST:
        raise ReadError(
            f"too long for a reStructuredText ({len(text):,} characters; at most {_LONGEST:,})", hint="split it"
        )
    if _too_deep(text):
        raise ReadError(f"nested more than {_DEEPEST} levels deep")
    try:
        parts = publish_parts(text, writer="html5", settings_overrides=_SETTINGS)
    except (SystemMessage, RecursionError, ValueError, IndexError, AttributeError, KeyError, TypeError) as error:
        raise ReadError(f"not readable as reStructuredText ({type(error).__name__})") from error
    body = _MESSAGE.sub("", parts["html_body"])
    page = read_html(f"<html><head><title>{parts['title']}</title></head><body>{body}</body></html>")
    refused = len(re.findall(r"^\s*\.\. (?:include|raw|literalinclude)::", text, re.MULTILINE))
    warnings = (f"{refused} include or raw directives were left out: only the file itself is read",) if refused else ()
    return RstPage(page, warnings)


def _too_deep(text: str) -> bool:
    """Whether indentation grows more often than docutils can bear."""
    levels = [0]
    for line in text.split("\n"):
        bare = line.lstrip(" ")
        if not bare:
            continue
        indent = len(line) - len(bare)
        while levels[-1] > indent:
            levels.pop()
        if indent > levels[-1]:
            levels.append(indent)
        if len(levels) > _DEEPEST:
            return True
        markers = re.match(r"(?:[-*+•] +){1,}", bare[:400])
        if markers and markers[0].count(" ") > _DEEPEST:
            return True
    return False
