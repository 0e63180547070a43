"""The reply store: what is a hit, what happens to damage, and what is cleaned up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgsite.replystore import ReplyStore, StoredReply, reply_key

KEY = reply_key({"model": "m", "messages": [["user", "x"]]})
REPLY = StoredReply("text ü \ud800", "stop", "m", "m-1", "chunks", prompt_tokens=3, completion_tokens=4)


def test_a_reply_comes_back_as_it_was(tmp_path: Path) -> None:
    store = ReplyStore(tmp_path)
    store.put(KEY, REPLY)
    assert store.get(KEY) == REPLY
    assert store.path(KEY) == tmp_path / KEY[:2] / f"{KEY}.json"
    assert reply_key({"messages": [["user", "x"]], "model": "m"}) == KEY
    assert reply_key({"messages": [["user", "y"]], "model": "m"}) != KEY


def test_failures_are_kept_but_no_hits(tmp_path: Path) -> None:
    store = ReplyStore(tmp_path)
    store.put(KEY, StoredReply("cut", failure="length", room=9))
    assert store.get(KEY) is None
    assert (store.failure(KEY) or REPLY).failure == "length"
    store.put(KEY, REPLY)
    assert store.failure(KEY) is None
    store.demote(KEY, "unreadable")
    assert store.get(KEY) is None
    assert (store.failure(KEY) or REPLY).content == REPLY.content


def test_every_cut_and_every_flipped_byte_is_a_miss(tmp_path: Path) -> None:
    store = ReplyStore(tmp_path)
    store.put(KEY, REPLY)
    whole = store.path(KEY).read_bytes()
    damages = [whole[:size] for size in range(len(whole) - 1)]
    damages += [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(len(whole) - 1)]
    for damaged in damages:
        store.path(KEY).write_bytes(damaged)
        found = store.get(KEY)
        # A flip in the file's own spacing leaves the record as it was; anything else must be a miss.
        assert found is None or (found == REPLY and json.loads(damaged) == json.loads(whole))
    assert store.stats().damaged == 1
    assert store.warnings


def test_a_reply_under_a_foreign_name_is_a_miss(tmp_path: Path) -> None:
    store = ReplyStore(tmp_path)
    store.put(KEY, REPLY)
    other = KEY[:2] + "0" * 62
    store.path(KEY).rename(store.path(other))
    assert store.get(other) is None


def test_no_cache_stores_but_does_not_reuse(tmp_path: Path) -> None:
    ReplyStore(tmp_path, read=False).put(KEY, REPLY)
    assert ReplyStore(tmp_path, read=False).get(KEY) is None
    assert ReplyStore(tmp_path).get(KEY) == REPLY


def test_stats_prune_and_clear(tmp_path: Path) -> None:
    store = ReplyStore(tmp_path)
    keys = [reply_key({"n": n}) for n in range(5)]
    for key in keys:
        store.put(key, REPLY)
    store.put(reply_key({"n": "bad"}), StoredReply("no", failure="refusal"))
    assert (store.stats().replies, store.stats().failures) == (5, 1)
    assert store.prune() == 1
    now = store.path(keys[0]).stat().st_mtime
    assert store.prune(unused_days=10, clock=lambda: now + 5 * 86_400) == 0
    assert store.prune(unused_days=10, clock=lambda: now + 11 * 86_400) == 5
    store.put(KEY, REPLY)
    assert store.clear() == 1
    assert store.stats().bytes == 0
    assert list(tmp_path.iterdir()) == []


def test_numbers_that_are_no_json_are_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        reply_key({"temperature": float("nan")})
