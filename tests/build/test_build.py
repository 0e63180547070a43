"""The pipeline as a whole: what a build does, how much of it, and that it does no more."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kgsite.errors import FrozenError, PublishError, StrictError, UsageError
from tests.build.site import BECQUEREL, CURIE, three


def test_a_folder_of_documents_becomes_a_site(tmp_path: Path) -> None:
    site = three(tmp_path)
    built = site.build()
    assert built.result.exit_code == 0, built.report.notices
    assert (built.counts["documents_new"], built.counts["documents_extracted"]) == (3, 3)
    tree = site.tree()
    for path in (
        "index.html", "404.html", "sitemap.xml", "robots.txt", "feed.xml", ".nojekyll", "llms.txt",
        "documents/index.html", "documents/curie/index.html", "documents/curie/index.json",
        "documents/curie/graph/index.html", "entities/index.html", "entities/marie-curie/index.html",
        "entities/marie-curie/index.json", "graph/index.html", "search/index.html", "about/index.html", "data/graph.json",
    ):  # fmt: skip
        assert path in tree, path
    assert "Marie Curie discovered polonium in Paris." in site.page("entities/marie-curie/index.html")
    graph = json.loads((tmp_path / ".kgsite/graphs/curie.md.json").read_text(encoding="utf-8"))
    assert list(graph)[:9] == ["id", "title", "summary", "url", "language", "schema", "stats", "graph", "chunks"]
    assert graph["title"] == "Marie Curie"


def test_the_second_build_does_nothing_and_says_so(tmp_path: Path) -> None:
    site = three(tmp_path)
    site.build()
    times, state = site.times(), site.times(".kgsite")
    again = site.build()
    assert again.result.nothing_to_do
    assert (again.counts["documents_unchanged"], again.counts["documents_extracted"]) == (3, 0)
    assert (again.totals["rendered"], again.totals["written"], again.totals["pruned"]) == (0, 0, 0)
    assert site.times() == times
    assert site.times(".kgsite") == state


def test_front_matter_of_the_sites_own_texts_is_told_when_it_is_left_out(tmp_path: Path) -> None:
    site = three(tmp_path)
    site.write("index.md", "---\ntitle: [Lamps\n---\n\nWelcome.\n")
    site.write("north/_index.md", "---\ntitle: North\n\nNever closed.\n")
    site.write("north/curie.md", CURIE)
    for _ in range(2):
        told = [warning.message for warning in site.build().report.warnings]
        assert [message.split(":")[0] for message in told if "front matter" in message] == [
            "index.md",
            "north/_index.md",
        ]


def test_clean_and_incremental_builds_are_identical(tmp_path: Path) -> None:
    site = three(tmp_path)
    site.build()
    site.write("curie.md", CURIE.replace("polonium", "radium"))
    site.build()
    incremental, state = site.tree(), site.state()
    site.build(clean=True)
    assert site.tree() == incremental
    assert site.state() == state
    shutil.rmtree(tmp_path / "_site")
    shutil.rmtree(tmp_path / ".kgsite/cache")
    site.build()
    assert site.tree() == incremental


def run_kgsite(root: Path, *args: str, seed: str = "0") -> subprocess.CompletedProcess[str]:
    environ = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": seed, "SOURCE_DATE_EPOCH": "1767312000", "HOME": str(root)}
    command = [sys.executable, "-m", "kgsite.cli", "-C", str(root), *args]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environ, check=False)


def test_hash_seed_jobs_and_folder_do_not_matter(tmp_path: Path) -> None:
    trees = []
    for number, (folder, seed) in enumerate((("one", "1"), ("deeper/two", "4242")), 1):
        site = three(tmp_path / folder)
        done = run_kgsite(site.root, "build", "--jobs", str(number), seed=seed)
        assert done.returncode == 0, done.stderr
        trees.append((site.tree(), site.state()))
    assert trees[0] == trees[1]


def test_one_changed_sentence_is_one_document_and_only_its_pages(tmp_path: Path) -> None:
    site = three(tmp_path)
    first = site.build()
    before = site.tree()
    site.write("ships.md", (tmp_path / "content/ships.md").read_text(encoding="utf-8").replace("Larvik", "Bergen"))
    built = site.build()
    assert built.status("ships.md") == "changed"
    assert built.counts["documents_extracted"] == 1
    assert 0 < built.totals["rendered"] < first.totals["pages"]
    changed = {path for path, digest in site.tree().items() if before.get(path) != digest}
    assert "documents/ships/index.html" in changed
    for untouched in (
        "entities/warsaw/index.html",
        "documents/becquerel/index.html",
        "entities/polonium/index.html",
    ):
        assert untouched in before
        assert untouched not in changed
    assert "entities/larvik/index.html" not in site.tree()


def test_a_deleted_document_takes_its_facts_pages_and_orphans_with_it(tmp_path: Path) -> None:
    site = three(tmp_path)
    site.build()
    before = site.times()
    assert "Henri Becquerel" in site.page("entities/marie-curie/index.html")
    site.delete("physics/becquerel.md")
    built = site.build()
    assert built.status("physics/becquerel.md") == "removed"
    assert built.counts["documents_extracted"] == 0
    after = site.times()
    assert not (tmp_path / ".kgsite/graphs/physics").exists()
    for gone in ("documents/becquerel/index.html", "entities/uranium/index.html"):
        assert gone in before
        assert gone not in after
    everything = "".join(
        path.read_text(encoding="utf-8", errors="replace") for path in (tmp_path / "_site").rglob("*") if path.is_file()
    )
    assert "École Polytechnique" not in everything
    assert after["documents/ships/index.html"] == before["documents/ships/index.html"]
    assert after["entities/fram/index.html"] == before["entities/fram/index.html"]


def test_foreign_files_in_the_output_stay(tmp_path: Path) -> None:
    site = three(tmp_path)
    site.build()
    mine = tmp_path / "_site/mine.txt"
    mine.write_text("mine", encoding="utf-8")
    site.delete("ships.md")
    site.build()
    site.build(clean=True)
    assert mine.read_text(encoding="utf-8") == "mine"


def test_frozen_lists_what_would_need_work(tmp_path: Path) -> None:
    site = three(tmp_path)
    error = site.fails(frozen=True)
    assert isinstance(error, FrozenError)
    assert "physics/becquerel.md: no graph is stored for it" in error.message
    assert not (tmp_path / "_site").exists()
    site.build()
    assert site.build(frozen=True).result.exit_code == 0
    site.write("curie.md", CURIE + "\nShe died in 1934.\n")
    assert "curie.md: its content changed" in site.fails(frozen=True).message


def test_committed_state_alone_builds_the_same_site_elsewhere(tmp_path: Path) -> None:
    site = three(tmp_path / "one")
    site.build()
    other = three(tmp_path / "two")
    for name in ("graphs", "layout"):
        shutil.copytree(site.root / ".kgsite" / name, other.root / ".kgsite" / name)
    shutil.copy(site.root / ".kgsite/permalinks.json", other.root / ".kgsite/permalinks.json")
    other.today = "2031-05-05"
    assert other.build(frozen=True).result.exit_code == 0
    assert other.tree() == site.tree()


def test_only_extracts_what_it_names(tmp_path: Path) -> None:
    site = three(tmp_path)
    site.build()
    site.write("curie.md", CURIE + "\nMarie Curie died in Passy.\n")
    site.write("physics/becquerel.md", BECQUEREL + "\nBecquerel died in Le Croisic.\n")
    built = site.build(only=("content/physics",))
    assert (built.status("physics/becquerel.md"), built.status("curie.md")) == ("changed", "unchanged")
    error = site.fails(only=("physic/becquerel.md",))
    assert isinstance(error, UsageError)
    assert "did you mean `physics/becquerel.md`?" in error.hint


def test_dry_run_writes_nothing_and_explain_gives_reasons(tmp_path: Path) -> None:
    site = three(tmp_path)
    built = site.build(dry_run=True)
    assert built.report.extra["plan"]["documents"] == 3
    assert built.report.extra["plan"]["tokens"] > 100
    assert not (tmp_path / "_site").exists()
    assert not (tmp_path / ".kgsite").exists()
    site.build()
    site.config('[site]\ntitle = "Test"\n[extract]\nextractor = "offline"\n[chunking]\nmax_tokens = 300\n')
    said = [data["text"] for data in site.build(explain=True).events.named("say")]
    assert any(line.endswith("curie.md: changed: [chunking]") for line in said)


def test_a_setting_that_changes_only_the_look_extracts_nothing(tmp_path: Path) -> None:
    site = three(tmp_path)
    site.build()
    site.config('[site]\ntitle = "Another"\n[extract]\nextractor = "offline"\n[llm]\ntimeout = 20\n')
    built = site.build()
    assert built.counts["documents_extracted"] == 0
    assert built.totals["rendered"] == built.totals["pages"]
    assert "Another" in site.page("index.html")


def test_a_bad_document_is_a_loss_and_the_rest_is_published(tmp_path: Path) -> None:
    site = three(tmp_path)
    site.write("broken.pdf", b"%PDF-1.7 nothing")
    site.write("image.txt", bytes(range(256)) * 16)
    built = site.build()
    assert built.result.exit_code == 3
    assert {loss.file for loss in built.report.losses} == {"broken.pdf", "image.txt"}
    assert "documents/curie/index.html" in site.tree()
    with pytest.raises(StrictError, match="2 losses"):
        site.build(strict=True)


def test_drafts_are_left_out_unless_asked_for(tmp_path: Path) -> None:
    site = three(tmp_path)
    site.write("draft.md", "---\ntitle: A draft\ndraft: true\n---\n\nAda Lovelace met Charles Babbage in London.\n")
    site.build()
    assert "documents/draft/index.html" not in site.tree()
    site.build(flags={"build.drafts": True})
    assert "documents/draft/index.html" in site.tree()
    site.build()
    assert "documents/draft/index.html" not in site.tree()


def test_damaged_state_is_a_miss_not_a_crash(tmp_path: Path) -> None:
    site = three(tmp_path)
    site.build()
    good = site.tree()
    for path in sorted((tmp_path / ".kgsite").rglob("*.json")):
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2])
        built = site.build()
        assert built.result.exit_code == 0, path
        assert set(site.tree()) == set(good), path
    assert list((tmp_path / ".kgsite/cache/damaged").iterdir())


def test_json_events_and_the_closing_summary(tmp_path: Path) -> None:
    site = three(tmp_path)
    done = run_kgsite(site.root, "build", "--json")
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    summary = events[-1]
    assert summary["event"] == "summary"
    assert summary["counts"]["documents_new"] == 3
    assert summary["site"]["pages"] > 10
    plain = run_kgsite(site.root, "build")
    assert "3 documents: 3 unchanged" in plain.stderr
    assert "nothing changed: extracted nothing, rendered nothing, wrote nothing" in plain.stderr
    assert plain.stdout == ""
    report = json.loads((tmp_path / ".kgsite/cache/report.json").read_text(encoding="utf-8"))
    assert [document["path"] for document in report["documents"]] == ["curie.md", "physics/becquerel.md", "ships.md"]


def test_a_secret_of_this_machine_is_never_published(tmp_path: Path) -> None:
    site = three(tmp_path)
    site.write("leak.md", "# Leak\n\nAda Lovelace wrote to Charles Babbage: the key is hunter2hunter2 in London.\n")
    from kgsite.project import World

    world = World(environ={"MY_API_KEY": "hunter2hunter2"}, today=lambda _environ: "2026-01-02")
    with pytest.raises(PublishError, match="give away a secret") as caught:
        site.build(world=world)
    assert "hunter2" not in str(caught.value)
    assert not (tmp_path / "_site").exists()


HEAVY = (
    "numpy",
    "networkx",
    "spacy",
    "openai",
    "pymupdf",
    "docutils",
    "mammoth",
    "httpx",
    "tiktoken",
    "jinja2",
    "py3langid",
    "sentencex",
    "asyncio",
    "markdown_it",
)


def test_nothing_heavy_is_imported_to_find_that_nothing_changed(tmp_path: Path) -> None:
    site = three(tmp_path)
    run_kgsite(site.root, "build")
    code = (
        "import sys\nfrom kgsite.cli import main\n"
        f"main(['-C', {str(site.root)!r}, 'build'], standalone_mode=False)\n"
        f"print(sorted(name for name in {HEAVY!r} if name in sys.modules))"
    )
    environ = {"PATH": os.environ["PATH"], "HOME": str(site.root)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environ, check=False)
    assert done.stdout.strip().endswith("[]"), done.stdout + done.stderr


def test_a_deletion_renders_only_pages_that_show_something_of_it(tmp_path: Path) -> None:
    site = three(tmp_path)
    site.build()
    before = site.tree()
    site.delete("ships.md")
    built = site.build()
    after = site.tree()
    changed = {path for path in after if before.get(path) != after[path] and path.endswith(".html")}
    assert not [path for path in changed if path.startswith(("entities/p", "documents/curie", "documents/becquerel"))]
    assert built.totals["rendered"] == len(changed)


def test_a_failed_build_leaves_its_report(tmp_path: Path) -> None:
    site = three(tmp_path)
    (tmp_path / "_site").mkdir()
    (tmp_path / "_site/mine.txt").write_text("mine", encoding="utf-8")
    done = run_kgsite(site.root, "build")
    assert done.returncode == 1
    report = json.loads((tmp_path / ".kgsite/cache/report.json").read_text(encoding="utf-8"))
    assert report["exit_code"] == 1
    assert report["error"]["code"] == "publish"


def test_what_an_interrupted_build_says() -> None:
    from kgsite.report import Report
    from kgsite.summary import interrupted_line

    report = Report()
    with report.stage("extract"):
        report.progress(3, 8, "documents")
    assert interrupted_line(report).startswith(
        "interrupted: 3 of 8 documents are extracted and kept; going on costs no request"
    )
    report.extra["extractor"] = "openai"
    assert "pays again only for requests that were under way" in interrupted_line(report)


def test_strict_refuses_the_same_doubts_at_every_build_and_publishes_nothing(tmp_path: Path) -> None:
    site = three(tmp_path)
    site.build()
    before = site.tree()
    site.write("dated.md", "---\ndate: 2024-99-99\n---\n\nAda Lovelace met Charles Babbage in London.\n")
    site.write("linked.md", "Ada Lovelace wrote [a letter](nowhere.md) to Charles Babbage in London.\n")
    for _ in range(2):
        with pytest.raises(StrictError):
            site.build(strict=True)
        assert site.tree() == before
    first = site.build()
    again = site.build()
    assert again.result.nothing_to_do
    assert {notice.file or notice.message for notice in again.report.warnings} == {
        notice.file or notice.message for notice in first.report.warnings
    }
    site.delete("dated.md")
    with pytest.raises(StrictError):
        site.build(strict=True)
    site.delete("linked.md")
    assert site.build(strict=True).result.exit_code == 0
    assert not list(tmp_path.glob(".*.kgsite"))


def test_another_folder_with_files_is_refused_although_a_site_was_built_elsewhere(tmp_path: Path) -> None:
    site = three(tmp_path)
    site.build()
    mine = tmp_path / "mine"
    (mine / "documents").mkdir(parents=True)
    (mine / "index.html").write_text("mine", encoding="utf-8")
    with pytest.raises(PublishError, match="not empty"):
        site.build(flags={"build.output": "mine"})
    assert {path.name for path in mine.iterdir()} == {"documents", "index.html"}
    assert (mine / "index.html").read_text(encoding="utf-8") == "mine"
    assert not list(tmp_path.glob(".*.kgsite"))


def test_nothing_is_written_through_a_linked_folder(tmp_path: Path) -> None:
    site = three(tmp_path)
    site.build()
    outside = tmp_path / "outside"
    shutil.move(tmp_path / "_site/entities", outside)
    (tmp_path / "_site/entities").symlink_to(outside)
    before = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
    site.write("curie.md", CURIE.replace("polonium", "radium"))
    with pytest.raises(PublishError, match="symbolic link"):
        site.build()
    assert {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()} == before


def test_a_new_folder_is_not_made_through_a_link_either(tmp_path: Path) -> None:
    site = three(tmp_path)
    site.build()
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "_site/documents/letters").symlink_to(outside)
    site.write("letters.md", "Ada Lovelace wrote to Charles Babbage in London.\n")
    with pytest.raises(PublishError, match="symbolic link"):
        site.build()
    assert not list(outside.iterdir())
    assert not list(tmp_path.glob(".*.kgsite"))


def test_only_takes_folders_however_they_are_written(tmp_path: Path) -> None:
    site = three(tmp_path)
    for name in ("content/", ".", "./content/../content/ships.md", "content/physics/"):
        assert site.build(only=(name,), dry_run=True).result.exit_code == 0


@pytest.mark.parametrize("epoch", ["99999999999999", "abc", "-"])
def test_an_unreadable_source_date_epoch_is_told(tmp_path: Path, epoch: str) -> None:
    from kgsite.errors import ConfigError
    from kgsite.project import today

    with pytest.raises(ConfigError, match="SOURCE_DATE_EPOCH"):
        today({"SOURCE_DATE_EPOCH": epoch})


@pytest.mark.parametrize("unread", ["physics", ""])
def test_a_folder_that_cannot_be_listed_for_a_moment_loses_no_graph(
    unread: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = three(tmp_path)
    site.build()
    listed = os.scandir

    def scandir(folder: Path) -> object:
        if str(folder) == str(tmp_path / "content" / unread):
            raise PermissionError(13, "Permission denied")
        return listed(folder)

    graphs = sorted((tmp_path / ".kgsite/graphs").rglob("*.json"))
    monkeypatch.setattr("kgsite.readers.walk.os.scandir", scandir)
    assert site.build().result.exit_code == 3
    assert sorted((tmp_path / ".kgsite/graphs").rglob("*.json")) == graphs
    monkeypatch.undo()
    built = site.build()
    assert (built.result.exit_code, built.counts["documents_extracted"]) == (0, 0)
    assert "documents/curie/index.html" in site.tree()
