"""Comments of reviewers on a citation."""

from dataclasses import dataclass
from datetime import datetime

from workbench.errors import UsageError
from workbench.records.codec import Record
from workbench.records.text import in_one_line, replace_surrogates

LONGEST_COMMENT = 10_000
LONGEST_TITLE = 200
"""Of a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationComment(Record):
    """One comment on a citation of a run; it is never changed."""

    id: str
    run_id: str
    citation_id: str
    body: str
    author: str
    created_at: datetime


def checked_comment(typed: str) -> str:
    """A comment as it is stored.

    Raises:
        UsageError: It is empty or too long.
    """
    body = replace_surrogates(typed).strip()
    if not body:
        raise UsageError("The comment is empty; type what others should know.")
    if len(body) > LONGEST_COMMENT:
        raise UsageError(
            f"A comment can have up to {LONGEST_COMMENT:,} characters, not {len(body):,}."
        )
    return body


def checked_title(typed: str) -> str:
    """A run's title in one line; empty if nothing was typed.

    Raises:
        UsageError: It is too long.
    """
    title = in_one_line(typed)
    if len(title) > LONGEST_TITLE:
        raise UsageError(
            f"A run's title can have up to {LONGEST_TITLE} characters, not {len(title):,}."
        )
    return title
