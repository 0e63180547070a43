"""Where a text names its entities."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kgsite.collection.mentions import mentions
from kgsite.model import Collection, DocumentGraph


@pytest.mark.parametrize(
    ("entities", "text", "found"),
    [
        (
            ["Marie Curie / person", "Curie Institute / organization"],
            "Marie Curie at the Curie Institute.",
            ["Marie Curie", "Curie Institute"],
        ),
        (["Apollo", "Apollo program"], "The Apollo program, then Apollo.", ["Apollo program", "Apollo"]),
        (["art"], "Start the art of arts", ["art"]),
        (["steam engine", "Watt"], "Steam engine and steam\nengine, STEAM ENGINE", ["Steam engine", "steam\nengine"]),
        (["Ada", "Marie Curie / person / Curie"], "Curie and ada and Ada", ["Curie", "Ada"]),
        (["marie curie", "paris"], "Marie Curie in PARIS", ["Marie Curie", "PARIS"]),
        (["居里", "居里夫人"], "居里夫人发现了镭。居里", ["居里夫人", "居里"]),
        (["C++", "C"], "C++ is no C.", ["C++"]),
        (["Ann Lee / person / Lee", "Bo Lee / person / Lee"], "Lee met Ann Lee", ["Ann Lee"]),
        (["I", "The / concept", "42"], "I, The 42", []),
        (["Ünal"], "Über Ünal", ["Ünal"]),
        (["Москва", "Moscow"], "Москва, Москвабад", ["Москва"]),
        ([], "nothing", []),
    ],
)
def test_mentions(
    collect: Callable[..., Collection],
    doc: Callable[..., DocumentGraph],
    entities: list[str],
    text: str,
    found: list[str],
) -> None:
    graph = doc("a.md", entities, text=text)
    assert [text[one.start : one.end] for one in mentions(graph, collect(graph))] == found


def test_keys_lead_to_things(collect: Callable[..., Collection], doc: Callable[..., DocumentGraph]) -> None:
    graph = doc("a.md", ["Marie Curie / person / Maria"], text="Maria was Marie Curie.")
    assert {one.key for one in mentions(graph, collect(graph))} == {"marie curie"}
