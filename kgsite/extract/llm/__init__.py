"""Extraction with a language model behind an OpenAI-compatible endpoint.

Everything heavy (asyncio, httpx, openai) is imported when it is used; openai only at the first request that no stored
reply answers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from kgsite.config.settings import Settings
from kgsite.extract.llm.endpoint import PRESETS, literal_key, model_names, uses_model

if TYPE_CHECKING:
    from kgsite.extract.extractor import ExtractJob
    from kgsite.extract.llm.batch import BatchProgress
    from kgsite.extract.llm.check import EndpointReport
    from kgsite.extract.llm.client import World
    from kgsite.extract.llm.cost import CostPlan
    from kgsite.extract.llm.deferred import DeferredExtractor
    from kgsite.replystore import ReplyStore

__all__ = [
    "PRESETS",
    "advance_batch",
    "check_endpoint",
    "literal_key",
    "llm_extractor",
    "model_names",
    "plan_cost",
    "settings_fingerprint",
    "uses_model",
]


def llm_extractor(
    settings: Settings,
    *,
    store: ReplyStore,
    progress: Callable[[int, int], None] | None = None,
    environ: Mapping[str, str] | None = None,
    world: World | None = None,
) -> DeferredExtractor:
    """The extractor "openai". Raises ConfigError when [llm] is incomplete. Close it after use."""
    from kgsite.extract.llm.deferred import DeferredExtractor

    chosen = os.environ if environ is None else environ
    return DeferredExtractor(settings, store=store, progress=progress, environ=chosen, world=world)


def settings_fingerprint(settings: Settings, language: str) -> Mapping[str, object]:
    """What `LlmExtractor.settings` returns, without making an extractor."""
    from kgsite.extract.llm.fingerprint import settings_fingerprint as fingerprint

    return fingerprint(settings, language)


def plan_cost(jobs: Iterable[ExtractJob], settings: Settings, store: ReplyStore) -> CostPlan:
    """Requests, tokens and money that extracting these documents would take (`build --dry-run`)."""
    from kgsite.extract.llm.cost import plan_cost as plan

    return plan(jobs, settings, store)


def check_endpoint(
    settings: Settings, *, environ: Mapping[str, str] | None = None, world: World | None = None
) -> EndpointReport:
    """Test the endpoint (`check --llm`)."""
    from kgsite.extract.llm.check import check_endpoint as check

    return check(settings, environ=environ, world=world)


def advance_batch(
    jobs: Iterable[ExtractJob], settings: Settings, store: ReplyStore, *, environ: Mapping[str, str] | None = None
) -> BatchProgress:
    """One step of `build --batch`: submit, poll or collect. Raises ExtractError, ConfigError or BudgetError."""
    from kgsite.extract.llm.batch import advance_batch as advance

    return advance(jobs, settings, store, environ=environ)
