"""Measuring a judge from a notebook: the same calibration as the command line and the page."""

from dataclasses import replace

from workbench.errors import UsageError
from workbench.records.evaluation import ALL_LABELS
from workbench.records.guide_versions import parse_guide
from workbench.services.calibration import (
    CONFIDENCE,
    OPEN_PARTS,
    TARGET,
    CalibrationReport,
    ThresholdObjective,
)
from workbench.services.calibration.label_filters import find_label_filter
from workbench.services.calibration.measurement import calibrate as measure
from workbench.services.calibration.measurement import ensure_split
from workbench.services.calibration.report_data import view_of
from workbench.services.database import Database
from workbench.services.labelled_judging import JudgeConfig, judge_missing

NOTEBOOK = "notebook"
"""Author of the split if no name was given."""


def calibrate(
    store: Database,
    judge: str = "local",
    *,
    target_precision: float = TARGET,
    confidence: float = CONFIDENCE,
    author: str = NOTEBOOK,
    max_cost_usd: float = 0.0,
    slices: bool = False,
    guide_version: int | str | None = None,
    labels_of: str = "",
) -> CalibrationReport:
    """How far a judge can be trusted on the labelled citations of a store; shows itself.

    Labelled citations without a verdict of this judge are judged first, as far as the cost cap
    allows. The labels are split once into train, dev and a locked test part; figures use train
    and dev, and the test part stays locked (the command line opens it, with a reason). With
    `guide_version` only labels given by that version of the label guide count: a number, 0 for the
    built-in guide, or `unknown`. With `labels_of` only those of a data set, queue or run count, by
    its name or id; `reviewed` are those on citations that were not imported.

    Raises:
        UsageError: No labelled citation has a verdict yet, a share is invalid, or the judge cannot be
            opened.
        StoreError: The database cannot be used.
    """
    for name, share in (("target_precision", target_precision), ("confidence", confidence)):
        if not 0 < share < 1:
            raise UsageError(f"{name} must be between 0 and 1, for example 0.95, not {share}.")
    guides = () if guide_version is None else (parse_guide(str(guide_version)),)
    labels = find_label_filter(store, labels_of) if labels_of else ALL_LABELS
    who = JudgeConfig(specs=(judge,))
    judge_missing(store, who, max_cost_usd=max_cost_usd)
    split = ensure_split(store, author)
    aim = ThresholdObjective(target=target_precision, confidence=confidence)
    calibration = measure(
        store, who.name, split, aim=aim, parts=OPEN_PARTS, labels=replace(labels, guides=guides)
    )
    return view_of(store, calibration, slices=slices)
