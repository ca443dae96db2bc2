"""How far can the judge be trusted? Labels and judgments in, statistics out; pure."""

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

__all__ = [
    "auroc",
    "average_precision",
    "balanced_accuracy",
    "best_threshold",
    "brier",
    "calibration_error",
    "cluster_interval",
    "f1",
    "group_folds",
]
