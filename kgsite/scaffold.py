"""`kgsite init`: a project that builds at once, offline, and looks like something. Never overwrites."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from kgsite.errors import UsageError


def scaffold(target: Path) -> tuple[list[str], list[str]]:
    """Write the starting files; returns (made, kept) as paths relative to `target`. Raises UsageError."""
    made: list[str] = []
    kept: list[str] = []
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name, text in _files().items():
            path = target / name
            if path.exists() or path.is_symlink():
                kept.append(name)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            made.append(name)
        (kept if (target / "themes").is_dir() else made).append("themes/")
        (target / "themes").mkdir(exist_ok=True)
    except OSError as error:
        message = f"{target.name or target} can't be filled: {error.strerror}"
        raise UsageError(message, hint="choose a folder that you may write to") from error
    return made, kept


def _files() -> dict[str, str]:
    """Name in the project → text. Package data holds dots as `dot-`, so that no tool takes them for its own."""
    root = resources.files("kgsite") / "starter"
    found: dict[str, str] = {}
    pending = [("", root)]
    while pending:
        prefix, folder = pending.pop()
        for entry in folder.iterdir():
            name = prefix + entry.name.replace("dot-", ".", 1)
            if entry.is_dir():
                pending.append((name + "/", entry))
            elif not entry.name.endswith((".py", ".pyc")):
                found[name] = entry.read_text(encoding="utf-8")
    return dict(sorted(found.items()))
