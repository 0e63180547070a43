"""Where the browser is: Debian's chromium, or what else this machine calls it."""

from __future__ import annotations

import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium_path() -> Path:
    """The first browser found; where there is none, the place at which Debian would have it."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    return Path(found) if found else Path("/usr/bin/chromium")
