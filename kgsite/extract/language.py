"""Which language a text is written in, without a network.

Scripts that one language uses (or that a few share, told apart by their own letters) are read off the
characters; the rest is decided by py3langid, restricted to languages that the extractor has words for.
The same text always gives the same answer.
"""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from typing import Any

KNOWN = (
    "af", "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "eu", "fa", "fi", "fr", "ga", "gl", "gu",
    "he", "hi", "hr", "hu", "hy", "id", "it", "ja", "ko", "la", "lt", "lv", "mr", "ms", "nl", "no", "pl", "pt", "ro",
    "ru", "sk", "sl", "sv", "sw", "th", "tr", "uk", "ur", "vi", "zh",
)  # fmt: skip
"""Languages that can be the answer: all have stop words."""

_SAMPLE = 2000  # characters taken from each of start, middle and end
_SCRIPTS = {
    "he": re.compile(r"[\u0590-\u05ff]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
    "hy": re.compile(r"[\u0530-\u058f]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
    "bn": re.compile(r"[\u0980-\u09ff]"),
    "gu": re.compile(r"[\u0a80-\u0aff]"),
    "ko": re.compile(r"[\uac00-\ud7af\u1100-\u11ff]"),
    "kana": re.compile(r"[\u3040-\u30ff]"),
    "han": re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]"),
    "arabic": re.compile(r"[\u0600-\u06ff]"),
    "cyrillic": re.compile(r"[\u0400-\u04ff]"),
    "devanagari": re.compile(r"[\u0900-\u097f]"),
    "latin": re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"),
}
_OWN_SCRIPT = frozenset(
    ("ar", "bg", "bn", "el", "fa", "gu", "he", "hi", "hy", "ja", "ko", "mr", "ru", "th", "uk", "ur", "zh")
)
_AMONG = {
    "arabic": ("ar", "fa", "ur"),
    "cyrillic": ("bg", "ru", "uk"),
    "devanagari": ("hi", "mr"),
    "latin": tuple(code for code in KNOWN if code not in _OWN_SCRIPT),
}
_NOT_PROSE = re.compile(r"https?://\S+|\S+@\S+|[\d_#*|`=<>{}\[\]]+")


def detect(text: str) -> tuple[str, float]:
    """(ISO 639-1 code, confidence 0 to 1) of `text`; ("en", 0.0) when it has no letters to go by.

    A sample from start, middle and end is read, so the cost does not grow with the text. Below about 20
    letters of a script that many languages share, the confidence is at most 0.5.
    """
    sample = _NOT_PROSE.sub(" ", _sample(text))
    counts = {script: len(pattern.findall(sample)) for script, pattern in _SCRIPTS.items()}
    letters = sum(counts.values())
    if not letters:
        return "en", 0.0
    # One Chinese character says about as much as three letters.
    weights = {script: n * (3 if script in ("han", "kana", "ko") else 1) for script, n in counts.items()}
    weights["han"] += weights.pop("kana")
    script = max(weights, key=lambda name: (weights[name], name))
    share = weights[script] / sum(weights.values())
    if script == "han":
        return ("ja" if counts["kana"] * 12 > counts["han"] else "zh"), round(share, 3)
    if script not in _AMONG:
        return script, round(share, 3)
    return _classify(sample, script, letters, share)


def _classify(sample: str, script: str, letters: int, share: float) -> tuple[str, float]:
    with _LOCK:  # the identifier's set of languages is global to it
        identifier = _identifier()
        identifier.set_languages(_AMONG[script])
        code, confidence = identifier.classify(" ".join(sample.split()))
    confidence = min(float(confidence) * share, 1.0)
    if letters < 20:
        confidence = min(confidence, 0.5)
        if script == "latin" and confidence < 0.25:
            code = "en"  # too little to go by: what most short texts in Latin letters can be read as
    return code, round(confidence, 3)


_LOCK = threading.Lock()


@lru_cache(maxsize=1)
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def _sample(text: str) -> str:
    if len(text) <= 3 * _SAMPLE:
        return text
    middle = (len(text) - _SAMPLE) // 2
    return " ".join((text[:_SAMPLE], text[middle : middle + _SAMPLE], text[-_SAMPLE:]))
