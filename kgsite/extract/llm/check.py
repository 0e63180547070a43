"""`kgsite check --llm`: is the endpoint reachable, is the model there, how much fits, does a sample extraction work."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from kgsite.config.settings import Settings
from kgsite.errors import KgsiteError
from kgsite.extract.extractor import ExtractJob
from kgsite.extract.llm.chunks import read_chunk
from kgsite.extract.llm.client import Client, Halt, World
from kgsite.extract.llm.context import Questions
from kgsite.extract.llm.extractor import real_world
from kgsite.extract.llm.faults import Fault
from kgsite.extract.llm.quirks import QuirkMemory
from kgsite.extract.llm.vocabulary import vocabulary
from kgsite.extract.schema import Schema
from kgsite.model import Chunk, Document, Source, SourcePath
from kgsite.replystore import ReplyStore

SAMPLE = (
    "The physicist Lise Meitner worked in Berlin with the chemist Otto Hahn. In 1938 she fled to Sweden, where she and "
    "her nephew Otto Robert Frisch explained nuclear fission."
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was tested. `level` is "ok", "warning" or "error"."""

    what: str
    level: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class EndpointReport:
    """The outcome of `kgsite check --llm`, in the order of the tests."""

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        return all(finding.level != "error" for finding in self.findings)


def check_endpoint(
    settings: Settings, *, environ: Mapping[str, str] | None = None, world: World | None = None
) -> EndpointReport:
    """Test the endpoint with one list of models and one or two small requests. Never raises for what it finds."""
    with tempfile.TemporaryDirectory() as folder:
        store = ReplyStore(Path(folder), read=False)
        memory = QuirkMemory(settings.root / ".kgsite" / "cache" / "endpoints.json")
        try:
            client = Client(settings, store, memory, world or real_world(), os.environ if environ is None else environ)
        except KgsiteError as error:
            return EndpointReport((Finding("settings", "error", error.message, error.hint),))
        return EndpointReport(tuple(asyncio.run(_findings(client, settings))))


async def _findings(client: Client, settings: Settings) -> list[Finding]:
    found: list[Finding] = []
    try:
        found.append(await _model_present(client))
        found += await _sample(client, settings)
        found.append(await _context(client, settings))
    except Halt as halt:
        found.append(Finding("reachable", "error", halt.error.message, halt.error.hint))
    except Fault as fault:
        error = client.as_error(fault, client.endpoint.model)
        found.append(Finding("reachable", "error", error.message, error.hint))
    finally:
        await client.close()
    found += [Finding("endpoint", "warning", message) for message in client.warnings]
    return found


async def _model_present(client: Client) -> Finding:
    model = client.endpoint.model
    try:
        models = await client.wire().models()
    except Fault as fault:
        if fault.kind in ("bad_request", "page", "reset"):
            return Finding("model", "warning", f"{client.endpoint.host} does not list its models")
        raise
    if not models or any(
        name == model or name.removeprefix("models/") == model or name.split(":")[0] == model for name in models
    ):
        return Finding("model", "ok", f"{client.endpoint.host} offers {model}")
    shown = ", ".join(sorted(models)[:12]) + (" …" if len(models) > 12 else "")
    return Finding("model", "warning", f"{client.endpoint.host} does not list {model}", f"it lists: {shown}")


async def _sample(client: Client, settings: Settings) -> list[Finding]:
    chunk = Chunk("sample", 0, SAMPLE, 0, len(SAMPLE), 60)
    document = Document("sample", Source(SourcePath("sample.txt"), "text", None), SAMPLE, ())
    words = vocabulary(Schema(), settings)
    reading = await read_chunk(client, Questions(settings), words, ExtractJob(document, (chunk,), "en"), chunk)
    part = reading.extraction
    form = {"schema": "a JSON schema", "object": "JSON objects", "off": "plain text"}[
        client.quirks(client.endpoint.model).json_mode
    ]
    if part.status != "ok":
        return [
            Finding(
                "sample",
                "error",
                f"the sample extraction failed: {part.note or 'nothing was found'}",
                "try another model",
            )
        ]
    quoted = sum(evidence.verified for relation in part.relations for evidence in relation.evidence)
    message = f"sample: {len(part.entities)} entities, {len(part.relations)} relations, {quoted} with a verified quote; answers as {form}"
    return [
        Finding(
            "sample",
            "ok" if quoted else "warning",
            message,
            "" if quoted else "the model does not quote the text: relations will be marked unverified",
        )
    ]


async def _context(client: Client, settings: Settings) -> Finding:
    """Whether a request as large as the largest that a build sends fits."""
    needed = settings.chunking.max_tokens + 3_500
    ask = Questions(settings).ask("language", "context", None, expected=20, passage="Lumen. " * (needed // 2))
    try:
        await client.fetch(replace(ask, room=32))
    except Fault as fault:
        if fault.kind == "context":
            return Finding(
                "context",
                "error",
                f"the model can't take {needed} tokens",
                "raise the server's context size (Ollama: OLLAMA_CONTEXT_LENGTH)",
            )
        if fault.kind not in ("length", "empty", "refusal"):
            return Finding(
                "context", "warning", f"the context size could not be tested: {client.endpoint.redact(fault.message)}"
            )
    cut = any("cut the prompt" in message for message in client.warnings)
    return Finding(
        "context",
        "error" if cut else "ok",
        f"about {needed} tokens {'do not fit: the server cuts prompts' if cut else 'fit'}",
    )
