"""site.toml: every problem at once with its place; layers; origins; secrets hidden."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgsite.config import ConfigProblemsError, describe, known_keys, load
from kgsite.config.toml import parse


def project(tmp_path: Path, text: str, **others: str) -> Path:
    (tmp_path / "site.toml").write_text(text, encoding="utf-8")
    for name, content in others.items():
        path = tmp_path / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return tmp_path


def problems(root: Path, **kwargs: object) -> list[str]:
    with pytest.raises(ConfigProblemsError) as caught:
        load(root, **kwargs)  # type: ignore[arg-type]
    return [str(problem) for problem in caught.value.problems]


def test_no_file_is_a_configuration(tmp_path: Path) -> None:
    loaded = load(tmp_path)
    assert loaded.settings.chunking.max_tokens == 400
    assert set(loaded.origins.values()) == {"default"}


def test_every_problem_is_told_at_once_with_place_line_and_remedy(tmp_path: Path) -> None:
    root = project(
        tmp_path,
        '[site]\ntitel = "x"\nbase_url = "foo"\n\n[chunking]\nmax_tokens = "400"\n\n'
        '[extract]\nextractor = "ofline"\ndrafts = true\n\n[extrct]\nx = 1\n',
    )
    told = problems(root)
    assert [text.splitlines()[0] for text in told] == [
        "site.toml:2:1: unknown key `titel` in [site]",
        'site.toml:3:1: base_url: "foo" is not a web address',
        'site.toml:6:1: max_tokens: expected a whole number, found text "400"',
        'site.toml:9:1: extractor: "ofline" is not allowed',
        "site.toml:10:1: unknown key `drafts` in [extract]",
        "site.toml:12:1: unknown table or key `extrct`",
    ]
    assert '    titel = "x"' in told[0]
    assert "did you mean `title`?" in told[0]
    assert 'did you mean "offline"?' in told[3]
    assert "belongs to [build]" in told[4]
    assert "did you mean `extract`?" in told[5]


def test_keys_under_a_broken_header_are_not_taken_for_those_of_the_table_above(tmp_path: Path) -> None:
    root = project(tmp_path, '[site]\ntitle = "x"\n\n[theme\naccent = "moss"\n\n[build]\njobs = "many"\n')
    assert [text.split(": ")[0] for text in problems(root)] == ["site.toml:4:7", "site.toml:8:1"]


def test_unknown_keys_alone_are_warnings_and_errors_when_strict(tmp_path: Path) -> None:
    root = project(tmp_path, '[site]\ntitel = "x"\n')
    assert [str(w).splitlines()[0] for w in load(root).warnings] == ["site.toml:2:1: unknown key `titel` in [site]"]
    assert len(problems(root, strict=True)) == 1


@pytest.mark.parametrize(
    ("line", "place", "hint"),
    [
        ("title = Foo bar", "site.toml:2:9", "text needs quotes"),
        ("title: Foo", "site.toml:2:6", "key = value"),
        ('title = "open', "site.toml:2:14", ""),
        ("[build", "site.toml:2:7", "ends with ]"),
    ],
)
def test_syntax_errors_have_places_and_the_rest_is_checked_too(
    tmp_path: Path, line: str, place: str, hint: str
) -> None:
    told = problems(project(tmp_path, f'[site]\n{line}\nbase_url = "foo"\n'))
    assert told[0].startswith(f"{place}: not valid TOML")
    assert hint in told[0]
    assert any("base_url" in text for text in told[1:])


def test_layers_and_their_origins(tmp_path: Path) -> None:
    root = project(
        tmp_path,
        '[site]\ntheme = "mine"\ntitle = "a"\ntagline = "a"\n[build]\njobs = 1\n[chunking]\nmax_tokens = 100\n',
        **{
            "site.prod.toml": '[site]\ntitle = "b"\n',
            "themes__mine__theme.toml": 'name = "mine"\n[defaults.visualization]\nedge_labels = "all"\n[defaults.site]\ntitle = "t"\n',
        },
    )
    environ = {"KGSITE_ENV": "prod", "KGSITE_SITE_DOWNLOADS": "json, csv", "KGSITE_BUILD_JOBS": "2"}
    loaded = load(root, environ=environ, flags={"build.jobs": 3})
    settings = loaded.settings
    assert (settings.site.title, settings.site.tagline) == ("b", "a")
    assert settings.site.downloads == ("json", "csv")
    assert settings.build.jobs == 3
    assert settings.visualization.edge_labels == "all"
    assert loaded.origins["site.title"] == "site.prod.toml:2"
    assert loaded.origins["site.tagline"] == "site.toml:4"
    assert loaded.origins["build.jobs"] == "flag --jobs"
    assert loaded.origins["site.downloads"] == "environment KGSITE_SITE_DOWNLOADS"
    assert loaded.origins["visualization.edge_labels"] == "themes/mine/theme.toml:3"
    rows = {key: (value, origin) for key, value, origin in describe(loaded)}
    assert rows["site.title"] == ('"b"', "site.prod.toml:2")
    assert len(rows) >= len(list(known_keys()))


def test_values_that_disagree(tmp_path: Path) -> None:
    told = problems(project(tmp_path, "[chunking]\nmax_tokens = 100\noverlap_tokens = 90\n"))
    assert told[0].startswith("site.toml:3:1: overlap_tokens 90 is more than half of max_tokens 100")


def test_a_literal_key_is_a_warning_and_never_shown(tmp_path: Path) -> None:
    loaded = load(project(tmp_path, '[llm]\napi_key = "hunter2hunter2"\nmodel = "m"\n'))
    assert len(loaded.warnings) == 1
    assert "hunter2" not in str(loaded.warnings[0])
    assert all("hunter2" not in value for _, value, _ in describe(loaded))


def test_bad_environment_and_missing_env_file(tmp_path: Path) -> None:
    project(tmp_path, "")
    told = problems(tmp_path, environ={"KGSITE_BUILD_JOBS": "0", "KGSITE_SITE_TITEL": "x"})
    assert "out of range" in told[0]
    assert "did you mean KGSITE_SITE_TITLE?" in told[1]
    with pytest.raises(Exception, match=r"there is no site\.prod\.toml"):
        load(tmp_path, env="prod")


def test_free_tables(tmp_path: Path) -> None:
    text = '[prices]\n"m" = { input = 1, output = 2.5 }\n[encodings]\n"a.txt" = "gb18030"\n[questions]\nask = ["Who?"]\n[theme]\naccent = "red"\n'
    settings = load(project(tmp_path, text)).settings
    assert settings.prices == {"m": {"input": 1.0, "output": 2.5}}
    assert settings.encodings == {"a.txt": "gb18030"}
    assert settings.questions == ("Who?",)
    assert settings.theme == {"accent": "red"}
    told = problems(project(tmp_path, '[prices]\n"m" = 3\n[encodings]\n"a" = "nonsense"\n'))
    assert len(told) == 2


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    file = parse(text, "site.toml")
    assert file.errors or isinstance(file.values, dict)
    for error in file.errors:
        assert error.at is not None
        assert error.at.line is not None
        assert 1 <= error.at.line <= text.count("\n") + 1


def test_places_of_odd_but_valid_keys() -> None:
    text = 'site.title = "a"\n["site"]\n# c\n"tag line" = """\nx = 1\n"""\nlist = [\n  1, # ]\n  "x]",\n]\nlast = {a = 1, b = 2}\n'
    places = parse(text, "f").places
    assert places["site", "title"] == (1, 1)
    assert places["site", "tag line"] == (4, 1)
    assert places["site", "list"] == (7, 1)
    assert places["site", "last", "b"] == (11, 16)
    assert ("site", "x") not in places


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("HTTPS://Example.ORG/Project/", "https://example.org/Project/"),
        ("https://Bücher.example", "https://xn--bcher-kva.example"),
        ("https://straße.example/", "https://xn--strae-oqa.example/"),
        ("https://example.org/café/a b/", "https://example.org/caf%C3%A9/a%20b/"),
        ("https://example.org/caf%C3%A9/100%", "https://example.org/caf%C3%A9/100%25"),
        ("https://example.org:443/@me", "https://example.org/@me"),
        ("http://localhost:8000", "http://localhost:8000"),
        ("http://[::1]:8000/", "http://[::1]:8000/"),
        ("", ""),
    ],
)
def test_the_address_of_the_site_has_one_spelling(tmp_path: Path, given: str, kept: str) -> None:
    root = project(tmp_path, f"[site]\nbase_url = {given!r}\n")
    assert load(root).settings.site.base_url == kept
    assert load(tmp_path, flags={"site.base_url": kept}).settings.site.base_url == kept


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("https://ann:hunter2@example.org/", "user name and password"),
        ("https://ann:hunter2@/", "this is not a web address"),
        ("ftp://ann:hunter2@example.org/", "this is not a web address"),
        ("https://example.org/?hunter2", "no query"),
        ("https://example.org/#", "no fragment"),
        ("https://example.org:port/", "is not a web address"),
        ("https://a..b/", "is not the name of a host"),
        ("https://[::zz]/", "is not"),
        ("https://", "is not a web address"),
        ("//example.org/", "is not a web address"),
    ],
)
def test_addresses_that_no_site_has(tmp_path: Path, given: str, problem: str) -> None:
    (told,) = problems(project(tmp_path, f'[site]\nbase_url = "{given}"\n'))
    assert told.startswith("site.toml:2:1: base_url: ")
    assert problem in told
    assert "→" in told
    assert "hunter2" not in told or "@" not in given
    (told,) = problems(project(tmp_path, ""), environ={"KGSITE_SITE_BASE_URL": given})
    assert problem in told


def test_other_addresses_keep_what_they_need(tmp_path: Path) -> None:
    text = '[site]\nrepository = "HTTPS://git.example:3000/a/b?tab=readme#top"\n[llm]\nbase_url = "http://10.0.0.1:8080/v1?api-version=2"\n'
    settings = load(project(tmp_path, text)).settings
    assert settings.site.repository == "HTTPS://git.example:3000/a/b?tab=readme#top"
    assert settings.llm.base_url == "http://10.0.0.1:8080/v1?api-version=2"
    (told,) = problems(project(tmp_path, '[site]\nrepository = "https://ann:hunter2@git.example/a"\n'))
    assert "hunter2" not in told


@pytest.mark.parametrize(
    ("text", "environ", "hint"),
    [
        ("", {"KGSITE_BUILD_JOBS": "zero"}, '→ allowed: a whole number or "auto"'),
        ("", {"KGSITE_BUILD_DRAFTS": "perhaps"}, "true or false"),
        ('[chunking]\nmax_tokens = "many"\n', {}, "a whole number"),
        ('[chunking]\nmax_tokens = "400"\n', {}, "write it without quotes"),
    ],
)
def test_only_a_number_in_quotes_is_to_lose_them(tmp_path: Path, text: str, environ: dict[str, str], hint: str) -> None:
    (told,) = problems(project(tmp_path, text), environ=environ)
    assert hint in told
    assert ("without quotes" in told) == ("without quotes" in hint)
