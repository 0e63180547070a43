"""When two names are one on some file system: used for stored graphs, addresses and files of the site alike."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


@lru_cache(maxsize=1 << 17)
def fold_path(path: str) -> str:
    """The key under which two paths or names are the same file somewhere: casefold of NFC, each once more."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
