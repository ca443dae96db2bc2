"""The flag itself: around a function as a decorator, around a client as a context manager.

Pieces of an answer are handed on as they come, for good; the whole is checked after the last.
"""

import asyncio
import functools
import inspect
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterator,
    Mapping,
    Sequence,
)
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import ParamSpec, TypeVar, Unpack, cast, overload

from workbench.errors import UsageError
from workbench.interfaces.agent.answers import Call, Grounding, Hung, as_json, attach_grounding
from workbench.interfaces.agent.checks import (
    Checker,
    GroundingKeywords,
    bind_arguments,
    open_flag,
)
from workbench.masking import register_client
from workbench.records.text import Json

Finish = Callable[[object], Hung]
AFinish = Callable[[object], Coroutine[None, None, Hung]]


class StreamedAnswer:
    """What the pieces of a stream make together: a text, or an answer in its provider's shape.

    Read are strings, the events of Anthropic's messages, the chunks of chat completions, and the
    events of OpenAI's responses.
    """

    def __init__(self) -> None:
        self._text: list[str] = []
        self._blocks: dict[int, dict[str, Json]] = {}
        self._whole: Mapping[str, Json] | None = None

    def add(self, piece: object) -> None:
        """Take one piece; what holds no words is passed over."""
        if isinstance(piece, str):
            self._text.append(piece)
            return
        event = as_json(piece)
        if event is None:
            return
        kind = event.get("type")
        if kind in ("content_block_start", "content_block_delta"):
            self._block(event)
        elif kind in ("response.completed", "response.incomplete"):
            response = event.get("response")
            self._whole = response if isinstance(response, Mapping) else None
        elif isinstance(event.get("choices"), list):
            self._chunk(event)
        elif kind is None:
            for name in ("text", "content", "delta"):
                text = event.get(name)
                if isinstance(text, str):
                    self._text.append(text)
                    break

    def whole(self) -> object:
        """The answer as far as it came; an empty text where no piece held words."""
        if self._whole is not None:
            return self._whole
        if self._blocks:
            return {"type": "message", "content": [self._blocks[n] for n in sorted(self._blocks)]}
        return "".join(self._text)

    def _block(self, event: Mapping[str, Json]) -> None:
        number = event.get("index")
        block = self._blocks.setdefault(number if isinstance(number, int) else 0, {"type": "text"})
        start, delta = event.get("content_block"), event.get("delta")
        if isinstance(start, Mapping):
            block |= {key: value for key, value in start.items() if value is not None}
        if not isinstance(delta, Mapping):
            return
        text, cited = delta.get("text"), delta.get("citation")
        if delta.get("type") == "text_delta" and isinstance(text, str):
            block["text"] = f"{block.get('text') or ''}{text}"
        elif delta.get("type") == "citations_delta":
            before = block.get("citations")
            block["citations"] = [*(before if isinstance(before, list) else []), cited]

    def _chunk(self, event: Mapping[str, Json]) -> None:
        choices = event.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        delta = first.get("delta") if isinstance(first, Mapping) else None
        content = delta.get("content") if isinstance(delta, Mapping) else None
        if isinstance(content, str):
            self._text.append(content)


class GroundedStream(Iterator[object]):
    """A stream that hands its pieces on; `.grounding` is there once the last one was taken.

    Everything else (`close`, `response`, a `with` statement) is the stream's own.
    """

    def __init__(self, stream: Iterator[object], finish: Finish) -> None:
        self._stream = stream
        self._finish = finish
        self._pieces = StreamedAnswer()
        self.grounding: Hung | None = None

    def __next__(self) -> object:
        try:
            piece = next(self._stream)
        except StopIteration:
            if self.grounding is None:
                self.grounding = self._finish(self._pieces.whole())
            raise
        self._pieces.add(piece)
        return piece

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def __enter__(self) -> "GroundedStream":
        enter = getattr(self._stream, "__enter__", None)
        if enter:
            enter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        leave = getattr(self._stream, "__exit__", None) or getattr(self._stream, "close", None)
        if leave:
            leave(*((kind, error, trace) if hasattr(self._stream, "__exit__") else ()))


class AsyncGroundedStream(AsyncIterator[object]):
    """The same over an asynchronous stream."""

    def __init__(self, stream: AsyncIterator[object], finish: AFinish) -> None:
        self._stream = stream
        self._finish = finish
        self._pieces = StreamedAnswer()
        self.grounding: Hung | None = None

    async def __anext__(self) -> object:
        try:
            piece = await self._stream.__anext__()
        except StopAsyncIteration:
            if self.grounding is None:
                self.grounding = await self._finish(self._pieces.whole())
            raise
        self._pieces.add(piece)
        return piece

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    async def __aenter__(self) -> "AsyncGroundedStream":
        enter = getattr(self._stream, "__aenter__", None)
        if enter:
            await enter()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        leave = getattr(self._stream, "__aexit__", None)
        if leave:
            await leave(kind, error, trace)


P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")
Plain = Callable[..., object]

METHODS = (
    "messages.create", "messages.parse", "messages.stream",
    "beta.messages.create", "beta.messages.parse", "beta.messages.stream",
    "chat.completions.create", "chat.completions.parse", "chat.completions.stream",
    "responses.create", "responses.parse", "responses.stream",
)  # fmt: skip
"""What answers on the clients of Anthropic and OpenAI; those that a client has are wrapped."""
_FINALS = ("get_final_message", "get_final_completion", "get_final_response")
_WORKERS = 2


class GroundedKeywords(GroundingKeywords, total=False):
    """What `grounded` takes by keyword."""

    methods: Sequence[str]


@overload
def grounded(  # type: ignore[overload-overlap]  # a client cannot be called
    target: Callable[P, R], **options: Unpack[GroundedKeywords]
) -> Callable[P, R]: ...
@overload
def grounded(
    target: None = None, **options: Unpack[GroundedKeywords]
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
@overload
def grounded(target: C, **options: Unpack[GroundedKeywords]) -> AbstractContextManager[C]: ...
def grounded(target: object = None, **options: Unpack[GroundedKeywords]) -> object:
    """The function whose every answer carries `.grounding`, or such a client within `with`.

    `@grounded(sources=…)` goes around a function, plain or asynchronous; `with grounded(client) as
    client:` around an SDK's client, whose calls answer as ever until the block is left. Strings and
    dicts come back as strings and dicts that carry the attribute, objects as they are. A generator
    or stream hands its pieces on as they come and carries `.grounding` after the last one.

    The check never breaks an answer: with nothing to check it against, or on any fault, the answer
    comes back as it is and `.grounding` says why. A policy's decision stands in it; the answer is
    not altered.

    Args:
        target: A function, or a client of Anthropic or OpenAI; left out for a decorator with
            options.
        **options: Those of `verify`, and its own: `judge` (SPEC, several, or a Judge),
            `sources` as `verify` takes them,
            `sources_from` (the name of an argument or of the answer's key, or a function of the
            `Call`); without both, the documents in the request and in the answer. `check`
            (`citations`, `claims`, or `auto`: claims where nothing is cited), `allow_fetch`,
            `registry`, `check_references` and `indexes` (as `verify` takes them),
            `allowed_domains`, `snapshots`, `max_citations`, `scope` (as `verify` takes it),
            `embed`, `nli`, `supported_from`, `weak_from`, `web_search` and `max_searches` (for
            answers that cite nothing, as `ground` takes them; without embeddings the check is
            skipped), `standalone` (a language model also rewrites each claim to stand alone), `policy` (a
            file, a name, a Policy),
            `store` (where runs are kept), `name` (of kept runs), `max_cost_usd` (one answer; 1.00)
            and `max_total_usd` (all of them), `where` (`inline`, or `background`: `.grounding` is
            a Future), `on_grounding` (called with the call and its grounding), `methods` (of an
            agent of your own, by dotted name).

    Raises:
        UsageError: An option is unknown, the policy cannot be used, or the target has no method
            that answers.
    """
    methods = options.pop("methods", None)
    wrapper = _Wrapper(cast("GroundingKeywords", options))
    if target is None:
        return wrapper.around
    if callable(target) and methods is None and not _methods_of(target, METHODS):
        return wrapper.around(target)
    names = METHODS if methods is None else tuple(methods)
    return _patched(target, names, wrapper)


class _Wrapper:
    """One flag at work."""

    def __init__(self, options: GroundingKeywords) -> None:
        name = options.get("name")
        self._named = bool(name)
        self._options = options
        self.checker = Checker(open_flag(options))
        self._pool: ThreadPoolExecutor | None = None

    def around(self, function: Callable[P, R]) -> Callable[P, R]:
        """The function with the flag."""
        if not self._named:
            name = getattr(function, "__qualname__", type(function).__name__)
            self.checker = Checker(open_flag({**self._options, "name": name}))
        return cast("Callable[P, R]", self.wrapped(cast("Plain", function)))

    def wrapped(self, function: Plain) -> Plain:
        """A function that answers as the given one, each answer with its grounding."""
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def answer_later(*args: object, **kwargs: object) -> object:
                if self.checker.busy_here:
                    return await function(*args, **kwargs)
                answer = await function(*args, **kwargs)
                return await self._ground_async(self._call(function, args, kwargs, answer))

            return answer_later

        @functools.wraps(function)
        def answer_now(*args: object, **kwargs: object) -> object:
            answer = function(*args, **kwargs)
            if self.checker.busy_here:
                return answer
            return self._ground(self._call(function, args, kwargs, answer))

        return answer_now

    def finished(self, request: Call, answer: object) -> object:
        """The whole answer that a stream ended in, with its grounding."""
        return self._ground(_call_with_answer(request, answer))

    def close(self) -> None:
        """Wait for the checks in the background."""
        if self._pool:
            self._pool.shutdown(wait=True)
            self._pool = None

    @staticmethod
    def _call(
        function: Plain, args: tuple[object, ...], kwargs: dict[str, object], answer: object
    ) -> Call:
        return Call(args=args, kwargs={**bind_arguments(function, args), **kwargs}, answer=answer)

    def _ground(self, call: Call) -> object:
        answer = call.answer
        if inspect.isawaitable(answer):
            return self._ground_awaited(call, answer)
        if hasattr(answer, "__anext__"):
            return AsyncGroundedStream(
                cast("AsyncIterator[object]", answer), self._afinish_of(call)
            )
        if hasattr(answer, "__next__"):
            return GroundedStream(
                cast("Iterator[object]", answer),
                lambda full_answer: self._grounding_of(_call_with_answer(call, full_answer)),
            )
        if hasattr(answer, "__enter__") or hasattr(answer, "__aenter__"):
            return _Manager(answer, self, call) if _is_stream_manager(answer) else answer
        return attach_grounding(answer, self._grounding_of(call))

    async def _ground_async(self, call: Call) -> object:
        answer = call.answer
        if hasattr(answer, "__anext__") or hasattr(answer, "__next__"):
            return self._ground(call)
        return attach_grounding(answer, await self._agrounding_of(call))

    async def _ground_awaited(self, call: Call, answer: Awaitable[object]) -> object:
        return await self._ground_async(_call_with_answer(call, await answer))

    def _afinish_of(self, call: Call) -> AFinish:
        async def finish(full_answer: object) -> Hung:
            return await self._agrounding_of(_call_with_answer(call, full_answer))

        return finish

    def _grounding_of(self, call: Call) -> Hung:
        if self.checker.flag.where == "background":
            return self._submit(call)
        return self.checker.check(call)

    async def _agrounding_of(self, call: Call) -> Hung:
        if self.checker.flag.where == "background":
            return self._submit(call)
        return await asyncio.to_thread(self.checker.check, call)

    def _submit(self, call: Call) -> Future[Grounding]:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="grounding")
        return self._pool.submit(self.checker.check, call)


class _Manager:
    """What an SDK's `stream(…)` gives for a `with` statement; its final answer is grounded."""

    def __init__(self, manager: object, wrapper: _Wrapper, call: Call) -> None:
        self._manager = manager
        self._wrapper = wrapper
        self._request = call

    def __enter__(self) -> object:
        return self._wrap_finals(self._manager.__enter__())  # type: ignore[attr-defined]

    def __exit__(self, *exception_info: object) -> object:
        return self._manager.__exit__(*exception_info)  # type: ignore[attr-defined]

    async def __aenter__(self) -> object:
        return self._wrap_finals(await self._manager.__aenter__())  # type: ignore[attr-defined]

    async def __aexit__(self, *exception_info: object) -> object:
        return await self._manager.__aexit__(*exception_info)  # type: ignore[attr-defined]

    def _wrap_finals(self, stream: object) -> object:
        for name in _FINALS:
            method = getattr(stream, name, None)
            if method is not None:
                setattr(stream, name, self._wrap_final(method))
        return stream

    def _wrap_final(self, method: Plain) -> Plain:
        @functools.wraps(method)
        def final(*args: object, **kwargs: object) -> object:
            return self._wrapper.finished(self._request, method(*args, **kwargs))

        return final


def _is_stream_manager(answer: object) -> bool:
    return type(answer).__name__.endswith("StreamManager")


def _call_with_answer(call: Call, answer: object) -> Call:
    return Call(args=call.args, kwargs=call.kwargs, answer=answer)


def _methods_of(target: object, names: Sequence[str]) -> list[tuple[object, str]]:
    """Those of the dotted names that lead to a method: what it hangs on, and its own name."""
    methods = []
    for dotted in names:
        *path, name = dotted.split(".")
        owner: object | None = target
        for step in path:
            owner = getattr(owner, step, None)
        if owner is not None and callable(getattr(owner, name, None)):
            methods.append((owner, name))
    return methods


def _patched(target: C, names: Sequence[str], wrapper: _Wrapper) -> AbstractContextManager[C]:
    """The target with its methods wrapped until the block is left.

    Raises:
        UsageError: It has none of the methods.
    """
    register_client(target)
    methods = _methods_of(target, names)
    if not methods:
        raise UsageError(
            f"A {type(target).__name__} has none of the expected methods ({', '.join(names[:3])}, "
            f"…); name yours with methods=('run',)."
        )

    @contextmanager
    def block() -> Iterator[C]:
        originals = [(owner, name, vars(owner).get(name)) for owner, name in methods]
        for owner, name in methods:
            setattr(owner, name, wrapper.wrapped(getattr(owner, name)))
        try:
            yield target
        finally:
            for owner, name, original in reversed(originals):
                if original is None:
                    delattr(owner, name)
                else:
                    setattr(owner, name, original)
            wrapper.close()

    return block()
