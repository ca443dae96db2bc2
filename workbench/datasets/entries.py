"""What an importer reads out of a file: items with what people said of them, and bad lines."""

import hashlib
import json
from dataclasses import dataclass, replace
from datetime import datetime

from workbench.records.context import NO_CONTEXT, JudgeContext, SourceFacts
from workbench.records.review import Role
from workbench.records.text import JsonDict, Span
from workbench.records.verdict import HumanLabel

LONGEST_CLAIM = 20_000
"""Code points; a longer claim is a text to be checked, not a claim."""
LONGEST_SOURCE = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """What one annotator of the file said."""

    annotator: str
    """Empty where the file names none."""
    by_person: bool = True
    """False where `annotator` names no person but a data set's unnamed annotators."""
    label: HumanLabel
    word: str = ""
    """The file's own word for the label."""
    note: str = ""
    role: Role = "review"
    created_at: datetime | None = None
    """As the file states it."""
    evidence: tuple[Span, ...] = ()
    """In the source's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportEntry:
    """One item of a file."""

    line: int
    """Where it begins, counted from 1; in a JSON list the number of the entry."""
    id: str
    claim: str
    source: str
    opinions: tuple[Annotation, ...] = ()
    """Empty for an item that nobody labelled."""
    group: str = ""
    context: JudgeContext = NO_CONTEXT
    """What the claim's words refer to, and what the source says of itself but for its address."""
    url: str = ""
    origin: str = ""
    licence: str = ""
    slices: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> str:
        """The hash of what the item is: its id, claim, source and the claim's context, if any.

        Labels may be added to it. The same claim elsewhere is another item; the source's own title
        and the like make none.
        """
        parts = ["item", self.id, self.claim, self.source]
        context = self.context
        if replace(context, source=SourceFacts()) != NO_CONTEXT:
            headings, table = list(context.headings), [context.table_header, context.table_row]
            parts.append(
                json.dumps([headings, context.before, table, context.question, context.date])
            )
        return _hash(*parts)

    def label_id(self, opinion: Annotation) -> str:
        """The hash of an opinion on this item: the same one is kept once."""
        spans = [[span.start, span.end] for span in opinion.evidence]
        return _hash(
            self.key, opinion.annotator, opinion.role, opinion.label, opinion.note,
            json.dumps(spans),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A part of a file that was left out, and why."""

    line: int
    reason: str
    label_word: str = ""
    """The file's word for its label, where nobody knows what it stands for."""

    def to_dict(self) -> JsonDict:
        """`{"line", "reason"}`."""
        return {"line": self.line, "reason": self.reason}


class InvalidEntryError(ValueError):
    """An entry that cannot be used; its message is the reason, a clause without a full stop."""


class UnknownLabel(InvalidEntryError):
    """An entry with a word for its label that stands for none of ours."""

    def __init__(self, word: str, reason: str) -> None:
        super().__init__(reason)
        self.word = word


def skipped(line: int, error: InvalidEntryError) -> "Skipped":
    """The entry on a line that cannot be used."""
    return Skipped(
        line=line,
        reason=str(error),
        label_word=error.word if isinstance(error, UnknownLabel) else "",
    )


def contradiction(line: int, label: str, before: str) -> str:
    """Why a line of a file is left out that labels an item otherwise than an earlier line."""
    return f"it labels the item of line {line} as {label}, and that line as {before}"


def checked(entry: ImportEntry) -> ImportEntry:
    """The same entry.

    Raises:
        InvalidEntryError: Its claim or source is empty or too long.
    """
    for name, text, limit in (
        ("claim", entry.claim, LONGEST_CLAIM),
        ("source", entry.source, LONGEST_SOURCE),
    ):
        if not text.strip():
            raise InvalidEntryError(f"the {name} is empty")
        if len(text) > limit:
            raise InvalidEntryError(f"the {name} has {len(text):,} characters, more than {limit:,}")
    return entry


def _hash(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()[:32]
