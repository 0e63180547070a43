"""What the overlay is told about an error."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from kgsite.errors import ConfigError, Place, ThemeError
from kgsite.serve.faults import faults_of, source_lines
from kgsite.serve.watch import CONTROL, Watched, Watcher
from tests.serve.serving import make_project


def test_five_lines_with_the_wrong_one_marked(tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text("\n".join(f"line {n}" for n in range(1, 10)))
    (fault,) = faults_of(ConfigError("wrong", at=Place("site.toml", 5, 3), hint="do this"), tmp_path)
    assert [(line["number"], line["hit"]) for line in fault["source"]] == [
        (3, False), (4, False), (5, True), (6, False), (7, False),
    ]  # fmt: skip
    assert (fault["place"], fault["line"], fault["column"], fault["hint"]) == ("site.toml:5:3", 5, 3, "do this")


def test_lines_at_the_ends(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n2\n3\n")
    assert [line["number"] for line in source_lines(Place("a", 1), tmp_path)] == [1, 2, 3]
    assert [line["number"] for line in source_lines(Place("a", 3), tmp_path)] == [1, 2, 3]
    assert source_lines(Place("a", 4, None, "quoted"), tmp_path) == [{"number": 4, "text": "quoted", "hit": True}]
    assert source_lines(Place("a"), tmp_path) == []


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/passwd", "link", "the packaged theme 'default'/../../pyproject.toml"]
)
def test_only_files_of_the_project_are_quoted(name: str, tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "secret").write_text("secret")
    (root / "link").symlink_to(tmp_path / "secret")
    assert source_lines(Place(name, 1), root) == []


def test_the_packaged_theme_is_quoted(tmp_path: Path) -> None:
    place = Place("the packaged theme 'default'/templates/base.html", 1)
    assert [line["hit"] for line in source_lines(place, tmp_path)] == [True, False, False]


def test_several_problems_and_a_bug(tmp_path: Path) -> None:
    from kgsite.config.load import ConfigProblemsError

    both = ConfigProblemsError([ConfigError("one"), ConfigError("two")])
    assert [fault["message"] for fault in faults_of(both, tmp_path)] == ["one", "two"]
    assert faults_of(ThemeError("broken"), tmp_path)[0]["code"] == "theme"
    (bug,) = faults_of(ZeroDivisionError("division by zero"), tmp_path)
    assert "unexpected ZeroDivisionError" in bug["message"]


def test_without_events_polling_takes_over_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_project(tmp_path)
    said: list[str] = []
    seen: list[str] = []

    async def deaf(_self: Watcher, _paths: object, _recursive: bool) -> None:
        await asyncio.sleep(3600)

    monkeypatch.setattr(Watcher, "_listen", deaf)

    async def watch() -> None:
        watcher = Watcher(lambda: Watched(tmp_path, (tmp_path / "content",)), seen.extend, say=said.append)
        running = asyncio.create_task(watcher.run())
        for number in range(2):
            (tmp_path / "content" / f"new{number}.md").write_text("x")
            for _ in range(int(CONTROL * 100)):
                await asyncio.sleep(0.1)
                if len(seen) > number:
                    break
        running.cancel()

    asyncio.run(watch())
    assert seen == ["content/new0.md", "content/new1.md"]
    assert len(said) == 1
    assert "polling" in said[0]
