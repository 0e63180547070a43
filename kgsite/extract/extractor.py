"""What every extractor looks like to the build."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from kgsite.errors import KgsiteError
from kgsite.model import Chunk, Document, DocumentGraph, Extraction

if TYPE_CHECKING:
    from kgsite.extract.llm.budget import Usage


@dataclass(frozen=True, slots=True)
class ExtractJob:
    """One document to be extracted; `language` is settled (ISO 639-1), chunks are in order."""

    document: Document
    chunks: tuple[Chunk, ...]
    language: str


class Extractor(Protocol):
    """Turns chunks into candidates.

    `extract` may run jobs side by side and yields an outcome for each job as it is done; an error of one
    job is an outcome, not an exception, unless nothing more can be done at all (BudgetError, a bad key).
    """

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...

    def settings(self, language: str) -> Mapping[str, object]:
        """All that must re-extract a document when it changes: versions, model, sampling, prompts, schema."""
        ...

    def extract(self, jobs: Iterable[ExtractJob]) -> Iterator[tuple[ExtractJob, Extraction | KgsiteError]]: ...

    def enrich(self, job: ExtractJob, graph: DocumentGraph) -> DocumentGraph:
        """Passes over the assembled graph (texts, inference, names); the offline extractors change nothing."""
        ...


@runtime_checkable
class MeteredExtractor(Protocol):
    """An extractor that costs something: it counts what it spends, has warnings of its own, and must be closed."""

    @property
    def usage(self) -> Usage: ...

    @property
    def warnings(self) -> tuple[str, ...]: ...

    def language_of(self, text: str) -> str:
        """ISO 639-1 of a text that local detection is unsure about; "" when it is still unknown."""
        ...

    def close(self) -> None: ...
