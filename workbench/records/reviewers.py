"""Names of reviewers, and how long what they write may be."""

import unicodedata
from datetime import UTC, datetime

from workbench.errors import UsageError
from workbench.records.text import replace_surrogates

LONGEST_NAME = 80


def normalize_reviewer_name(typed: str) -> str:
    """A name as it is kept: composed, in one line, no control characters, single spaces.

    Raises:
        UsageError: Nothing is left of it, or it is longer than 80 characters.
    """
    composed = unicodedata.normalize("NFC", replace_surrogates(typed))
    printable = "".join(
        " " if unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp") else letter
        for letter in composed
    )
    name = " ".join(printable.split())
    if not name:
        raise UsageError("Enter a reviewer name; your labels are stored under it.")
    if len(name) > LONGEST_NAME:
        raise UsageError(
            f"The reviewer's name has {len(name)} characters; use one of at most {LONGEST_NAME}."
        )
    return name


LONGEST_GUIDE = 100_000


LONGEST_WORDING = 1000
"""Characters of a claim in a reviewer's words."""


LONGEST_NOTE = 2_000


def utc_now() -> datetime:
    """The present moment."""
    return datetime.now(UTC)
