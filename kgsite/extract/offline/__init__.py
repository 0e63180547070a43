"""Extraction without a model service or network: a parser for English where it is installed, rules for the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kgsite.errors import KgsiteError
    from kgsite.extract.extractor import ExtractJob, Extractor
    from kgsite.model import DocumentGraph, Extraction


def offline_extractor() -> Extractor:
    """The extractor for every language: "en" on spaCy when `kgsite[offline]` loads, the core rules otherwise.

    `settings(language)` says which of the two reads a language, and so does a warning on each English
    document that has to do without the parser.
    """
    return OfflineExtractor()


class OfflineExtractor:
    """Chooses between the English and the core extractor for each document."""

    @property
    def name(self) -> str:
        return "offline"

    @property
    def model(self) -> str:
        english, _ = _english()
        return english.model if english is not None else ""

    def settings(self, language: str) -> Mapping[str, object]:
        """Those of the extractor that reads `language`; its key "extractor" names it."""
        return self._for(language).settings(language)

    def extract(self, jobs: Iterable[ExtractJob]) -> Iterator[tuple[ExtractJob, Extraction | KgsiteError]]:
        """One outcome for each job, in order."""
        from kgsite.errors import KgsiteError

        for job in jobs:
            _, reason = _english() if job.language == "en" else (None, "")
            for _, outcome in self._for(job.language).extract([job]):
                if reason and not isinstance(outcome, KgsiteError):
                    warning = f"read without the English parser, so fewer relations were found: {reason}"
                    yield job, replace(outcome, warnings=(*outcome.warnings, warning))
                else:
                    yield job, outcome

    def enrich(self, job: ExtractJob, graph: DocumentGraph) -> DocumentGraph:  # noqa: ARG002 - the Protocol's signature
        """Nothing to add."""
        return graph

    def _for(self, language: str) -> Extractor:
        from kgsite.extract.offline.core import CoreExtractor

        english, _ = _english() if language == "en" else (None, "")
        return english or CoreExtractor()


@lru_cache(maxsize=1)
def _english() -> tuple[Extractor | None, str]:
    """The English extractor, or None and the reason as a sentence."""
    try:
        from kgsite.extract.offline.english import EnglishExtractor
    except ImportError as error:
        return None, f"{error}; install kgsite[offline]"
    extractor = EnglishExtractor()
    reason = extractor.available()
    return (None, reason) if reason else (extractor, "")
