"""What an endpoint refused once, so that it is not asked again: `.kgsite/cache/endpoints.json`."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from kgsite.config.settings import LlmSettings
from kgsite.errors import StoreError
from kgsite.extract.llm.faults import Fault
from kgsite.store import write_atomic

JsonMode = Literal["schema", "object", "off"]
_LENGTH_PARAMETERS = ("max_tokens", "max_completion_tokens")
_NEXT: dict[str, tuple[JsonMode, ...]] = {"schema": ("object", "off"), "object": ("schema", "off"), "off": ()}


@dataclass(frozen=True, slots=True)
class Quirks:
    """How requests to one model of one endpoint have to look."""

    json_mode: JsonMode = "schema"
    refused_modes: tuple[str, ...] = ()
    token_param: str = "max_tokens"  # noqa: S105 - name of a parameter
    dropped: tuple[str, ...] = ()  # parameters that it does not take
    room: int = 0  # most tokens it lets a reply have; 0 = not known
    other_param_refused: bool = False  # the length parameter that is not in use was refused before

    def learn(self, fault: Fault) -> Quirks | None:
        """These quirks after a refused parameter, or None when there is nothing left to change."""
        if fault.parameter == "response_format":
            left = [mode for mode in _NEXT[self.json_mode] if mode not in self.refused_modes]
            return (
                replace(self, json_mode=left[0], refused_modes=(*self.refused_modes, self.json_mode)) if left else None
            )
        if fault.parameter in ("max_tokens", "max_completion_tokens"):
            if "length" in self.dropped:
                return None
            if self.other_param_refused:
                return replace(self, dropped=(*self.dropped, "length"))
            other = next(name for name in _LENGTH_PARAMETERS if name != self.token_param)
            return replace(self, token_param=other, other_param_refused=True)
        if fault.parameter == "limit":
            smaller = fault.limit if self.room == 0 else min(fault.limit, self.room)
            return replace(self, room=smaller) if smaller > 0 and smaller != self.room else None
        if fault.parameter and fault.parameter not in self.dropped:
            return replace(self, dropped=(*self.dropped, fault.parameter))
        return None


def initial(settings: LlmSettings) -> Quirks:
    """What [llm] says about the form of requests."""
    mode: JsonMode = "schema" if settings.json_mode == "auto" else settings.json_mode
    param = settings.token_param
    if param == "auto":
        # OpenAI's own current models refuse max_tokens; most other servers know nothing else.
        own = (
            settings.preset == "openai"
            or "api.openai.com" in settings.base_url
            or not (settings.base_url or settings.preset)
        )
        param = "max_completion_tokens" if own else "max_tokens"
    return Quirks(json_mode=mode, token_param=param)


def _token_param(name: object) -> str:
    return str(name) if name in _LENGTH_PARAMETERS else "max_tokens"


class QuirkMemory:
    """Quirks by endpoint and model, in a file under .kgsite/cache. A damaged file is forgotten."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._known: dict[str, dict[str, Any]] = {}
        if file is not None:
            with contextlib.suppress(OSError, ValueError, RecursionError):
                value = json.loads(file.read_bytes())
                self._known = (
                    {key: item for key, item in value.items() if isinstance(item, dict)}
                    if isinstance(value, dict)
                    else {}
                )

    def recall(self, identity: str, settings: LlmSettings) -> Quirks:
        start = initial(settings)
        known = self._known.get(identity)
        if known is None or known.get("asked") != [settings.json_mode, settings.token_param]:
            return start
        try:
            mode = known["json_mode"]
            return Quirks(
                mode if mode in _NEXT else start.json_mode,
                tuple(map(str, known["refused_modes"])),
                _token_param(known["token_param"]),
                tuple(map(str, known["dropped"])),
                int(known["room"]),
                bool(known["other_param_refused"]),
            )
        except (KeyError, TypeError, ValueError):
            return start

    def remember(self, identity: str, quirks: Quirks, settings: LlmSettings) -> None:
        self._known[identity] = {**asdict(quirks), "asked": [settings.json_mode, settings.token_param]}
        if self._file is not None:
            with contextlib.suppress(StoreError):  # only a memory: the request goes on without it
                write_atomic(self._file, json.dumps(self._known, sort_keys=True, indent=1).encode() + b"\n")
