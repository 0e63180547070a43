"""Settings, documents and clocks for the tests of extraction with a model."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kgsite.config.settings import ExtractSettings, LlmSettings, SchemaSettings, Settings, VisualizationSettings
from kgsite.extract.extractor import ExtractJob
from kgsite.extract.llm.client import World
from kgsite.model import NAMESPACE, Chunk, Document, Source, SourcePath

KEY = "sk-test-0123456789abcdefSECRET"
ENVIRON = {"OPENAI_API_KEY": KEY}


@dataclass
class FakeTime:
    """Sleeps are noted, not slept; the clocks run on by them."""

    slept: list[float] = field(default_factory=list)
    elapsed: float = 0.0

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.elapsed += seconds
        await asyncio.sleep(0)

    def world(self) -> World:
        return World(lambda: self.elapsed, lambda: 1_700_000_000.0 + self.elapsed, self.sleep)


def settings(root: Path, url: str, **llm: Any) -> Settings:
    fields: dict[str, Any] = {"model": "test-model", "base_url": url, "timeout": 20.0, "max_tokens": 2000, **llm}
    return Settings(
        root=root,
        llm=LlmSettings(**fields),
        schema=SchemaSettings(discover=False),
        extract=ExtractSettings(extractor="openai"),
    )


def chunks_only(base: Settings) -> Settings:
    """Without requests about the whole document, so that those for chunks can be counted."""
    quiet = replace(base.extract, summarize=False, merge_descriptions=False)
    return replace(base, extract=quiet, visualization=VisualizationSettings(name_communities=False))


def with_extract(base: Settings, **fields: Any) -> Settings:
    return replace(base, extract=replace(base.extract, **fields))


def job(*passages: str, path: str = "a.md", language: str = "en", title: str = "") -> ExtractJob:
    """A document whose chunks are the given passages."""
    text = "\n\n".join(passages)
    identity = str(uuid.uuid5(NAMESPACE, path))
    chunks, at = [], 0
    for index, passage in enumerate(passages):
        start = text.index(passage, at)
        at = start + len(passage)
        name = str(uuid.uuid5(NAMESPACE, f"{path}{passage}{index}"))
        chunks.append(Chunk(name, index, passage, start, at, max(len(passage) // 4, 1), own_start=start))
    document = Document(identity, Source(SourcePath(path), "markdown", None), text, (), title=title)
    return ExtractJob(document, tuple(chunks), language)
