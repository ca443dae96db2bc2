"""A chosen threshold made a record that runs refer to, and the limits that labels give judges.

Limits are fitted on train and tested on dev: whole groups stand in one part, labelled items stay
where they are, and the test part stays locked.
"""

import os
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from workbench.calibration.fitted_limits import FITTED_FROM, RATE_TARGET, JudgeLimits, fit_limits
from workbench.calibration.results import Calibration, labels_sha256
from workbench.calibration.thresholds import SHARES
from workbench.errors import UsageError, WorkbenchError
from workbench.policy import read_policy
from workbench.records.evaluation import (
    ALL_LABELS,
    EvaluationColumns,
    JudgeKey,
    LabelFilter,
    Split,
    Threshold,
)
from workbench.records.format import count_of
from workbench.records.guide_versions import chosen_labels_text
from workbench.services.policies import policy_text, saved_policies
from workbench.store.evaluation.evaluation_examples import EvaluationRepository
from workbench.store.evaluation.splits import Splits, Thresholds
from workbench.store.queues.queues import Queues
from workbench.store.store import Store

REFERENCES = "references"
"""What a threshold on the check of references names as its judge."""

_ANOTHER_AIM = "a higher target"
_OTHER_AIMS = {"cost": "other costs", "recall": "another target", "manual": "another threshold"}
"""What to choose in place of a degenerate threshold, by the kind of the aim."""


def list_thresholds(store: Store, *, references: bool | None = None) -> list[Threshold]:
    """Every saved threshold, newest first; or only those of judges, or of references."""
    return [
        threshold
        for threshold in Thresholds(store).all()
        if references is None or (threshold.judge == REFERENCES) == references
    ]


def uses_of(store: Store, threshold: Threshold, data_dir: Path) -> list[str]:
    """What uses a saved threshold, in words: runs by its id, queues and policies by its score."""
    at = -1.0 if threshold.accept is None else threshold.accept
    runs = Thresholds(store).count_runs(threshold.id)
    uses = [count_of(runs, "run")] if runs else []
    for queue in (line.queue for line in Queues(store).list_queues()):
        if queue.filter.near is not None and abs(queue.filter.near - at) < 0.0005:
            uses.append(f"queue {queue.name}")
    for name in saved_policies(data_dir):
        with suppress(WorkbenchError):  # one that cannot be read decides nothing
            policy = read_policy(policy_text(name, data_dir), os.environ)
            if abs(policy.min_confidence - at) < 0.0005:
                uses.append(f"policy {name}")
    return uses


def get_threshold(store: Store, threshold_id: str) -> Threshold:
    """A saved threshold of a judge.

    Raises:
        UsageError: It is one of references, which decides no verdict.
        StoreError: There is none of that id.
    """
    threshold = Thresholds(store).get(threshold_id)
    if threshold.judge == REFERENCES:
        raise UsageError(
            f"The threshold {threshold_id} is of references; it decides no verdict of a judge."
        )
    return threshold


def refusal(calibration: Calibration, *, band: bool = False) -> str:
    """Why the threshold, or the abstain band, cannot be saved; empty where it can.

    Besides the one that is not there it is the degenerate one: it puts all labelled items on the
    same side, so that the judge's score decides nothing.
    """
    upper, lower = _edges(calibration, band)
    if upper is None and lower is None:
        return "No threshold meets this target on these labels; there is none to save."
    accepted = {cut.threshold: cut.accepted for cut in calibration.cuts}
    n, positives = calibration.cuts[0].n, calibration.cuts[0].positives
    # what a single threshold does not accept it rejects; of a band's middle a person is asked
    floor = lower if band else upper
    accepts_all = upper is not None and accepted[upper] == n
    rejects_all = floor is not None and accepted[floor] == 0
    if not (accepts_all or rejects_all):
        return ""
    share = (positives if accepts_all else n - positives) / n
    change = _ANOTHER_AIM if band else _OTHER_AIMS.get(calibration.aim.kind, _ANOTHER_AIM)
    return (
        f"This {'band' if band else 'threshold'} would {'accept' if accepts_all else 'reject'} all "
        f"{n:,} labelled items whatever the judge says: {share:.0%} of them are "
        f"{'supported' if accepts_all else 'not supported'}. Choose {change}."
    )


def save_threshold(
    store: Store, calibration: Calibration, *, by: str, note: str = "", band: bool = False
) -> Threshold:
    """The threshold as it is kept.

    Args:
        store: Where.
        calibration: What it was chosen in.
        by: Who chose it.
        note: What for.
        band: The two edges of the abstain band in place of the one threshold.

    Raises:
        UsageError: No threshold serves the aim, or all labelled items would be accepted, or all
            rejected (`refusal`).
    """
    problem = refusal(calibration, band=band)
    if problem:
        raise UsageError(problem)
    upper, lower = _edges(calibration, band)
    holds = band or (calibration.guarantee.holds and calibration.aim.kind == "guarantee")
    aim = f"abstain band: {calibration.aim.description}" if band else calibration.aim.description
    chosen = chosen_labels_text(calibration.labels)
    aim += f", on {chosen}" if chosen else ""
    return Thresholds(store).save(
        Threshold(
            id="",
            judge=calibration.judge.description,
            accept=upper,
            reject=lower,
            target=None if calibration.aim.kind in ("cost", "manual") else calibration.aim.target,
            confidence=calibration.aim.confidence,
            holds=holds,
            aim=aim,
            split_id=calibration.split.id,
            parts=calibration.chosen_on,
            n=calibration.guarantee.n,
            labels_sha256=calibration.labels_sha256,
            created_by=by,
            created_at=datetime.now(UTC),
            note=note,
        )
    )


def _edges(calibration: Calibration, band: bool) -> tuple[float | None, float | None]:
    """From where it accepts, and below what it rejects; None where it never does."""
    if not band:
        return calibration.threshold, None
    accept, reject = calibration.band
    upper = accept.threshold if accept.holds else None
    lower = reject.threshold if reject.holds else None
    if upper is not None and lower is not None:
        # where the edges cross, what lies between meets either target: one edge is enough
        lower = min(lower, upper)
    return upper, lower


FITTING, APART = "train", "dev"


def limits_of_judges(
    store: Store,
    judge: JudgeKey,
    split: Split,
    *,
    target: float = RATE_TARGET,
    labels: LabelFilter = ALL_LABELS,
) -> tuple[JudgeLimits, ...]:
    """The limits of a judge first, then those of every other judge with enough labels.

    Results are cached until a label or a verdict is added.

    Raises:
        UsageError: The target is not a share.
    """
    if not 0 < target < 1:
        raise UsageError(
            f"The target of sensitivity and specificity must be between 0 and 1, not {target:g}."
        )
    repository = EvaluationRepository(store)
    state = repository.state()
    others = [other for other, n in repository.judges() if other != judge and n >= FITTED_FROM]
    limits = [_limits(store.path, state, one, split.id, target, labels) for one in (judge, *others)]
    return tuple(one for at, one in enumerate(limits) if not at or one.limits)


@lru_cache(maxsize=64)
def _limits(
    path: Path, state: str, judge: JudgeKey, split_id: str, target: float, labels: LabelFilter
) -> JudgeLimits:
    store = Store(path)
    # a split may lack a part; new labels go to the parts of a new one
    shares: dict[str, float] = dict(SHARES.items())
    shares.update(Splits(store).get(split_id).shares)
    fitting, apart = (_examples(store, judge, split_id, part, labels) for part in (FITTING, APART))
    return fit_limits(
        judge,
        fitting,
        apart,
        target=target,
        apart_share=shares[APART],
        open_share=shares[FITTING] + shares[APART],
    )


def _examples(
    store: Store, judge: JudgeKey, split_id: str, part: str, labels: LabelFilter
) -> EvaluationColumns:
    return EvaluationRepository(store).with_source_types(judge, split_id, (part,), labels)


def save_limits(
    store: Store,
    judge: JudgeKey,
    split: Split,
    *,
    by: str,
    target: float = RATE_TARGET,
    labels: LabelFilter = ALL_LABELS,
    note: str = "",
) -> Threshold:
    """The admitted limits of a judge as a threshold: at or above them supported, below them not.

    Where the joint limit is not admitted, citations of kinds without a limit of their own are left
    to a person.

    Raises:
        UsageError: No limit is admitted.
    """
    limits = limits_of_judges(store, judge, split, target=target, labels=labels)[0]
    joint = limits.joint
    if joint is None or not limits.admitted:
        raise UsageError(
            f"No limit fitted to the labels of {judge.description} is admitted; there is none to "
            "save."
        )
    edge = joint.limit if joint.admitted else None
    fitting, apart = (_examples(store, judge, split.id, part, labels) for part in (FITTING, APART))
    chosen = chosen_labels_text(labels)
    return Thresholds(store).save(
        Threshold(
            id="",
            judge=judge.description,
            accept=edge,
            reject=edge,
            target=target,
            confidence=joint.confidence,
            holds=True,
            aim=(
                f"fitted to {joint.fitted_on:,} labels, sensitivity and specificity of "
                f"{target:.0%} held by {joint.tested_on:,} kept apart"
                f"{f', on {chosen}' if chosen else ''}"
            ),
            split_id=split.id,
            parts=(FITTING, APART),
            n=limits.labels,
            labels_sha256=labels_sha256([*fitting, *apart]),
            created_by=by,
            created_at=datetime.now(UTC),
            note=note,
            kinds={
                one.kind: one.limit for one in limits.admitted if one.kind and one.limit is not None
            },
        )
    )


def forget_limits() -> None:
    """Drop what is kept at hand."""
    _limits.cache_clear()
