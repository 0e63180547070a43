"""Whole builds with a model behind a real HTTP server: what is asked, kept, told and published."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgsite.errors import BudgetError, FrozenError
from kgsite.project import World
from tests.build.site import DAY, Site
from tests.llm.scripted import Server, serving

KEY = "sk-test-0123456789abcdefSECRET"
WORLD = World(environ={"OPENAI_API_KEY": KEY}, today=lambda _environ: DAY)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def with_model(root: Path, server: Server, extract: str = "") -> Site:
    site = Site(root)
    site.config(
        f'[site]\ntitle = "Model"\n[extract]\n{extract}\n[llm]\nmodel = "test-model"\nbase_url = "{server.url}"\n'
        '[schema]\ndiscover = false\n[prices]\n"test-model" = { input = 1.0, output = 2.0 }\n'
    )
    for number, pair in enumerate(
        ("Ada Northgate founded Lumen Works.", "Bo Quist visited Ghent.", "Ada Northgate knows Bo Quist.")
    ):
        site.write(f"doc{number}.md", f"# Document {number}\n\n{pair}\n")
    return site


def test_a_build_with_a_model_and_the_next_one_without_a_request(tmp_path: Path, server: Server) -> None:
    site = with_model(tmp_path, server)
    built = site.build(world=WORLD)
    assert built.result.exit_code == 0, built.report.notices
    asked = len(server.chats())
    assert built.counts["requests"] == asked >= 3
    assert built.report.extra["cost"] == pytest.approx((700 * asked + 2 * 50 * asked) / 1_000_000)
    assert "Ada Northgate founded Lumen Works" in site.page("entities/ada-northgate/index.html")
    graph = json.loads((tmp_path / ".kgsite/graphs/doc0.md.json").read_text(encoding="utf-8"))
    assert (graph["kgsite"]["extractor"], graph["kgsite"]["model"]) == ("openai", "test-model")
    again = site.build(world=WORLD)
    assert again.result.nothing_to_do
    assert len(server.chats()) == asked


def test_lost_graphs_cost_nothing_and_no_cache_costs_again(tmp_path: Path, server: Server) -> None:
    site = with_model(tmp_path, server)
    site.build(world=WORLD)
    asked, state = len(server.chats()), site.state()
    for path in (tmp_path / ".kgsite/graphs").iterdir():
        path.unlink()
    assert site.build(world=WORLD).counts["requests"] == 0
    assert len(server.chats()) == asked
    assert site.state() == state
    site.build(world=WORLD, no_cache=True)
    assert len(server.chats()) == 2 * asked


def test_the_plan_costs_nothing_and_the_key_is_nowhere(tmp_path: Path, server: Server) -> None:
    site = with_model(tmp_path, server)
    built = site.build(world=WORLD, dry_run=True)
    assert not server.chats()
    assert not (tmp_path / ".kgsite").exists()
    assert built.report.extra["plan"]["money"] > 0
    assert any("together:" in data["text"] for data in built.events.named("say"))
    site.build(world=WORLD)
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


def test_a_changed_model_says_why_before_it_costs(tmp_path: Path, server: Server) -> None:
    site = with_model(tmp_path, server)
    site.build(world=WORLD)
    asked = len(server.chats())
    text = (tmp_path / "site.toml").read_text(encoding="utf-8")
    site.config(text.replace('model = "test-model"', 'model = "other-model"'))
    built = site.build(world=WORLD, dry_run=True)
    assert built.report.documents["doc0.md"]["reason"] == "changed: the extractor, its model, prompts or settings"
    with pytest.raises(FrozenError):
        site.build(world=WORLD, frozen=True)
    assert len(server.chats()) == asked


def test_a_spent_budget_keeps_what_is_paid(tmp_path: Path, server: Server) -> None:
    site = with_model(tmp_path, server, "max_requests = 2")
    with pytest.raises(BudgetError):
        site.build(world=WORLD)
    assert len(server.chats()) == 2
    partial = site.build(world=WORLD, keep_going=True)
    assert partial.result.exit_code == 3
    text = (tmp_path / "site.toml").read_text(encoding="utf-8")
    site.config(text.replace("max_requests = 2", ""))
    whole = site.build(world=WORLD)
    assert whole.result.exit_code == 0
    plain = with_model(tmp_path / "plain", server)
    before = len(server.chats())
    plain.build(world=WORLD)
    assert before <= 2 * (len(server.chats()) - before)


def test_a_key_alone_spends_nothing(tmp_path: Path, server: Server) -> None:
    from kgsite.build import closing_hint
    from kgsite.project import open_project

    site = Site(tmp_path)
    site.config('[site]\ntitle = "Offline"\n')
    site.write("a.md", "Ada Northgate founded Lumen Works in Ghent.\n")
    built = site.build(world=WORLD)
    assert "requests" not in built.counts
    assert not server.chats()
    assert "OPENAI_API_KEY is set but not used" in closing_hint(open_project(tmp_path, world=WORLD))
