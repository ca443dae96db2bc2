"""One exception tree for the whole workbench.

    WorkbenchError
    ├── UsageError            the caller's mistake: interfaces print it in one sentence and exit with 2
    │   ├── UnreadableInput   text, file or JSON that cannot be read as agent output
    │   ├── UnknownJudge      a judge SPEC that names no judge, or one that is not available here
    │   ├── MissingKey        a judge that needs an API key and finds none
    │   ├── EmbeddingError    an embedding function of the user's own that gives no embeddings
    │   ├── InvalidPolicy     a policy file with mistakes; each with its line
    │   └── StoreError        the database file cannot be used (locked, damaged)
    │       ├── StorageError  a disk is full, or may not be written to
    │       ├── NewerDatabase it was written by a later version of the workbench
    │       ├── ReachesOutside a view in it reads files or addresses outside it
    │       └── NotKept       nothing is kept under that id: no such run, queue, trace
    └── StateError            what went wrong with one citation: data, never "not supported"
        ├── SourceError       the cited source could not be had or read
        │   ├── FetchError    the guarded fetcher refused or failed
        │   └── NotEvidence   something was had, and it is not the source it stands for
        └── JudgeError        the judge gave no usable verdict; carries the usage that was paid for

`UsageError`s are raised by public functions. `ResolutionError`s are raised inside the packages and
end up as `{"kind", "message"}` on the citation they concern; `sources.fetch` alone lets one out.
Messages say what happened, to what, and what to do; they never hold resolved addresses, and every
error takes the keys in use out of what it is made of (`workbench.masking`).
"""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, get_args

from workbench.masking import mask, mask_known

ErrorKind = Literal[
    "bad_scheme",
    "ssrf",
    "not_allowed_domain",
    "timeout",
    "too_large",
    "bad_status",
    "redirect_loop",
    "not_text",
    "fetch_disabled",
    "malformed_judge_response",
    "llm_judge_error",
    "cost_cap_reached",
    "unresolvable_kind",
    "unverified_quote",
    "not_evidence",
    "unlinked",
    "no_source",
    "unreadable",
    "no_such_host",
    "cancelled",
]
"""The closed set of reasons why a citation has no verdict of its own."""

ERROR_KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)


class WorkbenchError(Exception):
    """Anything the workbench itself has to say went wrong; its texts are masked."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(
            *(mask(argument) if isinstance(argument, str) else argument for argument in arguments)
        )


class UsageError(WorkbenchError):
    """The caller asked for something that cannot be done as asked."""


class UnreadableInput(UsageError):
    """The given text, file or JSON cannot be read as agent output."""


class UnknownJudge(UsageError):
    """The judge SPEC names no judge, or one that is not available here."""


class MissingKey(UsageError):
    """The judge needs an API key and none is set."""


class EmbeddingError(UsageError):
    """An embedding function of the user's own failed, or gave no vectors that can be compared."""


class InvalidPolicy(UsageError):
    """A policy document with mistakes."""

    def __init__(self, problems: Sequence[tuple[int, str]]) -> None:
        super().__init__(
            "The policy cannot be used. "
            + "; ".join(f"line {line}: {message}" for line, message in problems)
            + "."
        )
        self.problems = tuple((line, mask(message)) for line, message in problems)
        """Line, counted from 1, and a sentence; by line."""


class StoreError(UsageError):
    """The database file cannot be used."""


class StorageError(StoreError):
    """A disk is full, or a file or folder may not be written to; what was stored is intact."""


class NewerDatabase(StoreError):
    """The database file was written by a later version of the workbench."""


class ReachesOutside(StoreError):
    """A view or macro in the database file reads a file or an address outside it."""


class NotFoundError(StoreError):
    """Nothing is kept under the id that was named."""


class ResolutionError(WorkbenchError):
    """Why one citation has no verdict: a reason code and a sentence for the reviewer."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.message = str(self)


class SourceError(ResolutionError):
    """The cited source could not be had, or its bytes could not be read."""


class FetchError(SourceError):
    """The guarded fetcher refused an address or could not get its content."""

    def __init__(self, kind: ErrorKind, message: str, *, url: str = "", hop: int = 0) -> None:
        super().__init__(kind, message)
        self.url = url
        self.hop = hop


class NotEvidenceError(SourceError):
    """Something was had, and it is not the source it stands for: a log-in page, a soft 404."""

    def __init__(self, reason: str, message: str, *, confidence: float = 1.0) -> None:
        super().__init__("not_evidence", message)
        self.reason = reason
        """A code: `login_wall`, `soft_404`, `bot_challenge`, …"""
        self.confidence = confidence
        """0 to 1; a reviewer may know better and accept the source all the same."""


class JudgeError(ResolutionError):
    """The judge gave no usable verdict; what it cost is kept all the same."""

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        input_tokens: int = 0,
        output_tokens: int = 0,
        cost_usd: float = 0.0,
        latency_ms: int = 0,
        reply: str = "",
        passing: bool = False,
        quotes: tuple[str, ...] = (),
    ) -> None:
        super().__init__(kind, message)
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens
        self.cost_usd = cost_usd
        self.latency_ms = latency_ms
        self.reply = mask_known(reply)
        """What the judge said, for the reviewer to read; empty when it said nothing."""
        self.passing = passing
        """Whether the same question may well be answered later: a server that is busy or away."""
        self.quotes = quotes
        """The judge's quotes that do not stand in the passages, for the kind `unverified_quote`."""


_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


def storage_error(
    error: BaseException, path: str | os.PathLike[str] | None = None
) -> StorageError | None:
    """What the operating system's refusal to store means; None for any other error.

    Args:
        error: For example what a write, a `mkdir` or an `open` raised.
        path: What was written; without it the file that the error names.
    """
    if isinstance(error, StorageError):
        return error
    if not isinstance(error, OSError):
        return None
    written_path = path
    if written_path is None and isinstance(error.filename, str | os.PathLike):
        written_path = error.filename
    if error.errno in _FULL:
        return no_space(written_path)
    return (
        not_writable(written_path)
        if error.errno in _READ_ONLY and written_path is not None
        else None
    )


@contextmanager
def storing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Raise StorageError where the system refuses what is written to a path within the block."""
    try:
        yield
    except OSError as error:
        refused = storage_error(error, path)
        if refused is None:
            raise
        raise refused from error


def no_space(path: str | os.PathLike[str] | None) -> StorageError:
    """The disk of a file is full, or its quota is used up."""
    where = f" on the disk of {os.fspath(path)}" if path is not None else " on a disk"
    return StorageError(
        f"No space left{where}: this could not be stored; existing data is intact. "
        "Free some space, then try again."
    )


def not_writable(path: str | os.PathLike[str]) -> StorageError:
    """A file or a folder is read-only, or belongs to somebody else."""
    return StorageError(
        f"Cannot write to {os.fspath(path)}: it is read-only, or you do not have permission. "
        f"Change that, or choose another folder (for all data: the variable WORKBENCH_DATA)."
    )
