"""A graph file or folder → `Found` (by its format's reader) → DocumentGraph."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from kgsite.config.settings import Settings
from kgsite.errors import ImportGraphError, Place
from kgsite.importers.assembling import assemble
from kgsite.importers.found import Found, Tally
from kgsite.importers.jsonsafe import load_json
from kgsite.importers.recognition import XML_SUFFIXES, format_of, read_file
from kgsite.model import NAMESPACE, DocumentGraph, Provenance, Source


def import_source(source: Source, *, provenance: Provenance, settings: Settings) -> DocumentGraph:
    """See `kgsite.importers.import_graph`."""
    if source.file is None:
        raise ImportGraphError("it has no file", at=Place(source.path))
    try:
        return _import(source, source.file, provenance, settings)
    except ImportGraphError as error:
        place = Place(source.path, error.at.line, error.at.column) if error.at else Place(source.path)
        raise ImportGraphError(error.message, at=place, hint=error.hint) from error


def _import(source: Source, file: Path, provenance: Provenance, settings: Settings) -> DocumentGraph:
    tally = Tally()
    if file.is_dir():
        from kgsite.importers.graphrag import read_graphrag
        from kgsite.importers.own_tables import read_own

        own = read_own(file, source.path)
        if own is not None:
            return _as_document(own, source, provenance)
        return assemble(read_graphrag(file, source.path), source, provenance=provenance, settings=settings)
    data = read_file(file)
    suffix = file.suffix.casefold()
    if suffix in XML_SUFFIXES:
        from kgsite.importers.xml_graphs import read_xml_graph

        found = read_xml_graph(data, XML_SUFFIXES[suffix], source.path)
        return assemble(found, source, provenance=provenance, settings=settings)
    tree = load_json(data, source.path, tally)
    native = _native(tree, data, source, provenance)
    if native is not None:
        return native
    found = read_json(tree, file, source.path)
    for reason, count in tally.counts.items():
        found.tally.add(reason, count)
        found.tally.examples[reason] = tally.examples[reason] + found.tally.examples[reason]
    return assemble(found, source, provenance=provenance, settings=settings)


def read_json(tree: Any, file: Path, name: str) -> Found:
    """The rows of parsed JSON; `file` is where sidecars lie beside, `name` stands in errors. Raises ImportGraphError."""
    form = format_of(tree, name)
    if form == "triples":
        from kgsite.importers.triples import read_triples

        return read_triples(tree, file)
    if form == "several":
        from kgsite.importers.plain import read_several

        parts = [part for part in tree if isinstance(part, Mapping)]
        return read_several([_part(part, file, name) for part in parts], len(tree) - len(parts))
    if form == "rows":
        from kgsite.importers.plain import read_rows

        return read_rows(tree)
    if form in ("node-link", "cytoscape"):
        from kgsite.importers.node_link import read_cytoscape, read_node_link

        return read_cytoscape(tree) if form == "cytoscape" else read_node_link(tree)
    from kgsite.importers.plain import read_flat

    return read_flat(tree, form)


def _part(tree: Mapping[str, Any], file: Path, name: str) -> Found:
    try:
        return read_json(tree, file.with_name("part"), name)
    except ImportGraphError:
        from kgsite.importers.plain import read_rows

        return read_rows([tree])


# ── kgsite's own ──────────────────────────────────────────────────────────────────────────────────
def is_native(tree: Any) -> bool:
    """Whether parsed JSON is a document graph that kgsite wrote."""
    own = tree.get("kgsite") if isinstance(tree, Mapping) else None
    return isinstance(own, Mapping) and type(own.get("format")) is int and isinstance(tree.get("graph"), Mapping)


def load_native(path: Path) -> DocumentGraph | None:
    """The graph in a file, or a folder of tables, that kgsite wrote, as it was stored; None for every other one.

    Raises ImportGraphError when the file was changed, or comes from a newer kgsite.
    """
    from kgsite.graphfile import load

    if path.is_dir():
        from kgsite.importers.own_tables import read_own

        return read_own(path, path.name)
    if not path.is_file():
        return None
    data = read_file(path)
    if b'"kgsite"' not in data or not is_native(load_json(data, path.name, Tally())):
        return None
    return load(data, name=path.name)


def _native(tree: Any, data: bytes, source: Source, provenance: Provenance) -> DocumentGraph | None:
    """A graph that kgsite wrote, as the document of this source; None when it is none or was changed since."""
    from kgsite.graphfile import load

    if not is_native(tree):
        return None
    try:
        graph = load(data, name=source.path)
    except ImportGraphError:
        return None  # read as any other Knwler graph
    return _as_document(graph, source, provenance)


def _as_document(graph: DocumentGraph, source: Source, provenance: Provenance) -> DocumentGraph:
    """A graph that kgsite wrote, as the document of `source`, whose sidecar goes before."""
    from kgsite.extract.rehome import derived, relabel

    model = graph.provenance.model
    meta = replace(source.meta, **{key: getattr(source.meta, key) or getattr(graph.meta, key) for key in _KEPT})
    graph = replace(
        graph,
        provenance=replace(provenance, extractor="import:kgsite", model=model),
        meta=meta,
        title=source.meta.title or graph.title,
        summary=source.meta.summary or graph.summary,
        language=source.meta.language or graph.language,
        url=source.meta.url or graph.url,
    )
    home = str(uuid.uuid5(NAMESPACE, source.path))
    # All other ids follow that of the document, so that two copies in one site do not clash.
    return graph if graph.id == home else relabel(graph, home, partial(derived, home))


_KEPT = ("title", "date", "language", "authors", "url", "license", "tags", "summary")
