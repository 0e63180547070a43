"""Synthetic graphs from benchmarks/make_graph.py."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def make_graph() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "make_graph.py"
    spec = importlib.util.spec_from_file_location("make_graph", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault("make_graph", module)
    spec.loader.exec_module(module)
    return module
