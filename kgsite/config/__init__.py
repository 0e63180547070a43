"""site.toml → Settings: every error at once, with file, line, column and a suggestion."""

from kgsite.config.settings import Settings

__all__ = ["Settings"]
