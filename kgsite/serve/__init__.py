"""The preview: build, serve at the address the site will have, watch, rebuild, reload.

Nothing heavy is imported before `serve` is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgsite.serve.server import ServeOptions, serve

__all__ = ["ServeOptions", "serve"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from kgsite.serve import server

    return getattr(server, name)
