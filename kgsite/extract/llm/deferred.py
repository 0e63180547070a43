"""The extractor as the build first meets it: its name, model and fingerprint, and the real one once it has work to do.

"Nothing changed" is decided with the fingerprint alone, so that decision must not import an event loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

from kgsite.config.settings import Settings
from kgsite.errors import KgsiteError
from kgsite.extract.llm.endpoint import model_names, resolve
from kgsite.extract.llm.fingerprint import settings_fingerprint
from kgsite.model import DocumentGraph, Extraction

if TYPE_CHECKING:
    from kgsite.extract.extractor import ExtractJob
    from kgsite.extract.llm.budget import Usage
    from kgsite.extract.llm.client import Client, World
    from kgsite.extract.llm.extractor import LlmExtractor
    from kgsite.replystore import ReplyStore


class DeferredExtractor:
    """An `Extractor`. Close it after use; it is a context manager."""

    name = "openai"

    def __init__(
        self,
        settings: Settings,
        *,
        store: ReplyStore,
        progress: Callable[[int, int], None] | None,
        environ: Mapping[str, str],
        world: World | None,
    ) -> None:
        """Raises ConfigError when [llm] is incomplete; a missing key is an error only once a request is needed."""
        resolve(settings.llm, environ, need_key=False)
        self._settings = settings
        self._arguments: dict[str, Any] = {"store": store, "progress": progress, "environ": environ, "world": world}
        self._real: LlmExtractor | None = None

    @property
    def model(self) -> str:
        return model_names(self._settings.llm)[0]

    def settings(self, language: str) -> Mapping[str, object]:
        return settings_fingerprint(self._settings, language)

    def real(self) -> LlmExtractor:
        if self._real is None:
            from kgsite.extract.llm.extractor import LlmExtractor

            self._real = LlmExtractor(self._settings, **self._arguments)
        return self._real

    def extract(self, jobs: Iterable[ExtractJob]) -> Iterator[tuple[ExtractJob, Extraction | KgsiteError]]:
        return self.real().extract(jobs)

    def enrich(self, job: ExtractJob, graph: DocumentGraph) -> DocumentGraph:
        return self.real().enrich(job, graph)

    def language_of(self, text: str) -> str:
        """ISO 639-1 of a text that local detection is unsure about; "" when the model does not know either."""
        return self.real().language_of(text)

    @property
    def client(self) -> Client:
        return self.real().client

    @property
    def usage(self) -> Usage:
        """Requests and tokens so far, by pass."""
        return self.real().usage

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is to be said once for the run: about the endpoint and the reply store."""
        return self._real.warnings if self._real is not None else ()

    def close(self) -> None:
        """Cancel what is in flight and end the connection; may be called twice."""
        if self._real is not None:
            self._real.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
