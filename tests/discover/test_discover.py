"""What discovery finds in content/, what it leaves out, and why."""

from __future__ import annotations

import os
import shutil
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from kgsite import discover as module
from kgsite.discover import SKIP_CODES, Discovery, discover, discover_file
from kgsite.errors import ConfigError, ReadError
from kgsite.readers.walk import MAX_DEPTH, is_ignored, printable_name

DATA = Path(__file__).parents[1] / "readers" / "data"
TEXT = "Ada Northgate founded Lumen Works in Ghent in 1984.\n"


def found(content: Path, *, drafts: bool = False, **encodings: str) -> Discovery:
    return discover(content, drafts=drafts, encodings=encodings)


def skipped(discovery: Discovery) -> dict[str, str]:
    assert all(item.code in SKIP_CODES for item in discovery.skipped)
    return {item.path: item.code for item in discovery.skipped}


def write(content: Path, files: dict[str, str | bytes]) -> Path:
    for name, data in files.items():
        file = content / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return content


def test_kinds_by_suffix_in_any_case(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.txt": TEXT,
            "b.MD": TEXT,
            "c.rst": TEXT,
            "d.HTM": "<p>x",
            "sub/e.markdown": TEXT,
            "noextension": TEXT,
            "page": "<!doctype html><p>x",
        },
    )
    shutil.copy(DATA / "plain.pdf", tmp_path / "UPPER.PDF")
    shutil.copy(DATA / "footnotes.docx", tmp_path / "word.docx")
    discovery = found(tmp_path)
    assert {source.path: source.kind for source in discovery.sources} == {
        "UPPER.PDF": "pdf", "a.txt": "text", "b.MD": "markdown", "c.rst": "rst", "d.HTM": "html", "noextension": "text",
        "page": "html", "sub/e.markdown": "markdown", "word.docx": "docx",
    }  # fmt: skip
    assert discovery.skipped == ()
    assert [source.path for source in discovery.sources] == sorted(source.path for source in discovery.sources)
    assert all(source.file and source.file.is_absolute() and len(source.sha256) == 64 for source in discovery.sources)


def test_links_pipes_and_big_files(tmp_path: Path) -> None:
    content = write(tmp_path / "content", {"good.md": TEXT})
    write(tmp_path / "outside", {"secret.md": "OUTSIDE-SECRET"})
    for name, target in {
        "escape.md": tmp_path / "outside/secret.md",
        "dir": tmp_path / "outside",
        "loop": content,
        "dangling.md": content / "nowhere",
        ".#lock.md": "user@host",
    }.items():
        (content / name).symlink_to(target)
    os.mkfifo(content / "pipe.txt")
    with (content / "sparse.txt").open("wb") as sparse:
        sparse.truncate(1 << 30)
    discovery = found(content)
    assert [source.path for source in discovery.sources] == ["good.md"]
    assert skipped(discovery) == {
        "escape.md": "link",
        "dir": "link",
        "loop": "link",
        "dangling.md": "link",
        "pipe.txt": "special",
        "sparse.txt": "large",
    }
    assert not any(str(tmp_path) in item.reason for item in discovery.skipped)


def test_ignored_without_a_word(tmp_path: Path) -> None:
    write(
        tmp_path,
        dict.fromkeys(
            (
                "a.md~",
                ".hidden.md",
                ".env",
                "~$x.docx",
                "#a.md#",
                "x.swp",
                "a.meta.json",
                "a.workspace.json",
                ".git/x.md",
                "node_modules/x.md",
            ),
            TEXT,
        ),
    )
    assert found(tmp_path) == Discovery(())
    assert is_ignored("Thumbs.db")
    assert not is_ignored("thumbs.md")


def test_names_that_can_not_be_shown_are_escaped(tmp_path: Path) -> None:
    for raw in (
        b"caf\xe9.txt",
        b"line\nbreak.md",
        b"-rf.md",
        b"a%2e%2e%2fb.md",
        b"q?&#=+ .md",
        "\u202efdp.md".encode(),
    ):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + raw)).write_text(TEXT)
    paths = [source.path for source in found(tmp_path).sources]
    assert paths == sorted(
        ("caf%E9.txt", "line%0Abreak.md", "-rf.md", "a%2e%2e%2fb.md", "q?&#=+ .md", "%E2%80%AEfdp.md")
    )
    assert all(path.isprintable() and path.encode() for path in paths)
    assert printable_name("e\u0301") == "é"


def test_names_that_differ_in_case_are_both_kept_and_in_normalisation_not(tmp_path: Path) -> None:
    write(
        tmp_path, {"sub/index.md": TEXT, "sub/INDEX.md": TEXT, "é.md": TEXT, unicodedata.normalize("NFD", "é.md"): TEXT}
    )
    discovery = found(tmp_path)
    assert [source.path for source in discovery.sources] == ["sub/INDEX.md", "sub/index.md", "é.md"]
    assert skipped(discovery) == {"é.md": "clash"}


def test_content_that_is_not_what_its_name_says(tmp_path: Path) -> None:
    for name in ("not-a.pdf", "old-doc.docx", "logo.svg"):
        shutil.copy(DATA / name, tmp_path / name)
    write(
        tmp_path,
        {
            "picture.txt": b"\x89PNG\r\n\x1a\n" + b"D" * 99,
            "a.docx": TEXT,
            "b.doc": b"\xd0\xcf",
            "c.png": b"\x89PNG",
            "raw": bytes(range(256)) * 9,
            "x.json": "[1]",
        },
    )
    discovery = found(tmp_path)
    assert discovery.sources == ()
    assert skipped(discovery) == {
        "not-a.pdf": "mismatch", "old-doc.docx": "legacy", "logo.svg": "unsupported", "picture.txt": "binary", "a.docx": "mismatch",
        "b.doc": "unsupported", "c.png": "unsupported", "raw": "binary", "x.json": "import",
    }  # fmt: skip


def test_unreadable_is_skipped_and_the_others_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.txt": TEXT, "b.txt": TEXT})
    real = os.open

    def refuse(path: Any, *args: Any, **options: Any) -> int:
        if str(path).endswith("a.txt"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *args, **options)

    monkeypatch.setattr("kgsite.readers.files.os.open", refuse)
    discovery = found(tmp_path)
    assert [source.path for source in discovery.sources] == ["b.txt"]
    assert discovery.skipped[0].reason == "can't be opened: permission denied"


def test_depth_is_limited(tmp_path: Path) -> None:
    deep = "/".join(["d"] * (MAX_DEPTH + 2)) + "/a.md"
    discovery = found(write(tmp_path, {deep: TEXT, "b.md": TEXT}))
    assert [source.path for source in discovery.sources] == ["b.md"]
    assert list(skipped(discovery).values()) == ["deep"]


def test_landing_sections_and_drafts(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "index.md": "---\ntitle: Home\n---\nx",
            "_index.md": "top",
            "sub/_index.md": "---\ntitle: Part\n---\n",
            "sub/index.md": "a document",
            "d.md": "---\ndraft: true\n---\nx",
            "e.txt": "x",
            "e.txt.toml": "draft = true",
            "f.md": "---\ndraft: true\n---\nx",
            "f.md.toml": "draft = false",
        },
    )
    discovery = found(tmp_path)
    assert discovery.landing
    assert discovery.landing.meta.title == "Home"
    assert {folder: source.meta.title for folder, source in discovery.sections.items()} == {"": None, "sub": "Part"}
    assert [source.path for source in discovery.sources] == ["f.md", "sub/index.md"]
    assert discovery.drafts == ("d.md", "e.txt")
    assert [source.path for source in found(tmp_path, drafts=True).sources] == ["d.md", "e.txt", "f.md", "sub/index.md"]


def test_sidecar_overrides_and_enters_the_hash(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "---\ntitle: Inner\nauthor: Ada\nroom: 7\n---\nx"})
    before = found(tmp_path).sources[0]
    write(tmp_path, {"a.md.toml": 'title = "Outer"\ntags = ["x"]\nfloor = 2\n'})
    after = found(tmp_path).sources[0]
    assert (after.meta.title, after.meta.authors, after.meta.tags) == ("Outer", ("Ada",), ("x",))
    assert after.meta.extra == {"floor": "2", "room": "7"}
    assert before.sha256 != after.sha256
    write(tmp_path, {"a.md.toml": "title = ["})
    broken = found(tmp_path).sources[0]
    assert broken.meta.title == "Inner"
    assert broken.warnings[0].startswith("the sidecar was left out")


def test_encodings_of_site_toml(tmp_path: Path) -> None:
    write(tmp_path, {"old/a.txt": "é".encode("cp437"), "b.txt": "x"})
    plain = found(tmp_path)
    stated = discover(tmp_path, drafts=False, encodings={"old/*": "cp437"})
    assert [source.meta.encoding for source in stated.sources] == [None, "cp437"]
    assert stated.sources[0].sha256 == plain.sources[0].sha256
    assert stated.sources[1].sha256 != plain.sources[1].sha256


def test_web_listings(tmp_path: Path) -> None:
    shutil.copy(DATA / "urls.txt", tmp_path / "bad-urls.url")
    write(
        tmp_path,
        {
            "win.url": "[InternetShortcut]\r\nIDList=\r\nURL=https://a.example/x\r\n",
            "plain.url": "https://b.example/\n",
            "bad.url": "[InternetShortcut]\n",
            "sub/urls.txt": "# pages\nhttps://en.wikipedia.org/wiki/Ada  # the person\n\nhttps://user:pw@c.example/\nhttps://en.wikipedia.org/wiki/Ada\nftp://c.example/\n",
            "sub/urls.txt.toml": 'license = "CC-BY-SA-4.0"',
        },
    )
    (tmp_path / "bad-urls.url").unlink()
    discovery = found(tmp_path)
    assert [(source.path, source.url) for source in discovery.sources] == [
        ("plain.url", "https://b.example/"),
        ("sub/urls.txt/en.wikipedia.org-Ada-" + discovery.sources[1].path[-8:], "https://en.wikipedia.org/wiki/Ada"),
        ("win.url", "https://a.example/x"),
    ]
    assert {source.kind for source in discovery.sources} == {"web"}
    assert discovery.sources[1].meta.license == "CC-BY-SA-4.0"
    assert [(item.path, item.code) for item in discovery.skipped] == [
        ("bad.url", "url"),
        ("sub/urls.txt", "url"),
        ("sub/urls.txt", "url"),
    ]
    assert not any("pw" in item.reason for item in discovery.skipped)


def test_ready_made_graphs_and_their_companions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(
        tmp_path,
        {
            "t.json": "[]",
            "t.txt": TEXT,
            "t.meta.json": "{}",
            "k.json": "{}",
            "k.txt": TEXT,
            "no.json": "1",
            "g/entities.parquet": b"PAR1",
            "g/documents.parquet": b"PAR1",
            "g/stats.json": "{}",
            "g/notes.md": TEXT,
        },
    )
    known = {"t.json": "triples", "k.json": "knwler", "g": "graphrag"}
    monkeypatch.setattr("kgsite.importers.recognise", lambda path: known.get(path.name))
    discovery = found(tmp_path)
    assert [(source.path, source.kind) for source in discovery.sources] == [
        ("g", "graph"),
        ("g/notes.md", "markdown"),
        ("k.json", "graph"),
        ("k.txt", "text"),
        ("t.json", "graph"),
    ]
    assert skipped(discovery) == {"no.json": "import"}
    assert "GraphML" in discovery.skipped[0].reason


def test_same_bytes_same_hash_wherever_content_lies(tmp_path: Path) -> None:
    for place in ("a", "b"):
        write(tmp_path / place, {"x.md": TEXT, "sub/y.txt": TEXT})
    first, second = found(tmp_path / "a"), found(tmp_path / "b")
    assert [(s.path, s.sha256, s.size) for s in first.sources] == [(s.path, s.sha256, s.size) for s in second.sources]


def test_no_folder_and_single_files(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        found(tmp_path / "nowhere")
    with pytest.raises(ReadError):
        discover_file(tmp_path / "nothing.md")
    write(tmp_path, {"a.md": "---\ndraft: true\n---\nx", "a.md.toml": 'title = "T"'})
    assert discover_file(tmp_path / "a.md").sources[0].meta.title == "T"


def test_start_up_stays_light() -> None:
    import subprocess
    import sys

    heavy = "pymupdf mammoth docutils httpx markdown_it bs4 charset_normalizer yaml numpy".split()  # noqa: SIM905
    script = f"import kgsite.discover, kgsite.readers, sys; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert module.SUFFIXES[".pdf"] == "pdf"
