"""Judgments that were paid for, found again by the key of what was asked."""

from workbench.records.verdict import Judgment
from workbench.services.database import Database


def find_judgment(database: Database, key: str) -> Judgment | None:
    """The judgment under a key."""
    return database.get_judgment(key)


def keep_judgment(database: Database, key: str, judgment: Judgment) -> None:
    """Keep a judgment; the first one under a key stays."""
    database.add_judgment(key, judgment)
