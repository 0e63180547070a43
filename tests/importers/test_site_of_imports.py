"""A site of imported graphs: what its pages tell of them, and that the command exports what the site offers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kgsite.api import build, export_site

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("imports")
    content = root / "content"
    content.mkdir()
    shutil.copy(DATA / "knwler" / "lumen.v1.1.json", content)
    shutil.copy(DATA / "cases" / "dangling.json", content)
    names = ["marie curie", "pierre curie", "university of paris", "warsaw", "polonium", "radium"]
    flat = {
        "entities": [{"name": name, "type": "thing"} for name in names],
        "relations": [{"source": names[0], "target": name, "type": "knows"} for name in names[1:]],
    }
    (content / "lowered.json").write_text(json.dumps(flat), encoding="utf-8")
    (root / "site.toml").write_text('[site]\ntitle = "T"\ndownloads = ["graphml", "csv"]\n', encoding="utf-8")
    assert build(root).exit_code == 0
    return root


def page(project: Path, document: str) -> str:
    return (project / "_site" / "documents" / document / "index.html").read_text(encoding="utf-8")


def test_communities_that_the_source_named_are_shown_with_their_descriptions(project: Path) -> None:
    shown = page(project, "lumen-v1-1")
    assert "Communities as the source has them" in shown
    assert shown.count(">T0</a>") == 1
    assert '<p dir="auto">D0</p>' in shown
    assert "T1" not in shown, "a community of one entity is no group"


def test_communities_that_kgsite_found_are_not_said_to_be_the_sources(project: Path) -> None:
    assert "Communities as the source has them" not in page(project, "dangling")


def test_repairs_are_counted_without_being_called_dropped(project: Path) -> None:
    shown = page(project, "dangling")
    assert "2 × relations that name an entity which the file does not describe (kept)" in shown
    assert "dropped" not in shown


@pytest.mark.parametrize("form", ["graphml", "csv"])
def test_the_command_exports_what_the_site_offers(project: Path, form: str) -> None:
    for name, data in export_site(project, form).items():
        assert (project / "_site" / "data" / name).read_bytes() == data
        if name in ("graph.graphml", "nodes.csv"):
            assert b"University of Paris" in data
