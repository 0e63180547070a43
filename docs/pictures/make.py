"""Make the pictures of the documentation from the demonstration site: `python docs/pictures/make.py _site`.

Needs playwright and Debian's chromium. The site is read from disk, so nothing has to be served.
"""

from __future__ import annotations

import struct
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, sync_playwright

HERE = Path(__file__).parent
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
LARGEST = 300_000
"""Bytes of one picture."""
SIGNATURE = b"\x89PNG\r\n\x1a\n"


class Picture(NamedTuple):
    name: str
    page: str  # below the output, with a fragment where the explorer's state matters
    scheme: str  # light or dark
    width: int
    height: int
    scroll: str = ""  # selector of what stands at the top


CURIE = "documents/marie-curie/graph/index.html#node=marie-curie"
PICTURES = (
    Picture("explorer-light", CURIE, "light", 1160, 740),
    Picture("explorer-dark", CURIE, "dark", 1160, 740),
    Picture("collection", "graph/index.html", "light", 1000, 660),
    Picture("landing", "index.html", "light", 1240, 800),
    Picture("document", "documents/marie-curie/index.html", "light", 1240, 800),
    Picture("reader", "documents/atlantic-cable/index.html", "light", 1240, 800, "#text"),
    Picture("entity", "entities/marie-curie/index.html", "light", 1240, 800),
    Picture("entity-dark", "entities/marie-curie/index.html", "dark", 1240, 800),
    Picture("phone-landing", "index.html", "light", 390, 780),
    Picture("phone-entity", "entities/marie-curie/index.html", "light", 390, 780),
    Picture("phone-explorer", CURIE, "dark", 390, 780),
)


def shoot(browser: Browser, site: Path, picture: Picture) -> bytes:
    page = browser.new_page(
        viewport={"width": picture.width, "height": picture.height},
        color_scheme="dark" if picture.scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    path, _, fragment = picture.page.partition("#")
    page.goto((site / path).resolve().as_uri() + (f"#{fragment}" if fragment else ""))
    if path.endswith("graph/index.html"):
        page.wait_for_function("document.querySelector('#explorer').explorer?.report.settled")
    if picture.scroll:
        page.locator(picture.scroll).evaluate("element => element.scrollIntoView()")
    page.wait_for_timeout(400)
    data = page.screenshot()
    page.close()
    return packed(data)


def packed(png: bytes) -> bytes:
    """The same picture, its image data compressed as well as zlib can; text chunks dropped. Source: PNG, section 5."""
    chunks = list(chunks_of(png))
    image = zlib.compress(zlib.decompress(b"".join(data for kind, data in chunks if kind == b"IDAT")), 9)
    kept = [(kind, data) for kind, data in chunks if kind in (b"IHDR", b"PLTE", b"tRNS")]
    out = [*kept, (b"IDAT", image), (b"IEND", b"")]
    return SIGNATURE + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in out
    )


def chunks_of(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = len(SIGNATURE)
    while position < len(png):
        (length,) = struct.unpack_from(">I", png, position)
        yield png[position + 4 : position + 8], png[position + 8 : position + 8 + length]
        position += 12 + length


def main(site: Path) -> int:
    heavy = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for picture in PICTURES:
            data = shoot(browser, site, picture)
            (HERE / f"{picture.name}.png").write_bytes(data)
            heavy += len(data) > LARGEST
            print(f"{picture.name}.png {len(data):,} bytes{' TOO LARGE' if len(data) > LARGEST else ''}")
        browser.close()
    return 1 if heavy else 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "_site")))
