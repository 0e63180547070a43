"""Files of other tools, and a way to import one as `kgsite build` does."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kgsite.config.settings import ImportSettings, Settings
from kgsite.importers import import_graph, recognise
from kgsite.model import DocumentGraph, FrontMatter, Provenance, Source, SourcePath

Import = Callable[..., DocumentGraph]


@pytest.fixture(scope="session")
def data() -> Path:
    return Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def load() -> Import:
    """load(path, recompute=False, meta=FrontMatter()) → DocumentGraph"""

    def load(path: Path, *, recompute: bool = False, meta: FrontMatter | None = None) -> DocumentGraph:
        assert recognise(path)
        source = Source(SourcePath(path.name), "graph", path, meta=meta or FrontMatter())
        settings = replace(Settings(root=path.parent), imports=ImportSettings(recompute=recompute))
        return import_graph(source, provenance=Provenance(source.path, "hash", extractor="offline"), settings=settings)

    return load


@pytest.fixture
def imported(tmp_path: Path, load: Import) -> Import:
    """imported(value, name="graph.json") → DocumentGraph of `value` written as JSON (bytes and text as they are)."""

    def imported(value: Any, name: str = "graph.json", **options: Any) -> DocumentGraph:
        path = tmp_path / name
        if isinstance(value, bytes):
            path.write_bytes(value)
        else:
            path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return load(path, **options)

    return imported
