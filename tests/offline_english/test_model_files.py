"""The model is checked before it is loaded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgsite.errors import ExtractError
from kgsite.extract.extractor import ExtractJob
from kgsite.extract.offline.english import EnglishExtractor, model_files
from kgsite.model import Block, Chunk, Document, Source, SourcePath


@pytest.fixture
def package(tmp_path: Path) -> tuple[Path, Path]:
    """A folder of two files and its manifest."""
    folder = tmp_path / "model"
    (folder / "ner").mkdir(parents=True)
    (folder / "ner" / "model").write_bytes(b"weights")
    (folder / "__init__.py").write_bytes(b"")
    manifest = tmp_path / "manifest.json"
    files = {
        "ner/model": "9ac9a37226a7dcf04fedee52a4ad6f97d6b3a1bd9f2a2ddcc2a0b7a5d7f3b3f5",
        "__init__.py": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    }
    import hashlib

    files["ner/model"] = hashlib.sha256(b"weights").hexdigest()
    manifest.write_text(json.dumps({"files": files}))
    return folder, manifest


def test_equal_files_pass_and_byte_code_is_not_looked_at(package: tuple[Path, Path]) -> None:
    folder, manifest = package
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.pyc").write_bytes(b"1")
    assert model_files.mismatch(folder, manifest) is None


def test_a_changed_file_is_named(package: tuple[Path, Path]) -> None:
    folder, manifest = package
    (folder / "ner" / "model").write_bytes(b"weightz")
    assert model_files.mismatch(folder, manifest) == "its file ner/model is not the one that was checked"


def test_a_missing_and_an_extra_file_are_named(package: tuple[Path, Path]) -> None:
    folder, manifest = package
    (folder / "ner" / "model").unlink()
    assert model_files.mismatch(folder, manifest) == "its file ner/model is missing"
    (folder / "ner" / "model").write_bytes(b"weights")
    (folder / "hook.py").write_text("print('hello')")
    assert "hook.py" in (model_files.mismatch(folder, manifest) or "")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"files": '])
def test_a_damaged_manifest_is_a_mismatch(package: tuple[Path, Path], content: str) -> None:
    folder, manifest = package
    manifest.write_text(content)
    assert model_files.mismatch(folder, manifest) == "its manifest is missing or damaged"


def test_the_shipped_manifest_names_the_model_parts() -> None:
    files = json.loads(model_files.MANIFEST.read_text(encoding="utf-8"))["files"]
    assert any(name.endswith("parser/model") for name in files)
    assert all(len(digest) == 64 for digest in files.values())


def test_without_a_model_the_reason_is_said_and_extraction_fails_softly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_files, "unavailable", lambda: "no English model is installed")
    extractor = EnglishExtractor()
    assert extractor.available() == "no English model is installed"
    assert extractor.model == ""
    text = "Anna Berg founded a museum."
    document = Document("d", Source(SourcePath("d.txt"), "text", None), text, (Block(0, len(text), "paragraph"),))
    [(_, outcome)] = extractor.extract([ExtractJob(document, (Chunk("c", 0, text, 0, len(text), 1),), "en")])
    assert isinstance(outcome, ExtractError)
    assert "d.txt" in outcome.message


def test_settings_name_model_and_rules() -> None:
    settings = EnglishExtractor().settings("en")
    assert settings["rules"]
    assert settings["extractor"] == "offline-en"
