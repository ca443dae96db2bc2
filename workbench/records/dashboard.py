"""What the home page counts: decisions, runs and errors of a time."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from workbench.errors import ErrorKind
from workbench.records.queue import ItemFilter
from workbench.records.verdict import HumanLabel, VerdictLabel


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerDays:
    """The labels that one reviewer gave on one day."""

    day: date
    reviewer: str
    labels: int
    median_s: float | None
    """From an item's opening to its label; None where it was not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerStats:
    """One reviewer's work so far."""

    name: str
    labels: int
    """Decisions that stand."""
    today: int
    last_at: datetime
    median_s: float | None

    @property
    def items(self) -> ItemFilter:
        """The items with a current label of theirs."""
        return ItemFilter(reviewers=(self.name,), own_labels=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostErrors:
    """How often one reason kept citations of one host from a verdict."""

    host: str
    """Empty for citations that lead to none."""
    error_kind: ErrorKind
    citations: int

    @property
    def items(self) -> ItemFilter:
        """The items behind the number."""
        return ItemFilter(hosts=(self.host,), error_kinds=(self.error_kind,), imported=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDay:
    """The runs that were started on one day."""

    day: date
    runs: int
    cost_usd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DashboardSummary:
    """The file in figures; quotes and statistics are left out, as in the totals of a run.

    Runs, citations, verdicts and errors are those of runs that were made here: what came in files
    is counted in `imported_labels` and `imported_sets` alone. Examples are left out as soon as there
    is a run of one's own.
    """

    outputs: int
    runs: int
    citations: int
    """Those that were judged, could not be, and those that no judge has looked at yet."""
    unjudged: int
    """Of these, those that no judge has looked at yet."""
    labelled: int
    """Of the citations, those with a label."""
    reviewed: int
    """Of these, those with a label that was given here."""
    imported_labels: int
    imported_sets: int
    """Data sets that the imported items came in."""
    examples: bool | None
    """False where examples are left out, for the filter of the items behind a figure."""
    disputed: int
    """Reviewers gave them different labels, and nobody has settled it."""
    cost_usd: float
    """Of all runs, as far as prices are known."""
    reserved_usd: float
    """Reserved in runs for calls without an answer: under way, or cut off."""
    unpriced_calls: int
    verdicts: Mapping[VerdictLabel, int]
    labels: Mapping[HumanLabel, int]
    """Current ones that reviewers gave here."""
    errors: tuple[HostErrors, ...]
    """Of the hosts with most of them, those hosts first."""
    reviewers: tuple[ReviewerStats, ...]
    """Who labelled most first."""
    label_days: tuple[ReviewerDays, ...]
    """Oldest day first."""
    run_days: tuple[RunDay, ...]
