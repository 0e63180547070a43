"""What lies in content/ while the server runs is what the site shows, however it got there; and the server lives."""

from __future__ import annotations

import asyncio
import re
import shutil
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgsite.build import BuildOptions, build
from kgsite.project import open_project
from kgsite.report import Report
from kgsite.serve.watch import Watched, Watcher, differences, is_ignored
from tests.serve.serving import Served, make_project, served

HAHN = "---\nlanguage: de\ntitle: {title}\n---\nOtto Hahn arbeitete in Berlin. Lise Meitner traf Otto Hahn in Wien.\n"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    root = make_project(tmp_path / "project")
    (root / "themes").mkdir()
    with served(root) as running:
        yield running


def test_a_site_that_was_built_before(tmp_path: Path) -> None:
    root = make_project(tmp_path / "project")
    build(open_project(root), BuildOptions(), Report())
    with served(root) as server:
        assert "nothing changed" in server.lines[-1]
        (root / "content" / "index.md").write_text("# Anfang\n\nDas zweite Wort.\n")
        server.until_page("", has="Das zweite Wort")
        server.until(lambda: any("1 page rendered" in line for line in server.lines), "the second build")
        assert server.is_quiet()


def test_the_site_deleted(server: Served) -> None:
    shutil.rmtree(server.root / "_site")
    server.until_page("", has="Das erste Wort")
    assert server.is_quiet()


def test_a_vim_style_save_by_rename(server: Served) -> None:
    page = server.root / "content" / "index.md"
    (server.root / "content" / "4913").write_text("")  # vim asks whether it may write here
    (server.root / "content" / "4913").unlink()
    page.rename(page.with_name("index.md~"))
    page.write_text("# Anfang\n\nDas zweite Wort.\n")
    page.with_name("index.md~").unlink()
    server.until_page("", has="Das zweite Wort")
    new = page.with_name(".index.md.swp")
    new.write_text("# Anfang\n\nDas dritte Wort.\n")
    new.replace(page)
    server.until_page("", has="Das dritte Wort")
    assert server.is_quiet()


def test_a_file_moved_in_and_out(server: Served, tmp_path: Path) -> None:
    outside = tmp_path / "hahn.md"
    outside.write_text(HAHN.format(title="Otto Hahn"))
    outside.rename(server.root / "content" / "hahn.md")
    server.until_page("documents/hahn/", has="Otto Hahn")
    (server.root / "content" / "hahn.md").rename(outside)
    server.until_page("documents/hahn/", status=404)
    assert not (server.root / "_site" / "documents" / "hahn").exists()
    assert server.is_quiet()


def test_a_folder_renamed(server: Served) -> None:
    folder = server.root / "content" / "alt"
    folder.mkdir()
    (folder / "_index.md").write_text("# Der alte Ordner\n")
    (folder / "hahn.md").write_text(HAHN.format(title="Otto Hahn"))
    server.until_page("sections/alt/", has="Der alte Ordner")
    folder.rename(folder.with_name("neu"))
    server.until_page("sections/neu/", has="Der alte Ordner")
    server.until_page("sections/alt/", status=404)
    assert sorted(path.name for path in (server.root / ".kgsite" / "graphs").iterdir()) == [
        "curie.md.json", "meitner.md.json", "neu",
    ]  # fmt: skip
    assert server.is_quiet()


@pytest.mark.timeout(900)
def test_five_hundred_files_at_once(server: Served) -> None:
    for number in range(500):
        (server.root / "content" / f"n{number:03}.md").write_text(
            f"---\nlanguage: de\ntitle: Notiz {number:03}\n---\nOtto Hahn traf Anna Berg {number}.\n"
        )
    server.until(lambda: len(list((server.root / "_site" / "documents").glob("n???"))) == 500, "500 pages")
    server.until(lambda: server.is_quiet(3), "quiet")
    status, _ = server.get("documents/n499/")
    assert status == 200
    assert server.builds <= 12


def test_content_deleted_and_put_back(server: Served, tmp_path: Path) -> None:
    content = server.root / "content"
    content.rename(tmp_path / "away")
    server.until(lambda: any(line.startswith("error: ") for line in server.lines), "the error")
    assert server.get("")[0] == 200  # the last good site
    assert server.is_quiet()
    (tmp_path / "away").rename(content)
    builds = server.builds
    server.until(lambda: server.builds > builds, "a build")
    (content / "index.md").write_text("# Anfang\n\nWieder da.\n")
    server.until_page("", has="Wieder da")


def test_a_broken_site_toml_never_ends_the_server(server: Served) -> None:
    config = server.root / "site.toml"
    good = config.read_text()
    config.write_text("[site\n")
    server.until(lambda: any("site.toml:1" in line for line in server.lines), "the error")
    assert server.get("")[0] == 200
    config.unlink()
    time.sleep(0.3)
    config.write_text(good.replace("Probe", "Die neue Probe"))
    server.until_page("", has="Die neue Probe")


def test_started_with_a_broken_site_toml(tmp_path: Path) -> None:
    make_project(tmp_path)
    good = (tmp_path / "site.toml").read_text()
    (tmp_path / "site.toml").write_text(good + "\n[build]\njobs = 'many'\n")
    with served(tmp_path, wait=False) as running:
        running.until(lambda: any(line.startswith("error: site.toml:") for line in running.lines), "the error")
        assert running.get("")[0] == 404
        (tmp_path / "site.toml").write_text(good)
        running.until_page("", has="Das erste Wort")


def test_polling_sees_the_same(tmp_path: Path) -> None:
    make_project(tmp_path)
    with served(tmp_path, "--poll") as running:
        (tmp_path / "content" / "index.md").write_text("# Anfang\n\nGesehen.\n")
        running.until_page("", has="Gesehen")


def test_drafts_are_shown_when_asked_for(tmp_path: Path) -> None:
    make_project(tmp_path, {})
    (tmp_path / "content" / "entwurf.md").write_text(
        "---\ndraft: true\ntitle: Entwurf\n---\nOtto Hahn traf Anna Berg.\n"
    )
    with served(tmp_path, "--drafts") as running:
        assert running.get("documents/entwurf/")[0] == 200


def test_requests_during_publishes_see_a_whole_site(server: Served) -> None:
    """Every page asked for while builds publish is there, whole, and names a style sheet that is there too."""
    page = server.root / "content" / "index.md"
    asked = 0
    for number in range(6):
        page.write_text(f"# Anfang\n\nFassung {number}.\n")
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            status, body = server.get("")
            assert status == 200
            assert body.rstrip().endswith("</html>")
            asked += 1
    assert asked > 20
    server.until_page("", has="Fassung 5")


def test_a_taken_port(tmp_path: Path) -> None:
    from kgsite.errors import UsageError
    from kgsite.serve import server as module

    said: list[str] = []
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port} can't be used"):
            module.bind("127.0.0.1", port, said.append)
        assert said == []


def test_the_next_free_port_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from kgsite.serve import server as module

    said: list[str] = []
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setattr(module, "DEFAULT_PORT", taken.getsockname()[1])
        sockets, port = module.bind("localhost", None, said.append)
        for each in sockets:
            each.close()
    assert port > module.DEFAULT_PORT
    assert said == [f"port {module.DEFAULT_PORT} is taken, so this is {port}"]


def test_ctrl_c_ends_it(server: Served) -> None:
    began = time.monotonic()
    assert server.end() == 0
    assert time.monotonic() - began < 10
    assert not list(server.root.glob("._site.kgsite"))
    assert not (server.root / ".kgsite" / "cache" / "inbox").exists()


def test_ctrl_c_during_a_build_leaves_nothing_half_written(tmp_path: Path) -> None:
    texts = {f"n{number:03}.md": f"Otto Hahn traf Anna Berg {number} in Wien.\n" for number in range(300)}
    make_project(tmp_path, texts)
    with served(tmp_path, wait=False) as running:
        running.until(lambda: list((tmp_path / ".kgsite").glob("graphs/*.json")), "the first graph")
        assert running.end() == 130
    assert any(line.startswith("interrupted") for line in running.lines)
    assert not list(tmp_path.rglob(".tmp-*"))
    with served(tmp_path) as again:
        assert again.get("documents/n299/")[0] == 200


# ── the sweep ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "name",
    [".x.md.swp", "4913", "x.md~", "#x.md#", ".git", "~$x.docx", "x.pdf.part", "x.crdownload", "x.md___jb_tmp___"],
)
def test_what_editors_leave_is_ignored(name: str) -> None:
    assert is_ignored(name)


@pytest.mark.parametrize("name", ["x.md", "Bericht (2).pdf", "a~b.txt", "template.html", "5000"])
def test_sources_are_not_ignored(name: str) -> None:
    assert not is_ignored(name)


def test_a_sweep_names_what_changed(tmp_path: Path) -> None:
    make_project(tmp_path)
    (tmp_path / "_site").mkdir()
    watched = Watched(tmp_path, (tmp_path / "content", tmp_path / "themes"), avoid=(tmp_path / "_site",))
    before = watched.snapshot()
    (tmp_path / "content" / "curie.md").unlink()
    (tmp_path / "content" / "new.md").write_text("x")
    (tmp_path / "content" / ".hidden").write_text("x")
    (tmp_path / "_site" / "index.html").write_text("x")
    (tmp_path / "README.md").write_text("x")
    (tmp_path / "site.prod.toml").write_text("")
    (tmp_path / "content" / "link.md").symlink_to(tmp_path / "README.md")
    after = watched.snapshot()
    assert differences(before, after) == ["content/curie.md", "content/new.md", "site.prod.toml"]
    shutil.rmtree(tmp_path / "content")
    assert all(path.startswith("content/") for path in differences(after, watched.snapshot()))


@pytest.mark.parametrize("turns", range(5))
def test_the_watcher_ends_when_an_event_comes_with_the_end(turns: int, tmp_path: Path) -> None:
    async def ends() -> bool:
        watcher = Watcher(lambda: Watched(tmp_path, (tmp_path,)), lambda _paths: None, poll=True)
        running = asyncio.create_task(watcher.run())
        await asyncio.sleep(0.05)
        watcher._events.set()
        for _ in range(turns):
            await asyncio.sleep(0)
        running.cancel()
        done, _ = await asyncio.wait([running], timeout=3)
        running.cancel()
        return bool(done)

    assert asyncio.run(ends())


def test_what_another_kgsite_published_is_shown(server: Served) -> None:
    page = server.root / "content" / "index.md"
    before = build_number(server)
    with served(server.root) as other:
        page.write_text("# Anfang\n\nDas zweite Wort.\n")
        server.until(lambda: server.builds > 1 and other.builds > 1, "a build of each")
        server.until_page("", has="Das zweite Wort")
        server.until(lambda: build_number(server) > before, "a reload of the one")
        server.until(lambda: build_number(other) > 0, "a reload of the other")


def build_number(server: Served) -> int:
    """How many times the pages of a server were told to reload."""
    found = re.search(r'data-build="(\d+)"', server.get("")[1])
    assert found is not None
    return int(found[1])
