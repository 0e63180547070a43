"""`kgsite ask`: parse, call, print, exit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kgsite.ask.records import Answer


@click.command()
@click.argument("question", nargs=-1)
@click.option("--json", "as_json_line", is_flag=True, help="The answer as one JSON object on a line of stdout.")
@click.option("--no-facts", is_flag=True, help="Only the answer, without the facts behind it.")
@click.option("--no-model", is_flag=True, help="Ask no model: show the facts that bear on the question.")
@click.option("--no-cache", is_flag=True, help="Ask the model again, even when the same question was answered before.")
@click.pass_context
def ask(
    ctx: click.Context,
    /,
    question: tuple[str, ...],
    *,
    as_json_line: bool,
    no_facts: bool,
    no_model: bool,
    no_cache: bool,
) -> None:
    """Answer a question from the graph, with citations; a conversation without a QUESTION."""
    import sys

    from kgsite.ask import as_json, open_asker
    from kgsite.ask.terminal import Screen, converse
    from kgsite.project import open_project
    from kgsite.report import Report, display_for

    root, env = ctx.obj
    project = open_project(root, env=env)
    report = Report(display_for(json_lines=False))
    with open_asker(project, report, use_model=not no_model, fresh=no_cache) as asker:
        screen = Screen(sys.stdout, facts=not no_facts)

        def show(answer: Answer) -> None:
            if as_json_line:
                from kgsite.site.escape import to_json

                click.echo(to_json(as_json(answer, asker.index, facts=not no_facts)).decode().strip())
            else:
                screen.answer(answer)

        text = " ".join(question).strip()
        if not text:
            converse(asker, sys.stdin, screen, show, stream=not as_json_line)
            return
        show(asker.answer(text, on_text=None if as_json_line else screen.grow))
