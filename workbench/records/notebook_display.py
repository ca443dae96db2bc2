"""Records that a notebook shows as more than their fields; how they look is a front's business."""

from importlib import import_module
from typing import Protocol


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


class NotebookDisplayMixin:
    """What IPython and its kin ask of an object that shows itself.

    This room knows no front: the package's face names the one that draws, `workbench.draw`, and it
    is imported when something is shown for the first time.
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        return _drawing(self).html

    def _repr_markdown_(self) -> str:
        return _drawing(self).markdown

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        drawing = _drawing(self)
        return {
            "text/html": drawing.html,
            "text/markdown": drawing.markdown,
            "text/plain": drawing.plain,
        }


def _drawing(record: object) -> RichDisplay:
    drawing: RichDisplay = import_module("workbench").draw(record)
    return drawing
