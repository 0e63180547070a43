"""Every moment at which a process changes the file system, in order, and something that happens at one of them.

Only for forked children: an audit hook can't be taken out again.

Two layers are counted. *Events* are what Python's audit hook tells about: opening for writing, rename, remove, mkdir,
rmdir, link. *Calls* are the moments around the system calls themselves: before and after each fsync and rename, and
before, in the middle of and after each write, so that torn files exist too.
"""

from __future__ import annotations

import builtins
import io
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_EVENTS = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod")

Act = Callable[[int, str], None]
"""Called with the number of the point (from 1) and its kind: `event open`, `call write torn`, …"""


class Points:
    """Counts points and calls `act` at each; switched off again by `stop`."""

    def __init__(self, act: Act) -> None:
        self.act = act
        self.count = 0
        self.on = True

    def stop(self) -> None:
        self.on = False

    def hit(self, kind: str) -> None:
        if self.on:
            self.count += 1
            self.act(self.count, kind)

    def install(self) -> None:
        sys.addaudithook(self._audit)
        builtins.open = io.open = self._open(io.open)  # type: ignore[assignment]
        os.fsync = self._around("fsync", os.fsync)
        os.write = self._written(os.write)
        for name in ("replace", "rename"):
            setattr(os, name, self._around(name, getattr(os, name)))

    def _audit(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            _, mode, flags = args
            if (isinstance(mode, str) and set(mode) & set("wax+")) or (mode is None and flags & _WRITING):
                self.hit("event open")
        elif event in _EVENTS:
            self.hit(f"event {event.removeprefix('os.')}")

    def _around(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **named: Any) -> Any:
            self.hit(f"call {name} before")
            result = call(*args, **named)
            self.hit(f"call {name} after")
            return result

        return wrapped

    def _written(self, call: Callable[[int, Any], int]) -> Callable[[int, Any], int]:
        def write(fd: int, data: Any) -> int:
            self.hit("call write before")
            half = len(data) // 2
            done = call(fd, bytes(data)[:half]) if half else 0
            self.hit("call write torn")
            if done == half:
                done += call(fd, bytes(data)[half:])
            self.hit("call write after")
            return done

        return write

    def _open(self, call: Callable[..., Any]) -> Callable[..., Any]:
        points = self

        class Torn(io.FileIO):
            def write(self, data: Any) -> int:
                points.hit("call write before")
                raw = bytes(data)
                half = len(raw) // 2
                done = super().write(raw[:half]) if half else 0
                points.hit("call write torn")
                if done == half:
                    done += super().write(raw[half:])
                points.hit("call write after")
                return done

        def opened(file: Any, mode: str = "r", buffering: int = -1, *args: Any, **named: Any) -> Any:
            if mode not in ("wb", "xb", "ab", "w"):
                return call(file, mode, buffering, *args, **named)
            raw = Torn(file, mode.replace("b", ""), closefd=named.pop("closefd", True))
            buffered = io.BufferedWriter(raw)
            return buffered if "b" in mode else io.TextIOWrapper(buffered, *args, **named)

        return opened


def kill_at(number: int) -> Act:
    """SIGKILL at point `number`."""

    def act(point: int, _kind: str) -> None:
        if point == number:
            os.kill(os.getpid(), signal.SIGKILL)

    return act


def fail_at(number: int, code: int, *, stays: bool, growing_only: bool = False) -> Act:
    """OSError `code` at point `number`; where it `stays`, at every later one too.

    `growing_only`: what needs no room on the disk (remove, rename, rmdir) goes on to work, as on a full disk.
    """

    def act(point: int, kind: str) -> None:
        if kind.endswith("after") or kind.startswith("call fsync before"):
            return
        if growing_only and kind.split()[1] in ("remove", "rmdir", "rename", "replace", "chmod"):
            return
        if point == number or (stays and point > number):
            raise OSError(code, os.strerror(code))

    return act


def in_child(work: Callable[[], int]) -> int:
    """Start `work` in a forked child, whose exit code it gives; returns the pid."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    code = 99
    try:
        code = work()
    except BaseException as error:  # the child must not run the rest of the test session
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(code)


def ended(pid: int) -> int:
    """Exit code of a child; -9 when it was killed."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
