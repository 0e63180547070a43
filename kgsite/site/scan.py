"""A last look at what is about to be published: no key, no path of the author's machine.

Text is compared as bytes; only files that changed are looked at, since the others passed before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kgsite.errors import PublishError

_KEYS = re.compile(
    rb"(?<![A-Za-z0-9_-])(?:"
    rb"sk-(?:proj-|ant-|or-|test-)?[A-Za-z0-9_-]{16,}"  # OpenAI, Anthropic, OpenRouter
    rb"|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}"
    rb"|AKIA[0-9A-Z]{16}|AIza[A-Za-z0-9_-]{30,}|hf_[A-Za-z0-9]{30,}|xox[abp]-[A-Za-z0-9-]{20,}"
    rb"|-----BEGIN (?:RSA |EC |OPENSSH )?PRIVATE KEY-----)"
)
_SECRET_NAMES = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)", re.IGNORECASE)
_SHORTEST_SECRET = 8
_SHORTEST_PATH = 8  # "/root" is a word of many texts; "/home/ada" is not


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that must not be published: in which file, and what kind of thing (never the thing itself)."""

    path: str
    what: str


def secrets_of(environ: Mapping[str, str], root: Path, home: Path) -> dict[str, bytes]:
    """What this machine must not give away: description → bytes to look for."""
    found = {
        f"the value of {name}": value.encode()
        for name, value in sorted(environ.items())
        if _SECRET_NAMES.search(name) and len(value) >= _SHORTEST_SECRET and not value.isdigit()
    }
    for what, path in (("the project's path", root), ("your home folder", home)):
        if len(str(path)) >= _SHORTEST_PATH:
            found[what] = str(path).encode()
    return found


def scan(files: Iterable[tuple[str, bytes]], secrets: Mapping[str, bytes]) -> Iterator[Finding]:
    """Findings in (path, bytes) pairs, in order."""
    for path, data in files:
        for what, secret in secrets.items():
            if secret in data:
                yield Finding(path, what)
        if _KEYS.search(data):
            yield Finding(path, "what looks like an API key")


def refuse(findings: list[Finding]) -> None:
    """Raise PublishError when there is any finding; nothing has been published then."""
    if findings:
        lines = "\n".join(f"    {finding.path}: {finding.what}" for finding in findings[:20])
        message = f"the site would give away a secret, so it is not published\n{lines}"
        raise PublishError(message, hint="take it out of the document, graph or site.toml that holds it")
