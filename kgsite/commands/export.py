"""`kgsite export`: parse, call, print, exit."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kgsite.exporters import FORMATS


@click.command()
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="json", show_default=True, help="Format.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="A file (stdout without it), or the folder that csv and parquet need.",
)
@click.option("--document", metavar="PATH", help="One document, by its path below content/ or its slug.")
@click.option("--extracted-only", is_flag=True, help="Leave inferred relations out.")
@click.pass_context
def export(ctx: click.Context, /, form: str, out: Path | None, document: str | None, *, extracted_only: bool) -> None:
    """Write the collection, or one document, for another program."""
    from kgsite.api import export_site
    from kgsite.errors import UsageError
    from kgsite.store import write_atomic

    root, env = ctx.obj
    chosen = FORMATS[form]
    if out is None and not chosen.single:
        message = f"--format {form} writes {len(chosen.files)} files"
        raise UsageError(message, hint="name a folder for them with --out")
    files = export_site(root, form, document=document, extracted_only=extracted_only, env=env)
    if out is None:
        sys.stdout.buffer.write(next(iter(files.values())))
        return
    inside = not chosen.single or out.is_dir() or str(out).endswith("/")
    if not chosen.single and out.is_file():
        raise UsageError(f"--out {out} is a file", hint=f"{form} needs a folder")
    for name, data in files.items():
        path = out / name if inside else out
        write_atomic(path, data)
        click.echo(f"wrote {path}", err=True)
