"""Small projects on which faults are tried: a state to begin with, a change, and the build that is disturbed."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.build.site import Site
from tests.faults.points import Act, Points, ended, in_child

CONFIG = """[site]
title = "{title}"
language = "de"
base_url = "https://example.org/"
[extract]
extractor = "offline"
language = "de"
"""
ADA = "Ada Lovelace besuchte Charles Babbage in London. Ada Lovelace schrieb an Mary Somerville.\n"
EMMY = "Emmy Noether lehrte in Göttingen. Emmy Noether traf David Hilbert.\n"
LISE = "Lise Meitner arbeitete mit Otto Hahn in Berlin.\n"


@dataclass(frozen=True)
class Scene:
    """`begin` makes the state before; `change` is what the user does then; `options` and `swap` belong to the build.

    `swap`: the site is published by two renames of whole folders, as large ones are.
    """

    name: str
    begin: Callable[[Site], None]
    change: Callable[[Site], None]
    options: Mapping[str, Any] = field(default_factory=dict)
    swap: bool = False


def _new(site: Site) -> None:
    site.config(CONFIG.format(title="Eins"))
    site.write("ada.txt", ADA)
    site.write("emmy.txt", EMMY)


def _built(site: Site) -> None:
    _new(site)
    site.build()


def _edited(site: Site) -> None:
    site.write("ada.txt", ADA.replace("London", "Turin"))
    site.write("mehr/lise.txt", LISE)
    site.delete("emmy.txt")


def _renamed(site: Site) -> None:
    content = site.root / "content"
    site.write("lise.txt", LISE)
    site.build()
    (content / "mehr").mkdir()
    (content / "lise.txt").rename(content / "mehr" / "meitner.txt")
    (content / "ada.txt").rename(content / "x")
    (content / "emmy.txt").rename(content / "ada.txt")
    (content / "x").rename(content / "emmy.txt")


SCENES = (
    Scene("first build", _new, lambda _site: None),
    Scene("one edited, one new, one deleted", _built, _edited),
    Scene("clean", _built, _edited, {"clean": True}),
    Scene("one renamed, two names exchanged", _built, _renamed),
    Scene("whole tree swapped", _built, lambda site: site.config(CONFIG.format(title="Zwei")), swap=True),
)


def prepare(scene: Scene, folder: Path) -> Site:
    """The project just before the build that will be disturbed."""
    site = Site(folder)
    scene.begin(site)
    scene.change(site)
    return site


def warm(folder: Path) -> None:
    """Import all that a build needs, once, so that forked children don't."""
    for scene in SCENES[1:]:
        prepare(scene, folder / scene.name).build(**scene.options)


def copy_of(site: Site, folder: Path) -> Site:
    """The same project elsewhere, times kept (the manifest knows them)."""
    shutil.copytree(site.root, folder, symlinks=True)
    return Site(folder)


def run(site: Site, scene: Scene, act: Act) -> int:
    """The build of a scene in this process with `act` at every point; for children. Returns the number of points."""
    from kgsite.site import publishing

    if scene.swap:
        publishing.SWAP_FROM = 1
    points = Points(act)
    points.install()
    try:
        site.build(**scene.options)
    finally:
        points.stop()
    return points.count


def count_points(site: Site, scene: Scene, folder: Path) -> list[str]:
    """The kind of every point of an undisturbed build, in order; and the build's outcome stays in `folder`."""
    copy = copy_of(site, folder)
    listed = folder.with_name(folder.name + ".points")
    kinds: list[str] = []

    def work() -> int:
        run(copy, scene, lambda _point, kind: kinds.append(kind))
        listed.write_text("\n".join(kinds), encoding="utf-8")
        return 0

    assert ended(in_child(work)) == 0
    return listed.read_text(encoding="utf-8").splitlines()


def all_of(site: Site) -> dict[str, str]:
    """Everything that must be the same again: the output and the committed state, litter included."""
    found = {f"_site/{path}": digest for path, digest in site.tree().items()}
    for path, digest in site.tree(".kgsite").items():
        if not path.startswith("cache/") and path != "lock":
            found[f".kgsite/{path}"] = digest
    litter = [*site.root.rglob(".tmp-*"), *site.root.glob("._site*")]
    return found | {f"litter {path.name}": "" for path in litter}


def both(tasks: Iterator[Callable[[], int]], at_once: int = 2) -> list[int]:
    """Run tasks in forked children, two at a time; their exit codes in order."""
    running: list[tuple[int, int]] = []
    codes: dict[int, int] = {}

    def reap() -> None:
        number, pid = running.pop(0)
        codes[number] = ended(pid)

    for number, task in enumerate(tasks):
        if len(running) == at_once:
            reap()
        running.append((number, in_child(task)))
    while running:
        reap()
    return [codes[number] for number in sorted(codes)]


def command(root: Path, *args: str) -> tuple[int, str]:
    """The command line in this process, for children: exit code and what stderr got."""
    from kgsite.cli import main

    said = io.StringIO()
    os.environ["SOURCE_DATE_EPOCH"] = "1767312000"  # the day of tests.build.site
    with redirect_stderr(said):
        try:
            code = main(["-C", str(root), *args], standalone_mode=False)
        except SystemExit as stop:
            code = stop.code
    return int(code or 0), said.getvalue()
