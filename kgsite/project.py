"""A project on disk: where it is, its settings, and the things from outside that a build is given."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from kgsite.config import Loaded, Settings, load
from kgsite.errors import ConfigError, UsageError
from kgsite.store import Store

if TYPE_CHECKING:
    from kgsite.extract.extractor import Extractor
    from kgsite.readers.web import Fetcher
    from kgsite.report import Report
    from kgsite.warm import Memory


class ExtractorFactory(Protocol):
    """Makes the extractor of a build; `use_replies` is off for --no-cache."""

    def __call__(
        self, settings: Settings, store: Store, report: Report, environ: Mapping[str, str], *, use_replies: bool
    ) -> Extractor: ...


def today(environ: Mapping[str, str]) -> str:
    """The date of this build, ISO 8601: SOURCE_DATE_EPOCH where set (reproducible-builds.org), else today in UTC.

    Raises ConfigError when the variable is no such number.
    """
    epoch = environ.get("SOURCE_DATE_EPOCH", "").strip()
    if not epoch:
        return dt.datetime.now(dt.UTC).date().isoformat()
    try:
        return dt.datetime.fromtimestamp(int(epoch), dt.UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        message = f"SOURCE_DATE_EPOCH is no number of seconds since 1970: {epoch[:40]!r}"
        raise ConfigError(message, hint="unset it, or set it with: git log -1 --format=%ct") from None


def web_fetcher() -> Fetcher:
    """The real thing: HTTP with limits, public addresses only."""
    from kgsite.readers.fetch import HttpFetcher

    return HttpFetcher()


def wants_model(settings: Settings) -> bool:
    """Whether extraction goes to the model. A key in the environment alone never does that."""
    chosen = settings.extract.extractor
    return chosen == "openai" or (chosen == "auto" and bool(settings.llm.model or settings.llm.preset))


def make_extractor(
    settings: Settings, store: Store, report: Report, environ: Mapping[str, str], *, use_replies: bool
) -> Extractor:
    """The extractor that the settings ask for."""
    if wants_model(settings):
        from kgsite.extract.llm import llm_extractor
        from kgsite.replystore import ReplyStore

        return llm_extractor(
            settings,
            store=ReplyStore(store.replies, read=use_replies),
            progress=lambda done, total: report.progress(done, total, "requests"),
            environ=environ,
        )
    from kgsite.extract.offline import offline_extractor

    return offline_extractor()


@dataclass(frozen=True, slots=True)
class World:
    """Effects as arguments: tests pass fakes."""

    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    fetcher: Callable[[], Fetcher] = web_fetcher
    extractor: ExtractorFactory = make_extractor
    today: Callable[[Mapping[str, str]], str] = today
    memory: Memory | None = None  # what the last build of this process left, for `kgsite serve`


@dataclass(frozen=True, slots=True)
class Project:
    """One project with its settings."""

    root: Path
    loaded: Loaded
    store: Store
    world: World

    @property
    def settings(self) -> Settings:
        return self.loaded.settings

    @property
    def content(self) -> Path:
        return self.root / self.settings.build.content

    @property
    def output(self) -> Path:
        return self.root / self.settings.build.output


def open_project(
    root: Path,
    *,
    env: str = "",
    flags: Mapping[str, Any] | None = None,
    strict: bool = False,
    world: World | None = None,
) -> Project:
    """Read the configuration at `root`. Raises ConfigError, or UsageError when there is no project."""
    world = world or World()
    root = root.resolve()
    loaded = load(root, env=env, environ=world.environ, flags=flags, strict=strict)
    project = Project(root, loaded, Store(root, world.memory), world)
    if not (root / "site.toml").exists() and not project.content.is_dir():
        message = f"there is no site.toml and no {loaded.settings.build.content}/ here"
        raise UsageError(message, hint="start a project with: kgsite init")
    if not project.content.is_dir():
        message = f"the content folder {loaded.settings.build.content}/ does not exist"
        raise UsageError(message, hint="make it, or set [build] content in site.toml")
    return project
