"""Which extractor reads a document."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kgsite.errors import KgsiteError
from kgsite.extract import offline
from kgsite.extract.chunk import chunk
from kgsite.extract.extractor import ExtractJob
from kgsite.model import Block, Document, Source, SourcePath

TEXT = "Ada Lovelace met Charles Babbage in London."


def job(language: str) -> ExtractJob:
    one = Document("d", Source(SourcePath("a.md"), "markdown", None), TEXT, (Block(0, len(TEXT), "paragraph"),))
    return ExtractJob(one, chunk(one, max_tokens=400, overlap_tokens=50), language)


def test_without_the_parser_english_is_read_by_the_core_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offline, "_english", lambda: (None, "install kgsite[offline]"))
    extractor = offline.offline_extractor()
    assert extractor.name == "offline"
    assert extractor.model == ""
    assert extractor.settings("en")["extractor"] == "core"
    [(_, outcome)] = extractor.extract([job("en")])
    assert not isinstance(outcome, KgsiteError)
    assert "install kgsite[offline]" in outcome.warnings[0]
    assert outcome.chunks[0].relations


def test_other_languages_are_read_by_the_core() -> None:
    extractor = offline.offline_extractor()
    assert extractor.settings("es")["extractor"] == "core"
    [(_, outcome)] = extractor.extract([job("es")])
    assert not isinstance(outcome, KgsiteError)
    assert outcome.warnings == ()


def test_the_core_extractor_loads_what_its_document_needs() -> None:
    """Starting is most of the time that a short document takes."""
    code = (
        "import sys; from tests.offline_core.test_core import document, run;"
        "run(document([('paragraph', 'Ada Lovelace lived in London.')]), 'en');"
        "print(*sorted(name for name in sys.modules if 'uncased.' in name or name == 'stopwordsiso'))"
    )
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
