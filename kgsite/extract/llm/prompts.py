"""The prompts: plain files in kgsite/extract/prompts, a system and a user part each, hashed into the fingerprint."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "prompts"
_SLOT = re.compile(r"\{\{(\w+)\}\}")

LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish", "fr": "French",
    "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian", "it": "Italian",
    "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "nb": "Norwegian", "nl": "Dutch",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak",
    "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian",
    "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


def language_name(code: str) -> str:
    """A language as prompts call it: "German (de)"; an unknown code stands for itself."""
    name = LANGUAGES.get(code)
    return f"{name} ({code})" if name else code or "the language of the passage"


@lru_cache(maxsize=64)
def _text(name: str) -> str:
    return (FOLDER / name).read_text("utf-8").replace("\r\n", "\n")


def filled(name: str, **values: str) -> tuple[str, str]:
    """(system text, user text) of a prompt with its slots filled; what is filled in is not looked into again."""
    return fill(_text(f"{name}.md"), **values)


def fill(text: str, **values: str) -> tuple[str, str]:
    """(system text, user text) of a prompt file's text: its parts before and after the line `===`."""
    system, _, user = text.partition("\n===\n")
    return tuple(_SLOT.sub(lambda slot: values[slot[1]], part).strip() for part in (system, user))  # type: ignore[return-value]


@lru_cache(maxsize=1)
def prompts_hash() -> str:
    """SHA-256 over names and contents of all prompt files."""
    digest = hashlib.sha256()
    for path in sorted(FOLDER.iterdir()):
        if path.suffix in (".md", ".txt"):
            digest.update(f"{path.name}\0{_text(path.name)}\0".encode())
    return digest.hexdigest()


@lru_cache(maxsize=1)
def example_names() -> tuple[str, ...]:
    """The made-up names of the prompts' examples: never published unless a text really has them."""
    return tuple(line.strip() for line in _text("example-names.txt").splitlines() if line.strip())
