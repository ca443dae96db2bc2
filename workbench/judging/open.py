"""Open a judge by its SPEC, and say which judges can be opened here and why others cannot."""

import os
import socket
from dataclasses import dataclass
from importlib.util import find_spec
from urllib.parse import urlsplit

from workbench.errors import UnknownJudge, UsageError
from workbench.judging.judge import Judge
from workbench.judging.prices import find_price
from workbench.judging.scripted import ScriptedJudge

_HERE = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Availability:
    """Whether a kind of judge can be used here."""

    spec: str
    """`local`, `anthropic:MODEL`, `openai:MODEL`, `scripted:FILE`."""
    available: bool
    reason: str
    """Why it cannot be used and what to do, or what it is."""


def open_judge(spec: str) -> Judge:
    """The judge a SPEC names: `local`, `anthropic:MODEL`, `openai:MODEL` or `scripted:FILE`.

    Raises:
        UnknownJudge: the SPEC names no judge, or its files or library are missing.
        MissingKey: the judge needs an API key and the environment holds none.
    """
    kind, _, rest = spec.strip().partition(":")
    if kind == "local" and not rest:
        from workbench.judging.embedded import LocalJudge

        return LocalJudge()
    if kind == "scripted" and rest:
        return ScriptedJudge.from_file(rest)
    if kind == "anthropic" and rest:
        from workbench.judging.ask_anthropic import AnthropicProvider
        from workbench.judging.llm import LlmJudge

        return LlmJudge(f"anthropic:{rest}", AnthropicProvider(rest), find_price(spec.strip()))
    if kind == "openai" and rest:
        from workbench.judging.ask_openai import OpenAIProvider
        from workbench.judging.llm import LlmJudge

        return LlmJudge(f"openai:{rest}", OpenAIProvider(rest), find_price(spec.strip()))
    raise UnknownJudge(
        f"There is no judge {spec!r}: use local, anthropic:MODEL, openai:MODEL or scripted:FILE."
    )


def judge_availability() -> list[Availability]:
    """Which kinds of judge can be opened here, and why one cannot."""
    try:
        open_judge("local")
        local = Availability(
            spec="local", available=True, reason="Runs on this machine, without a key or a network."
        )
    except UsageError as error:
        local = Availability(spec="local", available=False, reason=str(error))
    return [
        local,
        _by_key("anthropic", ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")),
        _by_key("openai", ("OPENAI_API_KEY",)),
        Availability(
            spec="scripted:FILE",
            available=True,
            reason="Answers by a JSON script of your own: for trials and tests.",
        ),
    ]


def _by_key(library: str, variables: tuple[str, ...]) -> Availability:
    """Whether the judges of a provider can be opened: its library and one of its variables."""
    spec = f"{library}:MODEL"
    if find_spec(library) is None:
        reason = f"The library is not installed: pip install {library}."
        return Availability(spec=spec, available=False, reason=reason)
    if not any(os.environ.get(name) for name in variables):
        reason = f"No API key: set {variables[0]} and start again."
        return Availability(spec=spec, available=False, reason=reason)
    base = os.environ.get(f"{library.upper()}_BASE_URL", "").strip()
    server = _host_and_port(base)
    if server is None:
        return Availability(
            spec=spec, available=True, reason="An API key is set; calls cost money."
        )
    name = f"{server[0]}:{server[1]}"
    if server[0] in _HERE and not _answers(*server):
        reason = f"No server answers at {name}, where {library.upper()}_BASE_URL points: start it."
        return Availability(spec=spec, available=False, reason=reason)
    return Availability(
        spec=spec, available=True, reason=f"An API key is set; the server at {name} is asked."
    )


def _host_and_port(base: str) -> tuple[str, int] | None:
    """Where a base URL points; None for none, or for one that cannot be read."""
    try:
        parts = urlsplit(base)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return None
    return (parts.hostname, port) if parts.hostname else None


def _answers(host: str, port: int) -> bool:
    """Whether somebody listens on a port of this machine; others are not asked on the way."""
    try:
        socket.create_connection((host, port), timeout=0.5).close()
    except OSError:
        return False
    return True
