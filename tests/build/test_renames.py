"""Renamed and moved files: graph, drawing and address go along; nothing is extracted and no request is made."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgsite.errors import FrozenError
from kgsite.project import World
from kgsite.store import Store
from kgsite.warm import Memory
from tests.build.folding import FoldingDisk
from tests.build.site import DAY, Built, Site, three
from tests.llm.scripted import Exchange, completion, honest, serving

ADA = "Ada Lovelace besuchte Charles Babbage in London. Ada Lovelace schrieb an Mary Somerville.\n"
EMMY = "# Emmy\n\nEmmy Noether lehrte in Göttingen. Emmy Noether traf David Hilbert.\n"
LISE = "Lise Meitner arbeitete mit Otto Hahn in Berlin. Siehe [Ada](ada.md) und [Emmy](../emmy.md).\n"
GERMAN = '[site]\ntitle = "T"\nlanguage = "de"\nbase_url = "https://example.org/p/"\n[extract]\nextractor = "offline"\nlanguage = "de"\n'
"""Settings with the quicker of the offline extractors."""


def german(root: Path, **files: str) -> Site:
    site = Site(root)
    site.config(GERMAN)
    for name, text in files.items():
        site.write(f"{name}.md", text)
    return site


def move(site: Site, old: str, new: str) -> None:
    target = site.root / "content" / new
    target.parent.mkdir(parents=True, exist_ok=True)
    (site.root / "content" / old).rename(target)


def address(site: Site, path: str) -> str:
    """The slug of the document at a content path."""
    graph = json.loads((site.root / f".kgsite/graphs/{path}.json").read_text("utf-8"))
    entry = json.loads((site.root / ".kgsite/permalinks.json").read_text("utf-8"))["documents"][graph["id"]]
    return entry if isinstance(entry, str) else entry["slug"]


def from_scratch(site: Site, folder: Path) -> Site:
    """The same content and the same remembered addresses, communities and drawings, and everything extracted anew."""
    fresh = Site(folder)
    for name in ("content", ".kgsite/layout"):
        shutil.copytree(site.root / name, folder / name, dirs_exist_ok=True)
    for name in ("site.toml", ".kgsite/permalinks.json", ".kgsite/communities.json"):
        shutil.copyfile(site.root / name, folder / name)
    fresh.build()
    return fresh


def assert_as_from_scratch(site: Site, folder: Path) -> None:
    fresh = from_scratch(site, folder)
    assert site.state() == fresh.state()
    assert site.tree() == fresh.tree()


def done(built: Built) -> tuple[int, ...]:
    """(extracted, new, changed, renamed, removed)"""
    names = ("extracted", "new", "changed", "renamed", "removed")
    return tuple(built.counts[f"documents_{name}"] for name in names)


# ── one rename ────────────────────────────────────────────────────────────────────────────────────
def test_a_renamed_file_keeps_its_address_and_is_not_extracted(tmp_path: Path) -> None:
    site = three(tmp_path / "site")
    site.build()
    pages = {path for path in site.tree() if path.startswith("documents/ships/")}
    move(site, "ships.md", "polar/expeditions.md")
    built = site.build(explain=True)
    assert done(built) == (0, 0, 0, 1, 0)
    assert built.status("polar/expeditions.md") == "renamed"
    assert "ships.md" not in built.report.documents
    assert address(site, "polar/expeditions.md") == "ships"
    assert pages <= site.tree().keys()
    assert not (site.root / ".kgsite/graphs/ships.md.json").exists()
    said = [event["text"] for event in built.events.named("say")]
    assert "  renamed  polar/expeditions.md: renamed from ships.md" in said
    again = site.build()
    assert again.result.nothing_to_do
    assert done(again) == (0, 0, 0, 0, 0)
    assert_as_from_scratch(site, tmp_path / "fresh")


def replying(exchange: Exchange) -> None:
    """A model that also unites two names and adds a relation of its own."""
    if '"groups"' in exchange.prompt:
        groups = [{"name": "Ada Northgate", "variants": ["Northgate"], "reason": "same"}]
        exchange.send(200, completion(json.dumps({"groups": groups})))
    elif '"relations"' in exchange.prompt and "Passage:" not in exchange.prompt:
        rows = [{"source": "Ada Northgate", "type": "may know", "target": "Bo Quist", "description": "Both."}]
        exchange.send(200, completion(json.dumps({"relations": rows})))
    else:
        honest(exchange)


def test_a_renamed_document_asks_the_model_nothing(tmp_path: Path) -> None:
    world = World(environ={"OPENAI_API_KEY": "sk-test-0123456789abcdefSECRET"}, today=lambda _environ: DAY)
    with serving(replying) as server:
        site = Site(tmp_path / "site")
        site.config(
            f'[site]\ntitle = "Model"\n[llm]\nmodel = "test-model"\nbase_url = "{server.url}"\n'
            '[schema]\ndiscover = "document"\n[inference]\nenabled = true\n'
            "[standardization]\nuse_llm_for_entities = true\nauto_merge = true\n"
        )
        site.write(
            "a.md", "# One\n\nAda Northgate founded Lumen Works. Northgate knows Cy Dell.\n\nBo Quist visited Ghent.\n"
        )
        site.write("b.md", "Ada Northgate knows Bo Quist.\n")
        site.build(world=world)
        asked = len(server.chats())
        shutil.rmtree(site.root / ".kgsite/replies")
        move(site, "a.md", "texts/one.md")
        move(site, "b.md", "texts/two.md")
        built = site.build(world=world)
        assert done(built) == (0, 0, 0, 2, 0)
        assert len(server.chats()) == asked > 0
        assert (address(site, "texts/one.md"), address(site, "texts/two.md")) == ("a", "b")
        assert site.build(world=world).result.nothing_to_do
        assert len(server.chats()) == asked
        fresh = Site(tmp_path / "fresh")
        shutil.copyfile(site.root / "site.toml", fresh.root / "site.toml")
        shutil.copytree(site.root / "content", fresh.root / "content", dirs_exist_ok=True)
        fresh.build(world=world)
        graphs = [
            json.loads((one.root / ".kgsite/graphs/texts/one.md.json").read_text("utf-8")) for one in (site, fresh)
        ]
        relations = graphs[0]["graph"]["relations"]
        assert any(relation.get("method") for relation in relations)
        assert any(relation["source"] == "Ada Northgate" and relation["target"] == "Cy Dell" for relation in relations)
        assert graphs[0] == graphs[1]
        schemas = {path.name for path in (fresh.root / ".kgsite/schemas").iterdir()}
        assert schemas <= {path.name for path in (site.root / ".kgsite/schemas").iterdir()}


def test_frozen_accepts_a_rename_and_a_dry_run_tells_it(tmp_path: Path) -> None:
    site = german(tmp_path, ada=ADA, emmy=EMMY)
    site.build()
    move(site, "ada.md", "lovelace.md")
    before = site.tree(".kgsite")
    dry = site.build(dry_run=True)
    said = [event["text"] for event in dry.events.named("say")]
    assert "  renamed  lovelace.md: renamed from ada.md" in said
    assert "0 documents of 2 would be extracted with offline" in said
    assert site.tree(".kgsite") == before
    assert done(site.build(frozen=True)) == (0, 0, 0, 1, 0)
    assert address(site, "lovelace.md") == "ada"
    site.write("lovelace.md", ADA + "Mehr.\n")
    with pytest.raises(FrozenError):
        site.build(frozen=True)


def test_a_title_made_of_the_file_name_follows_the_file(tmp_path: Path) -> None:
    site = german(tmp_path / "site", ada_lovelace=ADA, emmy=EMMY)
    site.build()
    move(site, "ada_lovelace.md", "grace-hopper.md")
    move(site, "emmy.md", "noether.md")
    site.build()
    assert "<title>Grace hopper" in site.page("documents/ada-lovelace/index.html")
    assert "<title>Emmy" in site.page("documents/emmy/index.html")
    assert_as_from_scratch(site, tmp_path / "fresh")


def test_relative_links_are_seen_from_the_new_place(tmp_path: Path) -> None:
    site = german(tmp_path / "site", emmy=EMMY)
    site.write("eins/ada.md", ADA)
    site.write("eins/zwei/lise.md", LISE.replace("ada.md", "../ada.md"))
    built = site.build()
    assert any("zwei/lise.md: a link" in one.message and "'../emmy.md'" in one.message for one in built.report.warnings)
    move(site, "eins/zwei/lise.md", "mehr/lise.md")
    built = site.build()
    assert done(built) == (0, 0, 0, 1, 0)
    assert any("mehr/lise.md: a link" in one.message and "'../ada.md'" in one.message for one in built.report.warnings)
    assert "../../documents/emmy/index.html" in site.page("documents/lise/index.html")
    assert_as_from_scratch(site, tmp_path / "fresh")


def test_a_build_that_remembers_the_last_one_gives_the_same(tmp_path: Path) -> None:
    """What `kgsite serve` does."""
    site = german(tmp_path / "site", ada=ADA, emmy=EMMY, lise=LISE)
    world = World(environ={}, today=lambda _environ: DAY, memory=Memory())
    site.build(world=world)
    move(site, "ada.md", "mehr/lovelace.md")
    move(site, "emmy.md", "x")
    move(site, "lise.md", "emmy.md")
    move(site, "x", "lise.md")
    assert done(site.build(world=world)) == (0, 0, 0, 3, 0)
    assert site.build(world=world).result.nothing_to_do
    assert_as_from_scratch(site, tmp_path / "fresh")


# ── not a rename ──────────────────────────────────────────────────────────────────────────────────
def test_a_copy_is_a_new_document_and_a_later_deletion_moves_nothing(tmp_path: Path) -> None:
    site = german(tmp_path, ada=ADA, emmy=EMMY)
    site.build()
    site.write("zwilling.md", ADA)
    assert done(site.build()) == (1, 1, 0, 0, 0)
    assert address(site, "zwilling.md") == "zwilling"
    site.delete("ada.md")
    assert done(site.build()) == (0, 0, 0, 0, 1)
    assert address(site, "zwilling.md") == "zwilling"


def test_renamed_and_edited_at_once_is_a_new_document(tmp_path: Path) -> None:
    site = german(tmp_path, ada=ADA, emmy=EMMY)
    site.build()
    move(site, "ada.md", "lovelace.md")
    site.write("lovelace.md", ADA + "Mehr davon.\n")
    assert done(site.build()) == (1, 1, 0, 0, 1)
    assert address(site, "lovelace.md") == "lovelace"


def test_renamed_under_other_settings_is_extracted_at_its_old_address(tmp_path: Path) -> None:
    site = german(tmp_path, ada=ADA)
    site.build()
    move(site, "ada.md", "lovelace.md")
    site.config(GERMAN + "[chunking]\nmax_tokens = 200\n")
    built = site.build()
    assert built.report.documents["lovelace.md"]["reason"] == "renamed from ada.md; changed: [chunking]"
    assert done(built) == (1, 0, 1, 0, 0)
    assert address(site, "lovelace.md") == "ada"


def test_another_kind_of_file_is_read_anew_at_its_old_address(tmp_path: Path) -> None:
    site = german(tmp_path / "site", ada=ADA)
    site.build()
    move(site, "ada.md", "ada.txt")
    built = site.build()
    assert done(built) == (1, 0, 1, 0, 0)
    assert address(site, "ada.txt") == "ada"
    assert_as_from_scratch(site, tmp_path / "fresh")


def test_of_several_files_the_one_of_the_same_kind_is_taken(tmp_path: Path) -> None:
    site = german(tmp_path, b=ADA, emmy=EMMY)
    site.write("a.txt", ADA)
    site.build()
    site.delete("a.txt")
    move(site, "b.md", "c.md")
    built = site.build()
    assert built.report.documents["c.md"]["reason"] == "renamed from b.md"
    assert done(built) == (0, 0, 0, 1, 1)


def test_a_renamed_ready_made_graph_is_imported_again_at_its_old_address(tmp_path: Path) -> None:
    site = german(tmp_path / "site", ada=ADA)
    nodes = [{"id": "Ada", "type": "person"}, {"id": "Babbage", "type": "person"}]
    tree = {"nodes": nodes, "links": [{"source": "Ada", "target": "Babbage", "type": "knows"}]}
    site.write("net.json", json.dumps(tree))
    site.build()
    move(site, "net.json", "data/people.json")
    built = site.build(frozen=True)
    assert built.report.documents["data/people.json"]["reason"] == "renamed from net.json; imported again"
    assert address(site, "data/people.json") == "net"
    assert_as_from_scratch(site, tmp_path / "fresh")


# ── several at once ───────────────────────────────────────────────────────────────────────────────
def test_a_renamed_folder_of_a_hundred_files(tmp_path: Path) -> None:
    site = german(tmp_path)
    for number in range(100):
        site.write(f"alt/{number:03}.md", ADA.replace("London", f"London {number // 2}"))  # each text twice
    site.build()
    before = {f"{number:03}": address(site, f"alt/{number:03}.md") for number in range(100)}
    (site.root / "content/alt").rename(site.root / "content/neu")
    built = site.build()
    assert done(built) == (0, 0, 0, 100, 0)
    assert {name: address(site, f"neu/{name}.md") for name in before} == before
    assert site.build().result.nothing_to_do


def test_swapped_names_exchange_their_graphs_and_keep_their_addresses(tmp_path: Path) -> None:
    site = german(tmp_path / "site", ada=ADA, emmy=EMMY)
    site.build()
    move(site, "ada.md", "x")
    move(site, "emmy.md", "ada.md")
    move(site, "x", "emmy.md")
    built = site.build()
    assert done(built) == (0, 0, 0, 2, 0)
    assert (address(site, "ada.md"), address(site, "emmy.md")) == ("ada", "emmy")
    assert "Göttingen" in site.page("documents/ada/index.html")
    assert not (site.root / ".kgsite/graphs/%spare").exists()
    assert site.build().result.nothing_to_do
    assert_as_from_scratch(site, tmp_path / "fresh")


def test_renamed_over_another_file_the_old_address_leads_to_it(tmp_path: Path) -> None:
    site = german(tmp_path / "site", ada=ADA, emmy=EMMY)
    site.build()
    move(site, "emmy.md", "ada.md")
    assert done(site.build()) == (0, 0, 0, 1, 0)
    assert address(site, "ada.md") == "ada"
    assert 'http-equiv="refresh" content="0; url=../../documents/ada/index.html' in site.page(
        "documents/emmy/index.html"
    )
    assert_as_from_scratch(site, tmp_path / "fresh")


def test_a_file_under_the_old_name_is_a_new_document_with_an_address_of_its_own(tmp_path: Path) -> None:
    site = german(tmp_path / "site", ada=ADA, emmy=EMMY)
    site.build()
    move(site, "ada.md", "lovelace.md")
    site.build()
    site.write("ada.md", LISE)
    assert done(site.build()) == (1, 1, 0, 0, 0)
    assert address(site, "lovelace.md") == "ada"
    assert address(site, "ada.md").startswith("ada-")
    assert_as_from_scratch(site, tmp_path / "fresh")


def test_renamed_to_a_name_that_was_deleted_before(tmp_path: Path) -> None:
    site = german(tmp_path, ada=ADA, emmy=EMMY)
    site.build()
    site.delete("emmy.md")
    site.build()
    move(site, "ada.md", "emmy.md")
    assert done(site.build()) == (0, 0, 0, 1, 0)
    assert address(site, "emmy.md") == "ada"
    assert "url=../../documents/ada/index.html" in site.page("documents/emmy/index.html")


def test_renamed_back_everything_is_as_it_was(tmp_path: Path) -> None:
    site = german(tmp_path, ada=ADA, emmy=EMMY)
    site.build()
    before = site.tree(), site.state()
    move(site, "ada.md", "b/c.md")
    site.build()
    move(site, "b/c.md", "ada.md")
    assert done(site.build()) == (0, 0, 0, 1, 0)
    assert (site.tree(), site.state()) == before


@pytest.mark.parametrize("step", ["save_graph", "save_permalinks", "prune_graphs"])
@pytest.mark.parametrize("back", [False, True])
def test_stopped_in_between_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, back: bool
) -> None:
    site = german(tmp_path / "site", ada=ADA, emmy=EMMY, lise=LISE)
    site.build()
    before = site.tree(), site.state()
    move(site, "ada.md", "mehr/lovelace.md")
    move(site, "emmy.md", "mehr/noether.md")
    real, calls = getattr(Store, step), Counter[str]()

    def stopping(*args: Any) -> Any:
        calls[step] += 1
        if calls[step] == (2 if step == "save_graph" else 1):
            raise KeyboardInterrupt
        return real(*args)

    with monkeypatch.context() as patch:
        patch.setattr(Store, step, stopping)
        with pytest.raises(KeyboardInterrupt):
            site.build()
    if back:
        move(site, "mehr/lovelace.md", "ada.md")
        move(site, "mehr/noether.md", "emmy.md")
    built = site.build()
    assert built.counts["documents_extracted"] == 0
    if back:
        assert (site.tree(), site.state()) == before
    else:
        assert (address(site, "mehr/lovelace.md"), address(site, "mehr/noether.md")) == ("ada", "emmy")
        assert_as_from_scratch(site, tmp_path / "fresh")


# ── upper and lower case ──────────────────────────────────────────────────────────────────────────
def test_only_the_case_of_a_name_changes(tmp_path: Path) -> None:
    site = german(tmp_path / "site", ada=ADA, emmy=EMMY)
    site.build()
    move(site, "ada.md", "Ada.md")
    assert done(site.build()) == (0, 0, 0, 1, 0)
    assert address(site, "Ada.md") == "ada"
    assert site.build().result.nothing_to_do
    assert_as_from_scratch(site, tmp_path / "fresh")


@pytest.mark.parametrize("respells", [True, False])
def test_only_the_case_changes_where_the_disk_does_not_tell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, respells: bool
) -> None:
    with monkeypatch.context() as patch:
        FoldingDisk(tmp_path / "site", patch, respells=respells)
        site = german(tmp_path / "site", ada=ADA, emmy=EMMY)
        site.write("Mehr/lise.md", LISE.partition(" Siehe")[0])
        site.build()
        assert (site.root / "CONTENT/ADA.MD").read_text("utf-8") == ADA
        move(site, "ada.md", "Ada.md")
        (site.root / "content/Mehr").rename(site.root / "content/mehr")
        built = site.build(strict=True)
        assert done(built) == (0, 0, 0, 2, 0)
        assert site.build(frozen=True).result.nothing_to_do
        assert (address(site, "Ada.md"), address(site, "mehr/lise.md")) == ("ada", "lise")
        site.write("Ada.md", ADA + "Mehr davon.\n")
        assert done(site.build()) == (1, 0, 1, 0, 0)
    assert sorted(path.name for path in (site.root / ".kgsite/graphs").rglob("*.json")) == [
        "Ada.md.json", "emmy.md.json", "lise.md.json",
    ]  # fmt: skip


def test_graphs_in_a_folder_of_another_spelling_are_found_on_a_disk_that_tells(tmp_path: Path) -> None:
    """Committed from a disk that does not: the folder of content/ has its new spelling, that of .kgsite/ the old one."""
    site = german(tmp_path / "site")
    site.write("mehr/lise.md", LISE)
    site.build()
    (site.root / ".kgsite/graphs/mehr").rename(site.root / ".kgsite/graphs/Mehr")
    built = site.build(frozen=True)
    assert done(built) == (0, 0, 0, 0, 0)
    assert built.status("mehr/lise.md") == "unchanged"
    assert_as_from_scratch(site, tmp_path / "fresh")


# ── any sequence ──────────────────────────────────────────────────────────────────────────────────
MANY = bool(os.environ.get("KGSITE_MANY_POINTS"))
PATHS = ("a.md", "A.md", "b.md", "x/a.md", "x/b.txt", "y/z/a.md")
TEXTS = (ADA, EMMY, LISE, "Max Planck lebte in Berlin.\n", "")
KINDS = {"md": "markdown", "txt": "text"}
DEEDS = st.tuples(
    st.sampled_from(("write", "move", "copy", "delete", "swap")),
    st.integers(0, 50),
    st.sampled_from(PATHS),
    st.sampled_from(TEXTS),
)


def do(files: dict[str, str], deed: tuple[str, int, str, str]) -> None:
    what, number, path, text = deed
    known = sorted(files)
    if what == "write" or not known:
        files[path] = text
        return
    old = known[number % len(known)]
    if what == "move":
        files[path] = files.pop(old)
    elif what == "copy":
        files[path] = files[old]
    elif what == "delete":
        del files[old]
    else:
        other = known[(number // 7) % len(known)]
        files[old], files[other] = files[other], files[old]


def new_contents(before: dict[str, str], after: dict[str, str]) -> int:
    """Texts that have to be extracted: those that no path which is gone or changed had before."""

    def free(one: dict[str, str], other: dict[str, str]) -> Counter[tuple[str, str]]:
        return Counter((text, KINDS[path[-3:].strip(".")]) for path, text in one.items() if other.get(path) != text)

    return (free(after, before) - free(before, after)).total()


def slugs_of(site: Site, files: dict[str, str]) -> dict[str, str]:
    return {path: address(site, path) for path in files}


@settings(
    max_examples=200 if MANY else 10,
    deadline=None,
    derandomize=not MANY,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(rounds=st.lists(st.lists(DEEDS, min_size=1, max_size=4), min_size=1, max_size=4))
def test_after_any_sequence_the_site_is_as_from_scratch(
    rounds: list[list[tuple[str, int, str, str]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("sequence")
    site = german(root / "site", a=ADA, b=EMMY)
    site.build()
    files = {"a.md": ADA, "b.md": EMMY}
    for deeds in rounds:
        before = dict(files)
        for deed in deeds:
            do(files, deed)
        shutil.rmtree(site.root / "content")
        (site.root / "content").mkdir()
        for path, text in files.items():
            site.write(path, text)
        slugs = slugs_of(site, before)
        built = site.build()
        assert built.counts["documents_extracted"] == new_contents(before, files), (before, files)
        now = slugs_of(site, files)
        assert {path: now[path] for path in before if path in files} == {
            path: slugs[path] for path in before if path in files
        }
        for path in before.keys() - files.keys():
            if [*before.values(), *files.values()].count(before[path]) == 2 and before[path] in files.values():
                heir = next(new for new in files if files[new] == before[path])
                assert heir in before or now[heir] == slugs[path]
                assert "Diese Seite" in site.page(f"documents/{slugs[path]}/index.html") or heir not in before
    assert_as_from_scratch(site, root / "fresh")
    assert site.build().result.nothing_to_do
    shutil.rmtree(root)
