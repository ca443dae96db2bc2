"""Asking the client's own model: by a request in the middle of a call, or by rounds of one call.

Clients with a handshake are sent `sampling/createMessage` while the call goes on. Since the protocol
of 2026-07-28 a server sends no requests: the call returns with its questions, and the client calls
again with the answers. The run goes on meanwhile, and what is not answered ends as a state.
"""

import asyncio
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

import anyio
from anyio import to_thread
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    CallToolResult,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    InputRequests,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
)
from mcp_types.version import is_version_at_least
from pydantic import ValidationError

from workbench.errors import UsageError
from workbench.services.client_judge import (
    ClientAnswer,
    ClientRefusal,
    Question,
    open_client_judge,
)
from workbench.services.judges import Judge

Work = Callable[[Judge, threading.Event], CallToolResult]
"""Does the call with a judge, in a thread of its own, until the event is set."""
_ROUNDS_SINCE = "2026-07-28"
_SETTLED_S, _LONGEST_SETTLED_S = 0.05, 5.0
"""So long no further question comes before a round ends; doubled each round, as clients count them."""
MOST_RUNS = 16
"""Runs that wait for their clients at the same time."""
NO_SAMPLING = (
    "This client does not offer sampling, so its model cannot be asked: use `local`, another "
    "model, or a client that offers it."
)

NO_WAY_BACK = (
    "This connection takes no questions back to the client, so its model cannot be asked: use "
    "`local`, another model, or a client of the protocol 2026-07-28."
)


@dataclass(slots=True)
class _Run:
    """A call that goes on between its rounds."""

    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    stop: threading.Event = field(default_factory=threading.Event)
    done: "Future[CallToolResult]" = field(default_factory=Future)
    waiting: SimpleQueue[tuple[Question, "Future[ClientAnswer]"]] = field(
        default_factory=SimpleQueue
    )
    """Questions that were not sent yet."""
    sent: dict[str, "Future[ClientAnswer]"] = field(default_factory=dict)
    asked_at: float = 0.0
    rounds: int = 0

    def ask(self, question: Question) -> "Future[ClientAnswer]":
        """Hold a question until the next round; called in the run's thread."""
        future: Future[ClientAnswer] = Future()
        self.asked_at = time.monotonic()
        self.waiting.put((question, future))
        return future

    def take(self, answers: Mapping[str, Any]) -> None:
        """Give the answers of a round to those who asked."""
        for key, future in self.sent.items():
            if not future.set_running_or_notify_cancel():
                continue  # it waited too long
            try:
                future.set_result(_answer(answers.get(key)))
            except ClientRefusal as refusal:
                future.set_exception(refusal)
        self.sent = {}

    async def next(self) -> CallToolResult | InputRequiredResult:
        """The result, or the questions of the next round."""
        settled_s = min(_SETTLED_S * 2**self.rounds, _LONGEST_SETTLED_S)
        while not self.done.done():
            if self.waiting.qsize() and time.monotonic() - self.asked_at > settled_s:
                self.rounds += 1
                requests: InputRequests = {}
                while self.waiting.qsize():
                    question, future = self.waiting.get()
                    key = uuid.uuid4().hex
                    self.sent[key] = future
                    requests[key] = CreateMessageRequest(params=_params(question))
                return InputRequiredResult(input_requests=requests, request_state=self.key)
            await anyio.sleep(0.01)
        return self.done.result()


class ClientRuns:
    """The runs of a server that wait for answers of their clients."""

    def __init__(self) -> None:
        self._runs: dict[str, _Run] = {}

    async def call(
        self, context: Context[Any, Any], max_calls: int, work: Work
    ) -> CallToolResult | InputRequiredResult:
        """What a call with the client's model as the judge gives, or what it asks first.

        Raises:
            UsageError: The client offers no sampling, or the run of its answers is gone.
        """
        capabilities = context.client_capabilities
        if capabilities is None or capabilities.sampling is None:
            raise UsageError(NO_SAMPLING)
        if not is_version_at_least(context.protocol_version or "", _ROUNDS_SINCE):
            if not context.session.can_send_request:
                raise UsageError(NO_WAY_BACK)
            stop = threading.Event()
            judge = open_client_judge(_sender(context), max_calls)
            try:
                return await to_thread.run_sync(lambda: work(judge, stop), abandon_on_cancel=True)
            except anyio.get_cancelled_exc_class():
                stop.set()
                raise
        run = self._run_of(context.request_state, max_calls, work)
        run.take(context.input_responses or {})
        try:
            result = await run.next()
        except anyio.get_cancelled_exc_class():
            run.stop.set()
            raise
        finally:
            if run.done.done():
                self._runs.pop(run.key, None)
        return result

    def _run_of(self, state: str | None, max_calls: int, work: Work) -> _Run:
        """The run of a state, or a new one without a state."""
        if state is not None:
            if state not in self._runs:
                raise UsageError("The run of these answers is no longer under way: start it again.")
            return self._runs[state]
        self._runs = {key: run for key, run in self._runs.items() if not run.done.done()}
        if len(self._runs) >= MOST_RUNS:
            raise UsageError(
                f"{MOST_RUNS} runs wait for answers of their clients already: try again later."
            )
        run = _Run()
        self._runs[run.key] = run

        def go_on() -> None:
            try:
                run.done.set_result(work(open_client_judge(run.ask, max_calls), run.stop))
            except BaseException as error:
                run.done.set_exception(error)

        # it outlives this request, and holds up nobody who ends the server
        threading.Thread(target=go_on, name="client-run", daemon=True).start()
        return run


def _sender(context: Context[Any, Any]) -> Callable[[Question], "Future[ClientAnswer]"]:
    """Sends a question to the client from the thread of a run."""
    loop = asyncio.get_running_loop()
    session = context.session
    metadata = ServerMessageMetadata(related_request_id=context.request_id)

    async def send(question: Question) -> ClientAnswer:
        request = CreateMessageRequest(params=_params(question))
        try:
            result = await session.send_request(request, CreateMessageResult, metadata=metadata)
        except MCPError as error:
            raise ClientRefusal(f"the client refused ({error.message})") from None
        except ValidationError:
            raise ClientRefusal("the client's answer is no message of a model") from None
        return _answer(result)

    return lambda question: asyncio.run_coroutine_threadsafe(send(question), loop)


def _params(question: Question) -> CreateMessageRequestParams:
    content = TextContent(type="text", text=question.message)
    return CreateMessageRequestParams(
        messages=[SamplingMessage(role="user", content=content)],
        system_prompt=question.system,
        max_tokens=question.max_tokens,
        temperature=0.0,
        include_context="none",
    )


def _answer(result: object) -> ClientAnswer:
    """The text of a client's answer.

    Raises:
        ClientRefusal: There is none.
    """
    if result is None:
        raise ClientRefusal("the client gave no answer")
    content = getattr(result, "content", None)
    parts = content if isinstance(content, list) else [content]
    texts = [part.text for part in parts if isinstance(part, TextContent)]
    if not texts:
        raise ClientRefusal("the client's answer is no text")
    return ClientAnswer(
        text="\n".join(texts), cut=getattr(result, "stop_reason", None) == "maxTokens"
    )
