"""Word files: what is accepted, what is refused, and what becomes of headings, tables, notes and changes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgsite.errors import ReadError
from kgsite.model import Document
from kgsite.readers.docx import read_docx

DATA = Path(__file__).parent / "data"


def rewritten(name: str, changes: dict[bytes, bytes]) -> bytes:
    """A case file with changes in its main part."""
    out = io.BytesIO()
    with zipfile.ZipFile(DATA / name) as source, zipfile.ZipFile(out, "w") as target:
        for member in source.infolist():
            content = source.read(member)
            if member.filename == "word/document.xml":
                for old, new in changes.items():
                    assert old in content
                    content = content.replace(old, new)
            target.writestr(member.filename, content)
    return out.getvalue()


def test_footnote_follows_the_paragraph_of_its_mark(
    case: Callable[[str], Document], texts: Any, kinds: Any, check_map: Any
) -> None:
    document = case("footnotes.docx")
    assert texts(document) == ["Lumen Works is in Ghent.", "It moved from Antwerp in 1990."]
    assert kinds(document) == ["paragraph", "footnote"]
    check_map(document)


def test_split_runs_are_one_name(case: Callable[[str], Document]) -> None:
    assert case("split-runs.docx").text == "Lumen Works"


def test_tracked_changes_are_accepted(case: Callable[[str], Document]) -> None:
    assert case("tracked-changes.docx").text == "Lumen Works was founded by Ada Northgate in Ghent."


def test_moved_text_stays_where_it_went() -> None:
    names = {
        b"w:ins ": b"w:moveTo ",
        b"</w:ins>": b"</w:moveTo>",
        b"<w:del ": b"<w:moveFrom ",
        b"</w:del>": b"</w:moveFrom>",
    }
    page = read_docx(rewritten("tracked-changes.docx", names))
    assert "Ada Northgate" in page.markdown
    assert "Wrong Person" not in page.markdown


def test_paths_that_leave_the_archive_do_nothing(case: Callable[[str], Document], tmp_path: Path) -> None:
    assert case("zip-slip.docx").text == "ANCHOR"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "words"), [("xxe.docx", "document type"), ("old-doc.docx", "legacy or password-protected Word file")]
)
def test_refused(name: str, words: str) -> None:
    with pytest.raises(ReadError, match=words):
        read_docx((DATA / name).read_bytes())


def test_too_many_members_are_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", "<x/>")
        for number in range(6000):
            archive.writestr(f"m{number}", "")
    with pytest.raises(ReadError, match="6,001 members"):
        read_docx(out.getvalue())


def test_a_bomb_is_refused_by_its_ratio() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * (30 << 20))
    with pytest.raises(ReadError, match="times its size"):
        read_docx(out.getvalue())


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.95])
def test_cut_short_is_a_clean_error(cut: float) -> None:
    data = (DATA / "footnotes.docx").read_bytes()
    with pytest.raises(ReadError):
        read_docx(data[: int(len(data) * cut)])


def test_a_zip_that_is_no_word_file() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(ReadError, match="not a Word file"):
        read_docx(out.getvalue())


def test_headings_lists_and_tables(
    document: Callable[[str, bytes | str], Document], texts: Any, kinds: Any, check_map: Any
) -> None:
    import docx

    word = docx.Document()
    word.add_heading("Lamps of Ghent", 1)
    word.add_paragraph("Lumen Works made 3 < 4 lamps * for [ports] & <b>ships</b>.")
    word.add_paragraph("harbour lamp", style="List Bullet")
    table = word.add_table(rows=2, cols=2)
    for number, text in enumerate(("Year", "Lamps | made", "1985", "40")):
        table.cell(number // 2, number % 2).text = text
    out = io.BytesIO()
    word.save(out)
    read = document("lamps.docx", out.getvalue())
    assert kinds(read) == ["heading", "paragraph", "list", "table"]
    assert texts(read)[:3] == [
        "Lamps of Ghent",
        "Lumen Works made 3 < 4 lamps * for [ports] & <b>ships</b>.",
        "harbour lamp",
    ]
    cells = [[read.text[start:end] for start, end in row] for row in read.blocks[3].cells]
    assert cells == [["Year", "Lamps | made"], ["1985", "40"]]
    assert read.title == "Lamps of Ghent"
    assert read.blocks[1].section == "Lamps of Ghent"
    check_map(read)
