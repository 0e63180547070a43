"""`kgsite schema`: parse, call, print, exit."""

from __future__ import annotations

from pathlib import Path

import click


@click.group()
def schema() -> None:
    """Show, discover or write the schema of the extraction."""


def _out(path: Path | None, text: str) -> None:
    if path is None:
        click.echo(text, nl=False)
        return
    from kgsite.store import write_atomic

    write_atomic(path, text.encode("utf-8"))
    click.echo(f"wrote {path}", err=True)


@schema.command()
@click.option("--in-use", is_flag=True, help="The types that the stored graphs use, whatever is declared.")
@click.pass_context
def show(ctx: click.Context, /, *, in_use: bool) -> None:
    """Print the schema in force as TOML; the types in use when there is none."""
    from kgsite.api import site_schema
    from kgsite.extract.schema_writing import to_toml

    found = site_schema(ctx.obj[0], env=ctx.obj[1], in_use=in_use)
    click.echo(to_toml(found, comment=f"from {found.at}"), nl=False)


@schema.command()
@click.option("-o", "--out", type=click.Path(path_type=Path), metavar="PATH", help="File; stdout without it.")
@click.option("--in-use", is_flag=True, help="The types that the stored graphs use, whatever is declared.")
@click.pass_context
def write(ctx: click.Context, /, out: Path | None, *, in_use: bool) -> None:
    """Write the schema as JSON Schema (draft 2020-12)."""
    from kgsite.api import site_schema
    from kgsite.extract.schema import to_json_schema
    from kgsite.site.escape import to_json

    found = site_schema(ctx.obj[0], env=ctx.obj[1], in_use=in_use)
    _out(out, to_json(to_json_schema(found), indent=True).decode())


@schema.command()
@click.option("-o", "--out", type=click.Path(path_type=Path), metavar="PATH", help="File; stdout without it.")
@click.pass_context
def discover(ctx: click.Context, /, out: Path | None) -> None:
    """Propose a schema: the model's, else the types in use. Put the file into site.toml as [schema] path."""
    from kgsite.api import discover_schema
    from kgsite.extract.schema_writing import to_toml

    found = discover_schema(ctx.obj[0], env=ctx.obj[1], warn=lambda line: click.echo(line, err=True))
    click.echo(f"{len(found.entity_types)} entity types, {len(found.relation_types)} relation types", err=True)
    _out(out, to_toml(found, comment=f"proposed by {found.at}"))
