"""Everything that stands beside a calibration, gathered once for the command line and reports."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from workbench.calibration import JudgeTable, by_slice, judge_table
from workbench.fronts.calibrating import (
    Calibration,
    People,
    ensure_split,
    forget,
    people,
    same_items,
)
from workbench.fronts.calibrating_rates import ALL_RUNS, Rates, RunSet, rates_of
from workbench.fronts.calibrating_reviewers import AgainstReviewers, against_reviewers
from workbench.fronts.calibrating_words import Slices, View
from workbench.fronts.judging_labelled import missing
from workbench.records import Split, judged_rows
from workbench.store import JudgedBook, JudgeName, ReviewerLabels, RunSummary, Store

LOCAL = JudgeName(specs=("local",))
MOST_RUNS = 500
"""So many of the newest runs can be chosen from."""


def view_of(
    store: Store, calibration: Calibration, of: RunSet = ALL_RUNS, *, slices: bool = False
) -> View:
    """A calibration with its yardsticks, the rates of a set of runs, and slices if asked for.

    Raises:
        StoreError: The database cannot be used.
    """
    guides = calibration.guides
    return View(
        calibration=calibration,
        people=people(store, guides),
        against=against_reviewers(
            store, calibration.judge, calibration.split.id, calibration.parts, guides
        ),
        local=local_table(store, calibration),
        rates=rates_of(store, calibration.judge, calibration.split.id, of, guides=guides),
        slices=slices_of(store, calibration) if slices else None,
    )


def local_table(store: Store, calibration: Calibration) -> JudgeTable | None:
    """The embedded judge on the same items; None where it is the judge or was not asked."""
    if calibration.judge == LOCAL:
        return None
    split, parts = calibration.split, calibration.parts
    judged = JudgedBook(store).read(LOCAL, split.id, parts, guides=calibration.guides)
    found = same_items(calibration, judged)
    return judge_table(found, rounds=200) if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptView:
    """A database as it stands, whose figures are reckoned once and kept at hand.

    What is kept is told apart by `state`: as soon as a label, a verdict or an opinion is added, all
    is reckoned anew.
    """

    path: Path
    state: str

    @classmethod
    def of(cls, store: Store) -> "KeptView":
        """The database as it stands now.

        Raises:
            StoreError: It cannot be used.
        """
        return cls(path=store.path, state=JudgedBook(store).state())

    def split(self, by: str) -> Split:
        """As `ensure_split`."""
        return _kept_split(self, by)

    def judges(self) -> list[JudgeName]:
        """Who has given verdicts on labelled items, most first."""
        return list(_kept_judges(self))

    def missing(self, judge: JudgeName) -> int:
        """As `judging_labelled.missing`."""
        return _kept_missing(self, judge)

    def people(self, guides: Sequence[int] = ()) -> People | None:
        """As `people`."""
        return _kept_people(self, tuple(guides))

    def against(self, calibration: Calibration) -> AgainstReviewers | None:
        """As `against_reviewers`."""
        return _kept_against(
            self,
            calibration.judge,
            calibration.split.id,
            calibration.parts,
            calibration.guides,
        )

    def guide_counts(self) -> dict[int, int]:
        """As `ReviewerLabels.guide_counts`, of all labels."""
        return dict(_kept_guides(self))

    def local(self, calibration: Calibration) -> JudgeTable | None:
        """As `local_table`."""
        return _kept_local(
            self,
            calibration.judge,
            calibration.split.id,
            calibration.parts,
            calibration.guides,
        )

    def runs(self, judge: JudgeName) -> list[RunSummary]:
        """The newest runs of a judge."""
        return list(_kept_runs(self, judge))

    def rates(
        self, judge: JudgeName, split: Split, of: RunSet, guides: Sequence[int] = ()
    ) -> Rates:
        """As `rates_of`."""
        return _kept_rates(self, judge, split.id, of, tuple(guides))


@lru_cache(maxsize=8)
def _kept_split(kept: KeptView, by: str) -> Split:
    return ensure_split(Store(kept.path), by)


@lru_cache(maxsize=8)
def _kept_judges(kept: KeptView) -> tuple[JudgeName, ...]:
    return tuple(judge for judge, _ in JudgedBook(Store(kept.path)).judges())


@lru_cache(maxsize=16)
def _kept_missing(kept: KeptView, judge: JudgeName) -> int:
    return missing(Store(kept.path), judge)


@lru_cache(maxsize=8)
def _kept_people(kept: KeptView, guides: tuple[int, ...]) -> People | None:
    return people(Store(kept.path), guides)


@lru_cache(maxsize=8)
def _kept_guides(kept: KeptView) -> tuple[tuple[int, int], ...]:
    return tuple(ReviewerLabels(Store(kept.path)).guide_counts().items())


@lru_cache(maxsize=8)
def _kept_against(
    kept: KeptView,
    judge: JudgeName,
    split_id: str,
    parts: tuple[str, ...],
    guides: tuple[int, ...],
) -> AgainstReviewers | None:
    return against_reviewers(Store(kept.path), judge, split_id, parts, guides)


@lru_cache(maxsize=8)
def _kept_local(
    kept: KeptView,
    judge: JudgeName,
    split_id: str,
    parts: tuple[str, ...],
    guides: tuple[int, ...],
) -> JudgeTable | None:
    book = JudgedBook(Store(kept.path))
    if judge == LOCAL or not any(one == LOCAL for one in _kept_judges(kept)):
        return None
    mine = set(judged_rows(book.read(judge, split_id, parts, guides=guides).items).items)
    local = book.read(LOCAL, split_id, parts, guides=guides)
    found = [one for one in local.items if one.item in mine]
    return judge_table(found, rounds=200) if found else None


@lru_cache(maxsize=16)
def _kept_rates(
    kept: KeptView, judge: JudgeName, split_id: str, of: RunSet, guides: tuple[int, ...]
) -> Rates:
    return rates_of(Store(kept.path), judge, split_id, of, guides=guides)


@lru_cache(maxsize=8)
def _kept_runs(kept: KeptView, judge: JudgeName) -> tuple[RunSummary, ...]:
    found = Store(kept.path).list_runs(limit=MOST_RUNS)
    return tuple(run for run in found if run.judge == judge.specs)


def forget_view() -> None:
    """Drop what is kept at hand."""
    forget()
    for cached in (
        _kept_split, _kept_judges, _kept_missing, _kept_people, _kept_guides, _kept_against,
        _kept_local, _kept_rates, _kept_runs,
    ):  # fmt: skip
        cached.cache_clear()


def slices_of(store: Store, calibration: Calibration) -> Slices:
    """The figures of each slice with ten items or more, largest first."""
    split, parts = calibration.split, calibration.parts
    judged = JudgedBook(store).read(
        calibration.judge, split.id, parts, slices=True, guides=calibration.guides
    )
    return by_slice(judged.items)
