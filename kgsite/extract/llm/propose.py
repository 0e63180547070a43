"""`kgsite schema discover`: one request for a schema, outside of a build. Nothing is kept but the reply."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence

from kgsite.config.settings import Settings
from kgsite.errors import ExtractError
from kgsite.extract.llm.client import Client, Halt, World
from kgsite.extract.llm.context import Questions
from kgsite.extract.llm.discovery import discover
from kgsite.extract.llm.extractor import real_world
from kgsite.extract.llm.quirks import QuirkMemory
from kgsite.extract.schema import Schema
from kgsite.model import Document
from kgsite.replystore import ReplyStore


def propose_schema(
    settings: Settings,
    documents: Sequence[Document],
    *,
    store: ReplyStore,
    environ: Mapping[str, str] | None = None,
    world: World | None = None,
) -> Schema:
    """The model's schema for samples of up to three documents. Raises ExtractError, ConfigError or BudgetError."""
    memory = QuirkMemory(settings.root / ".kgsite" / "cache" / "endpoints.json")
    client = Client(settings, store, memory, world or real_world(), os.environ if environ is None else environ)

    async def ask() -> Schema | None:
        try:
            return await discover(client, Questions(settings), documents)
        finally:
            await client.close()

    try:
        found = asyncio.run(ask())
    except Halt as halt:
        raise halt.error from halt
    if not found:
        raise ExtractError(next(iter(client.warnings), "the model proposed no schema"))
    return found
