"""Who reviews: names as people type them, and the names that are known."""

import unicodedata

from workbench.errors import UsageError
from workbench.records import shown
from workbench.store.store import Store

LONGEST_NAME = 80


def reviewer_name(typed: str) -> str:
    """A name as it is kept: composed, in one line, no control characters, single spaces.

    Raises:
        UsageError: Nothing is left of it, or it is longer than 80 characters.
    """
    composed = unicodedata.normalize("NFC", shown(typed))
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


class People:
    """The reviewers that the file knows."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def names(self) -> list[str]:
        """Everybody who gave a label or was assigned to a queue, in alphabetical order."""
        with self._store._unit() as connection:
            rows = connection.execute(
                "select reviewer from labels union select reviewer from current_assignments"
            ).fetchall()
        return sorted((name for (name,) in rows), key=lambda name: (name.casefold(), name))

    def recognise(self, typed: str) -> str:
        """The known name that differs from a typed one in case only, else the typed one.

        Raises:
            UsageError: The typed name is empty or too long.
        """
        name = reviewer_name(typed)
        known = self.names()
        if name in known:
            return name
        return next((one for one in known if one.casefold() == name.casefold()), name)
