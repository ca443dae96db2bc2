"""`review`: review a run in a cell."""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.interfaces.notebook.drawing import draw
from workbench.interfaces.notebook.html import RichOutput, caption
from workbench.interfaces.notebook.review_desk import open_desk
from workbench.records.verdict import Run
from workbench.services.database import Database, open_database
from workbench.services.runs import stored_run
from workbench.settings import load_settings

if TYPE_CHECKING:
    from workbench.interfaces.notebook.review_widget import ReviewWidget

STATIC_HINT = (
    "Install the extra “notebook” (anywidget) to review here with keys: "
    "pip install 'citation-workbench[notebook]'"
)


def review(
    run: Run | str,
    *,
    reviewer: str | None = None,
    store: Database | str | Path | None = None,
) -> "ReviewWidget | RichOutput":
    """A run to review in the cell, with the marks, the card and the keys of the Review page.

    Click on it, then use the keys: J and K move, A agrees with the judge, 1 to 5 and 0 label,
    N writes a note, U undoes. Labels are stored immediately, and appear on the pages, in agreement
    figures and in exports. Front-ends without widgets, and environments without anywidget, show
    what `draw` shows.

    Args:
        run: A run, or the id of a stored one. A run that is not stored yet is stored with its
            first label.
        reviewer: Whose labels they are; asked for with the first label if left out.
        store: The database, or its file; the workbench's own (`WORKBENCH_DATA`) if left out.

    Raises:
        UsageError: The reviewer's name cannot be used, or the run is neither stored nor has a text.
        StoreError: There is no such run, or the database cannot be used.
    """
    database = (
        store if isinstance(store, Database) else open_database(store or load_settings().database)
    )
    desk = open_desk(database, run, reviewer)
    if desk is None:
        return draw(run if isinstance(run, Run) else stored_run(database, run))
    shown = replace(desk.review.run, text=desk.review.text)
    drawing = draw(shown, labels=desk.review.labels.values())
    if find_spec("anywidget") is None:
        return replace(drawing, html=caption(STATIC_HINT) + drawing.html)
    from workbench.interfaces.notebook.review_widget import ReviewWidget

    return ReviewWidget(desk, drawing)
