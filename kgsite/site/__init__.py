"""Collection → published site. The build calls these, in this order; nothing heavy is imported before.

load_theme → plan → render → publish
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgsite.site.records import BuildInfo, PublishReport, Rendered, SitePlan, build_info

if TYPE_CHECKING:
    from kgsite.site.manifest import load_manifest
    from kgsite.site.planning import plan
    from kgsite.site.publishing import check_output, finish_half_done, publish
    from kgsite.site.rendering import render
    from kgsite.site.theme import load_theme

_HOMES = {
    "check_output": "publishing",
    "finish_half_done": "publishing",
    "load_manifest": "manifest",
    "load_theme": "theme",
    "plan": "planning",
    "publish": "publishing",
    "render": "rendering",
}


def __getattr__(name: str) -> Any:
    """Load a stage when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


__all__ = [
    "BuildInfo",
    "PublishReport",
    "Rendered",
    "SitePlan",
    "build_info",
    "check_output",
    "finish_half_done",
    "load_manifest",
    "load_theme",
    "plan",
    "publish",
    "render",
]
