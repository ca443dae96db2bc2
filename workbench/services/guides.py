"""The labelling guide: read, with its history, and saved as a new version."""

from workbench.records.review import AnnotationGuideline
from workbench.services.database import Database
from workbench.store.labels.guides import Guides


def current_guide(database: Database) -> AnnotationGuideline | None:
    """The newest version; None where the guide that is shipped holds."""
    return Guides(database).current()


def guide_history(database: Database) -> list[AnnotationGuideline]:
    """Every version of a team's own, newest first."""
    return Guides(database).history()


def save_guide(
    database: Database, body: str, author: str, note: str = "", *, based_on: int | None
) -> AnnotationGuideline:
    """The new version; refused where another one was saved since the version it is based on.

    Raises:
        UsageError: The text or the author is none, nothing changed, or a newer version is there.
    """
    return Guides(database).save(body, author, note, based_on=based_on)
