"""Links of numbers and names, and the tables that contain them; pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlencode

from workbench.interfaces.web.filters import address_of
from workbench.presentation.verdicts import STYLES, Mark
from workbench.records.queue import ItemFilter
from workbench.records.text import Json, JsonDict, replace_surrogates

HIGHEST_COST = "Highest cost"
"""An order of the list, by its name in links."""
PageName = Literal[
    "review", "home", "items", "agreement", "calibrate", "drift", "prompts", "queues", "runs",
    "sources",
]  # fmt: skip
ADDRESSES: Mapping[PageName, str] = {
    "review": "./",
    "home": "home",
    "items": "items",
    "agreement": "agreement",
    "calibrate": "calibrate",
    "drift": "drift",
    "prompts": "prompts",
    "queues": "queues",
    "runs": "runs",
    "sources": "sources",
}
"""The URL path of each page; Review is the first page, at the root."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A page and its query parameters."""

    page: PageName
    query: Mapping[str, str] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """The page's file, as Streamlit expects it."""
        return f"pages/{self.page}.py"

    def href(self, who: str = "") -> str:
        """The relative URL; it includes `who`, so that a new tab knows its reviewer."""
        query = {**self.query, **({"who": who} if who else {})}
        return ADDRESSES[self.page] + (f"?{urlencode(query)}" if query else "")


def items_link(chosen: ItemFilter) -> Link:
    """A link to the list of the items that match a filter."""
    address = address_of(chosen)
    return Link(page="items", query={"filter": address} if address else {})


def queue_link(chosen: ItemFilter) -> Link:
    """A link to the form that creates a queue of the items that match a filter."""
    return Link(page="queues", query={"q": address_of(chosen)})


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCell:
    """One cell of a table."""

    text: str = ""
    link: Link | None = None
    more: str = ""
    """In small print below."""
    marks: tuple[Mark, ...] = ()
    """Verdicts before the text, each with its glyph and its word."""
    bar: float | None = None
    """A bar below, 0 to 1."""
    accessible_label: str = ""
    """The link's text for screen readers, in place of its visible text."""
    tone: float = 0.0
    """How strongly the cell is tinted, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """The head of a column."""

    word: str
    numeric: bool = False
    width: str = ""
    """In CSS; empty for the remaining width."""
    spare: bool = False
    """Hidden on narrow screens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSelection:
    """The checkboxes before the rows of a table."""

    row_ids: tuple[str, ...]
    """By row; the browser names the selected rows by them."""
    selected: frozenset[str]
    generation: int
    """Counts the changes that the server made: the browser then takes over what is selected."""
    accessible_label: str
    """What a checkbox does, for screen readers, before the row's name."""
    select_all: str
    """The same of the checkbox in the head of the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table whose first cell of each row names it."""

    accessible_label: str
    """What the table is, for screen readers."""
    columns: tuple[Column, ...]
    rows: tuple[tuple[LinkCell, ...], ...]
    framed: bool = False
    """With lines between columns too, for a table of two sides."""
    prose: bool = False
    """The rows are named by whole sentences."""
    note: str = ""
    """A note on several cells, shown once below the table."""
    selection: RowSelection | None = None
    """With checkboxes, for an action on several rows."""


def heads(*columns: Column | str) -> tuple[Column, ...]:
    """Columns; plain words head a column of words in the first place, of numbers elsewhere."""
    return tuple(
        Column(word=column, numeric=at > 0) if isinstance(column, str) else column
        for at, column in enumerate(columns)
    )


def cells(*values: LinkCell | str) -> tuple[LinkCell, ...]:
    """A row; plain words become cells without a link."""
    return tuple(value if isinstance(value, LinkCell) else LinkCell(text=value) for value in values)


def links_of(rows: Sequence[Sequence[LinkCell]]) -> list[Link]:
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
                "word": column.word,
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


def figures_data(figures: Sequence[tuple[LinkCell, str]], who: str = "") -> JsonDict:
    """The browser's data of numbers in a line, each before its word."""
    number = iter(range(len(figures)))
    return {
        "figures": [
            {**_cell(cell, number, who), "word": replace_surrogates(word)} for cell, word in figures
        ]
    }


def _cell(cell: LinkCell, number: Iterator[int], who: str) -> JsonDict:
    data: JsonDict = {"text": replace_surrogates(cell.text)}
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
    return data
