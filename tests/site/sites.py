"""A site built in a temporary folder, and what can be asked about it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from kgsite.config.settings import Settings, SiteSettings
from kgsite.model import Collection, Document
from kgsite.site import (
    PublishReport,
    build_info,
    check_output,
    load_manifest,
    load_theme,
    plan,
    publish,
    render,
)


class BuiltSite:
    """Builds a collection into `<root>/_site`, keeping the manifest between builds."""

    def __init__(self, root: Path, **site: object) -> None:
        self.root = root
        self.output = root / "_site"
        self.manifest_file = root / ".kgsite" / "cache" / "manifest.json"
        self.settings = Settings(root=root, site=SiteSettings(**{"title": "Small site", **site}))  # type: ignore[arg-type]

    def build(
        self,
        collection: Collection,
        *,
        jobs: int = 1,
        landing: Document | None = None,
        sections: Mapping[str, Document] | None = None,
    ) -> PublishReport:
        theme = load_theme(self.settings)
        made = plan(
            collection,
            self.settings,
            landing=landing,
            sections=sections or {},
            theme=theme,
            build_info=build_info(collection),
        )
        manifest = load_manifest(self.manifest_file)
        check_output(self.settings, self.output, self.manifest_file)
        rendered = render(made, theme, manifest, output=self.output, jobs=jobs)
        return publish(rendered, settings=self.settings, output=self.output, manifest_file=self.manifest_file)

    def with_theme(self, **options: object) -> None:
        self.settings = replace(self.settings, theme=options)

    def tree(self) -> dict[str, str]:
        """Path → hash of every file of the output."""
        return {
            file.relative_to(self.output).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
            for file in sorted(self.output.rglob("*"))
            if file.is_file()
        }

    def times(self) -> dict[str, int]:
        return {path: (self.output / path).stat().st_mtime_ns for path in self.tree()}

    def html(self, path: str) -> str:
        return (self.output / path).read_text(encoding="utf-8")

    def page(self, path: str) -> PageReader:
        return PageReader(self.html(path))

    def pages(self) -> list[str]:
        return [path for path in self.tree() if path.endswith(".html")]


class PageReader(HTMLParser):
    """Links, ids, texts of elements and data islands of a page."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[tuple[str, str, str]] = []  # (tag, attribute, value)
        self.ids: list[str] = []
        self.metas: list[dict[str, str]] = []
        self.first_in_head: tuple[str, dict[str, str]] | None = None
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.islands: dict[str, str] = {}
        self.inline_scripts = 0
        self._texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self._head = False
        self._island: str | None = None
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.tags.append((tag, attributes))
        if self._head and self.first_in_head is None:
            self.first_in_head = (tag, attributes)
        self._head = self._head or tag == "head"
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "meta":
            self.metas.append(attributes)
        for name in ("href", "src", "action", "data-graph"):
            if name in attributes:
                self.links.append((tag, name, attributes[name]))
        if tag == "script" and "src" not in attributes:
            if attributes.get("type", "") in ("application/json", "application/ld+json"):
                self._island = attributes.get("id", attributes["type"])
                self.islands[self._island] = ""
            else:
                self.inline_scripts += 1
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._island = None
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._island is not None:
            self.islands[self._island] += data
            return
        self.text += data
        for tag in set(self._open):
            self._texts.setdefault(tag, []).append(data)

    def texts(self, tag: str) -> str:
        return "".join(self._texts.get(tag, ()))


def broken_links(site: BuiltSite) -> list[str]:
    """Internal links and anchors that lead nowhere, as `page → link`, seen from disk."""
    files = set(site.tree())
    ids: dict[str, set[str]] = {}
    readers = {path: site.page(path) for path in site.pages()}
    for path, reader in readers.items():
        ids[path] = set(reader.ids)
    broken: list[str] = []
    for path, reader in readers.items():
        for tag, name, value in reader.links:
            if name == "data-graph" or path == "404.html" or urlsplit(value).scheme or value.startswith("//"):
                continue
            if tag == "link" and value.endswith("data.json"):
                continue
            target = urlsplit(urljoin(f"http://x/{path}", value))
            file = unquote(target.path).lstrip("/")
            if file not in files:
                broken.append(f"{path} → {value}")
            elif not file.endswith(".html") or "=" in target.fragment:
                continue  # a download, or the state of an explorer
            elif target.fragment and unquote(target.fragment) not in ids[file]:
                broken.append(f"{path} → {value}")
    return broken
