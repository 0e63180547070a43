"""Hostile documents as one site: each as expected, none stops the others, nothing of them runs or leaks.

The documents are those of the readers' tests (tests/readers/data, synthetic); the odd files are made here.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.build.site import Built, Site

DATA = Path(__file__).parents[1] / "readers" / "data"
TEXT = "Ada Northgate founded Lumen Works in Ghent in 1984. Lumen Works made lamps for Bright Quay.\n"
ODD = (
    "index.md",
    "INDEX.md",
    "con.md",
    "-rf.md",
    "a%2e%2e%2fb.md",
    "q?&#=+ .md",
    "line\nbreak.md",
    "n" * 240 + ".md",
    "noextension",
    "draft.md~",
    ".hidden.md",
    "good.md",
)


def odd_files(content: Path) -> None:
    """Names and things that a file system can hold and git can't."""
    outside = content.parent / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("OUTSIDE-SECRET\n", encoding="utf-8")
    for name in ODD:
        (content / name).write_text(TEXT, encoding="utf-8")
    Path(os.fsdecode(os.fsencode(content) + b"/caf\xe9.txt")).write_text(TEXT, encoding="utf-8")
    (content / "~$tables.docx").write_bytes(b"\x05user")
    (content / ".env").write_text("OPENAI_API_KEY=sk-test-not-a-real-key\n", encoding="utf-8")
    shutil.copy(DATA / "plain.pdf", content / "UPPER.PDF")
    links = (("symlink-escape.md", outside / "secret.md"), ("symlink-dir", outside), ("symlink-loop", content))
    for link, target in (*links, ("symlink-dangling.md", content / "nowhere.md")):
        (content / link).symlink_to(target)
    os.mkfifo(content / "pipe.txt")
    with (content / "sparse-1g.txt").open("wb") as sparse:
        sparse.truncate(1 << 30)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Site, Built]:
    root = tmp_path_factory.mktemp("hostile")
    site = Site(root)
    odd_files(root / "content")
    for path in sorted(DATA.iterdir()):
        if path.name not in {"README.md", "ABOUT.md", "urls.txt"}:
            site.write(f"cases/{path.name}", path.read_bytes())
    return site, site.build()


def test_every_loss_is_told_and_everything_else_is_there(hostile: tuple[Site, Built]) -> None:
    site, built = hostile
    assert built.result.exit_code == 3
    lost = {loss.file: loss.message for loss in built.report.losses}
    for name, reason in {
        "cases/binary-as.txt": "binary",
        "cases/encrypted.pdf": "password needed",
        "cases/not-a.pdf": "HTML",
        "cases/truncated.pdf": "damaged",
        "cases/js-action.pdf": "no text",
        "cases/old-doc.docx": "legacy or password-protected",
        "cases/xxe.docx": "entity",
        "sparse-1g.txt": "too large",
    }.items():
        assert reason in lost.pop(name, f"{name} is not lost"), name
    assert not lost
    pages = {path.split("/")[1] for path in site.tree() if re.fullmatch(r"documents/[^/]+/index\.html", path)}
    statuses = {path for path, facts in built.report.documents.items() if facts["status"] == "new"}
    assert len(pages) == len(statuses)
    for path in ("INDEX.md", "con.md", "-rf.md", "q?&#=+ .md", "caf%E9.txt", "UPPER.PDF", "noextension", "good.md"):
        assert path in statuses, path


def test_nothing_from_outside_and_no_key_reaches_output_or_state(hostile: tuple[Site, Built]) -> None:
    site, _ = hostile
    for folder in ("_site", ".kgsite"):
        for path in (site.root / folder).rglob("*"):
            if path.is_file():
                data = path.read_bytes()
                assert b"OUTSIDE-SECRET" not in data, path
                assert b"sk-test" not in data, path
                assert str(site.root).encode() not in data, path


def test_documents_are_data_not_templates_markup_or_addresses(hostile: tuple[Site, Built]) -> None:
    site, _ = hostile
    jinja = site.page("documents/jinja/index.html")
    source = (DATA / "jinja.md").read_text(encoding="utf-8")
    braces = re.findall(r"\{\{[^}]*\}\}", source)
    assert braces
    assert all(text in jinja.replace("&#39;", "'").replace("&#34;", '"') for text in braces)
    assert ">49<" not in jinja
    for path in (site.root / "_site").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"<(?:iframe|object|embed|base|form)\b", text), path
        assert not re.search(r"""\bon(?:error|load|click|mouseover)\s*=""", re.sub(r">[^<]*<", "><", text)), path
        assert not re.search(
            r"""(?:href|src)\s*=\s*["']?\s*(?:javascript|vbscript|data:text)""", text, re.IGNORECASE
        ), path
        assert 'http-equiv="refresh"' not in text or "moved" in text, path


def test_texts_are_read_as_people_read_them(hostile: tuple[Site, Built]) -> None:
    site, built = hostile
    assert "Ada Northgate" in site.page("documents/tracked-changes/index.html")
    assert "Wrong Person" not in site.page("documents/tracked-changes/index.html")
    assert "Antwerp" in site.page("documents/footnotes/index.html")
    assert "Lumen Works" in site.page("documents/split-runs/index.html")
    assert "PWNED" not in site.page("documents/hidden-text/index.html")
    assert "\ufb01" not in site.page("documents/ligatures-hyphen/index.html")
    notes = {(notice.file, notice.level) for notice in built.report.notices}
    for name in (
        "cases/gb18030.txt",
        "cases/latin1-as-utf8-mixed.txt",
        "cases/hidden-text.pdf",
        "cases/owner-only.pdf",
        "cases/frontmatter-broken.md",
        "cases/yaml-bomb.md",
        "symlink-escape.md",
        "pipe.txt",
    ):
        assert (name, "warning") in notes, name


def test_the_next_build_has_nothing_to_do_and_still_tells_the_losses(hostile: tuple[Site, Built]) -> None:
    site, built = hostile
    before = site.tree()
    again = site.build()
    assert again.result.exit_code == 3
    assert again.counts["documents_extracted"] == 0
    assert site.tree() == before
    assert {loss.file for loss in again.report.losses} == {loss.file for loss in built.report.losses}
