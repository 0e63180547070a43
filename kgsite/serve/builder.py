"""The server's hand on the process that builds: starts it, tells it what to do, hears what it says, ends it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_LONGEST_EVENT = 16 << 20  # bytes of one line
_PATIENCE = 1.3  # seconds that the process has to end by itself


class Builder:
    """One worker process, started again when it dies. `hear` is called in the loop with every event."""

    def __init__(self, root: Path, env: str, flags: Mapping[str, Any], hear: Callable[[dict[str, Any]], None]) -> None:
        self.arguments = [str(root), env, json.dumps(dict(flags))]
        self.hear = hear
        self.process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._ending = False

    async def start(self) -> None:
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "kgsite.serve.worker",
            *self.arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST_EVENT,
            start_new_session=True,  # Ctrl-C in the terminal reaches the server alone, which then ends this one
        )
        self._reading = asyncio.create_task(self._read(self.process))

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            try:
                self.hear(json.loads(line))
            except Exception:  # a fault of a listener must not make the server deaf
                logging.getLogger(__name__).exception("an event of the building process was not understood")
        code = await process.wait()
        if not self._ending:
            await self.start()
            self.hear({"event": "died", "code": code})

    def order(self, do: str, **more: Any) -> None:
        if self.process is not None and self.process.stdin is not None and not self.process.stdin.is_closing():
            with contextlib.suppress(ConnectionError, RuntimeError):
                self.process.stdin.write(json.dumps({"do": do, **more}).encode() + b"\n")

    def interrupt(self) -> None:
        """Stop the present work; what is finished of it is kept."""
        if self.process is not None and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(signal.SIGTERM if os.name == "nt" else signal.SIGINT)

    async def stop(self) -> None:
        """End the process: first by asking, then by force. Either leaves a state that the next build works from."""
        self._ending = True
        process = self.process
        if process is None or process.returncode is not None:
            return
        if process.stdin is not None:
            process.stdin.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await process.wait()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.name == "nt":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)  # readers of pdf and docx are its children
        await process.wait()
        if self._reading is not None:
            self._reading.cancel()
