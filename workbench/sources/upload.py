"""The text of an agent's output that somebody uploads as a file."""

import json

from workbench.errors import UnreadableInput
from workbench.records.format import file_size
from workbench.records.text import Json
from workbench.sources.reading.decode import decode, looks_binary
from workbench.sources.reading.docx import DOCX, is_docx
from workbench.sources.reading.parsed import Unparsable
from workbench.sources.reading.pool import ContentMetadata, shared_pool

MAX_UPLOAD_BYTES = 50 * 1024 * 1024

_SUPPORTED = ".txt, .md, .json, .docx or .pdf"


def read_uploaded_text(data: bytes, name: str) -> str:
    """The text of an uploaded `.txt`, `.md`, `.docx` or `.pdf`, line for line; JSON as it stands.

    Args:
        data: The file's bytes; any charset.
        name: The file's name, for messages and for its ending.

    Raises:
        UnreadableInput: empty, binary, encrypted or scanned.
    """
    file_name = name.rsplit("/", 1)[-1] or "The file"
    if len(data) > MAX_UPLOAD_BYTES:
        raise UnreadableInput(
            f"{file_name} is larger than {file_size(MAX_UPLOAD_BYTES)}: provide only the answer."
        )
    if not data.strip():
        raise UnreadableInput(f"{file_name} is empty: there is no text to check.")
    if b"%PDF-" in data[:1024] or file_name.lower().endswith(".pdf"):
        text = _pdf_text(data, file_name)
    elif file_name.lower().endswith(".docx") or is_docx(data):
        text = _parsed_text(data, file_name, DOCX)
    elif looks_binary(data):
        raise UnreadableInput(f"{file_name} is not text: provide the answer as {_SUPPORTED}.")
    else:
        text = decode(data)
    if not text.strip():
        raise UnreadableInput(f"{file_name} is empty: there is no text to check.")
    return text


def _pdf_text(data: bytes, file_name: str) -> str:
    if b"%PDF-" not in data[:1024]:
        raise UnreadableInput(f"{file_name} is not a PDF, despite its name: use {_SUPPORTED}.")
    return _parsed_text(data, file_name, "application/pdf")


def _parsed_text(data: bytes, file_name: str, content_type: str) -> str:
    try:
        return (
            shared_pool()
            .parse_blocking(data, ContentMetadata(content_type=content_type, keep_lines=True))
            .text
        )
    except Unparsable as bad:
        raise UnreadableInput(f"{file_name}: {bad.message}") from bad


def read_document_json(data: bytes, name: str) -> Json:
    """The JSON of an upload; any charset.

    Raises:
        UnreadableInput: empty, too large, or no JSON.
    """
    file_name = name.rsplit("/", 1)[-1] or "The file"
    text = read_uploaded_text(data, name)
    try:
        loaded: Json = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as bad:
        why = bad if isinstance(bad, ValueError) else "too deeply nested to be read"
        raise UnreadableInput(
            f"{file_name} is not valid JSON ({why}): fix it or use .txt."
        ) from bad
    return loaded
