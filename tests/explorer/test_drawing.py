"""Small drawings on pages: what is pointed at is lit."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

DRAWING = """<svg class="drawing one-hop" viewBox="0 0 100 60" width="400">
<path class="e" d="M50 30L90 10"/><path class="e inferred" d="M50 30L90 50"/>
<a href="#one"><circle class="n s0 c0" cx="90" cy="10" r="6"/></a>
<a href="#two"><circle class="n s0 c1" cx="90" cy="50" r="6"/></a></svg>"""


@pytest.fixture
def page(reader, site):
    from explorer_pages import bundle, modules

    texts = {**modules(), "probe.js": 'import {startDrawings} from "./drawing.js";\nstartDrawings();'}
    (site.folder / "probe.js").write_text(bundle("probe.js", texts), encoding="utf-8")
    (site.folder / "drawing.html").write_text(
        f'<!doctype html><meta charset="utf-8"><title>x</title><link rel="icon" href="data:,">{DRAWING}'
        '<script src="probe.js"></script>',
        encoding="utf-8",
    )
    reader.page.goto(f"{site.base}drawing.html")
    return reader.page


def lit(page) -> list[bool]:
    return [link.evaluate("node => node.classList.contains('lit')") for link in page.locator("path.e").all()]


def test_pointing_lights_one_link(page):
    page.locator("a").nth(1).hover()
    assert lit(page) == [False, True]
    page.mouse.move(1, 1)
    assert lit(page) == [False, False]


def test_arrow_keys_walk(page):
    page.locator("a").nth(0).focus()
    assert lit(page) == [True, False]
    page.keyboard.press("ArrowDown")
    assert lit(page) == [False, True]
    page.keyboard.press("ArrowDown")
    assert lit(page) == [True, False]
