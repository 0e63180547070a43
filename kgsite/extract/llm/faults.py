"""What a server's answer means: status, body code, choices and finish_reason, judged in one place.

Order matters: an error body wins over HTTP 200, and `finish_reason = "length"` is looked at before emptiness, which
is looked at before JSON. A reply that was cut for length is otherwise taken for an empty or broken one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Literal

Kind = Literal[
    "rate", "server", "timeout", "reset", "empty", "page",  # worth another try
    "quota", "auth", "model", "connect", "dns", "tls", "redirect", "wait", "down",  # the endpoint can't be used now
    "context", "param", "bad_request", "filter", "refusal", "length", "too_big", "unreadable",  # this request
]  # fmt: skip
RETRIED: frozenset[Kind] = frozenset({"rate", "server", "timeout", "reset", "empty", "page"})
FATAL: frozenset[Kind] = frozenset({"quota", "auth", "model", "connect", "dns", "tls", "redirect", "wait", "down"})
MISCONFIGURED: frozenset[Kind] = frozenset({"auth", "model", "redirect", "tls"})

_CONTEXT = re.compile(
    r"context[_ ]length|context window|context size|maximum context|exceed[a-z_ ]*context|prompt is too long|input is too long"
    r"|too many (?:input )?tokens|token limit",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient[_ ](?:quota|credits?|balance|funds)|billing[_ ](?:hard[_ ])?limit|out of credits|payment required",
    re.IGNORECASE,
)
_FORMAT = re.compile(
    r"response_format|json_schema|json_object|structured output|guided|grammar|json mode", re.IGNORECASE
)
_LENGTHS = {"length", "max_tokens", "max_output_tokens", "model_length"}
_FILTERS = {"content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii", "image_safety"}


class Fault(Exception):  # noqa: N818 - a result, turned into a chunk's note or a KgsiteError before anybody sees it
    """Why a request gave no usable reply."""

    def __init__(
        self,
        kind: Kind,
        message: str,
        *,
        retry_after: float | None = None,
        parameter: str = "",
        limit: int = 0,
        raw: str = "",
        usage: tuple[int, int] = (0, 0),
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.retry_after = retry_after  # seconds
        self.parameter = parameter  # kind "param": what was refused
        self.limit = limit  # kind "param": the most that max_tokens may be, when the server told
        self.raw = raw  # what the server sent, for the record
        self.usage = usage  # prompt and completion tokens, when it was paid for all the same


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply with content."""

    content: str
    finish: str  # lower case; "" when the server gave none
    served: str  # the model that the server names
    prompt_tokens: int | None  # None = the server reports no usage
    completion_tokens: int | None
    reasoning_chars: int = 0

    @property
    def cut(self) -> bool:
        return self.finish in _LENGTHS


def classify(status: int, headers: Mapping[str, str], body: bytes, *, now: float) -> Answer:
    """The answer in a response. `now` is the wall clock (seconds) for Retry-After dates. Raises Fault otherwise."""
    text = body.decode("utf-8", "replace")
    try:
        value = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        value = None
    if 300 <= status < 400:
        raise Fault(
            "redirect",
            "the endpoint answers with a redirect, which is not followed so that the key stays where it belongs",
        )
    if isinstance(value, list) and value and isinstance(value[0], dict) and "error" in value[0]:
        value = value[0]
    error = value.get("error") if isinstance(value, dict) else None
    if status >= 400 or error:
        raise _error(status, headers, error or value, text, now)
    if not isinstance(value, dict):
        raise Fault("page", "the endpoint sent a page instead of JSON", raw=text)
    return _answer(value, text)


# ── errors ────────────────────────────────────────────────────────────────────────────────────────
def _error(status: int, headers: Mapping[str, str], error: Any, text: str, now: float) -> Fault:
    fields = error if isinstance(error, dict) else {}
    code = str(fields.get("code") or "")
    kind = str(fields.get("type") or "")
    message = str(
        fields.get("message") or fields.get("detail") or (error if isinstance(error, str) else "") or _plain(text)
    )[:600]
    if status < 400:  # an error body behind HTTP 200
        status = next(
            (int(part) for part in (code, str(fields.get("status") or "")) if re.fullmatch(r"[45]\d\d", part)), 500
        )
    return _by_status(status, code, kind, message, text, retry_after(headers, text, now))


def _by_status(status: int, code: str, kind: str, message: str, text: str, wait: float | None) -> Fault:
    words = f"{code} {kind} {message}"
    said = f"HTTP {status}: {message}" if message else f"HTTP {status}"
    if status == 402 or "insufficient_quota" in (code, kind) or (status in (403, 429) and _QUOTA.search(words)):
        return Fault("quota", said, raw=text)
    if status in (401, 403):
        return Fault("auth", said, raw=text)
    if status == 404:
        return Fault("model", said, raw=text)
    if status == 429:
        return Fault("rate", said, retry_after=wait, raw=text)
    if status in (408, 409, 425) or status >= 500:
        return Fault("server", said, retry_after=wait, raw=text)
    if (refused := _refused_parameter(message, code)) is not None:
        return Fault("param", said, parameter=refused[0], limit=refused[1], raw=text)
    if status == 413 or _CONTEXT.search(words):
        return Fault("context", said, raw=text)
    if "content_filter" in words or "content management policy" in words:
        return Fault("filter", said, raw=text)
    if "model" in message.lower() and re.search(
        r"not (?:found|exist)|does not exist|unknown model|invalid model", message, re.IGNORECASE
    ):
        return Fault("model", said, raw=text)
    return Fault("bad_request", said, raw=text)


def _refused_parameter(message: str, code: str) -> tuple[str, int] | None:
    """(what a 400 complains about, limit of max_tokens if it tells one)."""
    low = message.lower()
    if re.search(r"max(?:_completion)?_tokens", low):
        context = re.search(r"maximum context length is (\d+)", low)
        used = re.search(r"(?:has|have|requested|contains?)\D{0,40}?(\d+) (?:input |prompt )?tokens", low)
        if context and used and "too large" in low:
            return "limit", max(int(context[1]) - int(used[1]) - 16, 1)
        top = re.search(
            r"(?:at most|less than or equal to|<=|maximum(?: allowed)?(?: value)?(?: of)?|limit(?: is| of)?|supports?)\D{0,40}?(\d{2,7})",
            low,
        )
        if top and not context:
            return "limit", int(top[1])
        if re.search(
            r"max_tokens\W.*(?:unsupported|not supported|max_completion_tokens|deprecated)|unsupported.*max_tokens", low
        ):
            return "max_completion_tokens" if low.find("max_completion_tokens") == low.find("max_") else "max_tokens", 0
        if "max_completion_tokens" in low and re.search(r"unsupported|not supported|unrecognized|unknown|extra", low):
            return "max_completion_tokens", 0
    if _FORMAT.search(message):
        return "response_format", 0
    for name in ("temperature", "reasoning_effort"):
        if name in low or code == name:
            return name, 0
    return None


def _plain(text: str) -> str:
    return " ".join(re.sub(r"<[^>]{0,200}>", " ", text[:2_000]).split())[:200]


def retry_after(headers: Mapping[str, str], text: str, now: float) -> float | None:
    """Seconds to wait: `retry-after-ms`, `Retry-After` in seconds or as a date, or Google's `retryDelay`. None = not told."""
    low = {key.lower(): value.strip() for key, value in headers.items()}
    for value, scale in ((low.get("retry-after-ms"), 0.001), (low.get("retry-after"), 1.0)):
        if value is None:
            continue
        try:
            return max(float(value) * scale, 0.0)
        except ValueError:
            pass
        try:
            return max(parsedate_to_datetime(value).timestamp() - now, 0.0)
        except (ValueError, TypeError, OverflowError):
            continue
    delay = re.search(r'"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"', text)
    return float(delay[1]) if delay else None


# ── answers ───────────────────────────────────────────────────────────────────────────────────────
def _answer(value: dict[str, Any], text: str) -> Answer:
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None
    usage = _usage(value.get("usage"))
    paid = (usage[0] or 0, usage[1] or 0)
    if choice is None:
        raise Fault("empty", "the endpoint sent no choices", raw=text, usage=paid)
    if isinstance(choice.get("error"), dict):
        raise _error(200, {}, choice["error"], text, 0)
    found = choice.get("message")
    message: dict[str, Any] = found if isinstance(found, dict) else {"content": choice.get("text")}
    finish = str(choice.get("finish_reason") or "").lower()
    content = _content(message)
    reasoning = sum(len(str(message.get(key) or "")) for key in ("reasoning_content", "reasoning", "thinking"))
    if finish in _LENGTHS and not content.strip():
        what = f"{reasoning:,} characters of reasoning" if reasoning else "no text"
        raise Fault(
            "length", f"the reply's whole budget went into {what} ({paid[1] or 'unknown'} tokens)", raw=text, usage=paid
        )
    if finish in _FILTERS:
        raise Fault("filter", f"the endpoint's content filter stopped the reply ({finish})", raw=text, usage=paid)
    if finish == "error":
        raise Fault("server", "the endpoint reports an error in the middle of the reply", raw=text, usage=paid)
    if message.get("refusal"):
        raise Fault("refusal", f"the model refused: {str(message['refusal'])[:200]}", raw=text, usage=paid)
    if not content.strip():
        raise Fault("empty", "the reply is empty", raw=text, usage=paid)
    return Answer(content, finish, _model_name(str(value.get("model") or "")), usage[0], usage[1], reasoning)


def _model_name(name: str) -> str:
    """Local servers may name the path of a model file: only its last part is anybody's business."""
    return re.split(r"[/\\]", name)[-1] if re.match(r"/|~|[A-Za-z]:\\", name) else name


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        content = "".join(part for part in parts if isinstance(part, str))
    if isinstance(content, str) and content.strip():
        return content
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls and isinstance(calls[0], dict) and isinstance(calls[0].get("function"), dict):
        return str(calls[0]["function"].get("arguments") or "")
    return content if isinstance(content, str) else ""


def _usage(usage: Any) -> tuple[int | None, int | None]:
    if not isinstance(usage, dict):
        return None, None
    counts = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    prompt, completion = (
        count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else None for count in counts
    )
    return prompt, completion
