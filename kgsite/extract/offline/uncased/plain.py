"""Other scripts without capitals: what quotes, Latin letters and years show."""

from __future__ import annotations

from collections.abc import Sequence

from kgsite.extract.offline.lexicon import Lexicon
from kgsite.extract.offline.mentions import Mention
from kgsite.extract.offline.uncased import marks


def mentions(sentences: Sequence[str], words: Lexicon) -> list[list[Mention]]:  # noqa: ARG001 - as in the others
    """The mentions of each sentence of a document."""
    return [marks.apart([*marks.dates(text), *marks.titles(text), *marks.latin(text)]) for text in sentences]
