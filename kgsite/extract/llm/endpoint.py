"""Where requests go: presets, base URL, model names and the key. A key never leaves this object but in the request."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from kgsite.config.settings import LlmSettings
from kgsite.errors import ConfigError, Place

_DEFAULT_KEY = "env:OPENAI_API_KEY"
_LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1", "0.0.0.0", "host.docker.internal"}  # noqa: S104 - compared, not bound
_KEY_LIKE = re.compile(
    r"\b(?:sk|pk|rk|gsk|ghp|gho|ghu|ghs|github_pat|xox[abp]|hf|AIza)[-_][A-Za-z0-9_\-*.]{6,}|\bAIza[A-Za-z0-9_\-]{20,}"
    r"|(?i:bearer)\s+[A-Za-z0-9._~+/\-]{8,}=*"
)
HIDDEN = "[key hidden]"


@dataclass(frozen=True, slots=True)
class Preset:
    """A known service."""

    base_url: str
    model: str  # a small current one: extraction sends many requests
    key_env: str = ""  # "" = the service needs no key


PRESETS: Mapping[str, Preset] = {
    "openai": Preset("https://api.openai.com/v1", "gpt-5.4-mini", "OPENAI_API_KEY"),
    "ollama": Preset("http://localhost:11434/v1", "qwen3:8b"),
    "lmstudio": Preset("http://localhost:1234/v1", "qwen/qwen3-8b"),
    "gemini": Preset(
        "https://generativelanguage.googleapis.com/v1beta/openai", "gemini-3.5-flash-lite", "GEMINI_API_KEY"
    ),
    "openrouter": Preset("https://openrouter.ai/api/v1", "openai/gpt-5.4-mini", "OPENROUTER_API_KEY"),
    "github": Preset("https://models.github.ai/inference", "openai/gpt-4.1-mini", "GITHUB_TOKEN"),
    "anthropic": Preset("https://api.anthropic.com/v1", "claude-haiku-4-5", "ANTHROPIC_API_KEY"),
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A service as configured. `repr` shows neither key nor headers."""

    base_url: str
    model: str
    discovery_model: str
    key: str = field(default="", repr=False)
    key_source: str = ""  # "OPENAI_API_KEY", or "site.toml"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    local: bool = False

    @property
    def host(self) -> str:
        """Host and port, for messages: never userinfo, path or query."""
        parts = urlsplit(self.base_url)
        return f"{parts.hostname or '?'}:{parts.port}" if parts.port else parts.hostname or "?"

    @property
    def place(self) -> str:
        """The base URL without anything secret."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{self.host}{parts.path}"

    def identity(self, model: str) -> str:
        """A name for what was learnt about this endpoint and model; the URL itself may hold secrets."""
        return hashlib.sha256(f"{self.base_url}\n{model}".encode()).hexdigest()[:32]

    def redact(self, text: str) -> str:
        """Text of a server or library without keys: the ones we know, and whatever looks like one."""
        for secret in self.secrets():
            text = text.replace(secret, HIDDEN)
        return _KEY_LIKE.sub(HIDDEN, text)

    def secrets(self) -> tuple[str, ...]:
        """What must never be written anywhere, longest first."""
        userinfo = urlsplit(self.base_url).password or ""
        found = {self.key, userinfo, *self.headers.values()}
        return tuple(sorted((secret for secret in found if len(secret) >= 6), key=len, reverse=True))


def uses_model(settings: LlmSettings) -> bool:
    """Whether [llm] names a model or preset: what `extractor = "auto"` goes by. A key alone is not enough."""
    return bool(settings.model or settings.preset)


def model_names(settings: LlmSettings) -> tuple[str, str]:
    """(model, model for discovery and texts), with the preset's default."""
    preset = PRESETS.get(settings.preset)
    model = settings.model or (preset.model if preset else "")
    return model, settings.discovery_model or model


def resolve(settings: LlmSettings, environ: Mapping[str, str], *, need_key: bool = True) -> Endpoint:
    """The endpoint of [llm]. Raises ConfigError when the model, the URL or the key is missing or no good."""
    preset = PRESETS.get(settings.preset)
    model, discovery = model_names(settings)
    if not model:
        raise ConfigError("[llm] names no model", at=Place("site.toml"), hint='set model = "…" or preset = "ollama"')
    base_url = _base_url(settings.base_url or (preset or PRESETS["openai"]).base_url)
    local = _is_local(base_url)
    source = settings.api_key
    if source == _DEFAULT_KEY and preset is not None:
        # The default names OpenAI's key; another service must never be sent that one.
        source = f"env:{preset.key_env}" if preset.key_env else ""
    key, name = _key(source, environ)
    if not key and need_key and not local:
        hint = (
            f'export {name}=…, or name another variable with api_key = "env:NAME"'
            if name
            else 'set api_key = "env:NAME"'
        )
        raise ConfigError(
            f"no key for {urlsplit(base_url).hostname}: {name or 'api_key'} is not set",
            at=Place("site.toml"),
            hint=hint,
        )
    headers = {
        name: _key(value, environ)[0] if value.startswith("env:") else value
        for name, value in settings.extra_headers.items()
    }
    return Endpoint(base_url, model, discovery, key, name, headers, local)


def _key(source: str, environ: Mapping[str, str]) -> tuple[str, str]:
    if source.startswith("env:"):
        name = source[4:].strip()
        return environ.get(name, "").strip(), name
    return source.strip(), "site.toml" if source else ""


def _base_url(url: str) -> str:
    url = url.strip().rstrip("/")
    for ending in ("/chat/completions", "/completions"):
        url = url.removesuffix(ending).rstrip("/")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(
            "[llm] base_url is no http or https URL",
            at=Place("site.toml"),
            hint='for example "http://localhost:11434/v1"',
        )
    return url


def _is_local(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return (
        host in _LOCAL_HOSTS
        or host.endswith((".local", ".localhost"))
        or re.match(r"(?:10|127|192\.168)\.", host) is not None
    )


def literal_key(settings: LlmSettings) -> bool:
    """Whether a key itself stands in site.toml: worth a warning, since site.toml is committed."""
    values: Iterable[str] = (
        settings.api_key,
        *(v for k, v in settings.extra_headers.items() if re.search(r"key|auth|token", k, re.IGNORECASE)),
    )
    return any(value and not value.startswith("env:") for value in values)
