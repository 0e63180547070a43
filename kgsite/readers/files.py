"""Opening a file that somebody else put there: only regular ones, never through a link, never waiting."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from kgsite.errors import ReadError

MIB = 1 << 20
LIMITS = {
    "text": 32 * MIB,
    "markdown": 32 * MIB,
    "rst": 4 * MIB,
    "html": 32 * MIB,
    "pdf": 256 * MIB,
    "docx": 64 * MIB,
    "web": MIB,
    "graph": 512 * MIB,
}
"""Most bytes of a source, by kind."""

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def read_bytes(file: Path, limit: int) -> bytes:
    """All bytes of a regular file. Raises ReadError: not regular, a link, too large, not readable."""
    try:
        descriptor = os.open(file, _FLAGS)
    except OSError as error:
        raise ReadError(f"can't be opened: {reason(error)}") from error
    with os.fdopen(descriptor, "rb") as opened:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise ReadError("not a regular file")
        if found.st_size > limit:
            raise ReadError(too_large(found.st_size, limit))
        try:
            data = opened.read(limit + 1)
        except OSError as error:
            raise ReadError(f"can't be read: {reason(error)}") from error
    if len(data) > limit:
        raise ReadError(too_large(len(data), limit))
    return data


def too_large(size: int, limit: int) -> str:
    """The sentence for a file over its limit (both in bytes)."""
    return f"too large: {size / MIB:,.1f} MiB (at most {limit // MIB:,} MiB)"


def reason(error: OSError) -> str:
    """The system's words without the path, which may be anybody's."""
    return (error.strerror or type(error).__name__).lower()
