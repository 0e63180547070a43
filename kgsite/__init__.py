"""kgsite: a folder of documents becomes a published knowledge graph."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
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


class _Package(ModuleType):
    """`kgsite.build` is the function, although `kgsite/build.py` is there too: importing that sets no attribute."""

    def __getattr__(self, name: str) -> Any:
        """The public functions, imported when they are first asked for: `import kgsite` stays light."""
        if name in _API:
            return getattr(import_module("kgsite.api"), name)
        if name == "export":
            return import_module("kgsite.exporters").export
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _API and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *__all__})


sys.modules[__name__].__class__ = _Package
