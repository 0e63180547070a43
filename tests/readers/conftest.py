"""What the readers' tests share: the case files, and documents from bytes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgsite.discover import discover_file
from kgsite.model import Document
from kgsite.readers import read

DATA = Path(__file__).parent / "data"


@pytest.fixture
def case(tmp_path: Path) -> Callable[[str], Document]:
    """Read one of the case files by name."""
    return lambda name: read(discover_file(DATA / name).sources[0], fetcher=None, snapshots=tmp_path)


@pytest.fixture
def document(tmp_path: Path) -> Callable[[str, bytes | str], Document]:
    """Read bytes or text as a file of the name given."""

    def make(name: str, data: bytes | str) -> Document:
        file = tmp_path / name
        file.write_bytes(data if isinstance(data, bytes) else data.encode())
        return read(discover_file(file).sources[0], fetcher=None, snapshots=tmp_path)

    return make


@pytest.fixture(scope="session")
def mupdf() -> Any:
    """PyMuPDF, whose import warns about its own classes on some Python versions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pymupdf
    return pymupdf


@pytest.fixture
def texts() -> Callable[[Document], list[str]]:
    """The blocks' texts."""
    return lambda document: [document.text[block.start : block.end] for block in document.blocks]


@pytest.fixture
def kinds() -> Callable[[Document], list[str]]:
    """The blocks' kinds."""
    return lambda document: [block.kind for block in document.blocks]


@pytest.fixture
def check_map() -> Callable[[Document], None]:
    """What every document promises: blocks in order, two newlines between them, marks and cells inside blocks."""

    def check(document: Document) -> None:
        position = 0
        for number, block in enumerate(document.blocks):
            assert document.text[position : block.start] == ("\n\n" if number else "")
            assert block.end > block.start
            position = block.end
            for row in block.cells:
                assert all(block.start <= start <= end <= block.end for start, end in row)
        assert position == len(document.text)
        for mark in document.marks:
            assert any(block.start <= mark.start < mark.end <= block.end for block in document.blocks)
        assert not any(ord(c) < 32 and c not in "\t\n" for c in document.text)

    return check
