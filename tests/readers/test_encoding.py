"""Bytes to text: by statement, mark, declaration, UTF-8, and guess."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgsite.model import Document
from kgsite.readers.characters import clean, is_blank, one_line
from kgsite.readers.encoding import declared_in_html, decode, text_codec
from kgsite.readers.sniff import sniff

DATA = Path(__file__).parent / "data"
QUAY = "Ada Northgate founded Lumen Works in Ghent in 1987. Lumen Works later bought Bright Quay."


@pytest.mark.parametrize(("name", "shown"), [("utf16.txt", "UTF-16"), ("utf32.txt", "UTF-32")])
def test_marks(case: Callable[[str], Document], name: str, shown: str) -> None:
    document = case(name)
    assert document.text == QUAY
    assert document.warnings == (f"read as {shown}, by its byte order mark",)


def test_one_bad_byte_is_replaced_and_placed(case: Callable[[str], Document]) -> None:
    document = case("latin1-as-utf8-mixed.txt")
    assert document.text == "UTF-8 here: café. Then a stray Latin-1 byte: caf\ufffd. Lumen Works."
    assert document.warnings == ("1 byte is not valid utf-8 and was replaced (byte offset 49)",)


def test_one_byte_that_is_no_letter_in_ascii() -> None:
    decoded = decode(b"Lumen Works " + b"x" * 5000 + b" \xff end")
    assert decoded.encoding == "utf-8"
    assert decoded.text.count("\ufffd") == 1
    assert "byte offset 5,013" in decoded.warnings[0]


def test_a_guess_is_named_with_its_confidence(case: Callable[[str], Document]) -> None:
    document = case("gb18030.txt")
    assert document.text == "北岸光学公司由林小波在厦门创立。"
    assert "guessed gb18030 (confidence 0%, low)" in document.warnings[0]
    assert "[encodings] of site.toml" in document.warnings[0]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Café à Gand, où René a fondé la société. Elle était déjà née.", "latin-1"),
        ("Die Straße führt über die Brücke nach Köln, wo Größe zählt. Die Mühle gehört der Gemeinde.", "cp1252"),
        ("Ада основала фирму в Генте в 1987 году. Позже фирма купила причал и маяк на берегу.", "cp1251"),
        ("光学公司由林小波在厦门创立，后来公司搬到了上海，并且收购了一家制造灯具的工厂。" * 3, "gb18030"),
    ],
)
def test_guesses_are_right(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_stated_beats_everything() -> None:
    assert decode("é".encode("latin-1") + b" \xc3\xa9", stated="latin-1").text == "é Ã©"
    assert decode(b"abc", stated="no-such-code").warnings == (
        "unknown encoding 'no-such-code': it was found out from the bytes instead",
    )
    assert text_codec("utf-7") == text_codec("hex") == text_codec("a\0b") == ""


def test_utf16_without_a_mark() -> None:
    assert decode(QUAY.encode("utf-16-le")).text == QUAY
    assert sniff(QUAY.encode("utf-16-be"))[0] == "text"


def test_meta_charset() -> None:
    assert (
        declared_in_html(b'<html><meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-2">')
        == "iso-8859-2"
    )
    assert declared_in_html(b'<?xml version="1.0" encoding="koi8-r"?><html>') == "koi8-r"
    assert declared_in_html(b"<meta charset=utf-16>") == "utf-8"


def test_controls_and_terminal_sequences_go(case: Callable[[str], Document]) -> None:
    assert case("nul.txt").text == "Lumen Works is in Ghent.red"
    assert clean("a\r\nb\rc\x85d\u2028e\tf\x0bg") == "a\nb\nc\nd\ne\tf\ng"
    assert clean("x\u202ey\ud800z\ufeff") == "xy\ufffdz"
    assert clean("\x1b]0;title\x07") == "0;title"


def test_bidi_overrides_are_stripped_from_text_and_title(case: Callable[[str], Document]) -> None:
    document = case("rtl.md")
    assert document.title == "חברת לומן"
    assert not any(c in document.text for c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert "invoicefdp.exe" in document.text


def test_nfc_is_left_as_it_is(case: Callable[[str], Document]) -> None:
    text = case("combining.txt").text
    assert "Rene\u0301e" in text
    assert "Ren\u00e9e" in text


@pytest.mark.parametrize("name", ["empty.txt", "whitespace.md"])
def test_nothing_is_an_empty_document(case: Callable[[str], Document], name: str) -> None:
    document = case(name)
    assert document.text == ""
    assert document.blocks == ()
    assert document.warnings == ("it holds no text",)


def test_blank() -> None:
    assert is_blank("")
    assert is_blank(" \t\u00a0\u3000\u200b\ufeff\n")
    assert not is_blank("👍")
    assert one_line("  a \n b\x00 ") == "a b"
    assert len(one_line("x" * 400)) == 300


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (b"", "empty"),
        (b"\x89PNG\r\n\x1a\n", "binary"),
        (b"%PDF-1.7", "pdf"),
        (b"junk\n%PDF-1.4", "pdf"),
        (b"PK\x03\x04", "zip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
        (b"  <!-- x --><!DOCTYPE html>", "html"),
        (b"BM and other words", "text"),
        (b"MZ", "text"),
        (bytes(range(256)) * 8, "binary"),
        (b"\x00\x01\x02\x03" * 100, "binary"),
        ("naïve café".encode("latin-1"), "text"),
        (b"Lumen\0 Works\0 is in\0\0 Ghent.\x07\x1b[31mred", "text"),
    ],
)
def test_sniffing(head: bytes, found: str) -> None:
    assert sniff(head)[0] == found


@given(st.binary(max_size=400))
def test_decode_and_sniff_never_fail(data: bytes) -> None:
    sniff(data)
    clean(decode(data).text).encode()


@given(st.text(max_size=200))
def test_utf8_comes_back(text: str) -> None:
    if not text.startswith("\ufeff"):
        assert decode(text.encode("utf-8", "replace")).text == text.encode("utf-8", "replace").decode()
