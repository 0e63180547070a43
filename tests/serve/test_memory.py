"""A build that remembers the last one gives the same bytes as one that does not, and does less."""

from __future__ import annotations

import gc
import weakref
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kgsite import sitebuild, warm
from kgsite.ask.index import GraphIndex
from kgsite.ask.numbering import Numbering
from kgsite.ask.retrieve import retrieve
from kgsite.build import BuildOptions, BuildResult, build
from kgsite.config.settings import QuerySettings
from kgsite.errors import ThemeError
from kgsite.project import Project, World, open_project
from kgsite.report import Report
from kgsite.warm import Memory, same_maker
from tests.serve.serving import make_project

EDITS = {
    "landing": ("content/index.md", "# Anfang\n\nEin anderes Wort.\n"),
    "section": ("content/teil/_index.md", "# Teil\n"),
    "document": ("content/curie.md", "---\nlanguage: de\n---\nPierre Curie traf Otto Hahn in Bonn.\n"),
    "draft": ("content/meitner.md", "---\nlanguage: de\ndraft: true\n---\nLise Meitner traf Otto Hahn.\n"),
    "setting": ("site.toml", '[site]\ntitle = "Anders"\nlanguage = "de"\n\n[extract]\nlanguage = "de"\n'),
    "template": ("themes/default/templates/landing.html", '{% extends "parent:landing.html" %}{# neu #}\n'),
    "style": ("themes/default/static/css/site.css", "body { color: red }\n"),
    "words": ("themes/default/i18n/en.toml", '[nav]\ndocuments = "Papers"\n'),
}


YOUNG = 1 << 62  # how old a file has to be: none is


def run(root: Path, memory: Memory | None) -> BuildResult:
    world = World(environ={"SOURCE_DATE_EPOCH": "1700000000"}, memory=memory)
    return build(open_project(root, world=world), BuildOptions(), Report())


def tree(root: Path) -> dict[str, bytes]:
    site = root / "_site"
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in sorted(site.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    ("edit", "settled"), [*((edit, 0) for edit in EDITS), ("landing", YOUNG), ("document", YOUNG), ("words", YOUNG)]
)
def test_the_same_bytes_with_and_without_memory(
    edit: str, settled: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm, "_SETTLED", settled)
    remembering, cold = make_project(tmp_path / "warm"), make_project(tmp_path / "cold")
    memory = Memory()
    for root in (remembering, cold):
        run(root, memory if root == remembering else None)
        name, text = EDITS[edit]
        before = (root / name).read_bytes() if (root / name).exists() else None
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
        run(root, memory if root == remembering else None)
    assert tree(remembering) == tree(cold)
    for root in (remembering, cold):  # and back
        if before is None:
            (root / name).unlink()
        else:
            (root / name).write_bytes(before)
        run(root, memory if root == remembering else None)
    assert tree(remembering) == tree(cold)


HEADED = "# Anfang\n\nEin Wort.\n\n# Ende\n\nSchluss.\n"
LINKED = {
    "a heading comes": [("index.md", HEADED)],
    "a heading moves": [("index.md", HEADED), ("index.md", HEADED.replace("Ein Wort.", "Ein Wort.\n\nNoch eins."))],
    "the page goes": [("index.md", None)],
    "a section gets a heading": [("teil/_index.md", HEADED)],
}


@pytest.mark.parametrize("edits", LINKED.values(), ids=LINKED)
def test_links_follow_the_texts_that_they_lead_to(edits: list[tuple[str, str | None]], tmp_path: Path) -> None:
    remembering, cold = make_project(tmp_path / "warm"), make_project(tmp_path / "cold")
    for root, memory in ((remembering, Memory()), (cold, None)):
        content = root / "content"
        (content / "teil").mkdir()
        (content / "teil" / "_index.md").write_text("# Teil\n")
        with (content / "curie.md").open("a") as document:
            document.write("Siehe [den Anfang](index.md#ende) und [den Teil](teil/_index.md#ende).\n")
        run(root, memory)
        for name, text in edits:
            (content / name).unlink() if text is None else (content / name).write_text(text)
            run(root, memory)
    assert tree(remembering) == tree(cold)


def test_a_new_landing_text_makes_one_page(tmp_path: Path) -> None:
    root, memory = make_project(tmp_path), Memory()
    run(root, memory)
    (root / "content" / "index.md").write_text("# Anfang\n\nEin anderes Wort.\n")
    collection, context = memory.collection, memory.context
    result = run(root, memory)
    assert result.totals["rendered"] == 1
    assert memory.collection is collection
    assert memory.context is context


def test_an_unchanged_site_fills_the_memory_when_asked(tmp_path: Path) -> None:
    root, memory = make_project(tmp_path), Memory(filling=True)
    run(root, None)
    result = run(root, memory)
    assert result.nothing_to_do
    assert memory.collection is not None
    memory.filling, collection = False, memory.collection
    assert run(root, memory).nothing_to_do
    (root / "content" / "index.md").write_text("# Anfang\n\nEin anderes Wort.\n")
    assert run(root, memory).totals["rendered"] == 1
    assert memory.collection is collection


def test_a_file_written_twice_within_one_tick_of_the_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, memory = tmp_path / "a.css", Memory()
    file.write_text("a")
    stamp = warm.stamp_of(file)
    monkeypatch.setattr(warm, "stamp_of", lambda _file: stamp)  # as a coarse clock has it
    first = memory.digest(file)
    file.write_text("b")
    assert memory.digest(file) != first
    monkeypatch.setattr(warm, "_SETTLED", 0)
    kept = memory.digest(file)
    file.write_text("c")
    assert memory.digest(file) == kept  # an old file is read once


def test_nothing_of_earlier_builds_stays_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "_SETTLED", 0)
    root, memory = make_project(tmp_path), Memory()
    contexts, indexes = [], []
    for name in ("Anna Berg", "Max Born", "Otto Stern"):  # whose pages go again
        (root / "content" / f"{name}.md").write_text(f"---\nlanguage: de\n---\n{name} traf Otto Hahn in Bonn.\n")
        run(root, memory)
        assert memory.context is not None
        contexts.append(weakref.ref(memory.context))
        (root / "content" / f"{name}.md").unlink()
        run(root, memory)
        assert memory.context is not None
        assert memory.collection is not None
        index = GraphIndex(memory.collection)
        found = retrieve(index, "Wo arbeitete Lise Meitner?", QuerySettings())
        assert Numbering(index).numbered(found)
        contexts.append(weakref.ref(memory.context))
        indexes.append(weakref.ref(index))
    del index, found
    gc.collect()
    assert [made() is not None for made in contexts] == [False] * 5 + [True]
    assert not any(made() for made in indexes)
    assert set(memory.outputs) <= set(tree(root))
    assert set(memory.graphs) == {"curie.md", "meitner.md"}
    assert set(memory.sources) == {"curie.md", "meitner.md", "index.md"}


def test_only_what_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "_SETTLED", 0)
    root, memory = make_project(tmp_path), Memory()
    run(root, memory)
    read: list[str] = []
    monkeypatch.setattr("kgsite.discover.read_bytes", lambda file, _limit: read.append(file.name) or file.read_bytes())
    run(root, memory)
    assert read == []
    (root / "content" / "index.md").write_text("# Anfang\n\nEin anderes Wort.\n")
    run(root, memory)
    assert read == ["index.md"]


@pytest.mark.parametrize("remembers", [True, False])
def test_a_style_saved_during_a_build_is_in_the_next_one(
    remembers: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, memory = make_project(tmp_path), Memory() if remembers else None
    style = root / "themes/default/static/css/site.css"
    style.parent.mkdir(parents=True)
    style.write_text("body { color: red }\n")
    put_in_place = sitebuild._put_in_place

    def save_meanwhile(*arguments: Any) -> Any:
        style.write_text("body { color: blue }\n")
        return put_in_place(*arguments)

    monkeypatch.setattr(sitebuild, "_put_in_place", save_meanwhile)
    run(root, memory)
    monkeypatch.setattr(sitebuild, "_put_in_place", put_in_place)
    run(root, memory)
    assert b"blue" in b"".join(data for name, data in tree(root).items() if name.endswith(".css"))


def test_a_style_saved_during_a_build_that_fails_is_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, memory = make_project(tmp_path), Memory()
    style = root / "themes/default/static/css/site.css"
    style.parent.mkdir(parents=True)
    style.write_text("body { color: red }\n")
    themes_state = sitebuild._themes_state

    def save_meanwhile(project: Project) -> str:
        state = themes_state(project)
        style.write_text("body { color: blue }\n")
        return state

    def fail(*_arguments: Any) -> Any:
        raise ThemeError("a template is broken")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(sitebuild, "_themes_state", save_meanwhile)
        meanwhile.setattr(sitebuild, "_render", fail)
        with pytest.raises(ThemeError):
            run(root, memory)
    style.write_text("body { color: red }\n")
    run(root, memory)
    assert b"blue" not in b"".join(data for name, data in tree(root).items() if name.endswith(".css"))


def test_a_page_that_was_touched_is_mended(tmp_path: Path) -> None:
    root, memory = make_project(tmp_path), Memory()
    run(root, memory)
    page = root / "_site" / "about" / "index.html"
    good = page.read_bytes()
    page.write_bytes(b"broken")
    run(root, memory)
    assert page.read_bytes() == good


def test_what_counts_as_the_same_maker() -> None:
    def make(*_things: object) -> bytes:
        return b""

    big = object()
    assert same_maker(partial(make, big, [1, 2]), partial(make, big, [1, 2]))
    assert same_maker(partial(make, partial(make, big)), partial(make, partial(make, big)))
    assert not same_maker(partial(make, big), partial(make, object()))
    assert not same_maker(partial(make, 1), partial(make, True))
    assert not same_maker(partial(make, 1), partial(make, 1, 2))
    assert not same_maker(partial(make, 1), make)
    assert not same_maker(lambda: b"", lambda: b"")
