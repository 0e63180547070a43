"""Links to other sites: a separate, slow, cached check that only warns; its requests are guarded like all others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from urllib.parse import urldefrag, urlsplit

from kgsite.checking.findings import Finding
from kgsite.checking.links import Pages
from kgsite.errors import KgsiteError
from kgsite.project import Project
from kgsite.readers.web import Fetcher

PAUSE = 1.0
"""Seconds between two requests to one host."""
KEPT = 7 * 24 * 3600
"""Seconds for which a link that answered is not asked for again."""
MOST = 500


def check(
    project: Project,
    *,
    fetcher: Fetcher | None = None,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.time,
) -> Iterator[Finding]:
    """A warning for each link that does not answer."""
    links = Pages(project.output).outside() if project.output.is_dir() else {}
    wanted: dict[str, str] = {}
    for link, page in links.items():
        wanted.setdefault(urldefrag(link)[0], page)
    cache = project.store.cache / "links.json"
    answered = {str(k): float(v) for k, v in project.store.load_checked(cache).items()}
    asked: dict[str, float] = {}
    good = 0
    for url, page in sorted(wanted.items())[:MOST]:
        if clock() - answered.get(url, 0.0) < KEPT:
            good += 1
            continue
        fetcher = fetcher or project.world.fetcher()
        host = urlsplit(url).netloc
        wait = asked.get(host, 0.0) + PAUSE - clock()
        if 0 < wait <= PAUSE:
            sleep(wait)
        asked[host] = clock()
        try:
            fetcher.fetch(url)
        except KgsiteError as error:
            yield Finding("outside", "warning", f"{url[:200]}: {error.message}", page)
        else:
            good += 1
            answered[url] = clock()
    project.store.save_checked(cache, {url: when for url, when in sorted(answered.items()) if url in wanted})
    if len(wanted) > MOST:
        yield Finding("outside", "warning", f"only {MOST} of {len(wanted):,} links were tried")
    yield Finding("outside", "ok", f"{good:,} links to other sites answer")
