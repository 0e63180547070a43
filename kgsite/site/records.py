"""What the site stages hand to each other: Theme → SitePlan → Rendered → PublishReport."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kgsite.model import Collection, SitePath


@dataclass(frozen=True, slots=True)
class BuildInfo:
    """How the graphs were made, for the about page and each document's page."""

    extractors: Mapping[str, int]  # extractor → documents, by name
    models: Mapping[str, int]  # model → documents, by name
    generated: str  # newest `changed` date of the graphs, ISO, or ""; never the clock
    version: str = ""  # of kgsite


def build_info(collection: Collection) -> BuildInfo:
    """Count extractors and models over the graphs of a collection."""
    from kgsite import __version__

    extractors: dict[str, int] = {}
    models: dict[str, int] = {}
    for graph in collection.documents:
        made = graph.provenance
        if made.extractor:
            extractors[made.extractor] = extractors.get(made.extractor, 0) + 1
        if made.model:
            models[made.model] = models.get(made.model, 0) + 1
    newest = max((graph.provenance.changed for graph in collection.documents), default="")
    return BuildInfo(dict(sorted(extractors.items())), dict(sorted(models.items())), newest, __version__)


@dataclass(frozen=True, slots=True)
class Page:
    """A page to be rendered. `make` builds its frozen view; it is called in the process that renders the page."""

    path: SitePath
    template: str
    kind: str  # "document", "entity", …: for counts
    make: Callable[[], object]


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file that is no template: JSON, XML, text. `make` returns its bytes.

    Where making it costs more than saying what it is made of, `inputs` returns the latter as bytes.
    """

    path: SitePath
    kind: str
    make: Callable[[], bytes]
    inputs: Callable[[], bytes] | None = None


@dataclass(frozen=True, slots=True)
class Asset:
    """A static file under its fingerprinted name."""

    name: str  # as templates call it: "css/site.css"
    path: SitePath  # "static/css/site.1a2b3c4d.css"
    data: bytes


@dataclass(frozen=True, slots=True)
class SitePlan:
    """Everything that the site consists of, before anything is rendered."""

    pages: tuple[Page, ...]
    files: tuple[DataFile, ...]
    assets: tuple[Asset, ...]
    site: object  # the view that every page shares: title, words, licence
    words: Any  # kgsite.site.words.Words
    notes: tuple[str, ...] = ()
    full_text: bool = False  # whether the documents' whole text can be searched


@dataclass(frozen=True, slots=True)
class Output:
    """A file of the new site and its state: `staged` files lie in the staging folder, others stay as they are."""

    path: SitePath
    kind: str
    size: int
    digest: str  # of the bytes
    fingerprint: str  # of a page's inputs; "" for other files
    staged: bool
    rendered: bool = False


@dataclass(frozen=True, slots=True)
class Rendered:
    """All files of the new site; `rendered` counts the pages whose template ran."""

    outputs: tuple[Output, ...]
    staging: str  # folder beside the output, on the same file system
    rendered: int
    unchanged: int


@dataclass(frozen=True, slots=True)
class PublishReport:
    """What a publish did, for the summary."""

    pages: int
    rendered: int
    unchanged_pages: int
    written: int
    pruned: int
    files: int
    bytes_by_kind: Mapping[str, int]  # by kind, sorted
    largest: tuple[tuple[str, int], ...]  # the ten largest files
    notes: tuple[str, ...] = ()

    @property
    def total_bytes(self) -> int:
        return sum(self.bytes_by_kind.values())
