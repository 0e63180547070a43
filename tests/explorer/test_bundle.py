"""Modules become one classic script, and each broken convention is told with its place."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from kgsite.errors import ThemeError
from kgsite.site.bundle import bundle

STATIC = Path(__file__).parents[2] / "themes" / "default" / "static"
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in (STATIC / "js").glob("*.js")}


def run(script: str) -> str:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    return subprocess.run([node, "-e", script], capture_output=True, text=True, check=True).stdout


def test_modules_run_once_in_order_with_private_names():
    texts = {
        "main.js": 'import {a, twice as double} from "./a.js";\nimport {b} from "./deep/b.js";\nconst hidden = 1;\n'
        "console.log(a, double(b), hidden);\n",
        "a.js": 'console.log("a runs");\nconst hidden = 2;\nexport const a = hidden;\n'
        "export async function later() {}\nexport function twice(x) {\n  return 2 * x;\n}\n",
        "deep/b.js": 'import {c} from "./c.js";\nexport const b = c + 1;\n',
        "deep/c.js": "/*\nexport default nothing\nimport nothing\n*/\nexport class C {}\nexport const c = 20;\n",
    }
    script = bundle("main.js", texts)
    assert run(script) == "a runs\n2 42 1\n"
    assert script == bundle("main.js", dict(reversed(texts.items())))
    assert "import " not in script.replace("import nothing", "")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('import a from "./a.js";', 1, "can't be bundled"),
        ('import * as a from "./a.js";', 1, "can't be bundled"),
        ('import {a} from "a";', 1, "can't be bundled"),
        ('import {a} from "./../a.js";', 1, "stays inside"),
        ('import {\n  a\n} from "./a.js";', 1, "can't be bundled"),
        ('import {a b} from "./a.js";', 1, "is not a name"),
        ('import {none} from "./a.js";', 1, "exports no “none”"),
        ('import {a} from "./gone.js";', 1, "there is no script gone.js"),
        ('const x = 1;\nimport {a} from "./a.js";', 2, "imports come first"),
        ("\nexport default 1;", 2, "this export can't be bundled"),
        ("const x = 1;\nexport {x};", 2, "this export can't be bundled"),
        ("export let x = 1;", 1, "this export can't be bundled"),
        ('\n\nconst x = () => import("./a.js");', 3, "dynamic imports"),
        ("const x = import.meta.url;", 1, "import.meta"),
    ],
)
def test_a_broken_convention_is_told_with_file_and_line(text, line, words):
    with pytest.raises(ThemeError, match=words) as caught:
        bundle("main.js", {"main.js": text, "a.js": "export const a = 1;\n"})
    assert caught.value.at is not None
    assert (caught.value.at.file, caught.value.at.line) == ("main.js", line)


def test_a_circle_is_named():
    texts = {
        "a.js": 'import {b} from "./b.js";\nexport const a = 1;',
        "b.js": 'import {a} from "./a.js";\nexport const b = 1;',
    }
    with pytest.raises(ThemeError, match=r"a\.js → b\.js → a\.js"):
        bundle("a.js", texts)


def test_a_long_chain_is_no_problem():
    texts = {f"m{n}.js": f'import {{x as y}} from "./m{n + 1}.js";\nexport const x = y + 1;\n' for n in range(3000)}
    texts["m3000.js"] = "export const x = 0;\n"
    assert bundle("m0.js", texts).count("(function () {") == 3002


@pytest.mark.parametrize("entry", [name for name in ("explorer.js", "search-page.js", "drawing.js") if name in SCRIPTS])
def test_the_themes_own_scripts_bundle_and_parse(entry):
    script = bundle(entry, SCRIPTS)
    run(f"new Function({script!r})" if "`" not in script else "0")


def test_the_themes_scripts_use_no_dangerous_call():
    for name, text in SCRIPTS.items():
        for word in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            '"style"',
        ):
            assert word not in text, f"{name}: {word}"


def test_vendored_files_are_listed_with_version_licence_and_hash():
    vendor = STATIC / "vendor"
    listed = tomllib.loads((vendor / "vendor.toml").read_text(encoding="utf-8"))["script"]
    for script in listed:
        assert hashlib.sha256((vendor / script["file"]).read_bytes()).hexdigest() == script["sha256"]
        assert (vendor / script["license_file"]).read_text(encoding="utf-8").strip()
        assert script["version"]
        assert script["license"] in ("ISC", "MIT", "BSD-3-Clause")
    assert {path.name for path in vendor.glob("*.js")} == {script["file"] for script in listed}
