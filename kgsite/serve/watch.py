"""What changed in the sources: watchfiles says *when* to look, a sweep over size and time says *what* changed.

Because only a difference between two sweeps counts, the dance of an editor that saves by renaming ends in one
change, an event without a change in none, and a rebuild can't trigger itself. Where no events arrive (network
drives, some containers) the sweep finds the change alone; then it takes over and says so.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

Snapshot = dict[str, tuple[int, int, int]]  # path relative to the project → size, mtime (ns), inode

DEBOUNCE = 200  # ms: the longest that events are gathered
STEP = 25  # ms without another event end it
POLL = 0.5  # seconds between sweeps when polling
CONTROL = 2.0  # seconds between sweeps that control whether events arrive
_DUTY = 20  # a sweep that took t seconds is followed by at least this many t of rest
_DEEPEST = 64  # folders

_EDITOR_LEFTOVER = re.compile(
    r"~$|^\.|^#.*#$|^4913$|^~\$|\.(sw[a-p]|tmp|temp|part|crdownload|bak)$|___jb_(old|tmp)___$"
)


def is_ignored(name: str) -> bool:
    """Hidden files and what editors and browsers leave beside a file for a moment."""
    return bool(_EDITOR_LEFTOVER.search(name)) or name == "__pycache__"


@dataclass(frozen=True, slots=True)
class Watched:
    """What is looked at: whole folders, and files of the project folder by pattern. Paths are below `root`."""

    root: Path
    folders: tuple[Path, ...]
    files: tuple[str, ...] = ("site.toml", "site.*.toml")
    avoid: tuple[Path, ...] = ()  # output and .kgsite, should they lie inside a watched folder

    def snapshot(self) -> Snapshot:
        """Size, time and inode of every watched file; folders only so that an empty one counts."""
        found: Snapshot = {}
        for pattern in self.files:
            for path in self.root.glob(pattern):
                self._add(found, path)
        for folder in self.folders:
            for below in _walk(folder, self.avoid):
                self._add(found, below)
        return found

    def _add(self, found: Snapshot, path: str | Path) -> None:
        with contextlib.suppress(OSError):
            seen = os.lstat(path)
            if stat.S_ISREG(seen.st_mode):
                found[os.path.relpath(path, self.root)] = (seen.st_size, seen.st_mtime_ns, seen.st_ino)


def _walk(folder: Path, avoid: tuple[Path, ...]) -> Iterator[str]:
    """Files below a folder; links to folders are not followed."""
    todo = [(str(folder), 0)]
    skip = {str(path) for path in avoid}
    while todo:
        current, depth = todo.pop()
        try:
            entries = list(os.scandir(current))
        except OSError:
            continue
        for entry in entries:
            if is_ignored(entry.name) or entry.path in skip:
                continue
            with contextlib.suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    if depth < _DEEPEST:
                        todo.append((entry.path, depth + 1))
                else:
                    yield entry.path


def differences(before: Snapshot, after: Snapshot) -> list[str]:
    """Paths that came, went or changed, sorted."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


class Watcher:
    """Calls `changed` with the paths that differ, from the loop; runs until it is cancelled."""

    def __init__(
        self,
        watched: Callable[[], Watched],
        changed: Callable[[list[str]], None],
        *,
        poll: bool = False,
        say: Callable[[str], None] = lambda _text: None,
    ) -> None:
        self.watched, self.changed, self.poll, self.say = watched, changed, poll, say
        self.seen = watched().snapshot()
        self._events = asyncio.Event()
        self._last_event = 0.0

    async def run(self) -> None:
        listeners: list[asyncio.Task[None]] = []
        watching: tuple[tuple[Path, int], ...] = ()
        try:
            while True:
                folders = _existing(self.watched())
                if not self.poll and (folders != watching or any(task.done() for task in listeners)):
                    await _cancel(listeners)
                    watching = folders
                    listeners = [asyncio.create_task(self._listen(*job)) for job in _jobs(self.watched(), folders)]
                elif self.poll and listeners:
                    await _cancel(listeners)
                    listeners = []
                await self._look()
        finally:
            await _cancel(listeners)

    async def _look(self) -> None:
        """Wait for an event or for the next sweep, then compare."""
        told = False
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._pause):  # wait_for of Python 3.11 can swallow a cancellation
                await self._events.wait()
            told = True
        self._events.clear()
        began = time.monotonic()
        after = await asyncio.to_thread(lambda: self.watched().snapshot())
        self._cost = time.monotonic() - began
        paths = differences(self.seen, after)
        if not paths:
            return
        if not told and not self.poll:
            # An event may only be late: give it the time of a debounce before it counts as missing.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(4 * DEBOUNCE / 1000):
                    await self._events.wait()
                told = True
            if not told:
                self.poll = True
                self.say("no file events arrive here (a network or shared drive?): looking for changes by polling")
        self.seen = after
        self.changed(paths)

    _cost = 0.0

    @property
    def _pause(self) -> float:
        return max(POLL if self.poll else CONTROL, self._cost * _DUTY)

    async def _listen(self, paths: tuple[Path, ...], recursive: bool) -> None:
        from watchfiles import awatch

        relevant = _Relevant()
        with contextlib.suppress(OSError, RuntimeError):
            async for _changes in awatch(
                *paths,
                watch_filter=relevant,
                debounce=DEBOUNCE,
                step=STEP,
                recursive=recursive,
                ignore_permission_denied=True,
                force_polling=False,
            ):
                self._events.set()


class _Relevant:
    """watchfiles' filter: everything but hidden and passing files."""

    def __call__(self, _change: object, path: str) -> bool:
        return not is_ignored(os.path.basename(path))  # noqa: PTH119 - called for every event


def _existing(watched: Watched) -> tuple[tuple[Path, int], ...]:
    """The folders that are there, with their inodes: another folder under the same name is watched anew."""
    return tuple((folder, folder.stat().st_ino) for folder in watched.folders if folder.is_dir())


def _jobs(watched: Watched, folders: Iterable[tuple[Path, int]]) -> list[tuple[tuple[Path, ...], bool]]:
    """The project folder itself (not the output and state below it), and the source folders with all below them."""
    jobs: list[tuple[tuple[Path, ...], bool]] = [((watched.root,), False)]
    if found := tuple(folder for folder, _ in folders):
        jobs.append((found, True))
    return jobs


async def _cancel(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
