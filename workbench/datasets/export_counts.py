"""What goes into a data set, counted on the way: for its card."""

import hashlib
from collections import Counter
from dataclasses import dataclass, field

from workbench.datasets.context_fields import context_fields
from workbench.records.example import Example
from workbench.records.text import JsonDict

NOT_STATED = "not stated"
HERE = "checked with this workbench"
SOURCES_TERMS = "not stated: sources stay under the terms of their publishers"


@dataclass(slots=True)
class ExportCounts:
    """Counts of a data set that is being written."""

    rows: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    """Why, and how many items."""
    parts: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    """The active labels."""
    reviewers: Counter[str] = field(default_factory=Counter)
    """How many labels each gave."""
    from_data_sets: int = 0
    """Labels that came with a data set which names no annotator."""
    judges: Counter[str] = field(default_factory=Counter)
    origins: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Origin and licence."""
    quotes: Counter[str] = field(default_factory=Counter)
    """Where the quotes of fine-tuning answers come from."""
    context_counts: Counter[str] = field(default_factory=Counter)
    """How many items have each field of a context: `context`, `title`, `source_title`, …"""
    groups: set[bytes] = field(default_factory=set)
    """Hashes, so that long names take no room."""

    def add(self, example: Example) -> None:
        """Count one item that goes in."""
        self.rows += 1
        self.parts[example.part or "none"] += 1
        gold = example.row.gold
        self.labels[gold.label if gold else "none"] += 1
        for label in example.row.labels:
            if label.by_person:
                self.reviewers[label.reviewer] += 1
            else:
                self.from_data_sets += 1
        if example.judgment:
            self.judges[example.judgment.judge] += 1
        self.origins[terms_of(example)] += 1
        self.context_counts.update(
            name for name, text in context_fields(example.context).items() if text
        )
        name = example.group_key or example.id
        self.groups.add(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:8])

    def leave_out(self, reason: str) -> None:
        """Count one item that does not go in."""
        self.excluded[reason] += 1

    def licences(self) -> JsonDict:
        """For each licence how many items are under it, by name."""
        counts: Counter[str] = Counter()
        for (_, licence), number in self.origins.items():
            counts[licence] += number
        return dict(sorted(counts.items()))


def terms_of(example: Example) -> tuple[str, str]:
    """Where an item comes from and under which licence, in words."""
    if example.facts is None:
        return HERE, SOURCES_TERMS
    return example.origin or NOT_STATED, example.licence or NOT_STATED
