"""Servers of language models on this machine: where they listen, their models, and asking them.

Ollama, LM Studio, llama.cpp and vLLM speak the OpenAI API, need no key and cost nothing. They are
looked for on loopback addresses alone, without a proxy and without following redirects.
"""

import asyncio
import json
import os
import re
import threading
import time
from collections.abc import AsyncIterator
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from workbench.errors import UsageError
from workbench.judging.ask_openai import CompatibleProvider, ResponseFormat, read_chat
from workbench.judging.provider import (
    Completion,
    CompletionRequest,
    ProviderFailure,
    inner,
    parsed,
    shared_tls,
    to_one_line,
)
from workbench.records.text import Json

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

MODELS_PATH = "/v1/models"
CONNECT_S = 0.3
ANSWER_S = 300.0
"""How long one question may take: a model may have to be loaded first, and run without a GPU."""
CHECK_S = 10.0
"""How long the list of models may take before a question."""
FRESH_S = 10.0
"""For so long a server is not looked for again."""
LONGEST_LIST, LONGEST_BODY = 1_000_000, 4_000_000
"""Bytes of a list of models, and of an answer, that are read."""
ROOM_TOKENS = 2000
"""Room for a reply: many local models reason before they answer."""
OFFERED = re.compile(r"[A-Za-z0-9][\w.:/@+-]{0,199}", re.ASCII)
"""Names of models that can stand in a SPEC."""
_NO_CHAT = re.compile(r"embed|rerank|whisper|^bge-", re.IGNORECASE)
_FORMAT_WORDS = re.compile(r"format|schema|grammar", re.IGNORECASE)
_SENT_HEADERS = {"host", "accept", "content-type", "content-length", "connection", "user-agent",
                 "x-stainless-raw-response"}  # fmt: skip
"""The last one tells the SDK, which reads it off the request, to leave a reply as it came."""
MOST_MODELS, MOST_NAMED = 200, 12


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """A kind of server, as it is installed."""

    name: str
    """Before the colon of a SPEC."""
    title: str
    port: int
    variables: tuple[str, ...]
    """The variables with its host or address, and with its port."""
    start: str
    """The command that starts it."""
    get_model: str
    """How to get a model, where it has none."""
    formats: tuple[ResponseFormat, ...] = ("json_schema", "json_object")
    """The ways of holding a reply to JSON that it may support, the best one first."""
    at_once: int = 1
    """Questions that are sent at the same time; one that waits in the server would time out."""
    one_model: bool = False
    """Whether it serves a single model, which the SPEC does not name."""

    def spec(self, model: str) -> str:
        """The SPEC of a judge."""
        return self.name if self.one_model else f"{self.name}:{model}"

    @property
    def address(self) -> tuple[str, int]:
        """Host and port where it is asked; its variables count only where they name this machine."""
        host_variable, *port_variable = self.variables
        host, port = loopback(os.environ.get(host_variable, "")) or ("127.0.0.1", None)
        if port_variable and (text := os.environ.get(port_variable[0], "").strip()).isdecimal():
            port = int(text) if 0 < int(text) < 65536 else port
        return host, port or self.port

    @property
    def place(self) -> str:
        """Its address as it is written."""
        host, port = self.address
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


SERVERS = {
    server.name: server
    for server in (
        LocalServer(
            name="ollama", title="Ollama", port=11434, variables=("OLLAMA_HOST",),
            start="ollama serve", get_model="`ollama pull qwen3:8b`",
        ),
        LocalServer(
            name="lmstudio", title="LM Studio", port=1234, variables=("LMSTUDIO_HOST",),
            start="lms server start", get_model="`lms get` and `lms load`",
            formats=("json_schema",),
        ),
        LocalServer(
            name="llamacpp", title="llama.cpp", port=8080,
            variables=("LLAMA_ARG_HOST", "LLAMA_ARG_PORT"),
            start="llama-server -m MODEL.gguf", get_model="`llama-server -m MODEL.gguf`",
            one_model=True,
        ),
        LocalServer(
            name="vllm", title="vLLM", port=8000, variables=("VLLM_HOST",),
            start="vllm serve MODEL", get_model="`vllm serve MODEL`", at_once=16,
        ),
    )
}  # fmt: skip
"""By their names in SPECs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundServer:
    """What was found where a server listens by default."""

    server: LocalServer
    place: str
    state: Literal["ready", "empty", "slow", "stopped", "foreign"]
    """`empty`: it has no model. `slow`: it did not list them in time. `foreign`: another program."""
    models: tuple[str, ...] = ()
    """The names of its models, those that only embed or rank left out."""
    problem: str = ""
    """Why it cannot be asked, and what to do; empty where it can."""

    @property
    def judges(self) -> list[str]:
        """The SPECs of its models."""
        names = self.models[:1] if self.server.one_model else self.models
        return [self.server.spec(name) for name in names]


@dataclass(slots=True)
class _Finding:
    """What this process may look for, and what it found last."""

    allowed: bool = True
    found: dict[tuple[str, str], tuple[float, "Future[FoundServer]"]] | None = None


_FINDING = _Finding()
_LOCK = threading.Lock()


def use_local_servers(allowed: bool) -> None:
    """Say whether servers of this machine may be looked for and asked, from now on."""
    _FINDING.allowed = allowed


def local_servers_allowed() -> bool:
    """Whether servers of this machine may be looked for and asked."""
    return _FINDING.allowed


def server_of(spec: str) -> LocalServer | None:
    """The kind of server that a SPEC names with its model; None for any other SPEC."""
    kind, colon, model = spec.strip().partition(":")
    server = SERVERS.get(kind)
    names_model = not colon if server and server.one_model else bool(model)
    return server if names_model else None


def loopback(text: str) -> tuple[str, int | None] | None:
    """Host and port of an address of this machine; None for any other, and for none.

    >>> loopback("http://localhost:1234/v1"), loopback("0.0.0.0"), loopback(":8081")
    (('127.0.0.1', 1234), ('127.0.0.1', None), ('127.0.0.1', 8081))
    >>> loopback("10.0.0.7:11434"), loopback("http://127.0.0.1@models.example"), loopback("")
    (None, None, None)
    """
    text = text.strip()
    try:
        bare = ip_address(text)
        host, port = str(bare), None
    except ValueError:
        try:
            parts = urlsplit(text if "://" in text else f"//{text}")
            host, port = parts.hostname or "127.0.0.1", parts.port
            bare = ip_address("127.0.0.1" if host == "localhost" else host)
        except ValueError:
            return None
        if not parts.netloc or parts.scheme not in ("", "http"):
            return None
    if bare.is_unspecified:  # it listens everywhere, here too
        return ("::1" if bare.version == 6 else "127.0.0.1"), port
    return (str(bare), port) if bare.is_loopback else None


def find_servers(wait_s: float = CONNECT_S) -> list[FoundServer]:
    """What answers where the servers of the table listen; each is looked for once in ten seconds.

    All are asked at the same time, and none is waited for longer than `wait_s`: one that is slow
    is told as such, and is there when it is looked for again.
    """
    if not _FINDING.allowed:
        return []
    found = [(server, *_looked_for(server)) for server in SERVERS.values()]
    left_s = max(since for _, since, _ in found) + wait_s - time.monotonic()
    done = wait([future for _, _, future in found], max(0.0, left_s)).done
    return [
        future.result() if future in done else _slow(server, wait_s) for server, _, future in found
    ]


def _slow(server: LocalServer, seconds: float) -> FoundServer:
    problem = f"What listens at {server.place} did not list its models within {seconds:g} s."
    return FoundServer(server=server, place=server.place, state="slow", problem=problem)


def _looked_for(server: LocalServer) -> tuple[float, "Future[FoundServer]"]:
    """Since when it is looked for, and what comes of it."""
    key, now = (server.name, server.place), time.monotonic()
    with _LOCK:
        found = _FINDING.found = _FINDING.found or {}
        if key in found and now - found[key][0] < FRESH_S:
            return found[key]
        future: Future[FoundServer] = Future()
        found[key] = now, future
    # a thread of its own that nobody waits for, not even when the process ends
    look = threading.Thread(target=lambda: future.set_result(list_models(server)), daemon=True)
    look.start()
    return now, future


def list_models(server: LocalServer, timeout_s: float = 2.0) -> FoundServer:
    """The models that a server offers, or why it has none."""
    place, start = server.place, f"start it with `{server.start}`"
    try:
        body = _fetch_list(server, timeout_s)
    except TimeoutError:
        return _slow(server, timeout_s)
    except (OSError, ValueError) as error:
        refused = isinstance(error, ConnectionRefusedError)
        problem = (
            f"{server.title} does not run at {place}: {start}."
            if refused
            else f"What listens at {place} is not {server.title} ({to_one_line(str(error))}): "
            f"{start}, or set {server.variables[0]} to where it listens on this machine."
        )
        state: Literal["stopped", "foreign"] = "stopped" if refused else "foreign"
        return FoundServer(server=server, place=place, state=state, problem=problem)
    names = [inner(entry, "id") for entry in body]
    models = [name for name in names if isinstance(name, str) and OFFERED.fullmatch(name)]
    models = [name for name in dict.fromkeys(models) if not _NO_CHAT.search(name)][:MOST_MODELS]
    if models:
        return FoundServer(server=server, place=place, state="ready", models=tuple(models))
    problem = f"{server.title} at {place} has no model: get one with {server.get_model}."
    return FoundServer(server=server, place=place, state="empty", problem=problem)


def _fetch_list(server: LocalServer, timeout_s: float) -> list[Json]:
    """The entries of the list of models; raises `OSError` or `ValueError`."""
    from http.client import HTTPConnection, HTTPException

    host, port = server.address
    connection = HTTPConnection(host, port, timeout=min(CONNECT_S, timeout_s))
    until = time.monotonic() + timeout_s
    body = b""
    try:
        connection.connect()
        connection.sock.settimeout(timeout_s)
        connection.request("GET", MODELS_PATH, headers={"Accept": "application/json"})
        response = connection.getresponse()
        if response.status != 200:
            raise ValueError(f"HTTP {response.status} for {MODELS_PATH}")
        while chunk := response.read1(65536):
            body += chunk
            if len(body) > LONGEST_LIST:
                raise ValueError(f"more than {LONGEST_LIST:,} bytes for {MODELS_PATH}")
            if time.monotonic() > until:
                raise TimeoutError
    except HTTPException as error:
        raise ValueError(f"{type(error).__name__} for {MODELS_PATH}") from None
    finally:
        connection.close()
    entries = parsed(body.decode("utf-8", "replace")).get("data", False)
    if not isinstance(entries, list | None):
        raise ValueError(f"no list of models at {MODELS_PATH}")
    return entries or []


class LocalProvider(CompatibleProvider):
    """One model of a server on this machine."""

    def __init__(self, server: LocalServer, model: str, timeout_s: float = ANSWER_S) -> None:
        if not _FINDING.allowed:
            raise UsageError(
                f"The settings forbid {server.title} on this machine: set local_servers = true in "
                "settings.toml, or use another judge."
            )
        super().__init__(model, timeout_s)
        self.server = server
        self._refused.add("max_completion_tokens")  # the older name is known to all of them
        self._formats: tuple[ResponseFormat, ...] = (*server.formats, "text")
        self._known = False
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = (
            WeakKeyDictionary()
        )

    def _client(self) -> "AsyncOpenAI":
        import httpx2
        from openai import AsyncOpenAI

        return AsyncOpenAI(
            base_url=f"http://{self.server.place}/v1",
            api_key="none",
            max_retries=0,
            http_client=httpx2.AsyncClient(
                # the whole is timed by `complete`
                timeout=httpx2.Timeout(self._timeout_s + 5, connect=2.0),
                verify=shared_tls(),
                trust_env=False,
                follow_redirects=False,
                event_hooks={"request": [_strip_headers], "response": [_limit_body]},
            ),
        )

    async def complete(self, question: CompletionRequest) -> Completion:
        """The model's answer, asked for in turn; raises `ProviderFailure`."""
        turns = self._turns.setdefault(
            asyncio.get_running_loop(), asyncio.Semaphore(self.server.at_once)
        )
        async with turns:
            try:
                async with asyncio.timeout(self._timeout_s):
                    await self._check_model()
                    return await self._ask(question)
            except TimeoutError:
                raise ProviderFailure(
                    f"{self._named} did not answer within {self._timeout_s:g} s: try a smaller "
                    "model, or a machine with a GPU"
                ) from None

    @property
    def _named(self) -> str:
        return f"{self.server.title} at {self.server.place}"

    async def _check_model(self) -> None:
        """Nothing where the server has the model; some would answer with another one."""
        if self._known:
            return
        found = await asyncio.to_thread(list_models, self.server, CHECK_S)
        if found.state in ("empty", "stopped", "foreign"):
            raise ProviderFailure(found.problem.rstrip("."))
        if self.server.one_model:
            self._model = found.models[0] if found.models else "default"
        elif found.models and not {self._model, f"{self._model}:latest"} & set(found.models):
            raise self._no_such_model(found)
        self._known = True

    def _no_such_model(self, found: FoundServer) -> ProviderFailure:
        names, more = ", ".join(found.models[:MOST_NAMED]), len(found.models) - MOST_NAMED
        others = f" and {more} more" if more > 0 else ""
        return ProviderFailure(
            f"{self._named} has no model {self._model!r}; its models are {names}{others}"
        )

    async def _ask(self, question: CompletionRequest) -> Completion:
        """The answer in the best format that the server takes; its first refusal where in none."""
        first: ProviderFailure | None = None
        for at, response_format in enumerate(self._formats):
            try:
                asked = _spelled_out(question, response_format)
                completion = await self._ask_chat(asked, response_format)
            except ProviderFailure as failure:
                first = first or failure
                if _refuses_format(failure):
                    continue
                raise await self._explained(failure) from None
            self._formats = self._formats[at:]
            return completion
        assert first is not None
        raise await self._explained(first)

    async def _explained(self, failure: ProviderFailure) -> ProviderFailure:
        """What a failure means for a server of this machine."""
        found = await asyncio.to_thread(list_models, self.server, CHECK_S)
        if found.state == "stopped":
            return ProviderFailure(found.problem.rstrip("."))
        if failure.status == 404 and found.models and self._model not in found.models:
            return self._no_such_model(found)
        if failure.status in (401, 403):
            return ProviderFailure(
                f"{self._named} wants an API key: use openai:{self._model} with OPENAI_BASE_URL "
                f"set to http://{self.server.place}/v1 and OPENAI_API_KEY to the key"
            )
        return failure

    def _read(self, body: str) -> Completion:
        """The completion in a body, also where the server streams without being asked to."""
        text = body.lstrip()
        if text.startswith(("data:", "event:", ":")):
            return _read_stream(text)
        completion = super()._read(body)
        if completion.text == body:
            what = "a web page" if text.startswith("<") else "something else than a chat completion"
            raise ProviderFailure(
                f"what listens at {self.server.place} answered with {what}: check that it is "
                f"{self.server.title}"
            )
        return completion


def _refuses_format(failure: ProviderFailure) -> bool:
    """Whether a failure may be due to the format of the reply that was asked for."""
    return failure.status in (400, 422, 501) or (
        failure.status == 500 and bool(_FORMAT_WORDS.search(str(failure)))
    )


def _spelled_out(question: CompletionRequest, response_format: ResponseFormat) -> CompletionRequest:
    """The question; where the server does not hold the reply to the schema, with the schema."""
    if response_format == "json_schema":
        return question
    schema = json.dumps(question.schema)
    system = f"{question.system}\n\nThe JSON object must fit this JSON schema:\n{schema}"
    return replace(question, system=system)


def _read_stream(text: str) -> Completion:
    parts: list[str] = []
    last: dict[str, Json] = {}
    for line in text.splitlines():
        event = parsed(line.removeprefix("data:")) if line.startswith("data:") else {}
        choice = inner(event.get("choices"), 0)
        delta = inner(choice, "delta", "content")
        parts.append(delta if isinstance(delta, str) else "")
        finish = inner(choice, "finish_reason")
        last |= {"finish_reason": finish} if finish else {}
        last |= {"usage": event["usage"]} if event.get("usage") else {}
    message: Json = {"content": "".join(parts)}
    choice = {"message": message, "finish_reason": last.get("finish_reason")}
    return read_chat(json.dumps({"choices": [choice], "usage": last.get("usage")}))


async def _strip_headers(request: "httpx2.Request") -> None:
    """Send nothing that names or authorizes anybody, whatever the SDK's variables hold."""
    for name in set(request.headers) - _SENT_HEADERS:
        del request.headers[name]


async def _limit_body(response: "httpx2.Response") -> None:
    """Break off an answer that is too long to be one."""
    import httpx2

    assert isinstance(response.stream, httpx2.AsyncByteStream)
    stream: httpx2.AsyncByteStream = response.stream

    class Limited(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for chunk in stream:
                size += len(chunk)
                if size > LONGEST_BODY:
                    raise ProviderFailure(
                        f"the answer of {response.url.netloc.decode()} is longer than "
                        f"{LONGEST_BODY:,} bytes: check what listens there"
                    )
                yield chunk

        async def aclose(self) -> None:
            await stream.aclose()

    response.stream = Limited()
