"""How far can the judge be trusted? Its use cases, and the results that they return."""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.calibration import (
        RATE_TARGET,
        Agreement,
        AutomationBias,
        ClassificationReport,
        EvidenceAgreement,
        FieldAgreement,
        FieldMeasure,
        FittedLimit,
        IntervalEstimate,
        JudgeLimits,
        OperatingPoint,
        PairAgreement,
        PrevalenceEstimates,
        ReferenceCalibration,
        ReliabilityBin,
        Remaining,
        remaining,
    )
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

__all__ = [
    "Agreement",
    "AutomationBias",
    "CONFIDENCE",
    "Calibration",
    "CalibrationReport",
    "ClassificationReport",
    "EvidenceAgreement",
    "FieldAgreement",
    "FieldMeasure",
    "FittedLimit",
    "IntervalEstimate",
    "JudgeLimits",
    "OPEN_PARTS",
    "OperatingPoint",
    "PairAgreement",
    "PrevalenceEstimates",
    "RANDOM_NEEDED",
    "RATE_TARGET",
    "ReferenceCalibration",
    "ReliabilityBin",
    "Remaining",
    "RunSelection",
    "TARGET",
    "ThresholdObjective",
    "remaining",
]

__getattr__ = lazy_exports(__name__, __file__)
