"""What the preview says is in the language of the site, and a theme may say it otherwise."""

from __future__ import annotations

import json
import os
from pathlib import Path

from kgsite.serve.phrases import Phrases
from tests.serve.serving import make_project


def write(file: Path, text: str) -> None:
    """A file whose time differs from that of the one before, whatever the clock's steps are."""
    file.parent.mkdir(parents=True, exist_ok=True)
    before = file.stat().st_mtime_ns if file.exists() else 0
    file.write_text(text, "utf-8")
    now = file.stat().st_mtime_ns
    os.utime(file, ns=(now, max(now, before + 1_000_000)))


def test_the_words_follow_the_files(tmp_path: Path) -> None:
    make_project(tmp_path)
    phrases = Phrases(tmp_path, "", {})
    assert (phrases.language, phrases.t("library.title")) == ("en", "Add documents")
    write(tmp_path / "site.toml", '[site]\nlanguage = "de"\ntheme = "mine"\n')
    assert phrases.language == "en"  # there is no such theme: told by the build, in the page
    write(tmp_path / "themes" / "mine" / "theme.toml", 'name = "mine"\n')
    assert (phrases.language, phrases.t("library.title")) == ("de", "Dokumente hinzufügen")
    write(tmp_path / "themes" / "mine" / "i18n" / "de.toml", '[preview]\n"library.title" = "Hinein & <damit>"\n')
    assert phrases.t("library.title") == "Hinein & <damit>"
    write(tmp_path / "site.toml", "[site\n")
    assert phrases.language == "de"


def test_what_stands_in_a_page_can_not_leave_its_place(tmp_path: Path) -> None:
    make_project(tmp_path)
    write(tmp_path / "site.toml", '[site]\ntheme = "mine"\n')
    write(tmp_path / "themes" / "mine" / "theme.toml", "")
    write(tmp_path / "themes" / "mine" / "i18n" / "en.toml", '[preview]\nask = "</script><b>"\n')
    island = Phrases(tmp_path, "", {}).island()
    assert "<" not in island
    read = json.loads(island)
    assert (read["language"], read["texts"]["ask"]) == ("en", "</script><b>")
    assert all(not key.startswith("preview") for key in read["texts"])
