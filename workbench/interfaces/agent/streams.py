"""Answers that come in pieces: each is handed on as it comes, the whole is checked after the last.

A piece cannot be taken back once it was handed on; who wants an answer held until the verdict asks
for it whole.
"""

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from types import TracebackType

from workbench.interfaces.agent.answers import Hung, as_json
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
