"""How far can the judge be trusted? Labels and judgments in, statistics out; pure."""

from workbench.calibration.agreement import Agreement, LabelAgreement, PairAgreement, agreement
from workbench.calibration.binomial import (
    exact_interval,
    upper_bound,
    wilson_interval,
)
from workbench.calibration.compare import Comparison, Decided, compare, mcnemar
from workbench.calibration.effective import Share, share_of
from workbench.calibration.figure import Figure, Sums
from workbench.calibration.guarantee import Guarantee, abstain_band, guarantee
from workbench.calibration.judge_table import (
    FIGURES,
    UNTESTED,
    Bin,
    JudgeTable,
    always_supported,
    by_slice,
    judge_table,
    reliability,
)
from workbench.calibration.metrics import (
    auroc,
    average_precision,
    balanced_accuracy,
    best_threshold,
    brier,
    calibration_error,
    cluster_interval,
    f1,
    group_folds,
)
from workbench.calibration.next_labels import (
    Candidate,
    Forecast,
    Suggestion,
    forecast,
    labels_for,
    next_to_label,
)
from workbench.calibration.parts import PARTS, SHARES, Part, Placed, Ties, place_in_parts
from workbench.calibration.pull import JudgePull, judge_pull
from workbench.calibration.rank import auroc_figure
from workbench.calibration.rates import CorrectedRates, corrected_rates
from workbench.calibration.spans import (
    EvidenceAgreement,
    covered,
    evidence_agreement,
    merged,
    shared,
    span_f1,
    span_jaccard,
)
from workbench.calibration.thresholds import GRID, Cut, Side, meeting, sweep
from workbench.calibration.throughput import Pace, Remaining, pace, remaining, time_at_work

__all__ = [
    "Agreement",
    "Bin",
    "Candidate",
    "Comparison",
    "CorrectedRates",
    "Cut",
    "Decided",
    "EvidenceAgreement",
    "FIGURES",
    "Figure",
    "Forecast",
    "GRID",
    "Guarantee",
    "JudgePull",
    "JudgeTable",
    "LabelAgreement",
    "PARTS",
    "Pace",
    "PairAgreement",
    "Part",
    "Placed",
    "Remaining",
    "SHARES",
    "Share",
    "Side",
    "Suggestion",
    "Sums",
    "Ties",
    "UNTESTED",
    "abstain_band",
    "agreement",
    "always_supported",
    "auroc",
    "auroc_figure",
    "average_precision",
    "balanced_accuracy",
    "best_threshold",
    "brier",
    "by_slice",
    "calibration_error",
    "cluster_interval",
    "compare",
    "corrected_rates",
    "covered",
    "evidence_agreement",
    "exact_interval",
    "f1",
    "forecast",
    "group_folds",
    "guarantee",
    "judge_pull",
    "judge_table",
    "labels_for",
    "mcnemar",
    "meeting",
    "merged",
    "next_to_label",
    "pace",
    "place_in_parts",
    "reliability",
    "remaining",
    "share_of",
    "shared",
    "span_f1",
    "span_jaccard",
    "sweep",
    "time_at_work",
    "upper_bound",
    "wilson_interval",
]
