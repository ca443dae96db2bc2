"""How far can the judge be trusted? Labels and judgments in, statistics out; pure."""

from workbench.calibration.agreement import Agreement, LabelAgreement, PairAgreement, agreement
from workbench.calibration.figure import Figure, Sums
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
from workbench.calibration.pull import JudgePull, judge_pull
from workbench.calibration.spans import (
    EvidenceAgreement,
    covered,
    evidence_agreement,
    merged,
    shared,
    span_f1,
    span_jaccard,
)
from workbench.calibration.throughput import Pace, Remaining, pace, remaining, time_at_work

__all__ = [
    "Agreement",
    "EvidenceAgreement",
    "Figure",
    "JudgePull",
    "LabelAgreement",
    "Pace",
    "PairAgreement",
    "Remaining",
    "Sums",
    "agreement",
    "auroc",
    "average_precision",
    "balanced_accuracy",
    "best_threshold",
    "brier",
    "calibration_error",
    "cluster_interval",
    "covered",
    "evidence_agreement",
    "f1",
    "group_folds",
    "judge_pull",
    "merged",
    "pace",
    "remaining",
    "shared",
    "span_f1",
    "span_jaccard",
    "time_at_work",
]
