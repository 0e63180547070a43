"""Killed at any moment, the next build just works, and its site is the one an undisturbed build makes."""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.build.site import Site
from tests.faults.points import ended, in_child, kill_at
from tests.faults.scenes import SCENES, Scene, all_of, both, copy_of, count_points, prepare, run, warm

MANY = bool(os.environ.get("KGSITE_MANY_POINTS"))
EVENTS, CALLS = (80, 160) if MANY else (6, 12)
"""Points tried for each of the four scenes, spread over the build; many of them when asked for (some minutes)."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.fixture(scope="module", autouse=True)
def _warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    warm(tmp_path_factory.mktemp("warm"))


def spread_over(numbers: list[int], wanted: int, seed: int) -> list[int]:
    """One number drawn from each of `wanted` equal stretches."""
    if len(numbers) <= wanted:
        return numbers
    draw = random.Random(seed)
    bounds = [len(numbers) * part // wanted for part in range(wanted + 1)]
    return [numbers[draw.randrange(bounds[part], bounds[part + 1])] for part in range(wanted)]


def killed_then_built(site: Site, scene: Scene, folder: Path, kills: list[int], expected: dict[str, str]) -> int:
    """0 when the tree is as expected after a kill at each of `kills` and one more build."""
    copy = copy_of(site, folder)
    for number in kills:
        if ended(in_child(lambda number=number: run(copy, scene, kill_at(number)) and 0)) not in (-9, 0):  # type: ignore[misc]
            return 3
    if copy.build().result.exit_code != 0:
        return 2
    found = all_of(copy)
    for path in sorted(found.keys() ^ expected.keys()):
        os.write(2, f"{scene.name} {kills}: {'+' if path in found else '-'} {path}\n".encode())
    shutil.rmtree(folder, ignore_errors=True)
    return int(found != expected)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_killed_at_any_point_the_next_build_just_works(scene: Scene, tmp_path: Path) -> None:
    site = prepare(scene, tmp_path / "site")
    undisturbed = tmp_path / "undisturbed"
    kinds = count_points(site, scene, undisturbed)
    expected = all_of(Site(undisturbed))
    assert expected, "the undisturbed build published something"
    numbers = {layer: [n for n, kind in enumerate(kinds, 1) if kind.startswith(layer)] for layer in ("event", "call")}
    assert len(numbers["event"]) >= EVENTS, Counter(kinds)
    assert len(numbers["call"]) >= CALLS, Counter(kinds)
    chosen = spread_over(numbers["event"], EVENTS, 1) + spread_over(numbers["call"], CALLS, 2)

    def tasks() -> Iterator[Callable[[], int]]:
        for number in chosen:
            yield lambda number=number: killed_then_built(  # type: ignore[misc]
                site, scene, tmp_path / f"at {number}", [number], expected
            )

    codes = both(tasks())
    assert [(n, kinds[n - 1], code) for n, code in zip(chosen, codes, strict=True) if code] == []


@pytest.mark.parametrize("scene", SCENES[1:], ids=lambda scene: scene.name)
def test_killed_again_while_it_finishes(scene: Scene, tmp_path: Path) -> None:
    site = prepare(scene, tmp_path / "site")
    undisturbed = tmp_path / "undisturbed"
    kinds = count_points(site, scene, undisturbed)
    expected = all_of(Site(undisturbed))
    renames = [n for n, kind in enumerate(kinds, 1) if kind.startswith("call replace")]
    draw = random.Random(3)
    pairs = [[draw.choice(renames[-12:]), draw.randrange(1, 40)] for _ in range(40 if MANY else 5)]
    codes = both(
        (lambda pair=pair: killed_then_built(site, scene, tmp_path / f"at {pair}", pair, expected)) for pair in pairs
    )
    assert [(pair, code) for pair, code in zip(pairs, codes, strict=True) if code] == []
