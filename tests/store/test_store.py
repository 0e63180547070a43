"""The .kgsite folder: atomic files, damaged state is a miss, one build at a time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgsite.errors import StoreError
from kgsite.store import IndexEntry, Store, state_name, write_atomic

ENTRY = IndexEntry("a" * 64, "b" * 64, "reader=1", "en")


def test_equal_bytes_are_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.json"
    assert write_atomic(path, b"one")
    before = path.stat().st_mtime_ns
    assert not write_atomic(path, b"one")
    assert path.stat().st_mtime_ns == before
    assert write_atomic(path, b"two")
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "a", path]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_read_only_folder_is_a_clear_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match=r"can't be written"):
        write_atomic(tmp_path / "a.json", b"one")


def test_an_index_damaged_at_any_byte_is_empty_or_the_same(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.save_index({"a.md": ENTRY})
    good = store.index_file.read_bytes()
    for length in range(len(good)):
        store.index_file.write_bytes(good[:length])
        assert store.load_index() == {}
    for at in range(len(good)):
        store.index_file.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        assert store.load_index() == {}
    store.index_file.write_bytes(good)
    assert store.load_index() == {"a.md": ENTRY}


HOLDER = """
import sys, time
from pathlib import Path
from kgsite.store import Store
with Store(Path(sys.argv[1])).lock():
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_build_refuses_and_a_killed_one_leaves_the_lock_free(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        with pytest.raises(StoreError, match="another kgsite"), Store(tmp_path).lock():
            pass
    finally:
        holder.kill()
        holder.wait()
        if holder.stdout:
            holder.stdout.close()
    deadline = time.monotonic() + 10
    while True:
        try:
            with Store(tmp_path).lock():
                break
        except StoreError:
            if time.monotonic() > deadline:
                raise


def test_state_names_of_hostile_paths() -> None:
    assert state_name("reports/2024/a.pdf") == "reports/2024/a.pdf"
    assert state_name("caf\udce9.txt") == "caf%DCE9.txt"
    assert state_name("line\nbreak.md") == "line%0Abreak.md"
    assert state_name("a%2F.md") != state_name("a%252F.md")
    long_a, long_b = state_name("n" * 250 + "a.md"), state_name("n" * 250 + "b.md")
    assert long_a != long_b
    assert max(len(long_a.encode()), len(long_b.encode())) <= 180


@given(st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=40))
def test_state_names_are_injective(one: str, other: str) -> None:
    if one != other:
        assert state_name(one) != state_name(other)
    assert "\0" not in state_name(one)
