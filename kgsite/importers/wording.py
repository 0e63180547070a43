"""Every repair and loss of an import, in words: the label that is counted and the sentence that is told."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

_ORDER = count()


@dataclass(frozen=True, slots=True, eq=False)
class Reason:
    """`one` and `many` are whole sentences; {n} is the count and examples are added in brackets."""

    label: str
    one: str
    many: str
    named: int = 0  # most examples that are named
    order: int = -1

    def sentence(self, n: int, examples: list[str]) -> str:
        said = self.one if n == 1 else self.many.format(n=f"{n:,}")
        more = ", …" if n > len(examples) >= self.named else ""
        return f"{said} ({', '.join(examples)}{more})." if examples else f"{said}."


def _reason(label: str, one: str, many: str, *, named: int = 0) -> Reason:
    return Reason(label, one, many, named, next(_ORDER))


UNDESCRIBED = _reason(
    "relations that name an entity which the file does not describe (kept)",
    "1 relation names an entity that the file does not describe",
    "{n} relations name an entity that the file does not describe",
)
ADDED = _reason(
    "names that only relations use (added as entities)",
    "1 name that only relations use was added as an entity",
    "{n} names that only relations use were added as entities",
    named=3,
)
NAMELESS = _reason(
    "entities without a name (left out)",
    "1 entity without a name was left out",
    "{n} entities without a name were left out",
    named=10,
)
ENDLESS = _reason(
    "relations without a source or target (left out)",
    "1 relation without a source or a target was left out",
    "{n} relations without a source or a target were left out",
    named=10,
)
OUT_OF_RANGE = _reason(
    "relations that point to a row which is not there (left out)",
    "1 relation points to a row that is not there and was left out",
    "{n} relations point to rows that are not there and were left out",
    named=10,
)
ODD_ROWS = _reason(
    "rows that are neither an entity nor a relation (left out)",
    "1 row is neither an entity nor a relation and was left out",
    "{n} rows are neither an entity nor a relation and were left out",
    named=10,
)
SHORT_ROWS = _reason(
    "triples with fewer than three parts (left out)",
    "1 triple has fewer than three parts and was left out",
    "{n} triples have fewer than three parts and were left out",
    named=10,
)
LONG_ROWS = _reason(
    "triples with more than three parts (the first three kept)",
    "1 triple has more than three parts, of which the first three were kept",
    "{n} triples have more than three parts, of which the first three were kept",
    named=10,
)
NESTED = _reason(
    "rows in lists inside the list (taken out of them)",
    "1 row stood in a list inside the list",
    "{n} rows stood in lists inside the list",
)
UNITED = _reason(
    "entities that differ only in case or spaces (united)",
    "1 entity that differs from another one only in case or spaces was united with it",
    "{n} entities that differ from others only in case or spaces were united with them",
    named=5,
)
REPEATED = _reason(
    "repeated relations (united)",
    "1 relation repeats another one and was united with it",
    "{n} relations repeat others and were united with them",
)
SHARED_IDS = _reason(
    "ids that several entities have",
    "1 entity has the id of another one; relations by that id go to the first",
    "{n} entities have the id of another one; relations by that id go to the first",
    named=5,
)
SEVERAL_TYPES = _reason(
    "names under several types (kept apart in the data)",
    "1 name stands in the file under several types",
    "{n} names stand in the file under several types",
    named=3,
)
UNDECLARED = _reason(
    "types that the file's schema does not declare (kept)",
    "1 type is used that the schema of the file does not declare",
    "{n} types are used that the schema of the file does not declare",
    named=5,
)
LOOPS = _reason(
    "relations of an entity to itself (in the data, not drawn)",
    "1 relation goes from an entity to itself: it is kept in the data and not drawn",
    "{n} relations go from an entity to itself: they are kept in the data and not drawn",
)
MEMBERS = _reason(
    "members of communities that are no entity (left out)",
    "1 member of a community is no entity of the file and was left out",
    "{n} members of communities are no entities of the file and were left out",
)
UNMATCHED_GROUPS = _reason(
    "communities whose members are no entities (left out)",
    "1 community has no member among the entities and was left out",
    "{n} communities have no member among the entities and were left out",
    named=5,
)
PASSAGES_TWICE = _reason(
    "passages that the file holds twice (kept once)",
    "1 passage stands in the file twice and was kept once",
    "{n} passages stand in the file twice and were kept once",
)
UNKNOWN_PASSAGES = _reason(
    "references to passages that are not in the file (left out)",
    "1 reference to a passage that is not in the file was left out",
    "{n} references to passages that are not in the file were left out",
)
NOT_VERIFIED = _reason(
    "quotes that are not in the text (kept as unverified)",
    "1 quote does not occur in the text and is marked as unverified",
    "{n} quotes do not occur in the text and are marked as unverified",
)
LOCATED = _reason(
    "relations without a quote (a sentence that names both ends was found)",
    "1 relation came without a quote: it was given the sentence of its passage that names both ends",
    "{n} relations came without a quote: they were given the sentence of their passage that names both ends",
)
STRENGTHS = _reason(
    "strengths outside 1 to 10 (set to the nearest)",
    "1 strength lies outside 1 to 10 and was set to the nearest",
    "{n} strengths lie outside 1 to 10 and were set to the nearest",
)
CONTROLS = _reason(
    "names and types with characters that can't be shown (cleaned)",
    "1 name or type held characters that can't be shown, which were removed or replaced",
    "{n} names and types held characters that can't be shown, which were removed or replaced",
)
PATHS = _reason(
    "paths of somebody's machine (shortened or left out)",
    "1 path of somebody's machine was shortened or left out",
    "{n} paths of somebody's machine were shortened or left out",
)
SECRETS = _reason(
    "values that look secret (left out)",
    "1 value that looks secret was left out",
    "{n} values that look secret were left out",
    named=5,
)
NUMBERS = _reason(
    "numbers that no reader can hold (left out)",
    "1 value is not a number that can be held (NaN, infinite or with hundreds of digits) and was left out",
    "{n} values are not numbers that can be held (NaN, infinite or with hundreds of digits) and were left out",
)
KEYS = _reason(
    "keys that an object of the file has twice",
    "1 key stands twice in an object of the file: lists were joined, of other values the last was taken",
    "{n} keys stand twice in an object of the file: lists were joined, of other values the last was taken",
    named=5,
)
ENCODING = _reason(
    "files in another encoding, or with bytes that are no text (read all the same)",
    "The file is not plain UTF-8",
    "The file is not plain UTF-8",
    named=3,
)
BLOCKS = _reason(
    "parts of the file that are no graph (not published)",
    "1 part of the file is not known as part of a graph and is not published",
    "{n} parts of the file are not known as parts of a graph and are not published",
    named=8,
)
VALUES = _reason(
    "values of rows that kgsite has no field for (left out)",
    "1 value was left out because kgsite has no field for it",
    "{n} values were left out because kgsite has no field for them",
    named=8,
)
SIDECAR = _reason(
    "sidecars that can't be read",
    "A sidecar can't be read and was left out",
    "{n} sidecars can't be read and were left out",
    named=3,
)
SEVERAL_DOCUMENTS = _reason(
    "further documents in the same file (shown as one)",
    "The file holds 2 documents; they are shown as one, each under its own heading",
    "The file holds several documents ({n} beside the first); they are shown as one, each under its own heading",
)
EMPTY = _reason("files without entities", "The file holds no entities", "The files hold no entities")
NO_TEXT = _reason(
    "quotes that can't be checked (the file holds no text)",
    "1 quote can't be checked because the text is not there",
    "{n} quotes can't be checked because the text is not there",
)
