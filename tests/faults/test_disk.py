"""A disk that is full, read-only or broken. One clear line, and the old site as it was."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.build.site import Site
from tests.faults.points import Points, fail_at
from tests.faults.scenes import SCENES, Scene, all_of, both, command, copy_of, count_points, prepare, warm
from tests.faults.test_kill import spread_over

MANY = bool(os.environ.get("KGSITE_MANY_POINTS"))
FAULTS = {
    "full": (errno.ENOSPC, True, True),  # from some moment on nothing more can be written, but renamed and removed
    "read-only": (errno.EROFS, True, False),  # from some moment on nothing works any more
    "error": (errno.EIO, False, False),  # one operation fails
}
ERROR = re.compile("error: [^\n]+\n(?:  → [^\n]+\n)?")  # and what to do, on a line of its own
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.fixture(scope="module", autouse=True)
def _warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    warm(tmp_path_factory.mktemp("warm"))


def tried(site: Site, scene: Scene, folder: Path, number: int, fault: str, expected: dict[str, str]) -> int:
    """0 when a build with a fault at point `number` ends as promised, and so does the next one without."""
    from kgsite.site import publishing

    copy = copy_of(site, folder)
    before = copy.tree()
    after = {path.removeprefix("_site/"): digest for path, digest in expected.items() if path.startswith("_site/")}
    code, stays, growing = FAULTS[fault]
    if scene.swap:
        publishing.SWAP_FROM = 1
    points = Points(fail_at(number, code, stays=stays, growing_only=growing))
    points.install()
    args = ["build", "--quiet", *(["--clean"] if scene.options else [])]
    exit_code, said = command(copy.root, *args)
    points.stop()
    found = copy.tree() if (copy.root / "_site").exists() else {}
    wrong = ""
    if exit_code == 0 and found != after:
        wrong = "exit 0, but the site is not the new one"
    elif exit_code and not (found in (before, after) or (fault == "read-only" and _half_done(copy))):
        wrong = "neither the old site nor the new one"
    elif exit_code and not ERROR.fullmatch(said):
        wrong = f"said {said!r}"
    elif copy.build().result.exit_code or all_of(copy) != expected:
        wrong = "the next build does not mend it"
    if wrong:
        os.write(2, f"{scene.name}, {fault} at {number}: exit {exit_code}: {wrong}\n".encode())
    shutil.rmtree(folder, ignore_errors=True)
    return int(bool(wrong))


def _half_done(site: Site) -> bool:
    """A disk that refuses even to put files back: the next run finishes what the journal says."""
    return (site.root / "._site.kgsite/journal.json").exists()


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("scene", SCENES[1:], ids=lambda scene: scene.name)
def test_a_failing_disk_leaves_the_old_site(scene: Scene, fault: str, tmp_path: Path) -> None:
    site = prepare(scene, tmp_path / "site")
    undisturbed = tmp_path / "undisturbed"
    kinds = count_points(site, scene, undisturbed)
    expected = all_of(Site(undisturbed))
    numbers = [n for n, kind in enumerate(kinds, 1) if "after" not in kind and "fsync" not in kind]
    chosen = spread_over(numbers, 100 if MANY else 5, 4)

    def tasks() -> Iterator[Callable[[], int]]:
        for number in chosen:
            yield lambda number=number: tried(site, scene, tmp_path / f"at {number}", number, fault, expected)  # type: ignore[misc]

    codes = both(tasks())
    assert [(n, kinds[n - 1], code) for n, code in zip(chosen, codes, strict=True) if code] == []
