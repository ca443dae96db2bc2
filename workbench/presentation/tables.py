"""The tables of every topic as data, which each interface draws in its own way; pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlencode

from workbench.calibration.estimates import IntervalEstimate
from workbench.presentation.verdicts import STYLES, Mark

PageName = Literal[
    "review", "home", "items", "trust", "prompts", "queues", "runs", "sources", "search"
]  # fmt: skip
NO_INTERVAL = "no interval"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A page of the web interface and its query parameters."""

    page: PageName
    query: Mapping[str, str] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """The page's file, as Streamlit expects it."""
        return f"pages/{self.page}.py"

    def href(self, who: str = "") -> str:
        """The relative URL; it includes `who`, so that a new tab knows its reviewer."""
        query = {**self.query, **({"who": who} if who else {})}
        # Review is the first page, at the root
        path = "./" if self.page == "review" else self.page
        return path + (f"?{urlencode(query)}" if query else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a table."""

    text: str = ""
    link: Link | None = None
    more: str = ""
    """In small print below, or in brackets."""
    marks: tuple[Mark, ...] = ()
    """Verdicts before the text, each with its glyph and its word."""
    bar: float | None = None
    """A bar below, 0 to 1."""
    accessible_label: str = ""
    """The link's text for screen readers, in place of its visible text."""
    tone: float = 0.0
    """How strongly the cell is tinted, 0 to 1."""
    colour: str = ""
    """Of a verdict, in which it is tinted instead."""
    figure: IntervalEstimate | None = None
    """The figure that it shows."""

    @property
    def words(self) -> str:
        """The cell in one line without its link."""
        more = self.more
        if more == NO_INTERVAL and self.figure:
            more += f": {self.figure.no_interval}"
        marks = (STYLES[mark].word for mark in self.marks)
        return " ".join(filter(None, (*marks, self.text, f"({more})" if more else "")))


Value = str | IntervalEstimate | Cell
"""What becomes a cell: words, a figure, or the cell itself."""


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
    rows: tuple[tuple[Cell, ...], ...]
    framed: bool = False
    """With lines between columns too, for a table of two sides."""
    prose: bool = False
    """The rows are named by whole sentences."""
    note: str = ""
    """A note on several cells, shown once below the table."""
    selection: RowSelection | None = None
    """With checkboxes, for an action on several rows."""

    @classmethod
    def of(
        cls,
        accessible_label: str,
        columns: Iterable[Column | str],
        rows: Iterable[Iterable[Value]],
        *,
        framed: bool = False,
        prose: bool = False,
    ) -> "Table":
        """A table of plain values, with a note on the figures that have no interval.

        Plain words head a column of words in the first place, of numbers elsewhere.
        """
        cells = tuple(tuple(map(_cell, row)) for row in rows)
        reasons = dict.fromkeys(
            cell.figure.no_interval for row in cells for cell in row if cell.figure
            and cell.figure.value is not None and cell.figure.no_interval
        )  # fmt: skip
        return cls(
            accessible_label=accessible_label,
            columns=tuple(
                Column(word=column, numeric=at > 0) if isinstance(column, str) else column
                for at, column in enumerate(columns)
            ),
            rows=cells,
            framed=framed,
            prose=prose,
            note=f"{NO_INTERVAL.capitalize()}: {'; '.join(reasons)}." if reasons else "",
        )

    @property
    def head(self) -> tuple[str, ...]:
        """The words over the columns."""
        return tuple(column.word for column in self.columns)

    @property
    def lines(self) -> tuple[tuple[str, ...], ...]:
        """The rows in words alone."""
        return tuple(tuple(cell.words for cell in row) for row in self.rows)


def number(figure: IntervalEstimate) -> str:
    """A figure with its interval or why it has none, without n: `0.812 (0.764–0.853)`."""
    if figure.value is None:
        return "–"
    if figure.low is None or figure.high is None:
        return f"{figure.value:z.3f} (no interval: {figure.no_interval})"
    return f"{figure.value:z.3f} ({figure.low:z.3f}–{figure.high:z.3f})"


def figure_cell(words: str, figure: IntervalEstimate | None = None) -> Cell:
    """A figure in words, `0.812 (0.764–0.853)`, with the bracketed text in small print.

    The reason for a missing interval is in the note of the table: in each cell it would widen the
    column past the page.
    """
    value, _, details = words.partition(" (")
    more = details.removesuffix(")")
    return Cell(
        text=value, more=NO_INTERVAL if more.startswith(NO_INTERVAL) else more, figure=figure
    )


def _cell(value: Value) -> Cell:
    if isinstance(value, IntervalEstimate):
        return figure_cell(number(value), value)
    return Cell(text=value) if isinstance(value, str) else value
