"""Pages of Wikipedia and other MediaWiki sites as clean articles.

The structure is MediaWiki's: `h1#firstHeading`, the article in `div.mw-parser-output`, and well-known
classes for what surrounds the prose.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgsite.readers.characters import one_line

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import Tag

_EXTRAS = (
    ".navbox, .navbox-styles, .vertical-navbox, .sidebar, .sistersitebox, .side-box, .infobox, .infobox_v2, "
    ".taxobox, .mw-editsection, .reference, .references, .reflist, .refbegin, .mw-references-wrap, "
    ".mw-cite-backlink, .noprint, .hatnote, .dablink, .rellink, .ambox, .tmbox, .ombox, .cmbox, .metadata, "
    ".mbox-small, .toc, #toc, .mw-jump-link, #coordinates, .geo-nondefault, .geo-multi-punct, "
    ".geo-inline-hidden, #siteSub, #contentSub, .catlinks, #catlinks, .printfooter, .mw-empty-elt, "
    ".mw-authority-control, .authority-control, .portalbox, .portal-bar, .thumb, .gallery, figure, "
    ".noexcerpt, .shortdescription, .mw-indicators, .mw-kartographer-container, .stub, .asbox, "
    ".plainlinks.metadata, .interlanguage-link, .normdaten-typ-p, .NavFrame, .homonymie, .bandeau-container"
)
_END_SECTIONS = frozenset(
    [
        "references",
        "notes",
        "citations",
        "sources",
        "bibliography",
        "footnotes",
        "external links",
        "further reading",
        "see also",
        "notes and references",
        "einzelnachweise",
        "weblinks",
        "literatur",
        "siehe auch",
        "quellen",
        "références",
        "notes et références",
        "liens externes",
        "voir aussi",
        "bibliographie",
        "referencias",
        "enlaces externos",
        "véase también",
        "bibliografía",
        "note",
        "collegamenti esterni",
        "voci correlate",
        "altri progetti",
        "referenties",
        "externe links",
        "zie ook",
        "bronnen",
        "referências",
        "ligações externas",
        "ver também",
        "参考文献",
        "外部链接",
        "参见",
        "注释",
    ]
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_SITE_SUFFIX = re.compile(
    r"\s+[-–—]\s+(Wikip\w+|Wikivoyage|Wikisource|Wikibooks|Wiktionary|维基百科.*|ウィキペディア.*)(,.*)?$",
    re.IGNORECASE,
)
_CITE_MARK = re.compile(
    r"^\[(\d+|[a-z]|(note|nb|lower-alpha)\s*\d+|citation needed|clarification needed|when\?|who\?)\]$", re.IGNORECASE
)


def is_article(soup: BeautifulSoup) -> bool:
    """Whether a page has the structure of a MediaWiki article."""
    return soup.select_one("div.mw-parser-output") is not None


def plain_title(title: str) -> str:
    """A page title without the name of the site: "Ghent - Wikipedia" → "Ghent"."""
    return _SITE_SUFFIX.sub("", title)


def article(soup: BeautifulSoup) -> tuple[str, Tag]:
    """The heading of the page and its prose: no boxes, edit links, cite marks, references or coordinates."""
    heading_tag = soup.select_one("#firstHeading")
    heading = one_line(heading_tag.get_text()) if heading_tag else ""
    outputs = soup.select("div.mw-parser-output")
    body = max(outputs, key=lambda tag: len(tag.get_text()))
    for tag in body.select(_EXTRAS):
        if not tag.decomposed:
            tag.decompose()
    for mark in body.find_all("sup"):
        if not mark.decomposed and _CITE_MARK.match(mark.get_text(strip=True)):
            mark.decompose()
    _unwrap_headings(body)
    _drop_end_sections(body)
    return heading, body


def _unwrap_headings(body: Tag) -> None:
    """Since 2024 headings stand in `div.mw-heading`; before, the text was in `span.mw-headline`."""
    for holder in body.select("div.mw-heading"):
        inner = holder.find(_HEADINGS)
        if inner is not None:
            holder.replace_with(inner)


def _drop_end_sections(body: Tag) -> None:
    """Reference and link sections: each from its heading to the next heading of the same or a higher level."""
    for heading in body.find_all(_HEADINGS):
        if heading.decomposed or heading.get_text(" ", strip=True).casefold() not in _END_SECTIONS:
            continue
        level = heading.name
        for following in list(heading.next_siblings):
            name = getattr(following, "name", None)
            if name in _HEADINGS and str(name) <= level:
                break
            following.extract()
        heading.decompose()
