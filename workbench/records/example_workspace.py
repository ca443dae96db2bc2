"""The contents of the example workspace of the first start."""

from dataclasses import dataclass

EXAMPLE_SUFFIX = " (example)"
"""Ends the name of everything that belongs to the examples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleContents:
    """The contents of the example workspace."""

    runs: int = 0
    runs_kept: int = 0
    """Example runs that somebody worked on, which a removal leaves alone."""
    labels: int = 0
    queues: int = 0
    counted: bool = False
    """Whether figures use the example labels, because there are no others."""
    labels_tried: int = 0
    """Citations of example queues that users labelled; they are removed with the queues."""

    @property
    def present(self) -> bool:
        """Whether there is anything of them."""
        return bool(self.runs or self.labels or self.queues)
