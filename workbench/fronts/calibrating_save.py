"""A chosen threshold made a record that runs refer to."""

from datetime import UTC, datetime

from workbench.errors import UsageError
from workbench.fronts.calibrating import Calibration
from workbench.records import Threshold
from workbench.store import Store, Thresholds


def save_threshold(
    store: Store, done: Calibration, *, by: str, note: str = "", band: bool = False
) -> Threshold:
    """The threshold as it is kept.

    Args:
        store: Where.
        done: What it was chosen in.
        by: Who chose it.
        note: What for.
        band: The two edges of the abstain band in place of the one threshold.

    Raises:
        UsageError: No threshold serves the aim.
        StoreError: The database cannot be used.
    """
    accept, reject = done.band
    holds = done.guarantee.holds and done.aim.kind == "guarantee"
    upper, lower = done.threshold, None
    if band:
        upper = accept.threshold if accept.holds else None
        lower = reject.threshold if reject.holds else None
        holds = upper is not None or lower is not None
        if upper is not None and lower is not None:
            # where the edges cross, what lies between meets either target: one edge is enough
            lower = min(lower, upper)
    if upper is None and lower is None:
        raise UsageError("No threshold serves this aim on these labels; there is none to save.")
    aim = f"abstain band: {done.aim.words}" if band else done.aim.words
    return Thresholds(store).save(
        Threshold(
            id="",
            judge=done.judge.words,
            accept=upper,
            reject=lower,
            target=None if done.aim.kind == "cost" else done.aim.target,
            confidence=done.aim.confidence,
            holds=holds,
            aim=aim,
            split_id=done.split.id,
            parts=done.chosen_on,
            n=done.guarantee.n,
            labels_sha256=done.labels_sha256,
            created_by=by,
            created_at=datetime.now(UTC),
            note=note,
        )
    )
