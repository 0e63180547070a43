"""Make a folder of documents of any size: seeded, mixed kinds, one cast of names so that documents share entities.

    python benchmarks/make_site.py FOLDER 200 [--seed 7] [--language de]

Every third document is Markdown, every third plain text, every third HTML. The sentences are built from a small
grammar over invented names; with `--language de` (the default) kgsite reads them with its core rules, which need no
parser, so that a benchmark of the build does not measure spaCy.
"""

from __future__ import annotations

import argparse
import html
import random
from pathlib import Path

SYLLABLES = (
    "ba",
    "cor",
    "del",
    "fen",
    "gor",
    "hal",
    "il",
    "jun",
    "kar",
    "lo",
    "mir",
    "nov",
    "or",
    "pel",
    "ras",
    "sten",
    "tor",
)
VERBS = {
    "de": ("traf", "besuchte", "schrieb an", "arbeitete mit", "lernte von", "half"),
    "en": ("met", "visited", "wrote to", "worked with", "learned from", "helped"),
}
IN = {"de": "in", "en": "in"}
PARAGRAPHS, SENTENCES = 4, 4


def name(draw: random.Random) -> str:
    return "".join(draw.choices(SYLLABLES, k=draw.randint(2, 3))).capitalize()


def sentence(draw: random.Random, people: list[str], places: list[str], language: str) -> str:
    one, other = draw.sample(people, 2)
    return f"{one} {draw.choice(VERBS[language])} {other} {IN[language]} {draw.choice(places)}."


def document(number: int, count: int, seed: int, language: str) -> tuple[str, str]:
    """File name and text of document `number` of `count`."""
    cast = random.Random(f"{seed}/cast")
    people = [f"{name(cast)} {name(cast)}" for _ in range(max(12, count * 3))]
    places = [name(cast) for _ in range(max(4, count // 2))]
    draw = random.Random(f"{seed}/{number}")
    first = number * 3 % len(people)
    near = [people[(first + step) % len(people)] for step in range(12)]
    paragraphs = [" ".join(sentence(draw, near, places, language) for _ in range(SENTENCES)) for _ in range(PARAGRAPHS)]
    title = f"Report {number} on {near[0]}"
    if number % 3 == 0:
        return f"{number:05}.md", f"# {title}\n\n" + "\n\n".join(paragraphs) + "\n"
    if number % 3 == 1:
        return f"{number:05}.txt", f"{title}\n\n" + "\n\n".join(paragraphs) + "\n"
    body = "".join(f"<p>{html.escape(text)}</p>\n" for text in paragraphs)
    head = f'<!doctype html><html lang="{language}"><head><title>{title}</title></head>'
    return f"{number:05}.html", f"{head}<body><h1>{title}</h1>\n{body}</body></html>\n"


def make(folder: Path, count: int, *, seed: int = 7, language: str = "de") -> None:
    """Write `count` documents below `folder`/content, and a site.toml."""
    content = folder / "content"
    content.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        file, text = document(number, count, seed, language)
        (content / file).write_text(text, encoding="utf-8")
    config = f'[site]\ntitle = "Synthetic"\n[extract]\nextractor = "offline"\nlanguage = "{language}"\n'
    (folder / "site.toml").write_text(config, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("documents", type=int)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--language", choices=sorted(VERBS), default="de")
    given = parser.parse_args()
    make(given.folder, given.documents, seed=given.seed, language=given.language)


if __name__ == "__main__":
    main()
