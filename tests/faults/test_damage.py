"""Every file that kgsite keeps, cut at any length and with any bit turned, is a miss and never a crash."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.build.site import Site
from tests.faults.scenes import SCENES, prepare

BUILDS = 2
"""Damages of each file with which the whole pipeline is run; the readers alone are tried with many more."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = prepare(SCENES[0], tmp_path_factory.mktemp("damage"))
    site.build()
    return site


def state_files(site: Site) -> list[Path]:
    found = [path for path in (site.root / ".kgsite").rglob("*") if path.is_file() and path.name != "lock"]
    return sorted([*found, site.root / "_site/.kgsite-files"])


def damaged(data: bytes, draw: random.Random) -> bytes:
    """Cut somewhere, or with one bit turned."""
    if draw.random() < 0.5 or not data:
        return data[: draw.randrange(len(data) + 1)]
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]


def test_a_build_over_damaged_state_warns_once_and_publishes(built: Site) -> None:
    good, draw = built.tree(), random.Random(1)
    for path in state_files(built):
        data = path.read_bytes()
        for _ in range(BUILDS if path.suffix == ".json" else 1):
            path.write_bytes(damaged(data, draw))
            done = built.build()
            assert done.result.exit_code == 0, path
            assert len(done.report.warnings) <= 1, (path, done.report.warnings)
            assert not done.report.losses, path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        built.build()
        assert set(built.tree()) == set(good), path


def test_every_reader_takes_every_cut(built: Site) -> None:
    from kgsite.collection import Permalinks
    from kgsite.collection.layout import load_layout
    from kgsite.errors import KgsiteError
    from kgsite.graphfile import load
    from kgsite.site.manifest import load_manifest, owned_paths

    store = built.root / ".kgsite"
    readers = {
        next((store / "graphs").rglob("*.json")): load,
        next((store / "layout").rglob("*.json")): load_layout,
        store / "permalinks.json": Permalinks.load,
    }
    refused = 0
    for path, reader in readers.items():
        data = path.read_bytes()
        whole = len(data.rstrip())
        for length in range(0, whole, max(1, whole // 1500)):
            with pytest.raises((KgsiteError, ValueError)):
                reader(data[:length])
            refused += 1
    assert refused > 1000
    manifest = store / "cache/manifest.json"
    marker = built.root / "_site/.kgsite-files"
    for path in (manifest, marker):
        data = path.read_bytes()
        for length in range(0, len(data), max(1, len(data) // 200)):
            path.write_bytes(data[:length])
            if path == manifest:
                assert not load_manifest(path).entries
            else:
                owned_paths(built.root / "_site")
        path.write_bytes(data)


def test_every_reader_takes_every_turned_bit(built: Site) -> None:
    from kgsite.collection import Permalinks
    from kgsite.collection.layout import load_layout
    from kgsite.errors import KgsiteError
    from kgsite.graphfile import load

    store, draw = built.root / ".kgsite", random.Random(2)
    readers = {
        next((store / "graphs").rglob("*.json")): load,
        next((store / "layout").rglob("*.json")): load_layout,
        store / "permalinks.json": Permalinks.load,
    }
    for path, reader in readers.items():
        data = path.read_bytes()
        for _ in range(600):
            at = draw.randrange(len(data))
            turned = data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]
            try:
                reader(turned)
            except (KgsiteError, ValueError):
                continue
