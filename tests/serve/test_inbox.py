"""Documents that are added in the browser: safe names, nothing overwritten, limits, and a way back."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from kgsite.errors import UsageError
from kgsite.serve import inbox as module
from kgsite.serve.inbox import Batch, Inbox, free_name, safe_name
from kgsite.serve.library import Library
from kgsite.site.urls import is_safe
from tests.serve.serving import make_project, served

NAMES = {
    "Bericht.md": "Bericht.md",
    "../../etc/passwd.txt": "passwd.txt",
    "C:\\Users\\x\\a.docx": "a.docx",
    "a/b/../c.PDF": "c.pdf",
    "index.md": "document index.md",
    "_index.md": "document index.md",
    "urls.txt": "document urls.txt",
    ".hidden.md": "hidden.md",
    "…   .md": "….md",
    "con.txt": "document con.txt",
    "a<b>&\x00\x1b[31m.html": "a b & [31m.html",
    "東京.md": "東京.md",
    "\u202etxt.exe.md": "txt.exe.md",
    "~$lock.docx": "lock.docx",
    "name .md ": "name.md",
    ".md": "document.md",
}


@pytest.mark.parametrize(("given", "made"), NAMES.items())
def test_names_from_outside_become_file_names(given: str, made: str) -> None:
    assert safe_name(given) == made
    assert is_safe(made)


@pytest.mark.parametrize("given", ["x.exe", "x", "", "x.md.toml", "corrections.toml", "x.svg", "x.md/", ".."])
def test_other_kinds_are_refused(given: str) -> None:
    with pytest.raises(UsageError):
        safe_name(given)


def test_long_names_are_cut_on_a_character() -> None:
    made = safe_name("ü" * 300 + ".md")
    assert made.startswith("üüü")
    assert len(made.encode()) < 120


def test_a_free_name_is_free_after_folding() -> None:
    assert free_name("A.md", {"a.md", "a-2.md"}) == "A-3.md"


@pytest.fixture
def box(tmp_path: Path) -> Inbox:
    return Inbox(tmp_path / "inbox")


def test_nothing_is_overwritten(box: Inbox, tmp_path: Path) -> None:
    content = tmp_path / "content"
    content.mkdir()
    (content / "A.md").write_text("old")
    batch = box.batch()
    box.add(batch, "a.md", b"new")
    box.add(batch, "a.md", b"newer")
    assert batch.names() == ["a-2.md", "a.md"]
    box.place(batch, content)
    assert {path.name: path.read_text() for path in content.iterdir()} == {
        "A.md": "old", "a-2.md": "newer", "a-3.md": "new",
    }  # fmt: skip
    assert batch.names() == []


def test_what_was_placed_comes_back(box: Inbox, tmp_path: Path) -> None:
    batch = box.batch()
    for name in ("one.md", "two.md"):
        box.add(batch, name, name.encode())
    assert box.place(batch, tmp_path / "content") == ["one.md", "two.md"]
    box.take_back(batch, {"one.md"})
    assert [path.name for path in (tmp_path / "content").iterdir()] == ["one.md"]
    assert batch.names() == ["two.md"]


def test_limits(box: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 2)
    monkeypatch.setattr(module, "LARGEST_FILE", 10)
    batch = box.batch()
    with pytest.raises(UsageError, match="too large"):
        box.add(batch, "x.md", b"x" * 11)
    box.add(batch, "x.md", b"x")
    box.add(batch, "y.md", b"x")
    with pytest.raises(UsageError, match="at most 2"):
        box.add(batch, "z.md", b"x")
    with pytest.raises(UsageError, match="no such batch"):
        box.batch("../..")
    box.drop(batch, "../../site.toml")
    assert batch.names() == ["x.md", "y.md"]


def test_cancelled_documents_leave_content_again(tmp_path: Path) -> None:
    """Over the wire: two hundred documents are added, started and cancelled; the rest of the site stays as it was."""
    import json

    make_project(tmp_path)
    with served(tmp_path) as running:
        token = {"X-Kgsite-Token": running.token}

        def call(what: str, query: str = "", body: bytes = b"") -> dict[str, object]:
            _, _, answer = running.raw("POST", f"/-kgsite/api/library/{what}?{query}", token, body)
            said = json.loads(answer)
            assert isinstance(said, dict)
            return said

        batch = f"batch={call('add', 'name=n000.md', b'Otto Hahn traf Lise Meitner.')['batch']}"
        text = "---\nlanguage: de\n---\n" + "Otto Hahn traf Lise Meitner in Wien. " * 40
        for number in range(1, 200):
            call("add", f"{batch}&name=n{number:03}.md", text.encode())
        assert len(call("start", batch)["paths"]) == 200  # type: ignore[arg-type]
        graphs = tmp_path / ".kgsite" / "graphs"
        running.until(lambda: list(graphs.glob("n*.json")) or running.builds > 1, "the first new graph")
        call("cancel")
        running.until(
            lambda: any(line.startswith("stopped") for line in running.lines) or running.builds > 1, "the stop"
        )
        running.until(lambda: running.is_quiet(1), "quiet")
        inside = {path.name for path in (tmp_path / "content").glob("n*.md")}
        assert {path.name.removesuffix(".json") for path in graphs.glob("n*.json")} == inside
        assert (tmp_path / "content" / "curie.md").is_file()
        assert running.get("documents/curie/")[0] == 200


# ── a batch and the builds around it ──────────────────────────────────────────────────────────────
class Preview:
    """As much of a server as the library knows."""

    def __init__(self, root: Path, *, building: bool) -> None:
        self.root, self.content, self.building = root, root / "content", building
        self.waiting: set[str] = set()
        self.channel = SimpleNamespace(state={"phase": "ready"})
        self.orders: list[str] = []
        self.builder = SimpleNamespace(interrupt=lambda: self.orders.append("interrupt"))

    def changed(self, names: list[str]) -> None:
        self.waiting |= set(names)
        self.next()

    def next(self) -> None:
        if not self.building and self.waiting:
            self.building = True
            self.waiting.clear()


def started(root: Path, *, building: bool) -> tuple[Library, Batch, Preview]:
    preview = Preview(root, building=building)
    library = Library(preview)  # type: ignore[arg-type]
    batch = library.inbox.batch()
    library.inbox.add(batch, "new.md", b"x")
    library.start(batch)
    return library, batch, preview


def test_the_build_that_ran_before_is_not_taken_for_that_of_the_batch(tmp_path: Path) -> None:
    library, batch, preview = started(tmp_path, building=True)
    preview.building = False
    library.ended({"new.md": "documents/new/index.html"}, stopped=False)  # it saw the new file already
    preview.next()
    assert library.state(batch)["running"] is True
    library.ended({}, stopped=False)
    state = library.state(batch)
    assert (state["running"], state["outcome"], state["started"]) == (False, "ready", ["new.md"])
    assert state["addresses"] == {"new.md": "documents/new/index.html"}


def test_a_batch_that_waits_can_be_cancelled(tmp_path: Path) -> None:
    library, batch, preview = started(tmp_path, building=True)
    library.cancel()
    assert preview.orders == []  # the build before goes on
    assert library.state(batch)["outcome"] == "stopped"
    assert batch.names() == ["new.md"]
    assert list(preview.content.iterdir()) == []


def test_a_batch_that_is_built_can_be_cancelled(tmp_path: Path) -> None:
    library, batch, preview = started(tmp_path, building=False)
    library.cancel()
    assert preview.orders == ["interrupt"]
    library.ended({}, stopped=True)
    assert (library.state(batch)["outcome"], batch.names()) == ("stopped", ["new.md"])


def test_a_failed_build_leaves_the_documents_in_content(tmp_path: Path) -> None:
    library, batch, preview = started(tmp_path, building=False)
    preview.channel.state = {"phase": "failed"}
    library.ended({}, stopped=False)
    assert library.state(batch)["outcome"] == "failed"
    assert [path.name for path in preview.content.iterdir()] == ["new.md"]
