"""What of a model's reply is shown."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgsite.ask.citing import CITED, check

PIECES = st.sampled_from(
    [
        "Marie Curie", " discovered", " radium", "[1]", " [2]", "[3]", "[99]", "[1, 2]", "[1-3]", "【2】", "[0]", "[", "]",
        "(", ")", "<", ">", "!", "![x](https://evil.example/a.png)", "[text](http://evil.example)", "<img src=x>", "\n",
        "https://evil.example/?q=1", "www.evil.example", "//evil.example/x", "data:text/html,x", "javascript:alert(1)",
        "**", "# ", "`", " ", " and", ".", "\x1b[31m", "\u202e", "NOT IN THE GRAPH", "<think>no", "</think>", "\r\n", "é",
        "[a]: http://evil.example\n", "<a href='//evil.example'>", "[1](//evil.example)", "[[1]]", "[1][2]", "{1}", "\ud800",
    ]
)  # fmt: skip
REPLIES = st.lists(PIECES, max_size=40).map("".join)


# ── citations ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("reply", "text", "cited"),
    [
        ("Born in Warsaw [7].", "Born in Warsaw [1].", (7,)),
        ("A [7]. B [3][7].", "A [1]. B [2][1].", (7, 3)),
        ("A [3, 7] and [3; 9].", "A [1][2] and [1][3].", (3, 7, 9)),
        ("A [3-5].", "A [1][2][3].", (3, 4, 5)),
        ("A [facts 3 and 4].", "A [1][2].", (3, 4)),
        ("A [#3] B [^4] C [fact 5]", "A [1] B [2] C [3]", (3, 4, 5)),
        ("居里夫人生于华沙【2】。", "居里夫人生于华沙[1]。", (2,)),
        ("A [3][3].", "A [1][1].", (3,)),
        ("<think>maybe [9]?</think>A [2].", "A [1].", (2,)),
    ],
)
def test_citations_are_numbered_by_first_use(reply: str, text: str, cited: tuple[int, ...]) -> None:
    checked = check(reply, facts=10)
    assert (checked.text, checked.cited, checked.removed) == (text, cited, {})


@pytest.mark.parametrize(
    ("reply", "text", "gone"),
    [
        ("A [11].", "A.", 1),
        ("A [2][0] [99].", "A [1].", 2),
        ("A [2, 11, 12].", "A [1].", 2),
        ("In the year [1903] [2].", "In the year [1].", 1),
        ("A [9-12].", "A [1][2].", 2),
    ],
)
def test_citations_of_no_given_fact_are_taken_out_and_counted(reply: str, text: str, gone: int) -> None:
    checked = check(reply, facts=10)
    assert checked.text == text
    assert checked.removed == {"citations": gone}


@pytest.mark.parametrize(
    "reply", ["NOT IN THE GRAPH", "Not in the graph.", "**NOT IN THE GRAPH**\nThe facts [1] say …"]
)
def test_a_denial_is_no_answer(reply: str) -> None:
    checked = check(reply, facts=10)
    assert checked.denied
    assert checked.text == ""
    assert checked.cited == ()


# ── nothing that leads elsewhere ──────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("reply", "text", "removed"),
    [
        ("![a](https://e.example/x.png?q=s)A [1]", "A [1]", {"images": 1}),
        ("See [the page](https://e.example) [1]", "See the page [1]", {"links": 1}),
        ("See https://e.example/a?b=c. [1]", "See [address removed]. [1]", {"links": 1}),
        ("See www.e.example, //e.example/x [1]", "See [address removed], [address removed] [1]", {"links": 2}),
        ('<img src="https://e.example/x">A <b>b</b> [1]', "A b [1]", {"images": 1, "markup": 2}),
        ("[x]: https://e.example\nA [1]", "A [1]", {"links": 1}),
        ("javascript:alert(1) data:text/html;base64,xx [1]", "[address removed] [address removed] [1]", {"links": 2}),
        ("# A\n**b** `c` [1]", "A\nb c [1]", {}),
        ("3 < 4 and 5 > 2 [1]", "3 < 4 and 5 > 2 [1]", {}),
        ("\x1b[31mred\x07 \u202eback [1]", "[31mred back [1]", {}),
    ],
)
def test_markup_images_and_addresses_are_taken_out(reply: str, text: str, removed: dict[str, int]) -> None:
    checked = check(reply, facts=3)
    assert checked.text == text
    assert checked.removed == removed


def test_an_address_that_the_graph_names_stays_as_a_word() -> None:
    checked = check("Its site is https://apollo.example/a [1].", facts=1, known={"https://apollo.example/a"})
    assert checked.text == "Its site is apollo.example/a [1]."
    assert checked.removed == {}


@settings(max_examples=300, deadline=None)
@given(REPLIES)
def test_no_reply_gets_a_false_citation_an_image_or_a_foreign_address_through(reply: str) -> None:
    checked = check(reply, facts=3)
    assert len(set(checked.cited)) == len(checked.cited)
    assert set(checked.cited) <= {1, 2, 3}
    assert {int(n) for n in CITED.findall(checked.text)} <= set(range(1, len(checked.cited) + 1))
    low = checked.text.lower()
    assert not re.search(
        r"(?:[a-z]:/|//|www\.)\S*evil|!\[[^\]]*\]\(|<img|<a |javascript:\S|https?://\S|\x1b|\u202e", low
    )


@given(REPLIES, st.integers(0, 200))
def test_what_is_shown_while_a_reply_grows_cites_only_what_exists(reply: str, cut: int) -> None:
    checked = check(reply[:cut], facts=3, partial=True)
    assert set(checked.cited) <= {1, 2, 3}
    assert not re.search(r"!\[|https?://|<img|\[\d*$", checked.text)


def test_a_growing_reply_only_ever_gets_longer() -> None:
    reply = (
        "<think>The facts [3] say so.</think>Marie Curie [3, 12] was born in Warsaw [3], see [the page](https://e.example) or "
        "![x](https://e.example/x.png)\n- She **discovered** polonium [4][5] and [99] radium.\n- That is all [fact 3]."
    )
    whole = check(reply, facts=10).text
    before = ""
    for cut in range(len(reply) + 1):
        text = check(reply[:cut], facts=10, partial=True).text
        assert text.startswith(before), (before, text)
        assert whole.startswith(text.rstrip()), text
        before = text
    assert len(before) > 60


@pytest.mark.parametrize(
    "reply",
    ["ht<b></b>tps://e.example/x [1]", "ht**tps://e.example/x [1]", "ht[99]tps://e.example/x [1]", "!<b></b>[x](https://e.example) [1]",
     "<i<b>mg src=//e.example/x> [1]", "java<b>script:alert(1) [1]", "[x](ht[99]tps://e.example) [1]", "h`t`tps://e.example [1]"],
)  # fmt: skip
def test_what_is_taken_out_does_not_make_an_address_of_what_is_left(reply: str) -> None:
    text = check(reply, facts=3).text
    assert "e.example" not in text or not re.search(r"//|:/|www", text)
    assert "<img" not in text
    assert "javascript:a" not in text
    assert text.endswith("[1]")


def test_a_long_hostile_reply_is_cut_and_read_at_once() -> None:
    for pattern in ("[", "[1", "<", "![", "https://", " ", "[1,", "a:/", "\n[x", "**"):
        assert len(check(pattern * 50_000, facts=3).text) <= 20_000 * 2
