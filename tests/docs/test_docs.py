"""Documentation is a tested artifact: every key, flag and error code stands in docs/, with its default."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click
import pytest

from kgsite import errors
from kgsite.cli import main
from kgsite.config import known_keys, table_name
from kgsite.config.load import _SECTIONS, to_toml
from kgsite.scaffold import _files as scaffolded
from kgsite.scaffold import scaffold

DOCS = Path(__file__).parents[2] / "docs"


def key_row(dotted: str) -> str:
    """The row of docs/configuration.md for a key."""
    section, key = dotted.split(".")
    spec = next(spec for spec in dataclasses.fields(_SECTIONS[section]) if spec.name == key)
    default = spec.default if spec.default is not dataclasses.MISSING else spec.default_factory()
    later = " *(not yet)*" if spec.metadata["pending"] else ""
    return f"| `{key}` | `{to_toml(default)}` | {spec.metadata['doc'].replace('|', chr(92) + '|')}{later} |"


@pytest.mark.parametrize("dotted", list(known_keys()))
def test_every_key_is_documented_with_its_default(dotted: str) -> None:
    text = (DOCS / "configuration.md").read_text(encoding="utf-8")
    table = f"## [{table_name(dotted).split('.')[0]}]"
    assert table in text
    section = text.split(table, 1)[1].split("\n## ", 1)[0]
    assert key_row(dotted) in section


def commands() -> list[tuple[str, click.Command]]:
    found: list[tuple[str, click.Command]] = []

    def walk(prefix: str, command: click.Command) -> None:
        found.append((prefix, command))
        if isinstance(command, click.Group):
            for name, child in command.commands.items():
                walk(f"{prefix} {name}".strip(), child)

    walk("", main)
    return found


@pytest.mark.parametrize(("name", "command"), commands(), ids=[name or "kgsite" for name, _ in commands()])
def test_every_command_and_flag_is_documented(name: str, command: click.Command) -> None:
    text = (DOCS / "commands.md").read_text(encoding="utf-8")
    heading = f"## kgsite {name}".rstrip()
    assert f"{heading}\n" in text
    section = text.split(f"{heading}\n", 1)[1].split("\n## ", 1)[0]
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            for flag in (*parameter.opts, *parameter.secondary_opts):
                assert f"`{flag}" in section, f"{flag} of {heading}"


def error_classes() -> list[type[errors.KgsiteError]]:
    found: list[type[errors.KgsiteError]] = []
    pending = [errors.KgsiteError]
    while pending:
        for child in pending.pop().__subclasses__():
            found.append(child)
            pending.append(child)
    return found


def test_every_error_code_is_documented() -> None:
    text = (DOCS / "errors.md").read_text(encoding="utf-8")
    for kind in error_classes():
        assert f"| `{kind.code}` | {kind.exit_code} |" in text, kind.__name__


def test_links_between_documents_lead_somewhere() -> None:
    import re

    root = DOCS.parent
    files = [root / "README.md", root / "CHANGELOG.md", *DOCS.rglob("*.md"), root / "benchmarks" / "README.md"]
    for file in files:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", file.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (file.parent / target).exists(), f"{file.name}: {target}"


def test_what_is_to_be_committed_is_what_the_gitignore_leaves() -> None:
    """The table of `.kgsite/` in docs/architecture.md against the .gitignore that `kgsite init` writes."""
    ignored = {line for line in scaffolded()[".gitignore"].splitlines() if line.startswith(".kgsite/")}
    section = (DOCS / "architecture.md").read_text(encoding="utf-8").split("## State", 1)[1].split("\n## ", 1)[0]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("| `")]
    advice = {f".kgsite/{row[1].strip().strip('`')}": row[3].strip() for row in rows}
    assert len(advice) >= 7
    for path, told in advice.items():
        assert told.startswith("no" if path in ignored else "yes"), path


def test_init_says_that_it_makes_a_folder_for_themes(tmp_path: Path) -> None:
    made, kept = scaffold(tmp_path)
    assert (tmp_path / "themes").is_dir()
    assert "themes/" in made
    made, kept = scaffold(tmp_path)
    assert made == []
    assert "themes/" in kept
