"""`kgsite serve`: parse, call, print, exit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, metavar="NAME", help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), metavar="N", help="Port; without it the first free one from 8000 on."
)
@click.option("--open", "open_browser", is_flag=True, help="Open the site in the browser.")
@click.option("--poll", is_flag=True, help="Look for changes every half second instead of waiting for file events.")
@click.option("--drafts/--no-drafts", default=None, help="Show documents marked as drafts too.")
@click.option(
    "--allow-network", is_flag=True, help="Let other machines in (with --host); turns Ask and the library off."
)
@click.pass_context
def serve(ctx: click.Context, /, **given: Any) -> None:
    """Build, preview at the address the site will have, watch and reload."""
    from kgsite.serve import ServeOptions
    from kgsite.serve import serve as run

    root, env = ctx.obj
    ctx.exit(run(ServeOptions(Path(root), env, **given), lambda line: click.echo(line, err=True)))
