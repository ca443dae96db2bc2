"""Figures in tables: value and interval in the cell, reasons for missing ones below; pure."""

from collections.abc import Iterable

from workbench.interfaces.web.links import LinkCell
from workbench.services.calibration import IntervalEstimate

NO_INTERVAL = "no interval"


def figure_cell(words: str) -> LinkCell:
    """A figure in words, `0.812 (0.764–0.853)`, with the bracketed text in small print.

    The reason for a missing interval is in the note of the table: in each cell it would widen the
    column past the page.
    """
    value, _, details = words.partition(" (")
    more = details.removesuffix(")")
    return LinkCell(text=value, more=NO_INTERVAL if more.startswith(NO_INTERVAL) else more)


def no_interval_note(figures: Iterable[IntervalEstimate | None]) -> str:
    """Why figures of a table have no interval, each reason once; empty if all have one."""
    reasons = dict.fromkeys(
        figure.no_interval
        for figure in figures
        if figure and figure.value is not None and figure.no_interval
    )
    return f"{NO_INTERVAL.capitalize()}: {'; '.join(reasons)}." if reasons else ""
