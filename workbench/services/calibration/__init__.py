"""How far can the judge be trusted? Its use cases, and the results that they return."""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.calibration.agreement import (
        Agreement,
        EvidenceAgreement,
        FieldAgreement,
        FieldMeasure,
        PairAgreement,
    )
    from workbench.calibration.classification_report import ClassificationReport, ReliabilityBin
    from workbench.calibration.estimates import IntervalEstimate
    from workbench.calibration.fitted_limits import RATE_TARGET, FittedLimit, JudgeLimits
    from workbench.calibration.prevalence import PrevalenceEstimates
    from workbench.calibration.references import ReferenceCalibration
    from workbench.calibration.results import (
        CONFIDENCE,
        OPEN_PARTS,
        RANDOM_NEEDED,
        TARGET,
        Calibration,
        CalibrationReport,
        RunSelection,
        ThresholdObjective,
    )
    from workbench.calibration.reviewing import AutomationBias, Remaining, remaining
    from workbench.calibration.thresholds import OperatingPoint

__all__ = [
    "Agreement", "AutomationBias", "CONFIDENCE", "Calibration", "CalibrationReport",
    "ClassificationReport", "EvidenceAgreement", "FieldAgreement", "FieldMeasure", "FittedLimit",
    "IntervalEstimate", "JudgeLimits", "OPEN_PARTS", "OperatingPoint", "PairAgreement",
    "PrevalenceEstimates", "RANDOM_NEEDED", "RATE_TARGET", "ReferenceCalibration", "ReliabilityBin",
    "Remaining", "RunSelection", "TARGET", "ThresholdObjective", "remaining",
]  # fmt: skip

__getattr__ = lazy_exports(__name__, __file__)
