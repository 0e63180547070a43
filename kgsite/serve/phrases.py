"""What the preview says in pages, in the language of the site: the theme's words below `preview`.

Read again when site.toml or a file of words changed; while one of them is broken, the last good words stay.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kgsite.errors import KgsiteError
from kgsite.site.escape import island_text
from kgsite.site.theme import load_theme, packaged_words
from kgsite.site.words import Words

_PART = "preview."


class Phrases:
    """The words of one run."""

    def __init__(self, root: Path, env: str, flags: Mapping[str, Any]) -> None:
        self._root, self._env, self._flags = root, env, dict(flags)
        self._words = packaged_words("en")
        self._seen: tuple[object, ...] = ()

    @property
    def words(self) -> Words:
        """The words as the files are now."""
        seen = self._signature()
        if seen != self._seen:
            self._seen = seen
            with contextlib.suppress(KgsiteError, OSError):  # told by the build, in the page
                self._words = self._load()
        return self._words

    def _signature(self) -> tuple[object, ...]:
        files = [self._root / "site.toml", *sorted(self._root.glob("site.*.toml"))]
        files += sorted((self._root / "themes").glob("*/theme.toml")) + sorted((self._root / "themes").glob("*/i18n/*"))
        return tuple(_state(file) for file in files)

    def _load(self) -> Words:
        from kgsite.project import open_project

        return load_theme(open_project(self._root, env=self._env, flags=self._flags).settings).words

    @property
    def language(self) -> str:
        return self.words.language

    def t(self, key: str, **values: object) -> str:
        """One text, filled in."""
        return self.words.t(_PART + key, **values)

    def island(self) -> str:
        """All texts and their language, as JSON that can stand in a page."""
        words = self.words
        texts = {key.removeprefix(_PART): text for key, text in words.texts.items() if key.startswith(_PART)}
        return str(island_text({"language": words.language, "texts": texts}))


def _state(file: Path) -> tuple[str, int, int]:
    try:
        found = file.stat()
    except OSError:
        return str(file), 0, 0
    return str(file), found.st_mtime_ns, found.st_size
