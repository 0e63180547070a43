"""Document graphs → collection: what the whole site shows."""

from __future__ import annotations

from kgsite.collection.lasting import CommunityMemory
from kgsite.collection.merge import merge
from kgsite.collection.permalinks import Permalinks

__all__ = ["CommunityMemory", "Permalinks", "merge"]
