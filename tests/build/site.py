"""A whole small project in a temporary folder, built in this process with a fixed date and an empty environment."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kgsite.build import BuildOptions, BuildResult, build
from kgsite.errors import KgsiteError
from kgsite.project import World, open_project
from kgsite.report import Report

DAY = "2026-01-02"


@dataclass
class Events:
    """A display that keeps what was shown."""

    shown: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def event(self, name: str, data: Any) -> None:
        self.shown.append((name, dict(data)))

    def close(self) -> None:
        pass

    def named(self, name: str) -> list[dict[str, Any]]:
        return [data for shown, data in self.shown if shown == name]


@dataclass
class Built:
    """What came of a build."""

    result: BuildResult
    report: Report
    events: Events

    @property
    def counts(self) -> dict[str, int]:
        return self.report.counts

    @property
    def totals(self) -> Any:
        return self.result.totals

    def status(self, path: str) -> str:
        return str(self.report.documents[path]["status"])


class Site:
    """A project: write content, build, look at the tree."""

    def __init__(self, root: Path, *, today: str = DAY) -> None:
        self.root = root
        self.today = today
        (root / "content").mkdir(parents=True, exist_ok=True)
        if not (root / "site.toml").exists():
            self.config(
                '[site]\ntitle = "Test"\nbase_url = "https://example.org/project/"\n[extract]\nextractor = "offline"\n'
            )

    def config(self, text: str) -> None:
        (self.root / "site.toml").write_text(text, encoding="utf-8")

    def write(self, path: str, text: str | bytes) -> None:
        file = self.root / "content" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            file.write_bytes(text)
        else:
            file.write_text(text, encoding="utf-8", newline="\n")

    def delete(self, path: str) -> None:
        (self.root / "content" / path).unlink()

    def build(self, *, flags: dict[str, Any] | None = None, world: World | None = None, **options: Any) -> Built:
        world = world or World(environ={}, today=lambda _environ: self.today)
        events = Events()
        report = Report(events)
        project = open_project(self.root, flags=flags, strict=bool(options.get("strict")), world=world)
        return Built(build(project, BuildOptions(**options), report), report, events)

    def fails(self, **options: Any) -> KgsiteError:
        try:
            self.build(**options)
        except KgsiteError as error:
            return error
        raise AssertionError("the build did not fail")

    def tree(self, folder: str = "_site") -> dict[str, str]:
        """Path → hash of every file, dotfiles included."""
        root = self.root / folder
        return {
            path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }

    def times(self, folder: str = "_site") -> dict[str, int]:
        root = self.root / folder
        return {
            path.relative_to(root).as_posix(): path.stat().st_mtime_ns
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }

    def state(self) -> dict[str, str]:
        """The committed part of .kgsite/."""
        return {
            path: digest
            for path, digest in self.tree(".kgsite").items()
            if path.startswith(("graphs/", "layout/")) or path in {"permalinks.json", "communities.json"}
        }

    def page(self, path: str) -> str:
        return (self.root / "_site" / path).read_text(encoding="utf-8")


CURIE = """---
title: Marie Curie
---

Marie Curie was born in Warsaw in 1867. Marie Curie discovered polonium in Paris.
She worked with Pierre Curie at the University of Paris.

Pierre Curie taught physics in Paris. Henri Becquerel discovered radioactivity in Paris.
"""

BECQUEREL = """---
title: Henri Becquerel
---

Henri Becquerel was born in Paris in 1852. Henri Becquerel studied uranium at the École Polytechnique.
Becquerel received the Nobel Prize in Physics in 1903 together with Marie Curie and Pierre Curie.
"""

SHIPS = """---
title: Ships
---

Roald Amundsen sailed on the Fram to Antarctica. Colin Archer designed the Fram in Larvik.
Fridtjof Nansen crossed Greenland in 1888. Nansen lived in Oslo.
"""


def three(root: Path) -> Site:
    """A site of three short documents."""
    site = Site(root)
    site.write("curie.md", CURIE)
    site.write("physics/becquerel.md", BECQUEREL)
    site.write("ships.md", SHIPS)
    return site
