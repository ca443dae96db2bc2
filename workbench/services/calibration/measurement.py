"""A judge against people, laid out for the command line, the page and the report.

Labelled items are split once and placed as they come; everything is computed on train and dev. The
test part is looked at only with a reason, and each look leaves a trace.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from workbench.calibration.agreement import agreement
from workbench.calibration.classification_report import UNTESTED, judge_table, majority_baseline
from workbench.calibration.results import (
    DEFAULT_OBJECTIVE,
    OPEN_PARTS,
    AgainstReviewers,
    Calibration,
    HumanAgreement,
    ThresholdObjective,
)
from workbench.calibration.risk_control import RiskGuarantee, abstain_band, guarantee
from workbench.calibration.thresholds import (
    PARTS,
    SHARES,
    GroupKeys,
    OperatingPoint,
    Part,
    SplitAssignment,
    assign_splits,
    select_operating_point,
    sweep_thresholds,
)
from workbench.errors import UsageError
from workbench.records.evaluation import (
    ALL_LABELS,
    JudgeKey,
    LabelFilter,
    Split,
    SplitCandidate,
    TestSetAccess,
    Tie,
    to_columns,
)
from workbench.records.review import EvaluationExample, Rating
from workbench.services.cached_views import cached_view, file_state
from workbench.services.database import Database
from workbench.store.evaluation.evaluation_examples import EvaluationRepository
from workbench.store.evaluation.splits import Splits
from workbench.store.labels.agreement import ReviewerLabels
from workbench.store.store import Store

SPLIT_NAME = "first split"
LARGEST = 0.5
"""A tie that would put more than this share of the items into one group is not used."""


@cached_view(state=file_state)
def evaluation_state(store: Store) -> str:
    """As `EvaluationRepository.state`, which differs where figures of the labels may."""
    return EvaluationRepository(store).state()


@cached_view(state=file_state)
def ensure_split(store: Store, by: str, *, name: str = SPLIT_NAME, seed: int = 0) -> Split:
    """The newest split with every labelled item placed in it; the first one is made here.

    Raises:
        UsageError: No item has a verdict and a label yet.
    """
    splits = Splits(store)
    existing = splits.all()
    split = existing[0] if existing else None
    if split is not None and not splits.unplaced(split.id):
        return split
    items = splits.candidates(split.id if split else None)
    if not items:
        raise UsageError(
            "No labelled example has a verdict yet; import labels, or review checked citations."
        )
    if split is None:
        split = splits.add(
            name, seed=seed, shares=dict(SHARES.items()), ties=usable_ties(items), by=by
        )
    _place(splits, split, items)
    return split


def current_split(store: Store) -> tuple[dict[tuple[str, str], Part | None], tuple[Tie, ...]]:
    """Each labelled item's part, or the one it would get from `ensure_split`; what ties items.

    Nothing is kept by this.
    """
    splits = Splits(store)
    existing = splits.all()
    if existing and not splits.unplaced(existing[0].id):
        # the usual case by far: nothing is to be placed, so nothing has to be laid out
        return splits.parts(existing[0].id), existing[0].ties
    items = splits.candidates(existing[0].id if existing else None)
    if not items:
        return {}, ()
    ties = existing[0].ties if existing else usable_ties(items)
    shares: Mapping[str, float] = existing[0].shares if existing else dict(SHARES.items())
    placed = _assignments(items, ties, shares, existing[0].seed if existing else 0)
    assigned = zip(items, placed, strict=True)
    return {(item.run_id, item.citation_id): assignment.part for item, assignment in assigned}, ties


def _assignments(
    items: Sequence[SplitCandidate], ties: Sequence[Tie], shares: Mapping[str, float], seed: int
) -> list[SplitAssignment]:
    part_names: dict[str, Part] = {part: part for part in PARTS}
    return assign_splits(
        [_ties(item, ties) for item in items],
        shares={part_names[part]: share for part, share in shares.items() if part in part_names},
        seed=seed,
        before={item.item: part_names[item.part] for item in items if item.part},
    )


def _place(splits: Splits, split: Split, items: Sequence[SplitCandidate]) -> None:
    placed = _assignments(items, split.ties, split.shares, split.seed)
    new = [
        (item.run_id, item.citation_id, assignment.part)
        for item, assignment in zip(items, placed, strict=True)
        if not item.placed
    ]
    splits.place(split.id, new)


def usable_ties(items: Sequence[SplitCandidate]) -> tuple[Tie, ...]:
    """What keeps items together: question, page and domain, as far as groups stay small.

    Where nearly everything cites one domain, tying by it would leave one group and no split.
    """
    chosen: tuple[Tie, ...] = ("question",)
    for tie in ("page", "domain"):
        wider: tuple[Tie, ...] = (*chosen, tie)
        groups = Counter(
            assignment.group for assignment in assign_splits([_ties(item, wider) for item in items])
        )
        if max(groups.values()) <= LARGEST * len(items) and len(groups) >= 3:
            chosen = wider
    return chosen


def _ties(item: SplitCandidate, ties: Sequence[Tie]) -> GroupKeys:
    keys = {"question": item.question, "page": item.page, "domain": item.domain}
    return GroupKeys(item=item.item, keys=tuple(f"{tie} {keys[tie]}" for tie in ties if keys[tie]))


def calibrate(
    store: Store,
    judge: JudgeKey,
    split: Split,
    *,
    aim: ThresholdObjective = DEFAULT_OBJECTIVE,
    parts: Sequence[str] = OPEN_PARTS,
    opening: TestSetAccess | None = None,
    labels: LabelFilter = ALL_LABELS,
) -> Calibration:
    """How far a judge can be trusted; earlier results are cached until a label is added.

    With the test part among `parts` the threshold is still chosen on the others. Only
    `labels` count.

    Raises:
        UsageError: The test part is asked for without having been opened, or no part is known.
    """
    unknown = set(parts) - set(PARTS)
    if unknown or not parts:
        raise UsageError(f"The splits are {', '.join(PARTS)}, not {', '.join(sorted(unknown))!r}.")
    if "test" in parts and opening is None:
        raise UsageError("The test set is locked; unlock it with a reason, which is logged.")
    ordered = tuple(part for part in PARTS if part in parts)
    state = evaluation_state(store)
    return _compute(store.path, state, judge, split.id, aim, ordered, labels)


@lru_cache(maxsize=16)
def _compute(
    path: Path,
    state: str,
    judge: JudgeKey,
    split_id: str,
    aim: ThresholdObjective,
    parts: tuple[str, ...],
    labels: LabelFilter,
) -> Calibration:
    store = Store(path)
    repository, splits = EvaluationRepository(store), Splits(store)
    split = splits.get(split_id)
    chosen_on = tuple(part for part in parts if part != "test") or OPEN_PARTS
    judged = repository.read(judge, split.id, parts, labels=labels)
    base = (
        judged if chosen_on == parts else repository.read(judge, split.id, chosen_on, labels=labels)
    )
    cuts = tuple(cuts_of(base.items, aim))
    risk_guarantee = guarantee(cuts, aim.target, aim.confidence)
    chosen = choose(cuts, aim, risk_guarantee)
    return Calibration(
        judge=judge,
        split=split,
        sizes=tuple(splits.sizes(split.id)),
        parts=parts,
        chosen_on=chosen_on,
        judged=judged,
        table=judge_table(judged.items),
        at_threshold=judge_table(judged.items, chosen.threshold) if chosen else None,
        always=majority_baseline(judged.items, rounds=200),
        cuts=cuts,
        aim=aim,
        chosen=chosen,
        guarantee=risk_guarantee,
        band=abstain_band(cuts, aim.target, aim.confidence),
        base=base,
        openings=tuple(splits.openings(split.id)),
        shared_across_splits=tuple(tie for tie in ("page", "domain") if tie not in split.ties),
        labels=labels,
        guide_counts=ReviewerLabels(store).guide_counts(split.id, parts, labels=labels),
    )


def cuts_of(items: Sequence[EvaluationExample], aim: ThresholdObjective) -> list[OperatingPoint]:
    """What every threshold decides of the items that test a judge, strictest first."""
    rows = to_columns(items)
    tested = [number for number, human in enumerate(rows.humans) if human not in UNTESTED]
    return sweep_thresholds(
        [rows.scores[number] for number in tested],
        [rows.humans[number] == "supported" for number in tested],
        [rows.groups[number] for number in tested],
        wrong_accept=aim.wrong_accept,
        wrong_reject=aim.wrong_reject,
    )


def choose(
    cuts: Sequence[OperatingPoint], aim: ThresholdObjective, risk_guarantee: RiskGuarantee
) -> OperatingPoint | None:
    """The cut that serves an aim; None where none does, or none is guaranteed to.

    One chosen by hand is the lowest at or above it.
    """
    if aim.kind == "guarantee":
        return next(
            (
                cut
                for cut in cuts
                if risk_guarantee.holds and cut.threshold == risk_guarantee.threshold
            ),
            None,
        )
    if aim.kind == "manual":
        # between two scores every threshold decides the same
        return next((cut for cut in reversed(cuts) if cut.threshold >= aim.at - 1e-9), None)
    if aim.kind == "recall":
        return select_operating_point(cuts, "recall", aim.target)
    if aim.kind == "cost":
        return select_operating_point(cuts, "cost")
    return select_operating_point(cuts, "precision", aim.target)


def human_agreement(store: Store, labels: LabelFilter = ALL_LABELS) -> HumanAgreement | None:
    """How far people agree on every item that two of them labelled; None where there is none.

    Each one's own latest label counts, adjudications apart, and items on which they disagree count
    as much as the others: whether an item has a gold label, and its part, make no difference.
    """
    reviewer_labels = ReviewerLabels(store)
    ratings = reviewer_labels.ratings(labels)
    if not ratings:
        return None
    return HumanAgreement(
        labels=agreement(ratings),
        supported=agreement([_binary(r) for r in ratings]),
        guides=reviewer_labels.guide_counts(labels=labels, reviews=True),
    )


def _binary(rating: Rating) -> Rating:
    supported = rating.label == "supported"
    return replace(rating, label="supported" if supported else "anything else")


def forget() -> None:
    """Drop what is kept at hand."""
    _compute.cache_clear()


MOST_REVIEWERS = 30
"""So many reviewers, those with most labels, get figures of their own."""
ROUNDS = 200


def against_reviewers(
    store: Store,
    judge: JudgeKey,
    split_id: str,
    parts: Sequence[str],
    labels: LabelFilter = ALL_LABELS,
) -> AgainstReviewers | None:
    """A judge against each reviewer and their majority on some parts; None without reviewers."""
    judged = ReviewerLabels(store).judged(judge, split_id, parts, labels)
    if not judged.reviewers:
        return None
    return AgainstReviewers(
        reviewers=tuple(
            (name, judge_table(items, rounds=ROUNDS))
            for name, items in judged.reviewers[:MOST_REVIEWERS]
        ),
        more_reviewers=max(0, len(judged.reviewers) - MOST_REVIEWERS),
        majority=judge_table(judged.majority, rounds=ROUNDS),
        ties=judged.ties,
        single=judged.single,
    )


@cached_view(state=file_state)
def has_split(database: Database) -> bool:
    """Whether labelled examples were ever split."""
    return bool(Splits(database).all())


def items_by_part(database: Database, run_ids: Collection[str]) -> Mapping[str, int]:
    """How many labelled items of some runs stand in each part, or would be put there now.

    Items in no part are counted under `none`; nothing is kept by this.
    """
    if not run_ids:
        return {}
    wanted = frozenset(run_ids)
    parts, _ = current_split(database)
    return Counter(part or "none" for (run_id, _), part in parts.items() if run_id in wanted)
