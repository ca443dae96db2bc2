"""Files as lines and JSON objects, one at a time: compressed or not, whatever their content."""

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from workbench.datasets.entries import InvalidEntryError, Skipped
from workbench.errors import UnreadableInput
from workbench.records.format import file_size
from workbench.records.text import Json, JsonDict

LONGEST_LINE = 64 * 2**20
"""Bytes; a longer line is passed over without being held in memory."""
LARGEST_FILE = 8 * 2**30
"""Bytes after decompression; a small file that grows beyond it is not a data set."""
_CHUNK = 1 << 20
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_BINARY = (b"PK\x03\x04", b"PAR1", b"%PDF-", b"\x89PNG", b"SQLite format", b"\x7fELF")

Numbered = tuple[int, JsonDict]


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file for reading, decompressed where it is a gzip file.

    Raises:
        UnreadableInput: There is no such file, it is empty, binary, damaged or far too large.
    """
    try:
        with path.open("rb") as raw:
            head = raw.read(4)
            raw.seek(0)
            if head[:2] == b"\x1f\x8b":
                with gzip.GzipFile(fileobj=raw) as file:
                    yield _checked(cast(BinaryIO, file), path)
            else:
                yield _checked(raw, path)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise UnreadableInput(
            f"{path.name} is a damaged gzip file; compress it again, or use the original file."
        ) from None
    except OSError as error:
        reason = error.strerror or "unknown reason"
        raise UnreadableInput(f"{path} cannot be read: {reason}.") from None


def _checked(file: BinaryIO, path: Path) -> BinaryIO:
    head = file.read(64)
    file.seek(0)
    if not head:
        raise UnreadableInput(f"{path.name} is empty: there is nothing to import.")
    if head.startswith(_BINARY) or (b"\x00" in head and not head.startswith(b"\xff\xfe")
                                    and not head.startswith(b"\xfe\xff")):  # fmt: skip
        raise UnreadableInput(
            f"{path.name} is not a text file; use JSON lines, JSON or CSV, also compressed with "
            f"gzip."
        )
    return file


def encoding_of(file: BinaryIO) -> str:
    """The encoding that a file's first bytes tell, UTF-8 without any; stands after the mark."""
    head = file.read(4)
    for mark, name in _MARKS:
        if head.startswith(mark):
            file.seek(len(mark))
            return name
    file.seek(0)
    return "utf-8"


def text_lines(path: Path) -> Iterator[tuple[int, str] | Skipped]:
    """The lines that hold something with their numbers from 1, and what of them cannot be read.

    Raises:
        UnreadableInput: As `opened`.
    """
    with opened(path) as file:
        encoding = encoding_of(file)
        if encoding != "utf-8":
            text = _read_whole(file, path).decode(encoding, "replace")
            yield from ((n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip())
            return
        number = read = 0
        while data := file.readline(LONGEST_LINE + 1):
            number += 1
            read += len(data)
            if len(data) > LONGEST_LINE:
                read += _pass_over(file)
                yield Skipped(line=number, reason=f"it is longer than {file_size(LONGEST_LINE)}")
            elif data.strip():
                try:
                    yield number, data.decode("utf-8")
                except UnicodeDecodeError as error:
                    yield Skipped(
                        line=number, reason=f"byte {error.start + 1} of it is not UTF-8 text"
                    )
            if read > LARGEST_FILE:
                raise UnreadableInput(
                    f"{path.name} holds more than {LARGEST_FILE >> 30} GiB; split it."
                )


def _pass_over(file: BinaryIO) -> int:
    """The rest of a line, not kept; its length."""
    read = 0
    while data := file.readline(_CHUNK):
        read += len(data)
        if data.endswith(b"\n"):
            break
    return read


def _read_whole(file: BinaryIO, path: Path, max_bytes: int = 512 * 2**20) -> bytes:
    data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise UnreadableInput(
            f"{path.name} holds more than {file_size(max_bytes)} in UTF-16; save it as UTF-8."
        )
    return data


def json_lines(path: Path) -> Iterator[Numbered | Skipped]:
    """The JSON objects of a file, one a line, with the numbers of their lines.

    Raises:
        UnreadableInput: As `opened`, or nothing in the file is JSON.
    """
    line_count = good = 0
    for entry in text_lines(path):
        line_count += 1
        if isinstance(entry, Skipped):
            yield entry
            continue
        number, line = entry
        try:
            yield number, object_of(line)
            good += 1
        except InvalidEntryError as error:
            yield Skipped(line=number, reason=str(error))
    if not line_count:
        raise UnreadableInput(f"{path.name} contains only blank lines.")


def object_of(line: str) -> JsonDict:
    """The JSON object that a line is.

    Raises:
        InvalidEntryError: The line is not a JSON object.
    """
    try:
        value: Json = json.loads(line)
    except RecursionError:
        raise InvalidEntryError("its JSON is nested too deep") from None
    except ValueError as error:
        problem = getattr(error, "msg", "it cannot be read")
        raise InvalidEntryError(f"it is not JSON ({problem})") from None
    if not isinstance(value, dict):
        raise InvalidEntryError("it is not a JSON object")
    return value


def json_entries(path: Path) -> Iterator[Numbered | Skipped]:
    """The objects of a JSON list with their numbers, read one after another; else JSON lines.

    Raises:
        UnreadableInput: As `opened`, or the list breaks off.
    """
    with opened(path) as file:
        encoding = encoding_of(file)
        start = file.read(_CHUNK).decode(encoding, "ignore").lstrip()
    if not start.startswith("["):
        yield from json_lines(path)
        return
    with opened(path) as file:
        yield from _listed(file, encoding_of(file), path)


def _listed(file: BinaryIO, encoding: str, path: Path) -> Iterator[Numbered | Skipped]:
    import codecs

    decoder, parser = codecs.getincrementaldecoder(encoding)("replace"), json.JSONDecoder()
    buffer, at, number, ended, chunk_chars = "", 0, 0, False, _CHUNK
    while True:
        if not ended and (len(buffer) - at < chunk_chars):
            data = file.read(max(_CHUNK, chunk_chars))
            ended = not data
            buffer = buffer[at:] + decoder.decode(data, final=ended)
            at = 0
        if number == 0 and at == 0:
            at = len(buffer) - len(buffer.lstrip())
            if not buffer[at:].startswith("["):
                raise UnreadableInput(f"{path.name} is not a JSON list.")
            at += 1
            number = 1
        while at < len(buffer) and buffer[at] in " \t\r\n,":
            at += 1
        if at >= len(buffer):
            if ended:
                raise UnreadableInput(f"{path.name} breaks off after {number - 1} entries.")
            continue
        if buffer[at] == "]":
            return
        try:
            value, end = parser.raw_decode(buffer, at)
        except RecursionError:
            raise UnreadableInput(f"Entry {number} of {path.name} is nested too deep.") from None
        except ValueError:
            if ended or chunk_chars > LONGEST_LINE:
                raise UnreadableInput(
                    f"{path.name} is an incomplete JSON list: it breaks off at entry {number}."
                ) from None
            chunk_chars *= 2
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            yield Skipped(line=number, reason="it is not a JSON object")
        at, number, chunk_chars = end, number + 1, _CHUNK
