"""Predicates as sentences."""

from __future__ import annotations

import pytest

from kgsite.site.phrasing import spoken
from tests.site.collections import Text, collection_of
from tests.site.sites import BuiltSite


@pytest.mark.parametrize(
    ("predicate", "subject", "said"),
    [
        ("receive", "Marie Curie", "receives"),
        ("study at", "Marie Curie", "studies at"),
        ("not have", "risk", "does not have"),
        ("not have", "risks", "do not have"),
        ("include", "AI risks", "include"),
        ("include", "United States", "includes"),
        ("meet", "Ada and Ben", "meet"),
        ("consist of", "water", "consists of"),
        ("head of", "Ada", "head of"),
        ("result of", "work", "result of"),
        ("improvise", "Gene Kranz", "improvises"),
        ("exempt from", "firm", "exempt from"),
        ("present in", "risk", "present in"),
        ("present", "Ada", "presents"),
        ("set in", "novel", "set in"),
        ("awarded to", "medal", "awarded to"),
        ("is a", "cat", "is a"),
        ("in", "Ada", "in"),
        ("", "Ada", ""),
        ("WORKS AT", "Ada", "WORKS AT"),
    ],
)
def test_a_verb_agrees_with_its_subject(predicate: str, subject: str, said: str) -> None:
    assert spoken(predicate, subject, "en") == said


def test_other_languages_stay_as_they_are(site: BuiltSite) -> None:
    texts = [
        Text("a.txt", "A", "Ada met Ben.", (("Ada", "meet", "Ben"),)),
        Text("b.txt", "B", "Ada traf Cem.", (("Ada", "lead", "Cem"),), language="de"),
    ]
    site.build(collection_of(texts))
    page = site.html("entities/ada/index.html")
    assert '<span class="pred" dir="auto">meets</span>' in page
    assert '<span class="pred" dir="auto">lead</span>' in page
    assert '"predicate":"meet"' in site.html("entities/ada/index.json").replace(": ", ":")
