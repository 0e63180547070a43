"""The commands: parse, call, print, exit. What they do is done elsewhere, and imported only when it is asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgsite import __version__
from kgsite.commands.ask import ask
from kgsite.commands.check import check
from kgsite.commands.export import export
from kgsite.commands.schema import schema
from kgsite.commands.serve import serve
from kgsite.errors import KgsiteError

if TYPE_CHECKING:
    from kgsite.project import Project

INTERRUPTED = 130


class Commands(click.Group):
    """Shows our errors the way they know to show themselves, once, and sets the exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KgsiteError as error:
            _tell(error)
            ctx.exit(error.exit_code)
        except KeyboardInterrupt:
            click.echo("\ninterrupted", err=True)
            ctx.exit(INTERRUPTED)


def _tell(error: KgsiteError) -> None:
    text = f"error: {error}" if "\n" not in str(error) or not error.at else str(error)
    click.echo(text.encode("utf-8", "backslashreplace").decode("utf-8"), err=True)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="kgsite %(version)s")
@click.option(
    "-C", "--project", "root", default=".", metavar="DIR", help="Folder of the project (where site.toml lies)."
)
@click.option("--env", default="", metavar="NAME", help="Read site.NAME.toml on top of site.toml (or KGSITE_ENV).")
@click.pass_context
def main(ctx: click.Context, root: str, env: str) -> None:
    """Turn a folder of documents into a published knowledge graph."""
    ctx.obj = (Path(root), env)


def _open(ctx: click.Context, flags: dict[str, Any] | None = None, *, strict: bool = False) -> Project:
    from kgsite.project import open_project

    root, env = ctx.obj
    given = {name: value for name, value in (flags or {}).items() if value is not None}
    return open_project(root, env=env, flags=given, strict=strict)


# ── init ──────────────────────────────────────────────────────────────────────────────────────────
@main.command()
@click.argument("directory", default=".", type=click.Path(file_okay=False))
@click.pass_context
def init(ctx: click.Context, directory: str) -> None:
    """Start a project: settings, a sample document, themes/, a workflow for GitHub Pages. Never overwrites."""
    from kgsite.scaffold import scaffold

    target = ctx.obj[0] / directory
    made, kept = scaffold(target)
    for name in made:
        click.echo(f"made  {name}")
    for name in kept:
        click.echo(f"kept  {name}")
    where = "" if directory == "." else f"cd {directory} && "
    click.echo(f"next: {where}kgsite build")


def _with(options: list[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    """Apply several option decorators, the first one shown first."""

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


# ── build ─────────────────────────────────────────────────────────────────────────────────────────
_BUILD_FLAGS = [
    click.option(
        "--frozen", is_flag=True, help="Never call a model or the network; fail with a list if a document needs it."
    ),
    click.option("--dry-run", is_flag=True, help="Print documents, chunks, tokens and cost; write nothing."),
    click.option("--explain", is_flag=True, help="Say for each document why it is or is not extracted again."),
    click.option("--only", multiple=True, metavar="PATH", help="Extract only this document or folder (repeatable)."),
    click.option("--clean", is_flag=True, help="Forget output and cache first; committed state is kept."),
    click.option("--strict", is_flag=True, help="Warnings and losses fail the build; nothing is published then."),
    click.option(
        "--keep-going", is_flag=True, help="Publish what is there when the endpoint or budget gives out (exit 3)."
    ),
    click.option("--base-url", metavar="URL", help="Where the site will be published."),
    click.option("--out", metavar="DIR", help="Folder that is published."),
    click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Worker processes."),
    click.option("--drafts/--no-drafts", default=None, help="Build documents marked as drafts too."),
    click.option("--no-cache", is_flag=True, help="Extract everything anew and ignore stored replies."),
    click.option("--refetch", is_flag=True, help="Fetch web sources again."),
    click.option(
        "--batch", is_flag=True, help="Send chunk requests through the Batch API (half the price, within a day)."
    ),
    click.option("--json", "json_lines", is_flag=True, help="One JSON event per line on stdout."),
    click.option("--quiet", is_flag=True, help="Only errors and the exit code."),
]


@main.command()
@_with(_BUILD_FLAGS)
@click.pass_context
def build(ctx: click.Context, /, json_lines: bool, quiet: bool, **given: Any) -> None:
    """Build the site from content/."""
    from kgsite.build import BuildOptions, closing_hint
    from kgsite.build import build as run
    from kgsite.report import Report, display_for
    from kgsite.summary import interrupted_line, summary_lines, write_failure, write_report

    settings = {"site.base_url": "base_url", "build.output": "out", "build.jobs": "jobs", "build.drafts": "drafts"}
    flags = {dotted: given.pop(name) for dotted, name in settings.items()}
    project = _open(ctx, flags, strict=given["strict"])
    options = BuildOptions(**{**given, "only": tuple(given["only"])})
    report = Report(display_for(json_lines=json_lines, quiet=quiet))
    try:
        result = run(project, options, report)
    except KgsiteError as error:
        report.display.event("error", {"code": error.code, "message": str(error)})
        if not options.dry_run:
            write_failure(project, report, error)
        raise
    except KeyboardInterrupt:
        report.display.close()
        click.echo(interrupted_line(report), err=True)
        ctx.exit(INTERRUPTED)
    finally:
        report.display.close()
    if options.dry_run:
        report.display.event("plan", report.extra.get("plan", {}))
        ctx.exit(result.exit_code)
    lines = summary_lines(report, result, output=project.settings.build.output, hint=closing_hint(project))
    write_report(project, report, result, lines)
    for line in lines:
        report.say(line)
    report.display.event("summary", {**report.as_json(), "exit_code": result.exit_code, "site": dict(result.totals)})
    ctx.exit(result.exit_code)


# ── extract, export ───────────────────────────────────────────────────────────────────────────────
@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="A file, or a folder for several documents; stdout without it.",
)
@click.pass_context
def extract(ctx: click.Context, files: tuple[Path, ...], out: Path | None) -> None:
    """Write document graphs (Knwler JSON) without a site."""
    from kgsite.api import extract_file
    from kgsite.graphfile import dump

    folder = out is not None and (len(files) > 1 or out.is_dir() or str(out).endswith("/"))
    failed = False
    for path in files:
        try:
            data = dump(
                extract_file(path, root=ctx.obj[0], env=ctx.obj[1], warn=lambda line: click.echo(line, err=True))
            )
        except KgsiteError as error:
            if len(files) == 1:
                raise
            _tell(error)
            failed = True
            continue
        if out is None:
            sys.stdout.buffer.write(data)
        else:
            _write(out / f"{path.name}.json" if folder else out, data)
    if failed:
        ctx.exit(3)


def _write(path: Path, data: bytes) -> None:
    from kgsite.store import write_atomic

    write_atomic(path, data)
    click.echo(f"wrote {path}", err=True)


# ── config, cache ─────────────────────────────────────────────────────────────────────────────────
@main.command()
@click.option("--strict", is_flag=True, help="Unknown keys are errors.")
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
@click.pass_context
def config(ctx: click.Context, strict: bool, as_json: bool) -> None:
    """Print each setting, its value and where it came from."""
    from kgsite.config import describe, load

    root, env = ctx.obj
    loaded = load(root.resolve(), env=env, environ=os.environ, strict=strict)
    rows = list(describe(loaded))
    if as_json:
        import json

        click.echo(
            json.dumps(
                {key: {"value": value, "from": origin} for key, value, origin in rows}, ensure_ascii=False, indent=1
            )
        )
    else:
        width = min(60, max(len(f"{key} = {value}") for key, value, _ in rows))
        for key, value, origin in rows:
            click.echo(f"{f'{key} = {value}':<{width}}  # {origin}")
    for warning in loaded.warnings:
        click.echo(f"warning: {warning}", err=True)


@main.command()
@click.argument("action", type=click.Choice(["stats", "prune", "clear"]), default="stats")
@click.pass_context
def cache(ctx: click.Context, action: str) -> None:
    """Show, tidy or empty what .kgsite/ keeps; committed state is never touched.

    stats shows sizes; prune drops replies and snapshots that no present document uses; clear drops the cache and all
    stored replies (extracting again costs money then).
    """
    from kgsite.housekeeping import clear, prune, stats

    project = _open(ctx)
    actions: dict[str, Callable[[Project], Iterator[str]]] = {"stats": stats, "prune": prune, "clear": clear}
    for line in actions[action](project):
        click.echo(line)


main.add_command(ask)
main.add_command(check)
main.add_command(export)
main.add_command(schema)
main.add_command(serve)


if __name__ == "__main__":
    main()
