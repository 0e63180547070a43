"""Theme chains, options, words, and errors that say where."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from kgsite.config import load
from kgsite.config.settings import Settings, SiteSettings, VisualizationSettings
from kgsite.errors import ConfigError, ThemeError
from kgsite.site import load_theme
from kgsite.site.theme import _flatten, packaged_themes
from kgsite.site.words import LANGUAGES, Words
from tests.site.collections import TYPES, WARSAW, collection_of
from tests.site.sites import BuiltSite


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        file = root / "themes" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def settings(root: Path, theme: str = "default", **options: object) -> Settings:
    return Settings(root=root, site=SiteSettings(theme=theme), theme=options)


def test_a_chain_of_three_layers(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "mine/theme.toml": 'extends = "theirs"',
            "mine/templates/about.html": '{% extends "parent:about.html" %}{% block footer %}mine {{ super() }}{% endblock %}',
            "theirs/theme.toml": "",
            "theirs/templates/about.html": '{% extends "parent:about.html" %}{% block footer %}theirs{% endblock %}',
            "theirs/static/css/site.css": "/* theirs */",
            "theirs/static/extra.txt": "extra",
        },
    )
    site = BuiltSite(tmp_path, theme="mine")
    site.build(collection_of([WARSAW], TYPES))
    assert [layer.name for layer in load_theme(site.settings).layers] == ["mine", "theirs", "default"]
    about = site.page("about/index.html")
    assert "mine theirs" in about.text
    assert "About this graph" in about.text
    sheet = next(a["href"] for tag, a in about.tags if a.get("rel") == "stylesheet" and "site." in a["href"])
    assert (site.output / "about" / sheet).read_text() == "/* theirs */"
    assert any(path.startswith("static/extra.") for path in site.tree())


def test_a_folder_themes_default_lies_over_the_packaged_one(tmp_path: Path) -> None:
    write(tmp_path, {"default/templates/404.html": '{% extends "parent:404.html" %}'})
    assert [layer.shown for layer in load_theme(settings(tmp_path)).layers] == [
        "themes/default",
        "the packaged theme 'default'",
    ]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "no theme 'mine'"),
        ({"mine/theme.toml": 'extends = "mine"'}, "extends itself"),
        ({"mine/theme.toml": 'extends = "b"', "b/theme.toml": 'extends = "mine"'}, "extends itself"),
        ({"mine/theme.toml": 'name = "M"\nextends = defaul'}, "themes/mine/theme.toml:2:11: not valid TOML"),
        ({"mine/i18n/en.toml": "[count\n"}, "themes/mine/i18n/en.toml:1:7: not valid TOML"),
        ({"mine/theme.toml": 'extend = "x"'}, "did you mean 'extends'"),
        ({"mine/theme.toml": '[options.a]\ntype = "colour"'}, "needs `type`"),
        ({"mine/theme.toml": '[options.a]\ntype = "boolean"\ndefault = 1'}, "must be a boolean"),
        ({"mine/theme.toml": 'extends = "../default"'}, "can't be a theme's name"),
    ],
)
def test_broken_themes(tmp_path: Path, files: dict[str, str], message: str) -> None:
    write(tmp_path, files)
    with pytest.raises(ThemeError) as caught:
        load_theme(settings(tmp_path, "mine"))
    assert message in str(caught.value)


def test_all_wrong_options_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_theme(settings(tmp_path, acent="moss", reading_font="serf", drawings="yes"))
    text = str(caught.value)
    for part in ("did you mean 'accent'", "did you mean 'serif'", "drawings must be a boolean, not 'yes'"):
        assert part in text


def test_options_reach_the_page(site: BuiltSite) -> None:
    site.with_theme(accent="plum", drawings=False, footer="A line.")
    site.build(collection_of([WARSAW], TYPES))
    page = site.page("entities/warsaw/index.html")
    assert dict(page.tags)["html"]["data-accent"] == "plum"
    assert "A line." in page.text
    assert not [a for tag, a in page.tags if "drawing" in a.get("class", "").split()]


def test_the_colours_can_be_fixed(site: BuiltSite) -> None:
    site.settings = replace(site.settings, visualization=VisualizationSettings(theme="dark"))
    site.build(collection_of([WARSAW], TYPES))
    assert dict(site.page("index.html").tags)["html"]["data-theme"] == "dark"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{% if %}", "themes/default/templates/about.html:1"),
        ("x\n{{ view.nothing }}", "themes/default/templates/about.html:2"),
        ('{% extends "nothing.html" %}', "nothing.html"),
        ('{% include "parent:about2.html" %}', "did you mean 'about.html'"),
        (
            "x\n{{ t('no.such.word') }}",
            "themes/default/templates/about.html:2: the theme's words have no 'no.such.word'",
        ),
        ("\n\n{{ asset('css/nothing.css') }}", "about.html:3: there is no static file 'css/nothing.css'"),
        ('{% include "../theme.toml" %}', "can't be a template's name"),
    ],
)
def test_a_broken_template_says_where(site: BuiltSite, template: str, message: str) -> None:
    write(site.root, {"default/templates/about.html": template})
    with pytest.raises(ThemeError) as caught:
        site.build(collection_of([WARSAW], TYPES))
    assert message in str(caught.value)
    assert not site.output.exists()


@pytest.mark.parametrize("wrong", ["{{ options.footer </p>", "{% blok x %}"])
def test_a_mistake_in_a_template_that_others_extend_is_told_where_it_is(site: BuiltSite, wrong: str) -> None:
    write(site.root, {"default/templates/base.html": '{% extends "parent:base.html" %}\n' + wrong})
    with pytest.raises(ThemeError) as caught:
        site.build(collection_of([WARSAW], TYPES))
    assert str(caught.value).startswith("themes/default/templates/base.html:2: ")


def test_templates_can_read_no_files(site: BuiltSite) -> None:
    write(site.root, {"default/templates/about.html": "{{ open('/etc/passwd').read() }}"})
    with pytest.raises(ThemeError, match="open"):
        site.build(collection_of([WARSAW], TYPES))


def test_a_computed_include_depends_on_every_template(tmp_path: Path) -> None:
    write(tmp_path, {"default/templates/404.html": "{% include name %}", "default/templates/x.html": "one"})
    before = load_theme(settings(tmp_path)).closure_hash("404.html")
    write(tmp_path, {"default/templates/x.html": "two"})
    assert load_theme(settings(tmp_path)).closure_hash("404.html") != before


def test_a_damaged_template_cache_is_compiled_again(site: BuiltSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgsite.site.templates.TemplateCache.memory", {})
    site.build(collection_of([WARSAW], TYPES))
    before = site.tree()
    files = sorted((site.root / ".kgsite" / "cache" / "templates").iterdir())
    assert len(files) >= 10
    for number, file in enumerate(files):
        data = file.read_bytes()
        file.write_bytes([b"", data[:100], data[:70] + b"x" + data[71:]][number % 3])
    monkeypatch.setattr("kgsite.site.templates.TemplateCache.memory", {})
    site.settings = replace(site.settings, site=replace(site.settings.site, tagline="new"))
    site.build(collection_of([WARSAW], TYPES))
    assert site.tree().keys() == before.keys()


def test_the_packaged_theme_is_found() -> None:
    assert (packaged_themes() / "default" / "templates" / "base.html").is_file()


@pytest.mark.parametrize(
    ("files", "place", "message"),
    [
        ({"about.html": 'x\n{% extends "about.html" %}'}, "about.html:2: ", "about.html extends itself"),
        (
            {"about.html": '{% extends "a.html" %}', "a.html": '{% extends "b.html" %}', "b.html": '\n\n{% extends "about.html" %}'},
            "about.html:1: ",
            "about.html extends itself: about.html → a.html → b.html → about.html",
        ),
        ({"about.html": '{% extends "a.html" %}', "a.html": '\n{% extends "a.html" %}'}, "a.html:2: ", "a.html extends itself"),
        ({"about.html": '{% include "about.html" %}'}, "about.html", "without end"),
        ({"about.html": '{% if view %}{% extends "about.html" %}{% endif %}'}, "about.html", "without end"),
    ],
)  # fmt: skip
def test_a_template_that_leads_to_itself(site: BuiltSite, files: dict[str, str], place: str, message: str) -> None:
    write(site.root, {f"default/templates/{name}": text for name, text in files.items()})
    with pytest.raises(ThemeError) as caught:
        site.build(collection_of([WARSAW], TYPES))
    told = str(caught.value)
    assert told.startswith(f"themes/default/templates/{place}")
    assert message in told
    assert ("parent:" in told) == ("extends itself" in message)


# ── defaults of a theme ───────────────────────────────────────────────────────────────────────────
def test_a_theme_sets_settings_and_options(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "mine/theme.toml": 'extends = "theirs"\n[defaults.theme]\naccent = "moss"\n',
            "theirs/theme.toml": '[defaults.theme]\naccent = "plum"\nfooter = "Theirs."\n[defaults.visualization]\ntheme = "dark"\n',
            "default/theme.toml": '[defaults.site]\ntagline = "A line."\n',
        },
    )
    (tmp_path / "site.toml").write_text('[site]\ntheme = "mine"\n[theme]\ndrawings = false\n', encoding="utf-8")
    loaded = load(tmp_path)
    assert (loaded.settings.site.tagline, loaded.settings.visualization.theme) == ("A line.", "dark")
    assert loaded.origins["theme.accent"] == "themes/mine/theme.toml:3"
    assert loaded.warnings == ()
    wanted = {"accent": "moss", "footer": "Theirs.", "drawings": False, "reading_font": "serif"}
    assert load_theme(loaded.settings).options == wanted
    assert load_theme(settings(tmp_path, "mine", accent="rust")).options["accent"] == "rust"
    site = BuiltSite(tmp_path)
    site.settings = loaded.settings
    site.build(collection_of([WARSAW], TYPES))
    html = dict(site.page("index.html").tags)["html"]
    assert (html["data-accent"], html["data-theme"]) == ("moss", "dark")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("defaults = 3", "[defaults] is a table of tables"),
        ("[defaults]\ntheme = 3", "[defaults] is a table of tables"),
        ('[defaults.theme]\nacent = "moss"', "[defaults.theme] acent: theme 'mine' has no such option; did you mean 'accent'?"),
        ("[defaults.theme]\naccent = 3", "[defaults.theme] accent must be a string, not 3"),
    ],
)  # fmt: skip
def test_wrong_defaults_of_a_theme(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, {"mine/theme.toml": text})
    with pytest.raises(ThemeError) as caught:
        load_theme(settings(tmp_path, "mine"))
    assert str(caught.value).startswith(f"themes/mine/theme.toml: {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("defaults = 3", "themes/mine/theme.toml:1:1: [defaults] is a table of tables"),
        ('[defaults.site]\ntheme = "x"', "themes/mine/theme.toml:2:1: a theme can't choose the theme"),
        ("[defaults.build]\njobs = 0", "themes/mine/theme.toml:2:1: jobs: "),
    ],
)
def test_wrong_settings_of_a_theme(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, {"mine/theme.toml": text})
    (tmp_path / "site.toml").write_text('[site]\ntheme = "mine"\n', encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(tmp_path)
    assert str(caught.value).startswith(message)


# ── words ─────────────────────────────────────────────────────────────────────────────────────────
def texts(language: str) -> dict[str, object]:
    return _flatten(tomllib.loads((packaged_themes() / "default" / "i18n" / f"{language}.toml").read_text("utf-8")))


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_all_words_with_the_same_places(language: str) -> None:
    import re

    english, own = texts("en"), texts(language)
    assert own.keys() == english.keys()
    for key, text in own.items():
        if isinstance(text, str):
            places = set(re.findall(r"\{(\w+)\}", text))
            assert places == set(re.findall(r"\{(\w+)\}", str(english[key]))), key
    assert len(own["months"]) == 12  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("language", "count", "expected"),
    [
        ("en", 1, "1 entity"),
        ("en", 0, "0 entities"),
        ("en", 1204, "1,204 entities"),
        ("de", 12345, "12.345 Entitäten"),
        ("fr", 0, "0 entité"),
        ("fr", 12345, "12\u202f345 entités"),
        ("es", 1204, "1204 entidades"),
        ("pt", 1, "1 entidade"),
        ("zh", 1, "1 个实体"),
    ],
)
def test_counts_carry_their_unit_in_the_right_plural(language: str, count: int, expected: str) -> None:
    assert Words(language, texts(language), texts("en")).n("count.entities", count) == expected


@pytest.mark.parametrize(
    ("language", "iso", "expected"),
    [
        ("en", "2024-05-01", "1 May 2024"),
        ("en", "2024-05", "May 2024"),
        ("en", "2024", "2024"),
        ("de", "2024-05-01", "1. Mai 2024"),
        ("zh", "2024-05-01", "2024年5月1日"),
        ("en", "2024-13-01", "2024-13-01"),
        ("en", "spring <b>", "spring <b>"),
        ("en", "2024-05-01T10:00:00Z", "1 May 2024"),
    ],
)
def test_dates_in_words(language: str, iso: str, expected: str) -> None:
    assert Words(language, texts(language), texts("en")).date(iso) == expected
