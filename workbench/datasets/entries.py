"""What an importer reads out of a file: items with what people said of them, and bad lines."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime

from workbench.records import HumanLabel, JsonDict, Role, Span

LONGEST_CLAIM = 20_000
"""Code points; a longer claim is a text to be checked, not a claim."""
LONGEST_SOURCE = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What one annotator of the file said."""

    annotator: str
    """Empty where the file names none."""
    label: HumanLabel
    note: str = ""
    role: Role = "review"
    created_at: datetime | None = None
    """As the file states it."""
    evidence: tuple[Span, ...] = ()
    """In the source's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One item of a file."""

    line: int
    """Where it begins, counted from 1; in a JSON list the number of the entry."""
    id: str
    claim: str
    source: str
    opinions: tuple[Opinion, ...] = ()
    """Empty for an item that nobody labelled."""
    group: str = ""
    heading: str = ""
    """What stands above the claim in the text that is made of the items: question, page title."""
    url: str = ""
    title: str = ""
    origin: str = ""
    licence: str = ""
    slices: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> str:
        """The hash of what the item is: its id, claim and source; labels may be added to it."""
        return _hash("item", self.id, self.claim, self.source)

    def label_id(self, opinion: Opinion) -> str:
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

    def to_dict(self) -> JsonDict:
        """`{"line", "reason"}`."""
        return {"line": self.line, "reason": self.reason}


class BadEntry(ValueError):
    """An entry that cannot be used; its message is the reason, a clause without a full stop."""


def checked(entry: Entry) -> Entry:
    """The same entry.

    Raises:
        BadEntry: Its claim or source is empty or too long.
    """
    for name, text, most in (
        ("claim", entry.claim, LONGEST_CLAIM),
        ("source", entry.source, LONGEST_SOURCE),
    ):
        if not text.strip():
            raise BadEntry(f"the {name} is empty")
        if len(text) > most:
            raise BadEntry(f"the {name} has {len(text):,} characters, more than {most:,}")
    return entry


def _hash(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()[:32]
