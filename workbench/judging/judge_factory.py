"""Open a judge by its SPEC, and say which judges can be opened here and why others cannot."""

import os
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from urllib.parse import urlsplit

from workbench.errors import UnknownJudge, UsageError
from workbench.judging.handoff import HANDOFF, RECORDED, HandoffJudge, open_recorded
from workbench.judging.judge import Judge
from workbench.judging.llm import MAX_OUTPUT_TOKENS, LlmJudge
from workbench.judging.local_servers import (
    ROOM_TOKENS,
    SERVERS,
    LocalProvider,
    find_servers,
    server_of,
)
from workbench.judging.prices import cheapest_model, find_price
from workbench.judging.prompts import STRICT
from workbench.judging.provider import Provider
from workbench.judging.reply import with_standalone
from workbench.judging.scripted import ScriptedJudge
from workbench.records.prompts import ASKED, Prompt
from workbench.records.providers import JUDGE_SPECS, MODEL_SPECS, WITH_KEY, ModelProvider

_MODEL_NAME = re.compile(r"[A-Za-z0-9][\w.\-]*(?:@[0-9a-f]{8})?")
CLIENT = "client"
"""The SPEC of the model of whoever calls `verify_citations` over MCP."""
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Availability:
    """Whether a kind of judge can be used here."""

    spec: str
    """As it is named, with `MODEL`, `PATH` or `FILE` where that is open."""
    available: bool
    reason: str
    """Why it cannot be used and what to do, or what it is."""

    @property
    def is_complete(self) -> bool:
        """Whether the SPEC can be used as it is: it leaves no MODEL, NAME, FILE or PATH to fill in."""
        return self.spec.partition(":")[2] not in ("FILE", "MODEL", "NAME", "PATH")


def open_judge(spec: str, prompt: Prompt | None = None) -> Judge:
    """The judge a SPEC names.

    That is `local`, `nli:PATH` (a model of the user's own), `scripted:FILE`, `handoff:NAME` (a chat
    window, whose answers a person carries), or a language model: `ollama:MODEL`, `lmstudio:MODEL`,
    `llamacpp` and `vllm:MODEL` on this machine, `anthropic:MODEL` or `openai:MODEL`. A language model
    is asked with `prompt`, or by the shipped prompt `strict` without one.

    Raises:
        UnknownJudge: the SPEC names no judge, or its files or library are missing.
        MissingKey: the judge needs an API key and the environment holds none.
        UsageError: a prompt is given for a judge that takes none, or one that asks about several
            claims at once.
    """
    if prompt is not None and not set(ASKED) <= set(prompt.variables):
        raise UsageError(
            f"The prompt {prompt.title} does not ask about one claim and its passages; use a "
            "prompt with {{passages}} and {{claim}}."
        )
    if prompt is not None and not takes_prompt(spec):
        raise UsageError(
            f"The judge {spec} is not a language model and takes no prompt; leave the prompt out, "
            f"or use a judge such as {MODEL_SPECS}."
        )
    kind, _, rest = spec.strip().partition(":")
    if kind == "local" and not rest:
        from workbench.judging.embedded import LocalJudge

        return LocalJudge()
    if kind == "nli" and rest:
        from workbench.judging.nli.judge import open_nli_judge

        return open_nli_judge(rest)
    if kind == "scripted" and rest:
        return ScriptedJudge.from_file(rest)
    if kind == HANDOFF and rest:
        return open_recorded() if spec.strip() == RECORDED else HandoffJudge(spec)
    provider = open_provider(spec)
    if provider is not None:
        room = ROOM_TOKENS if server_of(spec) else MAX_OUTPUT_TOKENS
        price = find_price(spec.strip())
        return LlmJudge(
            spec.strip(), provider, price, prompt=prompt or STRICT, max_output_tokens=room
        )
    if kind == CLIENT:
        raise UnknownJudge(
            "The judge client is the model of an MCP client: only the tool verify_citations can "
            "ask it. Use another judge here."
        )
    raise UnknownJudge(f"There is no judge {spec[:200]!r}: use {JUDGE_SPECS}.")


def open_provider(spec: str, **options: float) -> Provider | None:
    """The provider of the language model that a SPEC names; None where it names none.

    `timeout_s` among the options is for one call.

    Raises:
        UnknownJudge: its library is missing.
        MissingKey: it needs an API key and the environment holds none.
    """
    kind, _, model = spec.strip().partition(":")
    if server := server_of(spec):
        return LocalProvider(server, model, **options)
    if not takes_prompt(spec):
        return None
    client = getattr(import_module(f"workbench.judging.ask_{kind}"), WITH_KEY[kind].client)
    provider: Provider = client(model, **options)
    return provider


def name_in_runs(spec: str) -> str:
    """The SPEC under which runs and labelled items keep the verdicts of the judge that one names.

    It is the same but for `nli:PATH`, which becomes `nli:NAME@HASH`: without the path, and another
    one when the model's files change.

    Raises:
        UnknownJudge: There is no such model.
    """
    kind, _, rest = spec.strip().partition(":")
    if kind != "nli":
        return spec
    from workbench.judging.nli.files import run_name

    return f"nli:{run_name(rest)}"


def names_path(spec: str) -> bool:
    """Whether a SPEC names a model of the user's own by its path or with options, not by its name.

    Callers of a server for many may use the names it knows, `nli:NAME` and `nli:NAME@HASH`, alone.
    """
    kind, _, rest = spec.strip().partition(":")
    return kind == "nli" and _MODEL_NAME.fullmatch(rest) is None


def takes_prompt(spec: str) -> bool:
    """Whether the judge that a SPEC names is a language model, which needs a prompt."""
    kind, _, rest = spec.strip().partition(":")
    return server_of(spec) is not None or (kind in WITH_KEY and bool(rest))


def names_judge(text: str) -> bool:
    """Whether a text is a SPEC, and not the bare name of a model."""
    return text.partition(":")[0] in (
        "local",
        CLIENT,
        HANDOFF,
        "nli",
        "scripted",
        *SERVERS,
        *WITH_KEY,
    )


def open_judges(
    specs: Sequence[str], prompt: Prompt | None = None, *, standalone: bool = False
) -> list[Judge]:
    """The judges of a panel; only its language models get the prompt.

    With `standalone` language models also rewrite each claim to stand alone.

    Raises:
        UsageError: as `open_judge`; or no judge is named, or none of them takes the prompt.
    """
    if not specs:
        raise UsageError("No judge was specified; specify at least one, for example local.")
    if prompt is not None and not any(takes_prompt(spec) for spec in specs):
        return [open_judge(specs[0], prompt)]
    judge_prompt = with_standalone(prompt or STRICT) if standalone else prompt
    return [open_judge(spec, judge_prompt if takes_prompt(spec) else None) for spec in specs]


def standalone_claim(judge: Judge) -> Judge:
    """A language model's judge that also rewrites claims to stand alone; any other unchanged."""
    if not isinstance(judge, LlmJudge):
        return judge
    return LlmJudge(
        judge.spec,
        judge.provider,
        judge.price,
        prompt=with_standalone(judge.prompt),
        max_output_tokens=judge.max_output_tokens,
    )


def prompt_of(judges: Sequence[Judge]) -> str:
    """Id of the prompt of the language models among judges; empty without one."""
    prompt_ids = (judge.prompt.id for judge in judges if isinstance(judge, LlmJudge))
    return next(prompt_ids, "")


def judge_availability() -> list[Availability]:
    """Which kinds of judge can be opened here, and why one cannot."""
    from workbench.judging.reading_model import embedded_limits

    try:
        open_judge("local")
        where = "Runs on this machine, without a key or a network."
        local = Availability(
            spec="local", available=True, reason=f"{where} {embedded_limits()}".strip()
        )
    except UsageError as error:
        local = Availability(spec="local", available=False, reason=str(error))
    return [
        local,
        *_own_models(),
        *_local_models(),
        *map(_key_availability, WITH_KEY.values()),
        Availability(
            spec=f"{HANDOFF}:NAME",
            available=True,
            reason="Any chat window, without a key: you carry the questions and the answers, and "
            "nothing is sent.",
        ),
        Availability(
            spec="scripted:FILE",
            available=True,
            reason="Answers from your own JSON script, for trials and tests.",
        ),
    ]


def suggested_judge() -> str:
    """The SPEC that a form preselects: a model of a provider whose key is set, else `local`.

    It is the provider's cheapest in the price table. With a server of one's own nothing is guessed:
    the table does not know its models.
    """
    for name, provider in WITH_KEY.items():
        availability = _key_availability(provider)
        own_server = os.environ.get(f"{name.upper()}_BASE_URL", "").strip()
        model = cheapest_model(name)
        if availability.available and model and not own_server:
            return model
    return "local"


def _own_models() -> list[Availability]:
    """The models in the models' folder, and that others can be named by their path."""
    from workbench.judging.nli.files import list_model_folders, models_folder
    from workbench.judging.onnx_session import runtime_missing

    missing = runtime_missing()
    reason = missing or "Your own model for text pairs, run on this machine."
    folder = models_folder()
    specs = [f"nli:{path.name}" for path in list_model_folders(folder)] if folder else []
    return [
        Availability(spec=spec, available=missing is None, reason=reason)
        for spec in [*specs, "nli:PATH"]
    ]


def _local_models() -> list[Availability]:
    """The models of servers on this machine, and for each server without any why that is."""
    return [
        Availability(
            spec=spec,
            available=not found.problem,
            reason=found.problem
            or f"{found.server.title} at {found.place}: runs on this machine and costs nothing.",
        )
        for found in find_servers()
        for spec in found.judges or [found.server.spec("MODEL")]
    ]


def _key_availability(provider: ModelProvider) -> Availability:
    """Whether the judges of a provider can be opened: its library and one of its variables."""
    library = provider.name
    spec = f"{library}:MODEL"
    if find_spec(library) is None:
        reason = f"The library is not installed: pip install {library}."
        return Availability(spec=spec, available=False, reason=reason)
    if not any(os.environ.get(name) for name in provider.keys):
        reason = f"No API key: set {provider.keys[0]} and start again."
        return Availability(spec=spec, available=False, reason=reason)
    base = os.environ.get(f"{library.upper()}_BASE_URL", "").strip()
    server = _host_and_port(base)
    if server is None:
        return Availability(
            spec=spec, available=True, reason="An API key is set; calls cost money."
        )
    name = f"{server[0]}:{server[1]}"
    if server[0] in _LOCAL_HOSTS and not _answers(*server):
        reason = f"No server answers at {name}, where {library.upper()}_BASE_URL points: start it."
        return Availability(spec=spec, available=False, reason=reason)
    return Availability(
        spec=spec, available=True, reason=f"An API key is set; the server at {name} is used."
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
    """Whether a server listens on a port of this machine; no other machine is contacted."""
    try:
        socket.create_connection((host, port), timeout=0.5).close()
    except OSError:
        return False
    return True
