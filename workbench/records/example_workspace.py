"""The contents of the example workspace of the first start."""

from dataclasses import dataclass

from workbench.records.format import count_of

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
    comments: int = 0
    """Comments of users on runs that a removal deletes."""
    titles: int = 0
    """Titles that users gave such runs."""
    supplied: int = 0
    """Sources that users supplied for them, and nothing else uses."""

    @property
    def present(self) -> bool:
        """Whether there is anything of them."""
        return bool(self.runs or self.labels or self.queues)

    def own_work(self) -> list[str]:
        """What users did themselves and a removal deletes all the same, one line each."""
        counts = (
            (self.labels_tried, "own labels in example queues", "citation", "citations"),
            (self.comments, "own comments on example runs", "comment", "comments"),
            (self.titles, "own titles of example runs", "title", "titles"),
            (self.supplied, "sources supplied for example runs", "source", "sources"),
        )
        return [
            f"your {what}: {count_of(number, *words)}" for number, what, *words in counts if number
        ]
