"""Agent output out of a file or out of what a provider returned."""

from collections.abc import Mapping
from pathlib import Path

from workbench.errors import UnreadableInput
from workbench.records import Extraction, Json
from workbench.sources import read_document_text

MAX_INPUT_BYTES = 50 * 1024 * 1024
"""A larger file is not an agent's answer; reading it would only exhaust memory."""


def read_output(path_or_dict: str | Path | Mapping[str, Json]) -> str | Extraction:
    """The text of an agent output, or its extraction where a provider gave the citations.

    Raises:
        UnreadableInput: The file is missing, empty, binary, too large or of an unknown shape.
    """
    if isinstance(path_or_dict, Mapping):
        return _from_json(path_or_dict)
    path = Path(path_or_dict)
    try:
        size = path.stat().st_size
        if size > MAX_INPUT_BYTES:
            raise UnreadableInput(
                f"{path.name} has {size / 1e6:.0f} MB; outputs of up to "
                f"{MAX_INPUT_BYTES / 1e6:.0f} MB can be read. Split it into several files."
            )
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableInput(
            f"{path} cannot be read: {error.strerror or 'unknown reason'}."
        ) from None
    return read_bytes(data, path.name)


def read_bytes(data: bytes, name: str) -> str | Extraction:
    """What `read_output` gives, for bytes that were uploaded or piped in under a file name.

    Raises:
        UnreadableInput: The bytes are empty, binary or of an unknown shape.
    """
    return read_document_text(data, name)


def _from_json(raw: Mapping[str, Json]) -> str | Extraction:
    text = raw.get("text")
    if not isinstance(text, str):
        raise UnreadableInput(
            'The JSON holds no "text"; pass {"text": "…"} with the agent\'s answer in it.'
        )
    return text
