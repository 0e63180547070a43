"""Mending a model reply without making anything up.

Cleaning takes away what stands around the JSON. A repair is believed only where a row of its result stands in the
reply letter by letter (`witnessed`): json_repair alone puts wrong facts into a quarter of damaged replies.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgsite.extract.replies import Shape

_THOUGHT = re.compile(
    r"<\s*(?P<close>/?)\s*(?:think(?:ing)?|thought|reasoning|reflection|scratchpad)\b[^<>]*>|\[(?P<bracket>/?)THINK\]",
    re.IGNORECASE,
)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]{0,80}(?:<\|constrain\|>[^<]{0,80})?<\|message\|>")
_SPECIAL = re.compile(
    r"<\|[a-zA-Z0-9_▁ ]{1,40}\|>|<｜[^<>｜]{1,40}｜>|</?s>|\[/?INST\]|<(?:start|end)_of_turn>|<eos>|<bos>"
)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*[\w+-]*[ \t]*$\n?", re.MULTILINE)
_OPENING_FENCE = re.compile(r"(?:```|~~~)[ \t]*(?:json5?|javascript)?", re.IGNORECASE)
_SMART = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"'})
_SMART_EDGE = re.compile(r"(?<=[{\[,:])(\s*)[“”„]|[“”](?=\s*[:,}\]])")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BAD_ESCAPE = re.compile(r'\\(?:[^"\\/bfnrtu]|u(?![0-9a-fA-F]{4}))')
_STRUCTURE_INSIDE = re.compile(r"""["”]\s*[,:}\]]|[{\[,:]\s*["“]""")
_MAX_REPAIR = 400_000
_QUOTE = "[\"'“”„‘’]"


def without_wrapping(text: str) -> str:
    """The reply without think blocks, other channels, fences and special tokens; "" when only reasoning was there."""
    text = _SPECIAL.sub("", _answer_channel(_without_thoughts(text)))
    text = _FENCE.sub("", text).strip()
    opening = _OPENING_FENCE.match(text)
    text = text[opening.end() :] if opening else text
    return text.removesuffix("```").removesuffix("~~~").strip()


def _without_thoughts(text: str) -> str:
    kept: list[str] = []
    depth = after = 0
    for tag in _THOUGHT.finditer(text):
        closing = bool(tag["close"] or tag["bracket"])
        if not closing:
            if depth == 0:
                kept.append(text[after : tag.start()])
            depth += 1
            continue
        if depth == 0:  # the opening tag stood in the prompt: all before was thought
            kept.clear()
        depth = max(depth - 1, 0)
        after = tag.end()
    return "".join(kept) + ("" if depth else text[after:])


def _answer_channel(text: str) -> str:
    """What harmony calls the final channel; text before its first channel is kept when there is no final one."""
    found = list(_CHANNEL.finditer(text))
    if not found:
        return text
    for index, channel in reversed(list(enumerate(found))):
        if channel[1] == "final":
            end = found[index + 1].start() if index + 1 < len(found) else len(text)
            return text[channel.end() : end]
    return text[: found[0].start()]


def brackets(text: str) -> tuple[int, bool]:
    """(deepest nesting, whether all brackets outside strings are closed in order)."""
    stack: list[str] = []
    deepest = 0
    balanced = True
    for match in re.finditer(r'"(?:[^"\\]|\\.)*(?:"|$)|[{}\[\]]', text, re.DOTALL):
        piece = match.group()
        if piece in ("{", "["):
            stack.append("}" if piece == "{" else "]")
            deepest = max(deepest, len(stack))
        elif piece in ("}", "]"):
            if stack and stack[-1] == piece:
                stack.pop()
            else:
                balanced = False
        elif len(piece) < 2 or not piece.endswith('"'):
            balanced = False
    return deepest, balanced and not stack


def repaired(text: str) -> Any:
    """The value that a damaged reply most likely meant, or None. Its content is to be checked with `witnessed`."""
    from kgsite.extract.replies import decode

    if len(text) > _MAX_REPAIR:
        return None
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    end = max(text.rfind("}"), text.rfind("]")) + 1
    if start < 0 or end <= start:
        return None
    body = text[start:end]
    straight = _SMART_EDGE.sub(lambda found: found.group().translate(_SMART), body)
    for candidate in dict.fromkeys((_kept_backslashes(body), _kept_backslashes(straight))):
        try:
            return decode(candidate)
        except ValueError:
            continue
    if _BAD_ESCAPE.search(body):
        return None
    try:
        return ast.literal_eval(body)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return _by_library(body)


def _kept_backslashes(text: str) -> str:
    """Strings with an escape that JSON does not know were not escaped at all: their backslashes are meant."""

    def keep(match: re.Match[str]) -> str:
        token = match.group()
        return re.sub(r'\\(?!")', r"\\\\", token) if _BAD_ESCAPE.search(token) else token

    return _TOKEN.sub(keep, text)


def _by_library(text: str) -> Any:
    import json_repair

    try:
        value = json_repair.loads(text)
    except Exception:  # whatever the library trips over, the reply is simply not repaired
        return None
    return value if isinstance(value, (dict, list)) and value else None


# ── witnesses ─────────────────────────────────────────────────────────────────────────────────────
def witnessed(text: str, value: Mapping[str, Any], shape: Shape) -> tuple[dict[str, Any], int]:
    """(what of a repaired answer stands in the text as it is, number of rows that do not).

    A row counts when its keys and values follow one another in the text, in one pair of brackets.
    """
    kept: dict[str, Any] = {}
    lost = 0
    for key in shape.keys:
        if key not in value:
            continue
        found = value[key]
        if key not in shape.lists:
            if _stands(text, f"{_key(key)}{_pattern(found)}(?=\\s*[,}}])"):
                kept[key] = found
            continue
        rows = [row for row in found or [] if _stands(text, _pattern(row) + r"(?=\s*[,\]])")]
        lost += len(found or []) - len(rows)
        kept[key] = rows
    return kept, lost


def _stands(text: str, pattern: str) -> bool:
    return "\0" not in pattern and re.search(pattern, text) is not None


def _key(key: str) -> str:
    return rf"{_QUOTE}?{re.escape(key)}{_QUOTE}?\s*:\s*"


def _pattern(value: Any) -> str:
    """A regular expression for a value as a reply may write it; it holds NUL when there is no way to be sure."""
    if isinstance(value, str):
        return "\0" if _STRUCTURE_INSIDE.search(value) else _QUOTE + "".join(map(_character, value)) + _QUOTE
    if value is None or isinstance(value, bool):
        return r"(?:null|None|nil|NaN|-?Infinity)" if value is None else (r"[tT]rue" if value else r"[fF]alse")
    if isinstance(value, int):
        return re.escape(str(value))
    if isinstance(value, float):
        return r"[-+\d.eE]+"
    end = r"\s*(?:,\s*)?"
    if isinstance(value, dict):
        parts = r"\s*,\s*".join(_key(str(key)) + _pattern(item) for key, item in value.items())
        return rf"\{{\s*{parts}{end}\}}"
    if isinstance(value, (list, tuple)):
        return r"\[\s*" + r"\s*,\s*".join(map(_pattern, value)) + end + r"\]"
    return "\0"


_SPECIAL_CHARACTERS = {
    "\n": r"(?:\r?\n|\\n)",
    "\t": r"(?:\t|\\t)",
    '"': r"\\?[\"]",
    "'": r"\\?'",
    "\\": r"\\(?:\\)?",
    "/": r"\\?/",
    "\0": "\0",
}


def _character(character: str) -> str:
    if character in _SPECIAL_CHARACTERS:
        return _SPECIAL_CHARACTERS[character]
    if character.isascii():
        return re.escape(character)
    code = ord(character)
    if code > 0xFFFF:
        high, low = 0xD800 + ((code - 0x10000) >> 10), 0xDC00 + ((code - 0x10000) & 0x3FF)
        return rf"(?:{character}|(?i:\\u{high:04x}\\u{low:04x}))"
    return rf"(?:{re.escape(character)}|(?i:\\u{code:04x}))"
