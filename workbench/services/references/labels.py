"""Reviewers' decisions on the entries of reference lists, data sets of them, and their calibration."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from workbench.calibration.agreement import agreement
from workbench.calibration.references import ReferenceCalibration, reference_figures
from workbench.calibration.results import DEFAULT_OBJECTIVE, ThresholdObjective
from workbench.calibration.risk_control import guarantee
from workbench.datasets.dataset_card import CardMetadata
from workbench.errors import UsageError
from workbench.records.evaluation import Threshold
from workbench.records.reference_labels import (
    DECISION_OF_REASON,
    EntryLabel,
    LabelledReference,
    OverrideReason,
    ReferenceDecision,
)
from workbench.records.reviewers import normalize_reviewer_name
from workbench.services.cached_views import cached_view
from workbench.services.calibration.measurement import choose
from workbench.services.calibration.thresholds import REFERENCES
from workbench.services.database import Database
from workbench.store.bibliography.labels import EntryLabelRepository, LabelledReferenceQueries
from workbench.store.evaluation.splits import Thresholds
from workbench.store.labels.label_rules import LabelScope
from workbench.store.queues.queues import Queues


def submit_reference_label(
    database: Database,
    run_id: str,
    position: int,
    reviewer: str,
    decision: ReferenceDecision,
    *,
    reason: OverrideReason | None = None,
    note: str = "",
) -> tuple[bool, EntryLabel]:
    """Whether a label was added, and the reviewer's label that stands now.

    Raises:
        UsageError, NotFoundError, StoreError: As `EntryLabelRepository.give`.
    """
    added = EntryLabelRepository(database).give(
        run_id, position, reviewer, decision, reason=reason, note=note
    )
    if added is not None:
        return True, added
    own = EntryLabelRepository(database).listed(run_id, normalize_reviewer_name(reviewer))
    return False, [label for label in own if label.position == position][-1]


def override_reference(
    database: Database,
    run_id: str,
    position: int,
    reviewer: str,
    reason: OverrideReason,
    *,
    note: str = "",
    queue_id: str | None = None,
) -> EntryLabel | None:
    """The label of a reviewer who overrides a check for a reason, which says what is decided.

    Raises:
        UsageError, NotFoundError, StoreError: As `EntryLabelRepository.give`.
    """
    decision = DECISION_OF_REASON[reason]
    return EntryLabelRepository(database).give(
        run_id, position, reviewer, decision, reason=reason, note=note, queue_id=queue_id
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceSelection:
    """Which checked entries."""

    runs: tuple[str, ...] = ()
    """Of these runs; empty for all."""
    queue: str | None = None
    """The entries of this queue only."""
    labelled: bool = True
    """Only entries that have a label."""
    scope: LabelScope = "real"
    """Whose labels are exported."""


def count_references(database: Database, choice: ReferenceSelection) -> int:
    """How many checked entries a choice holds.

    Raises:
        StoreError: There is no such run or queue.
    """
    return len(_keys(database, choice))


def labelled_references(
    database: Database, choice: ReferenceSelection
) -> Iterator[LabelledReference]:
    """The checked entries of a choice with their labels, read some at a time.

    Raises:
        StoreError: There is no such run or queue.
    """
    return LabelledReferenceQueries(database, choice.scope).read(_keys(database, choice))


def _keys(database: Database, choice: ReferenceSelection) -> Sequence[tuple[str, int]]:
    return LabelledReferenceQueries(database, choice.scope).keys(
        run_ids=choice.runs, queue_id=choice.queue, labelled=choice.labelled
    )


def about_references(database: Database, choice: ReferenceSelection) -> CardMetadata:
    """What the card of a data set of references says besides the rows.

    Raises:
        StoreError: There is no such run or queue.
    """
    names = [database.get_summary(run_id).name or run_id for run_id in choice.runs]
    words = [f"of {' and '.join(names[:5])}"] if names else []
    if choice.queue:
        words.append(f"of the queue {Queues(database).get(choice.queue).name}")
    if choice.labelled:
        words.append("labelled entries only")
    return CardMetadata(
        title=f"Labelled references of {names[0]}" if len(names) == 1 else "Labelled references",
        selection=", ".join(words) or "every entry that was checked",
        agreement=tuple(_agreement(database, choice)),
    )


def _agreement(database: Database, choice: ReferenceSelection) -> Iterator[str]:
    """Agreement between people in sentences; none where no entry has two labels."""
    ratings = LabelledReferenceQueries(database, choice.scope).ratings(
        run_ids=choice.runs, queue_id=choice.queue
    )
    people = agreement(ratings, rounds=400)
    if not people.items:
        return
    yield (
        f"{people.ratings} labels of {len(people.raters)} people on {people.items} entries, each "
        "person's first"
    )
    yield f"Raw agreement {people.raw.text}"
    yield f"Krippendorff's alpha {people.alpha.text}"
    for label in people.labels:
        yield f"Specific agreement on {label.label} {label.specific.text}"


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
