"""Everything shown beside a calibration, gathered once for the command line and reports."""

from collections.abc import Mapping
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
from workbench.records.evaluation import (
    ALL_LABELS,
    EvaluationSet,
    JudgeKey,
    LabelFilter,
    Split,
    to_columns,
)
from workbench.records.run_listing import RunSummary
from workbench.services.calibration.agreement import label_filters
from workbench.services.calibration.measurement import (
    against_reviewers,
    evaluation_state,
    forget,
    human_agreement,
)
from workbench.services.calibration.prevalence import rates_of
from workbench.services.calibration.thresholds import forget_limits, limits_of_judges
from workbench.services.labelled_judging import count_unjudged
from workbench.services.references.labels import cached_references
from workbench.store.evaluation.evaluation_examples import EvaluationRepository
from workbench.store.labels.agreement import ReviewerLabels
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
    return _local_table(store, _items_of(calibration), calibration.judged)


_Items = tuple[JudgeKey, str, tuple[str, ...], LabelFilter]


def _items_of(calibration: Calibration) -> _Items:
    """What tells on which items a judge was measured."""
    return calibration.judge, calibration.split.id, calibration.parts, calibration.labels


def _local_table(store: Store, of: _Items, judged: EvaluationSet) -> ClassificationReport | None:
    judge, split_id, parts, labels = of
    if judge == LOCAL:
        return None
    own_items = set(to_columns(judged.items).items)
    local = EvaluationRepository(store).read(LOCAL, split_id, parts, labels=labels)
    same = [example for example in local.items if example.item in own_items]
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
        return cls(path=store.path, state=evaluation_state(store))

    @property
    def _store(self) -> Store:
        return Store(self.path)

    @lru_cache(maxsize=8)  # noqa: B019  # what is kept is a path and a state
    def judges(self) -> tuple[JudgeKey, ...]:
        """Who has given verdicts on labelled items, most first."""
        return tuple(judge for judge, _ in EvaluationRepository(self._store).judges())

    @lru_cache(maxsize=16)  # noqa: B019
    def missing(self, judge: JudgeKey) -> int:
        """As `count_unjudged`."""
        return count_unjudged(self._store, judge)

    @lru_cache(maxsize=8)  # noqa: B019
    def people(self, labels: LabelFilter = ALL_LABELS) -> HumanAgreement | None:
        """As `human_agreement`."""
        return human_agreement(self._store, labels)

    @lru_cache(maxsize=8)  # noqa: B019
    def guide_counts(self) -> Mapping[int, int]:
        """As `ReviewerLabels.guide_counts`, of all labels."""
        return ReviewerLabels(self._store).guide_counts()

    @lru_cache(maxsize=8)  # noqa: B019
    def label_filters(self) -> Mapping[str, LabelFilter]:
        """As `label_filters`."""
        return label_filters(self._store)

    @lru_cache(maxsize=8)  # noqa: B019
    def runs(self, judge: JudgeKey) -> tuple[RunSummary, ...]:
        """The newest runs of a judge."""
        runs = self._store.list_runs(limit=MOST_RUNS)
        return tuple(run for run in runs if run.judge == judge.specs)

    def against(self, calibration: Calibration) -> AgainstReviewers | None:
        """As `against_reviewers`."""
        return _cached_against(self, _items_of(calibration))

    def local(self, calibration: Calibration) -> ClassificationReport | None:
        """As `local_table`."""
        return _cached_local(self, _items_of(calibration))

    def rates(
        self, judge: JudgeKey, split: Split, of: RunSelection, labels: LabelFilter = ALL_LABELS
    ) -> Rates:
        """As `rates_of`."""
        return _cached_rates(self, judge, split.id, of, labels)


@lru_cache(maxsize=8)
def _cached_against(cached: CachedCalibration, of: _Items) -> AgainstReviewers | None:
    return against_reviewers(Store(cached.path), *of)


@lru_cache(maxsize=8)
def _cached_local(cached: CachedCalibration, of: _Items) -> ClassificationReport | None:
    judge, split_id, parts, labels = of
    if judge == LOCAL or LOCAL not in cached.judges():
        return None
    store = Store(cached.path)
    judged = EvaluationRepository(store).read(judge, split_id, parts, labels=labels)
    return _local_table(store, of, judged)


@lru_cache(maxsize=16)
def _cached_rates(
    cached: CachedCalibration, judge: JudgeKey, split_id: str, of: RunSelection, labels: LabelFilter
) -> Rates:
    return rates_of(Store(cached.path), judge, split_id, of, labels=labels)


def forget_view() -> None:
    """Drop what is kept at hand."""
    forget()
    forget_limits()
    of = CachedCalibration
    for cached in (
        of.judges, of.missing, of.people, of.guide_counts, of.label_filters, of.runs,
        _cached_against, _cached_local, _cached_rates,
    ):  # fmt: skip
        cached.cache_clear()


def slices_of(store: Store, calibration: Calibration) -> Slices:
    """The figures of each slice with ten items or more, largest first."""
    split, parts = calibration.split, calibration.parts
    judged = EvaluationRepository(store).read(
        calibration.judge, split.id, parts, slices=True, labels=calibration.labels
    )
    return by_slice(judged.items)
