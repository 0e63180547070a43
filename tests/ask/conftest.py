from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from kgsite.ask.asker import Asker
from kgsite.model import Collection
from kgsite.replystore import ReplyStore
from tests.ask.samples import samples
from tests.llm.kit import ENVIRON, FakeTime, settings
from tests.llm.scripted import Handler, Server, serving

Made = tuple[Asker, Server]


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Callable[..., Made]]:
    """An asker over the samples (or `collection`) and the server behind it; both end with the test."""
    with ExitStack() as stack:

        def make(handler: Handler, collection: Collection | None = None, **llm: Any) -> Made:
            server = stack.enter_context(serving(handler))
            chosen = settings(tmp_path, server.url, **llm)
            store = ReplyStore(tmp_path / ".kgsite" / "replies")
            asker = Asker(collection or samples(), chosen, store=store, environ=ENVIRON, world=FakeTime().world())
            return stack.enter_context(asker), server

        yield make
