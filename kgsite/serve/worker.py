"""The process that builds while the server serves: `python -m kgsite.serve.worker`, told and telling in JSON lines.

It stays alive between builds, so that modules, the parser of English and what the last build made are at hand. Being
a process of its own, it never slows an answer, and ending it at any moment loses nothing.

Orders on stdin: {"do": "build"}, {"do": "warm"} (build though nothing changed, so that the next build is quick),
{"do": "plan", "folder": …}, {"do": "go"} (publish now). Events on stdout.
SIGINT stops the present work; the end of stdin ends the process.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from kgsite.report import Report, plural
from kgsite.serve.faults import faults_of

if TYPE_CHECKING:
    from kgsite.build import BuildResult
    from kgsite.model import SourcePath
    from kgsite.project import Project
    from kgsite.warm import Memory

_GIVE_UP = 1.5  # seconds that a build may take to unwind after the server is gone
_MOST_NOTICES = 20
_MOST_ADDRESSES = 200
_IDLE = 0.3  # seconds without an order


class Wire:
    """Events as JSON lines to the server."""

    def __init__(self, out: TextIO) -> None:
        self.out = out
        self.lock = threading.Lock()

    def send(self, event: str, **data: Any) -> None:
        with self.lock:
            self.out.write(json.dumps({"event": event, **data}) + "\n")
            self.out.flush()


class WireDisplay:
    """Shows a build to the server; a publish waits until the server lets nobody read."""

    def __init__(self, worker: Worker, *, quiet: bool) -> None:
        self.worker, self.quiet = worker, quiet

    def event(self, name: str, data: Mapping[str, Any]) -> None:
        if name == "stage":
            self.worker.stage(str(data["stage"]), quiet=self.quiet)
        elif name in ("progress", "notice", "say") and not self.quiet:
            self.worker.wire.send(name, **data)

    def close(self) -> None:
        pass


class Worker:
    """Does one order after the other."""

    def __init__(self, root: Path, env: str, flags: Mapping[str, Any], wire: Wire) -> None:
        self.root, self.env, self.flags, self.wire = root, env, dict(flags), wire
        self.orders: queue.Queue[dict[str, Any]] = queue.Queue()
        self.go = threading.Event()
        self.publishing = False
        self.interrupted = False
        self.busy = False
        self.memory: Memory | None = None

    # ── signals and orders ────────────────────────────────────────────────────────────────────────
    def interrupt(self, *_signal: object) -> None:
        """Stop the present work. A publish is finished first: it is short, and half of one is no site."""
        self.interrupted = True
        if self.busy and not self.publishing:
            raise KeyboardInterrupt

    def listen(self, orders: int) -> None:
        """Read orders from a pipe in a thread; the end of them is the end of the server.

        Straight from the descriptor: a thread that waits in `sys.stdin` holds a lock, and the extraction's forked
        processes, which close theirs, would wait for it for ever.
        """
        rest = b""
        while data := os.read(orders, 65_536):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                order = json.loads(line)
                if order["do"] == "go":
                    self.go.set()
                else:
                    self.orders.put(order)
        self.go.set()
        self.orders.put({"do": "end"})
        if self.busy:
            os.kill(os.getpid(), signal.SIGINT)
            threading.Event().wait(_GIVE_UP)
            os._exit(0)

    def stage(self, name: str, *, quiet: bool) -> None:
        if name == "publish":
            self.publishing = True
            self.go.clear()
            self.wire.send("publishing")
            self.go.wait(10.0)
        if not quiet:
            self.wire.send("stage", stage=name)

    def run(self) -> None:
        while True:
            order = self._next_order()
            if order["do"] == "end":
                return
            self.interrupted, self.busy = False, True
            try:
                self._do(order)
            except KeyboardInterrupt:
                self.wire.send("stopped", id=order.get("id"))
            except Exception as error:
                self.wire.send("failed", id=order.get("id"), errors=faults_of(error, self.root))
            finally:
                self.busy = self.publishing = False

    def _next_order(self) -> dict[str, Any]:
        """Wait for an order; after a moment without one, take what is kept in memory out of the garbage collector's way.

        A large collection has millions of objects: looking through them takes longer than a small change does.
        """
        with contextlib.suppress(queue.Empty):
            return self.orders.get(timeout=_IDLE)
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        return self.orders.get()

    def _do(self, order: Mapping[str, Any]) -> None:
        if order["do"] in ("build", "warm"):
            self._build(order, warm=order["do"] == "warm")
        else:
            self._plan(order)

    # ── build ─────────────────────────────────────────────────────────────────────────────────────
    def open(self) -> Project:
        from kgsite.project import World, open_project
        from kgsite.warm import Memory

        if self.memory is None:
            self.memory = Memory()
        return open_project(self.root, env=self.env, flags=self.flags, world=World(memory=self.memory))

    def _build(self, order: Mapping[str, Any], *, warm: bool) -> None:
        from kgsite.build import BuildOptions, build
        from kgsite.warm import stamp_of

        project = self.open()
        assert self.memory is not None
        self.memory.filling = warm
        self.wire.send("settings", **settings_for_server(project))
        report = Report(WireDisplay(self, quiet=warm))
        began = report.clock()
        result = build(project, BuildOptions(keep_going=True), report)
        self.publishing = False
        self.wire.send(
            "built",
            id=order.get("id"),
            warm=warm,
            cold=self.memory.collection is None,
            changed=not result.nothing_to_do,
            site=stamp_of(project.store.manifest_file),
            seconds=round(report.clock() - began, 3),
            stages={name: round(value, 3) for name, value in report.seconds.items()},
            totals={
                name: result.totals.get(name) for name in ("documents", "entities", "facts", "rendered", "written")
            },
            notices=[notice.line() for notice in (*report.losses, *report.warnings)][:_MOST_NOTICES],
            losses=len(report.losses),
            addresses=self._addresses(report, result),
        )

    def _addresses(self, report: Report, result: BuildResult) -> dict[str, str]:
        """Content path → page, for the documents that this build extracted."""
        fresh = {path for path, facts in report.documents.items() if facts.get("status") in ("new", "changed", "retry")}
        fresh -= set(result.failed)
        collection = self.memory.collection if self.memory else None
        if collection is None or not fresh:
            return {}
        from kgsite.site.urls import document_page

        found = {
            str(graph.provenance.source): document_page(collection.document_slugs[graph.id])
            for graph in collection.documents
            if graph.provenance.source in fresh
        }
        return dict(sorted(found.items())[:_MOST_ADDRESSES])

    # ── what documents would cost ─────────────────────────────────────────────────────────────────
    def _plan(self, order: Mapping[str, Any]) -> None:
        from kgsite.build import BuildOptions
        from kgsite.decide import Decision
        from kgsite.discover import discover
        from kgsite.dryrun import describe_work

        project = self.open()
        report = Report()
        found = discover(Path(order["folder"]), drafts=True, encodings=project.settings.encodings)
        world = project.world
        extractor = world.extractor(project.settings, project.store, report, world.environ, use_replies=True)
        decisions = [Decision(source, "new", "added in the library") for source in found.sources]
        lines = [self._plan_one(project, each, extractor, BuildOptions(), describe_work) for each in decisions]
        describe_work(project, decisions, extractor, BuildOptions(), report)
        self.wire.send(
            "planned",
            id=order.get("id"),
            extractor=extractor.name,
            model=extractor.model,
            documents=lines,
            plan=report.extra.get("plan", {}),
            problems=[
                *(f"{skipped.path}: {skipped.reason}" for skipped in found.skipped),
                *(notice.line() for notice in report.notices),
            ],
        )

    @staticmethod
    def _plan_one(project: Project, decision: Any, extractor: Any, options: Any, describe: Any) -> str:
        report = Report()
        describe(project, [decision], extractor, options, report)
        plan = report.extra.get("plan", {})
        path: SourcePath = decision.source.path
        if decision.source.kind == "web":
            return f"{decision.source.url}: fetched when you start"
        if decision.source.kind == "graph":
            return f"{path}: a ready-made graph, imported as it is"
        return f"{path}: {plural(plan.get('chunks', 0), 'chunk')}, {plural(plan.get('tokens', 0), 'token')}"


def settings_for_server(project: Project) -> dict[str, Any]:
    """What the server needs to know of the settings; it changes when site.toml does."""
    settings = project.settings
    return {
        "content": str(project.content),
        "output": str(project.output),
        "base_url": settings.site.base_url,
        "theme": settings.site.theme,
    }


def main() -> None:
    """Entry of the process: project folder, env and flags as arguments."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)  # nothing that a library prints may get among the events
    orders = os.dup(0)
    with Path(os.devnull).open() as nothing:
        os.dup2(nothing.fileno(), 0)
    root, env, flags = Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
    worker = Worker(root, env, flags, Wire(out))
    signal.signal(signal.SIGINT, worker.interrupt)
    threading.Thread(target=worker.listen, args=(orders,), daemon=True).start()
    with contextlib.suppress(BrokenPipeError):  # the server is gone
        worker.run()
    os._exit(0)  # nothing is left to write, and taking the parser's memory apart takes a second


if __name__ == "__main__":
    main()
