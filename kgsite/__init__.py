"""kgsite: a folder of documents becomes a published knowledge graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgsite.api import (
        TextUnit,
        build,
        extract_file,
        load_collection,
        load_graph,
        load_schema,
        to_json_schema,
    )
    from kgsite.exporters import export

__version__ = "0.1.0"

_API = ("TextUnit", "build", "extract_file", "load_collection", "load_graph", "load_schema", "to_json_schema")

__all__ = [
    "TextUnit",
    "__version__",
    "build",
    "export",
    "extract_file",
    "load_collection",
    "load_graph",
    "load_schema",
    "to_json_schema",
]


def __getattr__(name: str) -> Any:
    """The public functions, imported when they are first asked for: `import kgsite` stays light."""
    from importlib import import_module

    if name in _API:
        return getattr(import_module("kgsite.api"), name)
    if name == "export":
        return import_module("kgsite.exporters").export
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
