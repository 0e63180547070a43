"""Questions that the graph can answer: question → entities → facts around them → cited answer.

Without a model the answer is the ranked facts themselves. Everything heavy is imported when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgsite.ask.asker import Asker, turn_of
    from kgsite.ask.numbering import as_json
    from kgsite.ask.opening import open_asker

__all__ = ["Asker", "as_json", "open_asker", "turn_of"]

_WHERE = {"Asker": "asker", "turn_of": "asker", "as_json": "numbering", "open_asker": "opening"}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
