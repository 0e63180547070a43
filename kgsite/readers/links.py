"""Which targets of links may be kept."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

_CONTROL = re.compile(r"[\x00-\x20\x7f-\x9f\u200b\u2028\u2029\ufeff]")
_SCHEME = re.compile(r"[^/?#]*?:", re.DOTALL)
_ALLOWED = ("http", "https", "mailto")
_LONGEST = 2000  # characters; longer ones are data, not addresses


def safe_href(href: str, base: str = "") -> str:
    """The target when it is http, https, mailto or relative, else "".

    `base` is the address of the page that holds the link: relative targets are resolved against it. Targets
    with control characters (browsers ignore those inside a scheme), with a back slash (read as a slash), or
    without a scheme but with a host (`//host/`) are refused.
    """
    href = href.strip()
    if not href or len(href) > _LONGEST or _CONTROL.search(href) or "\\" in href or "&#" in href:
        return ""
    if href.startswith("//") and not base:
        return ""
    try:
        target = urljoin(base, href) if base else href
        parts = urlsplit(target)
    except ValueError:
        return ""
    if parts.scheme:
        if parts.scheme.lower() not in _ALLOWED or (parts.scheme.lower() != "mailto" and not parts.netloc):
            return ""
        return "" if "@" in parts.netloc else target
    if target.startswith("//") or _SCHEME.match(target):
        return ""
    return target
