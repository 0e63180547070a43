"""The files of .kgsite/layout: the same bytes for the same layout, and damage is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgsite.collection.layout import dump_layout, load_layout
from kgsite.model import Layout

LAYOUT = Layout(("b", 'a "x"\n</script>', "ü\ud800"), (1, -32767, 3), (0, 5, 32767), 57, "d1g")


def test_the_file_is_one_node_a_line_by_key() -> None:
    assert dump_layout(LAYOUT) == (
        b'{"format": 1, "digest": "d1g", "unit": 57, "nodes": {\n'
        b'"a \\"x\\"\\n</script>": [-32767, 5],\n"b": [1, 0],\n"\\u00fc\\ud800": [3, 32767]\n}}\n'
    )


def test_a_layout_comes_back_by_key() -> None:
    found = load_layout(dump_layout(LAYOUT))
    assert found == Layout(('a "x"\n</script>', "b", "ü\ud800"), (-32767, 1, 3), (5, 0, 32767), 57, "d1g")
    assert dump_layout(found) == dump_layout(LAYOUT)
    assert load_layout(dump_layout(Layout((), (), ()))) == Layout((), (), ())


def test_a_file_cut_anywhere_is_damaged() -> None:
    whole = dump_layout(LAYOUT)
    for length in range(len(whole) - 1):  # the last byte is only the line end
        with pytest.raises(ValueError, match=r".+"):
            load_layout(whole[:length])


@pytest.mark.parametrize(
    "data",
    [b"[]", b"null", b"\xff", b"[" * 100_000, b'{"format": 2, "digest": "", "unit": 1, "nodes": {}}']
    + [b'{"format": 1, "digest": "", "unit": %s, "nodes": {"a": %s}}' % pair for pair in [(b"1", b"[1]"), (b"1", b"[1, 2.5]"), (b"1", b"[1, 40000]"), (b"-1", b"[1, 2]"), (b"true", b"[1, 2]"), (b"1", b"[true, 2]"), (b"1", b"3")]],
)  # fmt: skip
def test_what_is_no_layout_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        load_layout(data)


@given(st.binary(max_size=60))
def test_random_bytes_never_do_anything_else(data: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        load_layout(data)
