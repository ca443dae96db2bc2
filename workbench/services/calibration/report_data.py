"""Everything shown beside a calibration, gathered once for the command line and reports."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from workbench.calibration.classification_report import ClassificationReport, by_slice, judge_table
from workbench.calibration.fitted_limits import RATE_TARGET
from workbench.calibration.results import (
    ALL_RUNS,
    AgainstReviewers,
    Calibration,
    CalibrationReport,
    HumanAgreement,
    Rates,
    RunSelection,
    Slices,
)
from workbench.records.calibration import Split
from workbench.records.evaluation import ALL_LABELS, JudgeKey, LabelFilter
from workbench.records.evaluation_columns import to_columns
from workbench.records.run_listing import RunSummary
from workbench.services.calibration.fitted_limits import forget_limits, limits_of_judges
from workbench.services.calibration.label_filters import label_filters
from workbench.services.calibration.measurement import (
    ensure_split,
    forget,
    human_agreement,
    same_items,
)
from workbench.services.calibration.prevalence import rates_of
from workbench.services.calibration.reviewers import against_reviewers
from workbench.services.labelled_judging import count_unjudged
from workbench.services.references.calibration import cached_references
from workbench.store.evaluation.evaluation_examples import EvaluationRepository
from workbench.store.labels.reviewer_labels import ReviewerLabels
from workbench.store.store import Store

LOCAL = JudgeKey(specs=("local",))
MOST_RUNS = 500
"""So many of the newest runs can be chosen from."""


def view_of(
    store: Store,
    calibration: Calibration,
    of: RunSelection = ALL_RUNS,
    *,
    slices: bool = False,
    rate_target: float = RATE_TARGET,
) -> CalibrationReport:
    """A calibration with its yardsticks, the rates of a set of runs, and slices if asked for.

    `rate_target` is what a limit fitted to the labels must hold to be admitted.
    """
    labels = calibration.labels
    return CalibrationReport(
        calibration=calibration,
        reviewer_agreement=human_agreement(store, labels),
        against=against_reviewers(
            store, calibration.judge, calibration.split.id, calibration.parts, labels
        ),
        local=local_table(store, calibration),
        rates=rates_of(store, calibration.judge, calibration.split.id, of, labels=labels),
        slices=slices_of(store, calibration) if slices else None,
        references=cached_references(store, calibration.aim),
        limits=limits_of_judges(
            store, calibration.judge, calibration.split, target=rate_target, labels=labels
        ),
    )


def local_table(store: Store, calibration: Calibration) -> ClassificationReport | None:
    """The embedded judge on the same items; None where it is the judge or was not asked."""
    if calibration.judge == LOCAL:
        return None
    split, parts = calibration.split, calibration.parts
    judged = EvaluationRepository(store).read(LOCAL, split.id, parts, labels=calibration.labels)
    same = same_items(calibration, judged)
    return judge_table(same, rounds=200) if same else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedCalibration:
    """A database in its current state, whose figures are computed once and cached.

    The cache is keyed by `state`: as soon as a label, a verdict or an opinion is added, all
    is computed again.
    """

    path: Path
    state: str

    @classmethod
    def of(cls, store: Store) -> "CachedCalibration":
        """The database in its current state."""
        return cls(path=store.path, state=EvaluationRepository(store).state())

    def split(self, by: str) -> Split:
        """As `ensure_split`."""
        return _cached_split(self, by)

    def judges(self) -> list[JudgeKey]:
        """Who has given verdicts on labelled items, most first."""
        return list(_cached_judges(self))

    def missing(self, judge: JudgeKey) -> int:
        """As `judging_labelled.missing`."""
        return _cached_missing(self, judge)

    def people(self, labels: LabelFilter = ALL_LABELS) -> HumanAgreement | None:
        """As `human_agreement`."""
        return _cached_people(self, labels)

    def against(self, calibration: Calibration) -> AgainstReviewers | None:
        """As `against_reviewers`."""
        return _cached_against(
            self,
            calibration.judge,
            calibration.split.id,
            calibration.parts,
            calibration.labels,
        )

    def guide_counts(self) -> dict[int, int]:
        """As `ReviewerLabels.guide_counts`, of all labels."""
        return dict(_cached_guides(self))

    def label_filters(self) -> dict[str, LabelFilter]:
        """As `label_filters`."""
        return dict(_cached_filters(self))

    def local(self, calibration: Calibration) -> ClassificationReport | None:
        """As `local_table`."""
        return _cached_local(
            self,
            calibration.judge,
            calibration.split.id,
            calibration.parts,
            calibration.labels,
        )

    def runs(self, judge: JudgeKey) -> list[RunSummary]:
        """The newest runs of a judge."""
        return list(_cached_runs(self, judge))

    def rates(
        self, judge: JudgeKey, split: Split, of: RunSelection, labels: LabelFilter = ALL_LABELS
    ) -> Rates:
        """As `rates_of`."""
        return _cached_rates(self, judge, split.id, of, labels)


@lru_cache(maxsize=8)
def _cached_split(cached: CachedCalibration, by: str) -> Split:
    return ensure_split(Store(cached.path), by)


@lru_cache(maxsize=8)
def _cached_judges(cached: CachedCalibration) -> tuple[JudgeKey, ...]:
    return tuple(judge for judge, _ in EvaluationRepository(Store(cached.path)).judges())


@lru_cache(maxsize=16)
def _cached_missing(cached: CachedCalibration, judge: JudgeKey) -> int:
    return count_unjudged(Store(cached.path), judge)


@lru_cache(maxsize=8)
def _cached_people(cached: CachedCalibration, labels: LabelFilter) -> HumanAgreement | None:
    return human_agreement(Store(cached.path), labels)


@lru_cache(maxsize=8)
def _cached_guides(cached: CachedCalibration) -> tuple[tuple[int, int], ...]:
    return tuple(ReviewerLabels(Store(cached.path)).guide_counts().items())


@lru_cache(maxsize=8)
def _cached_filters(cached: CachedCalibration) -> tuple[tuple[str, LabelFilter], ...]:
    return tuple(label_filters(Store(cached.path)).items())


@lru_cache(maxsize=8)
def _cached_against(
    cached: CachedCalibration,
    judge: JudgeKey,
    split_id: str,
    parts: tuple[str, ...],
    labels: LabelFilter,
) -> AgainstReviewers | None:
    return against_reviewers(Store(cached.path), judge, split_id, parts, labels)


@lru_cache(maxsize=8)
def _cached_local(
    cached: CachedCalibration,
    judge: JudgeKey,
    split_id: str,
    parts: tuple[str, ...],
    labels: LabelFilter,
) -> ClassificationReport | None:
    repository = EvaluationRepository(Store(cached.path))
    if judge == LOCAL or not any(cached_judge == LOCAL for cached_judge in _cached_judges(cached)):
        return None
    judged_items = set(
        to_columns(repository.read(judge, split_id, parts, labels=labels).items).items
    )
    local = repository.read(LOCAL, split_id, parts, labels=labels)
    local_items = [example for example in local.items if example.item in judged_items]
    return judge_table(local_items, rounds=200) if local_items else None


@lru_cache(maxsize=16)
def _cached_rates(
    cached: CachedCalibration,
    judge: JudgeKey,
    split_id: str,
    of: RunSelection,
    labels: LabelFilter,
) -> Rates:
    return rates_of(Store(cached.path), judge, split_id, of, labels=labels)


@lru_cache(maxsize=8)
def _cached_runs(cached: CachedCalibration, judge: JudgeKey) -> tuple[RunSummary, ...]:
    runs = Store(cached.path).list_runs(limit=MOST_RUNS)
    return tuple(run for run in runs if run.judge == judge.specs)


def forget_view() -> None:
    """Drop what is kept at hand."""
    forget()
    forget_limits()
    for cached in (
        _cached_split, _cached_judges, _cached_missing, _cached_people, _cached_guides, _cached_filters,
        _cached_against, _cached_local, _cached_rates, _cached_runs,
    ):  # fmt: skip
        cached.cache_clear()


def slices_of(store: Store, calibration: Calibration) -> Slices:
    """The figures of each slice with ten items or more, largest first."""
    split, parts = calibration.split, calibration.parts
    judged = EvaluationRepository(store).read(
        calibration.judge, split.id, parts, slices=True, labels=calibration.labels
    )
    return by_slice(judged.items)
