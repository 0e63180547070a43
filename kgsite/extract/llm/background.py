"""An event loop in a thread of its own, so that requests go on while the build works on what has arrived."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

_Result = TypeVar("_Result")
_POLL = 0.5  # seconds between looks for Ctrl-C while waiting
_FAREWELL = 0.8  # seconds that requests in flight get to be cancelled in; an interrupted build is gone within two


class Background:
    """Runs coroutines. The thread is a daemon: it never keeps an interrupted build alive."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="kgsite-requests", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def start(self, work: Coroutine[Any, Any, _Result]) -> Future[_Result]:
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def result(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Run to the end; Ctrl-C cancels what was started."""
        future = self.start(work)
        try:
            while True:
                with contextlib.suppress(TimeoutError):
                    return future.result(timeout=_POLL)
                if future.done():
                    return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self, farewell: Coroutine[Any, Any, None] | None = None) -> None:
        """Cancel everything, say goodbye to the endpoint and end the thread."""
        if self.loop.is_closed():
            if farewell is not None:
                farewell.close()
            return
        with contextlib.suppress(Exception):
            self.start(self._cancel_all(farewell)).result(timeout=_FAREWELL)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(timeout=_FAREWELL)
        if not self._thread.is_alive():
            self.loop.close()

    async def _cancel_all(self, farewell: Coroutine[Any, Any, None] | None) -> None:
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if farewell is not None:
            await farewell
        await asyncio.sleep(0)
