"""Everything that stands beside a calibration, gathered once for the command line and reports."""

from workbench.calibration import JudgeTable, by_slice, judge_table
from workbench.fronts.calibrating import Calibration, people, same_items
from workbench.fronts.calibrating_rates import ALL_RUNS, RunSet, rates_of
from workbench.fronts.calibrating_words import Slices, View
from workbench.store import JudgedBook, JudgeName, Store

LOCAL = JudgeName(specs=("local",))


def view_of(
    store: Store, calibration: Calibration, of: RunSet = ALL_RUNS, *, slices: bool = False
) -> View:
    """A calibration with its yardsticks, the rates of a set of runs, and slices if asked for.

    Raises:
        StoreError: The database cannot be used.
    """
    return View(
        calibration=calibration,
        people=people(store, calibration.split, calibration.parts),
        local=local_table(store, calibration),
        rates=rates_of(store, calibration.judge, calibration.split.id, of),
        slices=slices_of(store, calibration) if slices else None,
    )


def local_table(store: Store, calibration: Calibration) -> JudgeTable | None:
    """The embedded judge on the same items; None where it is the judge or was not asked."""
    if calibration.judge == LOCAL:
        return None
    split, parts = calibration.split, calibration.parts
    found = same_items(calibration, JudgedBook(store).read(LOCAL, split.id, parts))
    return judge_table(found, rounds=200) if found else None


def slices_of(store: Store, calibration: Calibration) -> Slices:
    """The figures of each slice with ten items or more, largest first."""
    split, parts = calibration.split, calibration.parts
    judged = JudgedBook(store).read(calibration.judge, split.id, parts, slices=True)
    return by_slice(judged.items)
