"""From a record to what a notebook shows of it, and a calibration made there."""

from collections.abc import Iterable
from dataclasses import replace

from workbench.errors import UsageError
from workbench.interfaces.notebook import figures, references, runs
from workbench.interfaces.notebook.html import RichOutput
from workbench.records.bibliography import ReferenceReport
from workbench.records.citation import Extraction
from workbench.records.evaluation import ALL_LABELS
from workbench.records.guide_versions import parse_guide
from workbench.records.matrix import Matrix
from workbench.records.review import Label, active_labels
from workbench.records.text import replace_surrogates
from workbench.records.verdict import Run
from workbench.services.calibration import (
    CONFIDENCE,
    OPEN_PARTS,
    TARGET,
    Agreement,
    Calibration,
    CalibrationReport,
    ClassificationReport,
    PrevalenceEstimates,
    ThresholdObjective,
)
from workbench.services.calibration.agreement import find_label_filter
from workbench.services.calibration.measurement import calibrate as measure
from workbench.services.calibration.measurement import ensure_split
from workbench.services.calibration.report_data import view_of
from workbench.services.database import Database
from workbench.services.labelled_judging import Evaluation, JudgeConfig, judge_missing
from workbench.services.verification import ClaimReport


def draw(record: object, labels: Iterable[Label] = ()) -> RichOutput:
    """What a notebook shows of a record, as HTML, Markdown and plain text.

    Args:
        record: An extraction, a run, a reference report, a claim report, a label, or a result of calibration.
        labels: Human labels of a run's citations; shown beside the verdicts.

    Raises:
        UsageError: The record's type cannot be drawn.
    """
    picture = _picture(record, labels)
    return replace(picture, plain=replace_surrogates(picture.plain))


def _picture(record: object, labels: Iterable[Label]) -> RichOutput:
    match record:
        case Extraction():
            return runs.render_extraction(record)
        case Run():
            return runs.render_run(record, active_labels(labels))
        case ReferenceReport():
            return references.render_references(record)
        case Matrix():
            return runs.render_matrix(record)
        case ClaimReport():
            return runs.render_claims(record)
        case Label():
            return runs.render_label(record)
        case CalibrationReport():
            return figures.render_view(record)
        case Calibration():
            return figures.render_calibration(record)
        case ClassificationReport():
            return figures.render_judge_table(record)
        case Agreement():
            return figures.render_agreement(record)
        case PrevalenceEstimates():
            return figures.render_rates(record)
        case Evaluation():
            return figures.render_evaluation(record)
    raise UsageError(
        f"A {type(record).__name__} cannot be drawn; extractions, runs, reference reports, claim "
        f"reports, matrices, labels and calibration results can."
    )


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
