"""Two judges or prompts over the labelled items that both were asked about, figures of each.

What `comparing` says of the two, and beside it the table of each on the very same items.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from workbench.calibration import UNTESTED, JudgeTable, judge_table
from workbench.fronts.comparing import Contest, contest
from workbench.records import HUMAN_LABELS, VERDICT_LABELS, Judged, PartOpening, Said
from workbench.store import OF_THE_JUDGE, JudgedBook, JudgeName, SaidBook, Store

_VERDICTS = {str(label): label for label in VERDICT_LABELS}
_LABELS = {str(label): label for label in HUMAN_LABELS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """The second judge against the first, and the figures of each."""

    contest: Contest
    first: JudgeTable
    """On the items that are compared; one without a verdict counts against the judge."""
    second: JudgeTable


def pairing(
    store: Store,
    first: JudgeName,
    second: JudgeName,
    split_id: str,
    parts: Sequence[str],
    opening: PartOpening | None = None,
) -> Pairing:
    """Two judges on the same items; what was reckoned before is kept until something is added.

    Raises:
        UsageError: The two are the same, no part is known, or the test part was not opened.
        StoreError: The database cannot be used.
    """
    state = JudgedBook(store).state()
    return _reckoned(store.path, state, first, second, split_id, tuple(parts), opening)


@lru_cache(maxsize=8)
def _reckoned(
    path: Path,
    state: str,
    first: JudgeName,
    second: JudgeName,
    split_id: str,
    parts: tuple[str, ...],
    opening: PartOpening | None,
) -> Pairing:
    store = Store(path)
    found = contest(store, first, second, split_id, parts, opening=opening)
    said = [
        {one.item: one for one in SaidBook(store).of_judge(who, split_id, parts) if _counts(one)}
        for who in (first, second)
    ]
    shared = [item for item in said[0] if item in said[1]]
    tables = [judge_table([_judged(one[item]) for item in shared]) for one in said]
    return Pairing(contest=found, first=tables[0], second=tables[1])


def _counts(one: Said) -> bool:
    return one.human not in UNTESTED and (one.error is None or one.error in OF_THE_JUDGE)


def _judged(one: Said) -> Judged:
    """The item; without a verdict as one that was decided wrongly."""
    supported = one.human == "supported"
    wrong = "not_supported" if supported else "supported"
    return Judged(
        item=one.item,
        judge=_VERDICTS[wrong if one.error else one.label],
        score=float(not supported) if one.error else one.score,
        human=_LABELS[one.human],
        group=one.group,
    )


def forget() -> None:
    """Drop what is kept at hand."""
    _reckoned.cache_clear()
