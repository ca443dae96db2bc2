"""Who reviews: the names that are known."""

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
