"""Views → bytes, for the pages whose inputs changed; everything that differs from the output is staged beside it."""

from __future__ import annotations

import gc
import hashlib
import os
import selectors
import signal
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import orjson

from kgsite.errors import KgsiteError, Place, PublishError, ThemeError
from kgsite.model import SitePath
from kgsite.site.escape import to_json
from kgsite.site.manifest import MARKER, Manifest, marker_bytes
from kgsite.site.publishing import Staging, open_staging
from kgsite.site.records import DataFile, Output, Page, Rendered, SitePlan
from kgsite.site.theme import Theme

if TYPE_CHECKING:
    from kgsite.warm import Memory

FORK_FROM = 2_000
"""Pages; below it a second process costs more than it saves."""

Progress = Callable[[int, int], None]


@cache
def code_hash() -> str:
    """Hash of the code that makes pages and data, so that a new kgsite never leaves old pages behind."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for file in sorted([*package.glob("*.py"), *(package / "site").rglob("*.py")]):
        digest.update(f"{file.name}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def render(
    plan: SitePlan,
    theme: Theme,
    manifest: Manifest,
    *,
    output: Path,
    jobs: int = 1,
    progress: Progress | None = None,
    memory: Memory | None = None,
) -> Rendered:
    """Render the pages whose fingerprint differs from the manifest's or whose file was touched, and stage what differs.

    A fingerprint is made of the template closure, the view as JSON, and what all pages share (assets, options,
    words, kgsite's own code). The bytes are the same for any `jobs`. Raises ThemeError for a template that
    fails and PublishError when the staging folder can't be written; the output is not touched here.
    """
    staging = open_staging(output)
    try:
        work = _Work(plan, theme, manifest, staging, memory)
        outputs = _all_pages(work, plan.pages, jobs, progress)
        outputs += [work.file(file) for file in plan.files]
        outputs += [work.store(asset.path, "asset", asset.data) for asset in plan.assets]
        if plan.full_text:
            outputs += _full_text(work, outputs)
        names = [output.path for output in outputs]
        outputs.append(work.store(MARKER, "marker", marker_bytes([*names, MARKER])))
    except OSError as error:
        staging.discard()
        raise PublishError(
            f"the new site can't be written: {error.strerror}", hint="the old site is untouched"
        ) from error
    except BaseException:
        staging.discard()
        raise
    count = sum(output.rendered for output in outputs)
    return Rendered(tuple(outputs), str(staging.folder), count, len(plan.pages) - count)


class _Work:
    """Renders and stages one file after the other."""

    def __init__(
        self, plan: SitePlan, theme: Theme, manifest: Manifest, staging: Staging, memory: Memory | None = None
    ) -> None:
        self.plan, self.theme, self.manifest, self.staging, self.memory = plan, theme, manifest, staging, memory
        self.assets = {asset.name: str(asset.path) for asset in plan.assets}
        words = theme.words
        self.shared = hashlib.sha256(
            to_json([code_hash(), dict(theme.options), words.language, words.texts, plan.site])
        ).digest()
        self.templates: dict[str, bytes] = {}

    def page(self, page: Page) -> Output:
        view: Any = page.make()
        fingerprint = self.fingerprint(page.template, view)
        entry = self.manifest.entries.get(page.path)
        if entry is not None and entry.fingerprint == fingerprint and self.staging.is_intact(page.path, entry):
            return Output(page.path, page.kind, entry.size, entry.digest, fingerprint, staged=False)
        text = self._run(page, view)
        stored = self.store(page.path, page.kind, text.encode("utf-8", "replace"))
        return replace(stored, fingerprint=fingerprint, rendered=True)

    def fingerprint(self, template: str, view: object) -> str:
        digest = hashlib.sha256(self.template(template))
        digest.update(to_json(view, _inputs))
        return digest.hexdigest()[:32]

    def template(self, template: str) -> bytes:
        """What all pages of a template share: its closure, the static files that it asks for, words and options."""
        if template not in self.templates:
            from kgsite.site.templates import assets_of

            digest = hashlib.sha256(self.shared)
            digest.update(self.theme.closure_hash(template).encode())
            asked = assets_of(self.theme, template)
            digest.update(to_json({n: p for n, p in self.assets.items() if asked is None or n in asked}))
            self.templates[template] = digest.digest()
        return self.templates[template]

    def file(self, file: DataFile) -> Output:
        """A data file; one that knows its inputs is made only when they changed."""
        output = self.remembered(file, b"")
        if output is None:
            output = self._made_file(file)
            self.keep(file, b"", output)
        return output

    def _made_file(self, file: DataFile) -> Output:
        if file.inputs is None:
            return self.store(file.path, file.kind, file.make())
        fingerprint = hashlib.sha256(code_hash().encode() + file.inputs()).hexdigest()[:32]
        entry = self.manifest.entries.get(file.path)
        if entry is not None and entry.fingerprint == fingerprint and self.staging.is_intact(file.path, entry):
            return Output(file.path, file.kind, entry.size, entry.digest, fingerprint, staged=False)
        return replace(self.store(file.path, file.kind, file.make()), fingerprint=fingerprint)

    def remembered(self, made: Page | DataFile, shared: bytes) -> Output | None:
        """What the last build of this process made of the same things, when it still lies in the output."""
        output = self.memory.output_of(made, shared) if self.memory is not None else None
        entry = self.manifest.entries.get(made.path)
        if output is None or entry is None or (entry.digest, entry.fingerprint) != (output.digest, output.fingerprint):
            return None
        if not self.staging.is_intact(made.path, entry):
            return None
        return replace(output, staged=False, rendered=False)

    def keep(self, made: Page | DataFile, shared: bytes, output: Output) -> None:
        if self.memory is not None:
            self.memory.keep(made, shared, output)

    def store(self, path: str, kind: str, data: bytes) -> Output:
        """Stage `data` unless the output has the same bytes already."""
        digest = hashlib.sha256(data).hexdigest()
        staged = not self.staging.holds(path, digest, len(data), self.manifest.entries.get(path))
        if staged:
            self.staging.write(path, data)
        return Output(SitePath(path), kind, len(data), digest, "", staged)

    def _run(self, page: Page, view: Any) -> str:
        from jinja2 import TemplateError, TemplateSyntaxError

        from kgsite.site.templates import resolve, syntax_error

        name = resolve(self.theme, page.template)
        try:
            template = self.theme.environment.get_template(name)
            return template.render(page=view.page, view=view, site=self.plan.site, assets=self.assets)
        except TemplateSyntaxError as error:
            raise syntax_error(self.theme, name, error) from error
        except ThemeError as error:  # of `t`, `asset` or a reference: they do not know who asks
            at = error.at or _place_in_template(self.theme, name, error)
            raise ThemeError(error.message, at=at, hint=error.hint) from error
        except RecursionError:
            endless = RecursionError("templates extend, include or call each other without end")
            raise _template_failure(self.theme, name, page, endless) from None
        except (TemplateError, TypeError, AttributeError, ValueError, LookupError, ArithmeticError) as error:
            raise _template_failure(self.theme, name, page, error) from error


def _full_text(work: _Work, outputs: Sequence[Output]) -> list[Output]:
    """The files of the full text search; made anew only when a document page or Pagefind changed."""
    from kgsite.site.fulltext import FOLDER, full_text_files, full_text_version

    documents = [output for output in outputs if output.kind == "document"]
    state = [code_hash(), full_text_version(), [(output.path, output.digest) for output in documents]]
    fingerprint = hashlib.sha256(to_json(state)).hexdigest()[:32]
    known = {path: entry for path, entry in work.manifest.entries.items() if path.startswith(f"{FOLDER}/")}
    if known and all(e.fingerprint == fingerprint and work.staging.is_intact(path, e) for path, e in known.items()):
        return [
            Output(SitePath(path), "full text", entry.size, entry.digest, fingerprint, staged=False)
            for path, entry in sorted(known.items())
        ]
    folders = {True: work.staging.files, False: work.staging.output}
    files = full_text_files({o.path: folders[o.staged] / o.path for o in documents}, work.staging.folder / "full-text")
    return [replace(work.store(path, "full text", data), fingerprint=fingerprint) for path, data in files]


def _inputs(value: Any) -> object:
    """What stands for a drawing that is made later; a mapping that is no dict as one."""
    return value.inputs if hasattr(value, "inputs") else dict(value)


def _template_failure(theme: Theme, name: str, page: Page, error: Exception) -> ThemeError:
    at = _place_in_template(theme, name, error)
    return ThemeError(f"{type(error).__name__}: {error}", at=at, hint=f"while rendering {page.path}")


def _place_in_template(theme: Theme, name: str, error: Exception) -> Place:
    """The place of a failing template: the innermost frame of the traceback that is one."""
    from kgsite.site.templates import place_of

    shown = {f"{layer.shown}/templates/" for layer in theme.layers}
    place = Place(place_of(theme, name))
    trace = error.__traceback__
    while trace is not None:
        filename = trace.tb_frame.f_code.co_filename
        if any(filename.startswith(prefix) for prefix in shown):
            place = Place(filename, trace.tb_lineno)
        trace = trace.tb_next
    return place


# ── workers ───────────────────────────────────────────────────────────────────────────────────────
def _all_pages(work: _Work, pages: Sequence[Page], jobs: int, progress: Progress | None) -> list[Output]:
    shared = {template: work.template(template) for template in sorted({page.template for page in pages})}
    outputs = [work.remembered(page, shared[page.template]) for page in pages]
    left = [page for page, output in zip(pages, outputs, strict=True) if output is None]
    made = iter(_made_pages(work, left, jobs, progress))
    whole = [next(made) if output is None else output for output in outputs]
    for page, output in zip(pages, whole, strict=True):
        work.keep(page, shared[page.template], output)
    return whole


def _made_pages(work: _Work, pages: Sequence[Page], jobs: int, progress: Progress | None) -> list[Output]:
    if jobs < 2 or len(pages) < FORK_FROM or not hasattr(os, "fork"):
        outputs = []
        for number, page in enumerate(pages, 1):
            outputs.append(work.page(page))
            if progress is not None:
                progress(number, len(pages))
        return outputs
    return _forked(work, pages, min(jobs, 8), progress)


def _forked(work: _Work, pages: Sequence[Page], jobs: int, progress: Progress | None) -> list[Output]:
    """Contiguous slices in forked workers; each sends its outputs as JSON lines, in order."""
    gc.collect()
    gc.freeze()
    bounds = [len(pages) * n // jobs for n in range(jobs + 1)]
    pids: list[int] = []
    pipes: list[int] = []
    try:
        for start, end in pairwise(bounds):
            reader, writer = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.close(reader)
                _child(work, pages[start:end], writer)
            os.close(writer)
            pids.append(pid)
            pipes.append(reader)
        texts = _collect(pipes, len(pages), progress)
    except BaseException:
        for pid in pids:
            os.kill(pid, signal.SIGTERM)
        raise
    finally:
        for pid in pids:
            os.waitpid(pid, 0)
        gc.unfreeze()
    outputs = [_received(line) for text in texts for line in text.splitlines()]
    if len(outputs) != len(pages):
        raise PublishError("a worker process ended before its pages were rendered", hint="try --jobs 1")
    return outputs


def _child(work: _Work, pages: Iterable[Page], writer: int) -> NoReturn:
    code = 1
    try:
        with os.fdopen(writer, "wb") as pipe:
            try:
                for page in pages:
                    pipe.write(orjson.dumps(work.page(page)) + b"\n")
                code = 0
            except KgsiteError as error:
                pipe.write(_packed(error))
            except OSError as error:
                pipe.write(_packed(PublishError(f"the new site can't be written: {error.strerror}")))
            except Exception as error:
                pipe.write(_packed(ThemeError(f"{type(error).__name__}: {error}")))
    finally:
        os._exit(code)


def _packed(error: KgsiteError) -> bytes:
    kind = "publish" if isinstance(error, PublishError) else "theme"
    return orjson.dumps({"error": kind, "message": error.message, "at": error.at, "hint": error.hint}) + b"\n"


def _received(line: bytes) -> Output:
    raw = orjson.loads(line)
    if "error" in raw:
        kind = PublishError if raw["error"] == "publish" else ThemeError
        raise kind(raw["message"], at=Place(**raw["at"]) if raw["at"] else None, hint=raw["hint"])
    return Output(**raw)


def _collect(pipes: Sequence[int], total: int, progress: Progress | None) -> list[bytes]:
    """Everything that the workers write, by worker; lines are counted for the progress."""
    parts: list[list[bytes]] = [[] for _ in pipes]
    done = 0
    with selectors.DefaultSelector() as selector:
        for number, pipe in enumerate(pipes):
            selector.register(pipe, selectors.EVENT_READ, number)
        while selector.get_map():
            for key, _ in selector.select():
                data = os.read(key.fd, 1 << 16)
                if not data:
                    selector.unregister(key.fd)
                    os.close(key.fd)
                    continue
                parts[key.data].append(data)
                done += data.count(b"\n")
                if progress is not None:
                    progress(min(done, total), total)
    return [b"".join(part) for part in parts]
