"""The search of the site: names first, texts by word, everything in files that a page loads when it needs them.

Each file is a classic script that calls `kgsiteSearchShard(name, data)`, so that the search also works from disk, where
fetch does not. All lie in `search/`:

`index.js`, "index": what there is.

    {"format": 1, "types": [{"label", "shape"}], "names": shards, "words": [first word of each shard],
     "texts": shards, "block": texts in a shard, "counts": {"names", "texts", "left_out"}}

`names-<n>.js`: records of entities, documents and communities, the most connected first, `NAMES_A_SHARD` a file. The
first file answers most searches; the others can be loaded behind it. Made for a typo-tolerant prefix search (MiniSearch).

    [{"t": "e" | "d" | "c", "n": name, "a": [aliases], "y": type (entities), "u": link, "w": weight,
      "g": community of the map (entities of a collection that opens on one)}]

`words-<n>.js`: for each word of the descriptions, summaries and quotes the numbers of the texts that have it.

    {"words": [sorted as JavaScript does, by UTF-16 units], "texts": [[delta-coded numbers], …]}

A query word is looked up as a prefix: the shards from the last whose first word is ≤ the query word on, while they
begin below its end. Texts are numbered by weight, so smaller numbers are better; a word lists at most `POSTINGS`.

`texts-<n>.js`: texts n·block … of the results that are shown.

    [{"t": "e" | "d" | "q", "n": name or fact, "d": text, "u": link, "s": title of the document (quotes)}]

`u` is relative to the site root and names index.html; for a quote it leads to the passage.

Words, in Python and JavaScript alike: NFKD, marks (\\p{M}) dropped, lower case, runs of letters and digits. A stretch of
a run in a script without spaces (`_UNSPACED`: Han, kana, Thai, Lao, Burmese, Khmer) gives its bigrams, or itself when it
is one character; other words of one character are dropped, longer ones cut at `WORD` characters.

Sizes: a names file is about 250 kB (60 kB compressed), words and texts files about 64 kB; a search of 30,000 entities loads
the first names file and one or two of each other kind. Texts are cut to `TEXT` characters, at most three quotes of a
fact and `TEXTS` texts are indexed (the best connected; `counts.left_out` has the rest, and `notes` says so). The
documents' own text is not in it: that is the full text search, which is off unless asked for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from kgsite.model import Collection, CollectionEntity, DocumentGraph, Fact
from kgsite.site.escape import to_json
from kgsite.site.graphdata import GraphSource

FORMAT = 1
NAMES_A_SHARD = 2_500
TEXTS_A_SHARD = 160
WORDS_BYTES = 64_000
POSTINGS = 2_000
TEXTS = 200_000
TEXT = 400
WORD = 40
QUOTES_A_FACT = 3
LARGE = 30_000_000
"""Bytes above which the publisher is told that the index is large."""
_UNSPACED = (
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
_RUNS = re.compile(r"[^\W_]+")
_STRETCHES = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")


@dataclass(frozen=True, slots=True)
class SearchIndex:
    """The files by their path from the site root, and sentences for the publisher."""

    files: dict[str, bytes]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Text:
    """A text that can be found by its words."""

    weight: int
    kind: str
    name: str
    text: str
    url: str
    title: str = ""


def words(text: str) -> list[str]:
    """The words of a text as the index knows them, in order, with repetitions."""
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(c for c in decomposed if unicodedata.category(c)[0] != "M")
    found: list[str] = []
    for run in _RUNS.findall(text.lower()):
        if run.isascii():
            if len(run) > 1:
                found.append(run[:WORD])
            continue
        for stretch in _STRETCHES.findall(run):
            if not _IS_UNSPACED.match(stretch):
                if len(stretch) > 1:
                    found.append(stretch[:WORD])
            elif len(stretch) == 1:
                found.append(stretch)
            else:
                found += [stretch[i : i + 2] for i in range(len(stretch) - 1)]
    return found


def search_index(
    collection: Collection,
    *,
    label: Callable[[str], str] | None = None,
    title: Callable[[DocumentGraph], str] | None = None,
    entity: Callable[[str], str] | None = None,
    community: Callable[[int], str] | None = None,
) -> SearchIndex:
    """All files of the search.

    `label` gives the words for an entity type, `title` those for a document; `entity` the page of an entity by key,
    and `community` that of a community by id, from the site root (`entities/<slug>/index.html` and
    `communities/<slug>/index.html` without them).
    """
    writer = _Writer(collection, GraphSource(collection, label=label, title=title), entity, community)
    types = writer.types()
    names = writer.names({str(record["name"]): index for index, record in enumerate(types)})
    texts, left_out = writer.texts()
    files: dict[str, bytes] = {}
    for number, start in enumerate(range(0, len(names), NAMES_A_SHARD)):
        files[f"search/names-{number}.js"] = _script(f"names-{number}", names[start : start + NAMES_A_SHARD])
    firsts: list[str] = []
    for number, (listed, postings) in enumerate(_word_shards(texts)):
        firsts.append(listed[0])
        files[f"search/words-{number}.js"] = _script(f"words-{number}", {"words": listed, "texts": postings})
    for number, start in enumerate(range(0, len(texts), TEXTS_A_SHARD)):
        rows = [_row(text) for text in texts[start : start + TEXTS_A_SHARD]]
        files[f"search/texts-{number}.js"] = _script(f"texts-{number}", rows)
    manifest = {
        "format": FORMAT,
        "types": [{"label": record["label"], "shape": record["shape"]} for record in types],
        "names": -(-len(names) // NAMES_A_SHARD),
        "words": firsts,
        "texts": -(-len(texts) // TEXTS_A_SHARD),
        "block": TEXTS_A_SHARD,
        "counts": {"names": len(names), "texts": len(texts), "left_out": left_out},
    }
    files["search/index.js"] = _script("index", manifest)
    return SearchIndex(files, tuple(_notes(files, left_out)))


def _notes(files: dict[str, bytes], left_out: int) -> Iterator[str]:
    size = sum(map(len, files.values()))
    if size > LARGE:
        yield f"the search index has {size / 1e6:.0f} MB in {len(files)} files; readers load only the parts that they need"
    if left_out:
        yield f"the search index holds the {TEXTS} best connected texts; {left_out} descriptions and quotes are left out"


def _script(name: str, data: object) -> bytes:
    return b'kgsiteSearchShard("' + name.encode() + b'",' + to_json(data) + b");\n"


def _row(text: _Text) -> dict[str, object]:
    row: dict[str, object] = {"t": text.kind, "n": text.name, "d": text.text, "u": text.url}
    return {**row, "s": text.title} if text.title else row


def _excerpt(text: str) -> str:
    """One line, cut at a word where there is one near the end."""
    flat = " ".join(text[: TEXT * 4].split())
    if len(flat) <= TEXT:
        return flat
    cut = flat[: TEXT - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > TEXT * 3 // 4 else cut) + "…"


def _word_shards(texts: Sequence[_Text]) -> Iterator[tuple[list[str], list[list[int]]]]:
    """Words in order with the numbers of their texts, cut into shards of about `WORDS_BYTES`."""
    postings: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        for word in set(words(f"{text.name} {text.text}")):
            numbers = postings.setdefault(word, [])
            if len(numbers) < POSTINGS:
                numbers.append(number)
    listed: list[str] = []
    deltas: list[list[int]] = []
    size = 0
    for word in sorted(postings, key=lambda word: word.encode("utf-16-be")):
        numbers = postings[word]
        listed.append(word)
        deltas.append([now - before for before, now in zip([0, *numbers], numbers, strict=False)])
        size += len(word.encode()) + 5 + 3 * len(numbers)
        if size >= WORDS_BYTES:
            yield listed, deltas
            listed, deltas, size = [], [], 0
    if listed:
        yield listed, deltas


class _Writer:
    """Gathers names and texts of a collection."""

    def __init__(
        self,
        collection: Collection,
        source: GraphSource,
        entity: Callable[[str], str] | None,
        community: Callable[[int], str] | None,
    ) -> None:
        self._collection, self._source = collection, source
        self._entities = {item.key: item for item in collection.entities}
        self._entity = entity or (lambda key: f"entities/{quote(self._entities[key].slug, safe='')}/index.html")
        slugs = {item.id: item.slug for item in collection.communities}
        self._community = community or (lambda number: f"communities/{quote(slugs[number], safe='')}/index.html")
        self._size = {document.id: len(document.entities) for document in collection.documents}

    def types(self) -> list[dict[str, object]]:
        return self._source.types(self._collection.entities)

    def names(self, type_at: dict[str, int]) -> list[dict[str, object]]:
        """Records of everything that has a name, heaviest first."""
        found: list[dict[str, object]] = []
        community_at: dict[int | None, int] = {c.id: index for index, c in enumerate(self._collection.communities)}
        for entity in self._collection.entities:
            record: dict[str, object] = {"t": "e", "n": entity.name, "u": self._entity(entity.key), "w": entity.degree}
            record["y"] = type_at[entity.type]
            if self._source.is_map and entity.community in community_at:
                record["g"] = community_at[entity.community]
            if entity.aliases:
                record["a"] = list(entity.aliases)
            found.append(record)
        for document in self._collection.documents:
            title = str(self._source.document_record(document.id)["title"])
            found.append({"t": "d", "n": title, "u": self._passage(document.id, None), "w": self._size[document.id]})
        for community in self._collection.communities:
            record = {"t": "c", "n": community.name, "u": self._community(community.id), "w": len(community.members)}
            others = [topic for topic in community.topics if topic != community.name]
            found.append({**record, "a": others} if others else record)
        return sorted(found, key=lambda record: (-int(str(record["w"])), str(record["u"])))

    def texts(self) -> tuple[list[_Text], int]:
        """Descriptions, summaries and quotes, best first, and how many are left out."""
        found = [*self._summaries(), *self._descriptions(), *self._quotes()]
        found.sort(key=lambda text: (-text.weight, text.url, text.name, text.text))
        return found[:TEXTS], max(0, len(found) - TEXTS)

    def _summaries(self) -> Iterator[_Text]:
        for document in self._collection.documents:
            if document.summary:
                title = str(self._source.document_record(document.id)["title"])
                url = self._passage(document.id, None)
                yield _Text(self._size[document.id], "d", title, _excerpt(document.summary), url)

    def _descriptions(self) -> Iterator[_Text]:
        for entity in self._collection.entities:
            for text in dict.fromkeys(text for text, _ in entity.descriptions if text):
                yield _Text(entity.degree, "e", entity.name, _excerpt(text), self._entity(entity.key))

    def _quotes(self) -> Iterator[_Text]:
        """Each passage once, under the first fact that it stands for."""
        seen: set[tuple[str, str]] = set()
        for fact in self._collection.facts:
            source, target = self._entities.get(fact.source), self._entities.get(fact.target)
            if source is not None and target is not None:
                yield from self._quotes_of(fact, source, target, seen)

    def _quotes_of(
        self, fact: Fact, source: CollectionEntity, target: CollectionEntity, seen: set[tuple[str, str]]
    ) -> Iterator[_Text]:
        name = f"{source.name} {fact.predicate} {target.name}"
        for item in fact.evidence[:QUOTES_A_FACT]:
            text = _excerpt(item.evidence.text)
            if not text or (item.document, text) in seen or item.document not in self._size:
                continue
            seen.add((item.document, text))
            title = str(self._source.document_record(item.document)["title"])
            url = self._passage(item.document, item.evidence.start)
            yield _Text(min(source.degree, target.degree), "q", name, text, url, title)

    def _passage(self, document: str, start: int | None) -> str:
        folder, _, anchor = self._source.href(document, start).partition("#")
        return f"{folder}index.html#{anchor}" if anchor else f"{folder}index.html"
