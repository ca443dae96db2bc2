"""The split of the labelled examples: whether there is one, and looks at its locked test part."""

from workbench.records import TestSetAccess
from workbench.services.database import Database
from workbench.store import Splits


def has_split(database: Database) -> bool:
    """Whether labelled examples were ever split.

    Raises:
        StoreError: The database cannot be used.
    """
    return bool(Splits(database).all())


def unlock_test_part(
    database: Database, split_id: str, *, by: str, reason: str, purpose: str
) -> TestSetAccess:
    """The trace of a look at the test part, which is kept before anything is shown.

    Raises:
        UsageError: No reason is given.
        StoreError: The database cannot be used.
    """
    return Splits(database).open_test(split_id, by=by, reason=reason, figures=purpose)


def test_part_accesses(database: Database, split_id: str) -> list[TestSetAccess]:
    """Every look at the test part of a split, newest first.

    Raises:
        StoreError: The database cannot be used.
    """
    return Splits(database).openings(split_id)
