from __future__ import annotations

from pathlib import Path

import pytest

from tests.site.sites import BuiltSite


@pytest.fixture
def site(tmp_path: Path) -> BuiltSite:
    """An empty project that builds to `_site`."""
    return BuiltSite(tmp_path / "project")
