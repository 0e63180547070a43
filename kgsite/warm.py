"""What one build may leave in memory for the next build of the same process (`kgsite serve`).

Nothing here decides what a site looks like: every entry is used only where its inputs are equal, so a build with a
memory and one without give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from kgsite.model import Collection, DocumentGraph
    from kgsite.site.records import Output
    from kgsite.site.views.context import SiteContext

T = TypeVar("T")
_DEEPEST = 4  # partials within partials


@dataclass
class Memory:
    """Graphs by hash of their bytes, the collection by what it was merged from, outputs by what they are made of."""

    graphs: dict[str, tuple[str, DocumentGraph]] = field(default_factory=dict)  # path → hash, graph
    merged: tuple[Any, ...] | None = None
    collection: Collection | None = None
    context: SiteContext | None = None
    context_key: Any = None
    outputs: dict[str, tuple[Any, bytes, Output]] = field(default_factory=dict)  # path → maker, shared, output


def same_maker(one: Any, other: Any, depth: int = 0) -> bool:
    """Whether two makers of a page or file give the same: partials of one function over the same or equal things.

    Big things (the collection, the context) count as the same only when they are the very same object.
    """
    if one is other:
        return True
    if not isinstance(one, partial) or not isinstance(other, partial) or depth > _DEEPEST:
        return False
    if one.func is not other.func or len(one.args) != len(other.args) or one.keywords.keys() != other.keywords.keys():
        return False
    pairs = [*zip(one.args, other.args, strict=True), *((one.keywords[k], other.keywords[k]) for k in one.keywords)]
    return all(_same(left, right, depth) for left, right in pairs)


def _same(left: Any, right: Any, depth: int) -> bool:
    if left is right:
        return True
    if isinstance(left, partial):
        return same_maker(left, right, depth + 1)
    return type(left) is type(right) and bool(left == right)


def remembered(slot: dict[str, tuple[str, T]], name: str, stamp: str, make: Callable[[], T]) -> T:
    """The thing kept under `name` when its stamp is the same, else a new one."""
    kept = slot.get(name)
    if kept is not None and kept[0] == stamp:
        return kept[1]
    made = make()
    slot[name] = (stamp, made)
    return made
