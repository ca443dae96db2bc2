"""What a calibration found: the records that reports, pages and notebooks show; pure."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workbench.calibration.agreement import Agreement
from workbench.calibration.classification_report import ClassificationReport
from workbench.calibration.fitted_limits import JudgeLimits
from workbench.calibration.prevalence import PrevalenceEstimates
from workbench.calibration.references import ReferenceCalibration
from workbench.calibration.risk_control import RiskGuarantee
from workbench.calibration.thresholds import OperatingPoint
from workbench.records.evaluation import (
    ALL_LABELS,
    EvaluationSet,
    JudgeKey,
    LabelFilter,
    Split,
    SplitSize,
    TestSetAccess,
    to_columns,
)
from workbench.records.format import count_of
from workbench.records.notebook_display import NotebookDisplayMixin
from workbench.records.review import EvaluationExample

OPEN_PARTS = ("train", "dev")
"""What everything is computed on unless somebody opens the test part."""
TARGET, CONFIDENCE = 0.95, 0.95
FEW = 30
"""With fewer items of each class figures say little."""
RANDOM_NEEDED = (
    "This holds only where the labelled citations are a random sample of these runs; labels of "
    "citations that were chosen because they looked doubtful bias it."
)
MAJORITY_RULE = (
    "the label that more than half of an item's reviewers gave; tied items are left out, and "
    "adjudications do not vote"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdObjective:
    """What a threshold is chosen for."""

    kind: str = "guarantee"
    """`guarantee`, `precision`, `recall`, `cost`, or `manual` for a threshold chosen by hand."""
    target: float = TARGET
    confidence: float = CONFIDENCE
    wrong_accept: float = 1.0
    """What it costs to accept an item wrongly, in any unit."""
    wrong_reject: float = 1.0
    at: float = 0.5
    """The threshold that was chosen by hand, from 0 to 1."""

    @property
    def description(self) -> str:
        """In words."""
        if self.kind == "manual":
            return f"chosen by hand at {self.at:.4g}, without a guarantee"
        if self.kind == "cost":
            return f"least cost, {self.wrong_accept:g} : {self.wrong_reject:g}"
        if self.kind == "guarantee":
            return (
                f"precision of {self.target:.0%} guaranteed with {self.confidence:.0%} confidence"
            )
        return f"{self.kind} of {self.target:.0%} on the labelled items"


DEFAULT_OBJECTIVE = ThresholdObjective()


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanAgreement:
    """How far people agree with one another on all items that two of them labelled."""

    labels: Agreement
    """On the label."""
    supported: Agreement
    """On whether it is supported or not: what compares with the judge's accuracy."""
    guides: Mapping[int, int] = field(default_factory=dict)
    """How many of their labels were given by which version of the label guide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration(NotebookDisplayMixin):
    """How far a judge can be trusted on the labelled items of some parts."""

    judge: JudgeKey
    split: Split
    sizes: tuple[SplitSize, ...]
    parts: tuple[str, ...]
    """What the figures rest on."""
    chosen_on: tuple[str, ...]
    """What the threshold was chosen on; other than `parts` where the test part confirms it."""
    judged: EvaluationSet
    table: ClassificationReport
    """By the judge's own label."""
    at_threshold: ClassificationReport | None
    """By the chosen threshold."""
    always: ClassificationReport
    """The yardstick: all called supported."""
    cuts: tuple[OperatingPoint, ...]
    """Every threshold on the items it is chosen on, strictest first."""
    aim: ThresholdObjective
    chosen: OperatingPoint | None
    guarantee: RiskGuarantee
    band: tuple[RiskGuarantee, RiskGuarantee]
    """No person is needed above the first, nor below the second."""
    base: EvaluationSet
    """What the threshold was chosen on."""
    openings: tuple[TestSetAccess, ...] = ()
    """Every look at the test part, newest first."""
    shared_across_splits: tuple[str, ...] = field(default=())
    """What items have in common and may stand in several parts all the same."""
    labels: LabelFilter = ALL_LABELS
    """Which labels count."""
    guide_counts: Mapping[int, int] = field(default_factory=dict)
    """How many labels of these parts were given by which version of the guide."""

    @property
    def threshold(self) -> float | None:
        """The chosen threshold; None where none serves the aim."""
        return self.chosen.threshold if self.chosen else None

    @property
    def guaranteed(self) -> float | None:
        """The threshold that holds the target; None without one, or where its score decides nothing."""
        cuts = (cut for cut in self.cuts if cut.threshold == self.guarantee.threshold)
        return next((cut.threshold for cut in cuts if 0 < cut.accepted < cut.n), None)

    @property
    def labels_sha256(self) -> str:
        """Of the items that the threshold was chosen on."""
        return labels_sha256(self.base.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSelection:
    """Which runs a rate is of."""

    runs: tuple[str, ...] = ()
    """Ids; all of the judge where empty."""
    since: str = ""
    """ISO 8601; of runs from then on."""
    until: str = ""
    """… and before then."""

    @property
    def description(self) -> str:
        """In words."""
        if self.runs:
            return f"{count_of(len(self.runs), 'run')}"
        parts = [f"from {self.since[:10]}"] if self.since else []
        parts += [f"before {self.until[:10]}"] if self.until else []
        return "all runs" + (" " + " ".join(parts) if parts else "")


ALL_RUNS = RunSelection()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """The support rate of a set of runs."""

    of: RunSelection
    estimates: PrevalenceEstimates
    items: int
    """Citations with a verdict, items of the test part left out."""
    sample: int
    """Of them, those whose labels correct the judge."""
    sampled_at_random: bool
    """Whether those labels came out of queues in random order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstReviewers:
    """How far a judge agrees with single reviewers and with their majority, on the same parts."""

    reviewers: tuple[tuple[str, ClassificationReport], ...]
    """By name, those with most labels first: their own latest labels, disputed items included."""
    more_reviewers: int
    """Without figures of their own."""
    majority: ClassificationReport
    """By `MAJORITY_RULE`."""
    ties: int
    """Items without a majority."""
    single: int
    """Items of the majority that one reviewer labelled."""


Slices = Mapping[str, Sequence[tuple[str, ClassificationReport]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationReport(NotebookDisplayMixin):
    """A calibration with all its accompanying results."""

    calibration: Calibration
    reviewer_agreement: HumanAgreement | None = None
    """None where no two people labelled the same item."""
    against: AgainstReviewers | None = None
    """None where no person labelled an item that the judge has looked at."""
    local: ClassificationReport | None = None
    """The embedded judge on the same items; None where it was not run, or is the judge."""
    rates: Rates | None = None
    slices: Slices | None = None
    """None where they were not requested."""
    references: ReferenceCalibration | None = None
    """The checks of references; None where nobody labelled one."""
    limits: tuple[JudgeLimits, ...] = ()
    """Limits fitted to the labels: of this judge first, then of every other with enough labels."""


def labels_sha256(items: Sequence[EvaluationExample]) -> str:
    """The SHA-256, in hexadecimal, of which items have which label.

    Canonical form: ASCII-escaped JSON of the sorted pairs of item and label.
    """
    rows = to_columns(items)
    pairs = sorted(zip(rows.items, rows.humans, strict=True))
    return hashlib.sha256(json.dumps(pairs).encode("ascii")).hexdigest()
