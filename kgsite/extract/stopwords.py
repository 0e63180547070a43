"""Stop words by language: the list of the package stopwordsiso.

Its JSON is read directly, because importing the package loads importlib.metadata, which takes longer than the
whole of the core extractor.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path


@lru_cache(maxsize=64)
def stop_words(language: str) -> frozenset[str]:
    """The stop words of `language` (ISO 639-1), casefolded; empty for a language that the list does not hold."""
    return frozenset(word.casefold() for word in _lists().get(language, ()))


@lru_cache(maxsize=1)
def _lists() -> dict[str, list[str]]:
    spec = find_spec("stopwordsiso")
    folder = Path(spec.origin).parent if spec and spec.origin else Path()
    lists: dict[str, list[str]] = json.loads((folder / "stopwords-iso.json").read_text("utf-8"))
    return lists
