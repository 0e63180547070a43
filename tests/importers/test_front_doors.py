"""`kgsite.api.load_graph`, the light front door, and names in title case."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kgsite.api import load_graph
from kgsite.collection import Permalinks, merge
from kgsite.collection.casing import title_case
from kgsite.config.settings import Settings, VisualizationSettings
from kgsite.errors import ImportGraphError
from kgsite.graphfile import dump


@pytest.mark.parametrize(
    "name",
    ["knwler/lumen.v1.1.json", "triples/marie-curie.json", "graphrag-dulce", "cases/d3-index.json", "cases/jsonl.json"],
)
def test_load_graph(name: str, data: Path, load) -> None:
    found = load_graph(data / name)
    expected = load(data / name)
    assert (found.entities, found.relations, found.text) == (expected.entities, expected.relations, expected.text)


def test_load_graph_of_a_stored_one(data: Path, load, tmp_path: Path) -> None:
    graph = load(data / "triples/marie-curie.json")
    (tmp_path / "stored.json").write_bytes(dump(graph))
    assert load_graph(tmp_path / "stored.json") == graph


@pytest.mark.parametrize("text", ['{"kgsite": 1, "x": 2}', "{", '{"dependencies": {}}'])
def test_load_graph_refuses(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ImportGraphError):
        load_graph(tmp_path / "x.json")


def test_a_graph_about_kgsite_is_not_taken_for_one_of_it(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"entities": [{"name": "kgsite", "kgsite": "yes"}]}')
    assert load_graph(tmp_path / "x.json").entities[0].name == "kgsite"


def test_the_front_door_is_light() -> None:
    heavy = "json, orjson, numpy, networkx, pyarrow, xml.etree, kgsite.model"
    code = f"import kgsite.importers, sys; print([m for m in '{heavy}'.split(', ') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("marie curie", "Marie Curie"),
        ("radium institute in paris", "Radium Institute in Paris"),
        ("irène joliot-curie", "Irène Joliot-Curie"),
        ("the moon", "The Moon"),
        ("women's rights", "Women's Rights"),
        ("1990s", "1990s"),
        ("élan", "Élan"),
        ("petites Curies", "petites Curies"),
        ("C", "C"),
        ("放射能", "放射能"),
    ],
)
def test_title_case(name: str, shown: str) -> None:
    assert title_case(name, "en") == shown


@pytest.mark.parametrize(
    ("setting", "file", "name"),
    [
        ("auto", "triples/marie-curie.json", "Boarding School"),
        (False, "triples/marie-curie.json", "boarding school"),
        ("auto", "cases/proto-names.json", "constructor"),
        (True, "cases/proto-names.json", "Constructor"),
        ("auto", "cases/triples.json", "a"),
    ],
)
def test_names_that_the_source_lower_cased(setting: bool | str, file: str, name: str, data: Path, load) -> None:
    settings = replace(Settings(root=data), visualization=VisualizationSettings(title_case=setting))
    found = merge([load(data / file)], settings=settings, permalinks=Permalinks())
    assert name in {entity.name for entity in found.entities}
