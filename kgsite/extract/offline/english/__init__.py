"""English documents on spaCy's parser: which things a text names and what it says about them."""

from kgsite.extract.offline.english.extractor import RULES_VERSION, EnglishExtractor

__all__ = ["RULES_VERSION", "EnglishExtractor"]
