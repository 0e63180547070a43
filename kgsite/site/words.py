"""The site's own words in eight languages: texts, plurals, numbers and dates."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from kgsite.errors import ThemeError

LANGUAGES = ("en", "de", "fr", "es", "nl", "it", "pt", "zh")
RTL = frozenset({"ar", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"})

_GROUPING = {"en": ",", "zh": ",", "de": ".", "es": ".", "it": ".", "nl": ".", "pt": ".", "fr": "\u202f"}
_POINT = {"en": ".", "zh": "."}


class Words:
    """Texts of one language; a key that the language lacks falls back to English."""

    def __init__(self, language: str, texts: Mapping[str, Any], fallback: Mapping[str, Any]) -> None:
        self.language = language
        self.texts: dict[str, Any] = {**fallback, **texts}
        self._counts: dict[tuple[str, int], str] = {}  # what has been said already: pages say the same again and again
        self._types: dict[str, str] = {}

    def t(self, key: str, **values: object) -> str:
        """The text of `key` with `{name}` places filled. Raises ThemeError for an unknown key."""
        text = self.texts.get(key)
        if not isinstance(text, str):
            raise self._unknown(key)
        for name, value in values.items():
            text = text.replace("{" + name + "}", str(value))
        return text

    def n(self, key: str, count: int, **values: object) -> str:
        """A count with its unit in the right plural: `n("entities", 1204)` → "1,204 entities".

        Plural rule: CLDR's, of which these languages need `one` and `other`.
        """
        if not values:
            said = self._counts.get((key, count))
            if said is None:
                said = self._counts[key, count] = self._counted(key, count)
            return said
        return self._counted(key, count, **values)

    def _counted(self, key: str, count: int, **values: object) -> str:
        forms = self.texts.get(key)
        if not isinstance(forms, Mapping):
            raise self._unknown(key)
        text = str(forms.get(self._category(count)) or forms["other"])
        for name, value in {"n": self.number(count), **values}.items():
            text = text.replace("{" + name + "}", str(value))
        return text

    def has(self, key: str) -> bool:
        return key in self.texts

    def number(self, value: float, digits: int = 0) -> str:
        """A number as the language groups it. Source: CLDR's decimal formats."""
        text = f"{value:,.{digits}f}"
        group, point = _GROUPING.get(self.language, ","), _POINT.get(self.language, ",")
        if self.language in ("es", "pt") and abs(value) < 10_000:
            group = ""  # four digits stand together in Spanish and European Portuguese
        return text.translate({ord(","): group, ord("."): point})

    def percent(self, part: int, whole: int) -> str:
        if not whole:
            return "–"
        share = self.number(100 * part / whole, 0 if part in (0, whole) else 1)
        return f"{share}%" if self.language in ("en", "zh", "it", "pt", "nl") else f"{share}\u00a0%"

    def size(self, count: int) -> str:
        """Bytes in decimal units."""
        for unit, factor in (("MB", 1_000_000), ("kB", 1_000)):
            if count >= factor:
                return f"{self.number(count / factor, 1 if count < 10 * factor else 0)} {unit}"
        return f"{self.number(count)} B"

    def date(self, iso: str) -> str:
        """A date of any precision in words; what is no ISO date is shown as it is."""
        parts = iso.split("T", maxsplit=1)[0].split("-")
        months = self.texts.get("months")
        if not isinstance(months, list) or not all(part.isdigit() for part in parts) or not 1 < len(parts) <= 3:
            return iso
        month = int(parts[1])
        if not 1 <= month <= 12:
            return iso
        key = "date.month" if len(parts) == 2 else "date.day"
        return self.t(key, y=parts[0], m=months[month - 1], d=int(parts[2]) if len(parts) == 3 else "")

    def type(self, name: str) -> str:
        """A type's label: translated where it is one of the usual types, else as the graph writes it."""
        label = self._types.get(name)
        if label is None:
            label = self._types[name] = self._labelled(name)
        return label

    def _labelled(self, name: str) -> str:
        key = f"type.{name.strip().lower()}"
        if key in self.texts:
            return self.t(key)
        label = " ".join(name.replace("_", " ").split())
        return (
            label[:1].upper() + label[1:] if label.islower() or (label.isupper() and len(label) > 4) else label or name
        )

    def _category(self, count: int) -> str:
        if self.language == "zh":
            return "other"
        if self.language in ("fr", "pt"):
            return "one" if count in (0, 1) else "other"
        return "one" if count == 1 else "other"

    def _unknown(self, key: str) -> ThemeError:
        near = difflib.get_close_matches(key, self.texts, 1)
        hint = f"did you mean {near[0]!r}?" if near else "i18n/en.toml lists the keys"
        return ThemeError(f"the theme's words have no {key!r}", hint=hint)
