"""A local server that speaks both providers' wire protocols: Messages, Chat Completions, Responses.

    with FakeProvider() as server:
        server.queue(Answer(text='{"label": …}'), Answer(status=429, headers={"retry-after": "0"}))
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url) …

Each request takes the next queued answer, else what `server.reply(request)` returns. Requests are
recorded with their path, headers and JSON; `billed` adds up the tokens of every answer with usage.
"""

import json
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """What the server answers to one request."""

    text: str = "{}"
    input_tokens: int = 100
    output_tokens: int = 50
    stop: str = "end"
    """`end`, `length` or `refusal`."""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    raw: bytes | None = None
    """The whole body as it is, instead of a well-formed one."""
    usage: bool = True
    cache_read: int = 0
    """Tokens that came out of the provider's prompt cache, beside `input_tokens`."""
    cache_written: int = 0
    hang_up: bool = False
    """Close the connection without an answer."""
    error: str = "scripted error"


@dataclass
class ReceivedRequest:
    """A request as the server received it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def api(self) -> str:
        """`messages`, `chat` or `responses`."""
        return "chat" if "chat/completions" in self.path else self.path.rsplit("/", 1)[-1]

    @property
    def prompt(self) -> str:
        """Everything the model would read."""
        if self.api == "messages":
            message = self.body["messages"][0]["content"]
            return str(self.body.get("system", "")) + "\n" + _flat(message)
        if self.api == "chat":
            return "\n".join(_flat(m["content"]) for m in self.body["messages"])
        return f"{self.body.get('instructions', '')}\n{_flat(self.body.get('input', ''))}"


def _flat(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content)


def verdict(label: str = "supported", quote: str | list[str] = "", **more: Any) -> str:
    """A well-formed reply."""
    quotes = [quote] if isinstance(quote, str) and quote else list(quote)
    return json.dumps(
        {
            "reasoning": "The passages were read.",
            "quotes": quotes,
            "missing": [],
            "label": label,
            "confidence": 0.9,
            "rationale": "Because it says so.",
            **more,
        }
    )


class Batches:
    """Both batch APIs: every question is answered by `server.reply`, results come at once."""

    def __init__(self, server: "FakeProvider") -> None:
        self._server = server
        self._files: dict[str, bytes] = {}
        self.failing: set[str] = set()
        """Custom ids that end in an error."""
        self.fail_number: int | None = None
        """Which question of a batch, counted from 0, ends in an error."""
        self.done = True
        self.handed_in: list[list[str]] = []
        """The custom ids of every batch, in order."""
        self.made: list[tuple[datetime, dict[str, str]]] = []
        """When each was handed in, and its metadata."""
        self.asked = threading.Event()
        """Set when somebody asks how far a batch is."""

    def takes(self, path: str) -> bool:
        return path in ("/v1/messages/batches", "/v1/files", "/v1/batches")

    def post(self, path: str, raw: bytes) -> tuple[int, bytes]:
        if path == "/v1/files":
            lines = [line for line in raw.split(b"\n") if line.startswith(b'{"custom_id"')]
            name = f"file-in-{len(self._files)}"
            self._files[name] = b"\n".join(line.strip() for line in lines)
            return 200, json.dumps({"id": name, "object": "file", "bytes": 1}).encode()
        if path == "/v1/batches":
            fields = json.loads(raw)
            lines = self._lines(fields["input_file_id"])
            name = self._new_name(lines, fields.get("metadata") or {})
            self._files[name] = b"\n".join(map(self._chat, lines))
            return 200, json.dumps(self._openai(name)).encode()
        requests = json.loads(raw)["requests"]
        name = self._new_name(requests)
        self._files[name] = b"\n".join(map(self._message, requests))
        return 200, json.dumps(self._anthropic(name)).encode()

    def _new_name(
        self, questions: list[dict[str, Any]], metadata: dict[str, str] | None = None
    ) -> str:
        """The name of a new batch: b1, b2, …"""
        self.made.append((datetime.now(UTC), metadata or {}))
        ids = [str(question["custom_id"]) for question in questions]
        self.handed_in.append(ids)
        if self.fail_number is not None:
            self.failing.add(ids[self.fail_number])
        return f"b{len(self.handed_in)}"

    def get(self, path: str) -> tuple[int, bytes]:
        path, _, query = path.partition("?")
        parts = path.split("/")
        if path in ("/v1/batches", "/v1/messages/batches"):
            shape = self._openai if path == "/v1/batches" else self._anthropic
            newest = [shape(f"b{number}") for number in range(len(self.made), 0, -1)]
            # one per page, so that a client has to follow the pages
            at = next((i + 1 for i, batch in enumerate(newest) if f"={batch['id']}" in query), 0)
            page = newest[at : at + 1]
            body: dict[str, Any] = {"data": page, "has_more": at + 1 < len(newest)}
            if page:
                body |= {"first_id": page[0]["id"], "last_id": page[-1]["id"]}
            return 200, json.dumps({"object": "list", **body}).encode()
        if path.startswith("/v1/messages/batches") and path.endswith("/results"):
            return 200, self._files[parts[-2]]
        if path.startswith("/v1/messages/batches/") and parts[-1] in self._files:
            self.asked.set()
            return 200, json.dumps(self._anthropic(parts[-1])).encode()
        if path.startswith("/v1/batches/") and parts[-1] in self._files:
            self.asked.set()
            return 200, json.dumps(self._openai(parts[-1])).encode()
        if path.startswith("/v1/files/file-out-"):
            return 200, self._files[parts[-2].removeprefix("file-out-")]
        return 404, b'{"error": {"message": "no such thing"}}'

    def _lines(self, name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._files[name].split(b"\n")]

    def _message(self, request: dict[str, Any]) -> bytes:
        provider_request = ReceivedRequest("/v1/messages", {}, request["params"])
        result: dict[str, Any] = {"type": "errored", "error": {"type": "error", "error": {}}}
        if request["custom_id"] not in self.failing:
            message = wire(provider_request, self._server.reply(provider_request))
            result = {"type": "succeeded", "message": message}
        return json.dumps({"custom_id": request["custom_id"], "result": result}).encode()

    def _chat(self, request: dict[str, Any]) -> bytes:
        provider_request = ReceivedRequest("/v1/chat/completions", {}, request["body"])
        response: dict[str, Any] = {"status_code": 500, "body": {}}
        if request["custom_id"] not in self.failing:
            response = {
                "status_code": 200,
                "body": wire(provider_request, self._server.reply(provider_request)),
            }
        return json.dumps({"custom_id": request["custom_id"], "response": response}).encode()

    def _anthropic(self, name: str) -> dict[str, Any]:
        counts = dict.fromkeys(["processing", "succeeded", "errored", "canceled", "expired"], 0)
        url = f"{self._server.url}/v1/messages/batches/{name}/results"
        return {
            "id": name,
            "type": "message_batch",
            "processing_status": "ended" if self.done else "in_progress",
            "request_counts": {**counts, "succeeded": len(self.handed_in[int(name[1:]) - 1])},
            "results_url": url if self.done else None,
            "created_at": self.made[int(name[1:]) - 1][0].isoformat(),
            "expires_at": "2036-01-02T00:00:00Z",
        }

    def _openai(self, name: str) -> dict[str, Any]:
        return {
            "id": name,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "input_file_id": "file-in",
            "completion_window": "24h",
            "status": "completed" if self.done else "in_progress",
            "output_file_id": f"file-out-{name}" if self.done else None,
            "created_at": int(self.made[int(name[1:]) - 1][0].timestamp()),
            "metadata": self.made[int(name[1:]) - 1][1],
            "request_counts": {"total": 2, "completed": 1, "failed": 1},
        }


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # the default of 5 resets connections when 20 come at once


class FakeProvider:
    """The server; use it as a context manager."""

    def __init__(self, reply: Callable[[ReceivedRequest], Answer] | None = None) -> None:
        self.reply = reply or (lambda request: Answer())
        self.requests: list[ReceivedRequest] = []
        self.missing: set[str] = set()
        """APIs that answer 404: `messages`, `chat`, `responses`."""
        self.models: list[str] = []
        """The names that `GET /v1/models` lists."""
        self.model_list: Answer | None = None
        """What that answers instead, with its `raw` body."""
        self.listed = 0
        """How often it was asked for."""
        self.billed_input = 0
        self.billed_output = 0
        self.most_at_once = 0
        self.batches = Batches(self)
        self._at_once = 0
        self._queue: deque[Answer] = deque()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def queue(self, *answers: Answer) -> None:
        self._queue.extend(answers)

    def __enter__(self) -> "FakeProvider":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _take(self, request: ReceivedRequest) -> Answer:
        with self._lock:
            self.requests.append(request)
            queued = self._queue.popleft() if self._queue else None
        answer = queued or self.reply(request)
        if request.api in self.missing:
            answer = Answer(status=404, error="Unknown request URL")
        if answer.status == 200 and not answer.hang_up:
            with self._lock:
                self.billed_input += answer.input_tokens
                self.billed_output += answer.output_tokens
        return answer

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                if self.path == "/v1/models":
                    fake.listed += 1
                    listed = fake.model_list or Answer(raw=models_body(fake.models))
                    time.sleep(listed.delay_s)
                    self._send(listed.status, listed.raw or b"")
                    return
                self._send(*fake.batches.get(self.path))

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length", 0))
                raw = self.rfile.read(length)
                if fake.batches.takes(self.path):
                    self._send(*fake.batches.post(self.path, raw))
                    return
                body = json.loads(raw or b"{}")
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = ReceivedRequest(self.path, headers, body)
                with fake._lock:
                    fake._at_once += 1
                    fake.most_at_once = max(fake.most_at_once, fake._at_once)
                try:
                    self._answer(request, fake._take(request))
                finally:
                    with fake._lock:
                        fake._at_once -= 1

            def _send(self, status: int, payload: bytes) -> None:
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(payload)))
                self.end_headers()
                with suppress(BrokenPipeError, ConnectionResetError):  # it had enough
                    self.wfile.write(payload)

            def _answer(self, request: ReceivedRequest, answer: Answer) -> None:
                time.sleep(answer.delay_s)
                if answer.hang_up:
                    self.close_connection = True
                    return
                payload, kind = answer.raw, "application/json"
                if payload is None and answer.status == 200 and request.body.get("stream"):
                    payload, kind = streamed(wire(request, answer)), "text/event-stream"
                if payload is None:
                    payload = json.dumps(wire(request, answer)).encode()
                try:
                    self.send_response(answer.status)
                    self.send_header("content-type", kind)
                    self.send_header("content-length", str(len(payload)))
                    for name, value in answer.headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(payload)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

        return Handler


def models_body(names: list[str]) -> bytes:
    """The list of models as servers with the OpenAI API write it."""
    entries = [{"id": name, "object": "model", "owned_by": "library"} for name in names]
    return json.dumps({"object": "list", "data": entries}).encode()


def wire(request: ReceivedRequest, answer: Answer) -> dict[str, Any]:
    """The answer's body in the protocol of the request."""
    if answer.status != 200:
        kind = {"type": "error", "code": answer.status, "message": answer.error}
        return {"type": "error", "error": kind}
    shapes = {"messages": _message, "chat": _chat, "responses": _response}
    response = shapes[request.api](request, answer)
    if not answer.usage:
        response.pop("usage")
    return response


def streamed(completion: dict[str, Any]) -> bytes:
    """A chat completion as server-sent events, word by word."""
    head = {**completion, "object": "chat.completion.chunk"}
    usage = head.pop("usage", None)
    choice = head.pop("choices")[0]
    words = (choice["message"]["content"] or "").split(" ")
    deltas = [{"role": "assistant", "content": ""}]
    deltas += [{"content": word if n == 0 else f" {word}"} for n, word in enumerate(words)]
    chunks = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
    chunks.append([{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}])
    events = [{**head, "choices": choices} for choices in chunks]
    if usage:
        events.append({**head, "choices": [], "usage": usage})
    return (
        b"".join(f"data: {json.dumps(event)}\n\n".encode() for event in events)
        + b"data: [DONE]\n\n"
    )


def _message(request: ReceivedRequest, answer: Answer) -> dict[str, Any]:
    stop_reasons = {"end": "end_turn", "length": "max_tokens", "refusal": "refusal"}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request.body.get("model"),
        "content": [{"type": "text", "text": answer.text}],
        "stop_reason": stop_reasons[answer.stop],
        "stop_sequence": None,
        "usage": {
            "input_tokens": answer.input_tokens,
            "output_tokens": answer.output_tokens,
            "cache_creation_input_tokens": answer.cache_written,
            "cache_read_input_tokens": answer.cache_read,
        },
    }


def _chat(request: ReceivedRequest, answer: Answer) -> dict[str, Any]:
    is_refusal = answer.stop == "refusal"
    message = {
        "role": "assistant",
        "content": None if is_refusal else answer.text,
        "refusal": answer.text if is_refusal else None,
    }
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": request.body.get("model"),
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": "length" if answer.stop == "length" else "stop",
            }
        ],
        "usage": {
            "prompt_tokens": answer.input_tokens + answer.cache_read,
            "completion_tokens": answer.output_tokens,
            "total_tokens": answer.input_tokens + answer.cache_read + answer.output_tokens,
            "prompt_tokens_details": {"cached_tokens": answer.cache_read},
        },
    }


def _response(request: ReceivedRequest, answer: Answer) -> dict[str, Any]:
    is_refusal = answer.stop == "refusal"
    part = (
        {"type": "refusal", "refusal": answer.text}
        if is_refusal
        else {"type": "output_text", "text": answer.text, "annotations": []}
    )
    is_cut_off = answer.stop == "length"
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": request.body.get("model"),
        "status": "incomplete" if is_cut_off else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if is_cut_off else None,
        "output": [
            {
                "id": "out_1",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
        ],
        "usage": {
            "input_tokens": answer.input_tokens + answer.cache_read,
            "input_tokens_details": {"cached_tokens": answer.cache_read},
            "output_tokens": answer.output_tokens,
            "total_tokens": answer.input_tokens + answer.cache_read + answer.output_tokens,
        },
    }
