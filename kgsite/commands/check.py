"""`kgsite check`: parse, call, print, exit."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--llm", is_flag=True, help="Test the model endpoint with two small requests.")
@click.option("--external", is_flag=True, help="Follow links to other sites; they only warn.")
@click.option("--strict", is_flag=True, help="Warnings fail the check too.")
@click.option("--json", "json_lines", is_flag=True, help="One JSON object per finding on stdout.")
@click.pass_context
def check(
    ctx: click.Context, /, files: tuple[Path, ...], *, llm: bool, external: bool, strict: bool, json_lines: bool
) -> None:
    """Check settings, content, graphs, schema, links, sizes and what is published; changes nothing.

    With FILES, only these plain documents are checked against the schema.
    """
    from dataclasses import asdict

    from kgsite.checking import check_project, totals
    from kgsite.project import open_project

    root, env = ctx.obj
    project = open_project(root, env=env)
    found = []
    for finding in check_project(project, files=files, external=external, model=llm):
        found.append(finding)
        if json_lines:
            from kgsite.site.escape import to_json

            click.echo(to_json(asdict(finding)).decode())
        else:
            click.echo(finding.line().encode("utf-8", "backslashreplace").decode("utf-8"))
    counts = totals(found)
    told = (f"{counts[level]:,} {level}{'' if counts[level] == 1 else 's'}" for level in ("error", "warning"))
    click.echo(", ".join(told), err=True)
    ctx.exit(1 if counts["error"] or (strict and counts["warning"]) else 0)
