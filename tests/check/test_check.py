"""`kgsite check` on a small built project, whole and then broken in one way at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import kgsite
from kgsite.checking import Finding, check_project
from kgsite.checking.links import Pages
from kgsite.checking.outside import check as check_outside
from kgsite.cli import main
from kgsite.errors import FetchError
from kgsite.project import open_project
from kgsite.readers.web import Fetched

SITE = """
[site]
title = "Lamps"
base_url = "https://example.org/lamps/"
license = "CC0-1.0"
downloads = ["json", "graphml", "csv", "html"]
[extract]
extractor = "offline"
"""
DOCUMENT = """# Lumen Works

Ada Northgate founded Lumen Works in Port Meridian in 1890. Lumen Works produced the Blue Lamp.
Ada Northgate lived in Port Meridian.
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("built")
    (root / "content").mkdir()
    (root / "site.toml").write_text(SITE, encoding="utf-8")
    (root / "content" / "lamps.md").write_text(DOCUMENT, encoding="utf-8")
    assert kgsite.build(root).exit_code == 0
    return root


@pytest.fixture
def project(built: Path, tmp_path: Path) -> Path:
    """A copy that a test may break."""
    import shutil

    shutil.copytree(built, tmp_path / "project")
    return tmp_path / "project"


def run(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["-C", str(root), "check", *arguments])


def findings(root: Path, level: str = "error") -> list[Finding]:
    return [one for one in check_project(open_project(root)) if one.level == level]


def test_a_whole_project_passes(built: Path) -> None:
    result = run(built, "--strict")
    assert result.exit_code == 0, result.output
    assert "links and anchors in" in result.output
    assert "0 errors, 0 warnings" in result.output


def test_a_project_without_entities_passes(tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    (tmp_path / "site.toml").write_text('[extract]\nextractor = "offline"\n', encoding="utf-8")
    texts = {"empty": "", "code": "```python\nx = 1\n```\n", "table": "| a | b |\n|---|---|\n| 1 | 2 |\n"}
    for name, text in texts.items():
        (tmp_path / "content" / f"{name}.md").write_text(text, encoding="utf-8")
    assert kgsite.build(tmp_path).exit_code == 0
    assert findings(tmp_path) == []


def test_one_error_is_not_errors(project: Path) -> None:
    page = project / "_site" / "about" / "index.html"
    page.write_text(page.read_text(encoding="utf-8").replace("</main>", "<!-- mine --></main>"), "utf-8")
    assert "\n1 error, 0 warnings\n" in run(project).output


def test_one_json_object_a_finding(built: Path) -> None:
    rows = [json.loads(line) for line in run(built, "--json").stdout.splitlines() if line.startswith("{")]
    assert {row["area"] for row in rows} == {"settings", "content", "graphs", "links", "size", "publishing"}
    assert {row["level"] for row in rows} == {"ok"}


def test_downloads_are_published_and_linked(built: Path) -> None:
    site = built / "_site"
    assert {"text_units.json", "schema.json", "graph.graphml", "nodes.csv", "graph.html"} <= {
        file.name for file in (site / "data").iterdir()
    }
    about = (site / "about" / "index.html").read_text(encoding="utf-8")
    own = (site / "documents" / "lamps" / "index.html").read_text(encoding="utf-8")
    assert all(f'data/{name}"' in about for name in ("graph.graphml", "edges.csv", "schema.json", "text_units.json"))
    assert 'data/documents/lamps/graph.graphml"' in own


# ── broken in one way ─────────────────────────────────────────────────────────────────────────────
def test_a_damaged_graph(project: Path) -> None:
    (project / ".kgsite" / "graphs" / "lamps.md.json").write_text('{"kgsite": {}', encoding="utf-8")
    for _ in range(2):  # a check changes nothing
        assert any(one.area == "graphs" and "lamps.md" in one.where for one in findings(project))


def test_a_changed_document(project: Path) -> None:
    (project / "content" / "lamps.md").write_text("# Other", encoding="utf-8")
    (project / "content" / "new.md").write_text("# New", encoding="utf-8")
    said = {one.where: one.message for one in findings(project, "warning") if one.area == "content"}
    assert said == {"lamps.md": "it changed after its graph was made", "new.md": "it has no stored graph"}


def test_links_and_anchors(project: Path) -> None:
    page = project / "_site" / "about" / "index.html"
    bad = '<a href="../nowhere/">x</a><a href=\'../index.html#none\'>y</a><a href="/rooted">z</a><a href="#main">ok</a>'
    page.write_text(page.read_text(encoding="utf-8").replace("</main>", bad + "</main>"), encoding="utf-8")
    why = {one.link: one.why for one in Pages(project / "_site", "/lamps/").broken()}
    assert why == {
        "../nowhere/": "there is no such file",
        "../index.html#none": "the page has no such anchor",
        "/rooted": "it begins at the root of the host",
    }
    errors = {(one.area, one.where) for one in findings(project)}
    assert errors == {("links", "about/index.html"), ("publishing", "about/index.html")}


def test_files_that_are_gone_foreign_or_secret(project: Path) -> None:
    site = project / "_site"
    (site / "404.html").unlink()
    (site / "robots.txt").write_text("sk-test-abcdefghijklmnopqrstuvwxyz", encoding="utf-8")
    page = site / "entities" / "index.html"
    text = page.read_text(encoding="utf-8")
    page.write_text(
        text.replace("</body>", '<script src="https://cdn.example/x.js"></script></body>'), encoding="utf-8"
    )
    said = {(one.where, one.message) for one in findings(project)}
    assert ("404.html", "it is missing (unknown addresses)") in said
    assert ("robots.txt", "it holds what looks like an API key") in said
    assert ("entities/index.html", "the page loads from another site") in said
    assert run(project).exit_code == 1


def test_sizes(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kgsite.checking import output

    monkeypatch.setattr(output, "SITE_LIMIT", 10_000)
    monkeypatch.setattr(output, "FILE_LIMIT", 100_000)
    said = [one for one in findings(project) if one.area == "size"]
    assert any(one.where == "" and "GitHub Pages" in one.message for one in said)
    assert any(one.where.endswith("graph.html") for one in said)


def test_settings(project: Path) -> None:
    text = SITE.replace("base_url", "base_ulr").replace('license = "CC0-1.0"', "")
    (project / "site.toml").write_text(text + '[schema]\npath = "none.toml"\n', encoding="utf-8")
    assert any(one.area == "schema" for one in findings(project))
    warnings = " ".join(one.message for one in findings(project, "warning"))
    assert "base_ulr" in warnings
    assert "license is not set" in warnings


# ── schema ────────────────────────────────────────────────────────────────────────────────────────
def test_the_graph_against_a_schema(project: Path) -> None:
    schema = '[schema]\nentity_types = ["Ship"]\nrelation_types = ["Ship-SAILED_TO->Ship"]\n'
    (project / "site.toml").write_text(SITE + schema, encoding="utf-8")
    said = [one for one in findings(project, "warning") if one.area == "schema"]
    assert any("Ada Northgate: entity type" in one.message for one in said)
    (project / "site.toml").write_text(SITE + schema + "strict = true\n", encoding="utf-8")
    assert [one for one in findings(project) if one.area == "schema"]


def test_plain_documents(project: Path) -> None:
    schema = '[schema]\nentity_types = ["Person", "Firm"]\nrelation_types = ["Person-FOUNDED->Firm"]\n'
    (project / "site.toml").write_text(SITE + schema, encoding="utf-8")
    good, bad = project / "good.json", project / "bad.json"
    entities = [
        {"label": "Person", "text": "Ada", "properties": {}},
        {"label": "Firm", "text": "Lumen", "properties": {}},
    ]
    relation = {"type": "FOUNDED", "source": "Ada", "target": "Lumen", "source_label": "Person", "target_label": "Firm"}
    good.write_text(json.dumps({"entities": entities, "relations": [relation]}), encoding="utf-8")
    turned = {**relation, "source_label": "Firm", "target_label": "Person"}
    bad.write_text(json.dumps({"entities": entities, "relations": [turned]}), encoding="utf-8")
    assert run(project, str(good)).exit_code == 0
    result = run(project, str(good), str(bad))
    assert result.exit_code == 1
    assert "bad.json: relations[0]: Firm → Person is no pattern of FOUNDED" in result.output


# ── other sites, the endpoint ─────────────────────────────────────────────────────────────────────
class FakeWeb:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def fetch(self, url: str) -> Fetched:
        self.asked.append(url)
        if "gone" in url:
            raise FetchError("404")
        return Fetched(url, b"")


def test_links_to_other_sites_only_warn_and_are_asked_slowly_and_once(project: Path) -> None:
    page = project / "_site" / "index.html"
    links = "".join(f'<a href="https://example.com/{name}">x</a>' for name in ("a", "b#c", "gone"))
    page.write_text(page.read_text(encoding="utf-8").replace("</main>", links + "</main>"), encoding="utf-8")
    opened, web, now, slept = open_project(project), FakeWeb(), [1_000_000.0], []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    def once() -> Iterator[Finding]:
        return check_outside(opened, fetcher=web, sleep=sleep, clock=lambda: now[0])

    first = list(once())
    mine = [url for url in web.asked if "example.com" in url]
    assert mine == ["https://example.com/a", "https://example.com/b", "https://example.com/gone"]
    assert slept[:2] == [1.0, 1.0]
    assert [(one.level, one.where) for one in first if one.level != "ok"] == [("warning", "index.html")]
    web.asked.clear()
    list(once())
    assert web.asked == ["https://example.com/gone"]


def test_no_model_to_test(built: Path) -> None:
    result = run(built, "--llm")
    assert result.exit_code == 1
    assert "no model is chosen" in result.output
