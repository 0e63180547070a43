"""Ctrl-C, two builds at once, and a lock that goes with its process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kgsite.errors import PublishError, StoreError
from kgsite.project import World, open_project
from tests.build.site import Site
from tests.faults.scenes import CONFIG, SCENES, prepare

ENOUGH = 20.0  # seconds; 2 on a machine that has nothing else to do


def start(site: Site) -> subprocess.Popen[str]:
    environ = {"PATH": os.environ["PATH"], "HOME": str(site.root), "SOURCE_DATE_EPOCH": "1767312000"}
    return subprocess.Popen(
        [sys.executable, "-u", "-m", "kgsite.cli", "-C", str(site.root), "build", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=environ, start_new_session=True,
    )  # fmt: skip


@pytest.mark.parametrize("moment", ["discover", "extract", "documents", "render", "publish"])
def test_ctrl_c_ends_the_build_and_the_next_one_is_fine(moment: str, tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.config(CONFIG.format(title="Eins"))
    for number in range(12):
        site.write(
            f"{number}.txt",
            f"Emmy Noether traf David Hilbert in Göttingen. Lise Meitner besuchte Stadt{number}.\n" * 20,
        )
    build = start(site)
    assert build.stdout is not None
    for line in build.stdout:
        event = json.loads(line)
        if moment in (event.get("stage") if event["event"] == "stage" else "", event.get("unit")):
            break
    began = time.monotonic()
    os.killpg(build.pid, signal.SIGINT)
    _, said = build.communicate(timeout=60)
    assert time.monotonic() - began < ENOUGH
    if build.returncode == 0:  # it was over before the signal came
        assert moment == "publish"
    else:
        # Python ends by the signal itself when it came in the middle of an exec() (of a dataclass); shells say 130 too.
        assert build.returncode in (130, -signal.SIGINT), said
        assert "kept" in said
        assert "Traceback" not in said
    assert site.build().result.exit_code == 0
    assert "entities/emmy-noether/index.html" in site.tree()
    assert not list(tmp_path.glob("._site*"))


def test_two_builds_never_mix_and_a_killed_one_frees_the_lock(tmp_path: Path) -> None:
    site = prepare(SCENES[0], tmp_path)
    store = open_project(site.root, world=World(environ={})).store
    ready, holding = os.pipe()
    pid = os.fork()
    if not pid:
        with store.lock():
            os.write(holding, b"x")
            time.sleep(60)
        os._exit(0)
    os.read(ready, 1)
    error = site.fails()
    assert isinstance(error, StoreError)
    assert "\n" not in error.message
    assert not (tmp_path / "_site").exists()
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(ready)
    os.close(holding)
    assert site.build().result.exit_code == 0


@pytest.mark.parametrize("out", [".", "..", "content", "content/site", ".kgsite", "themes/site", "mine"])
def test_an_output_that_may_be_the_users_own_is_refused(out: str, tmp_path: Path) -> None:
    site = prepare(SCENES[0], tmp_path / "project")
    (site.root / "themes").mkdir()
    (site.root / "mine").mkdir()
    (site.root / "mine/letter.txt").write_text("Dear Ada", encoding="utf-8")
    before = {path: digest for path, digest in site.tree(".").items() if not path.startswith(".kgsite/")}
    error = site.fails(flags={"build.output": out})
    assert isinstance(error, PublishError), error
    assert "\n" not in error.message
    assert {path: digest for path, digest in site.tree(".").items() if not path.startswith(".kgsite/")} == before
