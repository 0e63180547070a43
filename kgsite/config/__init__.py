"""site.toml → Settings: every error at once, with file, line, column and a suggestion."""

from kgsite.config.load import ConfigProblemsError, Loaded, all_problems, describe, known_keys, load, table_name
from kgsite.config.settings import Settings

__all__ = ["ConfigProblemsError", "Loaded", "Settings", "all_problems", "describe", "known_keys", "load", "table_name"]
