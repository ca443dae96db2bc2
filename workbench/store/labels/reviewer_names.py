"""Names of reviewers as people type them, and as they are kept."""

import unicodedata

from workbench.errors import UsageError
from workbench.records import replace_surrogates

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
        raise UsageError("A reviewer needs a name; type one under which your labels are kept.")
    if len(name) > LONGEST_NAME:
        raise UsageError(
            f"The reviewer's name has {len(name)} characters; use one of at most {LONGEST_NAME}."
        )
    return name
