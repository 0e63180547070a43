"""What makes a document be extracted again when it changes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict

from kgsite.config.settings import Settings
from kgsite.extract.llm import kept
from kgsite.extract.llm.endpoint import model_names
from kgsite.extract.llm.prompts import prompts_hash
from kgsite.extract.replies import READER_VERSION
from kgsite.replystore import canonical

EXTRACTOR_VERSION = 1
"""To be raised when the same replies would give other candidates."""


def settings_fingerprint(settings: Settings, language: str) -> Mapping[str, object]:
    """All that must re-extract a document when it changes. Endpoint, key, timeouts and concurrency are not in it."""
    model, discovery_model = model_names(settings.llm)
    extra = hashlib.sha256(canonical(dict(settings.llm.extra_body))).hexdigest() if settings.llm.extra_body else ""
    return {
        "extractor": "openai",
        "version": EXTRACTOR_VERSION,
        "reader": READER_VERSION,
        "model": model,
        "discovery_model": discovery_model,
        "temperature": settings.llm.temperature,
        "reasoning_effort": settings.llm.reasoning_effort,
        "extra_body": extra,
        "prompts": prompts_hash(),
        "schema": kept.fingerprint(settings),
        "synonyms": dict(sorted(settings.schema.synonyms.items())),
        "strict_schema": settings.schema.strict,
        "language": language if settings.extract.language in ("auto", "") else settings.extract.language,
        "rephrase": settings.extract.rephrase,
        "summarize": settings.extract.summarize,
        "merge_descriptions": settings.extract.merge_descriptions,
        "name_communities": settings.visualization.name_communities,
        "standardization": asdict(settings.standardization),
        "inference": asdict(settings.inference) if settings.inference.enabled else False,
    }
