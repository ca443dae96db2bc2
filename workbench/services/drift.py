"""Anchor sets frozen, judges asked about them again, and what changed, for every front."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from workbench.calibration.classification_report import UNTESTED
from workbench.calibration.drift import (
    TOLERANCE,
    AnchorCandidate,
    DriftReport,
    Flip,
    Flips,
    JudgeHistory,
    choose_anchors,
    detect_drift,
    flips,
)
from workbench.calibration.results import OPEN_PARTS
from workbench.errors import UsageError
from workbench.experiments.judge_items import JudgingCost, JudgingResult, judge_items, judging_cost
from workbench.judging.judge import Judge
from workbench.records.evaluation import JudgeKey
from workbench.records.reference_sets import ReferenceEvaluation, ReferenceSet
from workbench.records.reviewers import utc_now
from workbench.records.spending import checked_cost_cap
from workbench.records.text import Json, JsonDict
from workbench.services.cached_views import cached_view, file_state
from workbench.services.calibration.measurement import ensure_split
from workbench.services.spending import attempt_budget
from workbench.store.evaluation.predictions import PredictionRepository
from workbench.store.evaluation.reference_sets import ReferenceSetRepository
from workbench.store.evaluation.splits import Splits
from workbench.store.store import Clock, Store

__all__ = ["DriftReport", "Flip", "Flips", "JudgeHistory"]

USUAL_SIZE = 200
CONTINUED_FOR = timedelta(hours=24)
"""An asking that was stopped is continued for so long; after that it would be no point in time."""
IN_RUNS = "runs"
"""What the verdicts are called that the items had in their runs when they were frozen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationResult:
    """The result of asking a judge about an anchor set."""

    evaluation: ReferenceEvaluation
    judging: JudgingResult
    continued: bool
    """Whether an asking that had been stopped was gone on with."""


def claims_of(store: Store, flipped: Sequence[Flip]) -> dict[str, str]:
    """The claims of examples with another label than before, by the example's name."""
    return PredictionRepository(store).claims([flip.item for flip in flipped])


def freeze_anchors(
    store: Store,
    name: str,
    *,
    by: str,
    many: int = USUAL_SIZE,
    seed: int = 0,
    parts: Sequence[str] = OPEN_PARTS,
    note: str = "",
    now: Clock = utc_now,
) -> ReferenceSet:
    """A new anchor set out of the labelled items of some parts; items of the test part stay out.

    Raises:
        UsageError: The name is empty or taken, the test part is asked for, or nothing can be taken.
    """
    closed = set(parts) - set(OPEN_PARTS)
    if closed or not parts:
        raise UsageError(
            f"Reference sets are drawn from {' and '.join(OPEN_PARTS)}: the test set stays locked."
        )
    split = ensure_split(store, by)
    repository = ReferenceSetRepository(store, now)
    candidates = {
        candidate.anchor.item: candidate for candidate in repository.candidates(split.id, parts)
    }
    chosen = choose_anchors(
        [
            AnchorCandidate(
                item=item,
                label=candidate.anchor.gold,
                question=candidate.anchor.question,
                domain=candidate.domain,
            )
            for item, candidate in candidates.items()
            if candidate.anchor.gold not in UNTESTED
        ],
        many,
        seed=seed,
    )
    return repository.freeze(
        name,
        [candidates[choice.item].anchor for choice in chosen],
        seed=seed,
        parts=parts,
        by=by,
        note=note,
    )


def evaluation_cost(store: Store, anchors: ReferenceSet, judge: Judge) -> JudgingCost:
    """What asking about a whole set can cost at most."""
    repository = ReferenceSetRepository(store)
    items = [
        item_state.anchor
        for item_state in repository.states(anchors.id, None)
        if item_state.readable
    ]
    return judging_cost(repository.questions(items), len(items), judge)


def evaluate_reference_set(
    store: Store,
    anchors: ReferenceSet,
    judge: Judge,
    *,
    by: str,
    max_cost_usd: float | None = None,
    again: bool = False,
    cancel: threading.Event | None = None,
    on_progress: Callable[[int, float], None] | None = None,
    now: Clock = utc_now,
) -> EvaluationResult:
    """What a judge says of an anchor set today, from the kept texts alone.

    Every item is asked again: what was paid for at another time is not taken for today's answer. An
    asking that was stopped less than a day ago is continued, and pays for nothing twice.

    Args:
        store: Where.
        anchors: The set.
        judge: Whom; with its prompt.
        by: Who asks.
        max_cost_usd: A cap that holds under concurrency.
        again: Begin a new asking even where one can be continued.
        cancel: Ends it early; what was answered is kept.
        on_progress: Called with how many items are done and what they cost so far, in USD.
        now: The clock.

    Raises:
        UsageError: No item of the set can be asked about any more; StoreError as everywhere.
    """
    checked_cost_cap(max_cost_usd)  # before an asking is begun
    repository = ReferenceSetRepository(store, now)
    if not any(item_state.readable for item_state in repository.states(anchors.id, None)):
        raise UsageError(
            f"None of the {anchors.size:,} items of {anchors.name!r} is left to judge: their "
            f"outputs were erased. Create a new set."
        )
    prompt = str(getattr(getattr(judge, "prompt", None), "id", None) or "")
    begun = None if again else _unfinished(repository, anchors, judge.spec, prompt, now)
    evaluation = begun or repository.begin(anchors.id, judge.spec, prompt, by=by)
    # kept under the asking's own name: a stop pays for nothing twice, another day asks all again
    with attempt_budget(store, f"anchor set evaluation {evaluation.id}", max_cost_usd) as budget:
        judging = judge_items(
            repository.questions(repository.unanswered(evaluation)),
            judge,
            lambda opinions, first: repository.add(evaluation, opinions),
            budget=budget,
            recall=lambda key: store.get_judgment(f"{evaluation.id}:{key}"),
            remember=lambda key, judgment: store.add_judgment(f"{evaluation.id}:{key}", judgment),
            cancel=cancel,
            on_progress=on_progress,
        )
    return EvaluationResult(
        evaluation=next(
            stored for stored in repository.evaluations(anchors.id) if stored.id == evaluation.id
        ),
        judging=judging,
        continued=begun is not None,
    )


def _unfinished(
    repository: ReferenceSetRepository, anchors: ReferenceSet, judge: str, prompt: str, now: Clock
) -> ReferenceEvaluation | None:
    earlier = [
        evaluation
        for evaluation in repository.evaluations(anchors.id)
        if (evaluation.judge, evaluation.prompt) == (judge, prompt)
    ]
    if (
        not earlier
        or now() - earlier[-1].created_at > CONTINUED_FOR
        or not repository.unanswered(earlier[-1])
    ):
        return None
    return earlier[-1]


@cached_view(state=file_state, key=lambda anchors, **given: (anchors.id, *sorted(given.items())))
def drift_of(
    store: Store,
    anchors: ReferenceSet,
    *,
    only: str = "",
    baseline: str = "",
    tolerance: float = TOLERANCE,
) -> DriftReport:
    """How each judge, or one, has changed on an anchor set.

    Args:
        store: Where.
        anchors: The set.
        only: SPEC of the one judge to look at; all where empty.
        baseline: Id of the asking that the others are compared with; the first one otherwise.
        tolerance: A smaller change of agreement is not looked for.

    Raises:
        UsageError: There is no such baseline among the askings, or no such tolerance.
    """
    repository = ReferenceSetRepository(store)
    by_judge: dict[JudgeKey, list[ReferenceEvaluation]] = {}
    for evaluation in repository.evaluations(anchors.id):
        name = JudgeKey(specs=(evaluation.judge,), prompt=evaluation.prompt)
        if evaluation.answers and only in ("", evaluation.judge):
            by_judge.setdefault(name, []).append(evaluation)
    if baseline and baseline not in {
        evaluation.id for evaluations in by_judge.values() for evaluation in evaluations
    }:
        raise UsageError(f"There is no completed evaluation {baseline!r} of {anchors.name!r}.")
    series = [
        _series(repository, name, _from_baseline(evaluations, baseline), tolerance)
        for name, evaluations in by_judge.items()
    ]
    splits = Splits(store).all()
    return DriftReport(
        anchors=anchors,
        states=tuple(repository.states(anchors.id, splits[0].id if splits else None)),
        series=tuple(
            sorted(
                series,
                key=lambda history: (-len(history.interim_analyses), history.judge.description),
            )
        ),
        tolerance=tolerance,
    )


def _from_baseline(askings: list[ReferenceEvaluation], baseline: str) -> list[ReferenceEvaluation]:
    """The askings from the baseline on, where it is one of them."""
    at = next((number for number, evaluation in enumerate(askings) if evaluation.id == baseline), 0)
    return askings[at:]


def _series(
    repository: ReferenceSetRepository,
    judge: JudgeKey,
    askings: Sequence[ReferenceEvaluation],
    tolerance: float,
) -> JudgeHistory:
    return JudgeHistory(
        judge=judge,
        evaluations=tuple(askings),
        interim_analyses=tuple(
            detect_drift(
                [(evaluation.id, repository.predictions(evaluation)) for evaluation in askings],
                tolerance=tolerance,
            )
        ),
    )


def flips_between(store: Store, anchors: ReferenceSet, first: str, second: str) -> Flips:
    """What the second asking of a set changed against the first; `runs` are the runs' verdicts.

    Raises:
        UsageError: There is no such asking, or no item was judged in both.
    """
    repository = ReferenceSetRepository(store)
    evaluations = {evaluation.id: evaluation for evaluation in repository.evaluations(anchors.id)}
    predictions = []
    for name in (first, second):
        if name != IN_RUNS and name not in evaluations:
            raise UsageError(
                f"There is no evaluation {name!r} of {anchors.name!r}: use one of "
                f"{', '.join([IN_RUNS, *evaluations])}."
            )
        predictions.append(
            repository.predictions_in_runs(anchors.id)
            if name == IN_RUNS
            else repository.predictions(evaluations[name])
        )
    flipped = flips(predictions[0], predictions[1])
    if not flipped.items:
        raise UsageError(f"No item of {anchors.name!r} has a verdict in both {first} and {second}.")
    return flipped


def rejudged_flips(
    store: Store,
    judge: JudgeKey,
    against: JudgeKey | None = None,
    *,
    by: str,
    parts: Sequence[str] = OPEN_PARTS,
) -> Flips:
    """What a judge says differently of the labelled items, the locked test set left out.

    Args:
        store: Where.
        judge: The second judge; asked before, by `judge_missing`.
        against: The first one; the verdicts of the runs where None.
        by: Who looks.
        parts: Of the split in use.

    Raises:
        UsageError: The test part is asked for, or no labelled item was judged by both.
    """
    if set(parts) - set(OPEN_PARTS):
        raise UsageError("The test set stays locked: differences are shown on train and dev.")
    split, repository = ensure_split(store, by), PredictionRepository(store)
    first = (
        repository.of_judge(against, split.id, parts)
        if against
        else repository.in_runs(split.id, parts)
    )
    flipped = flips(first, repository.of_judge(judge, split.id, parts))
    if not flipped.items:
        raise UsageError(
            f"No labelled item has a verdict of both {judge.description} and "
            f"{against.description if against else 'a run'}."
        )
    return flipped


def drift_document(drift: DriftReport) -> JsonDict:
    """The JSON of `workbench drift report`."""
    series: list[Json] = [
        {
            "judge": history.judge.description,
            "prompt": history.judge.prompt or None,
            "verdict": history.last.verdict,
            "looks": [
                {**look.to_dict(), "at": evaluation.created_at.isoformat()}
                for look, evaluation in zip(
                    history.interim_analyses, history.evaluations, strict=True
                )
            ],
        }
        for history in drift.series
    ]
    return {
        "anchors": drift.anchors.to_dict(),
        "left": len(drift.states),
        "erased": drift.erased,
        "relabelled": [
            {
                "run_id": change.anchor.run_id,
                "citation_id": change.anchor.citation_id,
                "frozen": change.anchor.gold,
                "now": change.label,
            }
            for change in drift.relabelled
        ],
        "moved": drift.moved,
        "unreadable": drift.unreadable,
        "in_test_part": drift.locked,
        "tolerance": drift.tolerance,
        "drifted": drift.drifted,
        "series": series,
    }
