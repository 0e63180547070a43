"""HTML → Markdown: the article of a page, without what surrounds it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgsite.readers.characters import clean, one_line
from kgsite.readers.tidy import tidy

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import Tag

VERSION = "html-1"
_AROUND = ("nav", "header", "footer", "aside", "search", "menu")
_AROUND_ROLES = frozenset(("navigation", "banner", "contentinfo", "complementary", "search", "menu", "dialog", "alert"))
_AROUND_CLASSES = frozenset(
    (
        "breadcrumb",
        "breadcrumbs",
        "cookie-banner",
        "cookie-notice",
        "site-header",
        "site-footer",
        "sidebar",
        "skip-link",
    )
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_NOTE_OPEN, _NOTE_SHUT = "\ue000", "\ue001"  # private use: survives the converter's escaping
_NOTE = re.compile(f"{_NOTE_OPEN}([A-Za-z0-9_:-]+){_NOTE_SHUT}")
_NOTE_ID = re.compile(r"^(footnote|endnote|fn)[-:_]?\d+$")
_NOTE_BACK = re.compile(r"^#(footnote|endnote|fn).{0,20}ref|^#fnref")
_LANGUAGE = re.compile(r"^([a-zA-Z]{2})(?:[-_].*)?$")


@dataclass(frozen=True, slots=True)
class Page:
    """An HTML page as Markdown, and what it says of itself."""

    markdown: str  # escaped throughout: to be read with html=False
    title: str = ""  # of <title>
    language: str = ""  # ISO 639-1, of <html lang>


def read_html(text: str) -> Page:
    """The article of a page as Markdown.

    `main` is preferred, else a single `article`, else the body. Navigation, headers without a title, footers,
    asides and everything hidden are left out; so are the extras of MediaWiki pages.
    """
    from bs4 import BeautifulSoup

    from kgsite.readers import mediawiki

    tidied = tidy(clean(text).replace(_NOTE_OPEN, "").replace(_NOTE_SHUT, ""))
    soup = BeautifulSoup(tidied.html, "html.parser")
    title = one_line(tidied.title)
    if mediawiki.is_article(soup):
        heading, article = mediawiki.article(soup)
        return Page(
            _markdown(article, heading), heading or mediawiki.plain_title(title), language_code(tidied.language)
        )
    article = _article(soup)
    return Page(_markdown(article), title, language_code(tidied.language))


def language_code(stated: str) -> str:
    """`en-GB` → `en`; "" for what is not a language tag with a two-letter language."""
    found = _LANGUAGE.match(stated.strip())
    return found[1].lower() if found else ""


def _article(soup: BeautifulSoup) -> Tag:
    """The element that holds the page's own text: the largest main or article when it has a fair share of it."""
    for candidates in (soup.select("main, [role=main]"), soup.select("article")):
        outer = [tag for tag in candidates if not tag.find_parent(["main", "article"])]
        if len(outer) == 1 and outer[0].get_text(strip=True):
            return outer[0]
    return soup.body or soup


def _drop_surroundings(article: Tag) -> None:
    """Navigation and the like; a header that holds the page's heading keeps its headings."""
    for tag in article.find_all(_is_around):
        if tag.decomposed:
            continue
        if tag.name == "header":
            kept = [heading.extract() for heading in tag.find_all(_HEADINGS) if not heading.find_parent("nav")]
            for heading in reversed(kept):
                tag.insert_after(heading)
        tag.decompose()


def _is_around(tag: Tag) -> bool:
    if tag.name in _AROUND or str(tag.get("role", "")).lower() in _AROUND_ROLES:
        return True
    return tag.name not in {"body", "main", "article", "html"} and bool(
        _AROUND_CLASSES.intersection(tag.get("class") or ())
    )


def _take_notes(article: Tag) -> dict[str, str]:
    """Footnotes as mammoth, docutils and Pandoc write them: a link to `#id` in the text, `id` on the note.

    References become marks, notes leave the tree; they come back as label → Markdown on one line.
    """
    found = {str(tag["id"]): tag for tag in article.find_all(["li", "aside", "div", "p"], id=_NOTE_ID)}
    used: list[str] = []
    for link in article.find_all("a", href=True) if found else ():
        target = str(link["href"])[1:]
        if not str(link["href"]).startswith("#") or target not in found or link.find_parent(id=target):
            continue
        if target not in used:
            used.append(target)
        outer = link.parent if link.parent and link.parent.name == "sup" else link
        outer.replace_with(f"{_NOTE_OPEN}{target}{_NOTE_SHUT}")
    notes: dict[str, str] = {}
    for name in used:
        note = found[name]
        for extra in [*note.find_all("a", href=_NOTE_BACK), *note.find_all(class_="label")]:
            if not extra.decomposed:
                extra.decompose()
        note.extract()
        note.name = "p"
        notes[name] = " ".join(_convert(note).split())
    return notes


def _markdown(article: Tag, heading: str = "") -> str:
    """The article as Markdown with footnotes at its end; `heading` goes first when given."""
    notes = _take_notes(article)
    _drop_surroundings(article)
    for inner in article.select("table table"):
        inner.replace_with(" ".join(inner.get_text(" ").split()))
    body = _NOTE.sub(r"[^\1]", _convert(article))
    first = [f"# {_escape(heading)}"] if heading else []
    last = [f"[^{label}]: {note}" for label, note in notes.items()]
    return "\n\n".join([*first, body, *last])


def _convert(tag: Tag) -> str:
    from markdownify import MarkdownConverter

    converter = MarkdownConverter(
        heading_style="ATX",
        bullets="*",
        autolinks=False,
        escape_misc=True,
        table_infer_header=True,
        sub_symbol="",
        sup_symbol="",
    )
    return str(converter.convert_soup(tag))


def _escape(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~&])", r"\\\1", text)
