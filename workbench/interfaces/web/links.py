"""Links of numbers and names, and the browser's data of the tables that contain them; pure."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta

from workbench.interfaces.web.filters import address_of
from workbench.presentation.escape import truncate
from workbench.presentation.tables import Cell, Link, Table
from workbench.presentation.verdicts import STYLES
from workbench.records.queue import ItemFilter
from workbench.records.text import Json, JsonDict, replace_surrogates

HIGHEST_COST = "Highest cost"
"""An order of the list, by its name in links."""
LONGEST_CELL, LONGEST_HEAD = 300, 70


def items_link(chosen: ItemFilter) -> Link:
    """A link to the list of the items that match a filter."""
    address = address_of(chosen)
    return Link(page="items", query={"filter": address} if address else {})


def queue_link(chosen: ItemFilter) -> Link:
    """A link to the form that creates a queue of the items that match a filter."""
    return Link(page="queues", query={"q": address_of(chosen)})


def labelled_on(day: date, reviewers: Sequence[str] = ()) -> ItemFilter:
    """The items that were labelled on a day."""
    start = datetime.combine(day, time(), UTC)
    return ItemFilter(
        labelled_from=start.isoformat(),
        labelled_before=(start + timedelta(days=1)).isoformat(),
        reviewers=tuple(reviewers),
        own_labels=True,
    )


def links_of(rows: Sequence[Sequence[Cell]]) -> list[Link]:
    """The links of a table in reading order; the browser names one by its number."""
    return [cell.link for row in rows for cell in row if cell.link]


def table_data(table: Table, who: str = "") -> JsonDict:
    """The browser's data of a table."""
    number = iter(range(len(links_of(table.rows))))
    rows: list[Json] = [[_cell(cell, number, who) for cell in row] for row in table.rows]
    data: JsonDict = {
        "said": table.accessible_label,
        "framed": table.framed,
        "prose": table.prose,
        "columns": [
            {
                "word": truncate(column.word, LONGEST_HEAD),
                "numeric": column.numeric,
                "width": column.width,
                "spare": column.spare,
            }
            for column in table.columns
        ],
        "rows": rows,
    }
    if table.selection:
        selection = table.selection
        data["selection"] = {
            "ids": list(selection.row_ids),
            "selected": [row for row in selection.row_ids if row in selection.selected],
            "generation": selection.generation,
            "said": selection.accessible_label,
            "all": selection.select_all,
        }
    return data


def figures_data(figures: Sequence[tuple[Cell, str]], who: str = "") -> JsonDict:
    """The browser's data of numbers in a line, each before its word."""
    number = iter(range(len(figures)))
    return {
        "figures": [
            {**_cell(cell, number, who), "word": replace_surrogates(word)} for cell, word in figures
        ]
    }


def _cell(cell: Cell, number: Iterator[int], who: str) -> JsonDict:
    data: JsonDict = {"text": replace_surrogates(truncate(cell.text, LONGEST_CELL))}
    if cell.link:
        data["n"] = next(number)
        data["href"] = cell.link.href(who)
    if cell.more:
        data["more"] = replace_surrogates(cell.more)
    if cell.accessible_label:
        data["said"] = replace_surrogates(cell.accessible_label)
    if cell.marks:
        data["marks"] = [
            {"word": STYLES[mark].word, "glyph": STYLES[mark].glyph, "colour": STYLES[mark].colour}
            for mark in cell.marks
        ]
    if cell.bar is not None:
        data["bar"] = round(min(max(cell.bar, 0.0), 1.0), 4)
    if cell.tone:
        data["tone"] = round(min(max(cell.tone, 0.0), 1.0), 3)
    if cell.colour:
        data["colour"] = cell.colour
    return data
