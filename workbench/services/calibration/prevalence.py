"""The true support rate of a set of runs, and which of their items to label next."""

from collections.abc import Sequence
from random import Random

from workbench.calibration.active_learning import (
    LabellingSuggestion,
    UnlabelledExample,
    select_for_labelling,
)
from workbench.calibration.classification_report import UNTESTED
from workbench.calibration.prevalence import estimate_prevalence
from workbench.calibration.results import ALL_RUNS, Rates, RunSelection
from workbench.errors import UsageError
from workbench.records.evaluation import ALL_LABELS, JudgeKey, LabelFilter
from workbench.records.fields import ReviewField
from workbench.records.queue import Queue
from workbench.records.run_listing import RunItem
from workbench.services.prompts import item_key
from workbench.store.queues.queues import Queues
from workbench.store.runs.run_verdicts import RunVerdictRepository
from workbench.store.store import Store

LEAST_SAMPLE = 10
"""With fewer labels out of random queues all labels are taken, and it is said."""


def rates_of(
    store: Store,
    judge: JudgeKey,
    split_id: str | None,
    of: RunSelection = ALL_RUNS,
    *,
    labels: LabelFilter = ALL_LABELS,
) -> Rates:
    """The support rate of a set of runs, corrected by the labels in it; test labels stay locked.

    Only `labels` correct it.
    """
    import numpy as np

    items = RunVerdictRepository(store).shares(
        judge, split_id, runs=of.runs, since=of.since or None, until=of.until or None, labels=labels
    )
    judged_supported = np.array(items.supported, dtype=np.float64)
    questions = np.array(items.questions, dtype=np.int64)
    labelled = np.array(
        [bool(label) and label not in UNTESTED for label in items.labels], dtype=bool
    )
    random = labelled & np.array(items.random, dtype=bool)
    at_random = int(random.sum()) >= LEAST_SAMPLE
    sample = random if at_random else labelled
    prevalence = estimate_prevalence(
        judged=judged_supported[sample],
        truth=np.array([label == "supported" for label in items.labels], dtype=bool)[sample],
        groups=questions[sample],
        unlabelled=judged_supported[~sample],
        unlabelled_groups=questions[~sample],
    )
    return Rates(
        of=of,
        estimates=prevalence,
        items=len(judged_supported),
        sample=int(sample.sum()),
        sampled_at_random=at_random,
    )


def suggestions(
    store: Store,
    judge: JudgeKey,
    split_id: str | None,
    of: RunSelection = ALL_RUNS,
    *,
    many: int = 50,
    threshold: float = 0.5,
) -> list[LabellingSuggestion]:
    """The unlabelled items of a set of runs whose labels would teach most, best first."""
    items = _read(store, judge, split_id, of)
    candidates = [
        UnlabelledExample(
            item=f"{item.run_id}/{item.citation_id}",
            score=item.score,
            verdicts=item.verdicts,
            slices=_slices(item),
        )
        for item in items
        if not item.label
    ]
    clamped = min(max(threshold, 0.001), 0.999)
    return select_for_labelling(
        candidates, [_slices(item) for item in items if item.label], many=many, threshold=clamped
    )


def queue_of_suggestions(
    store: Store,
    chosen: Sequence[LabellingSuggestion],
    *,
    by: str,
    name: str = "Worth a label next",
    fields: Sequence[ReviewField] = (),
) -> Queue:
    """A blind queue of items, best first.

    Raises:
        UsageError: There are none.
    """
    keys = [item_key(suggestion.item) for suggestion in chosen]
    if not keys:
        raise UsageError("No unlabelled item with a verdict of this judge is left.")
    return Queues(store).build(
        name, created_by=by, order="document", blind=True, items=keys, fields=fields
    )


def queue_of_random_sample(
    store: Store,
    judge: JudgeKey,
    split_id: str | None,
    of: RunSelection = ALL_RUNS,
    *,
    many: int,
    by: str,
    seed: int = 0,
    fields: Sequence[ReviewField] = (),
) -> Queue:
    """A blind queue of a random sample of a set of runs, in random order; labelled ones too.

    An item that is labelled already must have its chance, or the sample is none.

    Raises:
        UsageError: The runs hold no verdict of this judge.
    """
    items = _read(store, judge, split_id, of)
    if not items:
        raise UsageError(
            f"{of.description[0].upper()}{of.description[1:]} have no verdict of "
            f"{judge.description}."
        )
    drawn = Random(seed).sample(items, min(many, len(items)))
    return Queues(store).build(
        f"Random sample of {of.description}",
        created_by=by,
        order="random",
        seed=seed,
        blind=True,
        items=[(item.run_id, item.citation_id) for item in drawn],
        fields=fields,
    )


def _read(store: Store, judge: JudgeKey, split_id: str | None, of: RunSelection) -> list[RunItem]:
    return RunVerdictRepository(store).read(
        judge, split_id, runs=of.runs, since=of.since or None, until=of.until or None
    )


def _slices(item: RunItem) -> tuple[tuple[str, str], ...]:
    return (("kind", item.kind), *((("domain", item.domain),) if item.domain else ()))
