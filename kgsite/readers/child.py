"""Reading in a child process with limits: a hostile file can kill the child, not the build.

Parent and child talk over pipes: the file's bytes go in, one JSON object comes out. The child is started as a
fresh interpreter with `-c`, so it works from any caller, with or without a `__main__` guard. It leaves nothing behind.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import kgsite
from kgsite.errors import ReadError

_START = "import sys; sys.path.append(sys.argv[1]); from importlib import import_module; import_module(sys.argv[2]).main(sys.argv[3])"
_QUIET_ENVIRONMENT = (
    "PATH",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
)  # no keys go in


@dataclass(frozen=True, slots=True)
class Limits:
    """What a child may use."""

    memory: int = 1536 << 20  # bytes of address space, the libraries included
    seconds: float = 120.0  # wall clock; half again for its processor time
    pages: int = 3_000
    characters: int = 40_000_000  # of text that comes back


def run_child(module: str, data: bytes, limits: Limits) -> dict[str, Any]:
    """The JSON object that `module.main` writes for these bytes.

    Raises ReadError with the child's own words, or when it died, took too long or wrote too much.
    """
    command = [
        sys.executable,
        "-I",
        "-X",
        "utf8",
        "-c",
        _START,
        str(Path(kgsite.__file__).parents[1]),
        module,
        json.dumps(asdict(limits)),
    ]
    environment = {key: os.environ[key] for key in _QUIET_ENVIRONMENT if key in os.environ}
    try:
        done = subprocess.run(
            command,
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=limits.seconds,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ReadError(f"reading took longer than {limits.seconds:g} seconds and was stopped") from error
    except OSError as error:
        raise ReadError("the process that reads it could not be started") from error
    if not done.stdout:
        raise ReadError(f"the process that reads it died (memory limit {limits.memory >> 20:,} MiB, or a damaged file)")
    try:
        answer = json.loads(done.stdout)
    except (ValueError, RecursionError) as error:
        raise ReadError("the process that reads it gave no usable answer") from error
    if not isinstance(answer, dict):
        raise ReadError("the process that reads it gave no usable answer")
    if "error" in answer:
        raise ReadError(str(answer["error"]), hint=str(answer.get("hint", "")))
    return answer


def serve(work: Callable[[bytes, Limits], Mapping[str, Any]], options: str) -> None:
    """The child's side: limits first, then read, work and answer. Nothing else reaches stdout."""
    limits = Limits(**json.loads(options))
    _confine(limits)
    out = os.dup(1)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)  # libraries print there
    try:
        answer: Mapping[str, Any] = work(sys.stdin.buffer.read(), limits)
    except ReadError as error:
        answer = {"error": error.message, "hint": error.hint}
    except MemoryError:
        answer = {"error": f"reading needs more than {limits.memory >> 20:,} MiB of memory"}
    except RecursionError:
        answer = {"error": "nested too deeply"}
    except Exception as error:  # whatever a library throws at a hostile file is the file's fault
        answer = {"error": f"damaged or not understood ({type(error).__name__})"}
    data = json.dumps(answer, ensure_ascii=True).encode()
    with os.fdopen(out, "wb") as stream:
        stream.write(data)


def _confine(limits: Limits) -> None:
    """Memory and processor limits where the system has them; no core file, no file written."""
    try:
        import resource
    except ImportError:  # Windows: the parent's clock is the only limit
        return
    seconds = int(limits.seconds * 1.5) + 1
    wanted = (
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    )
    for kind, limit in wanted:
        _, hard = resource.getrlimit(kind)
        ceiling = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        try:
            resource.setrlimit(kind, (ceiling, ceiling))
        except (ValueError, OSError):
            continue
