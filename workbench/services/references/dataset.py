"""Checked entries of reference lists for a data set: chosen, and what its card says."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.calibration.agreement import agreement
from workbench.datasets.dataset_card import CardMetadata
from workbench.records.reference_labels import LabelledReference
from workbench.services.database import Database
from workbench.store.bibliography.labelled import LabelledReferenceQueries
from workbench.store.labels.label_scope import LabelScope
from workbench.store.queues.queues import Queues


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
