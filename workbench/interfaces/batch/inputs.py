"""The outputs of a batch, one after another: files of a folder, lines of a JSONL file."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import UnreadableInput, UsageError
from workbench.records.citation import Extraction
from workbench.records.text import Json, JsonDict
from workbench.services.inputs import (
    MAX_INPUT_BYTES,
    adjacent_question,
    given_sources,
    read_bytes,
    read_output,
    sources_within,
)

if TYPE_CHECKING:
    from workbench.services.verification import VerifyOptions

ENDINGS = (".md", ".markdown", ".txt", ".json", ".pdf", ".docx", ".bib", ".ris", ".html", ".htm")
LONGEST_LINE = 50 * 1024 * 1024
_TEXT_FIELDS = ("text", "output", "response", "answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One output before it is read."""

    path: Path
    line: int | None = None
    """Counted from 1, in a JSONL file."""
    body: bytes | None = None
    """What it holds; None for a file, which is loaded when its turn comes."""

    @property
    def name(self) -> str:
        """The file, and the line in it."""
        return str(self.path) if self.line is None else f"{self.path}:{self.line}"

    @property
    def key(self) -> str:
        """Of its name and content: the same output is not run again."""
        name = self.name.encode("utf-8", "surrogatepass")
        return hashlib.sha256(name + b"\0" + (self.body or b"")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One output, read: its text with what was found in it, and the sources that came along."""

    text: str | Extraction
    sources: Sequence[Mapping[str, Json]] | None = None
    question: str | None = None
    """What it answers, where its line says so beside it."""

    def of(self, options: "VerifyOptions") -> "VerifyOptions":
        """The options of a batch as they are for this output."""
        if self.sources is not None:
            options = replace(options, sources=self.sources)
        return replace(options, question=self.question) if self.question else options


def entries(paths: Sequence[Path]) -> Iterator[Entry]:
    """The outputs of files and folders, in a fixed order; JSONL files line by line.

    Folders are walked in the order of their names; what is no text, JSON or PDF is passed over.
    One line is in memory at a time.

    Raises:
        UsageError: A path does not exist.
    """
    for path in paths:
        if not path.exists():
            raise UsageError(f"There is no file or folder {path}; name outputs that exist.")
    return _entries(paths)


def _entries(paths: Sequence[Path]) -> Iterator[Entry]:
    for path in paths:
        files = [path]
        if path.is_dir():
            files = sorted(file for file in path.rglob("*") if file.is_file())
        for file in files:
            if file.suffix.lower() in (".jsonl", ".ndjson"):
                yield from _lines(file)
            elif not path.is_dir() or file.suffix.lower() in ENDINGS:
                yield Entry(path=file)


def _lines(path: Path) -> Iterator[Entry]:
    with path.open("rb") as file:
        for number, body in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), 1):
            if body.strip():
                yield Entry(path=path, line=number, body=body)


def load_entry(entry: Entry) -> Entry:
    """The entry with what it holds.

    Raises:
        UnreadableInput: The file is missing or too large.
    """
    if entry.body is not None:
        return entry
    try:
        if entry.path.stat().st_size > MAX_INPUT_BYTES:
            read_output(entry.path)  # says so
        return replace(entry, body=entry.path.read_bytes())
    except OSError as error:
        reason = error.strerror or "unknown reason"
        raise UnreadableInput(f"{entry.path} cannot be read: {reason}.") from None


def read_entry(entry: Entry) -> Output:
    """The output of a loaded entry, read.

    A line is what a provider returned, or `{"text" (or output, response, answer), "sources"
    (or documents, context)?, "question"?, "id"?}`.

    Raises:
        UnreadableInput: It is no output; the message says why.
    """
    body = load_entry(entry).body or b""
    if entry.line is None:
        text = read_bytes(body, entry.path.name)
        return Output(text=text, sources=sources_within(body, entry.path.name))
    try:
        row: Json = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise UnreadableInput(f"{entry.name} is not JSON; each line must be one object.") from error
    if isinstance(row, str):
        row = {"text": row}
    if not isinstance(row, dict):
        raise UnreadableInput(f"{entry.name} is not a JSON object; each line must be one.")
    row_text = next((row[name] for name in _TEXT_FIELDS if isinstance(row.get(name), str)), None)
    if row_text is None:
        try:
            text = read_bytes(body, "line.json")
        except UnreadableInput as error:
            raise UnreadableInput(f"{entry.name}: {error}") from None
        return Output(text=text)
    if not row_text.strip():
        raise UnreadableInput(f"{entry.name} is empty: there is no text to check.")
    return Output(text=row_text, sources=_sources(row), question=adjacent_question(row))


def _sources(row: JsonDict) -> list[JsonDict] | None:
    for name in ("sources", "documents", "context"):
        documents = row.get(name)
        if isinstance(documents, list):
            return given_sources(documents)
    return None
