"""In a real browser: what a person sees who writes a text, a style sheet, a broken template."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Route, expect, sync_playwright

from tests.chromium import chromium_path
from tests.llm.scripted import honest, serving
from tests.serve.serving import Served, make_project, served

pytestmark = pytest.mark.browser
CHROMIUM = chromium_path()
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PATIENCE = 30_000  # ms


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip("needs Debian's chromium")
    with sync_playwright() as play:
        running = play.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = make_project(tmp_path_factory.mktemp("preview"), base_url="https://example.org/project/")
    theme = root / "themes" / "mine"
    (theme / "templates").mkdir(parents=True)
    (theme / "static" / "css").mkdir(parents=True)
    (theme / "theme.toml").write_text('name = "mine"\nextends = "default"\n')
    config = (root / "site.toml").read_text()
    (root / "site.toml").write_text(config.replace('title = "Probe"', 'title = "Probe"\ntheme = "mine"'))
    with served(root) as running:
        yield running


@pytest.fixture
def problems() -> list[str]:
    """Errors of the page: CSP violations, exceptions, failed requests."""
    return []


@pytest.fixture
def page(browser: Browser, problems: list[str]) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1000, "height": 500})
    made = context.new_page()

    def heard(message: ConsoleMessage) -> None:
        if message.type == "error":
            problems.append(message.text)

    made.on("console", heard)
    made.on("pageerror", lambda error: problems.append(str(error)))
    made.set_default_timeout(PATIENCE)
    yield made
    context.close()


def connected(page: Page, url: str) -> None:
    with page.expect_event("websocket") as socket:
        page.goto(url)
    if not socket.value.is_closed():
        page.wait_for_timeout(200)


def test_a_saved_text_is_seen_and_the_scroll_kept(server: Served, page: Page, problems: list[str]) -> None:
    text = "# Anfang\n\n" + "Ein Absatz mit dem gesuchten Wort.\n\n" * 30
    connected(page, server.url)
    (server.root / "content" / "index.md").write_text(text)
    expect(page.locator("text=gesuchten Wort").first).to_be_attached(timeout=PATIENCE)
    page.wait_for_load_state("load")  # a style sheet that comes later would move the place
    page.evaluate("document.body.classList.add('marked'); scrollTo(0, 240)")
    (server.root / "content" / "index.md").write_text(text.replace("gesuchten", "anderen"))
    expect(page.locator("text=anderen Wort").first).to_be_attached(timeout=PATIENCE)
    assert page.evaluate("scrollY") == 240
    assert page.evaluate("document.body.classList.contains('marked')") is False  # a real reload
    assert problems == []


def test_a_saved_style_is_swapped_without_a_reload(server: Served, page: Page, problems: list[str]) -> None:
    from kgsite.site.theme import packaged_themes

    connected(page, server.url)
    page.evaluate("window.kept = 'still here'")
    style = server.root / "themes" / "mine" / "static" / "css" / "site.css"
    packaged = (packaged_themes() / "default" / "static" / "css" / "site.css").read_text()
    style.write_text(packaged + "\nbody { border-top: 7px solid rgb(1, 2, 3); }\n")
    expect(page.locator("body")).to_have_css("border-top-width", "7px", timeout=PATIENCE)
    assert page.evaluate("window.kept") == "still here"
    style.write_text(packaged + "\nbody { border-top: 9px solid rgb(1, 2, 3); }\n")
    expect(page.locator("body")).to_have_css("border-top-width", "9px", timeout=PATIENCE)
    expect(page.locator("link[rel=stylesheet][href*='css/site.']")).to_have_count(1, timeout=PATIENCE)
    assert page.evaluate("window.kept") == "still here"
    assert problems == []


def test_a_broken_template_and_back(server: Served, page: Page, problems: list[str]) -> None:
    connected(page, server.url)
    title = page.title()
    template = server.root / "themes" / "mine" / "templates" / "landing.html"
    template.write_text(
        '{% extends "parent:landing.html" %}\n{# one #}\n{# two #}\n{% block <script>alert(1)</script> %}\n{# four #}\n'
    )
    overlay = page.locator(".kgsite-overlay")
    expect(overlay).to_be_visible(timeout=PATIENCE)
    expect(overlay.locator(".kgsite-place")).to_have_text("themes/mine/templates/landing.html:4")
    expect(overlay.locator(".kgsite-line")).to_have_count(4)  # two before, itself, one after: the file has no more
    expect(overlay.locator(".kgsite-hit")).to_have_text("4{% block <script>alert(1)</script> %}")
    assert overlay.locator("script").count() == 0
    assert page.title() == title  # over the last good page
    page.reload()
    expect(page.locator(".kgsite-overlay")).to_be_visible(timeout=PATIENCE)
    template.unlink()
    expect(page.locator(".kgsite-overlay")).to_be_hidden(timeout=PATIENCE)
    assert page.title() == title
    assert problems == []


def test_a_broken_setting_shows_line_and_column(server: Served, page: Page) -> None:
    connected(page, server.url)
    config = server.root / "site.toml"
    good = config.read_text()
    config.write_text(good + "\n[build]\njobs = 'many'\n[query]\nhops = 'x'\n")
    overlay = page.locator(".kgsite-overlay")
    expect(overlay.locator(".kgsite-problem")).to_have_count(2, timeout=PATIENCE)
    expect(overlay.locator(".kgsite-place").first).to_contain_text("site.toml:")
    config.write_text(good)
    expect(overlay).to_be_hidden(timeout=PATIENCE)


def test_a_page_that_missed_the_news_catches_up(server: Served, page: Page) -> None:
    """A page whose script comes after the next build connects with an old number, and loads again."""
    held: list[Route] = []
    page.route("**/static/serve.js", lambda route: held.append(route))
    page.goto(server.url, wait_until="commit")
    expect(page.locator("#kgsite-serve")).to_be_attached(timeout=PATIENCE)
    builds = server.builds
    (server.root / "content" / "index.md").write_text("# Anfang\n\nDie verpasste Nachricht.\n")
    server.until(lambda: server.builds > builds, "a build")
    assert page.locator("text=verpasste Nachricht").count() == 0
    for route in held:
        route.continue_()
    expect(page.locator("text=verpasste Nachricht").first).to_be_attached(timeout=PATIENCE)


def test_documents_are_added_in_the_library(server: Served, page: Page, problems: list[str], tmp_path: Path) -> None:
    page.goto(f"http://127.0.0.1:{server.port}/-kgsite/library")
    upload = tmp_path / "index.md"  # a name that means something in content/
    upload.write_text("---\nlanguage: de\n---\nOtto Hahn arbeitete in Berlin. Lise Meitner traf Otto Hahn in Wien.\n")
    wrong = tmp_path / "program.exe"
    wrong.write_bytes(b"MZ")
    page.locator("#files").set_input_files([upload, wrong])
    expect(page.locator("#documents li")).to_have_count(1, timeout=PATIENCE)
    expect(page.locator("#problems")).to_contain_text("can't be added")
    expect(page.locator("#cost")).to_contain_text("Chunks: 1 ", timeout=PATIENCE)
    expect(page.locator("#cost")).to_contain_text("No cost")
    landing = (server.root / "content" / "index.md").read_text()
    page.locator("#start").click()
    page.wait_for_url("**/project/documents/document-index/index.html", timeout=PATIENCE)
    expect(page.locator("h1")).to_be_visible()
    assert (server.root / "content" / "document index.md").is_file()
    assert (server.root / "content" / "index.md").read_text() == landing
    assert [text for text in problems if "400" not in text] == []  # the refused program


def test_a_pasted_text_and_an_address(server: Served, page: Page) -> None:
    page.goto(f"http://127.0.0.1:{server.port}/-kgsite/library")
    page.locator("#title").fill("../../Notiz <b>")
    page.locator("#text").fill("Otto Hahn traf Anna Berg in Wien. Anna Berg arbeitete in Wien mit Otto Hahn.")
    page.locator("#paste").click()
    expect(page.locator("#documents li")).to_contain_text("Notiz b.md", timeout=PATIENCE)
    page.locator("#url").fill("file:///etc/passwd")
    page.locator("#fetch").click()
    expect(page.locator("#problems")).not_to_be_empty(timeout=PATIENCE)
    expect(page.locator("#documents li")).to_have_count(1)
    page.locator("#url").fill("https://example.org/page")
    page.locator("#fetch").click()
    expect(page.locator("#documents li")).to_have_count(2, timeout=PATIENCE)
    page.locator("#documents li button").nth(1).click()
    expect(page.locator("#documents li")).to_have_count(1, timeout=PATIENCE)


def test_several_documents_at_once_and_a_reload_in_the_middle(server: Served, page: Page, problems: list[str]) -> None:
    """Dropped in two goes before the first is counted; same names, one too large, one of another kind; by keyboard."""
    page.set_viewport_size({"width": 390, "height": 700})
    page.goto(f"http://127.0.0.1:{server.port}/-kgsite/library")
    page.evaluate(
        """() => {
            const drop = (...files) => {
                const data = new DataTransfer();
                for (const file of files) data.items.add(file);
                document.getElementById("drop").dispatchEvent(new DragEvent("drop", { bubbles: true, dataTransfer: data }));
            };
            const text = (words) => `---\\nlanguage: de\\n---\\n${words}\\n`;
            drop(new File([text("Max Born traf Otto Stern in Frankfurt.")], "born.md"), new File(["MZ"], "x.exe"));
            drop(new File([text("Otto Stern traf Max Born in Hamburg.")], "born.md"),
                 new File([text("Max Planck traf Max Born in Kiel.")], "<img src=x onerror=alert(1)>.md"),
                 new File([new Uint8Array(65 * 1024 * 1024)], "huge.txt"));
        }"""
    )
    expect(page.locator("#documents li")).to_have_count(3, timeout=PATIENCE)
    expect(page.locator("#problems")).to_contain_text("huge.txt: This document is too large", timeout=PATIENCE)
    expect(page.locator("#cost")).to_contain_text("Chunks: 3 ", timeout=PATIENCE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.reload()
    expect(page.locator("#documents li")).to_have_count(3, timeout=PATIENCE)
    expect(page.locator("#cost")).to_contain_text("Chunks: 3 ", timeout=PATIENCE)
    page.locator("#start").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#cancel")).to_be_focused(timeout=PATIENCE)
    page.reload()
    expect(page.locator("#pages a")).to_have_count(3, timeout=PATIENCE)
    assert {path.name for path in (server.root / "content").glob("born*.md")} == {"born.md", "born-2.md"}
    assert page.locator("#documents li").count() == 0
    page.reload()
    expect(page.locator("#cost")).to_have_text("Nothing is added yet.", timeout=PATIENCE)
    assert [text for text in problems if "400" not in text] == []  # the refused program


def test_the_plan_says_what_a_model_would_cost(page: Page, tmp_path: Path) -> None:
    with serving(honest) as model:
        root = make_project(tmp_path / "site", texts={})
        (root / "site.toml").write_text(
            '[site]\nlanguage = "de"\n[extract]\nextractor = "openai"\nlanguage = "de"\n'
            f'[llm]\nmodel = "test-model"\nbase_url = "{model.url}"\n'
            '[prices]\n"test-model" = { input = 2.0, output = 8.0 }\n'
        )
        with served(root) as running:
            page.goto(f"http://127.0.0.1:{running.port}/-kgsite/library")
            page.locator("#text").fill("Otto Hahn traf Anna Berg in Wien.")
            page.locator("#paste").click()
            cost = page.locator("#cost")
            expect(cost).to_contain_text("(test-model)", timeout=PATIENCE)
            expect(cost).to_contain_text("Anfragen an das Modell: ")
            expect(cost).to_contain_text("Geschätzte Kosten: 0,0")
        assert model.chats() == []  # only counted
