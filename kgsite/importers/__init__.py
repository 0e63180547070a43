"""Ready-made graphs: which files are one."""

from __future__ import annotations

from pathlib import Path


def recognise(path: Path) -> str | None:  # noqa: ARG001
    """Name of the graph format of a file or folder, or None when it is no graph that kgsite knows."""
    return None
