"""What the site offers for download beside its pages: exports ([site] downloads), text units, the schema.

The native JSON graphs are always there (`graphs.files`); everything else that `downloads` names is planned here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

from kgsite.config.settings import Settings
from kgsite.exporters import FORMATS, Format, export
from kgsite.exporters.table import Directory
from kgsite.model import Collection, DocumentGraph, SitePath
from kgsite.site.escape import to_json
from kgsite.site.records import DataFile

TEXT_UNITS = SitePath("data/text_units.json")
SCHEMA = SitePath("data/schema.json")


@dataclass(frozen=True, slots=True)
class Download:
    """A file that a page links: its address and what it is called."""

    path: SitePath
    text: str
    note: str  # the format


def download_files(collection: Collection, settings: Settings) -> list[DataFile]:
    """The files of `[site] downloads` but JSON, for the collection and each document; text units and schema always."""
    files = [
        DataFile(TEXT_UNITS, "data", partial(_text_units, collection)),
        DataFile(SCHEMA, "data", partial(_schema, collection, settings)),
    ]
    directory = Directory(collection)
    for form in _formats(settings):
        files += _files("data/", form, collection, settings, directory)
        for document in collection.documents:
            folder = _folder(collection, document)
            files += _files(folder, form, document, settings, directory)
    return files


def collection_downloads(settings: Settings) -> list[Download]:
    """What the about page lists."""
    found = [Download(SitePath("data/graph.json"), "graph.json", "JSON")]
    found += [one for form in _formats(settings) for one in _links("data/", form)]
    return [*found, Download(TEXT_UNITS, "text_units.json", "JSON"), Download(SCHEMA, "schema.json", "JSON Schema")]


def document_downloads(collection: Collection, document: DocumentGraph, settings: Settings) -> list[Download]:
    """What a document's page lists, beside its JSON."""
    folder = _folder(collection, document)
    return [one for form in _formats(settings) for one in _links(folder, form)]


def _formats(settings: Settings) -> list[Format]:
    return [FORMATS[name] for name in dict.fromkeys(settings.site.downloads) if name in FORMATS and name != "json"]


def _folder(collection: Collection, document: DocumentGraph) -> str:
    return f"data/documents/{collection.document_slugs[document.id]}/"


def _links(folder: str, form: Format) -> Iterator[Download]:
    for name in form.files:
        yield Download(_path(folder, form, name), name, form.words)


def _path(folder: str, form: Format, name: str) -> SitePath:
    """GraphRAG's tables lie in a folder of their own, as its loaders expect."""
    return SitePath(f"{folder}graphrag/{name}" if form.name == "parquet" else f"{folder}{name}")


def _files(
    folder: str, form: Format, subject: Collection | DocumentGraph, settings: Settings, directory: Directory
) -> Iterator[DataFile]:
    for name in form.files:
        make = partial(_one, form.name, name, _Subject(subject, settings, directory))
        yield DataFile(_path(folder, form, name), "data", make)


@dataclass(frozen=True, slots=True, eq=False)
class _Subject:
    """What is exported; compared by identity, so that it can be the key of a cache."""

    graph: Collection | DocumentGraph
    settings: Settings
    directory: Directory


@lru_cache(maxsize=1)
def _exported(form: str, subject: _Subject) -> dict[str, bytes]:
    """The last export: formats of several files are made once."""
    return export(subject.graph, form, settings=subject.settings, directory=subject.directory)


def _one(form: str, name: str, subject: _Subject) -> bytes:
    return _exported(form, subject)[name]


def _text_units(collection: Collection) -> bytes:
    from kgsite.textunits import text_units_json

    return text_units_json(collection)


def _schema(collection: Collection, settings: Settings) -> bytes:
    from kgsite.extract.schema import to_json_schema
    from kgsite.extract.schema_use import published_schema

    return to_json(to_json_schema(published_schema(collection.documents, settings)), indent=True)
