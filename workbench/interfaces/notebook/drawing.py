"""From a record to what a notebook shows of it."""

from collections.abc import Iterable
from dataclasses import replace

from workbench.errors import UsageError
from workbench.interfaces.notebook import figures, references, runs
from workbench.interfaces.notebook.html import RichOutput
from workbench.records.bibliography import ReferenceReport
from workbench.records.citation import Extraction
from workbench.records.review import Label, active_labels
from workbench.records.text import replace_surrogates
from workbench.records.verdict import Run
from workbench.services.calibration import (
    Agreement,
    Calibration,
    CalibrationReport,
    ClassificationReport,
    PrevalenceEstimates,
)
from workbench.services.labelled_judging import Evaluation
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
        f"reports, labels and calibration results can."
    )
