"""The output is the old site or the new one, and nothing of the user's is ever touched."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgsite.errors import PublishError
from kgsite.site.manifest import MARKER, Entry, Manifest, load_manifest, save_manifest
from kgsite.site.publishing import check_output, finish_half_done
from tests.site.collections import CURIE, TYPES, collection_of, small
from tests.site.sites import BuiltSite


def test_foreign_files_and_dotfiles_stay(site: BuiltSite) -> None:
    site.build(small())
    foreign = {".git/HEAD": "ref", "google123.html": "verify", "entities/warsaw/photo.txt": "mine"}
    for path, text in foreign.items():
        (site.output / path).parent.mkdir(parents=True, exist_ok=True)
        (site.output / path).write_text(text)
    site.build(collection_of([CURIE], TYPES))
    site.build(collection_of([], {}))
    assert {path: (site.output / path).read_text() for path in foreign} == foreign


@pytest.mark.parametrize("where", [".", "..", "content", "content/site", ".kgsite/out", "themes"])
def test_an_output_that_holds_the_users_files_is_refused(site: BuiltSite, where: str) -> None:
    (site.root / "content").mkdir(parents=True)
    site.output = site.root / where
    with pytest.raises(PublishError, match=r"can't"):
        site.build(small())
    assert sorted(path.name for path in site.root.iterdir()) == ["content"]


def test_a_folder_that_kgsite_did_not_write_is_refused(site: BuiltSite) -> None:
    site.output.mkdir(parents=True)
    (site.output / "thesis.doc").write_text("years of work")
    with pytest.raises(PublishError, match="not empty"):
        site.build(small())
    assert [path.name for path in site.output.iterdir()] == ["thesis.doc"]


def test_a_worktree_with_only_dotfiles_is_taken(site: BuiltSite) -> None:
    site.output.mkdir(parents=True)
    (site.output / ".git").write_text("gitdir: elsewhere")
    assert site.build(small()).pruned == 0
    assert (site.output / ".git").read_text() == "gitdir: elsewhere"


def test_a_file_as_output_is_refused(site: BuiltSite) -> None:
    site.root.mkdir(parents=True)
    site.output.write_text("x")
    with pytest.raises(PublishError, match="is a file"):
        site.build(small())


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
@pytest.mark.parametrize("at", [1, 10, 30])
def test_a_full_disk_leaves_the_old_site(site: BuiltSite, monkeypatch: pytest.MonkeyPatch, code: int, at: int) -> None:
    site.build(collection_of([CURIE], TYPES))
    before = site.tree()
    _fail_at(monkeypatch, "write_bytes", at, OSError(code, os.strerror(code)), below=f".{site.output.name}.kgsite")
    with pytest.raises(PublishError, match=os.strerror(code)):
        site.build(small())
    assert site.tree() == before
    assert not (site.root / "._site.kgsite").exists()


def _fail_at(patch: pytest.MonkeyPatch, name: str, at: int, error: BaseException, *, below: str) -> None:
    """Make the `at`-th call of Path.<name> for paths below a folder raise `error`, and every later one."""
    original: Callable[..., Any] = getattr(Path, name)
    calls = 0

    def failing(self: Path, *args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        if below in str(self):
            calls += 1
            if calls >= at:
                raise error
        return original(self, *args, **kwargs)

    patch.setattr(Path, name, failing)


class Killed(BaseException):
    """As if the process had ended."""


@pytest.mark.parametrize("swap_from", [1, 1_000])
def test_killed_at_any_rename_the_next_build_finishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swap_from: int
) -> None:
    monkeypatch.setattr("kgsite.site.publishing.SWAP_FROM", swap_from)
    wanted = BuiltSite(tmp_path / "wanted")
    wanted.build(small())
    expected, points = wanted.tree(), 0
    for at in range(1, 200, 1 if swap_from == 1 else 9):
        site = BuiltSite(tmp_path / f"{at}")
        site.build(collection_of([CURIE], TYPES))
        with monkeypatch.context() as patch:
            _fail_at(patch, "replace", at, Killed(), below=str(site.root))
            try:
                site.build(small())
                break
            except Killed:
                points += 1
        report = site.build(small())
        assert site.tree() == expected, at
        assert report.rendered <= len(expected)
        assert not (site.root / "._site.kgsite").exists()
    assert points >= 3


def test_what_was_staged_before_a_kill_is_dropped(site: BuiltSite) -> None:
    site.build(small())
    before = site.tree()
    folder = site.root / "._site.kgsite" / "files"
    folder.mkdir(parents=True)
    (folder / "index.html").write_text("half")
    assert finish_half_done(site.output) is False
    assert site.tree() == before
    assert site.build(small()).written == 0


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "json"])
def test_a_damaged_manifest_is_a_miss(site: BuiltSite, damage: str) -> None:
    site.build(small())
    data = site.manifest_file.read_bytes()
    broken = {
        "cut": data[: len(data) // 2],
        "flip": data[:200] + bytes([data[200] ^ 4]) + data[201:],
        "empty": b"",
        "json": b"{}",
    }[damage]
    site.manifest_file.write_bytes(broken)
    assert load_manifest(site.manifest_file) == Manifest(damaged=True)
    before = site.times()
    report = site.build(small())
    assert (report.rendered == report.pages, report.written) == (True, 0)
    assert site.times() == before
    assert site.build(small()).rendered == 0


def test_paths_out_of_the_output_are_never_pruned(site: BuiltSite) -> None:
    site.build(small())
    treasure = site.root / "treasure.txt"
    treasure.write_text("x")
    marker = site.output / MARKER
    marker.write_text(marker.read_text() + "../treasure.txt\n/etc/hosts\nentities/../../treasure.txt\n")
    entries = {**load_manifest(site.manifest_file).entries, "../treasure.txt": Entry("0", 1, 1)}
    save_manifest(site.manifest_file, entries, site.output)
    site.build(collection_of([CURIE], TYPES))
    assert treasure.exists()


def test_files_and_folders_may_change_places(site: BuiltSite) -> None:
    site.build(small())
    (site.output / "about" / "index.html").unlink()
    (site.output / "about").rmdir()
    (site.output / "about").write_text("once a page")
    marker = site.output / MARKER
    marker.write_text(marker.read_text() + "about\n")
    site.build(small())
    assert (site.output / "about" / "index.html").is_file()


def test_a_new_tree_is_swapped_in_with_what_stays(site: BuiltSite, monkeypatch: pytest.MonkeyPatch) -> None:
    site.build(collection_of([CURIE], TYPES))
    old = (site.output / "entities" / "passy" / "index.html").stat().st_ino
    monkeypatch.setattr("kgsite.site.publishing.SWAP_FROM", 1)
    report = site.build(small())
    assert report.written > 0
    assert (site.output / "entities" / "passy" / "index.html").stat().st_ino == old
    assert site.build(small()).written == 0


def test_check_output_takes_a_fresh_folder(site: BuiltSite) -> None:
    check_output(site.settings, site.output, site.manifest_file)
