"""What the example workspace of the first start holds."""

from dataclasses import dataclass

EXAMPLE_SUFFIX = " (example)"
"""Ends the name of everything that belongs to the examples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleContents:
    """What there is of the examples."""

    runs: int = 0
    runs_kept: int = 0
    """Example runs that somebody worked on, which a removal leaves alone."""
    labels: int = 0
    queues: int = 0
    counted: bool = False
    """Whether figures over labels are made of the examples, for want of any other label."""
    labels_tried: int = 0
    """Citations of example queues that somebody labelled to try it; they go with the queues."""

    @property
    def present(self) -> bool:
        """Whether there is anything of them."""
        return bool(self.runs or self.labels or self.queues)
