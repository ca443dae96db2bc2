"""Who reviews: the names that are known."""

from workbench.records.reviewers import normalize_reviewer_name
from workbench.store.store import Store


class ReviewerRepository:
    """The reviewers that the file knows."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def names(self) -> list[str]:
        """Everybody who gave a label or was assigned to a queue, in alphabetical order."""
        with self._store.transaction() as connection:
            rows = connection.execute(
                "select reviewer from labels where by_person "
                "union select reviewer from current_assignments"
            ).fetchall()
        return sorted((name for (name,) in rows), key=lambda name: (name.casefold(), name))

    def recognise(self, typed: str) -> str:
        """The known name that differs from a typed one in case only, else the typed one.

        Raises:
            UsageError: The typed name is empty or too long.
        """
        name = normalize_reviewer_name(typed)
        known = self.names()
        if name in known:
            return name
        return next((one for one in known if one.casefold() == name.casefold()), name)
