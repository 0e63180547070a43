"""The extractor "openai": chunk requests of many documents side by side, then texts, inference and names."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import queue
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Self

from kgsite.config.settings import Settings
from kgsite.errors import BudgetError, ConfigError, ExtractError, KgsiteError
from kgsite.extract.extractor import ExtractJob
from kgsite.extract.infer import fold
from kgsite.extract.llm import discovery, inference, kept, overview, variants
from kgsite.extract.llm.background import Background
from kgsite.extract.llm.budget import PassUsage, Usage, real_sleep
from kgsite.extract.llm.chunks import UNVERIFIED, ChunkReading, read_chunk
from kgsite.extract.llm.client import Client, Halt, World
from kgsite.extract.llm.context import Questions, Vocabulary
from kgsite.extract.llm.endpoint import model_names
from kgsite.extract.llm.fingerprint import settings_fingerprint
from kgsite.extract.llm.quirks import QuirkMemory
from kgsite.extract.llm.vocabulary import vocabulary
from kgsite.extract.records import inferred_id
from kgsite.extract.schema import Schema
from kgsite.model import DocumentGraph, Extraction, Provenance, Relation
from kgsite.replystore import ReplyStore

Progress = Callable[[int, int], None]
Outcome = tuple[ExtractJob, Extraction | KgsiteError]


def real_world() -> World:
    """The clocks and the sleep of a build; tests have their own."""
    return World(time.monotonic, time.time, real_sleep)


class LlmExtractor:
    """An `Extractor` over an OpenAI-compatible endpoint. To be closed after use (it is a context manager)."""

    def __init__(
        self,
        settings: Settings,
        *,
        store: ReplyStore,
        progress: Progress | None = None,
        environ: Mapping[str, str] | None = None,
        world: World | None = None,
    ) -> None:
        """Raises ConfigError when [llm] is incomplete. A missing key is an error only once a request is needed."""
        self._settings = settings
        self._questions = Questions(settings)
        self._store = store
        self._progress = progress
        memory = QuirkMemory(settings.root / ".kgsite" / "cache" / "endpoints.json")
        self.client = Client(settings, store, memory, world or real_world(), os.environ if environ is None else environ)
        self._background: Background | None = None
        self._words: dict[str, asyncio.Future[Vocabulary]] = {}
        self._gists: dict[str, tuple[str, ...]] = {}
        self._ahead: dict[str, tuple[DocumentGraph, DocumentGraph]] = {}  # assembled graph → enriched one, by document
        self._told = PassUsage()
        self._done = self._planned = 0

    name = "openai"

    @property
    def model(self) -> str:
        return model_names(self._settings.llm)[0]

    @property
    def usage(self) -> Usage:
        """Requests and tokens so far, by pass: schema, chunks, texts, variants, inference, language."""
        return self.client.usage

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is to be said once for the run: about the endpoint and the reply store."""
        return (*self.client.warnings, *self._store.warnings)

    def settings(self, language: str) -> Mapping[str, object]:
        return settings_fingerprint(self._settings, language)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Cancel what is in flight and end the connection; may be called twice."""
        if self._background is not None:
            self._background.close(self.client.close())
            self._background = None

    def _loop(self) -> Background:
        if self._background is None:
            self._background = Background()
        return self._background

    # ── chunks ────────────────────────────────────────────────────────────────────────────────────
    def extract(self, jobs: Iterable[ExtractJob]) -> Iterator[Outcome]:
        """Outcomes as documents are done. A wrong key or a used-up budget is raised, after all that was complete."""
        waiting = iter(jobs)
        first = list(itertools.islice(waiting, discovery.SAMPLED_DOCUMENTS))
        queued: Iterator[ExtractJob] = itertools.chain(first, waiting)
        done: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        active = 0
        stop: KgsiteError | None = None
        try:
            while True:
                while active < self._settings.llm.concurrency + 2 and (job := next(queued, None)) is not None:
                    self._planned += len(job.chunks)
                    self._loop().start(self._job(job, first, done))
                    active += 1
                if not active:
                    break
                job, outcome = self._next(done)
                active -= 1
                if isinstance(outcome, (BudgetError, ConfigError)):
                    stop = stop or outcome
                    continue
                yield job, self._with_usage(outcome)
        except BaseException:
            self.close()
            raise
        if stop is not None:
            raise stop

    def _with_usage(self, outcome: Extraction | KgsiteError) -> Extraction | KgsiteError:
        """What was spent since the last document: over a build the sums are right, for one document they are near."""
        if isinstance(outcome, KgsiteError):
            return outcome
        total, told = self.usage.total(), self._told
        self._told = total
        spent = {name: getattr(total, name) - getattr(told, name) for name in PassUsage.__slots__}
        return replace(outcome, usage={name: number for name, number in spent.items() if number})

    @staticmethod
    def _next(done: queue.SimpleQueue[Outcome]) -> Outcome:
        while True:
            with contextlib.suppress(queue.Empty):
                return done.get(timeout=0.5)  # short, so that Ctrl-C is noticed on every system

    async def _job(self, job: ExtractJob, first: list[ExtractJob], done: queue.SimpleQueue[Outcome]) -> None:
        try:
            extraction = await self._extraction(job, first)
            await self._enrich_ahead(job, extraction)
            done.put((job, extraction))
        except Halt as halt:
            done.put((job, halt.error))
        except KgsiteError as error:
            done.put((job, error))
        except asyncio.CancelledError:
            raise
        except Exception as error:
            # One document must never take the others with it; what went wrong is named without content.
            done.put((job, ExtractError(f"the extractor failed ({type(error).__name__})", hint="please report this")))

    async def _extraction(self, job: ExtractJob, first: list[ExtractJob]) -> Extraction:
        words = await self._vocabulary(job, first)
        tasks = [asyncio.ensure_future(self._chunk(words, job, index)) for index in range(len(job.chunks))]
        results = await asyncio.gather(*tasks, return_exceptions=True)  # those in flight are paid: let them be stored
        readings: list[ChunkReading] = []
        for result in results:
            if isinstance(result, BaseException):
                raise result
            readings.append(result)
        self._gists[job.document.id] = tuple(reading.gist for reading in readings)
        schema = words.rules.schema
        return Extraction(
            chunks=tuple(reading.extraction for reading in readings),
            entity_types=tuple(kind.label for kind in schema.entity_types),
            relation_types=tuple(kind.label for kind in schema.relation_types),
            reasoning=schema.reasoning,
            warnings=tuple(warning for reading in readings for warning in reading.warnings),
        )

    def _asks_about_documents(self) -> bool:
        settings = self._settings
        texts = (
            settings.extract.summarize or settings.extract.merge_descriptions or settings.visualization.name_communities
        )
        return texts or settings.inference.enabled or settings.standardization.use_llm_for_entities

    async def _enrich_ahead(self, job: ExtractJob, extraction: Extraction) -> None:
        """Put the questions about a document while others are still being read, instead of one document at a time.

        The build assembles the same graph and then finds it here; should anything differ or fail, `enrich` asks itself.
        """
        if not job.chunks or not self._asks_about_documents():
            return
        provenance = Provenance(job.document.source.path)
        with contextlib.suppress(Halt, KgsiteError, ValueError, LookupError, TypeError):
            graph = await asyncio.to_thread(_assembled, job, extraction, self._settings, provenance)
            self._ahead[job.document.id] = (graph, await self._enriched(job, graph))

    async def _chunk(self, words: Vocabulary, job: ExtractJob, index: int) -> ChunkReading:
        reading = await read_chunk(self.client, self._questions, words, job, job.chunks[index])
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._planned)
        return reading

    async def _vocabulary(self, job: ExtractJob, first: list[ExtractJob]) -> Vocabulary:
        """The schema in force for a document; the first that needs a new one asks for it, the others wait."""
        own = self._settings.schema.discover == "document" and kept.discovers(self._settings)
        key = job.document.id if own else ""
        if key not in self._words:
            self._words[key] = asyncio.ensure_future(self._find_vocabulary([job] if own else first, key))
        return await asyncio.shield(self._words[key])

    async def _find_vocabulary(self, jobs: list[ExtractJob], document_id: str) -> Vocabulary:
        schema = kept.kept_schema(self._settings, document_id)
        if schema is None:
            documents = [job.document for job in jobs if job.chunks]
            schema = await discovery.discover(self.client, self._questions, documents) if documents else None
            if schema:
                await asyncio.to_thread(discovery.keep, schema, self._settings, document_id)
        return vocabulary(schema or Schema(), self._settings)

    # ── the assembled graph ───────────────────────────────────────────────────────────────────────
    def enrich(self, job: ExtractJob, graph: DocumentGraph) -> DocumentGraph:
        """Variants, texts, community names and inferred relations. Raises what stops the run; all replies are kept."""
        before, after = self._ahead.pop(job.document.id, (None, None))
        if before is not None and after is not None and replace(graph, provenance=before.provenance) == before:
            return replace(after, provenance=graph.provenance)
        try:
            return self._loop().result(self._enriched(job, graph))
        except Halt as halt:
            raise halt.error from None
        except KeyboardInterrupt:
            self.close()
            raise

    async def _enriched(self, job: ExtractJob, graph: DocumentGraph) -> DocumentGraph:
        settings = self._settings
        gists = self._gists.get(job.document.id, ())
        graph = names_looked_up(graph, job.document.text)
        if settings.standardization.enabled and settings.standardization.use_llm_for_entities:
            found, notes = await variants.propose(self.client, self._questions, graph)
            graph = replace(graph, notes=(*graph.notes, *notes))
            if settings.standardization.auto_merge:
                graph = variants.merged(graph, found)
        items = overview.items_of(self._questions, job, graph, gists)
        if items:
            graph = overview.applied(graph, await overview.write(self.client, self._questions, items, job.language))
        if settings.inference.enabled:
            added, notes = await inference.inferred(self.client, self._questions, graph, job.language)
            graph = replace(graph, relations=with_ids(graph, added), notes=(*graph.notes, *notes))
        return graph

    # ── language ──────────────────────────────────────────────────────────────────────────────────
    def language_of(self, text: str) -> str:
        """ISO 639-1 of a text that local detection is unsure about; "" when the model does not know either."""
        from kgsite.extract.llm.language import ask_language

        try:
            return self._loop().result(ask_language(self.client, self._questions, text))
        except Halt as halt:
            raise halt.error from None


def _assembled(job: ExtractJob, extraction: Extraction, settings: Settings, provenance: Provenance) -> DocumentGraph:
    from kgsite.extract.assemble import assemble

    return assemble(job, extraction, settings=settings, provenance=provenance)


def with_ids(graph: DocumentGraph, added: Iterable[Relation]) -> tuple[Relation, ...]:
    """All relations of a graph with the added ones among them, by source, target and type; ids from document and content."""
    numbered = [replace(relation, id=inferred_id(graph.id, relation)) for relation in added]
    return tuple(
        sorted((*graph.relations, *numbered), key=lambda one: (fold(one.source), fold(one.target), one.type, one.id))
    )


def names_looked_up(graph: DocumentGraph, text: str) -> DocumentGraph:
    """Names that one passage lacked but the document has elsewhere are no longer marked as unverified."""
    plain = fold(text)
    entities = tuple(
        replace(entity, attributes={key: value for key, value in entity.attributes.items() if key != UNVERIFIED})
        if UNVERIFIED in entity.attributes and any(fold(name) in plain for name in (entity.name, *entity.aliases))
        else entity
        for entity in graph.entities
    )
    return replace(graph, entities=entities)
