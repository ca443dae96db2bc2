"""The text of an agent's output that somebody uploads as a file."""

import json
from collections.abc import Mapping, Sequence

from workbench.errors import UnreadableInput
from workbench.records import Json
from workbench.sources.reading.decode import decode, looks_binary
from workbench.sources.reading.parsed import Unparsable
from workbench.sources.reading.pool import Head, shared_pool

MAX_UPLOAD_BYTES = 50 * 1024 * 1024

_SUPPORTED = ".txt, .md, .json or .pdf"
_TEXT_KEYS = (
    "output", "output_text", "text", "answer", "content", "article", "response", "report",
    "message", "completion", "result", "markdown", "body",
)  # fmt: skip


def read_document_text(data: bytes, name: str) -> str:
    """The text of an uploaded `.txt`, `.md`, `.json` or `.pdf`, line for line.

    Args:
        data: The file's bytes; any charset.
        name: The file's name, for messages and for its ending.

    Raises:
        UnreadableInput: empty, binary, encrypted or scanned, or JSON without an answer's text.
    """
    shown = name.rsplit("/", 1)[-1] or "The file"
    if len(data) > MAX_UPLOAD_BYTES:
        raise UnreadableInput(
            f"{shown} is larger than {MAX_UPLOAD_BYTES // 2**20} MiB: give the answer alone."
        )
    if not data.strip():
        raise UnreadableInput(f"{shown} is empty: there is no text to check.")
    if b"%PDF-" in data[:1024] or shown.lower().endswith(".pdf"):
        text = _pdf_text(data, shown)
    elif looks_binary(data):
        raise UnreadableInput(f"{shown} is not text: give the answer as {_SUPPORTED}.")
    else:
        text = decode(data)
        if shown.lower().endswith(".json"):
            text = _json_text(text, shown)
    if not text.strip():
        raise UnreadableInput(f"{shown} is empty: there is no text to check.")
    return text


def _pdf_text(data: bytes, shown: str) -> str:
    if b"%PDF-" not in data[:1024]:
        raise UnreadableInput(f"{shown} is not a PDF, whatever its name: give {_SUPPORTED}.")
    try:
        return (
            shared_pool()
            .parse_blocking(data, Head(content_type="application/pdf", keep_lines=True))
            .text
        )
    except Unparsable as bad:
        raise UnreadableInput(f"{shown}: {bad.message}") from bad


def _json_text(text: str, shown: str) -> str:
    try:
        loaded: Json = json.loads(text)
    except (ValueError, RecursionError) as bad:
        raise UnreadableInput(f"{shown} is not valid JSON ({bad}): mend it or give .txt.") from bad
    found = _answer(loaded)
    if found is None:
        raise UnreadableInput(
            f"{shown} holds no answer's text: give a JSON string, or an object with an `output` or "
            "`text`."
        )
    return found


def _answer(value: Json) -> str | None:
    """The text of an answer in the shapes that answers are saved in."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        choices = value.get("choices")
        if isinstance(choices, Sequence) and not isinstance(choices, str) and choices:
            return _answer(choices[0])
        messages = value.get("messages")
        if isinstance(messages, Sequence) and not isinstance(messages, str) and messages:
            return _last_answer(messages)
        for key in _TEXT_KEYS:
            if key in value:
                found = _answer(value[key])
                if found:
                    return found
        return None
    if isinstance(value, Sequence):
        texts = [_answer(part) for part in value if _is_text_part(part)]
        return "\n".join(text for text in texts if text) or None
    return None


def _last_answer(messages: Sequence[Json]) -> str | None:
    for message in reversed(messages):
        if isinstance(message, Mapping) and message.get("role") in ("assistant", "model"):
            return _answer(message.get("content"))
    return _answer(messages[-1])


def _is_text_part(part: Json) -> bool:
    return isinstance(part, str) or (
        isinstance(part, Mapping) and part.get("type", "text") in ("text", "output_text", "message")
    )
