"""Source → Document: the readers' front door."""

from kgsite.readers.reading import read, version
from kgsite.readers.web import Fetched, Fetcher

__all__ = ["Fetched", "Fetcher", "read", "version"]
