"""How far checks of references can be trusted, by what people decided; its threshold is saved."""

from datetime import UTC, datetime

from workbench.calibration.agreement import agreement
from workbench.calibration.references import ReferenceCalibration, reference_figures
from workbench.calibration.results import DEFAULT_OBJECTIVE, ThresholdObjective
from workbench.calibration.risk_control import guarantee
from workbench.errors import UsageError
from workbench.records.calibration import Threshold
from workbench.services.cached_views import cached_view
from workbench.services.calibration.measurement import choose
from workbench.services.calibration.thresholds import REFERENCES
from workbench.services.database import Database
from workbench.store.bibliography.labelled import LabelledReferenceQueries
from workbench.store.evaluation.splits import Thresholds


def calibrate_references(
    database: Database, aim: ThresholdObjective = DEFAULT_OBJECTIVE
) -> ReferenceCalibration | None:
    """The checks of all labelled entries against people; None where nobody labelled one.

    The threshold is on 1 - P(exists): at or above it a work is called fabricated.
    """
    queries = LabelledReferenceQueries(database)
    labelled = list(queries.read(queries.keys(labelled=True)))
    if not labelled:
        return None
    table = reference_figures(
        labelled, wrong_accept=aim.wrong_accept, wrong_reject=aim.wrong_reject
    )
    risk_guarantee = guarantee(table.cuts, aim.target, aim.confidence)
    people = agreement(queries.ratings())
    return ReferenceCalibration(
        table=table,
        aim=aim.description,
        chosen=choose(table.cuts, aim, risk_guarantee),
        guarantee=risk_guarantee,
        people=people if people.items else None,
        reviewers=len({label.reviewer for row in labelled for label in row.labels}),
    )


@cached_view(max_entries=8, state=lambda database: LabelledReferenceQueries(database).state())
def cached_references(database: Database, aim: ThresholdObjective) -> ReferenceCalibration | None:
    """As `calibrate_references`; the same labels are counted once."""
    return calibrate_references(database, aim)


def save_reference_threshold(
    database: Database,
    calibration: ReferenceCalibration,
    aim: ThresholdObjective,
    *,
    by: str,
    note: str = "",
) -> Threshold:
    """The threshold for "fabricated" as it is kept.

    Raises:
        UsageError: No threshold serves the aim.
    """
    if calibration.threshold is None:
        raise UsageError("No threshold meets this target on these labels; there is none to save.")
    return Thresholds(database).save(
        Threshold(
            id="",
            judge=REFERENCES,
            accept=calibration.threshold,
            reject=None,
            target=None if aim.kind == "cost" else aim.target,
            confidence=aim.confidence,
            holds=calibration.guarantee.holds and aim.kind == "guarantee",
            aim=f"fabricated references: {aim.description}",
            split_id="",
            parts=(),
            n=calibration.guarantee.n,
            labels_sha256=calibration.table.labels_sha256,
            created_by=by,
            created_at=datetime.now(UTC),
            note=note,
        )
    )
