"""Questions of site.toml: answered while the site is built, cached, published with their citations."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from kgsite.errors import FrozenError
from kgsite.site.views.questions import _parts
from tests.ask.scripted_model import Given, answering
from tests.build.site import Site
from tests.llm.scripted import serving

TRIPLES = [
    {"subject": "Ada Northgate", "predicate": "founded", "object": "Lumen Works", "subject_type": "person",
     "object_type": "organization", "source": "Ada Northgate founded Lumen Works in Larvik."},
    {"subject": "Lumen Works", "predicate": "located in", "object": "Larvik", "object_type": "place",
     "source": "Ada Northgate founded Lumen Works in Larvik."},
    {"subject": "Bo Quist", "predicate": "worked at", "object": "Lumen Works", "inferred": True, "method": "llm_hub"},
]  # fmt: skip
ASKED = ("Who founded Lumen Works?", "Did Bo Quist work at Lumen Works?", "What did Ada Northgate eat?")


def config(url: str, *, questions: tuple[str, ...] = ASKED, language: str = "en", model: str = "test-model") -> str:
    return (
        f'[site]\ntitle = "Test"\nlanguage = "{language}"\n[extract]\nextractor = "offline"\n'
        + (f'[llm]\nmodel = "{model}"\nbase_url = "{url}"\nmax_retries = 0\n' if url else "")
        + (f"[questions]\nask = {json.dumps(list(questions), ensure_ascii=False)}\n" if questions else "")
    )


def site(root: Path, url: str, **more: Any) -> Site:
    made = Site(root)
    made.config(config(url, **more))
    made.write("lumen.json", json.dumps(TRIPLES))
    return made


def model(asked: Given) -> str:
    if "founded" in asked.question:
        return f"Ada Northgate founded it [{asked.number('ada', 'founded')}]. ![x](https://evil.example/x) See [77]."
    if "Bo" in asked.question:
        return f"He probably did; that is inferred [{asked.number('bo', 'worked at')}]."
    return "NOT IN THE GRAPH"


def twin(made: Site) -> list[dict[str, Any]]:
    return list(json.loads(made.page("questions/index.json"))["questions"])


def test_answers_are_published_with_their_citations(tmp_path: Path) -> None:
    with serving(answering(model)) as server:
        made = site(tmp_path, server.url)
        built = made.build()
        assert built.result.exit_code == 0
        assert len(server.chats()) == 3
    page = made.page("questions/index.html")
    assert '<a class="cited" href="#q1-1">[1]</a>' in page
    assert 'id="q1-1"' in page
    assert "evil.example" not in page
    assert "[77]" not in page
    assert "“" not in re.findall(r'<div class="answer prose">(.*?)</div>', page, re.DOTALL)[0]
    assert "The facts of this graph do not answer this question." in page
    assert re.search(r'<li class="fact inferred" id="q2-1"', page)
    assert "inferred" in page
    rows = twin(made)
    assert [row["mode"] for row in rows] == ["answer", "answer", "unanswered"]
    assert rows[0]["answer"] == "Ada Northgate founded it [1]. See."
    assert [citation["kind"] for row in rows[:2] for citation in row["citations"]] == ["extracted", "inferred"]
    links = re.findall(r'"href": "([^"]*)"', made.page("questions/index.json"))
    assert links
    for href in links:
        assert (tmp_path / "_site" / href.split("#")[0]).is_file(), href


def test_every_link_of_the_page_leads_somewhere(tmp_path: Path) -> None:
    with serving(answering(model)) as server:
        made = site(tmp_path, server.url)
        made.build()
    page = made.page("questions/index.html")
    folder = tmp_path / "_site" / "questions"
    for href in re.findall(r' href="([^"]+)"', page):
        target, _, anchor = href.partition("#")
        file = (folder / target).resolve() if target else folder / "index.html"
        assert file.is_file(), href
        if anchor:
            assert f'id="{anchor}"' in file.read_text("utf-8"), href


def test_an_unchanged_build_asks_nobody(tmp_path: Path) -> None:
    with serving(answering(model)) as server:
        made = site(tmp_path, server.url)
        made.build()
        tree = made.tree()
        assert made.build().result.nothing_to_do
        made.build(clean=True)
        assert len(server.chats()) == 3
    assert made.tree() == tree


def test_committed_answers_need_neither_model_nor_reply_store(tmp_path: Path) -> None:
    with serving(answering(model)) as server:
        made = site(tmp_path, server.url)
        made.build()
    tree = made.tree()
    for path in sorted((tmp_path / ".kgsite" / "replies").rglob("*.json")):
        path.unlink()
    assert made.build(frozen=True, clean=True).result.exit_code == 0
    assert made.tree() == tree
    kept = json.loads((tmp_path / ".kgsite" / "answers.json").read_text("utf-8"))
    assert sorted(row["question"] for row in kept["answers"].values()) == sorted(ASKED)


def test_a_frozen_build_without_answers_says_which_are_missing(tmp_path: Path) -> None:
    made = site(tmp_path, "http://127.0.0.1:9/v1")
    error = made.fails(frozen=True)
    assert isinstance(error, FrozenError)
    assert all(question in error.message for question in ASKED)
    assert not (tmp_path / "_site").exists()


def test_what_changes_is_asked_again_and_nothing_else(tmp_path: Path) -> None:
    with serving(answering(model)) as server:
        made = site(tmp_path, server.url)
        made.build()
        made.config(config(server.url, questions=(*ASKED[:2], "Where is Lumen Works?")))
        made.build()
        assert len(server.chats()) == 4
        kept = json.loads((tmp_path / ".kgsite" / "answers.json").read_text("utf-8"))
        assert ASKED[2] not in [row["question"] for row in kept["answers"].values()]
        made.write(
            "lumen.json", json.dumps([*TRIPLES, {"subject": "Cy", "predicate": "founded", "object": "Lumen Works"}])
        )
        made.build()
        assert len(server.chats()) == 7  # other facts
        made.config(config(server.url, questions=ASKED[:1], model="other-model"))
        made.build()
        assert len(server.chats()) == 8  # another model


def test_an_endpoint_that_is_down_costs_the_wording_not_the_page(tmp_path: Path) -> None:
    made = site(tmp_path, "http://127.0.0.1:9/v1", questions=ASKED[:1])
    built = made.build()
    assert built.result.exit_code == 3
    assert [loss.file for loss in built.report.losses] == ["site.toml"]
    assert [row["mode"] for row in twin(made)] == ["facts"]
    with serving(answering(model)) as server:
        made.config(config(server.url, questions=ASKED[:1]))
        assert made.build().result.exit_code == 0
    assert [row["mode"] for row in twin(made)] == ["answer"]


def test_a_build_after_a_failure_asks_again_though_nothing_changed(tmp_path: Path) -> None:
    up: list[bool] = []
    whole = answering(model)
    with serving(lambda exchange: whole(exchange) if up else exchange.reset()) as server:
        made = site(tmp_path, server.url, questions=ASKED[:1])
        assert made.build().result.exit_code == 3
        up.append(True)
        assert made.build().result.exit_code == 0
    assert [row["mode"] for row in twin(made)] == ["answer"]


def test_without_a_model_the_ranked_facts_are_published(tmp_path: Path) -> None:
    made = site(tmp_path, "")
    assert made.build(frozen=True).result.exit_code == 0
    assert [row["mode"] for row in twin(made)] == ["facts", "facts", "unanswered"]
    assert "no model has put them into words" in made.page("questions/index.html")
    assert not (tmp_path / ".kgsite" / "answers.json").exists()


def test_a_site_without_questions_has_no_such_page(tmp_path: Path) -> None:
    made = site(tmp_path, "", questions=())
    made.build()
    assert not (tmp_path / "_site" / "questions").exists()
    assert "questions/index.html" not in made.page("index.html")
    made.config(config("", questions=ASKED))
    made.build()
    assert 'href="questions/index.html"' in made.page("index.html")
    made.config(config("", questions=()))
    made.build()
    assert not (tmp_path / "_site" / "questions").exists()


def test_the_page_speaks_the_language_of_the_site(tmp_path: Path) -> None:
    headings = set()
    for language in ("de", "fr", "es", "it", "nl", "pt", "zh"):
        made = site(tmp_path, "", language=language, questions=("Lumen Works?",))
        made.build()
        page = made.page("questions/index.html")
        assert f'<html lang="{language}"' in page
        assert "nearest to the question" not in page
        headings.add(re.findall("<h3>(.*?)</h3>", page)[0])
    assert len(headings) >= 6  # "Los hechos", "Os factos", …


def test_a_damaged_file_of_answers_is_made_anew(tmp_path: Path) -> None:
    with serving(answering(model)) as server:
        made = site(tmp_path, server.url)
        made.build()
        tree = made.tree()
        for damage in (b"", b"{", b'{"format": 1}', b'{"format": 1, "answers": {"a": {"reply": 7}}}', b"[]", b"\xff"):
            (tmp_path / ".kgsite" / "answers.json").write_bytes(damage)
            built = made.build()
            assert built.result.exit_code == 0
            assert any("answers.json was damaged" in warning.message for warning in built.report.warnings)
            assert made.tree() == tree
        assert len(server.chats()) == 3  # the reply store still has them


def test_only_numbers_of_facts_that_are_shown_are_links() -> None:
    parts = list(_parts("She lived there [1], and later [7].", "q2", frozenset({1})))
    assert [part.text for part in parts] == ["She lived there ", "[1]", ", and later ", "[7]", "."]
    assert [part.href for part in parts] == ["", "#q2-1", "", "", ""]


# ── what they would cost ──────────────────────────────────────────────────────────────────────────
def test_a_dry_run_counts_the_requests_of_the_questions(tmp_path: Path) -> None:
    def plan(**options: Any) -> dict[str, Any]:
        built = made.build(dry_run=True, **options)
        return dict(built.report.extra["plan"])

    with serving(answering(model)) as server:
        made = site(tmp_path, server.url)
        first = plan()
        assert (first["requests"], first["stored"]) == (3, 0)  # nothing is read yet: each may be asked
        assert server.chats() == []
        made.build()
        tree = {path: path.read_bytes() for path in (tmp_path / ".kgsite").rglob("*") if path.is_file()}
        settled = plan()
        assert (settled["requests"], settled["stored"], settled["prompt_tokens"]) == (0, 3, 0)
        assert settled["passes"]["questions"]["model"] == "test-model"
        assert plan(no_cache=True)["requests"] == 3
        made.config(config(server.url, questions=(*ASKED, "Where is Lumen Works?", "What of Zanzibar?")))
        more = plan()
        assert (more["requests"], more["stored"]) == (1, 3)  # of Zanzibar the graph knows nothing
        assert more["prompt_tokens"] > 100
        made.write("more.json", json.dumps(TRIPLES[:1]))
        assert plan()["requests"] == 5
        assert len(server.chats()) == 3
        after = {path: path.read_bytes() for path in (tmp_path / ".kgsite").rglob("*") if path.is_file()}
        assert {path: data for path, data in after.items() if "cache" not in path.parts} == {
            path: data for path, data in tree.items() if "cache" not in path.parts
        }


def test_a_dry_run_without_a_model_or_questions_costs_nothing(tmp_path: Path) -> None:
    made = site(tmp_path, "")
    assert "requests" not in made.build(dry_run=True).report.extra["plan"]
    made.config(config("http://127.0.0.1:9/v1", questions=()))
    assert "requests" not in made.build(dry_run=True).report.extra["plan"]


def test_a_question_about_the_whole_leads_to_its_groups(tmp_path: Path) -> None:
    made = site(tmp_path, "", questions=("What is this collection about?",))
    made.build()
    page = made.page("questions/index.html")
    found = re.findall(r'href="\.\./(communities/[^"]+/index\.html)"', page)
    assert found
    assert all((tmp_path / "_site" / path).is_file() for path in found)
