"""One self-contained HTML file: explorer, entities with their facts and quotes, communities, and the text.

Nothing is loaded: scripts and styles of the theme stand in the page, allowed by their hashes (Content Security
Policy Level 3), so that text from a document can never become a script. Links lead to places in the page.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from markupsafe import Markup

from kgsite.config.settings import Settings
from kgsite.exporters.html_parts import FoundGroup, FoundText, Parts, Thing
from kgsite.exporters.table import Directory, Table, table_of
from kgsite.model import Collection, DocumentGraph

if TYPE_CHECKING:
    from kgsite.site.graphdata import GraphData
    from kgsite.site.theme import Theme

_VENDOR = ("dispatch", "selection", "timer", "color", "interpolate", "ease", "drag", "transition", "zoom", "quadtree")
_STYLES = ("css/site.css", "css/explorer.css")
_LEAVES = re.compile(r"<(?=/script|/style|!--|script)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OneFile:
    """What the template one-file.html sees."""

    title: str
    description: str
    language: str
    counts: tuple[str, ...]
    scope: str
    theme: str
    version: str
    policy: str
    early: Markup
    styles: Markup
    scripts: Markup
    graph: Markup
    quotes: Markup
    words: Markup | None
    edge_labels: str
    show_inferred: bool
    things: tuple[Thing, ...]
    groups: tuple[FoundGroup, ...]
    texts: tuple[FoundText, ...]


def write(table: Table, settings: Settings) -> dict[str, bytes]:
    """The page, in the site's language and with its theme. Raises ThemeError."""
    from kgsite import __version__
    from kgsite.site.escape import island_bytes, island_text
    from kgsite.site.templates import resolve
    from kgsite.site.theme import load_theme

    theme = load_theme(settings)
    table, graph = _with_addresses(table, settings, theme)
    code = _Code(theme)
    parts = Parts(table, theme.words)
    words = {key.removeprefix("ui."): text for key, text in theme.words.texts.items() if key.startswith("ui.")}
    chosen = settings.visualization.theme
    view = OneFile(
        title=table.title,
        description=table.description,
        language=settings.site.language,
        counts=parts.counts(),
        scope=str(graph.graph["scope"]),
        theme="" if chosen == "auto" else chosen,
        version=__version__,
        policy=code.policy(),
        early=code.early,
        styles=code.styles,
        scripts=code.scripts,
        graph=island_bytes(graph.graph_json()),
        quotes=island_bytes(graph.all_quotes_json()),
        words=island_text(words) if words else None,
        edge_labels=settings.visualization.edge_labels,
        show_inferred=settings.visualization.show_inferred,
        things=parts.things(),
        groups=parts.groups(),
        texts=parts.texts(),
    )
    template = theme.environment.get_template(resolve(theme, "one-file.html"))
    return {"graph.html": template.render(view=view).encode("utf-8", "replace")}


def _with_addresses(table: Table, settings: Settings, theme: Theme) -> tuple[Table, GraphData]:
    """The table with an address for each node, and what the explorer draws."""
    from kgsite.site.graphdata import GraphSource

    subject = table.subject
    if isinstance(subject, Collection):
        drawn = GraphSource(subject, label=theme.words.type).collection(data=lambda _community: "")
        return table, drawn
    collection = _alone(subject, settings, table.directory)
    drawn = GraphSource(collection, label=theme.words.type).document(subject.id)
    return table_of(subject, settings, Directory(collection)), drawn


def _alone(graph: DocumentGraph, settings: Settings, directory: Directory | None) -> Collection:
    """A collection of one document, laid out as the site draws it."""
    from kgsite.collection import Permalinks, merge
    from kgsite.collection.layout import layouts

    collection = merge([graph], settings=settings, permalinks=Permalinks())
    known = directory.collection.layouts if directory else {}
    return replace(collection, layouts=layouts(collection, {graph.id: known[graph.id]} if graph.id in known else {}))


# ── scripts and styles ────────────────────────────────────────────────────────────────────────────
class _Code:
    """The theme's scripts and styles as they stand in the page."""

    def __init__(self, theme: Theme) -> None:
        files = theme.files("static")
        read = {
            name: path.read_text(encoding="utf-8") for name, path in files.items() if name.endswith((".js", ".css"))
        }
        own = {name: theme.which("templates", name)[1].read_text(encoding="utf-8") for name in _OWN}
        vendor = [read[f"vendor/d3-{name}.min.js"] for name in _VENDOR]
        self.early = _inside(read["js/early.js"])
        self.scripts = _inside("\n".join([*vendor, _explorer(read, own["one-file.js"])]))
        self.styles = _inside("\n".join([*(read[name] for name in _STYLES), own["one-file.css"]]))

    def policy(self) -> str:
        scripts = f"{_hash(self.early)} {_hash(self.scripts)}"
        return (
            f"default-src 'none'; script-src {scripts}; style-src {_hash(self.styles)}; img-src data: blob:; "
            "base-uri 'none'; form-action 'none'"
        )


_OWN = ("one-file.js", "one-file.css")


def _explorer(read: dict[str, str], links: str) -> str:
    """The explorer with its links turned inwards: one module takes the place of another."""
    from kgsite.site.bundle import bundle

    modules = {name.removeprefix("js/"): text for name, text in read.items() if name.startswith("js/")}
    modules["load-site.js"] = modules["load.js"]
    modules["load.js"] = links
    return bundle("explorer.js", modules)


def _inside(code: str) -> Markup:
    """Code that can stand in an element: what would end it is written with an escape that means the same in strings."""
    return Markup(_LEAVES.sub(r"\\x3c", code))  # noqa: S704 - the theme's own code


def _hash(code: Markup) -> str:
    digest = hashlib.sha256(str(code).encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
