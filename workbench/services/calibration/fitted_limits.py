"""The limits that labels give a judge, for every judge with enough of them; and saving one.

They are fitted on train and tested on dev: whole groups stand in one part, labelled items stay
where they are, and the test part stays locked.
"""

from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from workbench.calibration.data_split import SHARES
from workbench.calibration.fitted_limits import FITTED_FROM, RATE_TARGET, JudgeLimits, fit_limits
from workbench.calibration.results import labels_sha256
from workbench.errors import UsageError
from workbench.records.calibration import Split, Threshold
from workbench.records.evaluation import ALL_LABELS, JudgeKey, LabelFilter
from workbench.records.evaluation_columns import EvaluationColumns
from workbench.records.guide_versions import chosen_labels_text
from workbench.store.evaluation.evaluation_examples import EvaluationRepository
from workbench.store.evaluation.splits import Splits
from workbench.store.evaluation.thresholds import Thresholds
from workbench.store.store import Store

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
