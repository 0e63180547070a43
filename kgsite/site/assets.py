"""Static files of the theme chain, fingerprinted; scripts bundled to one classic script an entry.

Third-party scripts of an entry are joined as they are, in the order of `vendor/vendor.toml`: one request instead of ten.
What scripts say is one more script, `js/ui-words.js`, made of the part `[ui]` of the theme's words: one file for all pages.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

from kgsite.errors import ThemeError
from kgsite.model import SitePath
from kgsite.site.escape import to_json
from kgsite.site.records import Asset
from kgsite.site.theme import Theme
from kgsite.site.words import Words

VENDOR_LIST = "vendor/vendor.toml"
WORDS = "js/ui-words.js"
_UI = "ui."
_NOT_PUBLISHED = (".md", ".toml", ".map")


def collect_assets(theme: Theme) -> tuple[Asset, ...]:
    """All static files, by name. Modules under js/ are published only as part of the entries that import them."""
    files = theme.files("static")
    entries = [f"js/{script}" for script in theme.scripts]
    assets: list[Asset] = []
    for name, file in files.items():
        if name.startswith("js/") or name.endswith(_NOT_PUBLISHED):
            continue
        assets.append(_asset(name, file.read_bytes()))
    for entry in entries:
        if entry not in files:
            raise ThemeError(f"theme.toml names the script {entry.removeprefix('js/')!r}, which static/js lacks")
        assets.append(_asset(entry, _bundle(entry, files)))
    assets.append(_asset(WORDS, script_words(theme.words)))
    if VENDOR_LIST in files:
        joined = vendor_script("explorer", lambda name: files[f"vendor/{name}"].read_bytes())
        assets.append(_asset("vendor/explorer.js", joined))
    return tuple(sorted(assets, key=lambda asset: asset.name))


def vendor_script(entry: str, read: Callable[[str], bytes]) -> bytes:
    """The third-party scripts that `vendor.toml` lists for an entry as one classic script; `read` gives a file by name."""
    listed = tomllib.loads(read("vendor.toml").decode("utf-8"))["script"]
    return b";\n".join(read(script["file"]).rstrip() for script in listed if entry in script["pages"]) + b"\n"


def script_words(words: Words) -> bytes:
    """The words of the scripts in the site's language, as a classic script."""
    texts = {key.removeprefix(_UI): text for key, text in words.texts.items() if key.startswith(_UI)}
    return b"window.kgsiteWords = " + to_json(texts) + b";\n"


def _bundle(entry: str, files: Mapping[str, Path]) -> bytes:
    """One classic script of an entry; a module may come from any layer, so a theme can replace one."""
    from kgsite.site.bundle import bundle

    folder = "js/"
    modules = {
        name.removeprefix(folder): file.read_text(encoding="utf-8")
        for name, file in files.items()
        if name.startswith(folder)
    }
    return bundle(entry.removeprefix(folder), modules).encode()


def _asset(name: str, data: bytes) -> Asset:
    path = PurePosixPath(name)
    digest = hashlib.sha256(data).hexdigest()[:10]
    target = path.with_name(f"{path.stem}.{digest}{path.suffix}")
    return Asset(name, SitePath(f"static/{target}"), data)
