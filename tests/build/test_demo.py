"""The repository is itself a project: its demonstration site builds from committed graphs, frozen and whole."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from kgsite.build import BuildOptions, build
from kgsite.checking import check_project
from kgsite.project import Project, World, open_project
from kgsite.report import Report

ROOT = Path(__file__).parents[2]
STATE = ("graphs", "layout", "permalinks.json", "communities.json")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Report]:
    root = tmp_path_factory.mktemp("demo")
    shutil.copytree(ROOT / "content", root / "content")
    shutil.copy(ROOT / "site.toml", root / "site.toml")
    for name in STATE:
        source = ROOT / ".kgsite" / name
        target = root / ".kgsite" / name
        target.parent.mkdir(exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    project = open_project(root, world=World(environ={}, today=lambda _environ: "2031-01-01"))
    report = Report()
    result = build(project, BuildOptions(frozen=True), report)
    assert result.exit_code == 0, report.notices
    return project, report


def test_committed_graphs_are_up_to_date(demo: tuple[Project, Report]) -> None:
    _, report = demo
    assert report.counts["documents_unchanged"] == report.counts["documents"] >= 10
    assert not report.losses
    assert not [notice for notice in report.warnings if notice.code != "site"]


def test_the_state_that_a_build_leaves_is_the_committed_one(demo: tuple[Project, Report]) -> None:
    project, _ = demo
    for name in ("permalinks.json", "communities.json"):
        assert (project.store.folder / name).read_bytes() == (ROOT / ".kgsite" / name).read_bytes(), name
    committed = {path.relative_to(ROOT / ".kgsite") for path in (ROOT / ".kgsite/graphs").rglob("*.json")}
    assert committed == {path.relative_to(project.store.folder) for path in project.store.stored_graphs()}


def test_every_link_and_anchor_leads_somewhere(demo: tuple[Project, Report]) -> None:
    project, _ = demo
    findings = list(check_project(project))
    assert [finding for finding in findings if finding.level == "error"] == []
    links = next(finding for finding in findings if finding.area == "links")
    assert int(re.sub(r"\D", "", re.split(r" links", str(links.message))[0])) > 10_000


def test_pages_use_relative_links_only(demo: tuple[Project, Report]) -> None:
    project, _ = demo
    for path in project.output.rglob("*.html"):
        if path.name != "404.html":
            found = re.search(r"""(?:href|src)=["']/[^"']*""", path.read_text(encoding="utf-8"))
            assert not found, f"{path.relative_to(project.output)}: {found.group() if found else ''}"
