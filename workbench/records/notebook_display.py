"""Records that a notebook shows as more than their fields, or as a table."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from workbench.records.text import replace_surrogates

if TYPE_CHECKING:
    from pandas import DataFrame


class RichDisplay(Protocol):
    """One record as a notebook shows it, in three forms."""

    @property
    def html(self) -> str:
        """Stands alone, without scripts; everything that others wrote is escaped."""

    @property
    def markdown(self) -> str:
        """For viewers that show no HTML."""

    @property
    def plain(self) -> str:
        """One line or a few, for a terminal."""


Renderer = Callable[[object], RichDisplay]
_renderers: list[Renderer] = []


def use_renderer(renderer: Renderer) -> None:
    """From now on records are shown as `renderer` draws them; without one, by their fields.

    `workbench` hands its own in, so that no record has to know who draws it.
    """
    _renderers[:] = [renderer]


class NotebookDisplayMixin:
    """What IPython and its kin ask of an object that shows itself; None: show the fields."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        display = _display(self)
        return display.html if display else None

    def _repr_markdown_(self) -> str | None:
        display = _display(self)
        return display.markdown if display else None

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> dict[str, str] | None:
        display = _display(self)
        if display is None:
            return None
        return {
            "text/html": display.html,
            "text/markdown": display.markdown,
            "text/plain": display.plain,
        }


def _display(record: object) -> RichDisplay | None:
    return _renderers[0](record) if _renderers else None


Cell = str | int | float | bool | None

_WHOLE = frozenset({"start", "end", "reference", "quote_start", "quote_end", "page"})
_REAL = frozenset({"confidence", "score", "cost_usd"})


def to_dataframe(rows: Sequence[Mapping[str, Cell]], columns: Sequence[str]) -> "DataFrame":
    """The rows as a table whose column types do not hang on what the rows happen to hold."""
    import pandas as pd

    return pd.DataFrame(
        {
            name: pd.Series([_cell(row[name]) for row in rows], dtype=_dtype(name))
            for name in columns
        }
    )


def _dtype(name: str) -> str:
    return "Int64" if name in _WHOLE else "float64" if name in _REAL else "str"


def _cell(value: Cell) -> Cell:
    return replace_surrogates(value) if isinstance(value, str) else value
